/* The graph: a kernel as it is computed. Loops are unrolled, branches are selects, variables are
 * gone, and equal computations are one node. Everything fast is made from it. */
#ifndef IR_GRAPH_H
#define IR_GRAPH_H

#include "ir/operation.h"

enum { IR_MAX_NODES = 200000 };

typedef uint32_t ir_id; /* a node; operands come before their users; 0 is no node */

typedef struct ir_node {
    uint8_t op, type;
    uint16_t inside; /* LEVEL: the index is known to be inside of the field; fills the gap, so that
                        equal nodes are equal bytes */
    ir_id arg[3];
    /* CONST: bits of the value. NUMBER: param, element. INDEX, SIZE: dimension in param.
     * LOAD: param, component in element, offset. STORED: param. LEVEL: as LOAD, and the dimension
     * along which arg[0] is the index in value.i32. */
    ir_value value;
    int32_t param, element;
    int32_t offset[3];
    uint32_t at; /* its first appearance in the source; not part of its identity */
} ir_node;

typedef struct ir_graph {
    ir_node *nodes; /* nodes[0] is not used */
    size_t count, capacity;
    uint32_t *buckets; /* open addressing, node ids */
    size_t bucket_count;
    bool failed; /* memory was out or the budget spent: the graph is not to be used */
    bool too_large;
} ir_graph;

/* ---- evaluate.c ------------------------------------------------------------------------------ */

/* Finds the value of a node that depends on more than its operands: NUMBER, INDEX, SIZE, LOAD, and
 * STORED, LEVEL and ELEMENT, of which `operand` is the value of the operand. False: the value is
 * not known.
 */
typedef bool ir_find_value(const void *data, const ir_node *n, ir_value operand, ir_value *value);

/* Evaluates all nodes in order into values[id]. known[id] (NULL: `find` knows all): whether the
 * value is known, that is, those of its operands are and `find` knew it. */
void ir_evaluate_graph(const ir_graph *g, ir_find_value *find, const void *data, ir_value *values,
                       bool *known);

#endif
