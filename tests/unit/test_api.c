/* The public interface: queued work is invisible, and what is applied is copied. */
#include "api_world.h"

/* ---- what a kernel takes ----------------------------------------------------------------------
 */

static void test_a_kernel_tells_its_parameters(void **state)
{
    (void)state;
    static const kata_param expected[] = {
        {.name = "u", .kind = KATA_PARAM_IN, .type = KATA_F64, .count = 1},
        {.name = "v", .kind = KATA_PARAM_INOUT, .type = KATA_F64, .count = 1},
        {.name = "w", .kind = KATA_PARAM_TABLE, .type = KATA_F64, .count = 3}};
    world w;
    open_world(&w);
    kata_kernel *add = find(&w, "add");
    assert_int_equal(kata_kernel_params(add), 3);
    assert_int_equal(kata_kernel_rank(add), 0);
    assert_int_equal(kata_kernel_rank(find(&w, "shift")), 2);
    for (int i = 0; i < 3; i++) {
        kata_param param;
        assert_int_equal(kata_kernel_param(add, i, &param), KATA_OK);
        assert_string_equal(param.name, expected[i].name);
        assert_int_equal(param.kind, expected[i].kind);
        assert_int_equal(param.type, expected[i].type);
        assert_int_equal(param.count, expected[i].count);
    }
    kata_param param;
    assert_int_equal(kata_kernel_param(add, 3, &param), KATA_ERROR_ARGUMENT);
    kata_error_clear(w.k);
    kata_kernel_param(find(&w, "count"), 0, &param);
    assert_int_equal(param.type, KATA_I64);
    assert_true(param.finer[0] == 1 && param.coarser[2] == 1);
    kata_kernel_param(find(&w, "total"), 1, &param);
    assert_int_equal(param.kind, KATA_PARAM_SUM);
    close_world(&w);
}

/* ---- laziness -------------------------------------------------------------------------------- */

static void test_work_is_done_when_a_result_is_needed(void **state)
{
    (void)state;
    world w;
    kata_work work;
    open_world(&w);
    kata_apply(find(&w, "where"), kata_all(w.g), w.u);
    kata_work_done(w.k, &work);
    assert_int_equal(work.loops, 0);
    assert_float_equal(at(&w, w.u, 4, 2), 24, 0);
    kata_work_done(w.k, &work);
    assert_int_equal(work.loops, 1);
    assert_int_equal(work.points, POINTS);
    close_world(&w);
}

static void test_a_long_queue_runs_by_itself(void **state)
{
    (void)state;
    world w;
    kata_work work;
    open_world(&w);
    for (int i = 0; i < 1000; i++) kata_apply(find(&w, "scale"), kata_all(w.g), w.u, 1.0);
    kata_work_done(w.k, &work);
    assert_true(work.loops > 0 && work.loops <= 1000);
    kata_flush(w.k);
    kata_work_done(w.k, &work);
    assert_int_equal(work.loops, 1000);
    close_world(&w);
}

static void test_arguments_are_copied_when_applied(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    double table[3] = {0, 2, 0};
    kata_apply(find(&w, "set"), kata_all(w.g), w.u, 3);
    kata_apply(find(&w, "add"), kata_all(w.g), w.u, w.v, table);
    table[1] = 100;
    assert_float_equal(at(&w, w.v, 0, 0), 6, 0);
    close_world(&w);
}

static void test_swap_exchanges_values_and_keeps_what_was_queued(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    kata_apply(find(&w, "set"), kata_all(w.g), w.u, 1);
    kata_apply(find(&w, "set"), kata_all(w.g), w.v, 2);
    kata_swap(w.u, w.v);
    kata_apply(find(&w, "scale"), kata_all(w.g), w.u, 10);
    assert_float_equal(at(&w, w.u, 1, 1), 20, 0);
    assert_float_equal(at(&w, w.v, 1, 1), 1, 0);
    close_world(&w);
}

static void test_boundary_rules_stay_with_the_handle_and_hold_from_then_on(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    kata_apply(find(&w, "where"), kata_all(w.g), w.u);
    kata_apply(find(&w, "shift"), kata_all(w.g), w.u, w.v);
    kata_boundary_set(w.u, KATA_X_LOW, KATA_CONSTANT, -7);
    assert_float_equal(at(&w, w.v, 0, 1), 10, 0);
    kata_apply(find(&w, "shift"), kata_all(w.g), w.u, w.v);
    assert_float_equal(at(&w, w.v, 0, 1), -7, 0);
    kata_swap(w.u, w.v);
    kata_apply(find(&w, "shift"), kata_all(w.g), w.u, w.v);
    assert_float_equal(at(&w, w.v, 0, 1), -7, 0);
    assert_float_equal(at(&w, w.v, 1, 1), -7, 0);
    close_world(&w);
}

