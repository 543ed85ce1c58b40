/* Hand-written kernels: many sweeps of the 7-point star in one pass over memory.
 *
 * Sweeps are taken in sections of some depth. Within a section the rows of all planes are cut into
 * tiles of z by y rows, whole along x. A tile goes through all sweeps of its section, and moves
 * down by one plane and by one row with each. So it finds what it reads in the second-level cache,
 * and the same two arrays serve all sweeps.
 *
 * A tile needs the tiles beside it at lower z and lower y. Threads take the rows of tiles (equal z)
 * in turn. How many tiles of a row are done is in a counter, and the thread of the next row waits
 * for it. The next section begins as soon as the last sweep of this one is far enough ahead. */
#include "hand/hand_common.h"

#include <sched.h>
#include <stdlib.h>

/* Into all that knows the sizes of what it is given while compiling. */
#define INLINE __attribute__((always_inline))

enum { ROWS = 4, PLANES = 2, SPINS = 256 };

/* Tiles done of a row; in a line of its own. */
typedef struct row_counter {
    _Alignas(64) int64_t done;
} row_counter;

typedef struct skewed {
    const bench_data *d;
    bench_tile tile;
    int64_t sweeps, rows, columns; /* of tiles, in each section */
    row_counter *counter;          /* of all rows, section by section */
} skewed;

/* ---- a sweep over a tile --------------------------------------------------------------------- */

/* Which sweep of its section it is: the first one fetches from memory, the last one is read by
 * nobody soon. */
typedef struct moment {
    bool first, last;
} moment;

static inline void fetch(const double *v, const double *above)
{
    __builtin_prefetch(above);
    __builtin_prefetch(v, 1);
}

/* Lines of so many rows in so many planes, which are loaded once for all of them. */
typedef struct lines {
    line_f64 of[PLANES][ROWS];
} lines;

#define FOR_EACH_LINE(planes, rows)                                                                \
    _Pragma("GCC unroll 2") for (int p = 0; p < planes; p++)                                       \
        _Pragma("GCC unroll 4") for (int r = 0; r < rows; r++)

static inline lines load_lines(const double *u, const bench_data *d, int planes, int rows)
{
    lines l = {0};
    FOR_EACH_LINE(planes, rows) l.of[p][r] = load_line(u + r * d->row + p * d->plane);
    return l;
}

static inline lines star_lines(const double *u, const bench_data *d, const lines *west,
                               const lines *here, const lines *east, int planes, int rows)
{
    const double a = d->number[0], b = d->number[1];
    lines out = {0};
    FOR_EACH_LINE(planes, rows)
    {
        const double *at = u + r * d->row + p * d->plane;
        const line_f64 mid = here->of[p][r];
        line_f64 s = BETWEEN(west->of[p][r], mid, LANES - 1) + BETWEEN(mid, east->of[p][r], 1);
        s += (r ? here->of[p][r - 1] : load_line(at - d->row)) +
             (r + 1 < rows ? here->of[p][r + 1] : load_line(at + d->row));
        s += (p ? here->of[p - 1][r] : load_line(at - d->plane)) +
             (p + 1 < planes ? here->of[p + 1][r] : load_line(at + d->plane));
        out.of[p][r] = a * mid + b * s;
    }
    return out;
}

static inline INLINE void star_rows(double *v, const double *u, const bench_data *d, int planes,
                                    int rows, moment m)
{
    lines west = load_lines(u - LANES, d, planes, rows), here = load_lines(u, d, planes, rows);
    for (int64_t x = 0; x < d->n[0]; x += LANES) {
        lines east = load_lines(u + x + LANES, d, planes, rows);
        lines out = star_lines(u + x, d, &west, &here, &east, planes, rows);
        FOR_EACH_LINE(planes, rows)
        {
            const int64_t at = x + r * d->row + p * d->plane;
            if (m.first) fetch(v + at + rows * d->row, u + at + rows * d->row + d->plane);
            put(v + at, out.of[p][r], m.last);
        }
        west = here;
        here = east;
    }
}

static inline INLINE void sweep_planes(double *v, const double *u, const bench_data *d, int planes,
                                       int64_t rows, moment m)
{
    int64_t r = 0;
    for (; r + ROWS <= rows; r += ROWS)
        star_rows(v + r * d->row, u + r * d->row, d, planes, ROWS, m);
    for (; r < rows; r++) star_rows(v + r * d->row, u + r * d->row, d, planes, 1, m);
}

