/* Sums over points beyond a side with KATA_LINEAR: the weight of the rule's value times it, then
 * for each point, the one at the side first, its weight times its value is added. Weights and value
 * are rounded to the type of the sum; each product and each sum is rounded to it. */
#include "grid/grid.h"

#include "ir/ir.h"

#define BEGIN(T, sums)                                                                             \
    {                                                                                              \
        T first = (T)source->weights[source->count] * (T)source->value;                            \
        for (int64_t i = 0; i < count; i++) (sums)[i] = first;                                     \
    }

void grid_sums_begin(const grid_source *source, kata_type stored, grid_sums *sums, int64_t count)
{
    if (stored == KATA_F64)
        BEGIN(double, sums->f64)
    else
        BEGIN(float, sums->f32)
}

#define ADD(T, sums, element)                                                                      \
    {                                                                                              \
        T weight = (T)source->weights[k];                                                          \
        for (int64_t i = 0; i < count; i++) {                                                      \
            T product = weight * (element);                                                        \
            (sums)[i] += product;                                                                  \
        }                                                                                          \
    }

void grid_sums_add(const grid_source *source, int k, kata_type stored, const void *elements,
                   grid_sums *sums, int64_t count)
{
    const char *bytes = elements;
    int64_t size = ir_storages[stored].bytes;
    if (stored == KATA_F64)
        ADD(double, sums->f64, ((const double *)elements)[i])
    else if (stored == KATA_F32)
        ADD(float, sums->f32, ((const float *)elements)[i])
    else
        ADD(float, sums->f32, ir_storage_read(stored, IR_F32, bytes + i * size).f32)
}

void grid_sums_store(kata_type stored, const grid_sums *sums, void *elements, int64_t count)
{
    char *bytes = elements;
    int64_t size = ir_storages[stored].bytes;
    ir_type type = stored == KATA_F64 ? IR_F64 : IR_F32;
    for (int64_t i = 0; i < count; i++) {
        ir_value sum = {0};
        if (stored == KATA_F64)
            sum.f64 = sums->f64[i];
        else
            sum.f32 = sums->f32[i];
        ir_storage_write(stored, type, sum, bytes + i * size);
    }
}
