/* Antisymmetric steps, x = 2*v - x, in each storage type. A step on coded elements computes in the
 * type of ir_storage_info and rounds its result to storage. */
#include "grid/grid.h"

#include "ir/arithmetic.h"
#include "ir/ir.h"

#define STEP(T, member, TWICE, DIFFERENCE)                                                         \
    {                                                                                              \
        T v = ir_value_of_double(type, value).member, *x = elements;                               \
        T twice = TWICE;                                                                           \
        for (int64_t i = 0; i < count; i++) x[i] = DIFFERENCE;                                     \
        break;                                                                                     \
    }

#define CODED_STEP(T, t, storage)                                                                  \
    {                                                                                              \
        T v, *x = elements;                                                                        \
        ir_storage_write(stored, IR_F64, ir_value_of_double(IR_F64, value), &v);                   \
        for (int64_t i = 0; i < count; i++)                                                        \
            x[i] = kata_##storage##_of_##t(2 * kata_##t##_of_##storage(v) -                        \
                                           kata_##t##_of_##storage(x[i]));                         \
        break;                                                                                     \
    }

static void undo_step(kata_type stored, double value, void *elements, int64_t count)
{
    ir_type type = ir_type_of_storage(stored);
    switch (stored) {
    case KATA_F64: STEP(double, f64, 2 * v, twice - x[i])
    case KATA_F32: STEP(float, f32, 2 * v, twice - x[i])
    case KATA_I64: STEP(int64_t, i64, kata_mul_i64(2, v), kata_sub_i64(twice, x[i]))
    case KATA_I32: STEP(int32_t, i32, kata_mul_i32(2, v), kata_sub_i32(twice, x[i]))
    case KATA_U8: CODED_STEP(uint8_t, i32, u8)
    case KATA_U16: CODED_STEP(uint16_t, i32, u16)
    case KATA_I16: CODED_STEP(int16_t, i32, i16)
    case KATA_F16: CODED_STEP(uint16_t, f32, f16)
    case KATA_BF16: CODED_STEP(uint16_t, f32, bf16)
    case KATA_UNORM8: CODED_STEP(uint8_t, f32, unorm8)
    }
}

void grid_undo_steps(const grid_source *source, kata_type stored, void *elements, int64_t count)
{
    for (int64_t k = source->steps - 1; k >= 0; k--)
        undo_step(stored, source->step_value[k % 2], elements, count);
}
