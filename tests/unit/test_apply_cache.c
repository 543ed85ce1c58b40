/* What is remembered of applications that repeat hides no error and no change: rules, ranges,
 * fields and their states are looked at each time. */
#include "api/apply.h"
#include "api_world.h"

#include <fenv.h>

static kata_status shift_times(world *w, kata_field *u, kata_field *v, int times)
{
    kata_kernel *shift = find(w, "shift");
    kata_status status = KATA_OK;
    for (int i = 0; i < times && !status; i++) {
        status = kata_apply(shift, kata_all(w->g), u, v);
        if (!status) status = kata_apply(shift, kata_all(w->g), v, u);
    }
    return status;
}

static void expect_refusal(world *w, kata_status status, kata_status expected, const char *words)
{
    assert_int_equal(status, expected);
    assert_non_null(strstr(kata_error_message(w->k), words));
    kata_error_clear(w->k);
}

static void a_rule_that_is_taken_away_is_missed(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    assert_int_equal(shift_times(&w, w.u, w.v, 3), KATA_OK);
    kata_boundary_set(w.v, KATA_X_LOW, KATA_NONE, 0);
    expect_refusal(&w, shift_times(&w, w.u, w.v, 3), KATA_ERROR_APPLICATION, "outside the grid");
    kata_boundary_set(w.v, KATA_X_LOW, KATA_CLAMP, 0);
    assert_int_equal(shift_times(&w, w.u, w.v, 3), KATA_OK);
    close_world(&w);
}

static void other_fields_and_ranges_are_others(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    kata_grid *other = kata_grid_2d(w.k, NX + 1, NY);
    kata_field *far = kata_field_new(other, "far", KATA_F64, .boundary = KATA_CLAMP);
    assert_int_equal(shift_times(&w, w.u, w.v, 3), KATA_OK);
    expect_refusal(&w, shift_times(&w, w.u, w.u, 1), KATA_ERROR_APPLICATION, "'u'");
    expect_refusal(&w, shift_times(&w, w.u, far, 1), KATA_ERROR_APPLICATION, "far");
    expect_refusal(&w, kata_apply(find(&w, "shift"), kata_box_2d(w.g, 0, NX + 1, 0, NY), w.u, w.v),
                   KATA_ERROR_APPLICATION, "outside");
    kata_range reversed = kata_all(w.g);
    reversed.lo[0] = reversed.hi[0] + 1;
    expect_refusal(&w, kata_apply(find(&w, "shift"), reversed, w.u, w.v), KATA_ERROR_ARGUMENT,
                   "ends before x");
    assert_int_equal(shift_times(&w, w.u, w.v, 1), KATA_OK);
    close_world(&w);
}

/* Sweeps over colors in turn, on several grids: most are remembered, of
 * each grid more than one color. */
static void colors_are_remembered_side_by_side(void **state)
{
    (void)state;
    enum { GRIDS = 6, COLORS = 2 };
    world w;
    kata_range ranges[GRIDS][COLORS];
    kata_field *fields[GRIDS];
    int known = 0;
    open_world(&w);
    for (int g = 0; g < GRIDS; g++) {
        kata_grid *grid = kata_grid_2d(w.k, 4 << g, 4 << g);
        fields[g] = kata_field_new(grid, "u", KATA_F64, .boundary = KATA_CLAMP);
        for (int c = 0; c < COLORS; c++) ranges[g][c] = kata_color(kata_all(grid), COLORS, c);
    }
    for (int g = 0; g < GRIDS; g++)
        for (int c = 0; c < COLORS; c++) kata_apply(find(&w, "set"), ranges[g][c], fields[g], 1.0);
    for (int g = 0; g < GRIDS; g++)
        for (int c = 0; c < COLORS; c++) {
            kata_arg args[] = {KATA_ARG(fields[g]), KATA_ARG(1.0)};
            known += api_apply_cache_find(w.k, find(&w, "set")->kernel, &ranges[g][c], args) != 0;
        }
    assert_true(known > HOSTILE(GRIDS, 0));
    close_world(&w);
}

/* A number that changes from step to step makes another loop only where it may decide which points
 * read. */
static void only_numbers_of_conditions_make_other_loops(void **state)
{
    (void)state;
    static const char text[] =
        "kernel source(inout double u, double s, int at) { u = u + (ix == at ? s : 0.0); }\n"
        "kernel reach(in double u, out double v, int at) { v = ix > at ? u[-1,0] : u; }\n";
    world w;
    open_world(&w);
    kata_module *m = kata_module_from_text(w.k, "numbers", text);
    kata_kernel *source = kata_kernel_find(m, "source"), *reach = kata_kernel_find(m, "reach");
    kata_apply(find(&w, "set"), kata_all(w.g), w.u, 1.0);
    kata_flush(w.k);
    for (int i = 0; i < 3; i++) kata_apply(source, kata_all(w.g), w.u, 1.0 + (i == 1), i == 2);
    for (int i = 0; i < 2; i++) kata_apply(reach, kata_all(w.g), w.u, w.v, i);
    const chain_loop *loops = w.k->chain.loops;
    assert_int_equal(w.k->chain.count, HOSTILE(5, w.k->chain.count));
    if (w.k->chain.count == 5) {
        assert_true(loops[0].hash == loops[1].hash);
        assert_true(loops[0].hash != loops[2].hash);
        assert_true(loops[3].hash != loops[4].hash);
    }
    close_world(&w);
}

