#include "ir/operation.h"

#include <string.h>

#define FORM_NONE                                                                                  \
    {                                                                                              \
        .form = IR_FORM_NONE                                                                       \
    }
#define FORM_UNARY(operator)                                                                       \
    {                                                                                              \
        .form = IR_FORM_UNARY, .symbol = #operator                                                 \
    }
#define FORM_BINARY(operator)                                                                      \
    {                                                                                              \
        .form = IR_FORM_BINARY, .symbol = #operator                                                \
    }
#define FORM_COMPARISON(operator)                                                                  \
    {                                                                                              \
        .form = IR_FORM_COMPARISON, .symbol = #operator                                            \
    }
#define FORM_BUILTIN(function, ...)                                                                \
    {                                                                                              \
        .form = IR_FORM_BUILTIN, .symbol = #function                                               \
    }
#define FORM_KATA(function, ...)                                                                   \
    {                                                                                              \
        .form = IR_FORM_KATA, .symbol = #function                                                  \
    }
#define FORM_KATA_I64 FORM_KATA
#define FORM_CHOICE(a, b)                                                                          \
    {                                                                                              \
        .form = IR_FORM_CHOICE, .compared = { a, b }                                               \
    }

const ir_op_info ir_ops[IR_OP_COUNT] = {
#define X(name, text, operands, types, function, cost, commutes, on_bool, on_integer, on_floating) \
    {text,                                                                                         \
     operands,                                                                                     \
     types,                                                                                        \
     IR_FUNCTION_##function,                                                                       \
     IR_COST_##cost,                                                                               \
     commutes,                                                                                     \
     FORM_##on_bool,                                                                               \
     FORM_##on_integer,                                                                            \
     FORM_##on_floating},
    IR_OPS(X)
#undef X
};

bool ir_op_takes(ir_op op, ir_type type)
{
    char letter = type == IR_BOOL            ? 'b'
                  : ir_type_is_narrow(type)  ? 'u'
                  : ir_type_is_integer(type) ? 'i'
                                             : 'f';
    if (type == IR_I64 && strchr(ir_ops[op].types, 'l')) return true;
    return strchr(ir_ops[op].types, letter) != NULL;
}

const ir_spelling *ir_op_spelling(ir_op op, ir_type operand)
{
    const ir_op_info *info = &ir_ops[op];
    if (operand == IR_BOOL) return &info->on_bool;
    return ir_type_is_floating(operand) ? &info->on_floating : &info->on_integer;
}
