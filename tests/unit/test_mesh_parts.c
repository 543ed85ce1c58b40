/* Meshes whose elements are dealt out to ranks: the plans are proven, for elements along x and
 * along y. Fields have the bits of the reference executor, on as many ranks as there are. */
#include "api/api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Sums over neighbours, and neighbours of neighbours, of all kinds; and what reads no neighbour. */
static const char kernels[] =
    "kernel to_cells(in double e on edge, in double w on cell : edges, out double c on cell) on "
    "cell\n"
    "{\n"
    "    double s = 0;\n"
    "    for (n : edges) s += orientation(n)*e[n]*w[n];\n"
    "    c = s + 0.01*iz;\n"
    "}\n"
    "kernel to_edges(in double c on cell, in double v on vertex, inout double e on edge) on edge\n"
    "{\n"
    "    double s = 0;\n"
    "    for (n : cells) s += orientation(n)*c[n];\n"
    "    for (n : vertices) s += orientation(n)*v[n];\n"
    "    e = 0.9*e + 0.1*s;\n"
    "}\n"
    "kernel to_vertices(in double c on cell, in double e on edge, out double v on vertex) on "
    "vertex\n"
    "{\n"
    "    double s = 0;\n"
    "    for (n : edges)\n"
    "        for (m : cells[n]) s += 0.25*e[n]*c[m];\n"
    "    v = s;\n"
    "}\n"
    "kernel smooth(in double a on cell, out double b on cell) on cell\n"
    "{\n"
    "    double s = 0;\n"
    "    for (n : cells) s += a[n];\n"
    "    b = 0.5*a + s/6;\n"
    "}\n"
    "kernel add(inout double a on cell, in double b on cell) on cell { a = 0.5*(a + b); }\n"
    "kernel measure(in double c on cell, sum double all, max double most) on cell\n"
    "{ all += c*c; most = max(most, c); }\n";

enum { STEPS = 3, LEVELS = 9 };

typedef struct world {
    kata *k;
    kata_grid *g;
    kata_module *m;
    kata_field *c, *d, *e, *v, *w;
    kata_scalar *all, *most;
} world;

static kata_field *field(const world *w, const char *name, kata_location on, kata_location each)
{
    kata_field *f = kata_field_new(w->g, name, KATA_F64, .on = on, .each = each);
    const int64_t count = kata_grid_count(w->g, on) * w->g->shape.size[2] * (each ? 3 : 1);
    double *values = malloc((size_t)count * sizeof *values);
    assert_non_null(values);
    for (int64_t i = 0; i < count; i++) values[i] = (double)(i * 7919 % 2003) / 1001 - 1;
    assert_int_equal(kata_put(f, kata_on(f), values, count), KATA_OK);
    free(values);
    return f;
}

static world begin(int levels, kata_options options)
{
    options.no_warnings = true;
    world w = {.k = kata_open(&options)};
    w.g = kata_grid_sphere(w.k, 2, levels == 1 ? 5 : 3, levels); /* bricks of many cells, or few */
    w.m = kata_module_from_text(w.k, "parts.kata", kernels);
    w.c = field(&w, "c", KATA_CELLS, 0);
    w.d = kata_field_like(w.c, "d");
    w.e = field(&w, "e", KATA_EDGES, 0);
    w.v = field(&w, "v", KATA_VERTICES, 0);
    w.w = field(&w, "w", KATA_CELLS, KATA_EDGES);
    w.all = kata_scalar_new(w.k, "all", KATA_F64);
    w.most = kata_scalar_new(w.k, "most", KATA_F64);
    assert_int_equal(kata_error(w.k), KATA_OK);
    return w;
}

static void step(const world *w)
{
    const kata_range all = kata_all(w->g);
    kata_apply(kata_kernel_find(w->m, "to_vertices"), all, w->c, w->e, w->v);
    kata_apply(kata_kernel_find(w->m, "to_edges"), all, w->c, w->v, w->e);
    kata_apply(kata_kernel_find(w->m, "to_cells"), all, w->e, w->w, w->d);
    kata_apply(kata_kernel_find(w->m, "add"), all, w->c, w->d);
    kata_apply(kata_kernel_find(w->m, "smooth"), all, w->c, w->d);
    kata_apply(kata_kernel_find(w->m, "measure"), all, w->d, w->all, w->most);
    kata_swap(w->c, w->d);
}