/* A number decides which of two reads there is: the other one is checked as well. */
static void numbers_that_decide_what_is_read_are_looked_at(void **state)
{
    (void)state;
    static const char text[] = "kernel wind(in double u, out double v, double c)"
                               "{ v = c > 0 ? u - u[-1,0] : u[1,0] - u; }\n";
    world w;
    open_world(&w);
    kata_field *u = kata_field_new(w.g, "open", KATA_F64);
    kata_boundary_set(u, KATA_X_LOW, KATA_CLAMP, 0);
    kata_kernel *wind = kata_kernel_find(kata_module_from_text(w.k, "wind", text), "wind");
    for (int i = 0; i < 3; i++)
        assert_int_equal(kata_apply(wind, kata_all(w.g), u, w.v, 1.0), KATA_OK);
    expect_refusal(&w, kata_apply(wind, kata_all(w.g), u, w.v, -1.0), KATA_ERROR_APPLICATION,
                   "outside the grid");
    close_world(&w);
}

/* Conditions on indices alone, and intervals of levels, are remembered; with numbers in them,
 * looked at again. */
static void conditions_without_numbers_are_remembered(void **state)
{
    (void)state;
    static const char text[] =
        "kernel inner(in double u, out double v) { v = ix > 0 ? u[-1,0] : u; }\n"
        "kernel some(in double u, out double v, int at) { v = ix > at ? u[-1,0] : u; }\n"
        "kernel down(inout double u, double c) forward(y)\n"
        "{ interval [0, 1) { } interval [1, ny) { u = u + c*u[0,-1]; } }\n"
        "kernel deep(inout double u, int k) forward(y)\n"
        "{ interval [0, k) { } interval [2, ny) { u = u + u[0,-1]; } }\n";
    world w;
    open_world(&w);
    kata_module *m = kata_module_from_text(w.k, "conditions", text);
    kata_kernel *inner = kata_kernel_find(m, "inner"), *some = kata_kernel_find(m, "some");
    kata_kernel *down = kata_kernel_find(m, "down"), *deep = kata_kernel_find(m, "deep");
    kata_field *u = kata_field_new(w.g, "open", KATA_F64);
    kata_range all = kata_all(w.g);
    assert_int_equal(kata_apply(inner, all, u, w.v), KATA_OK);
    kata_arg two[] = {KATA_ARG(u), KATA_ARG(w.v)};
    assert_true(api_apply_cache_find(w.k, inner->kernel, &all, two) != 0);
    assert_int_equal(kata_apply(down, all, u, 0.5), KATA_OK);
    kata_arg other[] = {KATA_ARG(u), KATA_ARG(0.25)};
    assert_true(api_apply_cache_find(w.k, down->kernel, &all, other) != 0);
    assert_int_equal(kata_apply(some, all, u, w.v, 0), KATA_OK);
    expect_refusal(&w, kata_apply(some, all, u, w.v, -1), KATA_ERROR_APPLICATION, "outside");
    assert_int_equal(kata_apply(deep, all, u, 1), KATA_OK);
    expect_refusal(&w, kata_apply(deep, all, u, 3), KATA_ERROR_APPLICATION, "interval");
    close_world(&w);
}

static void values_that_are_gone_are_missed(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    kata_kernel *shift = find(&w, "shift");
    assert_int_equal(shift_times(&w, w.u, w.v, 3), KATA_OK);
    kata_discard(w.u);
    expect_refusal(&w, kata_apply(shift, kata_all(w.g), w.u, w.v), KATA_ERROR_APPLICATION,
                   "discarded");
    assert_int_equal(kata_apply(shift, kata_all(w.g), w.v, w.u), KATA_OK); /* writes all of it */
    assert_int_equal(kata_apply(shift, kata_all(w.g), w.u, w.v), KATA_OK);
    kata_mapping mapping;
    double *values;
    assert_int_equal(kata_map(w.u, &values, &mapping), KATA_OK);
    expect_refusal(&w, kata_apply(shift, kata_all(w.g), w.u, w.v), KATA_ERROR_ARGUMENT, "mapped");
    kata_unmap(w.u);
    kata_field *t = kata_field_new(w.g, "t", KATA_F64, .boundary = KATA_CLAMP, .temporary = true);
    for (int step = 0; step < 3; step++) {
        assert_int_equal(kata_apply(shift, kata_all(w.g), w.u, t), KATA_OK);
        assert_int_equal(kata_apply(shift, kata_all(w.g), t, w.u), KATA_OK);
        kata_step(w.k);
    }
    expect_refusal(&w, kata_apply(shift, kata_all(w.g), t, w.u), KATA_ERROR_APPLICATION, "'t'");
    close_world(&w);
}

