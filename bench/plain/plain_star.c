/* Plain loops, as one would write them in C and OpenMP: copies, stars and boxes. */
#include "bench.h"

void plain_copy(bench_data *d)
{
    const double *restrict u = d->field[0];
    double *restrict v = d->field[1];
#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < d->n[2]; z++)
        for (int64_t y = 0; y < d->n[1]; y++)
            for (int64_t x = 0; x < d->n[0]; x++)
                v[x + y * d->row + z * d->plane] = u[x + y * d->row + z * d->plane];
}

void plain_star5(bench_data *d)
{
    const double *restrict u = d->field[0], a = d->number[0], b = d->number[1];
    double *restrict v = d->field[1];
    const int64_t row = d->row;
#pragma omp parallel for schedule(static)
    for (int64_t y = 0; y < d->n[1]; y++)
        for (int64_t x = 0; x < d->n[0]; x++) {
            const int64_t i = x + y * row;
            v[i] = a * u[i] + b * (u[i - 1] + u[i + 1] + u[i - row] + u[i + row]);
        }
}

void plain_box9(bench_data *d)
{
    const double *restrict u = d->field[0], a = d->number[0], b = d->number[1], c = d->number[2];
    double *restrict v = d->field[1];
    const int64_t row = d->row;
#pragma omp parallel for schedule(static)
    for (int64_t y = 0; y < d->n[1]; y++)
        for (int64_t x = 0; x < d->n[0]; x++) {
            const int64_t i = x + y * row;
            v[i] = a * u[i] + b * (u[i - 1] + u[i + 1] + u[i - row] + u[i + row]) +
                   c * (u[i - row - 1] + u[i - row + 1] + u[i + row - 1] + u[i + row + 1]);
        }
}

void plain_star7(bench_data *d)
{
    const double *restrict u = d->field[0], a = d->number[0], b = d->number[1];
    double *restrict v = d->field[1];
    const int64_t row = d->row, plane = d->plane;
#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < d->n[2]; z++)
        for (int64_t y = 0; y < d->n[1]; y++)
            for (int64_t x = 0; x < d->n[0]; x++) {
                const int64_t i = x + y * row + z * plane;
                v[i] = a * u[i] + b * (u[i - 1] + u[i + 1] + u[i - row] + u[i + row] +
                                       u[i - plane] + u[i + plane]);
            }
}

void plain_sum(bench_data *d)
{
    const double *restrict u = d->field[0];
    double total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
    for (int64_t z = 0; z < d->n[2]; z++)
        for (int64_t y = 0; y < d->n[1]; y++)
            for (int64_t x = 0; x < d->n[0]; x++) total += u[x + y * d->row + z * d->plane];
    d->total[0] = total;
}

void plain_greatest(bench_data *d)
{
    const double *restrict u = d->field[0];
    double greatest = u[0];
#pragma omp parallel for schedule(static) reduction(max : greatest)
    for (int64_t z = 0; z < d->n[2]; z++)
        for (int64_t y = 0; y < d->n[1]; y++)
            for (int64_t x = 0; x < d->n[0]; x++) {
                const double value = u[x + y * d->row + z * d->plane];
                greatest = value > greatest ? value : greatest;
            }
    d->total[0] = greatest;
}
