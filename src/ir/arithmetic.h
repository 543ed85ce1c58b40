/* The arithmetic that C leaves undefined, defined: integers wrap, x/0 and x%0 are 0, shift counts
 * are taken modulo the width, floating point to integer saturates and takes NaN to 0; and the order
 * in which reductions find the least and the greatest. Included by the library and pasted in front
 * of generated code: needs only int32_t and int64_t to be defined. Free of branches where it can
 * be, so that loops vectorise. */

#define KATA_INLINE static inline __attribute__((unused, always_inline))

#define KATA_INTEGER(T, t, U, BITS)                                                                \
    KATA_INLINE T kata_add_##t(T a, T b) { return (T)((U)a + (U)b); }                              \
    KATA_INLINE T kata_sub_##t(T a, T b) { return (T)((U)a - (U)b); }                              \
    KATA_INLINE T kata_mul_##t(T a, T b) { return (T)((U)a * (U)b); }                              \
    KATA_INLINE T kata_neg_##t(T a) { return (T)(0 - (U)a); }                                      \
    KATA_INLINE T kata_abs_##t(T a) { return a < 0 ? kata_neg_##t(a) : a; }                        \
    KATA_INLINE T kata_div_##t(T a, T b)                                                           \
    {                                                                                              \
        T q = a / (b == 0 || b == -1 ? 1 : b);                                                     \
        return b == 0 ? 0 : b == -1 ? kata_neg_##t(a) : q;                                         \
    }                                                                                              \
    KATA_INLINE T kata_rem_##t(T a, T b)                                                           \
    {                                                                                              \
        T r = a % (b == 0 || b == -1 ? 1 : b);                                                     \
        return b == 0 || b == -1 ? 0 : r;                                                          \
    }                                                                                              \
    KATA_INLINE T kata_shl_##t(T a, T b) { return (T)((U)a << ((U)b & (BITS - 1))); }              \
    KATA_INLINE T kata_shr_##t(T a, T b) { return a >> ((U)b & (BITS - 1)); }                      \
    KATA_INLINE T kata_least_##t(T a, T b) { return b < a ? b : a; }                               \
    KATA_INLINE T kata_greatest_##t(T a, T b) { return a < b ? b : a; }

KATA_INTEGER(int32_t, i32, __UINT32_TYPE__, 32)
KATA_INTEGER(int64_t, i64, __UINT64_TYPE__, 64)

/* fmin, fmax: the other operand where one is NaN. Of equal operands the second. The sign of a NaN,
 * which processors and compilers set as they like, counts as positive. */
#define KATA_FLOATING(T, t, copysign)                                                              \
    KATA_INLINE T kata_fmin_##t(T a, T b) { return a < b || b != b ? a : b; }                      \
    KATA_INLINE T kata_fmax_##t(T a, T b) { return b < a || b != b ? a : b; }                      \
    KATA_INLINE T kata_copysign_##t(T a, T b) { return copysign(a, b != b ? (T)0 : b); }           \
    KATA_INLINE T kata_least_##t(T a, T b)                                                         \
    {                                                                                              \
        T lower = a < b ? a : b, zero = copysign((T)1, a) < 0 ? a : b;                             \
        T ordered = a == b ? zero : lower;                                                         \
        return a != a ? a : b != b ? b : ordered;                                                  \
    }                                                                                              \
    KATA_INLINE T kata_greatest_##t(T a, T b)                                                      \
    {                                                                                              \
        T upper = b < a ? a : b, zero = copysign((T)1, a) < 0 ? b : a;                             \
        T ordered = a == b ? zero : upper;                                                         \
        return a != a ? a : b != b ? b : ordered;                                                  \
    }

KATA_FLOATING(float, f32, __builtin_copysignf)
KATA_FLOATING(double, f64, __builtin_copysign)

/* Number b (from 0) of the sequence that SplitMix64 makes from seed a (Steele, Lea and Flood, Fast
 * splittable pseudorandom number generators, OOPSLA 2014). */
KATA_INLINE int64_t kata_mix_i64(int64_t a, int64_t b)
{
    __UINT64_TYPE__ z = (__UINT64_TYPE__)a + ((__UINT64_TYPE__)b + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (int64_t)(z ^ (z >> 31));
}

KATA_INLINE int32_t kata_i32_of_f64(double x)
{
    double y = x < 2147483647.0 ? x : 2147483647.0;
    double z = y > -2147483648.0 ? y : -2147483648.0;
    int32_t i = (int32_t)z;
    return x != x ? 0 : i;
}

KATA_INLINE int64_t kata_i64_of_f64(double x)
{
    const double high = 9223372036854774784.0; /* the largest double below 2^63 */
    double y = x < high ? x : high;
    double z = y > -9223372036854775808.0 ? y : -9223372036854775808.0;
    int64_t i = (int64_t)z;
    return x != x ? 0 : x > high ? 0x7fffffffffffffff : i;
}

KATA_INLINE int32_t kata_i32_of_f32(float x) { return kata_i32_of_f64((double)x); }
KATA_INLINE int64_t kata_i64_of_f32(float x) { return kata_i64_of_f64((double)x); }

#undef KATA_INTEGER
#undef KATA_FLOATING
#undef KATA_INLINE
