/* Private to ir: graphs in the making. */
#ifndef IR_BUILD_H
#define IR_BUILD_H

#include "ir/graph.h"
#include "ir/param.h"

/* The type of an operation's operands; of SELECT, the type of the second. Not for operations
 * without operands. */
static inline ir_type ir_operand_type(const ir_graph *g, const ir_node *n)
{
    return (ir_type)g->nodes[n->arg[n->op == IR_SELECT ? 1 : 0]].type;
}

/* ---- graph.c --------------------------------------------------------------------------------- */

/* Any node exactly as given, shared with an equal one. Returns 0 and sets g->failed on error. */
ir_id ir_graph_add(ir_graph *g, const ir_node *node);
ir_id ir_graph_const(ir_graph *g, ir_type type, ir_value value);
void ir_graph_free(ir_graph *g);

/* ---- param.c --------------------------------------------------------------------------------- */

/* The number of the child at an offset, x fastest; -1 where there is none. On the loop's own grid
 * every offset is child 0. */
int ir_param_child(const ir_param *param, const int32_t offset[3]);

/* ---- simplify.c ------------------------------------------------------------------------------ */

/* The result of an operation on nodes of the same graph: simplified as far as its bits allow, and
 * shared with an equal node. Returns 0 and sets g->failed on error; a 0 operand gives 0. */
ir_id ir_graph_op(ir_graph *g, ir_op op, ir_type type, ir_id a, ir_id b, ir_id c, uint32_t at);

#endif
