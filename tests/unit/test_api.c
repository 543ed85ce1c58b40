/* The public interface: queued work is invisible, what is applied is copied, errors stop a context
 * and can be cleared, NULL is reported everywhere. */
#include "kata/kata.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char kernels[] =
    "kernel set(out double u, double c) { u = c; }\n"
    "kernel where(out double u) { u = ix + 10*iy; }\n"
    "kernel add(in double u, inout double v, double w[3]) { v += w[1]*u; }\n"
    "kernel shift(in double u, out double v) { v = u[-1,0]; }\n"
    "kernel total(in double u, sum double s) { s += u; }\n"
    "kernel scale(inout double u, double by) { u *= by; }\n"
    "kernel count(inout long n) { n += 1; }\n";

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g;
    kata_field *u, *v;
    int errors;
} world;

enum { NX = 5, NY = 3, POINTS = NX * NY };

static void count_error(void *data, kata_status status, const char *message)
{
    (void)status;
    (void)message;
    ++*(int *)data;
}

static void ignore(void *data, kata_status status, const char *message)
{
    (void)data;
    (void)status;
    (void)message;
}

static void open_world(world *w)
{
    *w = (world){0};
    w->k = kata_open(&(kata_options){.handler = count_error, .handler_data = &w->errors});
    w->m = kata_module_from_text(w->k, "k.kata", kernels);
    w->g = kata_grid_2d(w->k, NX, NY);
    w->u = kata_field_new(w->g, "u", KATA_F64, .boundary = KATA_CLAMP);
    w->v = kata_field_like(w->u, "v");
    assert_true(kata_ok(w->k));
}

static void close_world(world *w) { assert_int_equal(kata_close(w->k), KATA_OK); }

static kata_kernel *find(world *w, const char *name) { return kata_kernel_find(w->m, name); }

static double at(world *w, kata_field *f, int64_t x, int64_t y)
{
    double value;
    kata_get(f, kata_box_2d(w->g, x, x + 1, y, y + 1), &value, 1);
    return value;
}

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

/* ---- values ---------------------------------------------------------------------------------- */

static void test_boxes_go_in_and_out_in_plain_order(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    kata_field *f = kata_field_new(w.g, "f", KATA_F32, .components = 2);
    double in[2 * 3 * 2], out[2 * 3 * 2];
    for (int i = 0; i < 12; i++) in[i] = i;
    kata_range box = kata_box_2d(w.g, 1, 4, 0, 2);
    assert_int_equal(kata_put(f, box, in, 12), KATA_OK);
    assert_int_equal(kata_get(f, box, out, 12), KATA_OK);
    assert_memory_equal(in, out, sizeof in);
    float pair[2];
    kata_get(f, kata_box_2d(w.g, 3, 4, 1, 2), pair, 2);
    assert_float_equal(pair[0], 5, 0);
    assert_float_equal(pair[1], 11, 0);
    kata_get(f, kata_box_2d(w.g, 0, 1, 1, 2), pair, 2);
    assert_float_equal(pair[0], 0, 0);
    close_world(&w);
}

static void test_a_wrong_count_never_writes_beyond_the_range(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    double values[POINTS + 1];
    values[POINTS] = 7;
    assert_int_equal(kata_get(w.u, kata_all(w.g), values, POINTS * sizeof *values),
                     KATA_ERROR_ARGUMENT);
    assert_true(isnan(values[0]) && isnan(values[POINTS - 1]));
    assert_float_equal(values[POINTS], 7, 0);
    assert_int_equal(kata_get(w.u, kata_all(w.g), values, POINTS * sizeof *values),
                     KATA_ERROR_ARGUMENT);
    assert_float_equal(values[POINTS], 7, 0);
    kata_error_clear(w.k);
    close_world(&w);
}

static void test_bytes_go_in_and_out_as_integers_or_fractions(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    kata_field *n = kata_field_new(w.g, "n", KATA_U8);
    kata_field *f = kata_field_new(w.g, "f", KATA_UNORM8), *h = kata_field_new(w.g, "h", KATA_F16);
    uint8_t in[3] = {0, 51, 255}, out[3];
    double values[3] = {0};
    kata_range box = kata_box_2d(w.g, 0, 3, 1, 2);
    kata_put(n, box, in, 3);
    kata_get(n, box, out, 3);
    assert_memory_equal(in, out, sizeof in);
    kata_put(f, box, in, 3);
    kata_get(f, box, values, 3);
    assert_true(values[0] == 0 && values[1] == 51 / 255.0 && values[2] == 1);
    values[2] = 0.1;
    kata_put(h, box, values, 3);
    kata_get(h, box, values, 3);
    assert_true(values[2] == 0x1.998p-4);
    values[0] = -1, values[1] = 0.5, values[2] = 7;
    kata_put(f, box, values, 3);
    kata_get(f, box, out, 3);
    assert_true(out[0] == 0 && out[1] == 128 && out[2] == 255);
    assert_true(kata_ok(w.k));
    close_world(&w);
}

