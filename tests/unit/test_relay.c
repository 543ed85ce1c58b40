/* Loops that threads run one after another without leaving, each when the one before has ended:
 * chains of loops that read their neighbours' rows give the bits of one thread, with all boundary
 * rules, on boxes that differ, and whichever loop cannot be part of it: columns whose levels run in
 * order can, levels on which threads meet cannot. */
/* Labels: hostile threads */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NX = 262, NY = 258, POINTS = NX * NY, STEPS = 6, CHAINS = 8 };

static const char kernels[] =
    "kernel star(in double u, out double v) { v = 0.25*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1]); }\n"
    "kernel add(in double v, inout double w) { w += v[0,0] - 0.5*w; }\n"
    "kernel shift(in double w, out double u) { u = w[0,3] - 0.25*w[1,-2]; }\n"
    "kernel halve(inout double u) { u = 0.5*u + 1; }\n"
    "kernel columns(in double u, inout double v, sum double total) { v += u[0,1]; total += u; }\n"
    "kernel down(in double v, inout double w) forward(y)\n"
    "{ interval [0, 1) { } interval [1, ny) { w = 0.75*v + 0.25*w[0,-1]; } }\n"
    "kernel slanted(inout double w) forward(y)\n"
    "{ interval [0, 1) { } interval [1, ny) { w = 0.5*w + 0.25*(w[1,-1] + w[-1,-1]); } }\n";

typedef struct program {
    kata *k;
    kata_kernel *star, *add, *shift, *halve, *columns, *down, *slanted;
    kata_grid *grid;
    kata_field *u, *v, *w;
    kata_scalar *total;
} program;

static program make(int threads, kata_rule rule)
{
    program p = {.k =
                     kata_open(&(kata_options){.threads = threads, .wait = true, .plan = "loops"})};
    kata_module *m = kata_module_from_text(p.k, "relay.kata", kernels);
    double values[POINTS];
    for (int i = 0; i < POINTS; i++) values[i] = 1 + i * 7 % 23;
    p.star = kata_kernel_find(m, "star");
    p.add = kata_kernel_find(m, "add");
    p.shift = kata_kernel_find(m, "shift");
    p.halve = kata_kernel_find(m, "halve");
    p.columns = kata_kernel_find(m, "columns");
    p.down = kata_kernel_find(m, "down");
    p.slanted = kata_kernel_find(m, "slanted");
    p.grid = kata_grid_2d(p.k, NX, NY);
    p.total = kata_scalar_new(p.k, "total", KATA_F64);
    p.u = kata_field_new(p.grid, "u", KATA_F64, .boundary = rule, .boundary_value = 3);
    p.v = kata_field_new(p.grid, "v", KATA_F64, .boundary = KATA_CLAMP);
    p.w = kata_field_new(p.grid, "w", KATA_F64, .boundary = rule, .boundary_value = 2);
    kata_put(p.u, kata_all(p.grid), values, POINTS);
    kata_put(p.v, kata_all(p.grid), values, POINTS);
    kata_put(p.w, kata_all(p.grid), values, POINTS);
    return p;
}

static void step(program *p, int i)
{
    const kata_range all = kata_all(p->grid);
    const kata_range some = kata_box_2d(p->grid, 1, NX - i % 3, i % 2, NY - 2);
    kata_apply(p->star, all, p->u, p->v);
    kata_apply(p->add, all, p->v, p->w);
    kata_apply(p->halve, some, p->w);
    kata_apply(p->down, all, p->v, p->w);
    if (i % 2) kata_apply(p->slanted, some, p->w);
    kata_apply(p->shift, all, p->w, p->u);
    if (i % 4 == 3) kata_apply(p->columns, all, p->u, p->v, p->total);
    kata_apply(p->halve, all, p->u);
    kata_swap(p->u, p->w);
}

