/* Files of staggered fields: they hold the points that the field has under its present rules, and
 * come back. */
#include "api_world.h"

static char folder[] = "/tmp/kata_faces_XXXXXX";

static void fill(kata_field *u, kata_range range, double by)
{
    double values[64];
    int64_t count = (range.hi[0] - range.lo[0]) * (range.hi[1] - range.lo[1]);
    for (int64_t i = 0; i < count; i++) values[i] = by * (double)i;
    assert_int_equal(kata_put(u, range, values, count), KATA_OK);
}

static void check_round_trip(kata *k, const char *path, kata_rule rule, int staggered)
{
    kata_grid *g = kata_grid_2d(k, 5, 3);
    kata_field *u =
        kata_field_new(g, "u", KATA_F64, .staggered = staggered, .components = 2, .boundary = rule);
    kata_field *v = kata_field_like(u, "v");
    kata_range on = kata_on(u);
    double values[48], found[48];
    int64_t count = 2 * on.hi[0] * on.hi[1];
    for (int64_t i = 0; i < count; i++) values[i] = (double)i / 51; /* PNG holds n/255 exactly */
    kata_put(u, on, values, count);
    kata_save(u, path);
    kata_load(v, path);
    kata_get(v, on, found, count);
    assert_string_equal(kata_error_message(k), "");
    for (int64_t i = 0; i < count; i++)
        assert_true(strstr(path, "png") ? fabs(found[i] - fmin(values[i], 1)) < 1e-9
                                        : found[i] == values[i]);
}

static void test_they_come_back_as_they_were_saved(void **state)
{
    (void)state;
    static const char *const paths[] = {"u.npy", "u.vtkhdf", "u.png"};
    kata *k = kata_open(&(kata_options){.handler = ignore});
    for (size_t p = 0; p < sizeof paths / sizeof *paths; p++)
        for (int staggered = 0; staggered < 4; staggered++) {
            check_round_trip(k, paths[p], KATA_PERIODIC, staggered);
            check_round_trip(k, paths[p], KATA_CLAMP, staggered);
            unlink(paths[p]);
        }
    assert_int_equal(kata_close(k), KATA_OK);
}

/* A field that lacks a dimension of its grid is drawn along the two others, the first to the right.
 */
static void test_pictures_of_lower_rank(void **state)
{
    (void)state;
    kata *k = kata_open(&(kata_options){.handler = ignore});
    static const int along[] = {KATA_X | KATA_Y, KATA_X | KATA_Z, KATA_Y | KATA_Z};
    static const int64_t sizes[][2] = {{5, 3}, {5, 4}, {3, 4}};
    kata_grid *g = kata_grid_3d(k, 5, 3, 4);
    for (int i = 0; i < 3; i++) {
        kata_field *u = kata_field_new(g, "u", KATA_F64, .components = 3, .along = along[i]);
        kata_field *v = kata_field_like(u, "v");
        double values[60], found[60];
        int64_t width, height, count = 3 * sizes[i][0] * sizes[i][1];
        for (int64_t j = 0; j < count; j++) values[j] = (double)j / 51;
        kata_put(u, kata_on(u), values, count);
        assert_int_equal(kata_save(u, "u.png"), KATA_OK);
        kata_png_size(k, "u.png", &width, &height);
        assert_true(width == sizes[i][0] && height == sizes[i][1]);
        assert_int_equal(kata_load(v, "u.png"), KATA_OK);
        kata_get(v, kata_on(v), found, count);
        for (int64_t j = 0; j < count; j++) assert_true(fabs(found[j] - fmin(values[j], 1)) < 1e-9);
    }
    unlink("u.png");
    kata_field *line = kata_field_new(g, "line", KATA_F64, .along = KATA_Z);
    assert_int_equal(kata_save(line, "u.png"), KATA_ERROR_ARGUMENT);
    assert_string_equal(kata_error_message(k),
                        "error: kata_save: field 'line' has 1 dimension; a picture has 2");
    kata_close(k);
}

/* What is stored at the last face is unseen where the sides are periodic: no colour depends on it,
 * and the picture has no column for it. */
static void test_pictures_leave_out_what_is_unseen(void **state)
{
    (void)state;
    kata *k = kata_open(&(kata_options){.handler = ignore});
    kata_field *u = kata_field_new(kata_grid_2d(k, 5, 3), "u", KATA_F64, .staggered = KATA_X);
    int64_t width, height;
    fill(u, kata_on(u), 1000);
    kata_boundary_set(u, KATA_X_LOW, KATA_PERIODIC, 0);
    kata_boundary_set(u, KATA_X_HIGH, KATA_PERIODIC, 0);
    assert_int_equal(kata_save(u, "u.png"), KATA_OK);
    assert_int_equal(kata_png_size(k, "u.png", &width, &height), KATA_OK);
    assert_true(width == 5 && height == 3);
    kata_boundary_set(u, KATA_X_LOW, KATA_CLAMP, 0);
    kata_boundary_set(u, KATA_X_HIGH, KATA_CLAMP, 0);
    assert_int_equal(kata_load(u, "u.png"), KATA_ERROR_ARGUMENT);
    assert_string_equal(kata_error_message(k),
                        "error: u.png: the image has 5 x 3 pixels and field 'u' 6 x 3 points");
    unlink("u.png");
    kata_close(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_they_come_back_as_they_were_saved),
        cmocka_unit_test(test_pictures_of_lower_rank),
        cmocka_unit_test(test_pictures_leave_out_what_is_unseen),
    };
    if (!mkdtemp(folder) || chdir(folder)) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return rmdir(folder) ? 1 : failed;
}
