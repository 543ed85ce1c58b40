/* Errors stop a context and can be cleared; values that a failed chain should have computed cannot
 * be mistaken for results; NULL is reported everywhere. */
#include "api_world.h"

/* ---- errors ---------------------------------------------------------------------------------- */

static void test_the_first_error_stays_until_it_is_cleared(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    kata_apply(find(&w, "set"), kata_all(w.g), w.u, 1);
    assert_int_equal(kata_apply(find(&w, "set"), kata_all(w.g), w.u), KATA_ERROR_ARGUMENT);
    assert_false(kata_ok(w.k));
    assert_int_equal(kata_error(w.k), KATA_ERROR_ARGUMENT);
    assert_int_equal(kata_apply(find(&w, "set"), kata_all(w.g), w.u, 2), KATA_ERROR_ARGUMENT);
    assert_null(kata_field_like(w.u, "w"));
    assert_true(isnan(at(&w, w.u, 0, 0)));
    assert_int_equal(w.errors, 1);
    kata_error_clear(w.k);
    assert_true(kata_ok(w.k));
    assert_string_equal(kata_error_message(w.k), "");
    assert_float_equal(at(&w, w.u, 0, 0), 1, 0);
    close_world(&w);
}

static void test_a_failed_chain_leaves_nan_not_old_values(void **state)
{
    (void)state;
    world w;
    int errors = 0;
    w = (world){0};
    w.k = kata_open(&(kata_options){.executor = "cpu",
                                    .compiler = "/nowhere/cc",
                                    .cache = "empty-cache",
                                    .handler = count_error,
                                    .handler_data = &errors});
    w.m = kata_module_from_text(w.k, "k.kata", kernels);
    w.g = kata_grid_2d(w.k, NX, NY);
    w.u = kata_field_new(w.g, "u", KATA_F64);
    double value = 4;
    kata_put(w.u, kata_box_2d(w.g, 0, 1, 0, 1), &value, 1);
    kata_apply(find(&w, "scale"), kata_all(w.g), w.u, 2);
    assert_int_equal(kata_flush(w.k), KATA_ERROR_COMPILER);
    assert_int_equal(errors, 1);
    kata_error_clear(w.k);
    assert_true(isnan(at(&w, w.u, 0, 0)));
    kata_close(w.k);
}

/* Also where there is no memory for any value. */
static void test_a_field_beyond_memory_is_nan_after_a_failed_chain(void **state)
{
    (void)state;
    world w;
    double x = 1;
    open_world(&w);
    kata_grid *g = kata_grid_2d(w.k, (int64_t)1 << 40, 1 << 7);
    kata_field *u = kata_field_new(g, "u", KATA_F64), *v = kata_field_like(u, "v");
    kata_range few = kata_box_2d(g, 0, 5, 0, 1);
    kata_apply(find(&w, "set"), few, u, 1);
    assert_int_equal(kata_flush(w.k), KATA_ERROR_MEMORY);
    kata_error_clear(w.k);
    assert_int_equal(kata_get(u, kata_box_2d(g, 0, 1, 0, 1), &x, 1), KATA_OK);
    assert_true(isnan(x));
    kata_swap(u, v);
    assert_int_equal(kata_get(u, kata_box_2d(g, 0, 1, 0, 1), &x, 1), KATA_OK);
    assert_true(x == 0);
    assert_int_equal(kata_get(v, kata_box_2d(g, 0, 1, 0, 1), &x, 1), KATA_OK);
    assert_true(isnan(x));
    close_world(&w);
}

/* Values that a failed chain should have made are NaN to the kernels that come after, too. */
static void test_kernels_read_nan_after_a_failed_chain(void **state)
{
    (void)state;
    static const char *const executors[] = {"cpu", "reference"};
    for (int i = 0; i < 2; i++) {
        kata *k = kata_open(&(kata_options){.executor = executors[i], .handler = ignore});
        kata_grid *g = kata_grid_2d(k, NX, NY), *large = kata_grid_2d(k, (int64_t)1 << 40, 1 << 7);
        kata_field *u = kata_field_new(g, "u", KATA_F64), *v = kata_field_like(u, "v");
        kata_field *beyond = kata_field_new(large, "beyond", KATA_F64);
        kata_module *m = kata_module_from_text(k, "k.kata", kernels);
        kata_kernel *set = kata_kernel_find(m, "set"), *add = kata_kernel_find(m, "add");
        double table[3] = {0, 1, 0}, x = 1;
        kata_apply(set, kata_all(g), u, 1.0);
        kata_apply(set, kata_box_2d(large, 0, 1, 0, 1), beyond, 1.0);
        assert_int_equal(kata_flush(k), KATA_ERROR_MEMORY);
        kata_error_clear(k);
        kata_apply(set, kata_box_2d(g, 0, 1, 0, 1), v, 2.0);
        kata_apply(add, kata_all(g), u, v, table);
        assert_int_equal(kata_get(v, kata_box_2d(g, 0, 1, 0, 1), &x, 1), KATA_OK);
        assert_true(isnan(x));
        kata_apply(set, kata_box_2d(g, 0, 1, 0, 1), u, 1.0);
        kata_get(u, kata_box_2d(g, 0, 1, 0, 1), &x, 1);
        assert_true(x == 1);
        kata_get(u, kata_box_2d(g, 1, 2, 0, 1), &x, 1);
        assert_true(isnan(x));
        kata_close(k);
    }
}