/* The values of all fields after some chains, and the last total. */
static double *run(int threads, kata_rule rule)
{
    program p = make(threads, rule);
    double *out = calloc(3 * POINTS + 1, sizeof *out);
    for (int c = 0; c < CHAINS; c++) {
        for (int i = 0; i < STEPS; i++) step(&p, i);
        kata_flush(p.k);
    }
    kata_get(p.u, kata_all(p.grid), out, POINTS);
    kata_get(p.v, kata_all(p.grid), out + POINTS, POINTS);
    kata_get(p.w, kata_all(p.grid), out + 2 * POINTS, POINTS);
    kata_scalar_get(p.total, out + 3 * POINTS);
    assert_int_equal(kata_close(p.k), KATA_OK);
    return out;
}

static void test_same_bits(void **state)
{
    const kata_rule rules[] = {KATA_CONSTANT, KATA_CLAMP, KATA_REFLECT_FACE, KATA_PERIODIC};
    (void)state;
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        double *one = run(1, rules[r]), *two = run(2, rules[r]);
        assert_memory_equal(one, two, (3 * POINTS + 1) * sizeof *one);
        free(one);
        free(two);
    }
}

/* ---- levels on which threads meet ------------------------------------------------------------ */

enum { LX = 300, LY = 360, LZ = 4, CELLS = LX * LY * LZ };

static double *run_levels(int threads)
{
    static const char text[] = "kernel start(out double u) { u = (ix*ix + 3*iy*ix + iz) % 11; }\n"
                               "kernel lean(inout double u) forward(z)\n"
                               "{ u = 0.5*u + u[1,0,-1] - 0.25*u[0,-1,-1] - 0.25*u[0,100,-1]; }\n"
                               "kernel flip(inout double u) { u = 1 - u; }\n";
    kata *k = kata_open(&(kata_options){.threads = threads, .wait = true, .plan = "loops"});
    kata_module *m = kata_module_from_text(k, "levels.kata", text);
    kata_grid *g = kata_grid_3d(k, LX, LY, LZ);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_range inner = kata_box_3d(g, 0, LX - 1, 1, LY - 100, 1, LZ);
    double *out = calloc(CELLS, sizeof *out);
    kata_apply(kata_kernel_find(m, "start"), kata_all(g), u);
    for (int i = 0; i < 90; i++) {
        kata_apply(kata_kernel_find(m, "flip"), kata_all(g), u);
        kata_apply(kata_kernel_find(m, "lean"), inner, u);
        if (i % 6 == 5) kata_flush(k);
    }
    kata_get(u, kata_all(g), out, CELLS);
    assert_int_equal(kata_close(k), KATA_OK);
    return out;
}

static void test_levels_keep_their_order(void **state)
{
    (void)state;
    double *one = run_levels(1), *two = run_levels(2);
    assert_memory_equal(one, two, CELLS * sizeof *one);
    free(one);
    free(two);
}

/* ---- blocks that hand nothing to one another ------------------------------------------------- */

enum { SX = 48, SY = 44, SZ = 40, SITES = SX * SY * SZ, ROUNDS = 8 };

/* Columns along z and then along y, with loops in between that read along one dimension, along two,
 * at another index than they write, or a field that has no z; on all points, and on a part. */
