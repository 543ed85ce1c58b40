#include "ir/ir.h"

#include "ir/arithmetic.h"
#include "ir/elementary.h"
#include "ir/elementary_trig.h"

#include <math.h>

static ir_value of_i32(int32_t x) { return (ir_value){.bits = (uint32_t)x}; }
static ir_value of_i64(int64_t x) { return (ir_value){.i64 = x}; }
static ir_value of_f64(double x) { return (ir_value){.f64 = x}; }

static ir_value of_f32(float x)
{
    ir_value v = {0};
    v.f32 = x;
    return v;
}

ir_value ir_value_of_double(ir_type type, double x)
{
    switch (type) {
    case IR_BOOL: return of_i32(x != 0);
    case IR_U8: return of_i32(kata_u8_of_f64(x));
    case IR_I32: return of_i32(kata_i32_of_f64(x));
    case IR_I64: return of_i64(kata_i64_of_f64(x));
    case IR_F32: return of_f32((float)x);
    default: return of_f64(x);
    }
}

ir_value ir_value_of_int(ir_type type, int64_t x)
{
    switch (type) {
    case IR_BOOL: return of_i32(x != 0);
    case IR_U8: return of_i32(kata_u8_of_i64(x));
    case IR_I32: return of_i32((int32_t)(uint32_t)(uint64_t)x);
    case IR_I64: return of_i64(x);
    case IR_F32: return of_f32((float)x);
    default: return of_f64((double)x);
    }
}

ir_value ir_convert(ir_type to, ir_type from, ir_value x)
{
    if (to == from) return x;
    switch (from) {
    case IR_I64: return ir_value_of_int(to, x.i64);
    case IR_F32: return ir_value_of_double(to, (double)x.f32);
    case IR_F64: return ir_value_of_double(to, x.f64);
    default: return ir_value_of_int(to, x.i32);
    }
}

static ir_value evaluate_bool(ir_op op, const ir_value *a)
{
    int32_t x = a[0].i32, y = a[1].i32;
    switch (op) {
    case IR_NOT: return of_i32(!x);
    case IR_AND: return of_i32(x & y);
    case IR_OR: return of_i32(x | y);
    case IR_XOR: return of_i32(x ^ y);
    case IR_EQ: return of_i32(x == y);
    case IR_NE: return of_i32(x != y);
    default: return of_i32(0);
    }
}

#define EVALUATE_INTEGER(t)                                                                        \
    static ir_value evaluate_##t(ir_op op, const ir_value *a)                                      \
    {                                                                                              \
        switch (op) {                                                                              \
        case IR_NEG: return of_##t(kata_neg_##t(a[0].t));                                          \
        case IR_NOT: return of_##t(~a[0].t);                                                       \
        case IR_ABS: return of_##t(kata_abs_##t(a[0].t));                                          \
        case IR_ADD: return of_##t(kata_add_##t(a[0].t, a[1].t));                                  \
        case IR_SUB: return of_##t(kata_sub_##t(a[0].t, a[1].t));                                  \
        case IR_MUL: return of_##t(kata_mul_##t(a[0].t, a[1].t));                                  \
        case IR_DIV: return of_##t(kata_div_##t(a[0].t, a[1].t));                                  \
        case IR_REM: return of_##t(kata_rem_##t(a[0].t, a[1].t));                                  \
        case IR_AND: return of_##t(a[0].t & a[1].t);                                               \
        case IR_OR: return of_##t(a[0].t | a[1].t);                                                \
        case IR_XOR: return of_##t(a[0].t ^ a[1].t);                                               \
        case IR_SHL: return of_##t(kata_shl_##t(a[0].t, a[1].t));                                  \
        case IR_SHR: return of_##t(kata_shr_##t(a[0].t, a[1].t));                                  \
        case IR_EQ: return of_i32(a[0].t == a[1].t);                                               \
        case IR_NE: return of_i32(a[0].t != a[1].t);                                               \
        case IR_LT: return of_i32(a[0].t < a[1].t);                                                \
        case IR_LE: return of_i32(a[0].t <= a[1].t);                                               \
        case IR_MIN: return of_##t(a[0].t < a[1].t ? a[0].t : a[1].t);                             \
        case IR_MAX: return of_##t(a[1].t < a[0].t ? a[0].t : a[1].t);                             \
        case IR_LEAST: return of_##t(kata_least_##t(a[0].t, a[1].t));                              \
        case IR_GREATEST: return of_##t(kata_greatest_##t(a[0].t, a[1].t));                        \
        default: return of_##t(0);                                                                 \
        }                                                                                          \
    }

EVALUATE_INTEGER(i32)
EVALUATE_INTEGER(i64)

