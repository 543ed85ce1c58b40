/* kata_options.check = "nan": the first point that makes a NaN or an infinity of finite values ends
 * the chain, with one message whatever runs it. Values that are not finite already go on. */
/* Labels: hostile threads */
#include "kata/kata.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NX = 70, NY = 40, POINTS = NX * NY, MESSAGE = 2000 };

static const char kernels[] =
    "kernel set(out double u) { u = ix + 100*iy; }\n"
    "kernel inverse(in double u, out double v, double c) { v = 1/(u - c); }\n"
    "kernel mean(in double u, out double v) { v = (u[-1,0] + u[1,0])/2; }\n"
    "kernel inner(in double u, out double v)\n"
    "{\n"
    "    double left = u[-1,0];\n"
    "    v = ix > 0 ? left/(u[0,0] - 2) : 0;\n"
    "}\n"
    "kernel narrow(in double u, out double w) { w = u*50000; }\n"
    "kernel early(in double u, out double v, double big)\n"
    "{\n"
    "    v = u*big;\n"
    "    if (u < 4000) v = 0;\n"
    "}\n"
    "kernel asserts(in double u, out double v) { assert(u < 5, \"high\"); v = 1/(u - 7); }\n"
    "kernel infinite(out double v) { v = 1.0/0; }\n"
    "kernel total(in double u, sum double s, double c) { s += sqrt(u - c); }\n"
    "kernel least(in double u, min double m, double c) { m = min(m, u < 10 ? 1/c : u); }\n"
    "kernel step(in double s, out double dt) { dt = 1/s; }\n"
    "kernel pair(in double u, out double v[2]) { v[0] = u; v[1] = log(u - 3); }\n"
    "kernel rounds(in double u, out double v, int count)\n"
    "{\n"
    "    double x = u;\n"
    "    for (int i = 0; i < 1000 && i < count; i++) x = x*x;\n"
    "    v = x;\n"
    "}\n"
    "kernel down(in double u, inout double v) forward(y) { v = u/(v[0,-1] - 3); }\n";

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g;
    kata_field *u, *v;
    char message[MESSAGE];
    int messages;
} world;

static void receive(void *data, kata_status status, const char *message)
{
    world *w = data;
    assert_int_not_equal(status, KATA_OK);
    snprintf(w->message, sizeof w->message, "%s", message);
    w->messages++;
}

/* How chains are run: by the oracle for 0, otherwise on that many threads; the last one by a plan.
 */
static const int ways[] = {0, 1, 2, 5, -2};
enum { WAYS = 5 };

static void open_world(world *w, int way)
{
    *w = (world){0};
    w->k = kata_open(&(kata_options){.handler = receive,
                                     .handler_data = w,
                                     .threads = abs(way),
                                     .executor = way ? "cpu" : "reference",
                                     .plan = way < 0 ? "skewed y=16 depth=4" : NULL,
                                     .no_warnings = true,
                                     .wait = true,
                                     .check = "nan"});
    w->m = kata_module_from_text(w->k, "k.kata", kernels);
    w->g = kata_grid_2d(w->k, NX, NY);
    w->u = kata_field_new(w->g, "u", KATA_F64, .boundary = KATA_CLAMP);
    w->v = kata_field_like(w->u, "v");
    assert_true(kata_ok(w->k));
}

static kata_kernel *find(world *w, const char *name) { return kata_kernel_find(w->m, name); }

static void set(world *w) { kata_apply(find(w, "set"), kata_all(w->g), w->u); }

typedef void run(world *w);

/* Runs a program in every way; all must fail with this message. */
static void expect(run *program, const char *expected)
{
    for (int i = 0; i < WAYS; i++) {
        world w;
        open_world(&w, ways[i]);
        program(&w);
        assert_int_equal(kata_flush(w.k), KATA_ERROR_ASSERT);
        assert_string_equal(w.message, expected);
        assert_int_equal(w.messages, 1);
        assert_int_equal(kata_close(w.k), KATA_ERROR_ASSERT);
    }
}

/* The same of a program that nothing is to be said of. */
static void expect_nothing(run *program)
{
    for (int i = 0; i < WAYS; i++) {
        world w;
        open_world(&w, ways[i]);
        program(&w);
        kata_flush(w.k);
        assert_string_equal(w.message, "");
        assert_int_equal(kata_close(w.k), KATA_OK);
    }
}

/* ---- what is reported ------------------------------------------------------------------------ */

