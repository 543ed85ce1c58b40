/* Plain loops: transfers between a grid and one with half as many points in each dimension. */
#include "bench.h"

void plain_restrict(bench_data *d)
{
    const double *restrict f = d->field[0];
    double *restrict c = d->field[1];
    const int64_t row = d->row, plane = d->plane;
    const bench_layout *l = &d->coarse;
#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < l->n[2]; z++)
        for (int64_t y = 0; y < l->n[1]; y++)
            for (int64_t x = 0; x < l->n[0]; x++) {
                const double *a = f + 2 * x + 2 * y * row + 2 * z * plane, *b = a + plane;
                const double near = a[0] + a[1] + a[row] + a[row + 1];
                const double far = b[0] + b[1] + b[row] + b[row + 1];
                c[x + y * l->row + z * l->plane] = (near + far) * 0.125;
            }
}

void plain_prolong(bench_data *d)
{
    double *restrict f = d->field[0];
    const double *restrict c = d->field[1];
    const bench_layout *l = &d->coarse;
#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < d->n[2]; z++)
        for (int64_t y = 0; y < d->n[1]; y++)
            for (int64_t x = 0; x < d->n[0]; x++) {
                const double *a = c + x / 2 + y / 2 * l->row + z / 2 * l->plane;
                const double *b = a + (z % 2 ? l->plane : -l->plane);
                const int64_t dx = x % 2 ? 1 : -1, dy = y % 2 ? l->row : -l->row;
                const double here = 3 * (3 * a[0] + a[dx]) + 3 * a[dy] + a[dx + dy];
                const double there = 3 * (3 * b[0] + b[dx]) + 3 * b[dy] + b[dx + dy];
                f[x + y * d->row + z * d->plane] = (3 * here + there) * (1.0 / 64);
            }
}
