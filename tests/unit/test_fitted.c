/* Loops that are applied again run on what was prepared for them before. That must see what has
 * changed meanwhile, though the loops are equal: values of boundary rules, numbers, fields that
 * were exchanged, and memory that has moved. */
/* Labels: hostile threads */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { N = 24, STEPS = 24, MOVES = 12 /* memory moves then */ };

static const char kernels[] =
    "kernel beside(in double u, out double v, double c) { v = c * u[-1] + u[1]; }\n";
static const char more[] = "kernel far(in double u, out double w) { w = u[-5] + u[6]; }\n";

/* u and v of one dimension, and the value outside. */
typedef struct model {
    double u[N], wall;
} model;

static double at(const model *m, int i) { return i < 0 || i >= N ? m->wall : m->u[i]; }

static void step_by_hand(model *m, double c)
{
    double v[N];
    for (int i = 0; i < N; i++) v[i] = c * at(m, i - 1) + at(m, i + 1);
    memcpy(m->u, v, sizeof v);
}

static void expect(kata_field *field, kata_grid *grid, const double *values)
{
    double found[N];
    assert_int_equal(kata_get(field, kata_all(grid), found, N), KATA_OK);
    for (int i = 0; i < N; i++) assert_true(found[i] == values[i]);
}

/* Nobody knew of this kernel when u got its memory, which has no room for what it reads. */
static void apply_far(kata_grid *grid, kata_field *u, const model *model, kata *k)
{
    kata_module *m = kata_module_from_text(k, "far.kata", more);
    kata_field *w = kata_field_new(grid, "w", KATA_F64);
    double values[N];
    for (int i = 0; i < N; i++) values[i] = at(model, i - 5) + at(model, i + 6);
    assert_int_equal(kata_apply(kata_kernel_find(m, "far"), kata_all(grid), u, w), KATA_OK);
    expect(w, grid, values);
}

typedef struct fields {
    kata *k;
    kata_grid *grid;
    kata_field *u, *v;
    kata_kernel *beside;
} fields;

static fields make(model *by_hand)
{
    fields f = {.k = kata_open(&(kata_options){.wait = true})};
    kata_module *m = kata_module_from_text(f.k, "fitted.kata", kernels);
    f.grid = kata_grid_1d(f.k, N);
    f.u = kata_field_new(f.grid, "u", KATA_F64, .boundary = KATA_CONSTANT);
    f.v = kata_field_new(f.grid, "v", KATA_F64, .boundary = KATA_CONSTANT);
    f.beside = kata_kernel_find(m, "beside");
    for (int i = 0; i < N; i++) by_hand->u[i] = i % 5;
    kata_put(f.u, kata_all(f.grid), by_hand->u, N);
    return f;
}

static void set_walls(const fields *f, double value)
{
    for (int side = KATA_X_LOW; side <= KATA_X_HIGH; side++) {
        kata_boundary_set(f->u, (kata_side)side, KATA_CONSTANT, value);
        kata_boundary_set(f->v, (kata_side)side, KATA_CONSTANT, value);
    }
}

/* Two values take turns at the walls, and fields are exchanged. */
static void test_walls_and_fields_change(void **state)
{
    (void)state;
    model by_hand;
    fields f = make(&by_hand);
    for (int i = 0; i < STEPS; i++) {
        const double c = 0.25 * (i % 3);
        by_hand.wall = 1 + i / 2 % 2;
        set_walls(&f, by_hand.wall);
        kata_apply(f.beside, kata_all(f.grid), f.u, f.v, c);
        kata_swap(f.u, f.v);
        step_by_hand(&by_hand, c);
        expect(f.u, f.grid, by_hand.u);
    }
    assert_int_equal(kata_close(f.k), KATA_OK);
}

/* The same fields each time, but one of them moves. */
static void test_memory_moves(void **state)
{
    (void)state;
    model by_hand = {.wall = 3};
    fields f = make(&by_hand);
    set_walls(&f, by_hand.wall);
    for (int i = 0; i < STEPS; i++) {
        model next = by_hand;
        if (i == MOVES) apply_far(f.grid, f.u, &by_hand, f.k);
        kata_apply(f.beside, kata_all(f.grid), f.u, f.v, 0.5);
        step_by_hand(&next, 0.5);
        expect(f.v, f.grid, next.u);
        by_hand.u[i % N] = 7 + i;
        kata_put(f.u, kata_all(f.grid), by_hand.u, N);
    }
    assert_int_equal(kata_close(f.k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_walls_and_fields_change),
                                       cmocka_unit_test(test_memory_moves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
