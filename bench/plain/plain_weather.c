/* Plain loops: horizontal diffusion and vertical advection of weather models. */
#include "bench.h"

static inline double laplacian(const double *u, int64_t row)
{
    return 4 * u[0] - (u[1] + u[-1] + u[row] + u[-row]);
}

/* To the point `step` further. */
static inline double flux(const double *u, int64_t step, int64_t row)
{
    const double f = laplacian(u + step, row) - laplacian(u, row);
    return f * (u[step] - u[0]) > 0 ? 0 : f;
}

void plain_diffuse(bench_data *d)
{
    const double *restrict u = d->field[0], *restrict coeff = d->field[1];
    double *restrict v = d->field[2];
    const int64_t row = d->row;
#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < d->n[2]; z++)
        for (int64_t y = 0; y < d->n[1]; y++)
#pragma omp simd
            for (int64_t x = 0; x < d->n[0]; x++) {
                const int64_t i = x + y * row + z * d->plane;
                const double *at = u + i;
                v[i] = u[i] - coeff[i] * (flux(at, 1, row) - flux(at - 1, 1, row) +
                                          flux(at, row, row) - flux(at - row, row, row));
            }
}

/* The same in four loops, with what lies between them in arrays. */
static void limited_fluxes(bench_data *d)
{
    const double *restrict u = d->field[0], *restrict lap = d->field[3];
    double *restrict fx = d->field[4], *restrict fy = d->field[5];
    const int64_t row = d->row;
#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < d->n[2]; z++)
        for (int64_t y = 0; y < d->n[1]; y++)
            for (int64_t i = y * row + z * d->plane - 1; i < y * row + z * d->plane + d->n[0];
                 i++) {
                const double f = lap[i + 1] - lap[i];
                fx[i] = f * (u[i + 1] - u[i]) > 0 ? 0 : f;
            }
#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < d->n[2]; z++)
        for (int64_t y = -1; y < d->n[1]; y++)
            for (int64_t i = y * row + z * d->plane; i < y * row + z * d->plane + d->n[0]; i++) {
                const double f = lap[i + row] - lap[i];
                fy[i] = f * (u[i + row] - u[i]) > 0 ? 0 : f;
            }
}

void plain_diffuse_stages(bench_data *d)
{
    const double *restrict u = d->field[0], *restrict coeff = d->field[1];
    double *restrict v = d->field[2], *restrict lap = d->field[3];
    const double *restrict fx = d->field[4], *restrict fy = d->field[5];
    const int64_t row = d->row;
#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < d->n[2]; z++)
        for (int64_t y = -1; y <= d->n[1]; y++)
            for (int64_t i = y * row + z * d->plane - 1; i <= y * row + z * d->plane + d->n[0]; i++)
                lap[i] = laplacian(u + i, row);
    limited_fluxes(d);
#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < d->n[2]; z++)
        for (int64_t y = 0; y < d->n[1]; y++)
            for (int64_t i = y * row + z * d->plane; i < y * row + z * d->plane + d->n[0]; i++)
                v[i] = u[i] - coeff[i] * (fx[i] - fx[i - 1] + fy[i] - fy[i - row]);
}

/* ---- vertical advection ---------------------------------------------------------------------- */

static const double dtr = 3.0 / 20;

static inline double below(const double *w) { return -0.125 * (w[1] + w[0]); }
static inline double above(const double *w, int64_t plane)
{
    return 0.125 * (w[plane + 1] + w[plane]);
}

/* Upwards through a row of columns. */
static void eliminate(bench_data *data, int64_t first)
{
    const double *restrict u = data->field[0], *restrict u_pos = data->field[1];
    const double *restrict utens = data->field[2], *restrict stage = data->field[3];
    const double *restrict w = data->field[4];
    double *restrict c = data->field[5], *restrict d = data->field[6];
    const int64_t plane = data->plane, nz = data->n[2];
#pragma omp simd
    for (int64_t i = first; i < first + data->n[0]; i++) {
        const double up = above(w + i, plane), b = dtr - up, share = 1 / b;
        c[i] = up * share;
        d[i] = (dtr * u_pos[i] + utens[i] + stage[i] - up * (u[i + plane] - u[i])) * share;
    }
    for (int64_t z = 1; z < nz - 1; z++)
#pragma omp simd
        for (int64_t i = first + z * plane; i < first + z * plane + data->n[0]; i++) {
            const double down = below(w + i), up = above(w + i, plane);
            const double b = dtr - down - up - c[i - plane] * down, share = 1 / b;
            const double rest = dtr * u_pos[i] + utens[i] + stage[i] -
                                (down * (u[i - plane] - u[i]) + up * (u[i + plane] - u[i]));
            c[i] = up * share;
            d[i] = (rest - d[i - plane] * down) * share;
        }
    first += (nz - 1) * plane;
#pragma omp simd
    for (int64_t i = first; i < first + data->n[0]; i++) {
        const double down = below(w + i), b = dtr - down - c[i - plane] * down;
        const double rest = dtr * u_pos[i] + utens[i] + stage[i] - down * (u[i - plane] - u[i]);
        c[i] = 0;
        d[i] = (rest - d[i - plane] * down) / b;
    }
}

/* And downwards. */
static void substitute(bench_data *data, int64_t first)
{
    const double *restrict u_pos = data->field[1], *restrict c = data->field[5];
    double *restrict stage = data->field[3], *restrict d = data->field[6];
    const int64_t plane = data->plane;
    for (int64_t z = data->n[2] - 1; z >= 0; z--)
#pragma omp simd
        for (int64_t i = first + z * plane; i < first + z * plane + data->n[0]; i++) {
            if (z < data->n[2] - 1) d[i] -= c[i] * d[i + plane];
            stage[i] = dtr * (d[i] - u_pos[i]);
        }
}

void plain_advect(bench_data *d)
{
#pragma omp parallel for schedule(static)
    for (int64_t y = 0; y < d->n[1]; y++) eliminate(d, y * d->row);
#pragma omp parallel for schedule(static)
    for (int64_t y = 0; y < d->n[1]; y++) substitute(d, y * d->row);
}
