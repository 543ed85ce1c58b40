/* Plain loops: red-black sweeps. */
#include "bench.h"

static void relax2(bench_data *d, int colour)
{
    double *u = d->field[0];
    const double *restrict f = d->field[1];
    const int64_t row = d->row;
#pragma omp parallel for schedule(static)
    for (int64_t y = 0; y < d->n[1]; y++)
        for (int64_t x = (y + colour) % 2; x < d->n[0]; x += 2) {
            const int64_t i = x + y * row;
            u[i] = 0.25 * (f[i] + (u[i - 1] + u[i + 1] + u[i - row] + u[i + row]));
        }
}

static double relax2_sum(bench_data *d, int colour)
{
    double *u = d->field[0], change = 0;
    const double *restrict f = d->field[1];
    const int64_t row = d->row;
#pragma omp parallel for schedule(static) reduction(+ : change)
    for (int64_t y = 0; y < d->n[1]; y++)
        for (int64_t x = (y + colour) % 2; x < d->n[0]; x += 2) {
            const int64_t i = x + y * row;
            const double next = 0.25 * (f[i] + (u[i - 1] + u[i + 1] + u[i - row] + u[i + row]));
            change += (next - u[i]) * (next - u[i]);
            u[i] = next;
        }
    return change;
}

#define BESIDE(u, i) (u[i - 1] + u[i + 1] + u[i - row] + u[i + row] + u[i - plane] + u[i + plane])

static void relax3(bench_data *d, int colour)
{
    double *u = d->field[0];
    const double *restrict f = d->field[1];
    const int64_t row = d->row, plane = d->plane;
#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < d->n[2]; z++)
        for (int64_t y = 0; y < d->n[1]; y++)
            for (int64_t x = (y + z + colour) % 2; x < d->n[0]; x += 2) {
                const int64_t i = x + y * row + z * plane;
                u[i] = 1.0 / 6 * (f[i] + BESIDE(u, i));
            }
}

static double relax3_sum(bench_data *d, int colour)
{
    double *u = d->field[0], change = 0;
    const double *restrict f = d->field[1];
    const int64_t row = d->row, plane = d->plane;
#pragma omp parallel for schedule(static) reduction(+ : change)
    for (int64_t z = 0; z < d->n[2]; z++)
        for (int64_t y = 0; y < d->n[1]; y++)
            for (int64_t x = (y + z + colour) % 2; x < d->n[0]; x += 2) {
                const int64_t i = x + y * row + z * plane;
                const double next = 1.0 / 6 * (f[i] + BESIDE(u, i));
                change += (next - u[i]) * (next - u[i]);
                u[i] = next;
            }
    return change;
}

void plain_red_black2(bench_data *d)
{
    for (int colour = 0; colour < 2; colour++) relax2(d, colour);
}

void plain_red_black2_sum(bench_data *d)
{
    for (int colour = 0; colour < 2; colour++) d->total[colour] = relax2_sum(d, colour);
}

void plain_red_black3(bench_data *d)
{
    for (int colour = 0; colour < 2; colour++) relax3(d, colour);
}

void plain_red_black3_sum(bench_data *d)
{
    for (int colour = 0; colour < 2; colour++) d->total[colour] = relax3_sum(d, colour);
}