static inline INLINE void sweep_box(double *v, const double *u, const bench_data *d,
                                    const int64_t z[2], const int64_t y[2], moment m)
{
    const int64_t rows = y[1] - y[0], at = y[0] * d->row;
    int64_t p = z[0];
    for (; p + PLANES <= z[1]; p += PLANES)
        sweep_planes(v + at + p * d->plane, u + at + p * d->plane, d, PLANES, rows, m);
    for (; p < z[1]; p++) sweep_planes(v + at + p * d->plane, u + at + p * d->plane, d, 1, rows, m);
}

/* What is known while compiling. */
static void sweep_first(double *v, const double *u, const bench_data *d, const int64_t z[2],
                        const int64_t y[2])
{
    sweep_box(v, u, d, z, y, (moment){.first = true});
}

static void sweep_middle(double *v, const double *u, const bench_data *d, const int64_t z[2],
                         const int64_t y[2])
{
    sweep_box(v, u, d, z, y, (moment){0});
}

static void sweep_last(double *v, const double *u, const bench_data *d, const int64_t z[2],
                       const int64_t y[2])
{
    sweep_box(v, u, d, z, y, (moment){.last = true});
}

/* ---- tiles ----------------------------------------------------------------------------------- */

/* The part of a tile in sweep `t` of its section, within n. */
static void clip(int64_t part[2], int64_t index, int64_t size, int64_t t, int64_t n)
{
    part[0] = index * size - t;
    part[1] = smaller(part[0] + size, n);
    if (part[0] < 0) part[0] = 0;
}

static void run_tile(const skewed *s, int64_t i, int64_t j, int64_t begin, int64_t depth)
{
    const bench_data *d = s->d;
    for (int64_t t = 0; t < depth; t++) {
        int64_t z[2], y[2];
        clip(z, i, s->tile.z, t, d->n[2]);
        clip(y, j, s->tile.y, t, d->n[1]);
        const double *u = d->field[(begin + t) % 2];
        double *v = d->field[(begin + t + 1) % 2];
        if (t == 0 && s->tile.far)
            sweep_first(v, u, d, z, y);
        else if (t == depth - 1 && s->tile.far)
            sweep_last(v, u, d, z, y);
        else
            sweep_middle(v, u, d, z, y);
    }
}

/* ---- threads --------------------------------------------------------------------------------- */

static void wait_for(const row_counter *c, int64_t done)
{
    for (int spins = 1; __atomic_load_n(&c->done, __ATOMIC_ACQUIRE) < done; spins++)
        if (spins % SPINS == 0) sched_yield();
}

/* The number of sweeps in a section. */
static int64_t depth_of(const skewed *s, int64_t section)
{
    return smaller(s->tile.depth, s->sweeps - section * s->tile.depth);
}

/* Waits for the tile at lower z, and for the section before: its last sweep is one behind for each
 * sweep that it had before. */
static void wait_for_tile(const skewed *s, int64_t section, int64_t i, int64_t j)
{
    const row_counter *c = s->counter + section * s->rows;
    if (i > 0) wait_for(&c[i - 1], j + 1);
    if (section == 0) return;
    const int64_t behind = depth_of(s, section - 1) - 1;
    const int64_t row = smaller(i + behind / s->tile.z + 1, s->rows - 1);
    const int64_t column = smaller(j + behind / s->tile.y + 1, s->columns - 1);
    wait_for(c - s->rows + row, column + 1);
}

static void run_rows(const skewed *s, int64_t sections)
{
    for (int64_t r = omp_get_thread_num(); r < sections * s->rows; r += omp_get_num_threads()) {
        const int64_t section = r / s->rows, i = r % s->rows;
        for (int64_t j = 0; j < s->columns; j++) {
            wait_for_tile(s, section, i, j);
            run_tile(s, i, j, section * s->tile.depth, depth_of(s, section));
            stream_end();
            __atomic_store_n(&s->counter[r].done, j + 1, __ATOMIC_RELEASE);
        }
    }
}

static int64_t tiles_of(int64_t n, int64_t size, int64_t depth)
{
    return (n + depth - 1 + size - 1) / size;
}

bool hand_skewed7(bench_data *d, int64_t sweeps, bench_tile tile)
{
    skewed s = {.d = d,
                .tile = tile,
                .sweeps = sweeps,
                .rows = tiles_of(d->n[2], tile.z, tile.depth),
                .columns = tiles_of(d->n[1], tile.y, tile.depth)};
    const int64_t sections = (sweeps + tile.depth - 1) / tile.depth;
    const size_t bytes = (size_t)(sections * s.rows) * sizeof *s.counter;
    s.counter = aligned_alloc(sizeof *s.counter, bytes);
    if (!s.counter) return false;
    for (int64_t r = 0; r < sections * s.rows; r++) s.counter[r].done = 0;
#pragma omp parallel
    run_rows(&s, sections);
    free(s.counter);
    if (sweeps % 2) bench_swap(d, 0, 1);
    return true;
}
