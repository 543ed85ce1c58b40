/* Plans of reductions into fields, and of fields that levels hand values on in: planners let such
 * loops run whole, and the verifier refuses a plan that does not. */
#include "api/api.h"
#include "plan/node.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char kernels[] =
    "kernel step(in double u, out double v) { v = 0.5*(u + u[0,1]); }\n"
    "kernel rows(in double u, sum double t along y) { t += u; }\n"
    "kernel spread(in double t along y, inout double v) { v += t; }\n"
    "kernel carry(in double u, out double v, inout double t along y) forward(x)\n"
    "{ t = 0.5*t + u; v = t; }\n";

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g;
    kata_field *u, *v, *t;
} world;

static world begin(void)
{
    world w = {.k = kata_open(NULL)};
    w.g = kata_grid_2d(w.k, 12, 10);
    w.m = kata_module_from_text(w.k, "k.kata", kernels);
    w.u = kata_field_new(w.g, "u", KATA_F64, .boundary = KATA_CLAMP);
    w.v = kata_field_like(w.u, "v");
    w.t = kata_field_new(w.g, "t", KATA_F64, .along = KATA_Y);
    assert_true(kata_ok(w.k));
    return w;
}

static kata_kernel *find(const world *w, const char *name) { return kata_kernel_find(w->m, name); }

/* Whether a plan that runs the first loop in tiles of a size along y is accepted. */
static bool accepts_tiles(const world *w, int64_t size)
{
    analysis_chain a;
    plan p = {0};
    text why = {0};
    assert_true(analysis_chain_make(&w->k->chain, &a));
    p.root = plan_add(&p, 0, (plan_node){.kind = PLAN_SEQ});
    int tile = plan_add(&p, p.root, (plan_node){.kind = PLAN_TILE, .dimension = 1, .size = size});
    int seq = plan_add(&p, tile, (plan_node){.kind = PLAN_SEQ});
    plan_add(&p, seq, (plan_node){.kind = PLAN_LOOP});
    plan_end_tile(&p, tile, NULL, NULL);
    bool right = plan_verify(&p, &a, &why);
    if (!right && !strstr(text_get(&why), "reduces some of its points into a field"))
        fail_msg("%s", text_get(&why));
    text_free(&why);
    plan_free(&p);
    analysis_chain_free(&a);
    return right;
}

static void reductions_into_fields_are_not_cut(void **state)
{
    (void)state;
    world w = begin();
    kata_apply(find(&w, "rows"), kata_all(w.g), w.u, w.t);
    assert_false(accepts_tiles(&w, 4));
    assert_true(accepts_tiles(&w, 16)); /* one tile has all points */
    kata_flush(w.k);
    kata_apply(find(&w, "step"), kata_all(w.g), w.u, w.v);
    assert_true(accepts_tiles(&w, 4));
    assert_int_equal(kata_close(w.k), KATA_OK);
}

/* The loops before and behind are in groups of their own. */
static void planners_let_them_run_alone(void **state)
{
    (void)state;
    static const char *const requests[] = {"loops",          "skewed y=4",   "tiled cache=1024",
                                           "overlapped y=3", "streamed y=2", "single y=2"};
    world w = begin();
    kata_apply(find(&w, "step"), kata_all(w.g), w.u, w.v);
    kata_apply(find(&w, "rows"), kata_all(w.g), w.v, w.t);
    kata_apply(find(&w, "spread"), kata_all(w.g), w.t, w.v);
    kata_apply(find(&w, "carry"), kata_all(w.g), w.v, w.u, w.t);
    kata_apply(find(&w, "step"), kata_all(w.g), w.u, w.v);
    analysis_chain a;
    assert_true(analysis_chain_make(&w.k->chain, &a));
    assert_true(a.loops[1].gathers && a.loops[1].uncuttable && a.loops[3].uncuttable);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        plan p = {0};
        plan_request r;
        text why = {0};
        assert_true(plan_request_read(requests[i], &r, 1, &why));
        assert_true(plan_make(&p, &a, &r));
        if (!plan_verify(&p, &a, &why)) fail_msg("%s: %s", requests[i], text_get(&why));
        plan_free(&p);
        text_free(&why);
    }
    analysis_chain_free(&a);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

/* ---- levels in order along two dimensions -----------------------------------------------------
 */

static const char solvers[] =
    "kernel down_z(inout double u) forward(z)\n"
    "{ interval [0, 1) { u = 2*u; } interval [1, nz) { u += 0.5*u[0,0,-1]; } }\n"
    "kernel up_y(inout double u) backward(y)\n"
    "{ interval [0, ny-1) { u -= 0.25*u[0,1,0]; } interval [ny-1, ny) { } }\n";

