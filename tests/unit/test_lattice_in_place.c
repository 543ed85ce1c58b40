/* Lattices in one field: the AA scheme and esoteric pull give the bits of the scheme with two
 * fields, on every executor, number of threads and plan. Grids go down to one point along a
 * dimension. There are solid points, walls, and loops beside that read around what the lattices
 * change. The mass stays. The full count (KATA_TEST_FULL) has one more type of values, sanitizers
 * watch one less: compiling takes the time. */
/* Labels: hostile threads slow */
#include "kata/kata.h"
#include "sanitized.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PAIRS = 3, MOST = 19 * 700 };

typedef struct setting {
    const char *executor, *plan;
    int threads;
} setting;

static const setting reference = {"reference", NULL, 1};
/* The last one only where no tiles around a period are asked for: those have buffers. */
static const setting settings[] = {
    {"cpu", NULL, 1},           {"cpu", NULL, 7},          {"cpu", "skewed z=2 y=2", 7},
    {"cpu", "skewed y=3", 7},   {"plan", "skewed y=2", 1}, {"cpu", "skewed y=2 x=4", 3},
    {"cpu", "diamond y=24", 7},
};

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g;
    kata_field *f, *h, *solid, *rho;
    int64_t count; /* values of f */
    char said[1024];
} world;

typedef void program(world *w);

static void keep_message(void *data, kata_status status, const char *message)
{
    (void)status;
    snprintf(data, 1024, "%s", message);
}

static void open_world(world *w, const setting *s)
{
    w->said[0] = '\0';
    w->k = kata_open(&(kata_options){.executor = s->executor,
                                     .plan = s->plan,
                                     .threads = s->threads,
                                     .wait = true,
                                     .handler = keep_message,
                                     .handler_data = w->said});
}

/* Weights, a little disturbed. */
static void start(world *w, int components)
{
    static double values[MOST];
    int64_t points = w->count / components;
    for (int64_t i = 0; i < w->count; i++)
        values[i] = (1 + 0.001 * (double)(i * 37 % 101)) / (i < points ? 3 : 24);
    kata_put(w->f, kata_all(w->g), values, w->count);
    kata_put(w->h, kata_all(w->g), values, w->count);
}

static void apply(world *w, const char *name)
{
    kata_apply(kata_kernel_find(w->m, name), kata_all(w->g), w->f, w->solid, 1.2);
}

/* ---- three dimensions, and solid points ------------------------------------------------------ */

static void open_d3q19(world *w, const setting *s, kata_type type, const int64_t n[3])
{
    static uint8_t solid[MOST];
    char path[4096];
    open_world(w, s);
    const char *root = getenv("KATA_SOURCE");
    snprintf(path, sizeof path, "%s/examples/lattice_in_place.kata", root ? root : ".");
    w->m = kata_module_load(w->k, path);
    w->g = kata_grid_3d(w->k, n[0], n[1], n[2]);
    w->f = kata_field_new(w->g, "f", type, .components = 19, .boundary = KATA_PERIODIC);
    w->h = kata_field_like(w->f, "h");
    w->solid = kata_field_new(w->g, "solid", KATA_U8);
    w->rho = NULL;
    w->count = 19 * n[0] * n[1] * n[2];
    assert_true(w->count <= MOST);
    for (int64_t i = 0; i < w->count / 19; i++) solid[i] = i * 7 % 11 == 3;
    kata_put(w->solid, kata_all(w->g), solid, w->count / 19);
    start(w, 19);
}

static void pull(world *w)
{
    for (int i = 0; i < 2 * PAIRS; i++) {
        kata_apply(kata_kernel_find(w->m, "pull"), kata_all(w->g), w->f, w->h, w->solid, 1.2);
        kata_swap(w->f, w->h);
    }
}

static void aa(world *w)
{
    for (int i = 0; i < PAIRS; i++) {
        apply(w, "aa_around");
        apply(w, "aa_here");
    }
}

