/* The loops that measure ceilings, for one vector extension. ceiling_kernels.c includes this file
 * once for each, with
 *     NAME(x)              a name of its own for x
 *     TARGET               the attribute that allows its instructions
 *     BYTES                of a vector
 *     STREAM(at, value)    a streaming store, if there is one
 *     FMA64, FMA32(a,b,c)  a*b + c
 *
 * Counts of elements are multiples of CEILING_STEP, addresses of CEILING_ALIGNMENT. */

typedef double NAME(wide) __attribute__((vector_size(BYTES), may_alias));
typedef float NAME(narrow) __attribute__((vector_size(BYTES), may_alias));

TARGET static void NAME(copy)(double *to, const double *from, size_t count)
{
    for (size_t i = 0; i < count; i += BYTES / sizeof *to)
        *(NAME(wide) *)(to + i) = *(const NAME(wide) *)(from + i);
}

TARGET static void NAME(triad)(double *to, const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i += BYTES / sizeof *to)
        *(NAME(wide) *)(to + i) = *(const NAME(wide) *)(a + i) + 3 * *(const NAME(wide) *)(b + i);
}

#ifdef STREAM
TARGET static void NAME(copy_streaming)(double *to, const double *from, size_t count)
{
    for (size_t i = 0; i < count; i += BYTES / sizeof *to)
        STREAM(to + i, *(const NAME(wide) *)(from + i));
    _mm_sfence();
}

TARGET static void NAME(triad_streaming)(double *to, const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i += BYTES / sizeof *to)
        STREAM(to + i, *(const NAME(wide) *)(a + i) + 3 * *(const NAME(wide) *)(b + i));
    _mm_sfence();
}
#endif

/* Enough independent chains of operations to hide the latency of two units. The result depends on
 * all of them, and has no meaning. */
#define CHAINS(vector, element, NEXT)                                                              \
    const vector scale = (vector){0} + (element)0.5, shift = (vector){0} + (element)1.5;           \
    vector a = shift, b = a + a, c = b + a, d = c + a, e = d + a, f = e + a, g = f + a, h = g + a, \
           i = h + a, j = i + a;                                                                   \
    for (int64_t r = 0; r < rounds; r++) {                                                         \
        a = NEXT(a, scale, shift);                                                                 \
        b = NEXT(b, scale, shift);                                                                 \
        c = NEXT(c, scale, shift);                                                                 \
        d = NEXT(d, scale, shift);                                                                 \
        e = NEXT(e, scale, shift);                                                                 \
        f = NEXT(f, scale, shift);                                                                 \
        g = NEXT(g, scale, shift);                                                                 \
        h = NEXT(h, scale, shift);                                                                 \
        i = NEXT(i, scale, shift);                                                                 \
        j = NEXT(j, scale, shift);                                                                 \
    }                                                                                              \
    vector sum = a + b + c + d + e + f + g + h + i + j + scale;                                    \
    return (double)sum[0]
#define QUOTIENT(x, scale, shift) ((shift) / (x))

TARGET static double NAME(fma_f64)(int64_t rounds) { CHAINS(NAME(wide), double, FMA64); }
TARGET static double NAME(fma_f32)(int64_t rounds) { CHAINS(NAME(narrow), float, FMA32); }
TARGET static double NAME(divide_f64)(int64_t rounds) { CHAINS(NAME(wide), double, QUOTIENT); }
TARGET static double NAME(divide_f32)(int64_t rounds) { CHAINS(NAME(narrow), float, QUOTIENT); }

static const ceiling_kernels NAME(kernels) = {
    .copy = NAME(copy),
    .triad = NAME(triad),
#ifdef STREAM
    .copy_streaming = NAME(copy_streaming),
    .triad_streaming = NAME(triad_streaming),
#endif
    .fma_f64 = NAME(fma_f64),
    .fma_f32 = NAME(fma_f32),
    .divide_f64 = NAME(divide_f64),
    .divide_f32 = NAME(divide_f32),
    .lanes = BYTES / sizeof(double),
};

#undef CHAINS
#undef QUOTIENT
#undef NAME
#undef TARGET
#undef BYTES
#undef STREAM
#undef FMA64
#undef FMA32
