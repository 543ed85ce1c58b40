/* Values on their way into fields, through kernels and out again, in every type and by box. */
#include "api_world.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes_go_in_and_out_in_plain_order),
        cmocka_unit_test(test_a_wrong_count_never_writes_beyond_the_range),
        cmocka_unit_test(test_bytes_go_in_and_out_as_integers_or_fractions),
        cmocka_unit_test(test_stored_types_through_npy),
        cmocka_unit_test(test_tables_of_bytes),
        cmocka_unit_test(test_real_is_as_the_first_field_is_stored),
        cmocka_unit_test(test_uchar_kernels_wrap),
        cmocka_unit_test(test_long_fields_wrap_and_empty_ranges_do_nothing),
        cmocka_unit_test(test_colors_share_the_points_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
