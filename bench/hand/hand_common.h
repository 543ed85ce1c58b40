/* What hand-written kernels share: who does which planes, and stores that know where they lead. */
#ifndef HAND_COMMON_H
#define HAND_COMMON_H

#include "bench.h"
#include "lines.h"

#include <omp.h>

enum { LANES = LINE_BYTES / 8, LANES_F32 = LINE_BYTES / 4 };

/* Whether so many bytes written per point exceed the caches. */
static inline bool is_far(const bench_data *d, int bytes)
{
    return d->n[0] * d->n[1] * d->n[2] * bytes > 16 << 20;
}

static inline void put(double *to, line_f64 x, bool far)
{
    if (far)
        stream_line(to, x);
    else
        *(line_f64 *)to = x;
}

static inline void put_f32(float *to, line_f32 x, bool far)
{
    if (far)
        stream_line(to, (line_f64)x);
    else
        *(line_f32 *)to = x;
}

/* The thread's share of n. */
static inline void share(int64_t n, int64_t *lo, int64_t *hi)
{
    int64_t me = omp_get_thread_num(), all = omp_get_num_threads();
    *lo = n * me / all;
    *hi = n * (me + 1) / all;
}

static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* LANES elements, from element i on, of two vectors that follow one another. */
#if defined(__AVX512F__) || !defined(__AVX__)
#define BETWEEN(a, b, i)                                                                           \
    __builtin_shufflevector(a, b, i, (i) + 1, (i) + 2, (i) + 3, (i) + 4, (i) + 5, (i) + 6, (i) + 7)
#else
#define BETWEEN(a, b, i) __builtin_shufflevector(a, b, i, (i) + 1, (i) + 2, (i) + 3)
#endif

#endif