static void esoteric(world *w)
{
    kata_apply(kata_kernel_find(w->m, "to_esoteric"), kata_all(w->g), w->f, w->h);
    kata_swap(w->f, w->h);
    for (int i = 0; i < PAIRS; i++) {
        apply(w, "esoteric_first");
        apply(w, "esoteric_second");
    }
    kata_apply(kata_kernel_find(w->m, "from_esoteric"), kata_all(w->g), w->f, w->h);
    kata_swap(w->f, w->h);
}

static void run_d3q19(const setting *s, kata_type type, const int64_t n[3], program *steps,
                      double *out)
{
    world w;
    open_d3q19(&w, s, type, n);
    steps(&w);
    kata_get(w.f, kata_all(w.g), out, w.count);
    assert_int_equal(kata_close(w.k), KATA_OK);
    assert_string_equal(w.said, "");
}

static void test_d3q19(void **state)
{
    static const kata_type types[] = {KATA_F64, KATA_F16, KATA_F32};
    const size_t type_count = getenv("KATA_TEST_FULL") ? 3 : is_sanitized() ? 1 : 2;
    static const int64_t sizes[][3] = {{17, 5, 6}, {8, 7, 9}, {40, 1, 3}, {1, 12, 2}, {2, 24, 4}};
    static double expected[MOST], found[MOST];
    (void)state;
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
        for (size_t t = 0; t < type_count; t++) {
            size_t bytes = 19 * (size_t)(sizes[n][0] * sizes[n][1] * sizes[n][2]) * sizeof *found;
            run_d3q19(&reference, types[t], sizes[n], pull, expected);
            for (size_t s = 0; s + 1 < sizeof settings / sizeof *settings; s++) {
                if (t > 0 && s > 2) continue;
                program *programs[] = {pull, aa, esoteric};
                for (int p = 0; p < 3; p++) {
                    run_d3q19(&settings[s], types[t], sizes[n], programs[p], found);
                    assert_memory_equal(found, expected, bytes);
                }
            }
        }
}

