/* The tree over the lanes of a reduction: lane l with lane l + 16, then with l + 8, .., l + 1. The
 * library includes this file, and generated code contains its text. Each step is a loop of its own
 * that is declared to run in vectors: otherwise gcc 12 computes number by number. */

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

#define KATA_TREES(T, t)                                                                           \
    KATA_TREE(T, t, add)                                                                           \
    KATA_TREE(T, t, least)                                                                         \
    KATA_TREE(T, t, greatest)

static inline __attribute__((unused, always_inline)) float kata_add_f32(float a, float b)
{
    return a + b;
}

static inline __attribute__((unused, always_inline)) double kata_add_f64(double a, double b)
{
    return a + b;
}

KATA_TREES(float, f32)
KATA_TREES(double, f64)
KATA_TREES(int32_t, i32)
KATA_TREES(int64_t, i64)

#undef KATA_TREE_STEP
#undef KATA_TREE
#undef KATA_TREES
