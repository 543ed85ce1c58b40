/* The arithmetic that C leaves undefined, defined: integers wrap, x/0 and x%0 are 0, shift counts
 * are taken modulo the width, floating point to integer saturates and takes NaN to 0; the order in
 * which reductions find the least and the greatest; and the numbers of 8 and 16 bits that fields
 * are stored in. Included by the library and pasted in front of generated code: needs only int32_t
 * and int64_t to be defined. Free of branches where it can be, so that loops vectorise. */

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

/* The bits of a floating-point number, as an integer and back. */
#define KATA_BITS(T, t, I)                                                                         \
    KATA_INLINE I kata_bits_##t(T x)                                                               \
    {                                                                                              \
        I bits;                                                                                    \
        __builtin_memcpy(&bits, &x, sizeof bits);                                                  \
        return bits;                                                                               \
    }                                                                                              \
    KATA_INLINE T kata_of_bits_##t(I bits)                                                         \
    {                                                                                              \
        T x;                                                                                       \
        __builtin_memcpy(&x, &bits, sizeof x);                                                     \
        return x;                                                                                  \
    }

KATA_BITS(float, f32, int32_t)
KATA_BITS(double, f64, int64_t)

/* fmin, fmax: the other operand where one is NaN. Of equal operands the second. The sign of a NaN,
 * which processors and compilers set as they like, counts as positive. */
#define KATA_FLOATING(T, t, copysign)                                                              \
    KATA_INLINE T kata_fmin_##t(T a, T b) { return a < b || b != b ? a : b; }                      \
    KATA_INLINE T kata_fmax_##t(T a, T b) { return b < a || b != b ? a : b; }                      \
    KATA_INLINE T kata_copysign_##t(T a, T b) { return copysign(a, b != b ? (T)0 : b); }

KATA_FLOATING(float, f32, __builtin_copysignf)
KATA_FLOATING(double, f64, __builtin_copysign)

/* The order of reductions: -0 before 0, and NaN where an operand is one. Which of the operands a
 * comparison chooses, it chooses twice, the second time with the operands exchanged. Where they
 * differ both choices are the same; otherwise they are the two operands, of which all bits are
 * taken: of zeros either sign, of NaN and a number those of a NaN. The sign of the greatest is
 * set only where both are negative. */
#define KATA_ORDERED(T, t, I, ALL_BUT_SIGN)                                                        \
    KATA_INLINE T kata_least_##t(T a, T b)                                                         \
    {                                                                                              \
        T one = a < b ? a : b, other = b < a ? b : a;                                              \
        return kata_of_bits_##t(kata_bits_##t(one) | kata_bits_##t(other));                        \
    }                                                                                              \
    KATA_INLINE T kata_greatest_##t(T a, T b)                                                      \
    {                                                                                              \
        T one = a > b ? a : b, other = b > a ? b : a;                                              \
        I x = kata_bits_##t(one), y = kata_bits_##t(other);                                        \
        return kata_of_bits_##t((x | y) & ((x & y) | ALL_BUT_SIGN));                               \
    }

KATA_ORDERED(float, f32, int32_t, 0x7fffffff)
KATA_ORDERED(double, f64, int64_t, 0x7fffffffffffffff)

/* Number b (from 0) of the sequence that SplitMix64 makes from seed a (Steele, Lea and Flood, Fast
 * splittable pseudorandom number generators, OOPSLA 2014). */
