/* Values of nodes that depend on the loop: indices, sizes, numbers and storage. */
#include "chain/chain.h"

static bool find_number(const chain_binding *binding, int element, ir_value *value)
{
    if (binding->slot) return false;
    *value = binding->table ? binding->table[element] : binding->number;
    return true;
}

int64_t chain_element_number(const ir_node *n, ir_value operand)
{
    return smaller(larger(operand.i64, 0), (int64_t)n->value.i32 - 1);
}

static bool find_element(const chain_loop *loop, const ir_node *n, ir_value operand,
                         ir_value *value)
{
    int64_t number = chain_element_number(n, operand);
    if (!n->element) return find_number(&loop->bindings[n->param], (int)number, value);
    *value = loop->kernel->tables[n->element - 1].values[number];
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
    case IR_ELEMENT: return find_element(loop, n, operand, value);
    case IR_STORED:
        *value = ir_storage_round(loop->bindings[n->param].slot->type, (ir_type)n->type, operand);
        return true;
    default: return false;
    }
}
