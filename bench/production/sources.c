/* A wave of order 2 in tiles over time, with and without a thousand sources and receivers that lie
 * anywhere between grid points, of linear weights: eight targets each. */
#include "base/base.h"
#include "bench.h"
#include "production.h"
#include "production_kata.h"

#include <kata/kata.h>
#include <math.h>
#include <stdio.h>

enum { POINTS = 1000, STEPS = 80, CHAINS = 4, PROGRAMS = 3 };

static const char *const programs[PROGRAMS] = {"no points", "1,000 sources",
                                               "1,000 sources, 1,000 receivers"};

typedef struct shot {
    kata *k;
    kata_grid *grid;
    kata_field *p, *next;
    kata_kernel *step;
    kata_points *sources, *receivers;
    kata_scalar *traces;
} shot;

/* Coordinates from a fixed sequence, the same for each program. */
static void scatter(double at[POINTS][3], int side, unsigned seed)
{
    for (int p = 0; p < POINTS; p++)
        for (int d = 0; d < 3; d++) {
            seed = seed * 1664525u + 1013904223u;
            at[p][d] = 1 + (side - 3) * (seed / 4294967296.0);
        }
}

static shot open_shot(int side, int program)
{
    static double at[POINTS][3];
    shot s = {.k = kata_open(&(kata_options){.wait = true, .plan = "tiled cache=512k"})};
    s.grid = kata_grid_3d(s.k, side, side, side);
    s.p = kata_field_new(s.grid, "p", KATA_F32, .boundary = KATA_CONSTANT);
    s.next = kata_field_like(s.p, "next");
    s.step = kata_module_kernel(kata_module_from_text(s.k, "production.kata", production_kata), 0);
    scatter(at, side, 1);
    if (program > 0) s.sources = kata_points_new(s.grid, "sources", at[0], POINTS);
    scatter(at, side, 2);
    if (program > 1) {
        s.receivers = kata_points_new(s.grid, "receivers", at[0], POINTS);
        s.traces = kata_scalar_array_new(s.k, "traces", KATA_F32, POINTS);
    }
    return s;
}

/* Seconds of a chain. Each source has a number of its own. */
static double shoot(shot *s)
{
    static double values[POINTS];
    double start = clock_seconds();
    for (int t = 0; t < STEPS; t++) {
        kata_apply(s->step, kata_all(s->grid), s->p, s->next, 0.1);
        for (int p = 0; p < POINTS && s->sources; p++) values[p] = 1e-9 * (t + p);
        if (s->sources) kata_inject(s->sources, values, s->next);
        if (s->receivers) kata_record(s->receivers, s->traces, s->next);
        kata_swap(s->p, s->next);
    }
    kata_flush(s->k);
    return clock_seconds() - start;
}

/* The rate of the fastest of a few chains, in points a second. */
static double best_rate(shot *s, int side)
{
    double best = INFINITY;
    for (int i = 0; i < CHAINS; i++) best = fmin(best, shoot(s));
    return (double)side * side * side * STEPS / best;
}

bool measure_sources(int side)
{
    double rate[PROGRAMS][MOST_ROUNDS], ratio[PROGRAMS][MOST_ROUNDS];
    shot shots[PROGRAMS];
    bool good = true;
    for (int p = 0; p < PROGRAMS; p++) shots[p] = open_shot(side, p);
    for (int p = 0; p < PROGRAMS; p++) shoot(&shots[p]); /* compiles, plans */
    for (int i = 0; i < rounds; i++)
        for (int p = 0; p < PROGRAMS; p++) {
            rate[p][i] = best_rate(&shots[p], side);
            ratio[p][i] = rate[p][i] / rate[0][i];
        }
    for (int p = 0; p < PROGRAMS; p++) good = kata_ok(shots[p].k) && good;
    for (int p = 0; p < PROGRAMS; p++) kata_close(shots[p].k);
    if (!good) return false;
    printf("a wave of order 2, %d^3 points, f32, %d steps in tiles; medians of %d rounds\n", side,
           STEPS, rounds);
    printf("%-34s %16s %20s\n", "", "1e6 points/s", "beside no points");
    for (int p = 0; p < PROGRAMS; p++)
        printf("%-34s %16.0f %20.2f\n", programs[p], 1e-6 * bench_median(rate[p], rounds),
               bench_median(ratio[p], rounds));
    return true;
}
