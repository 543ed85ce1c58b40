/* Values of nodes that depend on the loop: indices, sizes, numbers and storage. */
#include "chain/chain.h"

static bool find_number(const chain_binding *binding, int element, ir_value *value)
{
    if (binding->slot) return false;
    *value = binding->table ? binding->table[element] : binding->number;
    return true;
}

bool chain_node_value(const chain_loop *loop, const int64_t *point, const ir_node *n,
                      ir_value operand, ir_value *value)
{
    switch ((ir_op)n->op) {
    case IR_INDEX:
        if (point) *value = ir_value_of_int(IR_I64, point[n->param]);
        return point;
    case IR_SIZE: *value = ir_value_of_int(IR_I64, loop->shape.size[n->param]); return true;
    case IR_NUMBER: return find_number(&loop->bindings[n->param], n->element, value);
    case IR_STORED:
        *value = ir_storage_round(loop->bindings[n->param].slot->type, (ir_type)n->type, operand);
        return true;
    default: return false;
    }
}
