/* Vectors of a cache line, or a half of one, for what is written by hand, and memory in large
 * pages. */
#ifndef BENCH_LINES_H
#define BENCH_LINES_H

#include <stddef.h>

/* Vectors are as long as the widest registers: of longer ones gcc 12 keeps parts in memory. */
#if defined(__AVX512F__) || !defined(__AVX__)
enum { LINE_BYTES = 64 };
#else
enum { LINE_BYTES = 32 };
#endif

typedef double line_f64 __attribute__((vector_size(LINE_BYTES), may_alias));
typedef double line_f64_anywhere __attribute__((vector_size(LINE_BYTES), may_alias, aligned(8)));
typedef float line_f32 __attribute__((vector_size(LINE_BYTES), may_alias));
typedef float line_f32_anywhere __attribute__((vector_size(LINE_BYTES), may_alias, aligned(4)));

/* Zeroed memory that begins a large page, untouched; NULL when there is none. */
void *bench_pages(size_t bytes);
void bench_pages_free(void *memory, size_t bytes);

static inline line_f64 load_line(const void *at) { return *(const line_f64 *)at; }
static inline line_f64 load_f64(const double *at) { return *(const line_f64_anywhere *)at; }
static inline line_f32 load_f32(const float *at) { return *(const line_f32_anywhere *)at; }

/* The greater, element by element; of no NaN. */
static inline line_f64 greater_f64(line_f64 a, line_f64 b)
{
#if defined(__AVX512F__) && !defined(__clang__)
    return (line_f64)__builtin_ia32_maxpd512_mask(a, b, a, (unsigned char)-1, 4);
#else
    for (size_t i = 0; i < LINE_BYTES / sizeof(double); i++) a[i] = a[i] > b[i] ? a[i] : b[i];
    return a;
#endif
}

/* Writes a vector past the caches; `to` is aligned. */
static inline void stream_line(void *to, line_f64 x)
{
#if defined(__AVX512F__) && !defined(__clang__)
    typedef long long line __attribute__((vector_size(64), may_alias));
    __builtin_ia32_movntdq512((line *)to, (line)x);
#elif defined(__AVX__) && !defined(__clang__)
    typedef long long line __attribute__((vector_size(LINE_BYTES), may_alias));
    __builtin_ia32_movntdq256((line *)to, (line)x);
#elif defined(__clang__)
    __builtin_nontemporal_store(x, (line_f64 *)to);
#else
    *(line_f64 *)to = x;
#endif
}

/* After the last of them. */
static inline void stream_end(void)
{
#if defined(__SSE2__)
    __builtin_ia32_sfence();
#endif
}

#endif
