/* Plain loops: sweeps in which each point finds what those before it have written. They run on one
 * thread, as their originals do. */
#include "bench.h"

void plain_seidel2(bench_data *d)
{
    double *u = d->field[0];
    const int64_t row = d->row;
    for (int64_t y = 0; y < d->n[1]; y++)
        for (int64_t x = 0; x < d->n[0]; x++) {
            double *const a = u + x + y * row;
            a[0] = (a[-row - 1] + a[-row] + a[-row + 1] + a[-1] + a[0] + a[1] + a[row - 1] +
                    a[row] + a[row + 1]) /
                   9;
        }
}

void plain_synch_p2p(bench_data *d)
{
    double *u = d->field[0];
    const int64_t row = d->row;
    for (int64_t y = 0; y < d->n[1]; y++)
        for (int64_t x = 0; x < d->n[0]; x++) {
            const int64_t i = x + y * row;
            u[i] = u[i - 1] + u[i - row] - u[i - row - 1];
        }
}

void plain_seidel3(bench_data *d)
{
    double *u = d->field[0];
    const double *restrict f = d->field[1];
    const int64_t row = d->row, plane = d->plane;
    for (int64_t z = 0; z < d->n[2]; z++)
        for (int64_t y = 0; y < d->n[1]; y++)
            for (int64_t x = 0; x < d->n[0]; x++) {
                const int64_t i = x + y * row + z * plane;
                u[i] = 1.0 / 6 *
                       (f[i] + (u[i - 1] + u[i + 1] + u[i - row] + u[i + row] + u[i - plane] +
                                u[i + plane]));
            }
}