static void test_close_returns_the_first_error_and_discards_work(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    kata_apply(find(&w, "where"), kata_all(w.g), w.u);
    kata_grid_1d(w.k, 0);
    assert_int_equal(kata_close(w.k), KATA_ERROR_ARGUMENT);
}

/* ---- NULL ------------------------------------------------------------------------------------ */

static void test_null_is_reported_by_every_function(void **state)
{
    (void)state;
    int64_t size;
    double x;
    kata_work work;
    kata_machine machine;
    kata_ceilings ceilings;
    kata_grid *g = NULL;
    kata_param param;
    kata_shape shape;
    assert_int_equal(kata_close(NULL), KATA_ERROR_ARGUMENT);
    assert_false(kata_ok(NULL));
    assert_int_equal(kata_error(NULL), KATA_ERROR_ARGUMENT);
    assert_string_equal(kata_error_message(NULL), "");
    kata_error_clear(NULL);
    assert_int_equal(kata_flush(NULL), KATA_ERROR_ARGUMENT);
    assert_int_equal(kata_work_done(NULL, &work), KATA_ERROR_ARGUMENT);
    assert_null(kata_grid_1d(NULL, 1));
    assert_null(kata_grid_2d(NULL, 1, 1));
    assert_null(kata_grid_3d(NULL, 1, 1, 1));
    assert_null(kata_field_new(g, "u", KATA_F64));
    assert_null(kata_field_like(NULL, "u"));
    assert_int_equal(kata_boundary_set(NULL, KATA_X_LOW, KATA_CLAMP, 0), KATA_ERROR_ARGUMENT);
    assert_int_equal(kata_swap(NULL, NULL), KATA_ERROR_ARGUMENT);
    assert_int_equal(kata_rotate(NULL, NULL, NULL), KATA_ERROR_ARGUMENT);
    assert_int_equal(kata_discard(NULL), KATA_ERROR_ARGUMENT);
    assert_int_equal(kata_step(NULL), KATA_ERROR_ARGUMENT);
    assert_null(kata_once(NULL).grid);
    assert_null(kata_inner(NULL, 1).grid);
    assert_null(kata_face(NULL, KATA_X_LOW, 1).grid);
    assert_int_equal(kata_get(NULL, kata_all(NULL), &x, 1), KATA_ERROR_ARGUMENT);
    assert_true(isnan(x));
    assert_int_equal(kata_put(NULL, kata_all(NULL), &x, 1), KATA_ERROR_ARGUMENT);
    assert_null(kata_scalar_new(NULL, "s", KATA_F64));
    assert_int_equal(kata_scalar_log(NULL, 3), KATA_ERROR_ARGUMENT);
    assert_int_equal(kata_scalar_log_count(NULL), 0);
    assert_int_equal(kata_scalar_log_get((kata_scalar *)NULL, &x, 1), KATA_ERROR_ARGUMENT);
    assert_null(kata_scalar_array_new(NULL, "s", KATA_F64, 2));
    assert_int_equal(kata_scalar_get_all((kata_scalar *)NULL, &x, 1), KATA_ERROR_ARGUMENT);
    assert_int_equal(kata_scalar_set(NULL, 1), KATA_ERROR_ARGUMENT);
    assert_int_equal(kata_scalar_get(NULL, &x), KATA_ERROR_ARGUMENT);
    kata_until until = kata_until_below(NULL, 1, .most = 1, .every = 1);
    assert_false(kata_until_next(&until) || kata_until_next(NULL));
    assert_null(kata_module_load(NULL, "k.kata"));
    assert_null(kata_module_from_text(NULL, "k.kata", ""));
    assert_null(kata_module_text(NULL));
    assert_null(kata_kernel_find(NULL, "heat"));
    assert_int_equal(kata_module_kernels(NULL), 0);
    assert_null(kata_module_kernel(NULL, 0));
    assert_null(kata_kernel_name(NULL));
    assert_null(kata_kernel_describe(NULL, KATA_IR));
    assert_null(kata_kernel_explain(NULL, NULL, false));
    assert_int_equal(kata_kernel_params(NULL), 0);
    assert_int_equal(kata_kernel_rank(NULL), 0);
    assert_int_equal(kata_kernel_on(NULL), KATA_NOWHERE);
    assert_int_equal(kata_kernel_param(NULL, 0, &param), KATA_ERROR_ARGUMENT);
    assert_null(kata_here(NULL, "a.c", 1));
    assert_int_equal(kata_apply((kata_kernel *)NULL, kata_all(NULL)), KATA_ERROR_ARGUMENT);
    assert_int_equal(kata_save((kata_field *)NULL, "u.png"), KATA_ERROR_ARGUMENT);
    assert_int_equal(kata_load(NULL, "u.png"), KATA_ERROR_ARGUMENT);
    assert_int_equal(kata_png_size(NULL, "u.png", &size, &size), KATA_ERROR_ARGUMENT);
    assert_int_equal(kata_file_shape(NULL, "u.npy", 1, &shape), KATA_ERROR_ARGUMENT);
    assert_int_equal(kata_machine_get(NULL, &machine), KATA_ERROR_ARGUMENT);
    assert_int_equal(kata_ceilings_measure(NULL, &ceilings), KATA_ERROR_ARGUMENT);
    assert_int_equal(kata_devices_get(NULL, NULL, 1), 0);
    assert_int_equal(kata_device_ceilings_measure(NULL, "cuda", NULL), KATA_ERROR_ARGUMENT);
}

