/* Levels of a time loop: exchanged, discarded and written again, and steps at which chains end. */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const char kernels[] = "kernel set(out double u, double c) { u = c; }\n"
                              "kernel scale(inout double u, double by) { u *= by; }\n"
                              "kernel some(out double u, double c) { if (ix > 0) u = c; }\n"
                              "kernel shift(in double u, out double v) { v = u[-1]; }\n"
                              "kernel pair(out double f[2]) { f[0] = 1; f[1] = 2; }\n"
                              "kernel half(out double f[2]) { f[1] = 2; }\n";

enum { NX = 6 };

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g;
    kata_field *a, *b, *c;
} world;

static void ignore(void *data, kata_status status, const char *message)
{
    (void)data;
    (void)status;
    (void)message;
}

static void open_world(world *w)
{
    *w = (world){.k = kata_open(&(kata_options){.handler = ignore})};
    w->m = kata_module_from_text(w->k, "k.kata", kernels);
    w->g = kata_grid_1d(w->k, NX);
    w->a = kata_field_new(w->g, "a", KATA_F64, .boundary = KATA_CLAMP);
    w->b = kata_field_like(w->a, "b");
    w->c = kata_field_like(w->a, "c");
    assert_true(kata_ok(w->k));
}

static void set(world *w, kata_field *f, double value)
{
    kata_apply(kata_kernel_find(w->m, "set"), kata_all(w->g), f, value);
}

static double at(world *w, kata_field *f, int64_t x)
{
    double value;
    kata_get(f, kata_box_1d(w->g, x, x + 1), &value, 1);
    return value;
}

static kata_status read(world *w, kata_field *f)
{
    double value;
    kata_status status = kata_get(f, kata_box_1d(w->g, 2, 3), &value, 1);
    kata_error_clear(w->k);
    return status;
}

/* ---- rotating -------------------------------------------------------------------------------- */

