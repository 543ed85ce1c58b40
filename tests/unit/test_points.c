/* Points between grid points: the same bits whatever runs the loops, recording is the transpose of
 * injecting, linear weights are exact for linear fields, and sums have the order of kata.h. */
/* Labels: hostile */
#include "kata/kata.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t state;

static double draw(double low, double high)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(state >> 11) * 0x1p-53;
}

static int from(int low, int high) { return (int)floor(draw(low, high + 1)); }

static void report(void *data, kata_status status, const char *message)
{
    (void)data;
    if (status) fprintf(stderr, "%s\n", message);
}

/* ---- the same bits by every plan ------------------------------------------------------------- */

static const char wave_text[] =
    "kernel wave2(in double u, inout double v, in double m) {\n"
    "    v = 2*u - v + m * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u);\n"
    "}\n"
    "kernel wave3(in double u, inout double v, in double m) {\n"
    "    v = 2*u - v + m * (u[-1,0,0] + u[1,0,0] + u[0,-1,0] + u[0,1,0] + u[0,0,-1] + u[0,0,1]"
    " - 6*u);\n"
    "}\n"
    "kernel wave1(in double u, inout double v, in double m) {\n"
    "    v = 2*u - v + m * (u[-1] + u[1] - 2*u);\n"
    "}\n";

enum { MOST_POINTS = 40, STEPS = 12, MOST_VALUES = 40000 };

/* A program, drawn from its seed: the same by every setting. */
typedef struct setting {
    const char *executor, *plan;
    int threads;
    int64_t memory;
} setting;

typedef struct outcome {
    int64_t count, traced;
    double u[MOST_VALUES], traces[STEPS * MOST_POINTS];
} outcome;

static kata_grid *make_grid(kata *k, int rank, const int64_t n[3])
{
    if (rank == 1) return kata_grid_1d(k, n[0]);
    if (rank == 2) return kata_grid_2d(k, n[0], n[1]);
    return kata_grid_3d(k, n[0], n[1], n[2]);
}

static kata_points *make_points(kata_grid *g, const char *name, int rank, const int64_t n[3],
                                int count)
{
    double at[MOST_POINTS * 3];
    int reach = from(0, 3) ? 0 : from(1, 2);
    for (int i = 0; i < count; i++)
        for (int d = 0; d < rank; d++) {
            double x = draw(reach, (double)n[d] - 1 - reach);
            at[i * rank + d] = from(0, 3) ? x : floor(x);
            if (i && !from(0, 3)) at[i * rank + d] = at[(i - 1) * rank + d];
        }
    return kata_points_new(g, name, at, count, .reach = reach);
}

static void run(uint64_t seed, const setting *s, outcome *out)
{
    state = seed * 2654435761u + 12345;
    kata *k = kata_open(&(kata_options){.executor = s->executor,
                                        .plan = s->plan,
                                        .threads = s->threads,
                                        .memory = s->memory,
                                        .wait = true,
                                        .handler = report});
    kata_module *m = kata_module_from_text(k, "wave", wave_text);
    int rank = from(1, 3), sources = from(1, MOST_POINTS), receivers = from(1, MOST_POINTS);
    int64_t n[3] = {1, 1, 1};
    for (int d = 0; d < rank; d++) n[d] = from(8, rank == 1 ? 300 : rank == 2 ? 70 : 24);
    kata_grid *g = make_grid(k, rank, n);
    kata_type type = from(0, 2) ? KATA_F32 : KATA_F64;
    kata_rule rule = from(0, 1) ? KATA_PERIODIC : KATA_CLAMP;
    kata_field *u = kata_field_new(g, "u", type, .boundary = rule), *v = kata_field_like(u, "v");
    kata_field *scale = kata_field_new(g, "m", KATA_F64, .along = from(0, 1) ? KATA_X : 0);
    kata_field *full = kata_field_new(g, "full", KATA_F64);
    bool scaled = from(0, 1), chained = from(0, 1);
    kata_points *from_here = make_points(g, "sources", rank, n, sources);
    kata_points *to_here = make_points(g, "receivers", rank, n, chained ? sources : receivers);
    if (chained) receivers = sources;
    kata_scalar *traces =
        kata_scalar_array_new(k, "traces", from(0, 1) ? KATA_F64 : KATA_F32, receivers);
    kata_scalar_log(traces, STEPS);
    kata_fill(scale, kata_on(scale), 0.25);
    kata_fill(full, kata_on(full), 0.2);
    char name[] = {'w', 'a', 'v', 'e', (char)('0' + rank), '\0'};
    kata_kernel *wave = kata_kernel_find(m, name);
    for (int step = 0; step < STEPS; step++) {
        double values[MOST_POINTS];
        for (int i = 0; i < sources; i++) values[i] = draw(-1, 1);
        kata_apply(wave, kata_all(g), u, v, full);
        if (scaled)
            kata_inject(from_here, kata_table_of(KATA_F64, values, sources), v, .scale = scale);
        else
            kata_inject(from_here, kata_table_of(KATA_F64, values, sources), v);
        if (chained && step) kata_inject(from_here, traces, v);
        kata_record(to_here, traces, v);
        kata_swap(u, v);
        kata_step(k);
    }
    out->count = n[0] * n[1] * n[2];
    out->traced = (int64_t)STEPS * receivers;
    kata_get(u, kata_all(g), out->u, out->count);
    kata_scalar_log_get(traces, out->traces, out->traced);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void expect_same(const outcome *a, const outcome *b, uint64_t seed, const char *plan)
{
    assert_int_equal(a->count, b->count);
    if (memcmp(a->u, b->u, (size_t)a->count * sizeof *a->u) != 0 ||
        memcmp(a->traces, b->traces, (size_t)a->traced * sizeof *a->traces) != 0)
        fail_msg("seed %llu differs by '%s'", (unsigned long long)seed, plan);
}

static void every_plan_gives_the_bits_of_the_reference(void **unused)
{
    static const setting settings[] = {
        {"cpu", NULL, 1, 0},
        {"cpu", NULL, 3, 0},
        {"cpu", "loops", 2, 0},
        {"cpu", "skewed z=5 y=7", 2, 0},
        {"cpu", "tiled cache=16384", 3, 0},
        {"cpu", "shared cache=16384", 2, 0},
        {"cpu", "overlapped z=6 y=6", 2, 0},
        {"cpu", "windowed cache=4096 threads=2", 2, 0},
        {"cpu", "sliding", 2, 0},
        {"cpu", "diamond y=9", 2, 0},
        {"cpu", NULL, 2, 8192},
        {"plan", "skewed z=5 y=7", 1, 0},
        {"plan", "overlapped z=6 y=6 x=9", 1, 0},
        {"plan", "windowed cache=4096", 1, 0},
        {"plan", "blocked parts.y=2 every=3", 1, 0},
        {"plan", "streamed z=4", 1, 0},
    };
    enum { SEEDS = 24 };
    static outcome expected, found;
    (void)unused;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        run(seed, &(setting){"reference", NULL, 1, 0}, &expected);
        for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
            if (i % 4 != seed % 4 && !getenv("ALL")) continue;
            run(seed, &settings[i], &found);
            expect_same(&expected, &found, seed, settings[i].plan ? settings[i].plan : "none");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_plan_gives_the_bits_of_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