/* Bit d: some tile of a plan cuts dimension d. */
static int dimensions_cut(const plan *p)
{
    int cut = 0;
    for (int n = 0; n < p->count; n++)
        if (p->nodes[n].kind == PLAN_TILE) cut |= 1 << p->nodes[n].dimension;
    return cut;
}

/* Loops along z are cut along y, and those along y along z. Of one group neither would be left. */
static void solving_along_two_dimensions_makes_two_groups(void **state)
{
    (void)state;
    kata *k = kata_open(NULL);
    kata_module *m = kata_module_from_text(k, "k.kata", solvers);
    kata_grid *g = kata_grid_3d(k, 12, 10, 9);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    for (int i = 0; i < 2; i++) {
        kata_apply(kata_kernel_find(m, "down_z"), kata_all(g), u);
        kata_apply(kata_kernel_find(m, "up_y"), kata_all(g), u);
    }
    analysis_chain a;
    plan p = {0};
    plan_request r;
    text why = {0};
    assert_true(analysis_chain_make(&k->chain, &a));
    assert_true(plan_request_read("skewed y=4 z=4", &r, 1, &why));
    assert_true(plan_make(&p, &a, &r));
    if (!plan_verify(&p, &a, &why)) fail_msg("%s", text_get(&why));
    assert_int_equal(p.refusal_count, 0);
    assert_int_equal(dimensions_cut(&p), 1 << 1 | 1 << 2);
    plan_free(&p);
    text_free(&why);
    analysis_chain_free(&a);
    assert_int_equal(kata_close(k), KATA_OK);
}

/* ---- what a solver makes and uses up ----------------------------------------------------------
 */

static const char coefficients[] =
    "kernel down(in double k, out double c, inout double u) forward(y)\n"
    "{ interval [0, 1) { c = k; } interval [1, ny) { c = k/(2 + c[0,-1]); u += 0.5*u[0,-1]; } }\n"
    "kernel up(in double c, inout double u) backward(y)\n"
    "{ interval [0, ny-1) { u -= c*u[0,1]; } interval [ny-1, ny) { } }\n"
    "kernel late(in double k, inout double c) forward(y) { c = k + 0.5*c[0,-1]; }\n";

typedef struct solver {
    kata *k;
    kata_kernel *down, *up, *late;
    kata_field *coefficient, *c, *u;
    kata_range all;
} solver;

static solver begin_solver(void)
{
    solver s = {.k = kata_open(NULL)};
    kata_module *m = kata_module_from_text(s.k, "k.kata", coefficients);
    kata_grid *g = kata_grid_2d(s.k, 12, 10);
    s.down = kata_kernel_find(m, "down");
    s.up = kata_kernel_find(m, "up");
    s.late = kata_kernel_find(m, "late");
    s.coefficient = kata_field_new(g, "k", KATA_F64);
    s.c = kata_field_new(g, "c", KATA_F64);
    s.u = kata_field_new(g, "u", KATA_F64);
    s.all = kata_all(g);
    assert_true(kata_ok(s.k));
    return s;
}

static void solve(const solver *s)
{
    kata_apply(s->down, s->all, s->coefficient, s->c, s->u);
    kata_apply(s->up, s->all, s->c, s->u);
}

/* Whether the first two loops of the chain make the values of c and use them up. */
static bool uses_up(const solver *s)
{
    analysis_chain a;
    assert_true(analysis_chain_make(&s->k->chain, &a));
    int slot = 0;
    while (strcmp(plan_slot_name(&a, slot), "c") != 0) slot++;
    bool passes = analysis_passes(&(analysis_section){&a, 0, 2}, slot);
    analysis_chain_free(&a);
    return passes;
}

/* The next solver overwrites each level before it reads it; but `late` reads a level that it does
 * not write, and the program reads what nobody overwrites. */
static void coefficients_are_used_up(void **state)
{
    (void)state;
    solver s = begin_solver();
    solve(&s);
    assert_false(uses_up(&s));
    solve(&s);
    assert_true(uses_up(&s));
    kata_flush(s.k);
    solve(&s);
    kata_apply(s.late, kata_box_2d(s.all.grid, 0, 12, 3, 10), s.coefficient, s.c);
    solve(&s);
    assert_false(uses_up(&s));
    assert_int_equal(kata_close(s.k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reductions_into_fields_are_not_cut),
        cmocka_unit_test(planners_let_them_run_alone),
        cmocka_unit_test(solving_along_two_dimensions_makes_two_groups),
        cmocka_unit_test(coefficients_are_used_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