static void divide(world *w)
{
    set(w);
    kata_step(w->k);
    kata_apply(find(w, "mean"), kata_all(w->g), w->u, w->v);
    kata_step(w->k);
#line 100 "t.c"
    kata_apply(find(w, "inverse"), kata_all(w->g), w->u, w->v, 503.0);
    kata_apply(find(w, "mean"), kata_all(w->g), w->v, w->u);
}

static void test_the_first_infinity_is_named(void **state)
{
    (void)state;
    expect(divide, "k.kata:2:55: error: 'v' becomes infinite at point (3, 5)\n"
                   "    kernel inverse(in double u, out double v, double c) { v = 1/(u - c); }\n"
                   "                                                          ^\n"
                   "  c = 503, u = 503\n"
                   "  in loop 3 of the run, after 2 time steps\n"
                   "  kernel 'inverse' applied at t.c:100 to [0, 70) x [0, 40) of a 70 x 40 grid");
}

static void make_pair(world *w)
{
    kata_field *pair = kata_field_new(w->g, "pair", KATA_F64, .components = 2);
    set(w);
#line 100 "t.c"
    kata_apply(find(w, "pair"), kata_all(w->g), w->u, pair);
}

static void test_a_component_is_named(void **state)
{
    (void)state;
    expect(make_pair,
           "k.kata:20:55: error: 'v[1]' becomes NaN at point (0, 0)\n"
           "    kernel pair(in double u, out double v[2]) { v[0] = u; v[1] = log(u - 3); }\n"
           "                                                          ^\n"
           "  u = 0\n"
           "  in loop 2 of the run, after 0 time steps\n"
           "  kernel 'pair' applied at t.c:100 to [0, 70) x [0, 40) of a 70 x 40 grid");
}

static void store_narrow(world *w)
{
    kata_field *half = kata_field_new(w->g, "half", KATA_F16);
    set(w);
#line 100 "t.c"
    kata_apply(find(w, "narrow"), kata_all(w->g), w->u, half);
}

static void test_a_value_too_large_to_be_stored_is_one(void **state)
{
    (void)state;
    expect(store_narrow,
           "k.kata:9:44: error: 'w' becomes infinite at point (2, 0)\n"
           "    kernel narrow(in double u, out double w) { w = u*50000; }\n"
           "                                               ^\n"
           "  u = 2\n"
           "  in loop 2 of the run, after 0 time steps\n"
           "  kernel 'narrow' applied at t.c:100 to [0, 70) x [0, 40) of a 70 x 40 grid");
}

static void add_up(world *w)
{
    kata_scalar *s = kata_scalar_new(w->k, "s", KATA_F64);
    set(w);
#line 100 "t.c"
    kata_apply(find(w, "total"), kata_all(w->g), w->u, s, 0.5);
}

static void test_a_contribution_to_a_sum_is_one(void **state)
{
    (void)state;
    expect(add_up, "k.kata:17:38: error: 's' becomes NaN at point (0, 0)\n"
                   "    kernel total(in double u, sum double s, double c) { s += sqrt(u - c); }\n"
                   "                                         ^\n"
                   "  c = 0.5, u = 0\n"
                   "  in loop 2 of the run, after 0 time steps\n"
                   "  kernel 'total' applied at t.c:100 to [0, 70) x [0, 40) of a 70 x 40 grid");
}

static void divide_scalar(world *w)
{
    kata_scalar *s = kata_scalar_new(w->k, "s", KATA_F64),
                *dt = kata_scalar_new(w->k, "dt", KATA_F64);
#line 100 "t.c"
    kata_apply(find(w, "step"), kata_once(w->k), s, dt);
}

static void test_a_scalar_is_one(void **state)
{
    (void)state;
    expect(divide_scalar, "k.kata:19:43: error: 'dt' becomes infinite at point (0)\n"
                          "    kernel step(in double s, out double dt) { dt = 1/s; }\n"
                          "                                              ^\n"
                          "  s = 0\n"
                          "  in loop 1 of the run, after 0 time steps\n"
                          "  kernel 'step' applied at t.c:100 to kata_once(k)");
}

static void square(world *w)
{
    set(w);
#line 100 "t.c"
    kata_apply(find(w, "rounds"), kata_all(w->g), w->u, w->v, 12);
}

static void test_a_loop_that_is_not_unrolled_hands_values_on(void **state)
{
    (void)state;
    expect(square, "k.kata:25:5: error: 'v' becomes infinite at point (2, 0)\n"
                   "        v = x;\n"
                   "        ^\n"
                   "  in loop 2 of the run, after 0 time steps\n"
                   "  kernel 'rounds' applied at t.c:100 to [0, 70) x [0, 40) of a 70 x 40 grid");
}

