/* Private to ir: rewriting a node into one that exists or is cheaper, with the same bits. */
#ifndef IR_SIMPLIFY_H
#define IR_SIMPLIFY_H

#include "ir/ir.h"

/* A node of g equal in every bit (any NaN counting as any other) to `node`, which is not in g yet,
 * or 0 when no rule applies; then the operands of *node may have been exchanged. */
ir_id simplify(ir_graph *g, ir_node *node);

#endif
