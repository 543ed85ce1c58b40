/* Reductions that leave more than a number. */
#include "plain_sums.h"

#include <omp.h>
#include <string.h>

void plain_columns(const double *u, double *t, const int64_t n[3])
{
#pragma omp parallel
    {
        const int64_t me = omp_get_thread_num(), threads = omp_get_num_threads();
        const int64_t first = n[1] * me / threads, end = n[1] * (me + 1) / threads;
        memset(t + first * n[0], 0, (size_t)((end - first) * n[0]) * sizeof *t);
        for (int64_t z = 0; z < n[2]; z++)
            for (int64_t y = first; y < end; y++)
                for (int64_t x = 0; x < n[0]; x++) t[x + y * n[0]] += u[x + (y + z * n[1]) * n[0]];
    }
}

#define PLAIN_BINS(NAME, TYPE)                                                                     \
    void NAME(const TYPE *grey, int32_t *h, int64_t points)                                        \
    {                                                                                              \
        memset(h, 0, PLAIN_BINS_COUNT * sizeof *h);                                                \
        _Pragma("omp parallel")                                                                    \
        {                                                                                          \
            int32_t own[PLAIN_BINS_COUNT] = {0};                                                   \
            _Pragma("omp for schedule(static)") for (int64_t i = 0; i < points; i++)               \
                own[(int)grey[i]]++;                                                               \
            _Pragma("omp critical") for (int i = 0; i < PLAIN_BINS_COUNT; i++) h[i] += own[i];     \
        }                                                                                          \
    }

PLAIN_BINS(plain_bins_u8, uint8_t)
PLAIN_BINS(plain_bins_f32, float)
