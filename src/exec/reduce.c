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

/* T NAME_of_lanes(lane): the tree over the lanes of a brick, a step of which is a loop of its own
 * so that it becomes vectors. */
#define REDUCE_LANES(NAME, T, COMBINE)                                                             \
    static inline T NAME##_of_lanes(const T *lane)                                                 \
    {                                                                                              \
        T a[16], b[8], c[4];                                                                       \
        for (int l = 0; l < 16; l++) a[l] = COMBINE(lane[l], lane[l + 16]);                        \
        for (int l = 0; l < 8; l++) b[l] = COMBINE(a[l], a[l + 8]);                                \
        for (int l = 0; l < 4; l++) c[l] = COMBINE(b[l], b[l + 4]);                                \
        T d = COMBINE(c[0], c[2]), e = COMBINE(c[1], c[3]);                                        \
        return COMBINE(d, e);                                                                      \
    }                                                                                              \
    VECTOR_WIDTHS static void NAME##_of_bricks(const T *lane, int64_t bricks, ir_value *out)       \
    {                                                                                              \
        for (int64_t i = 0; i < bricks; i++, lane += EXEC_LANES) {                                 \
            T all = NAME##_of_lanes(lane);                                                         \
            out[i] = (ir_value){0};                                                                \
            memcpy(&out[i], &all, sizeof all);                                                     \
        }                                                                                          \
    }

_Static_assert(EXEC_LANES == 32, "REDUCE_LANES knows it");

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
        return NAME##_of_lanes(lane);                                                              \
    }

#define REDUCE_BOTH(NAME, T, COMBINE)                                                              \
    REDUCE_LANES(NAME, T, COMBINE)                                                                 \
    REDUCE_BRICK(NAME, T, COMBINE)

REDUCE_BOTH(sum_f64, double, ADD)
REDUCE_BOTH(sum_f32, float, ADD)
REDUCE_BOTH(sum_i32, int32_t, kata_add_i32)
REDUCE_BOTH(sum_i64, int64_t, kata_add_i64)
REDUCE_BOTH(least_f64, double, kata_least_f64)
REDUCE_BOTH(least_f32, float, kata_least_f32)
REDUCE_BOTH(least_i32, int32_t, kata_least_i32)
REDUCE_BOTH(least_i64, int64_t, kata_least_i64)
REDUCE_BOTH(greatest_f64, double, kata_greatest_f64)
REDUCE_BOTH(greatest_f32, float, kata_greatest_f32)
REDUCE_BOTH(greatest_i32, int32_t, kata_greatest_i32)
REDUCE_BOTH(greatest_i64, int64_t, kata_greatest_i64)

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

void exec_reduce_start(const ir_param *param, void *elements, int64_t count)
{
    ir_value start = ir_reduction_start(param);
    if (ir_types[param->type].bytes == 8)
        for (int64_t i = 0; i < count; i++) ((int64_t *)elements)[i] = start.i64;
    else
        for (int64_t i = 0; i < count; i++) ((int32_t *)elements)[i] = start.i32;
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

#define BRICKS_OF_OPERATION(op, t)                                                                 \
    ((op) == IR_ADD     ? sum_##t##_of_bricks(lanes, bricks, partials)                             \
     : (op) == IR_LEAST ? least_##t##_of_bricks(lanes, bricks, partials)                           \
                        : greatest_##t##_of_bricks(lanes, bricks, partials))

void exec_reduce_lanes(const ir_param *param, const void *lanes, int64_t bricks, ir_value *partials)
{
    ir_op op = ir_reduction_op(param);
    switch (param->type) {
    case IR_F64: BRICKS_OF_OPERATION(op, f64); break;
    case IR_F32: BRICKS_OF_OPERATION(op, f32); break;
    case IR_I64: BRICKS_OF_OPERATION(op, i64); break;
    default: BRICKS_OF_OPERATION(op, i32); break;
    }
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