/* A message names the location of the application that fails, not of one before it. */
static void a_message_names_its_own_location(void **state)
{
    (void)state;
    world w;
    char location[64];
    open_world(&w);
    for (int i = 0; i < 3; i++) kata_apply(find(&w, "shift"), kata_all(w.g), w.u, w.v);
    snprintf(location, sizeof location, "test_apply_cache.c:%d: ", __LINE__ + 1);
    kata_apply(find(&w, "shift"), kata_all(w.g), w.u, 3);
    assert_non_null(strstr(kata_error_message(w.k), location));
    kata_error_clear(w.k);
    kata_arg args[2] = {kata_arg_field(w.u, 0), kata_arg_integer(3, 0)};
    kata_range all = kata_all(w.g);
    kata_apply_args(find(&w, "shift"), &all, 2, args); /* which nobody has named */
    assert_null(strstr(kata_error_message(w.k), ".c:"));
    kata_error_clear(w.k);
    close_world(&w);
}

/* Rules and their values, changed between steps, on grids of odd sizes: the executors agree. */
static void run(const char *executor, int64_t nx, int64_t ny, double *values)
{
    static const char text[] = "kernel step(in double u, out double v, double c)\n"
                               "{ v = u + c*(u[2,0] + u[-1,0] + u[0,1] + u[0,-2] - 4*u); }\n"
                               "kernel start(out double u) { u = 1 + 0.3*ix + 0.7*iy*ix; }\n";
    static const kata_rule rules[] = {KATA_PERIODIC, KATA_CONSTANT, KATA_CLAMP, KATA_REFLECT_FACE,
                                      KATA_ANTISYMMETRIC_FACE};
    kata *k = kata_open(&(kata_options){.executor = executor, .threads = 2});
    kata_grid *g = kata_grid_2d(k, nx, ny);
    kata_module *m = kata_module_from_text(k, "repeated", text);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_PERIODIC);
    kata_field *v = kata_field_like(u, "v");
    kata_apply(kata_kernel_find(m, "start"), kata_all(g), u);
    for (int i = 0; i < 60; i++) {
        kata_rule rule = rules[i / 4 % COUNT_OF(rules)];
        for (int side = KATA_X_LOW; side <= KATA_Y_HIGH; side++) {
            kata_boundary_set(u, (kata_side)side, rule, i / 2 % 3);
            kata_boundary_set(v, (kata_side)side, rule, i / 2 % 3);
        }
        kata_apply(kata_kernel_find(m, "step"), kata_all(g), u, v, 0.05);
        kata_swap(u, v);
        if (i % 7 == 0) kata_flush(k);
    }
    kata_get(u, kata_all(g), values, nx * ny);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void changing_rules_are_seen(void **state)
{
    static const int64_t sizes[][2] = {{1, 1}, {2, 7}, {13, 3}, {67, 31}, {64, 64}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        int64_t nx = sizes[i][0], ny = sizes[i][1];
        size_t bytes = (size_t)(nx * ny) * sizeof(double);
        double *one = malloc(bytes), *other = malloc(bytes);
        assert_non_null(one);
        assert_non_null(other);
        run("cpu", nx, ny, one);
        run("reference", nx, ny, other);
        assert_memory_equal(one, other, bytes);
        free(one);
        free(other);
    }
}

/* Neither the program's rounding nor its exception flags are touched by queueing. */
static void the_environment_of_the_program_stays(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    for (int i = 0; i < 3; i++) {
        volatile double value = i + 0.3;
        feclearexcept(FE_ALL_EXCEPT);
        kata_apply(find(&w, "scale"), kata_all(w.g), w.u, 0.1);
        kata_apply(find(&w, "set"), kata_all(w.g), w.u, value);
        assert_int_equal(fetestexcept(FE_ALL_EXCEPT), 0);
        fesetround(FE_UPWARD);
        kata_apply(find(&w, "scale"), kata_all(w.g), w.u, 0.1);
        int rounding = fegetround();
        fesetround(FE_TONEAREST);
        assert_int_equal(rounding, FE_UPWARD);
    }
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rule_that_is_taken_away_is_missed),
        cmocka_unit_test(other_fields_and_ranges_are_others),
        cmocka_unit_test(only_numbers_of_conditions_make_other_loops),
        cmocka_unit_test(numbers_that_decide_what_is_read_are_looked_at),
        cmocka_unit_test(conditions_without_numbers_are_remembered),
        cmocka_unit_test(values_that_are_gone_are_missed),
        cmocka_unit_test(colors_are_remembered_side_by_side),
        cmocka_unit_test(a_message_names_its_own_location),
        cmocka_unit_test(changing_rules_are_seen),
        cmocka_unit_test(the_environment_of_the_program_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