/* Through a file each stored type comes back as it was. */
static void test_stored_types_through_npy(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    static const kata_type types[] = {KATA_U8, KATA_F16, KATA_BF16, KATA_UNORM8};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        kata_field *u = kata_field_new(w.g, "u", types[i]), *v = kata_field_like(u, "v");
        kata_range row = kata_box_2d(w.g, 0, 3, 1, 2);
        uint8_t in[3] = {3, 128, 255}, bytes[3] = {0};
        float reals[3] = {0.1f, 0.5f, 1}, stored[3], back[3];
        if (types[i] == KATA_U8)
            kata_put(u, row, in, 3);
        else
            kata_put(u, row, reals, 3);
        assert_int_equal(kata_save(u, "stored.npy"), KATA_OK);
        assert_int_equal(kata_load(v, "stored.npy"), KATA_OK);
        if (types[i] == KATA_U8) {
            kata_get(v, row, bytes, 3);
            assert_memory_equal(in, bytes, sizeof in);
        } else {
            kata_get(u, row, stored, 3);
            kata_get(v, row, back, 3);
            assert_memory_equal(stored, back, sizeof back);
        }
    }
    assert_true(kata_ok(w.k));
    remove("stored.npy");
    close_world(&w);
}

/* A table of bytes is one of whole numbers. */
static void test_tables_of_bytes(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    kata_module *m = kata_module_from_text(
        w.k, "t.kata", "kernel t(out double u, int n[3], float x[3]) { u = n[1] + x[2]; }");
    uint8_t n[3] = {1, 200, 3}, x[3] = {4, 5, 6};
    kata_apply(kata_kernel_find(m, "t"), kata_all(w.g), w.u, n, x);
    assert_float_equal(at(&w, w.u, 1, 1), 206, 0);
    close_world(&w);
}

/* u + 1/3 in the type of the field given for u, whatever the others are. */
static void test_real_is_as_the_first_field_is_stored(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    kata_module *m = kata_module_from_text(
        w.k, "r.kata", "kernel r(double c, in real u, out real v) { v = u + 1.0/3; }");
    static const kata_type types[] = {KATA_F64, KATA_F32, KATA_F16, KATA_BF16, KATA_UNORM8};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        kata_field *u = kata_field_new(w.g, "u", types[i]);
        kata_apply(kata_kernel_find(m, "r"), kata_all(w.g), 0, u, w.v);
        double expected = types[i] == KATA_F64 ? 1.0 / 3 : (double)(float)(1.0 / 3);
        assert_true(at(&w, w.v, 2, 1) == expected);
    }
    const char *shown = kata_kernel_describe(kata_kernel_find(m, "r"), KATA_ACCESSES);
    assert_non_null(strstr(shown, "in     double u"));
    assert_non_null(strstr(shown, "in     float u"));
    assert_true(kata_ok(w.k));
    close_world(&w);
}

static void test_uchar_kernels_wrap(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    kata_module *m = kata_module_from_text(
        w.k, "b.kata", "kernel b(in uchar u, out uchar v, uchar n) { v = u*u + n; }");
    kata_field *u = kata_field_new(w.g, "u", KATA_U8), *v = kata_field_like(u, "v");
    kata_range point = kata_box_2d(w.g, 1, 2, 1, 2);
    uint8_t value = 17;
    kata_put(u, point, &value, 1);
    kata_apply(kata_kernel_find(m, "b"), kata_all(w.g), u, v, 250);
    kata_get(v, point, &value, 1);
    assert_int_equal(value, (17 * 17 + 250) % 256);
    assert_true(kata_ok(w.k));
    close_world(&w);
}

static void test_long_fields_wrap_and_empty_ranges_do_nothing(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    kata_field *n = kata_field_new(w.g, "n", KATA_I64);
    int64_t value = INT64_MAX;
    kata_put(n, kata_box_2d(w.g, 0, 1, 0, 1), &value, 1);
    kata_apply(find(&w, "count"), kata_all(w.g), n);
    kata_apply(find(&w, "count"), kata_inner(w.g, 2), n);
    kata_get(n, kata_box_2d(w.g, 0, 1, 0, 1), &value, 1);
    assert_true(value == INT64_MIN);
    assert_int_equal(kata_get(n, kata_inner(w.g, 2), &value, 0), KATA_OK);
    close_world(&w);
}