static double *run_strands(int threads, kata_rule rule)
{
    static const char text[] =
        "kernel start(out double u) { u = 1 + (ix*ix + 3*iy*ix + iz) % 11; }\n"
        "kernel flat(in double u, out double b along xy) { b = u; }\n"
        "kernel spread(in double u, out double f, in double b along xy)\n"
        "{ f = 0.5*u + 0.25*(u[0,1,0] + u[0,-1,0]) + b; }\n"
        "kernel down_z(in double f, out double c, inout double u) forward(z)\n"
        "{ interval [0, 1) { c = 0.5; u = f; }\n"
        "  interval [1, nz) { c = 1/(3 + c[0,0,-1]); u = (f + u[0,0,-1])*c; } }\n"
        "kernel up_z(in double c, inout double u) backward(z)\n"
        "{ interval [0, nz-1) { u -= c*u[0,0,1]; } interval [nz-1, nz) { } }\n"
        "kernel slope_x(in double u, out double f) { f = u[1,0,0] - u[-1,0,0]; }\n"
        "kernel slope_y(in double u, inout double f) { f += u[0,2,0] - u; }\n"
        "kernel push(in double f, inout double u) { u = 0.75*u + 0.125*f[0,0,1] + 1; }\n"
        "kernel down_y(in double f, inout double u) forward(y)\n"
        "{ interval [0, 1) { } interval [1, ny) { u = 0.75*u + f*u[0,-1,0]/64; } }\n"
        "kernel up_y(inout double u) backward(y)\n"
        "{ interval [0, ny-1) { u -= 0.5*u[0,1,0]; } interval [ny-1, ny) { } }\n"
        "kernel copy(in double u, out double f) { f = u/2; }\n";
    kata *k = kata_open(&(kata_options){.threads = threads, .wait = true, .plan = "loops"});
    kata_module *m = kata_module_from_text(k, "strands.kata", text);
    kata_grid *g = kata_grid_3d(k, SX, SY, SZ);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = rule, .boundary_value = 2);
    kata_field *f = kata_field_new(g, "f", KATA_F64, .boundary = rule),
               *c = kata_field_like(f, "c");
    kata_field *b = kata_field_new(g, "b", KATA_F64, .along = KATA_X | KATA_Y);
    const kata_range all = kata_all(g), part = kata_box_3d(g, 1, SX, 2, SY, 0, SZ - 3);
    double *out = calloc(3 * SITES, sizeof *out);
    kata_apply(kata_kernel_find(m, "start"), all, u);
    kata_apply(kata_kernel_find(m, "flat"), kata_box_3d(g, 0, SX, 0, SY, 0, 1), u, b);
    for (int i = 0; i < ROUNDS; i++) {
        kata_apply(kata_kernel_find(m, "spread"), all, u, f, b);
        kata_apply(kata_kernel_find(m, "down_z"), all, f, c, u);
        kata_apply(kata_kernel_find(m, "up_z"), all, c, u);
        kata_apply(kata_kernel_find(m, "slope_x"), i % 3 ? all : part, u, f);
        kata_apply(kata_kernel_find(m, "slope_y"), all, u, f);
        kata_apply(kata_kernel_find(m, "push"), all, f, u);
        kata_apply(kata_kernel_find(m, "down_y"), all, f, u);
        kata_apply(kata_kernel_find(m, "up_y"), i % 2 ? all : part, u);
        kata_apply(kata_kernel_find(m, "copy"), all, u, f);
        if (i % 4 == 3) kata_flush(k);
    }
    kata_get(u, all, out, SITES);
    kata_get(f, all, out + SITES, SITES);
    kata_get(c, all, out + 2 * SITES, SITES);
    assert_int_equal(kata_close(k), KATA_OK);
    return out;
}

static void test_strands_give_the_same(void **state)
{
    const kata_rule rules[] = {KATA_CONSTANT, KATA_CLAMP, KATA_PERIODIC};
    (void)state;
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        double *one = run_strands(1, rules[r]), *more = run_strands(r ? 2 : 5, rules[r]);
        assert_memory_equal(one, more, 3 * SITES * sizeof *one);
        free(one);
        free(more);
    }
}

static void set_sides(kata_field *field, int first, int last, kata_rule rule)
{
    for (int side = first; side <= last; side++) kata_boundary_set(field, (kata_side)side, rule, 1);
}

/* Loops that fill around a field, beside other rows than their own, what others read there by
 * another rule; and a loop that a rule leads from ghosts to other points. */
