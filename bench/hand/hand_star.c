/* Hand-written kernels: copies, stars and boxes. Whole cache lines are computed at a time; results
 * that exceed the caches are streamed past them. In three dimensions a thread takes slabs of rows
 * and goes through all its planes with one before it takes the next, so that the planes it reads
 * stay in its second-level cache, and fetches the row that the next row will need from the plane
 * ahead. */
#include "bench.h"
#include "lines.h"

#include <omp.h>

enum { SLAB = 32, LANES = 8 };

/* Whether what is written exceeds the caches. */
static bool is_far(const bench_data *d) { return (d->n[0] * d->n[1] * d->n[2]) > (1 << 21); }

static inline void put(double *to, line_f64 x, bool far)
{
    if (far)
        stream_line(to, x);
    else
        *(line_f64 *)to = x;
}

/* The thread's share of n. */
static void share(int64_t n, int64_t *lo, int64_t *hi)
{
    int64_t me = omp_get_thread_num(), all = omp_get_num_threads();
    *lo = n * me / all;
    *hi = n * (me + 1) / all;
}

void hand_copy(bench_data *d)
{
    const double *u = d->field[0];
    double *v = d->field[1];
    const bool far = is_far(d);
#pragma omp parallel
    {
        int64_t z0, z1;
        share(d->n[2], &z0, &z1);
        for (int64_t z = z0; z < z1; z++)
            for (int64_t y = 0; y < d->n[1]; y++) {
                const int64_t at = y * d->row + z * d->plane;
                for (int64_t x = 0; x < d->n[0]; x += LANES)
                    put(v + at + x, load_line(u + at + x), far);
            }
        stream_end();
    }
}

void hand_star5(bench_data *d)
{
    const double *u = d->field[0], a = d->number[0], b = d->number[1];
    double *v = d->field[1];
    const int64_t row = d->row;
    const bool far = is_far(d);
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
    const bool far = is_far(d);
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
    const bool far = is_far(d);
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
    d->total = total;
}
