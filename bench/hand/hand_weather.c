/* Hand-written kernels: horizontal diffusion and vertical advection of weather models. */
#include "hand/hand_common.h"

/* ---- horizontal diffusion --------------------------------------------------------------------
 * A thread goes through the rows of a plane upwards, with the Laplacian of two rows and the flux
 * between two in lines of its own: each is computed once. */

enum { WIDEST = 512, PAD = LANES };

/* Of WIDEST points and a line on both sides. */
typedef struct scratch {
    double lap[2][WIDEST + 2 * PAD] __attribute__((aligned(64)));
    double south[WIDEST + 2 * PAD] __attribute__((aligned(64))); /* flux from there */
} scratch;

/* 0 where the flux is up the slope. */
static inline line_f64 limited(line_f64 flux, line_f64 slope)
{
    typedef long long mask __attribute__((vector_size(LINE_BYTES)));
    return (line_f64)((mask)flux & ~(flux * slope > 0));
}

/* Of all x from -1 to n. */
static void laplacian_row(double *lap, const double *u, int64_t row, int64_t n)
{
    for (int64_t x = -LANES; x < n + LANES; x += LANES) {
        const line_f64 beside = load_f64(u + x + 1) + load_f64(u + x - 1);
        *(line_f64 *)(lap + x) =
            4 * load_line(u + x) - (beside + load_line(u + x + row) + load_line(u + x - row));
    }
}

static inline line_f64 flux_east(const double *lap, const double *u)
{
    return limited(load_f64(lap + 1) - load_line(lap), load_f64(u + 1) - load_line(u));
}

static inline line_f64 flux_north(const double *lap, const double *north, const double *u,
                                  int64_t row)
{
    return limited(load_line(north) - load_line(lap), load_line(u + row) - load_line(u));
}

typedef struct diffusion {
    const double *u, *coeff;
    double *v;
    int64_t row, n;
    bool far;
} diffusion;

/* The row at `at`, with the Laplacian of it and of the next. */
static void diffuse_row(const diffusion *f, int64_t at, const double *lap, const double *next,
                        double *south)
{
    const double *u = f->u + at, *coeff = f->coeff + at;
    line_f64 before = flux_east(lap - LANES, u - LANES);
    for (int64_t x = 0; x < f->n; x += LANES) {
        const line_f64 east = flux_east(lap + x, u + x);
        const line_f64 north = flux_north(lap + x, next + x, u + x, f->row);
        const line_f64 out = east - BETWEEN(before, east, LANES - 1) + north - load_line(south + x);
        *(line_f64 *)(south + x) = north;
        before = east;
        if (f->far) {
            __builtin_prefetch(u + x + 4 * f->row);
            __builtin_prefetch(coeff + x + 2 * f->row);
        }
        put(f->v + at + x, load_line(u + x) - load_line(coeff + x) * out, f->far);
    }
}

static void diffuse_rows(const diffusion *f, int64_t rows)
{
    scratch s;
    double *lap = s.lap[0] + PAD, *next = s.lap[1] + PAD, *south = s.south + PAD;
    laplacian_row(next, f->u - f->row, f->row, f->n);
    laplacian_row(lap, f->u, f->row, f->n);
    for (int64_t x = 0; x < f->n; x += LANES)
        *(line_f64 *)(south + x) = flux_north(next + x, lap + x, f->u + x - f->row, f->row);
    for (int64_t y = 0; y < rows; y++) {
        double *free = next;
        laplacian_row(free, f->u + (y + 1) * f->row, f->row, f->n);
        diffuse_row(f, y * f->row, lap, free, south);
        next = lap;
        lap = free;
    }
}

void hand_diffuse(bench_data *d)
{
#pragma omp parallel
    {
        int64_t z0, z1;
        share(d->n[2], &z0, &z1);
        for (int64_t z = z0; z < z1; z++)
            for (int64_t x = 0; x < d->n[0]; x += WIDEST) {
                const int64_t at = x + z * d->plane;
                const diffusion f = {.u = (const double *)d->field[0] + at,
                                     .coeff = (const double *)d->field[1] + at,
                                     .v = (double *)d->field[2] + at,
                                     .row = d->row,
                                     .n = smaller(WIDEST, d->n[0] - x),
                                     .far = is_far(d, 8)};
                diffuse_rows(&f, d->n[1]);
            }
        stream_end();
    }
}

/* ---- vertical advection ----------------------------------------------------------------------
 * A thread takes blocks of columns and goes through their levels. c and d of the level before (then
 * what is solved for) stay in lines of its own, so that c and d can be streamed. */

enum { BLOCK_ROWS = 4 };

static const double dtr = 3.0 / 20;

