/* Plain loops: stencils with sums, tables, profiles, and several small loops. */
#include "bench.h"

#define SQUARE(x) ((x) * (x))

void plain_star5_sum(bench_data *d)
{
    const double *restrict u = d->field[0], a = d->number[0], b = d->number[1];
    double *restrict v = d->field[1], change = 0;
    const int64_t row = d->row;
#pragma omp parallel for schedule(static) reduction(+ : change)
    for (int64_t y = 0; y < d->n[1]; y++)
#pragma omp simd reduction(+ : change)
        for (int64_t x = 0; x < d->n[0]; x++) {
            const int64_t i = x + y * row;
            const double next = a * u[i] + b * (u[i - 1] + u[i + 1] + u[i - row] + u[i + row]);
            change += SQUARE(next - u[i]);
            v[i] = next;
        }
    d->total[0] = change;
}

void plain_star7_sum(bench_data *d)
{
    const double *restrict u = d->field[0], a = d->number[0], b = d->number[1];
    double *restrict v = d->field[1], change = 0;
    const int64_t row = d->row, plane = d->plane;
#pragma omp parallel for schedule(static) reduction(+ : change)
    for (int64_t z = 0; z < d->n[2]; z++)
        for (int64_t y = 0; y < d->n[1]; y++)
#pragma omp simd reduction(+ : change)
            for (int64_t x = 0; x < d->n[0]; x++) {
                const int64_t i = x + y * row + z * plane;
                const double beside =
                    u[i - 1] + u[i + 1] + u[i - row] + u[i + row] + u[i - plane] + u[i + plane];
                const double next = a * u[i] + b * beside;
                change += SQUARE(next - u[i]);
                v[i] = next;
            }
    d->total[0] = change;
}

void plain_lookup(bench_data *d)
{
    const double *restrict u = d->field[0], *restrict conductivity = d->table;
    const int *restrict material = d->field[1];
    double *restrict v = d->field[2];
    const int64_t row = d->row;
#pragma omp parallel for schedule(static)
    for (int64_t y = 0; y < d->n[1]; y++)
        for (int64_t x = 0; x < d->n[0]; x++) {
            const int64_t i = x + y * row;
            v[i] = u[i] + conductivity[material[i]] *
                              (u[i - 1] + u[i + 1] + u[i - row] + u[i + row] - 4 * u[i]);
        }
}

void plain_profile(bench_data *d)
{
    const double *restrict u = d->field[0], *restrict k = d->field[1], *restrict s = d->field[2];
    double *restrict v = d->field[3];
    const int64_t row = d->row, plane = d->plane;
#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < d->n[2]; z++)
        for (int64_t y = 0; y < d->n[1]; y++)
            for (int64_t x = 0; x < d->n[0]; x++) {
                const int64_t i = x + y * row + z * plane;
                v[i] = u[i] +
                       k[z] * (u[i - 1] + u[i + 1] + u[i - row] + u[i + row] + u[i - plane] +
                               u[i + plane] - 6 * u[i]) +
                       s[z];
            }
}

/* ---- a flow of gas, a loop for each part ----------------------------------------------------- */

#define FOR_EACH_POINT                                                                             \
    _Pragma("omp parallel for schedule(static)") for (int64_t y = 0; y < d->n[1];                  \
                                                      y++) for (int64_t i = y * row;               \
                                                                i < y * row + d->n[0]; i++)

static void push(bench_data *d)
{
    const double *restrict rho = d->field[0], *restrict e = d->field[1];
    double *restrict p = d->field[2], *restrict u = d->field[3], *restrict v = d->field[4];
    const int64_t row = d->row;
    FOR_EACH_POINT p[i] = 0.4 * rho[i] * e[i];
    FOR_EACH_POINT u[i] -= 0.05 * (p[i + 1] - p[i - 1]) / rho[i];
    FOR_EACH_POINT v[i] -= 0.05 * (p[i + row] - p[i - row]) / rho[i];
    FOR_EACH_POINT
    {
        u[i] = 0.9 * u[i];
        v[i] = 0.9 * v[i];
    }
}

void plain_flow(bench_data *d)
{
    double *restrict rho = d->field[0], *restrict e = d->field[1];
    const double *restrict p = d->field[2], *restrict u = d->field[3], *restrict v = d->field[4];
    double *restrict fx = d->field[5], *restrict fy = d->field[6];
    const int64_t row = d->row;
    push(d);
    FOR_EACH_POINT
    {
        fx[i] = rho[i] * u[i];
        fy[i] = rho[i] * v[i];
    }
    FOR_EACH_POINT rho[i] -= 0.05 * (fx[i + 1] - fx[i - 1] + fy[i + row] - fy[i - row]);
    FOR_EACH_POINT e[i] -= 0.05 * p[i] * (u[i + 1] - u[i - 1] + v[i + row] - v[i - row]);
}
