/* Tiles over time go on across copies: blocks of several sizes, glued along x and y, have the bits
 * of the reference executor by every plan and on every number of threads. What cannot be cut is
 * named: rings of blocks, and dimensions that copies turn. */
/* Labels: hostile threads */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    "kernel step(in double u, out double v)\n"
    "{ v = u + 0.1*((u[1,0] - u) + (u[-1,0] - u) + (u[0,1] - u) + (u[0,-1] - u)); }\n"
    "kernel sum(in double u, inout sum double s) { s += u; }\n";

enum { STEPS = 11, MOST = 24 * 16, SAID = 4000 };

/* An L of three blocks: the second lies at the first one's right side, the third on its top. */
static const int64_t sizes[3][2] = {{11, 9}, {13, 9}, {11, 16}};

typedef struct said {
    char text[SAID];
} said;

static void note(void *data, kata_status status, const char *message)
{
    said *s = data;
    size_t used = strlen(s->text);
    assert_int_equal(status, KATA_OK);
    snprintf(s->text + used, SAID - used, "%s\n", message);
}

static kata *open_by(const kata_options *options, said *s)
{
    kata_options o = *options;
    o.wait = true;
    o.handler = note;
    o.handler_data = s;
    s->text[0] = '\0';
    return kata_open(&o);
}

static void fill(kata_field *u, kata_grid *g, int64_t nx, int64_t ny, int block)
{
    double values[MOST];
    for (int64_t i = 0; i < nx * ny; i++) values[i] = (double)((i * 37 + block * 11) % 101);
    kata_put(u, kata_all(g), values, (size_t)(nx * ny));
}

/* ---- an L ------------------------------------------------------------------------------------ */

typedef struct blocks {
    kata *k;
    kata_grid *g[3];
    kata_field *u[3], *v[3];
} blocks;

static void make_blocks(blocks *b)
{
    for (int i = 0; i < 3; i++) {
        b->g[i] = kata_grid_2d(b->k, sizes[i][0], sizes[i][1]);
        b->u[i] = kata_field_new(b->g[i], "u", KATA_F64, .boundary = KATA_CLAMP, .ghosts = 1);
    }
    kata_boundary_set(b->u[0], KATA_X_HIGH, KATA_NONE, 0);
    kata_boundary_set(b->u[1], KATA_X_LOW, KATA_NONE, 0);
    kata_boundary_set(b->u[0], KATA_Y_HIGH, KATA_NONE, 0);
    kata_boundary_set(b->u[2], KATA_Y_LOW, KATA_NONE, 0);
    for (int i = 0; i < 3; i++) {
        b->v[i] = kata_field_like(b->u[i], "v");
        fill(b->u[i], b->g[i], sizes[i][0], sizes[i][1], i);
    }
}

static void glue(const blocks *b, int low, int high, kata_side side, kata_side opposite)
{
    kata_copy(b->u[low], kata_ghost(b->u[low], side, 1), b->u[high],
              kata_face(b->g[high], opposite, 1));
    kata_copy(b->u[high], kata_ghost(b->u[high], opposite, 1), b->u[low],
              kata_face(b->g[low], side, 1));
}

static void run_blocks(const kata_options *options, double out[3][MOST], double *sum, said *s)
{
    blocks b = {.k = open_by(options, s)};
    kata_module *m = kata_module_from_text(b.k, "blocks", text);
    kata_scalar *all = kata_scalar_new(b.k, "all", KATA_F64);
    make_blocks(&b);
    for (int t = 0; t < STEPS; t++) {
        glue(&b, 0, 1, KATA_X_HIGH, KATA_X_LOW);
        glue(&b, 0, 2, KATA_Y_HIGH, KATA_Y_LOW);
        for (int i = 0; i < 3; i++) {
            kata_apply(kata_kernel_find(m, "step"), kata_all(b.g[i]), b.u[i], b.v[i]);
            kata_swap(b.u[i], b.v[i]);
        }
    }
    for (int i = 0; i < 3; i++)
        kata_apply(kata_kernel_find(m, "sum"), kata_all(b.g[i]), b.u[i], all);
    for (int i = 0; i < 3; i++)
        kata_get(b.u[i], kata_all(b.g[i]), out[i], (size_t)(sizes[i][0] * sizes[i][1]));
    kata_scalar_get(all, sum);
    assert_int_equal(kata_close(b.k), KATA_OK);
}