typedef struct advection {
    const double *u, *u_pos, *utens, *w;
    double *stage, *c, *d;
    int64_t row, plane, n;
    bool far;
} advection;

typedef struct before {
    line_f64 c[BLOCK_ROWS][WIDEST / LANES], d[BLOCK_ROWS][WIDEST / LANES];
} before;

static inline line_f64 weight(const double *w) { return 0.125 * (load_f64(w + 1) + load_line(w)); }

static inline void fetch(const advection *f, int64_t at)
{
    const int64_t ahead = at + f->plane;
    __builtin_prefetch(f->u + ahead + f->plane);
    __builtin_prefetch(f->w + ahead + f->plane);
    __builtin_prefetch(f->u_pos + ahead);
    __builtin_prefetch(f->utens + ahead);
    __builtin_prefetch(f->stage + ahead);
}

/* A row of a level: -1 the lowest, 1 the highest, 0 between. */
static inline void eliminate_row(const advection *f, int64_t from, int level, line_f64 *last_c,
                                 line_f64 *last_d)
{
    for (int64_t x = 0; x < f->n; x += LANES, last_c++, last_d++) {
        const int64_t at = from + x;
        const line_f64 u = load_line(f->u + at);
        line_f64 b = dtr - (line_f64){0}, up = {0};
        line_f64 rest =
            dtr * load_line(f->u_pos + at) + load_line(f->utens + at) + load_line(f->stage + at);
        if (level < 1) {
            up = weight(f->w + at + f->plane);
            b -= up;
            rest -= up * (load_line(f->u + at + f->plane) - u);
        }
        if (level > -1) {
            const line_f64 down = -weight(f->w + at);
            b -= down + *last_c * down;
            rest -= down * (load_line(f->u + at - f->plane) - u) + *last_d * down;
        }
        if (f->far && level < 1) fetch(f, at);
        const line_f64 share_of_b = 1 / b;
        *last_c = up * share_of_b;
        *last_d = rest * share_of_b;
        put(f->c + at, *last_c, f->far);
        put(f->d + at, *last_d, f->far);
    }
}

static inline void substitute_row(const advection *f, int64_t from, bool highest, line_f64 *last)
{
    for (int64_t x = 0; x < f->n; x += LANES, last++) {
        const int64_t at = from + x;
        line_f64 value = load_line(f->d + at);
        if (!highest) value -= load_line(f->c + at) * *last;
        *last = value;
        if (f->far) {
            __builtin_prefetch(f->c + at - f->plane);
            __builtin_prefetch(f->d + at - f->plane);
            __builtin_prefetch(f->u_pos + at - f->plane);
        }
        *(line_f64 *)(f->d + at) = value;
        put(f->stage + at, dtr * (value - load_line(f->u_pos + at)), f->far);
    }
}

static void eliminate_block(const advection *f, int64_t first, int64_t rows, int64_t levels)
{
    before last;
    for (int64_t z = 0; z < levels; z++)
        for (int64_t r = 0; r < rows; r++) {
            const int64_t at = first + r * f->row + z * f->plane;
            if (z == 0)
                eliminate_row(f, at, -1, last.c[r], last.d[r]);
            else if (z == levels - 1)
                eliminate_row(f, at, 1, last.c[r], last.d[r]);
            else
                eliminate_row(f, at, 0, last.c[r], last.d[r]);
        }
}

static void substitute_block(const advection *f, int64_t first, int64_t rows, int64_t levels)
{
    before last;
    for (int64_t z = levels - 1; z >= 0; z--)
        for (int64_t r = 0; r < rows; r++)
            substitute_row(f, first + r * f->row + z * f->plane, z == levels - 1, last.d[r]);
}

typedef void block_loop(const advection *f, int64_t first, int64_t rows, int64_t levels);

static void in_blocks(const bench_data *d, block_loop *loop)
{
#pragma omp parallel
    {
        int64_t y0, y1;
        advection f = {.u = d->field[0],
                       .u_pos = d->field[1],
                       .utens = d->field[2],
                       .stage = d->field[3],
                       .w = d->field[4],
                       .c = d->field[5],
                       .d = d->field[6],
                       .row = d->row,
                       .plane = d->plane,
                       .far = is_far(d, 8)};
        share(d->n[1], &y0, &y1);
        for (int64_t y = y0; y < y1; y += BLOCK_ROWS)
            for (int64_t x = 0; x < d->n[0]; x += WIDEST) {
                f.n = smaller(WIDEST, d->n[0] - x);
                loop(&f, x + y * d->row, smaller(BLOCK_ROWS, y1 - y), d->n[2]);
            }
        stream_end();
    }
}

void hand_advect(bench_data *d)
{
    in_blocks(d, eliminate_block);
    in_blocks(d, substitute_block);
}