static void test_scalars_live_in_the_chain(void **state)
{
    (void)state;
    world w;
    kata_work work;
    open_world(&w);
    kata_scalar *s = kata_scalar_new(w.k, "s", KATA_F64);
    kata_apply(find(&w, "set"), kata_all(w.g), w.u, 1);
    kata_apply(find(&w, "total"), kata_all(w.g), w.u, s);
    kata_apply(find(&w, "scale"), kata_all(w.g), w.u, s);
    kata_apply(find(&w, "total"), kata_all(w.g), w.u, s);
    kata_work_done(w.k, &work);
    assert_int_equal(work.loops, 0);
    double sum;
    float single;
    assert_int_equal(kata_scalar_get(s, &sum), KATA_OK);
    assert_int_equal(kata_scalar_get(s, &single), KATA_OK);
    assert_float_equal(sum, POINTS * POINTS, 0);
    assert_float_equal(single, POINTS * POINTS, 0);
    kata_scalar_set(s, 0.5);
    kata_apply(find(&w, "scale"), kata_all(w.g), w.u, s);
    assert_float_equal(at(&w, w.u, 0, 0), POINTS * 0.5, 0);
    close_world(&w);
}

/* ---- modules --------------------------------------------------------------------------------- */

static void test_constants_are_given_when_a_module_is_loaded(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    w.m = kata_module_from_text(w.k, "n.kata",
                                "const double C = 1; kernel f(out double u) { u = C; }",
                                .constants = "C = 2.5");
    kata_apply(find(&w, "f"), kata_all(w.g), w.u);
    assert_float_equal(at(&w, w.u, 0, 0), 2.5, 0);
    assert_null(kata_module_from_text(w.k, "n.kata", "const int C = 1;", .constants = "D = 2"));
    assert_int_equal(kata_error(w.k), KATA_ERROR_KERNEL);
    kata_error_clear(w.k);
    close_world(&w);
}

/* ---- locations ----------------------------------------------------------------------------------
 */

/* The location that kata_here names is copied, and belongs to one application only. */
static void test_a_location_belongs_to_one_application(void **state)
{
    (void)state;
    world w;
    char file[] = "one.c";
    open_world(&w);
    kata_range all = kata_all(w.g);
    kata_arg u = kata_arg_field(w.u, 0);
    const kata_kernel *where = kata_here(find(&w, "where"), file, 7);
    memset(file, 'X', strlen(file));
    kata_apply_args(where, &all, 0, NULL);
    assert_non_null(strstr(kata_error_message(w.k), "error: one.c:7: kernel 'where' takes"));
    kata_apply_args(kata_here(where, "two.c", 8), &all, 1, &u);
    kata_error_clear(w.k);
    kata_apply_args(where, &all, 0, NULL);
    assert_non_null(strstr(kata_error_message(w.k), "error: kernel 'where' takes"));
    kata_error_clear(w.k);
    close_world(&w);
}

/* ---- pictures -------------------------------------------------------------------------------- */

static void expect_colors(world *w, double left, double right, double red_left, double red_right)
{
    kata_grid *g = kata_grid_2d(w->k, 2, 1);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_field *rgb = kata_field_new(g, "rgb", KATA_F64, .components = 3);
    double values[2] = {left, right}, y[6];
    kata_put(u, kata_all(g), values, 2);
    kata_save(u, "api.png");
    kata_load(rgb, "api.png");
    kata_get(rgb, kata_all(g), y, 6);
    remove("api.png");
    assert_float_equal(y[0], red_left, 0.003);
    assert_float_equal(y[1], red_right, 0.003);
}

static void test_colors_hold_at_any_magnitude(void **state)
{
    (void)state;
    world w;
    const double first = 0.267, last = 0.993; /* red at the ends of viridis */
    open_world(&w);
    expect_colors(&w, 0, 1, first, last);
    expect_colors(&w, 1e300, 1e300, first, first);
    expect_colors(&w, -1.7e308, 1.7e308, first, last);
    expect_colors(&w, 0, 5e-324, first, first);
    expect_colors(&w, (double)INFINITY, 3, last, first);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_kernel_tells_its_parameters),
        cmocka_unit_test(test_work_is_done_when_a_result_is_needed),
        cmocka_unit_test(test_a_long_queue_runs_by_itself),
        cmocka_unit_test(test_arguments_are_copied_when_applied),
        cmocka_unit_test(test_swap_exchanges_values_and_keeps_what_was_queued),
        cmocka_unit_test(test_boundary_rules_stay_with_the_handle_and_hold_from_then_on),
        cmocka_unit_test(test_scalars_live_in_the_chain),
        cmocka_unit_test(test_constants_are_given_when_a_module_is_loaded),
        cmocka_unit_test(test_a_location_belongs_to_one_application),
        cmocka_unit_test(test_colors_hold_at_any_magnitude),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
