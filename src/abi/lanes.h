/* The lanes of a reduction: rounds over all of them, which combine each with the next contribution,
 * and the tree over them: lane l with lane l + 16, then with l + 8, .., l + 1. The library includes
 * this file, and generated code contains its text. Each step is a loop of its own that is declared
 * to run in vectors: otherwise gcc 12 computes number by number. */

#ifndef KATA_SIDE_BY_SIDE
#define KATA_SIDE_BY_SIDE _Pragma("omp simd")
#endif

_Static_assert(ABI_LANES == 32, "the trees below are of so many lanes");

#define KATA_TREE_STEP(HALF, to, from, t, op)                                                      \
    KATA_SIDE_BY_SIDE for (int l = 0; l < HALF; l++) to[l] =                                       \
        kata_##op##_##t(from[l], from[l + HALF]);

#define KATA_TREE(T, t, op)                                                                        \
    static inline __attribute__((unused, always_inline)) T kata_##op##_lanes_##t(const T *lane)    \
    {                                                                                              \
        T a[16], b[8], c[4], d[2];                                                                 \
        KATA_TREE_STEP(16, a, lane, t, op)                                                         \
        KATA_TREE_STEP(8, b, a, t, op)                                                             \
        KATA_TREE_STEP(4, c, b, t, op)                                                             \
        KATA_TREE_STEP(2, d, c, t, op)                                                             \
        return kata_##op##_##t(d[0], d[1]);                                                        \
    }

/* Contributions, the last round filled with neutral ones: combined in lanes from one of them on,
 * and those of a whole brick, of which the first are lanes by themselves. */
#define KATA_ROUNDS(T, t, op)                                                                      \
    static inline __attribute__((unused, always_inline)) void kata_##op##_rounds_##t(              \
        T *lane, const T *contribution, int64_t from, int64_t count)                               \
    {                                                                                              \
        for (int64_t round = from; round < count; round += ABI_LANES) {                            \
            KATA_SIDE_BY_SIDE for (int l = 0; l < ABI_LANES; l++) lane[l] =                        \
                kata_##op##_##t(lane[l], contribution[round + l]);                                 \
        }                                                                                          \
    }                                                                                              \
    static inline __attribute__((unused, always_inline))                                           \
    T kata_##op##_brick_##t(const T *contribution, int64_t count)                                  \
    {                                                                                              \
        T lane[ABI_LANES];                                                                         \
        KATA_SIDE_BY_SIDE for (int l = 0; l < ABI_LANES; l++) lane[l] = contribution[l];           \
        kata_##op##_rounds_##t(lane, contribution, ABI_LANES, count);                              \
        return kata_##op##_lanes_##t(lane);                                                        \
    }

#define KATA_LANES(T, t, op)                                                                       \
    KATA_TREE(T, t, op)                                                                            \
    KATA_ROUNDS(T, t, op)

#define KATA_LANES_OF(T, t)                                                                        \
    KATA_LANES(T, t, add)                                                                          \
    KATA_LANES(T, t, least)                                                                        \
    KATA_LANES(T, t, greatest)

static inline __attribute__((unused, always_inline)) float kata_add_f32(float a, float b)
{
    return a + b;
}

static inline __attribute__((unused, always_inline)) double kata_add_f64(double a, double b)
{
    return a + b;
}

KATA_LANES_OF(float, f32)
KATA_LANES_OF(double, f64)
KATA_LANES_OF(int32_t, i32)
KATA_LANES_OF(int64_t, i64)

#undef KATA_TREE_STEP
#undef KATA_TREE
#undef KATA_ROUNDS
#undef KATA_LANES
#undef KATA_LANES_OF