/* ---- proofs ---------------------------------------------------------------------------------- */

static int count_steps(const plan_dealt *p, plan_dealt_kind kind)
{
    int count = 0;
    for (int i = 0; i < p->count; i++) count += p->steps[i].kind == kind;
    return count;
}

static void prove(const chain *c, int along, int total)
{
    enum { SLOTS = 40 };
    plan_home before[SLOTS] = {{0}}, after[SLOTS];
    const int count[3] = {along == 0 ? total : 1, along == 1 ? total : 1, 1};
    analysis_chain a;
    arena memory = {0};
    plan_ranks ranks;
    text why = {0};
    assert_true(plan_ranks_box(&ranks, &memory, count, 0));
    if (along == 0) ranks.raster.unit[0] = IR_BRICK;
    assert_true(analysis_chain_make(c, &a) && a.slot_count <= SLOTS);
    for (int i = 0; i < SLOTS; i++) before[i].whole = true;
    memcpy(after, before, sizeof after);
    plan_dealt p = {.raster = ranks.raster, .every = 8, .small = true};
    assert_true(plan_deal(&p, &a, after));
    assert_true(count_steps(&p, PLAN_DEALT_EXCHANGE) >= 2);
    assert_int_equal(count_steps(&p, PLAN_DEALT_PART), a.loop_count);
    for (int rank = 0; rank < total; rank++) {
        assert_true(plan_ranks_seat(&ranks, &memory, rank));
        if (!plan_dealt_verify(&(plan_dealt_claim){&p, &a, &ranks, before, after}, &why))
            fail_msg("%d ranks along %c: %s", total, "xy"[along], text_get(&why));
    }
    text_free(&why);
    plan_dealt_free(&p);
    analysis_chain_free(&a);
    arena_free(&memory);
}

