/* Reductions as exec.h defines them, with lanes in vectors.
 *
 * A brick that is not full is padded with the neutral start, which changes no bit of what it is
 * combined with: x + -0.0 is x for every x. */
#include "exec/exec.h"

#include "ir/arithmetic.h"

#include <string.h>

/* Code for several widths of vectors, chosen when the library is loaded; sanitizers run before such
 * a choice can be made. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__OPTIMIZE__) &&                      \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#if defined(__has_feature)
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
#define VECTOR_WIDTHS __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#else
#define VECTOR_WIDTHS __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#endif
#ifndef VECTOR_WIDTHS
#define VECTOR_WIDTHS
#endif

#define ADD(a, b) ((a) + (b))

/* T NAME(x, count, start): the first `count` contributions of a brick, a multiple of EXEC_LANES;
 * the others are neutral. */
#define REDUCE_BRICK(NAME, T, COMBINE)                                                             \
    VECTOR_WIDTHS static T NAME(const T *x, int count, T start)                                    \
    {                                                                                              \
        T lane[EXEC_LANES];                                                                        \
        for (int l = 0; l < EXEC_LANES; l++) lane[l] = start;                                      \
        for (int step = 0; step < count; step += EXEC_LANES) {                                     \
            for (int l = 0; l < EXEC_LANES; l++) lane[l] = COMBINE(lane[l], x[step + l]);          \
        }                                                                                          \
        for (int half = EXEC_LANES / 2; half >= 1; half /= 2)                                      \
            for (int l = 0; l < half; l++) lane[l] = COMBINE(lane[l], lane[l + half]);             \
        return lane[0];                                                                            \
    }

REDUCE_BRICK(sum_f64, double, ADD)
REDUCE_BRICK(sum_f32, float, ADD)
REDUCE_BRICK(sum_i32, int32_t, kata_add_i32)
REDUCE_BRICK(sum_i64, int64_t, kata_add_i64)
REDUCE_BRICK(least_f64, double, kata_least_f64)
REDUCE_BRICK(least_f32, float, kata_least_f32)
REDUCE_BRICK(least_i32, int32_t, kata_least_i32)
REDUCE_BRICK(least_i64, int64_t, kata_least_i64)
REDUCE_BRICK(greatest_f64, double, kata_greatest_f64)
REDUCE_BRICK(greatest_f32, float, kata_greatest_f32)
REDUCE_BRICK(greatest_i32, int32_t, kata_greatest_i32)
REDUCE_BRICK(greatest_i64, int64_t, kata_greatest_i64)

/* What reduces a brick, by operation and type: sum, least, greatest. */
#define OF_OPERATION(op, t, x, count, start)                                                       \
    ((op) == IR_ADD     ? sum_##t((x), (count), (start).t)                                         \
     : (op) == IR_LEAST ? least_##t((x), (count), (start).t)                                       \
                        : greatest_##t((x), (count), (start).t))

static ir_value reduce_brick(const ir_param *param, const void *x, int count, ir_value start)
{
    ir_op op = ir_reduction_op(param);
    ir_value result = {0};
    switch (param->type) {
    case IR_F64: result.f64 = OF_OPERATION(op, f64, x, count, start); break;
    case IR_F32: result.f32 = OF_OPERATION(op, f32, x, count, start); break;
    case IR_I64: result.i64 = OF_OPERATION(op, i64, x, count, start); break;
    default: result.i32 = OF_OPERATION(op, i32, x, count, start); break;
    }
    return result;
}

/* A brick of which only the points from first to first + count - 1 contribute: padded with neutral
 * values to whole steps of all lanes. Steps without a contribution are left out. */
static ir_value reduce_part(const ir_param *param, const void *x, int first, int count,
                            ir_value start)
{
    _Alignas(64) uint8_t padded[EXEC_BRICK * sizeof(ir_value)];
    size_t size = (size_t)ir_types[param->type].bytes;
    int before = first % EXEC_LANES, end = before + count;
    int total = (end + EXEC_LANES - 1) / EXEC_LANES * EXEC_LANES;
    for (int i = 0; i < before; i++) memcpy(padded + (size_t)i * size, &start, size);
    memcpy(padded + (size_t)before * size, x, (size_t)count * size);
    for (int i = end; i < total; i++) memcpy(padded + (size_t)i * size, &start, size);
    return reduce_brick(param, padded, total, start);
}

int64_t exec_brick(int64_t x)
{
    return x >= 0 ? x / EXEC_BRICK : -((EXEC_BRICK - 1 - x) / EXEC_BRICK);
}

void exec_reduce_row(const ir_param *param, const void *contributions, int64_t x_lo, int64_t x_hi,
                     ir_value *partials)
{
    ir_value start = ir_reduction_start(param);
    const char *x = contributions;
    for (int64_t at = x_lo; at < x_hi;) {
        int first = (int)(at - exec_brick(at) * EXEC_BRICK);
        int64_t end = at - first + EXEC_BRICK < x_hi ? at - first + EXEC_BRICK : x_hi;
        int count = (int)(end - at);
        *partials++ = count == EXEC_BRICK ? reduce_brick(param, x, EXEC_BRICK, start)
                                          : reduce_part(param, x, first, count, start);
        x += count * ir_types[param->type].bytes;
        at = end;
    }
}

void exec_reduce_lanes(const ir_param *param, const void *lanes, int64_t bricks, ir_value *partials)
{
    ir_value start = ir_reduction_start(param);
    int64_t bytes = EXEC_LANES * ir_types[param->type].bytes;
    for (int64_t b = 0; b < bricks; b++)
        partials[b] = reduce_brick(param, (const char *)lanes + b * bytes, EXEC_LANES, start);
}

/* Far beyond all indices, and a multiple of all nodes: added to them it makes the trees below 0 and
 * from 0 on the two halves of one. */
static const int64_t CENTRE = (int64_t)1 << 60;

/* The tree over `count` values whose first has global index `first`; the result is values[0]. */
static void combine_tree(const ir_param *param, ir_value *values, int64_t first, int64_t count)
{
    first += CENTRE;
    while (count > 1) {
        int64_t made = 0, parents = (first + count - 1) / 2 - first / 2 + 1;
        for (int64_t i = 0; made < parents; made++) {
            bool whole = (first + i) % 2 == 0 && i + 1 < count;
            values[made] = whole ? ir_reduce(param, values[i], values[i + 1]) : values[i];
            i += whole ? 2 : 1;
        }
        first /= 2;
        count = parents;
    }
}

/* Combines along a dimension: `rows` rows of `count` values become one value each. */
static void combine_rows(const ir_param *param, ir_value *values, int64_t rows, int64_t first,
                         int64_t count)
{
    for (int64_t r = 0; r < rows; r++) {
        combine_tree(param, values + r * count, first, count);
        values[r] = values[r * count];
    }
}

ir_value exec_reduce_box(const ir_param *param, const grid_box *bricks, ir_value *partials)
{
    ir_value result = ir_reduction_start(param);
    if (!grid_box_is_empty(bricks)) {
        int64_t rows = grid_box_points(bricks);
        for (int d = 0; d < 3; d++) {
            int64_t count = bricks->hi[d] - bricks->lo[d];
            rows /= count;
            combine_rows(param, partials, rows, bricks->lo[d], count);
        }
        result = partials[0];
    }
    return param->kind == IR_PARAM_SUM ? ir_reduce(param, ir_value_of_int(param->type, 0), result)
                                       : result;
}
