/* Plain loops: acoustic waves. */
#include "acoustic_weights.h"
#include "bench.h"

#define TERM(w, k)                                                                                 \
    (w)[k] * (u[i - (k)] + u[i + (k)] + u[i - (k)*row] + u[i + (k)*row] + u[i - (k)*plane] +       \
              u[i + (k)*plane])

void plain_acoustic8(bench_data *d)
{
    const float *restrict u = d->field[0], *restrict previous = d->field[1];
    const float *restrict c = d->field[2], *w = acoustic8_weights;
    float *restrict next = d->field[3];
    const int64_t row = d->row, plane = d->plane;
#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < d->n[2]; z++)
        for (int64_t y = 0; y < d->n[1]; y++)
#pragma omp simd
            for (int64_t x = 0; x < d->n[0]; x++) {
                const int64_t i = x + y * row + z * plane;
                const float laplacian =
                    3 * w[0] * u[i] + TERM(w, 1) + TERM(w, 2) + TERM(w, 3) + TERM(w, 4);
                next[i] = 2 * u[i] - previous[i] + c[i] * laplacian;
            }
}

void plain_acoustic16(bench_data *d)
{
    const float *restrict u = d->field[0], *restrict previous = d->field[1];
    const float *restrict c = d->field[2], *w = acoustic16_weights;
    float *restrict next = d->field[3];
    const int64_t row = d->row, plane = d->plane;
#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < d->n[2]; z++)
        for (int64_t y = 0; y < d->n[1]; y++)
#pragma omp simd
            for (int64_t x = 0; x < d->n[0]; x++) {
                const int64_t i = x + y * row + z * plane;
                const float laplacian = 3 * w[0] * u[i] + TERM(w, 1) + TERM(w, 2) + TERM(w, 3) +
                                        TERM(w, 4) + TERM(w, 5) + TERM(w, 6) + TERM(w, 7) +
                                        TERM(w, 8);
                next[i] = 2 * u[i] - previous[i] + c[i] * laplacian;
            }
}
