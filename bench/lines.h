/* Vectors of a cache line, for what is written by hand, and memory in large pages. */
#ifndef BENCH_LINES_H
#define BENCH_LINES_H

#include <stddef.h>

typedef double line_f64 __attribute__((vector_size(64), may_alias));
typedef double line_f64_anywhere __attribute__((vector_size(64), may_alias, aligned(8)));
typedef float line_f32 __attribute__((vector_size(64), may_alias));
typedef float line_f32_anywhere __attribute__((vector_size(64), may_alias, aligned(4)));

/* Zeroed memory that begins a large page, untouched; NULL when there is none. */
void *bench_pages(size_t bytes);
void bench_pages_free(void *memory, size_t bytes);

static inline line_f64 load_line(const void *at) { return *(const line_f64 *)at; }
static inline line_f64 load_f64(const double *at) { return *(const line_f64_anywhere *)at; }
static inline line_f32 load_f32(const float *at) { return *(const line_f32_anywhere *)at; }

/* Writes a line past the caches; `to` is aligned. */
static inline void stream_line(void *to, line_f64 x)
{
#if defined(__AVX512F__) && !defined(__clang__)
    typedef long long line __attribute__((vector_size(64), may_alias));
    __builtin_ia32_movntdq512((line *)to, (line)x);
#elif defined(__AVX__) && !defined(__clang__)
    typedef long long half __attribute__((vector_size(32), may_alias));
    union {
        line_f64 whole;
        half parts[2];
    } u = {x};
    __builtin_ia32_movntdq256((half *)to, u.parts[0]);
    __builtin_ia32_movntdq256((half *)to + 1, u.parts[1]);
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
