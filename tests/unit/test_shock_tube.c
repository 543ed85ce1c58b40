/* A shock tube in two blocks that copy ghosts from one another gives the bits of one grid, and
 * those of loops in C: the length of a step comes from the fastest wave in both blocks. */
/* Labels: hostile */
#include "kata/kata.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Sod's tube; Euler's equations with fluxes of Rusanov, of first order in space and time. q: mass,
 * momentum and energy. */
static const char tube[] =
    "contract off;\n"
    "const double GAMMA = 1.4;\n"
    "static double pressure(in double q[3])\n"
    "{ return (GAMMA - 1)*(q[2] - 0.5*(q[1]*q[1]/q[0])); }\n"
    "static double sound(in double q[3]) { return sqrt(GAMMA*pressure(q)/q[0]); }\n"
    "static double wave(in double q[3]) { return fabs(q[1]/q[0]) + sound(q); }\n"
    "static double carried(in double q[3], const int e)\n"
    "{\n"
    "    if (e == 0) return q[1];\n"
    "    if (e == 1) return q[1]*q[1]/q[0] + pressure(q);\n"
    "    return (q[2] + pressure(q))*(q[1]/q[0]);\n"
    "}\n"
    "static double flux(in double q[3], const int e, double speed, double jump)\n"
    "{ return 0.5*(carried(q[-1,0,0], e) + carried(q, e)) - 0.5*speed*jump; }\n"
    "kernel start(out double q[3], long first, long middle)\n"
    "{\n"
    "    bool left = ix + first < middle;\n"
    "    q[0] = left ? 1 : 0.125;\n"
    "    q[1] = 0;\n"
    "    q[2] = (left ? 1 : 0.1)/(GAMMA - 1);\n"
    "}\n"
    "kernel fastest(in double q[3], inout max double speed) { speed = max(speed, wave(q)); }\n"
    "kernel choose(in double speed, out double ratio, inout double time)\n"
    "{ ratio = 0.4/speed; time += ratio; }\n"
    "kernel slow(out double speed) { speed = 0; }\n"
    "kernel step(in double q[3], out double next[3], double ratio)\n"
    "{\n"
    "    double low = max(wave(q[-1,0,0]), wave(q)), high = max(wave(q), wave(q[1,0,0]));\n"
    "    for (int e = 0; e < 3; e++) {\n"
    "        double in_flow = flux(q, e, low, q[e] - q[e][-1,0,0]);\n"
    "        double out_flow = flux(q[1,0,0], e, high, q[e][1,0,0] - q[e]);\n"
    "        next[e] = q[e] - ratio*(out_flow - in_flow);\n"
    "    }\n"
    "}\n";

enum { CELLS = 130, CUT = 53, STEPS = 120 };

/* ---- by loops -------------------------------------------------------------------------------- */

typedef double state[3];

static double pressure(const state q) { return (1.4 - 1) * (q[2] - 0.5 * (q[1] * q[1] / q[0])); }

static double wave(const state q) { return fabs(q[1] / q[0]) + sqrt(1.4 * pressure(q) / q[0]); }

static void carried(const state q, state f)
{
    f[0] = q[1];
    f[1] = q[1] * q[1] / q[0] + pressure(q);
    f[2] = (q[2] + pressure(q)) * (q[1] / q[0]);
}

static void flux(const state a, const state b, state f)
{
    state fa, fb;
    double speed = wave(a) > wave(b) ? wave(a) : wave(b);
    carried(a, fa);
    carried(b, fb);
    for (int e = 0; e < 3; e++) f[e] = 0.5 * (fa[e] + fb[e]) - 0.5 * speed * (b[e] - a[e]);
}

/* Cell i of the tube is q[i + 1]; the first and the last are beyond its ends. */
static void by_loops(double out[3][CELLS], double *time)
{
    static state q[CELLS + 2], f[CELLS + 1];
    *time = 0;
    for (int i = 0; i < CELLS; i++) {
        bool left = i < CELLS / 2;
        q[i + 1][0] = left ? 1 : 0.125;
        q[i + 1][1] = 0;
        q[i + 1][2] = (left ? 1 : 0.1) / (1.4 - 1);
    }
    for (int t = 0; t < STEPS; t++) {
        double speed = 0;
        memcpy(q[0], q[1], sizeof q[0]);
        memcpy(q[CELLS + 1], q[CELLS], sizeof q[0]);
        for (int i = 1; i <= CELLS; i++) speed = wave(q[i]) > speed ? wave(q[i]) : speed;
        double ratio = 0.4 / speed;
        for (int i = 0; i <= CELLS; i++) flux(q[i], q[i + 1], f[i]);
        for (int i = 1; i <= CELLS; i++)
            for (int e = 0; e < 3; e++) q[i][e] -= ratio * (f[i][e] - f[i - 1][e]);
        *time += ratio;
    }
    for (int e = 0; e < 3; e++)
        for (int i = 0; i < CELLS; i++) out[e][i] = q[i + 1][e];
}

