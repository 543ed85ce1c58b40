#include "ir/ir.h"

#include <string.h>

const ir_type_info ir_types[IR_TYPE_COUNT] = {
#define X(name, text, c_name, bytes) {text, c_name, bytes},
    IR_TYPES(X)
#undef X
};

const ir_op_info ir_ops[IR_OP_COUNT] = {
#define X(name, text, operands, kinds, function) {text, operands, kinds, IR_FUNCTION_##function},
    IR_OPS(X)
#undef X
};

bool ir_op_takes(ir_op op, ir_type type)
{
    char kind = type == IR_BOOL ? 'b' : type == IR_U8 ? 'u' : ir_type_is_integer(type) ? 'i' : 'f';
    if (type == IR_I64 && strchr(ir_ops[op].kinds, 'l')) return true;
    return strchr(ir_ops[op].kinds, kind) != NULL;
}
