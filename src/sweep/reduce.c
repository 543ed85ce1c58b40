/* Reductions as reduce.h defines them, with lanes in vectors.
 *
 * A brick that is not full is padded with the neutral start, which changes no bit of what it is
 * combined with: x + -0.0 is x for every x. */
#include "sweep/reduce.h"

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

#define KATA_SIDE_BY_SIDE
#include "abi/lanes.h"

/* add_f64_of_lanes: the trees over the lanes of bricks. */
#define REDUCE_LANES(OP, T, t)                                                                     \
    VECTOR_WIDTHS static void OP##_##t##_of_lanes(const T *lane, int64_t bricks, ir_value *out)    \
    {                                                                                              \
        for (int64_t i = 0; i < bricks; i++, lane += ABI_LANES) {                                  \
            out[i] = (ir_value){0};                                                                \
            out[i].t = kata_##OP##_lanes_##t(lane);                                                \
        }                                                                                          \
    }

/* Says of a loop that vectors of results may be written before later ones are read. */
#ifdef __clang__
#define IN_PLACE _Pragma("clang loop vectorize(assume_safety)")
#else
#define IN_PLACE _Pragma("GCC ivdep")
#endif

/* add_f64_of_pairs: values that follow one another, combined two by two. `to` may be `from`: a
 * vector of results lies at or before the values that it is made of, and no later one needs those.
 */
#define REDUCE_PAIRS(OP, T, t)                                                                     \
    VECTOR_WIDTHS static void OP##_##t##_of_pairs(const ir_value *from, int64_t pairs,             \
                                                  ir_value *to)                                    \
    {                                                                                              \
        IN_PLACE for (int64_t i = 0; i < pairs; i++)                                               \
        {                                                                                          \
            T both = kata_##OP##_##t(from[2 * i].t, from[2 * i + 1].t);                            \
            to[i] = (ir_value){0};                                                                 \
            to[i].t = both;                                                                        \
        }                                                                                          \
    }

/* add_f64_of_rows: `count` elements of two rows, one by one. `to` may be the first row. */
#define REDUCE_ROWS(OP, T, t)                                                                      \
    VECTOR_WIDTHS static void OP##_##t##_of_rows(const T *a, const T *b, int64_t count, T *to)     \
    {                                                                                              \
        IN_PLACE for (int64_t i = 0; i < count; i++) to[i] = kata_##OP##_##t(a[i], b[i]);          \
    }

/* add_f64_of_brick: the first `count` contributions of a brick, a multiple of ABI_LANES; the
 * others are neutral. */
#define REDUCE_BRICK(OP, T, t)                                                                     \
    VECTOR_WIDTHS static T OP##_##t##_of_brick(const T *x, int count, T start)                     \
    {                                                                                              \
        T lane[ABI_LANES];                                                                         \
        for (int l = 0; l < ABI_LANES; l++) lane[l] = start;                                       \
        for (int step = 0; step < count; step += ABI_LANES) {                                      \
            for (int l = 0; l < ABI_LANES; l++) lane[l] = kata_##OP##_##t(lane[l], x[step + l]);   \
        }                                                                                          \
        return kata_##OP##_lanes_##t(lane);                                                        \
    }

#define REDUCE_BY(OP, T, t)                                                                        \
    REDUCE_LANES(OP, T, t)                                                                         \
    REDUCE_PAIRS(OP, T, t)                                                                         \
    REDUCE_ROWS(OP, T, t)                                                                          \
    REDUCE_BRICK(OP, T, t)

#define REDUCE_TYPE(T, t)                                                                          \
    REDUCE_BY(add, T, t)                                                                           \
    REDUCE_BY(least, T, t)                                                                         \
    REDUCE_BY(greatest, T, t)

REDUCE_TYPE(double, f64)
REDUCE_TYPE(float, f32)
REDUCE_TYPE(int32_t, i32)
REDUCE_TYPE(int64_t, i64)

