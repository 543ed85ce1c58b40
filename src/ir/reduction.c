/* How reductions begin and combine. */
#include "ir/param.h"
#include "ir/value.h"

#include <math.h>

static ir_value largest(ir_type type)
{
    switch (type) {
    case IR_I32: return value_of_i32(INT32_MAX);
    case IR_I64: return value_of_i64(INT64_MAX);
    case IR_F32: return value_of_f32(INFINITY);
    default: return value_of_f64((double)INFINITY);
    }
}

static ir_value smallest(ir_type type)
{
    switch (type) {
    case IR_I32: return value_of_i32(INT32_MIN);
    case IR_I64: return value_of_i64(INT64_MIN);
    case IR_F32: return value_of_f32(-INFINITY);
    default: return value_of_f64((double)-INFINITY);
    }
}

ir_value ir_reduction_start(const ir_param *param)
{
    switch (param->kind) {
    case IR_PARAM_MIN: return largest(param->type);
    case IR_PARAM_MAX: return smallest(param->type);
    default: return ir_value_of_double(param->type, -0.0);
    }
}

ir_op ir_reduction_op(const ir_param *param)
{
    return param->kind == IR_PARAM_MIN   ? IR_LEAST
           : param->kind == IR_PARAM_MAX ? IR_GREATEST
                                         : IR_ADD;
}

ir_value ir_reduce(const ir_param *param, ir_value acc, ir_value x)
{
    return ir_evaluate(ir_reduction_op(param), param->type, param->type, (ir_value[]){acc, x});
}
