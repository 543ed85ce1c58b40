/* Values made of C numbers, and converted. */
#include "ir/value.h"

#include "ir/arithmetic.h"

ir_value ir_value_of_double(ir_type type, double x)
{
    switch (type) {
    case IR_BOOL: return value_of_i32(x != 0);
    case IR_U8: return value_of_i32(kata_u8_of_f64(x));
    case IR_U16: return value_of_i32(kata_u16_of_f64(x));
    case IR_I16: return value_of_i32(kata_i16_of_f64(x));
    case IR_I32: return value_of_i32(kata_i32_of_f64(x));
    case IR_I64: return value_of_i64(kata_i64_of_f64(x));
    case IR_F32: return value_of_f32((float)x);
    default: return value_of_f64(x);
    }
}

ir_value ir_value_of_int(ir_type type, int64_t x)
{
    switch (type) {
    case IR_BOOL: return value_of_i32(x != 0);
    case IR_U8: return value_of_i32(kata_u8_of_i64(x));
    case IR_U16: return value_of_i32(kata_u16_of_i64(x));
    case IR_I16: return value_of_i32(kata_i16_of_i64(x));
    case IR_I32: return value_of_i32((int32_t)(uint32_t)(uint64_t)x);
    case IR_I64: return value_of_i64(x);
    case IR_F32: return value_of_f32((float)x);
    default: return value_of_f64((double)x);
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