static void test_rotate_passes_values_down_the_levels(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    set(&w, w.a, 1);
    set(&w, w.b, 2);
    set(&w, w.c, 3);
    assert_int_equal(kata_rotate(w.a, w.b, w.c), KATA_OK);
    kata_apply(kata_kernel_find(w.m, "scale"), kata_all(w.g), w.c, 10);
    assert_float_equal(at(&w, w.a, 0), 2, 0);
    assert_float_equal(at(&w, w.b, 0), 3, 0);
    assert_float_equal(at(&w, w.c, 0), 10, 0);
    kata_rotate(w.a, w.b, w.c);
    kata_rotate(w.a, w.b, w.c);
    assert_float_equal(at(&w, w.a, 0), 10, 0);
    assert_float_equal(at(&w, w.b, 0), 2, 0);
    assert_float_equal(at(&w, w.c, 0), 3, 0);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void test_rotate_leaves_names_and_rules_with_the_handles(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    kata_boundary_set(w.a, KATA_X_LOW, KATA_CONSTANT, -7);
    set(&w, w.b, 2);
    kata_rotate(w.a, w.b, w.c);
    kata_apply(kata_kernel_find(w.m, "shift"), kata_all(w.g), w.a, w.b);
    assert_float_equal(at(&w, w.b, 0), -7, 0);
    assert_float_equal(at(&w, w.b, 1), 2, 0);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

/* ---- discarding ------------------------------------------------------------------------------ */

static void test_a_discarded_value_is_read_only_after_a_full_write(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    kata_discard(w.a);
    assert_int_equal(read(&w, w.a), KATA_ERROR_ARGUMENT);
    kata_apply(kata_kernel_find(w.m, "set"), kata_inner(w.g, 1), w.a, 4);
    assert_int_equal(read(&w, w.a), KATA_ERROR_ARGUMENT);
    kata_apply(kata_kernel_find(w.m, "some"), kata_all(w.g), w.a, 4);
    assert_int_equal(read(&w, w.a), KATA_ERROR_ARGUMENT);
    set(&w, w.a, 5);
    assert_int_equal(read(&w, w.a), KATA_OK);
    assert_float_equal(at(&w, w.a, 2), 5, 0);
    double values[NX] = {1, 2, 3, 4, 5, 6};
    kata_discard(w.a);
    kata_put(w.a, kata_box_1d(w.g, 1, NX), values, NX - 1);
    assert_int_equal(read(&w, w.a), KATA_ERROR_ARGUMENT);
    kata_put(w.a, kata_all(w.g), values, NX);
    assert_float_equal(at(&w, w.a, 2), 3, 0);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void test_every_component_has_to_be_written(void **state)
{
    (void)state;
    world w;
    double value[2];
    open_world(&w);
    kata_field *f = kata_field_new(w.g, "f", KATA_F64, .components = 2);
    kata_discard(f);
    kata_apply(kata_kernel_find(w.m, "half"), kata_all(w.g), f);
    assert_int_equal(kata_get(f, kata_box_1d(w.g, 2, 3), value, 2), KATA_ERROR_ARGUMENT);
    kata_error_clear(w.k);
    kata_apply(kata_kernel_find(w.m, "pair"), kata_all(w.g), f);
    assert_int_equal(kata_get(f, kata_box_1d(w.g, 2, 3), value, 2), KATA_OK);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void test_a_discarded_value_is_exchanged_with_the_handles(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    set(&w, w.a, 1);
    set(&w, w.b, 2);
    kata_discard(w.a);
    kata_swap(w.a, w.b);
    assert_int_equal(read(&w, w.a), KATA_OK);
    assert_int_equal(read(&w, w.b), KATA_ERROR_ARGUMENT);
    kata_rotate(w.a, w.b, w.c);
    assert_int_equal(read(&w, w.a), KATA_ERROR_ARGUMENT);
    assert_int_equal(read(&w, w.c), KATA_OK);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static kata_work run_steps(int steps, int loops, bool marked)
{
    world w;
    kata_work work;
    open_world(&w);
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < loops; i++) set(&w, w.a, t);
        if (marked) kata_step(w.k);
    }
    kata_work_done(w.k, &work);
    assert_float_equal(at(&w, w.a, 3), steps - 1, 0);
    assert_int_equal(kata_close(w.k), KATA_OK);
    return work;
}

static void test_chains_end_where_steps_end(void **state)
{
    (void)state;
    kata_work marked = run_steps(300, 7, true), plain = run_steps(300, 7, false);
    assert_int_equal(marked.steps, 300);
    assert_true(marked.chains > 0 && marked.chains == marked.chains_step);
    assert_int_equal(marked.loops % 7, 0);
    assert_int_equal(plain.steps, 0);
    assert_true(plain.chains > 0 && plain.chains == plain.chains_long);
}

static void test_a_step_longer_than_the_queue_is_cut(void **state)
{
    (void)state;
    kata_work work = run_steps(3, 400, true);
    assert_true(work.chains_long > 0);
    assert_int_equal(work.chains, work.chains_long + work.chains_step);
}

static void test_a_read_ends_a_chain_by_force(void **state)
{
    (void)state;
    world w;
    kata_work work;
    open_world(&w);
    set(&w, w.a, 1);
    at(&w, w.a, 0);
    set(&w, w.a, 2);
    kata_step(w.k);
    kata_flush(w.k);
    kata_flush(w.k);
    kata_work_done(w.k, &work);
    assert_int_equal(work.chains, 2);
    assert_int_equal(work.chains_forced, 2);
    assert_int_equal(work.chains_long + work.chains_step, 0);
    assert_int_equal(work.steps, 1);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rotate_passes_values_down_the_levels),
        cmocka_unit_test(test_rotate_leaves_names_and_rules_with_the_handles),
        cmocka_unit_test(test_a_discarded_value_is_read_only_after_a_full_write),
        cmocka_unit_test(test_every_component_has_to_be_written),
        cmocka_unit_test(test_a_discarded_value_is_exchanged_with_the_handles),
        cmocka_unit_test(test_chains_end_where_steps_end),
        cmocka_unit_test(test_a_step_longer_than_the_queue_is_cut),
        cmocka_unit_test(test_a_read_ends_a_chain_by_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