static void plans_of_meshes_are_right(void **unused)
{
    (void)unused;
    for (int along = 0; along < 2; along++) {
        world w = begin(along ? LEVELS : 1, (kata_options){.executor = "reference"});
        for (int i = 0; i < STEPS; i++) step(&w);
        assert_int_equal(w.k->chain.count, 6 * STEPS);
        assert_int_equal(w.g->mesh->tables.along, along);
        for (int total = 2; total <= 3; total++) prove(&w.k->chain, along, total);
        assert_int_equal(kata_close(w.k), KATA_OK);
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The values of a field, to be freed. */
static double *values_of(kata_field *f, kata_location on, int levels, int64_t *count)
{
    *count = kata_grid_count(f->grid, on) * levels;
    double *values = malloc((size_t)*count * sizeof *values);
    assert_non_null(values);
    assert_int_equal(kata_get(f, kata_on(f), values, *count), KATA_OK);
    return values;
}

static void expect_same(const world *got, const world *expected, int levels)
{
    kata_field *const fields[][2] = {
        {got->c, expected->c}, {got->e, expected->e}, {got->v, expected->v}};
    static const kata_location on[] = {KATA_CELLS, KATA_EDGES, KATA_VERTICES};
    double sums[2], most[2];
    for (int i = 0; i < 3; i++) {
        int64_t count;
        double *a = values_of(fields[i][0], on[i], levels, &count);
        double *b = values_of(fields[i][1], on[i], levels, &count);
        assert_memory_equal(a, b, (size_t)count * sizeof *a);
        free(a);
        free(b);
    }
    kata_scalar_get(got->all, &sums[0]);
    kata_scalar_get(expected->all, &sums[1]);
    kata_scalar_get(got->most, &most[0]);
    kata_scalar_get(expected->most, &most[1]);
    assert_true(sums[0] == sums[1] && most[0] == most[1]);
}

/* Values are looked at between steps, and some put. */
static void fields_have_the_bits_of_the_reference(void **unused)
{
    (void)unused;
    for (int levels = 1; levels <= LEVELS; levels += LEVELS - 1) {
        world got = begin(levels, (kata_options){.executor = "cpu"});
        world expected = begin(levels, (kata_options){.executor = "reference"});
        for (int i = 0; i < STEPS; i++) {
            step(&got);
            step(&expected);
            if (i == 1) expect_same(&got, &expected, levels);
            if (i == 1) kata_copy(got.d, kata_on(got.d), got.c, kata_on(got.c));
            if (i == 1) kata_copy(expected.d, kata_on(expected.d), expected.c, kata_on(expected.c));
        }
        expect_same(&got, &expected, levels);
        assert_int_equal(kata_close(got.k), KATA_OK);
        assert_int_equal(kata_close(expected.k), KATA_OK);
    }
}

/* ---- grids beside a mesh --------------------------------------------------------------------- */

enum { NX = 3300, NY = 6 };

static const char on_grids[] =
    "kernel blur(in double u, out double v, sum double all)\n"
    "{ v = 0.3*(u[1,0] + u[-1,0] + u[0,1]) + 0.1*u; all += v; }\n"
    "kernel coarse(in double f finer(2), out double c) { c = f[0,0] + f[1,0] + f[0,1] - f[1,1]; }\n"
    "kernel fine(inout double f, in double c coarser(2)) { f = f - 0.1*c; }\n"
    "kernel once(in double a on cell, out double b on cell) on cell { b = 2*a; }\n";

/* Values of a grid, after steps on it and on a coarser one. */
static void run_beside(kata_options options, double values[NX * NY], double *all)
{
    options.no_warnings = true;
    kata *k = kata_open(&options);
    kata_module *m = kata_module_from_text(k, "beside.kata", on_grids);
    kata_grid *sphere = kata_grid_sphere(k, 2, 5, 1), *g = kata_grid_2d(k, NX, NY);
    kata_field *a = kata_field_new(sphere, "a", KATA_F64, .on = KATA_CELLS);
    kata_field *b = kata_field_like(a, "b");
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_PERIODIC);
    kata_field *v = kata_field_like(u, "v");
    kata_field *c = kata_field_new(kata_grid_coarsen(g, 2, 2, 1), "c", KATA_F64);
    kata_scalar *sum = kata_scalar_new(k, "all", KATA_F64);
    for (int i = 0; i < NX * NY; i++) values[i] = (double)(i * 7919 % 2003) / 1001 - 1;
    kata_put(u, kata_all(g), values, NX * NY);
    kata_apply(kata_kernel_find(m, "once"), kata_all(sphere), a, b);
    for (int i = 0; i < STEPS; i++) {
        kata_apply(kata_kernel_find(m, "blur"), kata_all(g), u, v, sum);
        kata_apply(kata_kernel_find(m, "coarse"), kata_all(c->grid), v, c);
        kata_apply(kata_kernel_find(m, "fine"), kata_all(g), v, c);
        kata_swap(u, v);
    }
    kata_get(u, kata_all(g), values, NX * NY);
    kata_scalar_get(sum, all);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void grids_beside_a_mesh_have_the_bits_of_the_reference(void **unused)
{
    static double got[NX * NY], expected[NX * NY];
    double sums[2];
    (void)unused;
    run_beside((kata_options){.executor = "cpu"}, got, &sums[0]);
    run_beside((kata_options){.executor = "reference"}, expected, &sums[1]);
    assert_memory_equal(got, expected, sizeof got);
    assert_true(sums[0] == sums[1]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_beside_a_mesh_have_the_bits_of_the_reference),
        cmocka_unit_test(fields_have_the_bits_of_the_reference),
        cmocka_unit_test(plans_of_meshes_are_right),
    };
    (void)argv;
    return argc > 1 ? _cmocka_run_group_tests("values", tests, 2, NULL, NULL)
                    : cmocka_run_group_tests(tests, NULL, NULL);
}