static void glued_blocks_are_tiled(void **data)
{
    static const kata_options ways[] = {
        {.executor = "plan", .plan = "skewed x=4 y=3"},
        {.executor = "plan", .plan = "skewed y=5 depth=9"},
        {.executor = "plan", .plan = "diamond x=40 depth=12"},
        {.executor = "plan", .plan = "shared cache=4096"},
        {.executor = "cpu", .threads = 1, .plan = "skewed x=4 y=3"},
        {.executor = "cpu", .threads = 2, .plan = "skewed y=5 x=7 depth=9"},
        {.executor = "cpu", .threads = 3, .plan = "diamond y=40 depth=12"},
        {.executor = "cpu", .threads = 7, .plan = "diamond x=40 depth=12"},
        {.executor = "cpu", .threads = 2, .plan = "skewed y=8 / skewed x=5"},
        {.executor = "cpu", .threads = 3, .plan = "tiled cache=2048 threads=3"}};
    static double wanted[3][MOST], found[3][MOST];
    double wanted_sum, sum;
    said s;
    (void)data;
    run_blocks(&(kata_options){.executor = "reference"}, wanted, &wanted_sum, &s);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        run_blocks(&ways[i], found, &sum, &s);
        assert_memory_equal(wanted, found, sizeof wanted);
        assert_true(sum == wanted_sum);
#ifndef KATA_HOSTILE                     /* which makes caches tiny */
        assert_string_equal(s.text, ""); /* no loop is left out of the tiles */
#endif
    }
}

/* ---- what is left whole ---------------------------------------------------------------------- */

/* A block that is its own neighbour along x; `turned`: y of its ghosts runs backwards. */
static void run_ring(const kata_options *options, bool turned, double out[MOST], said *s)
{
    enum { NX = 17, NY = 12 };
    kata *k = open_by(options, s);
    kata_module *m = kata_module_from_text(k, "ring", text);
    kata_grid *g = kata_grid_2d(k, NX, NY);
    kata_field *u =
        kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP, .ghosts_x = 1, .ghosts_y = 1);
    kata_boundary_set(u, KATA_X_LOW, KATA_NONE, 0);
    kata_boundary_set(u, KATA_X_HIGH, KATA_NONE, 0);
    kata_field *v = kata_field_like(u, "v");
    const int y = turned ? -2 : 2;
    fill(u, g, NX, NY, 0);
    for (int t = 0; t < STEPS; t++) {
        kata_copy(u, kata_ghost(u, KATA_X_LOW, 1), u, kata_face(g, KATA_X_HIGH, 1), .axes = {1, y});
        kata_copy(u, kata_ghost(u, KATA_X_HIGH, 1), u, kata_face(g, KATA_X_LOW, 1), .axes = {1, y});
        kata_apply(kata_kernel_find(m, "step"), kata_all(g), u, v);
        kata_swap(u, v);
    }
    kata_get(u, kata_all(g), out, NX * NY);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void rings_are_cut_across(void **data)
{
    static double wanted[MOST], found[MOST];
    said s;
    (void)data;
    for (int turned = 0; turned < 2; turned++) {
        run_ring(&(kata_options){.executor = "reference"}, turned, wanted, &s);
        for (int threads = 1; threads < 4; threads++) {
            run_ring(&(kata_options){.threads = threads, .plan = "skewed x=4 y=3"}, turned, found,
                     &s);
            assert_memory_equal(wanted, found, sizeof wanted);
            run_ring(&(kata_options){.executor = "plan", .plan = "skewed x=4"}, turned, found, &s);
            assert_memory_equal(wanted, found, sizeof wanted);
            assert_non_null(strstr(s.text, "not along x: copies lead around along it"));
        }
        run_ring(&(kata_options){.executor = "plan", .plan = "skewed y=3"}, turned, found, &s);
        assert_memory_equal(wanted, found, sizeof wanted);
        assert_true(!strstr(s.text, "not along y: copies turn it") == !turned);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(glued_blocks_are_tiled),
        cmocka_unit_test(rings_are_cut_across),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