/* If a context is at hand, its handler receives the message. */
static void test_null_is_told_to_the_context(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    kata_range all = kata_all(w.g);
#define TOLD(call, message)                                                                        \
    do {                                                                                           \
        (void)(call);                                                                              \
        assert_string_equal(kata_error_message(w.k), "error: " message);                           \
        kata_error_clear(w.k);                                                                     \
    } while (0)
    TOLD(kata_swap(w.u, NULL), "kata_swap: the second field is NULL");
    TOLD(kata_swap(NULL, w.u), "kata_swap: the first field is NULL");
    TOLD(kata_save(w.u, NULL), "kata_save: the path is NULL");
    TOLD(kata_save_with(w.u, NULL), "kata_save: the path is NULL");
    TOLD(kata_load(w.u, NULL), "kata_load: the path is NULL");
    TOLD(kata_module_load(w.k, NULL), "kata_module_load: the path is NULL");
    TOLD(kata_module_from_text(w.k, NULL, ""), "kata_module_from_text: the name is NULL");
    TOLD(kata_module_from_text(w.k, "x", NULL), "kata_module_from_text: the text is NULL");
    TOLD(kata_kernel_find(w.m, NULL), "kata_kernel_find: the name is NULL");
    TOLD(kata_field_new_with(w.g, "u", NULL), "kata_field_new: the options are NULL");
    TOLD(kata_work_done(w.k, NULL), "kata_work_done: the result is NULL");
    TOLD(kata_ceilings_measure(w.k, NULL), "kata_ceilings_measure: the result is NULL");
    TOLD(kata_devices_get(w.k, NULL, 1), "kata_devices_get: the devices are NULL");
    TOLD(kata_device_ceilings_measure(w.k, NULL, NULL),
         "kata_device_ceilings_measure: the name is NULL");
    TOLD(kata_device_ceilings_measure(w.k, "cuda", NULL),
         "kata_device_ceilings_measure: the result is NULL");
    TOLD(kata_kernel_describe(find(&w, "set"), (kata_aspect)9),
         "kata_kernel_describe: there is no aspect 9");
    TOLD(kata_kernel_param(find(&w, "set"), 0, NULL), "kata_kernel_param: the result is NULL");
    TOLD(kata_apply_args(find(&w, "set"), &all, 2, NULL), "kata_apply: the arguments are NULL");
    close_world(&w);
}

/* The text that a piece of program prints on standard error. */
static void capture(void piece(void), char printed[4096])
{
    int old = dup(2), pipe_ends[2];
    assert_int_equal(pipe(pipe_ends), 0);
    dup2(pipe_ends[1], 2);
    close(pipe_ends[1]);
    piece();
    dup2(old, 2);
    close(old);
    ssize_t got = read(pipe_ends[0], printed, 4095);
    printed[got > 0 ? got : 0] = '\0';
    close(pipe_ends[0]);
}

static void use_nulls(void)
{
    kata *bad = kata_open(&(kata_options){.executor = "gpu"});
    for (int i = 0; i < 1000; i++) kata_flush(bad);
    kata *k = kata_open(NULL);
    for (int i = 0; i < 1000; i++) kata_flush(NULL);
    kata_swap(NULL, NULL);
    kata_close(k);
}

/* Once each, and not where the reason was reported. */
static void test_null_without_a_context_is_printed_once(void **state)
{
    (void)state;
    char printed[4096];
    capture(use_nulls, printed);
    char *rest = strchr(printed, '\n');
    assert_non_null(rest);
    assert_memory_equal(printed, "error: there is no executor 'gpu'", 33);
    assert_string_equal(rest, "\nerror: kata_flush: the context is NULL\n"
                              "error: kata_swap: the first field is NULL\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_first_error_stays_until_it_is_cleared),
        cmocka_unit_test(test_a_failed_chain_leaves_nan_not_old_values),
        cmocka_unit_test(test_a_field_beyond_memory_is_nan_after_a_failed_chain),
        cmocka_unit_test(test_kernels_read_nan_after_a_failed_chain),
        cmocka_unit_test(test_close_returns_the_first_error_and_discards_work),
        cmocka_unit_test(test_null_is_reported_by_every_function),
        cmocka_unit_test(test_null_is_told_to_the_context),
        cmocka_unit_test(test_null_without_a_context_is_printed_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