static void test_colors_share_the_points_out(void **state)
{
    (void)state;
    world w;
    kata_work work;
    open_world(&w);
    kata_scalar *s = kata_scalar_new(w.k, "s", KATA_F64);
    kata_apply(find(&w, "set"), kata_all(w.g), w.u, 1);
    double sum, total = 0;
    for (int color = 0; color < 3; color++) {
        kata_apply(find(&w, "total"), kata_color(kata_all(w.g), 3, color), w.u, s);
        kata_scalar_get(s, &sum);
        total += sum;
    }
    assert_float_equal(total, POINTS, 0);
    kata_work_done(w.k, &work);
    assert_int_equal(work.points, 2 * POINTS);
    kata_apply(find(&w, "scale"), kata_color(kata_all(w.g), 2, 1), w.u, 5);
    assert_float_equal(at(&w, w.u, 0, 0), 1, 0);
    assert_float_equal(at(&w, w.u, 1, 0), 5, 0);
    assert_float_equal(at(&w, w.u, 0, 1), 5, 0);
    close_world(&w);
}

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

static void test_null_is_reported_by_every_function(void **state)
{
    (void)state;
    int64_t size;
    double x;
    kata_work work;
    kata_machine machine;
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
    assert_null(kata_module_load(NULL, "k.kata"));
    assert_null(kata_module_from_text(NULL, "k.kata", ""));
    assert_null(kata_kernel_find(NULL, "heat"));
    assert_int_equal(kata_module_kernels(NULL), 0);
    assert_null(kata_module_kernel(NULL, 0));
    assert_null(kata_kernel_name(NULL));
    assert_null(kata_kernel_describe(NULL, KATA_IR));
    assert_int_equal(kata_kernel_params(NULL), 0);
    assert_int_equal(kata_kernel_rank(NULL), 0);
    assert_int_equal(kata_kernel_param(NULL, 0, &param), KATA_ERROR_ARGUMENT);
    assert_null(kata_here(NULL, "a.c", 1));
    assert_int_equal(kata_apply((kata_kernel *)NULL, kata_all(NULL)), KATA_ERROR_ARGUMENT);
    assert_int_equal(kata_save((kata_field *)NULL, "u.png"), KATA_ERROR_ARGUMENT);
    assert_int_equal(kata_load(NULL, "u.png"), KATA_ERROR_ARGUMENT);
    assert_int_equal(kata_png_size(NULL, "u.png", &size, &size), KATA_ERROR_ARGUMENT);
    assert_int_equal(kata_file_shape(NULL, "u.npy", 1, &shape), KATA_ERROR_ARGUMENT);
    assert_int_equal(kata_machine_get(NULL, &machine), KATA_ERROR_ARGUMENT);
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

/* Where a context is at hand, it is that which is told. */
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
    TOLD(kata_kernel_param(find(&w, "set"), 0, NULL), "kata_kernel_param: the result is NULL");
    TOLD(kata_apply_args(find(&w, "set"), &all, 2, NULL), "kata_apply: the arguments are NULL");
    close_world(&w);
}

/* What a piece of program prints on standard error. */
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

/* ---- places ---------------------------------------------------------------------------------- */

/* The place that kata_here names is copied, and belongs to one application only. */
static void test_a_place_is_that_of_one_application(void **state)
{
    (void)state;
    world w;
    char file[] = "one.c";
    open_world(&w);
    kata_range all = kata_all(w.g);
    kata_arg u = kata_arg_field(w.u, 0);
    kata_kernel *where = kata_here(find(&w, "where"), file, 7);
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
        cmocka_unit_test(test_boxes_go_in_and_out_in_plain_order),
        cmocka_unit_test(test_a_wrong_count_never_writes_beyond_the_range),
        cmocka_unit_test(test_bytes_go_in_and_out_as_integers_or_fractions),
        cmocka_unit_test(test_stored_types_through_npy),
        cmocka_unit_test(test_tables_of_bytes),
        cmocka_unit_test(test_real_is_as_the_first_field_is_stored),
        cmocka_unit_test(test_uchar_kernels_wrap),
        cmocka_unit_test(test_long_fields_wrap_and_empty_ranges_do_nothing),
        cmocka_unit_test(test_colors_share_the_points_out),
        cmocka_unit_test(test_the_first_error_stays_until_it_is_cleared),
        cmocka_unit_test(test_a_failed_chain_leaves_nan_not_old_values),
        cmocka_unit_test(test_a_field_beyond_memory_is_nan_after_a_failed_chain),
        cmocka_unit_test(test_kernels_read_nan_after_a_failed_chain),
        cmocka_unit_test(test_close_returns_the_first_error_and_discards_work),
        cmocka_unit_test(test_constants_are_given_when_a_module_is_loaded),
        cmocka_unit_test(test_null_is_reported_by_every_function),
        cmocka_unit_test(test_null_is_told_to_the_context),
        cmocka_unit_test(test_null_without_a_context_is_printed_once),
        cmocka_unit_test(test_a_place_is_that_of_one_application),
        cmocka_unit_test(test_colors_hold_at_any_magnitude),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
