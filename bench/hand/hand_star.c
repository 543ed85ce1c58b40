/* Hand-written kernels: copies, stars and boxes. Whole cache lines are computed at a time; results
 * that exceed the caches are streamed past them. In three dimensions a thread takes slabs of rows
 * and goes through all its planes with one before it takes the next, so that the planes it reads
 * stay in its second-level cache, and fetches the row that the next row will need from the plane
 * ahead. */
#include "hand/hand_common.h"

enum { SLAB = 32 };

void hand_copy(bench_data *d)
{
    const double *u = d->field[0];
    double *v = d->field[1];
    const bool far = is_far(d, 8);
#pragma omp parallel
    {
        int64_t z0, z1;
        share(d->n[2], &z0, &z1);
        for (int64_t z = z0; z < z1; z++)
            for (int64_t y = 0; y < d->n[1]; y++) {
                const int64_t at = y * d->row + z * d->plane;
                for (int64_t x = 0; x < d->n[0]; x += LANES) {
                    if (far) __builtin_prefetch(u + at + x + 16 * LANES);
                    put(v + at + x, load_line(u + at + x), far);
                }
            }
        stream_end();
    }
}

void hand_star5(bench_data *d)
{
    const double *u = d->field[0], a = d->number[0], b = d->number[1];
    double *v = d->field[1];
    const int64_t row = d->row;
    const bool far = is_far(d, 8);
#pragma omp parallel
    {
        int64_t y0, y1;
        share(d->n[1], &y0, &y1);
        for (int64_t y = y0; y < y1; y++) {
            const double *p = u + y * row;
            for (int64_t x = 0; x < d->n[0]; x += LANES) {
                line_f64 s = load_f64(p + x - 1) + load_f64(p + x + 1);
                s = s + load_f64(p + x - row) + load_f64(p + x + row);
                __builtin_prefetch(p + x + 2 * row);
                put(v + y * row + x, a * load_line(p + x) + b * s, far);
            }
        }
        stream_end();
    }
}

void hand_box9(bench_data *d)
{
    const double *u = d->field[0], a = d->number[0], b = d->number[1], c = d->number[2];
    double *v = d->field[1];
    const int64_t row = d->row;
    const bool far = is_far(d, 8);
#pragma omp parallel
    {
        int64_t y0, y1;
        share(d->n[1], &y0, &y1);
        for (int64_t y = y0; y < y1; y++) {
            const double *p = u + y * row, *s = p - row, *n = p + row;
            for (int64_t x = 0; x < d->n[0]; x += LANES) {
                line_f64 near = load_f64(p + x - 1) + load_f64(p + x + 1);
                near = near + load_f64(s + x) + load_f64(n + x);
                line_f64 corners = load_f64(s + x - 1) + load_f64(s + x + 1);
                corners = corners + load_f64(n + x - 1) + load_f64(n + x + 1);
                __builtin_prefetch(n + x + row);
                put(v + y * row + x, a * load_line(p + x) + b * near + c * corners, far);
            }
        }
        stream_end();
    }
}

static void star7_row(double *v, const double *u, const bench_data *d, bool far)
{
    const double a = d->number[0], b = d->number[1];
    const double *south = u - d->row, *north = u + d->row;
    const double *below = u - d->plane, *above = u + d->plane;
    for (int64_t x = 0; x < d->n[0]; x += LANES) {
        line_f64 s = load_f64(u + x - 1) + load_f64(u + x + 1);
        s = s + load_line(south + x) + load_line(north + x);
        s = s + load_line(below + x) + load_line(above + x);
        if (far) __builtin_prefetch(above + x + d->row);
        put(v + x, a * load_line(u + x) + b * s, far);
    }
}

void hand_star7(bench_data *d)
{
    const double *u = d->field[0];
    double *v = d->field[1];
    const bool far = is_far(d, 8);
#pragma omp parallel
    {
        int64_t z0, z1;
        share(d->n[2], &z0, &z1);
        for (int64_t slab = 0; slab < d->n[1]; slab += SLAB) {
            const int64_t end = slab + SLAB < d->n[1] ? slab + SLAB : d->n[1];
            for (int64_t z = z0; z < z1; z++)
                for (int64_t y = slab; y < end; y++) {
                    const int64_t at = y * d->row + z * d->plane;
                    star7_row(v + at, u + at, d, far);
                }
        }
        stream_end();
    }
}

void hand_sum(bench_data *d)
{
    const double *u = d->field[0];
    double total = 0;
#pragma omp parallel reduction(+ : total)
    {
        int64_t z0, z1;
        line_f64 s[4] = {{0}};
        share(d->n[2], &z0, &z1);
        for (int64_t z = z0; z < z1; z++)
            for (int64_t y = 0; y < d->n[1]; y++) {
                const double *p = u + y * d->row + z * d->plane;
                int64_t x = 0;
                for (; x + 4 * LANES <= d->n[0]; x += 4 * LANES)
                    for (int k = 0; k < 4; k++) s[k] += load_line(p + x + k * LANES);
                for (; x < d->n[0]; x++) total += p[x];
            }
        s[0] = s[0] + s[1] + s[2] + s[3];
        for (int k = 0; k < LANES; k++) total += s[0][k];
    }
    d->total[0] = total;
}

static double greatest_in_planes(const bench_data *d, int64_t z0, int64_t z1)
{
    const double *u = d->field[0];
    line_f64 m[4];
    for (int k = 0; k < 4; k++) m[k] = u[0] - (line_f64){0};
    for (int64_t z = z0; z < z1; z++)
        for (int64_t y = 0; y < d->n[1]; y++) {
            const double *p = u + y * d->row + z * d->plane;
            int64_t x = 0;
            for (; x + 4 * LANES <= d->n[0]; x += 4 * LANES)
                for (int k = 0; k < 4; k++) m[k] = greater_f64(load_line(p + x + k * LANES), m[k]);
            for (; x < d->n[0]; x += LANES) m[0] = greater_f64(load_line(p + x), m[0]);
        }
    m[0] = greater_f64(greater_f64(m[0], m[1]), greater_f64(m[2], m[3]));
    double greatest = m[0][0];
    for (int k = 1; k < LANES; k++) greatest = m[0][k] > greatest ? m[0][k] : greatest;
    return greatest;
}

void hand_greatest(bench_data *d)
{
    double greatest = *(const double *)d->field[0];
#pragma omp parallel reduction(max : greatest)
    {
        int64_t z0, z1;
        share(d->n[2], &z0, &z1);
        greatest = greatest_in_planes(d, z0, z1);
    }
    d->total[0] = greatest;
}