/* Calls one of them, by operation. */
#define OF_OPERATION(op, t, WHAT, ...)                                                             \
    ((op) == IR_ADD     ? add_##t##_of_##WHAT(__VA_ARGS__)                                         \
     : (op) == IR_LEAST ? least_##t##_of_##WHAT(__VA_ARGS__)                                       \
                        : greatest_##t##_of_##WHAT(__VA_ARGS__))

static ir_value reduce_brick(const ir_param *param, const void *x, int count, ir_value start)
{
    ir_op op = ir_reduction_op(param);
    ir_value result = {0};
    switch (param->type) {
    case IR_F64: result.f64 = OF_OPERATION(op, f64, brick, x, count, start.f64); break;
    case IR_F32: result.f32 = OF_OPERATION(op, f32, brick, x, count, start.f32); break;
    case IR_I64: result.i64 = OF_OPERATION(op, i64, brick, x, count, start.i64); break;
    default: result.i32 = OF_OPERATION(op, i32, brick, x, count, start.i32); break;
    }
    return result;
}

/* A brick of which only the points from first to first + count - 1 contribute: padded with neutral
 * values to whole steps of all lanes. Steps without a contribution are left out. */
static ir_value reduce_part(const ir_param *param, const void *x, int first, int count,
                            ir_value start)
{
    _Alignas(64) uint8_t padded[ABI_BRICK * sizeof(ir_value)];
    size_t size = (size_t)ir_types[param->type].bytes;
    int before = first % ABI_LANES, end = before + count;
    int total = (end + ABI_LANES - 1) / ABI_LANES * ABI_LANES;
    for (int i = 0; i < before; i++) memcpy(padded + (size_t)i * size, &start, size);
    memcpy(padded + (size_t)before * size, x, (size_t)count * size);
    for (int i = end; i < total; i++) memcpy(padded + (size_t)i * size, &start, size);
    return reduce_brick(param, padded, total, start);
}

void sweep_reduce_start(const ir_param *param, void *elements, int64_t count)
{
    ir_value start = ir_reduction_start(param);
    if (ir_types[param->type].bytes == 8)
        for (int64_t i = 0; i < count; i++) ((int64_t *)elements)[i] = start.i64;
    else
        for (int64_t i = 0; i < count; i++) ((int32_t *)elements)[i] = start.i32;
}

int64_t sweep_brick(int64_t x)
{
    return x >= 0 ? x / ABI_BRICK : -((ABI_BRICK - 1 - x) / ABI_BRICK);
}

void sweep_reduce_row(const ir_param *param, const void *contributions, int64_t x_lo, int64_t x_hi,
                      ir_value *partials)
{
    ir_value start = ir_reduction_start(param);
    const char *x = contributions;
    for (int64_t at = x_lo; at < x_hi;) {
        int first = (int)(at - sweep_brick(at) * ABI_BRICK);
        int64_t end = at - first + ABI_BRICK < x_hi ? at - first + ABI_BRICK : x_hi;
        int count = (int)(end - at);
        *partials++ = count == ABI_BRICK ? reduce_brick(param, x, ABI_BRICK, start)
                                         : reduce_part(param, x, first, count, start);
        x += count * ir_types[param->type].bytes;
        at = end;
    }
}

void sweep_reduce_lanes(const ir_param *param, const void *lanes, int64_t bricks,
                        ir_value *partials)
{
    ir_op op = ir_reduction_op(param);
    switch (param->type) {
    case IR_F64: OF_OPERATION(op, f64, lanes, lanes, bricks, partials); break;
    case IR_F32: OF_OPERATION(op, f32, lanes, lanes, bricks, partials); break;
    case IR_I64: OF_OPERATION(op, i64, lanes, lanes, bricks, partials); break;
    default: OF_OPERATION(op, i32, lanes, lanes, bricks, partials); break;
    }
}

static void reduce_pairs(const ir_param *param, const ir_value *from, int64_t pairs, ir_value *to)
{
    ir_op op = ir_reduction_op(param);
    switch (param->type) {
    case IR_F64: OF_OPERATION(op, f64, pairs, from, pairs, to); break;
    case IR_F32: OF_OPERATION(op, f32, pairs, from, pairs, to); break;
    case IR_I64: OF_OPERATION(op, i64, pairs, from, pairs, to); break;
    default: OF_OPERATION(op, i32, pairs, from, pairs, to); break;
    }
}

/* Far beyond all indices, and a multiple of all nodes: added to them it makes the trees below 0 and
 * from 0 on the two halves of one. */
static const int64_t CENTRE = (int64_t)1 << 60;

/* A level of a tree over `count` values whose first has global index `first`: one that is alone at
 * the beginning, pairs, and one that is left at the end. */
typedef struct tree_level {
    int64_t alone, pairs, rest;
} tree_level;

static tree_level level_of(int64_t first, int64_t count)
{
    int64_t alone = first % 2;
    return (tree_level){alone, (count - alone) / 2, (count - alone) % 2};
}

/* The tree over `count` values whose first has global index `first`; the result is values[0]. */
static void combine_tree(const ir_param *param, ir_value *values, int64_t first, int64_t count)
{
    first += CENTRE;
    for (; count > 1; first /= 2) {
        tree_level level = level_of(first, count);
        reduce_pairs(param, values + level.alone, level.pairs, values + level.alone);
        if (level.rest) values[level.alone + level.pairs] = values[count - 1];
        count = level.alone + level.pairs + level.rest;
    }
}

/* Combines along a dimension: `rows` rows of `count` values become one value each. */
static void combine_rows(const ir_param *param, ir_value *values, int64_t rows, int64_t first,
                         int64_t count)
{
    for (int64_t r = 0; r < rows && count > 1; r++) {
        combine_tree(param, values + r * count, first, count);
        values[r] = values[r * count];
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

void sweep_reduce_rows(const ir_param *param, const void *a, const void *b, int64_t count, void *to)
{
    ir_op op = ir_reduction_op(param);
    switch (param->type) {
    case IR_F64: OF_OPERATION(op, f64, rows, a, b, count, to); break;
    case IR_F32: OF_OPERATION(op, f32, rows, a, b, count, to); break;
    case IR_I64: OF_OPERATION(op, i64, rows, a, b, count, to); break;
    default: OF_OPERATION(op, i32, rows, a, b, count, to); break;
    }
}

/* 0 changes no integer. */
void sweep_reduce_end_row(const ir_param *param, int64_t count, void *row)
{
    bool sums = param->kind == IR_PARAM_SUM;
    double *f64 = row;
    float *f32 = row;
    for (int64_t i = 0; i < count && sums && param->type == IR_F64; i++) f64[i] = 0 + f64[i];
    for (int64_t i = 0; i < count && sums && param->type == IR_F32; i++) f32[i] = 0 + f32[i];
}

/* As combine_tree, of rows that lie `pitch` bytes apart. */
void sweep_reduce_row_tree(const ir_param *param, void *rows, int64_t pitch, int64_t first,
                           int64_t count, int64_t points)
{
    char *row = rows;
    size_t bytes = (size_t)(points * ir_types[param->type].bytes);
    first += CENTRE;
    for (; count > 1; first /= 2) {
        tree_level level = level_of(first, count);
        int64_t whole = level.alone + level.pairs;
        for (int64_t i = 0; i < level.pairs; i++) {
            char *from = row + (level.alone + 2 * i) * pitch;
            sweep_reduce_rows(param, from, from + pitch, points, row + (level.alone + i) * pitch);
        }
        if (level.rest && whole != count - 1)
            memcpy(row + whole * pitch, row + (count - 1) * pitch, bytes);
        count = whole + level.rest;
    }
}

void sweep_reduce_plane(const ir_param *param, const grid_box *bricks, ir_value *partials)
{
    int64_t nx = bricks->hi[0] - bricks->lo[0], ny = bricks->hi[1] - bricks->lo[1];
    combine_rows(param, partials, ny, bricks->lo[0], nx);
    combine_rows(param, partials, 1, bricks->lo[1], ny);
}

ir_value sweep_reduce_box(const ir_param *param, const grid_box *bricks, ir_value *partials)
{
    ir_value result = ir_reduction_start(param);
    if (!grid_box_is_empty(bricks)) {
        int64_t planes = bricks->hi[2] - bricks->lo[2], each = grid_box_points(bricks) / planes;
        for (int64_t z = 0; z < planes; z++) {
            sweep_reduce_plane(param, bricks, partials + z * each);
            partials[z] = partials[z * each];
        }
        combine_rows(param, partials, 1, bricks->lo[2], planes);
        result = partials[0];
    }
    return param->kind == IR_PARAM_SUM ? ir_reduce(param, ir_value_of_int(param->type, 0), result)
                                       : result;
}