static void test_mass_stays(void **state)
{
    static double before[MOST], after[MOST];
    const int64_t n[3] = {24, 5, 5};
    double mass = 0, change = 0;
    world w;
    (void)state;
    open_d3q19(&w, &settings[1], KATA_F64, n);
    kata_get(w.f, kata_all(w.g), before, w.count);
    for (int i = 0; i < 20; i++) aa(&w);
    kata_get(w.f, kata_all(w.g), after, w.count);
    for (int64_t i = 0; i < w.count; i++) {
        mass += before[i];
        change += after[i] - before[i];
    }
    assert_true(mass > 100 && fabs(change) < 1e-12 * mass);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

/* ---- two dimensions, between walls ----------------------------------------------------------- */

#define HEAD "    double p[9], rho = 0;\n    for (int q = 0; q < 9; q++) {\n"
#define SUM "        rho += p[q];\n    }\n    for (int q = 0; q < 9; q++) {\n"

/* Beyond the walls, which are along x, lies a gas at rest: nothing is read or written there. */
static const char d2q9[] =
    "const int x[9] = {0, 1, -1, 0, 0, 1, -1, 1, -1};\n"
    "const int y[9] = {0, 0, 0, 1, -1, 1, -1, -1, 1};\n"
    "const int opposite[9] = {0, 2, 1, 4, 3, 6, 5, 8, 7};\n"
    "kernel pull(in double f[9], out double g[9], double omega)\n{\n" HEAD
    "        bool wall = y[q] > 0 ? iy == 0 : y[q] < 0 ? iy == ny-1 : false;\n"
    "        p[q] = wall ? 0.125 : f[q][-x[q],-y[q]];\n" SUM
    "        g[q] = p[q] + omega*(rho*(0.1 + 0.01*x[q] - 0.02*y[q]) - p[q]);\n    }\n}\n"
    "kernel around(inout double f[9], double omega)\n{\n" HEAD
    "        bool wall = y[q] > 0 ? iy == 0 : y[q] < 0 ? iy == ny-1 : false;\n"
    "        p[q] = wall ? 0.125 : f[q][-x[q],-y[q]];\n" SUM
    "        double to = p[q] + omega*(rho*(0.1 + 0.01*x[q] - 0.02*y[q]) - p[q]);\n"
    "        bool wall = y[q] < 0 ? iy == 0 : y[q] > 0 ? iy == ny-1 : false;\n"
    "        if (!wall) f[opposite[q]][x[q],y[q]] = to;\n    }\n}\n"
    "kernel here(inout double f[9], double omega)\n{\n" HEAD
    "        bool wall = y[q] > 0 ? iy == 0 : y[q] < 0 ? iy == ny-1 : false;\n"
    "        p[q] = wall ? 0.125 : f[opposite[q]];\n" SUM
    "        f[q] = p[q] + omega*(rho*(0.1 + 0.01*x[q] - 0.02*y[q]) - p[q]);\n    }\n}\n"
    "kernel look(in double f[9], inout double rho)\n"
    "{ rho += f[5][1,0] - f[5][-1,0] + f[1][-1,0] + f[1][1,0] + f[8][-1,0] - f[8][2,0]; }\n"
    "kernel look_once(in double f[9], inout double rho)\n"
    "{ rho -= f[5][-1,0] + 0.5*f[1][-1,0] + f[8][1,0]; }\n";

static void open_d2q9(world *w, const setting *s, const int64_t n[2])
{
    open_world(w, s);
    w->m = kata_module_from_text(w->k, "d2q9.kata", d2q9);
    w->g = kata_grid_2d(w->k, n[0], n[1]);
    w->f = kata_field_new(w->g, "f", KATA_F64, .components = 9);
    w->rho = kata_field_new(w->g, "rho", KATA_F64);
    kata_boundary_set(w->f, KATA_X_LOW, KATA_PERIODIC, 0);
    kata_boundary_set(w->f, KATA_X_HIGH, KATA_PERIODIC, 0);
    w->h = kata_field_like(w->f, "h");
    w->count = 9 * n[0] * n[1];
    assert_true(w->count <= MOST);
    start(w, 9);
}

static void look(world *w)
{
    kata_apply(kata_kernel_find(w->m, "look"), kata_all(w->g), w->f, w->rho);
    kata_apply(kata_kernel_find(w->m, "look_once"), kata_all(w->g), w->f, w->rho);
    kata_apply(kata_kernel_find(w->m, "look_once"), kata_all(w->g), w->f, w->rho);
    kata_apply(kata_kernel_find(w->m, "look"), kata_all(w->g), w->f, w->rho);
}

static void walls_pull(world *w)
{
    for (int i = 0; i < 2 * PAIRS; i++) {
        if (i % 2 == 0) look(w);
        kata_apply(kata_kernel_find(w->m, "pull"), kata_all(w->g), w->f, w->h, 1.2);
        kata_swap(w->f, w->h);
    }
}

static void walls_aa(world *w)
{
    for (int i = 0; i < PAIRS; i++) {
        look(w);
        kata_apply(kata_kernel_find(w->m, "around"), kata_all(w->g), w->f, 1.2);
        kata_apply(kata_kernel_find(w->m, "here"), kata_all(w->g), w->f, 1.2);
    }
}

static void run_d2q9(const setting *s, const int64_t n[2], program *steps, double *out)
{
    world w;
    open_d2q9(&w, s, n);
    steps(&w);
    kata_get(w.f, kata_all(w.g), out, w.count);
    kata_get(w.rho, kata_all(w.g), out + w.count, w.count / 9);
    assert_int_equal(kata_close(w.k), KATA_OK);
    assert_string_equal(w.said, "");
}

static void test_walls(void **state)
{
    static const int64_t sizes[][2] = {{21, 30}, {16, 9}, {3, 40}, {50, 2}};
    static double expected[2 * MOST], found[2 * MOST];
    (void)state;
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        size_t bytes = 10 * (size_t)(sizes[n][0] * sizes[n][1]) * sizeof *found;
        run_d2q9(&reference, sizes[n], walls_pull, expected);
        for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
            run_d2q9(&settings[s], sizes[n], walls_pull, found);
            assert_memory_equal(found, expected, bytes);
            run_d2q9(&settings[s], sizes[n], walls_aa, found);
            assert_memory_equal(found, expected, bytes);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_d3q19),
        cmocka_unit_test(test_mass_stays),
        cmocka_unit_test(test_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