static void go_down(world *w)
{
    double row[NX];
    for (int i = 0; i < NX; i++) row[i] = i == 9 ? 3 : 1;
    set(w);
    kata_put(w->v, kata_face(w->g, KATA_Y_LOW, 1), row, NX);
#line 100 "t.c"
    kata_apply(find(w, "down"), kata_box_2d(w->g, 0, NX, 1, NY), w->u, w->v);
}

static void test_levels_are_looked_at_in_their_order(void **state)
{
    (void)state;
    expect(go_down,
           "k.kata:27:55: error: 'v' becomes infinite at point (9, 1)\n"
           "    kernel down(in double u, inout double v) forward(y) { v = u/(v[0,-1] - 3); }\n"
           "                                                          ^\n"
           "  u = 109, v[0,-1] = 3\n"
           "  in loop 2 of the run, after 0 time steps\n"
           "  kernel 'down' applied at t.c:100 to [0, 70) x [1, 40) of a 70 x 40 grid");
}

static void check_early(world *w)
{
    set(w);
    kata_apply(find(w, "early"), kata_all(w->g), w->u, w->v, 1e306);
}

/* At points below 4000 the infinity does not stay. */
static void test_the_value_that_stays_counts(void **state)
{
    (void)state;
    expect_nothing(check_early);
}

static void check_assert(world *w)
{
    set(w);
#line 100 "t.c"
    kata_apply(find(w, "asserts"), kata_all(w->g), w->u, w->v);
}

static void test_an_assert_comes_first(void **state)
{
    (void)state;
    expect(check_assert,
           "k.kata:15:45: error: this assert fails at point (5, 0): high\n"
           "    kernel asserts(in double u, out double v) { assert(u < 5, \"high\"); "
           "v = 1/(u - 7); }\n"
           "                                                ^\n"
           "  u = 5\n"
           "  kernel 'asserts' applied at t.c:100 to [0, 70) x [0, 40) of a 70 x 40 grid");
}

/* ---- what goes on ---------------------------------------------------------------------------- */

/* NaN on half of the grid. */
static void put_land(world *w)
{
    static double values[POINTS];
    for (int i = 0; i < POINTS; i++) values[i] = i % NX < NX / 2 ? (double)NAN : i;
    kata_put(w->u, kata_all(w->g), values, POINTS);
}

static void handle_land(world *w)
{
    put_land(w);
    for (int i = 0; i < 5; i++) {
        kata_apply(find(w, "mean"), kata_all(w->g), w->u, w->v);
        kata_swap(w->u, w->v);
    }
}

static void test_values_that_are_nan_before_go_on(void **state)
{
    (void)state;
    expect_nothing(handle_land);
}

static void divide_beside_land(world *w)
{
    put_land(w);
#line 100 "t.c"
    kata_apply(find(w, "inverse"), kata_all(w->g), w->u, w->v, 190.0);
}

static void test_one_that_arises_beside_them_is_found(void **state)
{
    (void)state;
    expect(divide_beside_land,
           "k.kata:2:55: error: 'v' becomes infinite at point (50, 2)\n"
           "    kernel inverse(in double u, out double v, double c) { v = 1/(u - c); }\n"
           "                                                          ^\n"
           "  c = 190, u = 190\n"
           "  in loop 1 of the run, after 0 time steps\n"
           "  kernel 'inverse' applied at t.c:100 to [0, 70) x [0, 40) of a 70 x 40 grid");
}

static void write_constant(world *w)
{
    kata_apply(find(w, "infinite"), kata_all(w->g), w->v);
    kata_fill(w->u, kata_all(w->g), (double)NAN);
    kata_apply(find(w, "mean"), kata_all(w->g), w->u, w->v);
}

static void test_constants_go_on(void **state)
{
    (void)state;
    expect_nothing(write_constant);
}

static void find_least(world *w)
{
    kata_scalar *m = kata_scalar_new(w->k, "m", KATA_F64);
    set(w);
    kata_apply(find(w, "least"), kata_all(w->g), w->u, m, 0.0);
}

static void test_a_minimum_may_be_of_infinities(void **state)
{
    (void)state;
    expect_nothing(find_least);
}

/* A value that is read before a guard is looked at needs no rule, as without the check. */
static void read_behind_guard(world *w)
{
    kata_field *none = kata_field_new(w->g, "none", KATA_F64);
    kata_apply(find(w, "set"), kata_box_2d(w->g, 5, NX, 0, NY), none);
    kata_apply(find(w, "inner"), kata_all(w->g), none, w->v);
}

