/* Private to ir: values from C numbers. */
#ifndef IR_VALUE_H
#define IR_VALUE_H

#include "ir/type.h"

static inline ir_value value_of_i32(int32_t x) { return (ir_value){.bits = (uint32_t)x}; }
static inline ir_value value_of_i64(int64_t x) { return (ir_value){.i64 = x}; }
static inline ir_value value_of_f64(double x) { return (ir_value){.f64 = x}; }

static inline ir_value value_of_f32(float x)
{
    ir_value v = {0};
    v.f32 = x;
    return v;
}

#endif
