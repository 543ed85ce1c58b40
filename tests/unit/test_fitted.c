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
    "kernel beside(in double u, out double v, double c) { v = c * u[-1] + u[1]; }\n"
    "kernel far(in double u, out double w) { w = u[-5] + u[6]; }\n";

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

static void apply_far(kata_module *m, kata_grid *grid, kata_field *u, const model *model)
{
    kata_field *w = kata_field_new(grid, "w", KATA_F64);
    double values[N];
    for (int i = 0; i < N; i++) values[i] = at(model, i - 5) + at(model, i + 6);
    assert_int_equal(kata_apply(kata_kernel_find(m, "far"), kata_all(grid), u, w), KATA_OK);
    expect(w, grid, values);
}

static void test_changes(void **state)
{
    (void)state;
    kata *k = kata_open(&(kata_options){.wait = true});
    kata_module *m = kata_module_from_text(k, "fitted.kata", kernels);
    kata_grid *grid = kata_grid_1d(k, N);
    kata_field *u = kata_field_new(grid, "u", KATA_F64, .boundary = KATA_CONSTANT);
    kata_field *v = kata_field_new(grid, "v", KATA_F64, .boundary = KATA_CONSTANT);
    kata_kernel *beside = kata_kernel_find(m, "beside");
    model by_hand = {.wall = 0};
    for (int i = 0; i < N; i++) by_hand.u[i] = i % 5;
    kata_put(u, kata_all(grid), by_hand.u, N);
    for (int i = 0; i < STEPS; i++) {
        const double c = 0.25 * (i % 3);
        by_hand.wall = i / 2;
        for (int side = KATA_X_LOW; side <= KATA_X_HIGH; side++) {
            kata_boundary_set(u, (kata_side)side, KATA_CONSTANT, by_hand.wall);
            kata_boundary_set(v, (kata_side)side, KATA_CONSTANT, by_hand.wall);
        }
        if (i == MOVES) apply_far(m, grid, u, &by_hand);
        kata_apply(beside, kata_all(grid), u, v, c);
        kata_swap(u, v);
        step_by_hand(&by_hand, c);
        expect(u, grid, by_hand.u);
    }
    assert_int_equal(kata_close(k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_changes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
