/* Hand-written kernels: what reads many rows in three dimensions. A thread takes slabs of rows and
 * goes through its planes with each, as in hand_star.c. Four rows are computed at once, so that a
 * row is loaded once for all of them, and lines shifted in x are made of those beside one another.
 *
 * The box: with C the row itself, F the sum of the four rows beside it and E of the four diagonal
 * ones, the result is P[x] + Q[x-1] + Q[x+1], where P = a C + b F + c E and Q = b C + c F + e E. */
#include "hand/hand_common.h"

enum { ROWS = 4, BOX_SLAB = 32, STAR_SLAB = 32 };

/* Planes z0 to z1 of so many rows, from row y. */
typedef void slab_loop(const bench_data *d, int64_t y, int64_t rows, int64_t z0, int64_t z1);

/* ---- box ------------------------------------------------------------------------------------- */

/* P and Q of a line of each row. */
typedef struct parts {
    line_f64 p[ROWS], q[ROWS];
} parts;

static inline parts box_parts(const double *u, const bench_data *d, int rows)
{
    const double *n = d->number;
    line_f64 c[ROWS + 2], t[ROWS + 2];
    parts out;
#pragma GCC unroll 6
    for (int r = 0; r < rows + 2; r++) {
        const double *at = u + (r - 1) * d->row;
        c[r] = load_line(at);
        t[r] = load_line(at - d->plane) + load_line(at + d->plane);
    }
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++) {
        line_f64 faces = c[r] + c[r + 2] + t[r + 1], edges = t[r] + t[r + 2];
        out.p[r] = n[0] * c[r + 1] + n[1] * faces + n[2] * edges;
        out.q[r] = n[1] * c[r + 1] + n[2] * faces + n[3] * edges;
    }
    return out;
}

static inline void box_rows(double *v, const double *u, const bench_data *d, int rows, bool far)
{
    parts west = box_parts(u - LANES, d, rows), here = box_parts(u, d, rows);
    for (int64_t x = 0; x < d->n[0]; x += LANES) {
        parts east = box_parts(u + x + LANES, d, rows);
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++) {
            if (far) __builtin_prefetch(u + x + (r + rows + 1) * d->row + d->plane);
            put(v + x + r * d->row,
                here.p[r] + BETWEEN(west.q[r], here.q[r], LANES - 1) +
                    BETWEEN(here.q[r], east.q[r], 1),
                far);
        }
        west = here;
        here = east;
    }
}

static void box_slab(const bench_data *d, int64_t y, int64_t rows, int64_t z0, int64_t z1)
{
    const bool far = is_far(d, 8);
    for (int64_t z = z0; z < z1; z++) {
        const double *u = (const double *)d->field[0] + y * d->row + z * d->plane;
        double *v = (double *)d->field[1] + y * d->row + z * d->plane;
        int64_t r = 0;
        for (; r + ROWS <= rows; r += ROWS) box_rows(v + r * d->row, u + r * d->row, d, ROWS, far);
        for (; r < rows; r++) box_rows(v + r * d->row, u + r * d->row, d, 1, far);
    }
}

/* ---- star of radius 2 ------------------------------------------------------------------------ */

static inline void star_rows(double *v, const double *u, const bench_data *d, int rows, bool far)
{
    const double a = d->number[0], b = d->number[1], c = d->number[2];
    const int64_t plane = d->plane;
    line_f64 west[ROWS], row[ROWS + 4];
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++) west[r] = load_line(u + r * d->row - LANES);
    for (int64_t x = 0; x < d->n[0]; x += LANES) {
#pragma GCC unroll 8
        for (int r = 0; r < rows + 4; r++) row[r] = load_line(u + x + (r - 2) * d->row);
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++) {
            const double *at = u + x + r * d->row;
            line_f64 here = row[r + 2], east = load_line(at + LANES);
            line_f64 one = BETWEEN(west[r], here, LANES - 1) + BETWEEN(here, east, 1) + row[r + 1];
            line_f64 two = BETWEEN(west[r], here, LANES - 2) + BETWEEN(here, east, 2) + row[r];
            one += row[r + 3] + load_line(at - plane) + load_line(at + plane);
            two += row[r + 4] + load_line(at - 2 * plane) + load_line(at + 2 * plane);
            if (far) __builtin_prefetch(at + rows * d->row + 2 * plane);
            put(v + x + r * d->row, a * here + b * one + c * two, far);
            west[r] = here;
        }
    }
}

static void star_slab(const bench_data *d, int64_t y, int64_t rows, int64_t z0, int64_t z1)
{
    const bool far = is_far(d, 8);
    for (int64_t z = z0; z < z1; z++) {
        const double *u = (const double *)d->field[0] + y * d->row + z * d->plane;
        double *v = (double *)d->field[1] + y * d->row + z * d->plane;
        int64_t r = 0;
        for (; r + ROWS <= rows; r += ROWS) star_rows(v + r * d->row, u + r * d->row, d, ROWS, far);
        for (; r < rows; r++) star_rows(v + r * d->row, u + r * d->row, d, 1, far);
    }
}

/* ---------------------------------------------------------------------------------------------- */

static void in_slabs(const bench_data *d, int64_t slab, slab_loop *loop)
{
#pragma omp parallel
    {
        int64_t z0, z1;
        share(d->n[2], &z0, &z1);
        for (int64_t y = 0; y < d->n[1]; y += slab) loop(d, y, smaller(slab, d->n[1] - y), z0, z1);
        stream_end();
    }
}

void hand_box27(bench_data *d) { in_slabs(d, BOX_SLAB, box_slab); }
void hand_star13(bench_data *d) { in_slabs(d, STAR_SLAB, star_slab); }