KATA_INLINE int64_t kata_mix_i64(int64_t a, int64_t b)
{
    __UINT64_TYPE__ z = (__UINT64_TYPE__)a + ((__UINT64_TYPE__)b + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (int64_t)(z ^ (z >> 31));
}

/* Chosen by bits: compilers would convert both bounds, and choose among integers by conditions that
 * are twice as wide. */
KATA_INLINE int32_t kata_i32_of_f64(double x)
{
    int64_t inside = -(int64_t)(__builtin_fabs(x) < 2147483648.0);
    int64_t high = kata_bits_f64(2147483647.0) & -(int64_t)(x > 0);
    int64_t low = kata_bits_f64(-2147483648.0) & -(int64_t)(x < 0);
    return (int32_t)kata_of_bits_f64((kata_bits_f64(x) & inside) | ((high | low) & ~inside));
}

KATA_INLINE int64_t kata_i64_of_f64(double x)
{
    const double high = 9223372036854774784.0; /* the largest double below 2^63 */
    double y = x < high ? x : high;
    double z = y > -9223372036854775808.0 ? y : -9223372036854775808.0;
    int64_t i = (int64_t)z;
    return x != x ? 0 : x > high ? 0x7fffffffffffffff : i;
}

/* By one comparison in front of the conversion, and without double: half the instructions. */
KATA_INLINE int32_t kata_i32_of_f32(float x)
{
    int32_t i = (int32_t)(__builtin_fabsf(x) < 2147483648.0f ? x : 0); /* a NaN is 0 */
    return x >= 2147483648.0f ? 0x7fffffff : x <= -2147483648.0f ? -0x7fffffff - 1 : i;
}

KATA_INLINE int64_t kata_i64_of_f32(float x) { return kata_i64_of_f64((double)x); }

/* ---- u8, u16, i16: wrap as integers do, saturate from floating point ---- */

typedef __UINT8_TYPE__ kata_byte;
typedef __UINT16_TYPE__ kata_half;
typedef __INT16_TYPE__ kata_short;

#define KATA_SHORT_INTEGER(name, type, lowest, highest)                                            \
    KATA_INLINE int32_t kata_i32_of_##name(type x) { return x; }                                   \
    KATA_INLINE int64_t kata_i64_of_##name(type x) { return x; }                                   \
    KATA_INLINE type kata_##name##_of_##name(type x) { return x; }                                 \
    KATA_INLINE type kata_##name##_of_i32(int32_t x) { return (type)x; }                           \
    KATA_INLINE type kata_##name##_of_i64(int64_t x) { return (type)x; }                           \
    KATA_INLINE type kata_##name##_of_f64(double x)                                                \
    {                                                                                              \
        double y = x < highest ? x : highest;                                                      \
        double z = y > lowest ? y : lowest;                                                        \
        int32_t i = (int32_t)z;                                                                    \
        return (type)(x != x ? 0 : i);                                                             \
    }                                                                                              \
    KATA_INLINE type kata_##name##_of_f32(float x) { return kata_##name##_of_f64((double)x); }
KATA_SHORT_INTEGER(u8, kata_byte, 0.0, 255.0)
KATA_SHORT_INTEGER(u16, kata_half, 0.0, 65535.0)
KATA_SHORT_INTEGER(i16, kata_short, -32768.0, 32767.0)
#undef KATA_SHORT_INTEGER

/* Functions of many operations that large kernels need often, of which compilers then take a long
 * time for the text: they are called there, not inlined. */
#ifdef KATA_BRIEF
#define KATA_CALLED static __attribute__((unused, noinline))
#else
#define KATA_CALLED KATA_INLINE
#endif

/* ---- unorm8: a byte b that stands for b/255 ---- */

KATA_CALLED float kata_f32_of_unorm8(kata_byte x) { return (float)x / 255.0f; }
KATA_CALLED double kata_f64_of_unorm8(kata_byte x) { return (double)x / 255.0; }
KATA_CALLED kata_byte kata_unorm8_of_f32(float x)
{
    float y = x < 1.0f ? x : 1.0f;
    float z = y > 0.0f ? y : 0.0f;
    int32_t i = (int32_t)(z * 255.0f + 0.5f);
    return (kata_byte)(x != x ? 0 : i);
}
KATA_CALLED kata_byte kata_unorm8_of_f64(double x)
{
    double y = x < 1.0 ? x : 1.0;
    double z = y > 0.0 ? y : 0.0;
    int32_t i = (int32_t)(z * 255.0 + 0.5);
    return (kata_byte)(x != x ? 0 : i);
}

/* ---- f16, bf16: to nearest, ties to even; NaN stays NaN and becomes quiet ---- */

KATA_INLINE __UINT32_TYPE__ kata_word_of(float x)
{
    __UINT32_TYPE__ u;
    __builtin_memcpy(&u, &x, sizeof u);
    return u;
}

KATA_INLINE float kata_of_word(__UINT32_TYPE__ u)
{
    float x;
    __builtin_memcpy(&x, &u, sizeof x);
    return x;
}

/* Compilers of devices have instructions for these two. */
#ifndef KATA_HALVES
KATA_CALLED float kata_f32_of_f16(kata_half h)
{
    __UINT32_TYPE__ sign = (__UINT32_TYPE__)(h & 0x8000) << 16;
    __UINT32_TYPE__ digits = (__UINT32_TYPE__)(h & 0x7fff) << 13;
    __UINT32_TYPE__ normal = digits + 0x38000000u; /* (127 - 15) << 23 */
    __UINT32_TYPE__ special = digits | 0x7f800000u | (digits > 0x0f800000u ? 0x00400000u : 0u);
    __UINT32_TYPE__ tiny = kata_word_of((float)(int32_t)(h & 0x03ff) * 0x1p-24f);
    __UINT32_TYPE__ finite = digits < 0x00800000u ? tiny : normal;
    return kata_of_word(sign | (digits < 0x0f800000u ? finite : special));
}

/* Below 2^-14 there are steps of 2^-24: the digits, with the leading one, are shifted by what the
 * exponent lacks. 2^16 stands for all that is larger. */
KATA_CALLED kata_half kata_f16_of_f32(float x)
{
    __UINT32_TYPE__ u = kata_word_of(x), size = u & 0x7fffffffu;
    __UINT32_TYPE__ bounded = size < 0x47800000u ? size : 0x47800000u;
    __UINT32_TYPE__ normal = (bounded - 0x38000000u + 0x0fffu + ((bounded >> 13) & 1)) >> 13;
    __UINT32_TYPE__ lacks = 126 - (size >> 23), shift = lacks - 14 < 11 ? lacks : 25;
    __UINT32_TYPE__ digits = (size & 0x007fffffu) | 0x00800000u;
    __UINT32_TYPE__ below = ((__UINT32_TYPE__)1 << (shift - 1)) - 1;
    __UINT32_TYPE__ tiny = (digits + below + ((digits >> shift) & 1)) >> shift;
    __UINT32_TYPE__ finite = size < 0x38800000u ? tiny : normal;
    __UINT32_TYPE__ nan = 0x7e00u | ((size >> 13) & 0x03ffu);
    return (kata_half)(((u >> 16) & 0x8000u) | (size > 0x7f800000u ? nan : finite));
}
#endif

KATA_CALLED float kata_f32_of_bf16(kata_half h) { return kata_of_word((__UINT32_TYPE__)h << 16); }

KATA_CALLED kata_half kata_bf16_of_f32(float x)
{
    __UINT32_TYPE__ u = kata_word_of(x);
    __UINT32_TYPE__ rounded = (u + 0x7fffu + ((u >> 16) & 1)) >> 16;
    return (kata_half)((u & 0x7fffffffu) > 0x7f800000u ? (u >> 16) | 0x0040u : rounded);
}

KATA_CALLED double kata_f64_of_f16(kata_half h) { return (double)kata_f32_of_f16(h); }
KATA_CALLED double kata_f64_of_bf16(kata_half h) { return (double)kata_f32_of_bf16(h); }
KATA_CALLED kata_half kata_f16_of_f64(double x) { return kata_f16_of_f32((float)x); }
KATA_CALLED kata_half kata_bf16_of_f64(double x) { return kata_bf16_of_f32((float)x); }

#undef KATA_INTEGER
#undef KATA_BITS
#undef KATA_FLOATING
#undef KATA_ORDERED
#undef KATA_INLINE
