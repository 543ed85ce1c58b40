/* Plain loops: the star of radius 2 and the box of 27 points. */
#include "bench.h"

void plain_star13(bench_data *d)
{
    const double *restrict u = d->field[0];
    const double a = d->number[0], b = d->number[1], c = d->number[2];
    double *restrict v = d->field[1];
    const int64_t row = d->row, plane = d->plane;
#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < d->n[2]; z++)
        for (int64_t y = 0; y < d->n[1]; y++)
#pragma omp simd
            for (int64_t x = 0; x < d->n[0]; x++) {
                const int64_t i = x + y * row + z * plane;
                v[i] = a * u[i] +
                       b * (u[i - 1] + u[i + 1] + u[i - row] + u[i + row] + u[i - plane] +
                            u[i + plane]) +
                       c * (u[i - 2] + u[i + 2] + u[i - 2 * row] + u[i + 2 * row] +
                            u[i - 2 * plane] + u[i + 2 * plane]);
            }
}

/* The sum of the four points beside u in a plane, and of those at its corners. */
static inline double beside(const double *u, int64_t row)
{
    return u[-1] + u[1] + u[-row] + u[row];
}

static inline double corners(const double *u, int64_t row)
{
    return u[-row - 1] + u[-row + 1] + u[row - 1] + u[row + 1];
}

void plain_box27(bench_data *d)
{
    const double *restrict field = d->field[0];
    const double centre = d->number[0], face = d->number[1], edge = d->number[2];
    const double corner = d->number[3];
    double *restrict v = d->field[1];
    const int64_t row = d->row, plane = d->plane;
#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < d->n[2]; z++)
        for (int64_t y = 0; y < d->n[1]; y++)
#pragma omp simd
            for (int64_t x = 0; x < d->n[0]; x++) {
                const int64_t i = x + y * row + z * plane;
                const double *u = field + i, *low = u - plane, *high = u + plane;
                v[i] = centre * *u + face * (beside(u, row) + *low + *high) +
                       edge * (corners(u, row) + beside(low, row) + beside(high, row)) +
                       corner * (corners(low, row) + corners(high, row));
            }
}