/* `f` is the suffix of C's functions for the type. */
#define EVALUATE_FLOATING(t, f)                                                                    \
    static ir_value evaluate_##t(ir_op op, const ir_value *a)                                      \
    {                                                                                              \
        switch (op) {                                                                              \
        case IR_NEG: return of_##t(-a[0].t);                                                       \
        case IR_ADD: return of_##t(a[0].t + a[1].t);                                               \
        case IR_SUB: return of_##t(a[0].t - a[1].t);                                               \
        case IR_MUL: return of_##t(a[0].t * a[1].t);                                               \
        case IR_DIV: return of_##t(a[0].t / a[1].t);                                               \
        case IR_EQ: return of_i32(a[0].t == a[1].t);                                               \
        case IR_NE: return of_i32(a[0].t != a[1].t);                                               \
        case IR_LT: return of_i32(a[0].t < a[1].t);                                                \
        case IR_LE: return of_i32(a[0].t <= a[1].t);                                               \
        case IR_MIN: return of_##t(a[0].t < a[1].t ? a[0].t : a[1].t);                             \
        case IR_MAX: return of_##t(a[1].t < a[0].t ? a[0].t : a[1].t);                             \
        case IR_LEAST: return of_##t(kata_least_##t(a[0].t, a[1].t));                              \
        case IR_GREATEST: return of_##t(kata_greatest_##t(a[0].t, a[1].t));                        \
        case IR_ABS:                                                                               \
        case IR_FABS: return of_##t(fabs##f(a[0].t));                                              \
        case IR_FMA: return of_##t(fma##f(a[0].t, a[1].t, a[2].t));                                \
        case IR_SQRT: return of_##t(sqrt##f(a[0].t));                                              \
        case IR_FLOOR: return of_##t(floor##f(a[0].t));                                            \
        case IR_CEIL: return of_##t(ceil##f(a[0].t));                                              \
        case IR_TRUNC: return of_##t(trunc##f(a[0].t));                                            \
        case IR_RINT: return of_##t(rint##f(a[0].t));                                              \
        case IR_ROUND: return of_##t(kata_round_##t(a[0].t));                                      \
        case IR_COPYSIGN: return of_##t(kata_copysign_##t(a[0].t, a[1].t));                        \
        case IR_FMIN: return of_##t(kata_fmin_##t(a[0].t, a[1].t));                                \
        case IR_FMAX: return of_##t(kata_fmax_##t(a[0].t, a[1].t));                                \
        case IR_FMOD: return of_##t(kata_fmod_##t(a[0].t, a[1].t));                                \
        case IR_HYPOT: return of_##t(kata_hypot_##t(a[0].t, a[1].t));                              \
        case IR_EXP: return of_##t(kata_exp_##t(a[0].t));                                          \
        case IR_EXP2: return of_##t(kata_exp2_##t(a[0].t));                                        \
        case IR_EXPM1: return of_##t(kata_expm1_##t(a[0].t));                                      \
        case IR_LOG: return of_##t(kata_log_##t(a[0].t));                                          \
        case IR_LOG2: return of_##t(kata_log2_##t(a[0].t));                                        \
        case IR_LOG10: return of_##t(kata_log10_##t(a[0].t));                                      \
        case IR_LOG1P: return of_##t(kata_log1p_##t(a[0].t));                                      \
        case IR_POW: return of_##t(kata_pow_##t(a[0].t, a[1].t));                                  \
        case IR_SIN: return of_##t(kata_sin_##t(a[0].t));                                          \
        case IR_COS: return of_##t(kata_cos_##t(a[0].t));                                          \
        case IR_TAN: return of_##t(kata_tan_##t(a[0].t));                                          \
        case IR_ASIN: return of_##t(kata_asin_##t(a[0].t));                                        \
        case IR_ACOS: return of_##t(kata_acos_##t(a[0].t));                                        \
        case IR_ATAN: return of_##t(kata_atan_##t(a[0].t));                                        \
        case IR_ATAN2: return of_##t(kata_atan2_##t(a[0].t, a[1].t));                              \
        case IR_SINH: return of_##t(kata_sinh_##t(a[0].t));                                        \
        case IR_COSH: return of_##t(kata_cosh_##t(a[0].t));                                        \
        case IR_TANH: return of_##t(kata_tanh_##t(a[0].t));                                        \
        case IR_CBRT: return of_##t(kata_cbrt_##t(a[0].t));                                        \
        case IR_ERF: return of_##t(kata_erf_##t(a[0].t));                                          \
        default: return of_##t(0);                                                                 \
        }                                                                                          \
    }

EVALUATE_FLOATING(f32, f)
EVALUATE_FLOATING(f64, )

ir_value ir_evaluate(ir_op op, ir_type type, ir_type operand, const ir_value *args)
{
    if (op == IR_SELECT) return args[0].i32 ? args[1] : args[2];
    if (op == IR_MIX) return of_i64(kata_mix_i64(args[0].i64, args[1].i64));
    if (op == IR_CONVERT) return ir_convert(type, operand, args[0]);
    switch (operand) {
    case IR_BOOL: return evaluate_bool(op, args);
    case IR_I32: return evaluate_i32(op, args);
    case IR_I64: return evaluate_i64(op, args);
    case IR_F32: return evaluate_f32(op, args);
    default: return evaluate_f64(op, args);
    }
}

int64_t ir_repetition(int64_t outer, int64_t iteration)
{
    return kata_add_i64(kata_mul_i64(outer, 1048583), iteration + 1);
}

int64_t ir_random_position(int64_t repetition, int call)
{
    return kata_add_i64(kata_shl_i64(repetition, 20), call);
}

static ir_value largest(ir_type type)
{
    switch (type) {
    case IR_I32: return of_i32(INT32_MAX);
    case IR_I64: return of_i64(INT64_MAX);
    case IR_F32: return of_f32(INFINITY);
    default: return of_f64((double)INFINITY);
    }
}

static ir_value smallest(ir_type type)
{
    switch (type) {
    case IR_I32: return of_i32(INT32_MIN);
    case IR_I64: return of_i64(INT64_MIN);
    case IR_F32: return of_f32(-INFINITY);
    default: return of_f64((double)-INFINITY);
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