static void test_what_a_kernel_may_be_applied_to_stays(void **state)
{
    (void)state;
    expect_nothing(read_behind_guard);
}

static void use_temporary(world *w)
{
    kata_field *t = kata_field_new(w->g, "t", KATA_F64, .temporary = true);
    set(w);
    kata_apply(find(w, "inverse"), kata_needed(w->g), w->u, t, -1.0);
    kata_apply(find(w, "mean"), kata_inner(w->g, 1), t, w->v);
}

static void test_kernels_may_be_applied_to_kata_needed(void **state)
{
    (void)state;
    expect_nothing(use_temporary);
}

/* ---- how it is asked for --------------------------------------------------------------------- */

static void keep(void *data, kata_status status, const char *message)
{
    assert_int_equal(status, KATA_ERROR_ARGUMENT);
    snprintf(data, MESSAGE, "%s", message);
}

static void test_other_checks_are_refused(void **state)
{
    (void)state;
    char message[MESSAGE] = "";
    kata_options o = {.handler = keep, .handler_data = message, .check = "infinity"};
    assert_null(kata_open(&o));
    assert_string_equal(message,
                        "error: kata_open: the check is 'infinity', not \"nan\" or \"none\"");
    o.check = NULL;
    setenv("KATA_CHECK", "1", 1);
    assert_null(kata_open(&o));
    unsetenv("KATA_CHECK");
    assert_string_equal(message,
                        "error: the environment variable KATA_CHECK is '1', not nan or none");
}

static void ignore(void *data, kata_status status, const char *message)
{
    (void)data;
    (void)status;
    (void)message;
}

/* The limit that a message names is the one that holds with the check. */
static void test_the_limit_with_the_check_is_named(void **state)
{
    (void)state;
    kata *k = kata_open(&(kata_options){.check = "nan", .handler = ignore});
    assert_null(kata_module_from_text(k, "large",
                                      "kernel f(in long u, out long v)\n"
                                      "{\n"
                                      "    v = u;\n"
                                      "    for (int j = 0; j < 45; j++)\n"
                                      "        for (int i = 0; i < 100; i++) v = v/(u + i);\n"
                                      "}\n"));
    assert_non_null(strstr(kata_error_message(k), " where 120000 is allowed"));
    assert_int_equal(kata_close(k), KATA_ERROR_LIMIT);
}

static void test_the_environment_asks_for_it(void **state)
{
    (void)state;
    setenv("KATA_CHECK", "nan", 1);
    world w = {.k = kata_open(&(kata_options){.handler = receive, .handler_data = &w})};
    unsetenv("KATA_CHECK");
    w.m = kata_module_from_text(w.k, "k.kata", kernels);
    w.g = kata_grid_2d(w.k, NX, NY);
    w.u = kata_field_new(w.g, "u", KATA_F64);
    w.v = kata_field_like(w.u, "v");
    kata_apply(find(&w, "inverse"), kata_all(w.g), w.u, w.v, 0.0);
    assert_int_equal(kata_flush(w.k), KATA_ERROR_ASSERT);
    assert_int_equal(kata_close(w.k), KATA_ERROR_ASSERT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_first_infinity_is_named),
        cmocka_unit_test(test_a_component_is_named),
        cmocka_unit_test(test_a_value_too_large_to_be_stored_is_one),
        cmocka_unit_test(test_a_contribution_to_a_sum_is_one),
        cmocka_unit_test(test_a_scalar_is_one),
        cmocka_unit_test(test_a_loop_that_is_not_unrolled_hands_values_on),
        cmocka_unit_test(test_levels_are_looked_at_in_their_order),
        cmocka_unit_test(test_the_value_that_stays_counts),
        cmocka_unit_test(test_an_assert_comes_first),
        cmocka_unit_test(test_values_that_are_nan_before_go_on),
        cmocka_unit_test(test_one_that_arises_beside_them_is_found),
        cmocka_unit_test(test_constants_go_on),
        cmocka_unit_test(test_a_minimum_may_be_of_infinities),
        cmocka_unit_test(test_what_a_kernel_may_be_applied_to_stays),
        cmocka_unit_test(test_kernels_may_be_applied_to_kata_needed),
        cmocka_unit_test(test_other_checks_are_refused),
        cmocka_unit_test(test_the_limit_with_the_check_is_named),
        cmocka_unit_test(test_the_environment_asks_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