/* ---- by blocks ------------------------------------------------------------------------------- */

typedef struct block {
    kata_grid *g;
    kata_field *q, *next;
} block;

typedef struct world {
    kata *k;
    kata_module *m;
    kata_scalar *speed, *ratio, *time;
    block blocks[2];
    int count;
} world;

static kata_kernel *find(const world *w, const char *name) { return kata_kernel_find(w->m, name); }

static void make_block(world *w, int64_t first, int64_t cells)
{
    block *b = &w->blocks[w->count++];
    b->g = kata_grid_3d(w->k, cells, 1, 1);
    b->q =
        kata_field_new(b->g, "q", KATA_F64, .components = 3, .boundary = KATA_CLAMP, .ghosts_x = 1);
    if (first > 0) kata_boundary_set(b->q, KATA_X_LOW, KATA_NONE, 0);
    if (first + cells < CELLS) kata_boundary_set(b->q, KATA_X_HIGH, KATA_NONE, 0);
    b->next = kata_field_like(b->q, "next");
    kata_apply(find(w, "start"), kata_all(b->g), b->q, first, CELLS / 2);
}

static void exchange(world *w)
{
    block *a = &w->blocks[0], *b = &w->blocks[1];
    kata_copy(a->q, kata_ghost(a->q, KATA_X_HIGH, 1), b->q, kata_face(b->g, KATA_X_LOW, 1));
    kata_copy(b->q, kata_ghost(b->q, KATA_X_LOW, 1), a->q, kata_face(a->g, KATA_X_HIGH, 1));
}

static void step(world *w)
{
    if (w->count == 2) exchange(w);
    kata_apply(find(w, "slow"), kata_once(w->k), w->speed);
    for (int i = 0; i < w->count; i++)
        kata_apply(find(w, "fastest"), kata_all(w->blocks[i].g), w->blocks[i].q, w->speed);
    kata_apply(find(w, "choose"), kata_once(w->k), w->speed, w->ratio, w->time);
    for (int i = 0; i < w->count; i++) {
        block *b = &w->blocks[i];
        kata_apply(find(w, "step"), kata_all(b->g), b->q, b->next, w->ratio);
        kata_swap(b->q, b->next);
    }
    kata_step(w->k);
}

static void by_blocks(const kata_options *options, int64_t cut, double out[3][CELLS], double *time)
{
    world w = {.k = kata_open(options)};
    w.m = kata_module_from_text(w.k, "tube", tube);
    w.speed = kata_scalar_new(w.k, "speed", KATA_F64);
    w.ratio = kata_scalar_new(w.k, "ratio", KATA_F64);
    w.time = kata_scalar_new(w.k, "time", KATA_F64);
    make_block(&w, 0, cut);
    if (cut < CELLS) make_block(&w, cut, CELLS - cut);
    for (int t = 0; t < STEPS; t++) step(&w);
    kata_scalar_get(w.time, time);
    for (int i = 0; i < w.count; i++) {
        double values[3 * CELLS];
        int64_t first = i ? cut : 0, cells = i ? CELLS - cut : cut;
        kata_get(w.blocks[i].q, kata_all(w.blocks[i].g), values, 3 * cells);
        for (int e = 0; e < 3; e++)
            memcpy(&out[e][first], values + e * cells, (size_t)cells * sizeof(double));
    }
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void test_two_blocks_are_one_tube(void **state)
{
    static const kata_options ways[] = {{.executor = "cpu", .threads = 1, .wait = true},
                                        {.executor = "cpu", .threads = 3, .wait = true},
                                        {.executor = "reference"}};
    static const int64_t cuts[] = {CELLS, CUT, CELLS / 2, 1};
    double expected[3][CELLS], found[3][CELLS], end, time;
    (void)state;
    by_loops(expected, &end);
    assert_true(fabs(expected[0][0] - 1) < 1e-3 && expected[0][CELLS / 2] < 0.5);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++) {
            by_blocks(&ways[i], cuts[c], found, &time);
            assert_true(time == end);
            assert_memory_equal(found, expected, sizeof expected);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_blocks_are_one_tube)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