static double *run_sides(int threads)
{
    static const char text[] =
        "kernel start(out double u) { u = 1 + (ix*ix + 3*iy*ix + iz) % 11; }\n"
        "kernel down(in double u, inout double f) forward(z)\n"
        "{ interval [0, 1) { f = 0.5*f + u[1,-1,0] + u[-1,-1,0]; }\n"
        "  interval [1, nz) { f = 0.5*(f + u[1,-1,0] + u[-1,-1,0]) + 0.5*f[0,0,-1]; } }\n"
        "kernel across(in double u, inout double c) { c = 0.5*c + u[1,0,0] - u[-1,0,0]; }\n"
        "kernel aside(in double u, in double f, inout double c) { c = 0.5*c + f + u[1,1,0]; }\n"
        "kernel add(inout double v, in double w) { v = 0.5*v + w + iz; }\n"
        "kernel mix(in double v, inout double w) { w = 0.75*v + 0.25*w; }\n"
        "kernel halve(inout double w) { w = 0.5*w; }\n";
    enum { GHOSTS = 8 };
    kata *k = kata_open(&(kata_options){.threads = threads, .wait = true, .plan = "loops"});
    kata_module *m = kata_module_from_text(k, "sides.kata", text);
    kata_grid *g = kata_grid_3d(k, SX, SY, SZ);
    kata_field *u = kata_field_new(g, "u", KATA_F64), *f = kata_field_new(g, "f", KATA_F64);
    kata_field *c = kata_field_new(g, "c", KATA_F64);
    kata_field *v = kata_field_new(g, "v", KATA_F64, .ghosts_z = GHOSTS);
    kata_field *w = kata_field_new(g, "w", KATA_F64, .ghosts_z = GHOSTS);
    const kata_range all = kata_all(g), wide = kata_box_3d(g, 0, SX, 0, SY, -GHOSTS, SZ + GHOSTS);
    double *out = calloc(3 * SITES, sizeof *out);
    kata_apply(kata_kernel_find(m, "start"), all, u);
    for (int i = 0; i < 10; i++) {
        set_sides(u, KATA_X_LOW, KATA_Y_HIGH, KATA_CONSTANT);
        kata_apply(kata_kernel_find(m, "down"), all, u, f);
        if (i % 2) kata_flush(k); /* the constants stay */
        kata_apply(kata_kernel_find(m, "down"), all, u, f);
        set_sides(u, KATA_X_LOW, KATA_Y_HIGH, KATA_CLAMP);
        if (i % 2 == 0) kata_apply(kata_kernel_find(m, "aside"), all, u, f, c);
        kata_apply(kata_kernel_find(m, "across"), all, u, c);
        set_sides(v, KATA_Z_LOW, KATA_Z_HIGH, KATA_NONE);
        kata_apply(kata_kernel_find(m, "add"), wide, v, w);
        set_sides(v, KATA_Z_LOW, KATA_Z_HIGH, KATA_REFLECT_FACE);
        kata_apply(kata_kernel_find(m, "mix"), wide, v, w);
        kata_apply(kata_kernel_find(m, "halve"), wide, w);
        if (i % 3 == 2) kata_flush(k);
    }
    kata_get(f, all, out, SITES);
    kata_get(c, all, out + SITES, SITES);
    kata_get(w, kata_box_3d(g, 0, SX, 0, SY, -GHOSTS, SZ - GHOSTS), out + 2 * SITES, SITES);
    assert_int_equal(kata_close(k), KATA_OK);
    return out;
}

static void test_strands_leave_sides_alone(void **state)
{
    (void)state;
    double *one = run_sides(1);
    for (int threads = 2; threads < 5; threads++) {
        double *more = run_sides(threads);
        assert_memory_equal(one, more, 3 * SITES * sizeof *one);
        free(more);
    }
    free(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits),
                                       cmocka_unit_test(test_levels_keep_their_order),
                                       cmocka_unit_test(test_strands_give_the_same),
                                       cmocka_unit_test(test_strands_leave_sides_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
