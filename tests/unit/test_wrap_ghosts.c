/* Wrapped memory with ghosts, faces and missing dimensions. */
#include "api_world.h"

static const char text[] = "kernel sum(in double u, in double w along x, out double v)\n"
                           "{ v = w*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1]); }\n"
                           "kernel edge(out double u) { u = 100; }\n";

static void check(const char *executor)
{
    enum { X = 5, Y = 4 };
    double frame[Y + 2][X + 3], weight[X], out[Y][X];
    kata *k = kata_open(&(kata_options){.handler = ignore, .executor = executor});
    kata_module *m = kata_module_from_text(k, "text", text);
    kata_grid *g = kata_grid_2d(k, X, Y);
    for (int i = 0; i < (Y + 2) * (X + 3); i++) (&frame[0][0])[i] = i;
    for (int x = 0; x < X; x++) weight[x] = x + 1;
    kata_field *u = kata_field_wrap(g, "u", KATA_F64, &frame[1][1], .stride = {1, X + 3},
                                    .ghosts = 1, .staggered = KATA_X);
    kata_field *w = kata_field_wrap(g, "w", KATA_F64, weight, .along = KATA_X);
    kata_field *v = kata_field_wrap(g, "v", KATA_F64, &out[0][0]);
    kata_apply(kata_kernel_find(m, "sum"), kata_all(g), u, w, v);
    kata_apply(kata_kernel_find(m, "edge"), kata_ghost(u, KATA_Y_LOW, 1), u);
    assert_int_equal(kata_flush(k), KATA_OK);
    for (int y = 0; y < Y; y++)
        for (int x = 0; x < X; x++)
            assert_true(out[y][x] == 4.0 * (x + 1) * ((y + 1) * (X + 3) + x + 1));
    assert_true(frame[0][0] == 0 && frame[0][1] == 100 && frame[0][X + 1] == 100);
    assert_true(frame[0][X + 2] == X + 2 && frame[1][1] == X + 4);
    kata_field_wrap(g, "f", KATA_F64, &frame[0][1]); /* memory of a ghost */
    assert_non_null(strstr(kata_error_message(k), "is that of another field"));
    kata_close(k);
}

static void test_ghosts_and_faces_lie_in_the_memory_given(void **state)
{
    (void)state;
    check("reference");
    check("cpu");
}

/* The array T(-1:nx+2,-1:ny+2,nz) of a Fortran program: two ghosts in x and y, none in z. */
static void sum_around(const char *executor)
{
    enum { X = 5, Y = 4, Z = 3, ROW = X + 4, PLANE = ROW * (Y + 4) };
    static double t[Z * PLANE], out[Z * Y * X];
    kata *k = kata_open(&(kata_options){.handler = ignore, .executor = executor});
    kata_module *m = kata_module_from_text(
        k, "text",
        "kernel around(in double t, out double s)\n"
        "{ s = t[-2,0,0] + t[2,0,0] + 10*(t[0,-2,0] + t[0,2,0]) + 100*(t[0,0,-1] + t[0,0,1]); }\n"
        "kernel set(out double t) { t = 1; }\n");
    kata_grid *g = kata_grid_3d(k, X, Y, Z);
    for (int i = 0; i < Z * PLANE; i++) t[i] = i;
    kata_field *f =
        kata_field_wrap(g, "t", KATA_F64, &t[2 * ROW + 2], .ghosts_x = 2, .ghosts_y = 2);
    kata_field *s = kata_field_wrap(g, "s", KATA_F64, out);
    kata_boundary_set(f, KATA_Z_LOW, KATA_CLAMP, 0);
    kata_boundary_set(f, KATA_Z_HIGH, KATA_CLAMP, 0);
    kata_apply(kata_kernel_find(m, "around"), kata_all(g), f, s);
    assert_int_equal(kata_flush(k), KATA_OK);
    for (int i = 0; i < Z * Y * X; i++) {
        int x = i % X, y = i / X % Y, z = i / X / Y, at = z * PLANE + (y + 2) * ROW + x + 2;
        int low = z > 0 ? at - PLANE : at, high = z < Z - 1 ? at + PLANE : at;
        assert_true(out[i] == 2.0 * at + 10 * 2.0 * at + 100.0 * (low + high));
    }
    kata_boundary_set(f, KATA_Z_HIGH, KATA_NONE, 0);
    kata_apply(kata_kernel_find(m, "set"), kata_ghost(f, KATA_Z_HIGH, 1), f);
    assert_non_null(strstr(kata_error_message(k), "is applied to points outside"));
    kata_close(k);
}

static void test_ghosts_of_some_dimensions(void **state)
{
    (void)state;
    sum_around("reference");
    sum_around("cpu");
}

/* Each dimension has its own ghosts, or .ghosts. */
static void test_ghosts_of_a_dimension_take_the_place_of_all(void **state)
{
    (void)state;
    double values[100];
    kata *k = kata_open(&(kata_options){.handler = ignore});
    kata_grid *g = kata_grid_2d(k, 4, 3);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .ghosts = 2, .ghosts_y = 1);
    kata_get(u, kata_box_2d(g, -2, 6, -1, 4), values, 40);
    assert_true(kata_ok(k));
    kata_get(u, kata_box_2d(g, 0, 4, -2, 3), values, 20);
    assert_string_equal(
        kata_error_message(k),
        "error: kata_get: the range [0, 4) x [-2, 3) reaches outside field 'u', which "
        "has [-2, 6) x [-1, 4)");
    kata_error_clear(k);
    kata_field *like = kata_field_like(u, "like"),
               *other = kata_field_new(g, "v", KATA_F64, .ghosts = 2);
    assert_int_equal(kata_swap(u, like), KATA_OK);
    kata_swap(u, other);
    assert_string_equal(kata_error_message(k), "error: kata_swap: 'u' and 'v' differ in ghosts");
    kata_close(k);
}

/* The message of a new field whose options are wrong. */
#define WRONG(text, ...)                                                                           \
    {                                                                                              \
        kata *k = kata_open(&(kata_options){.handler = ignore});                                   \
        kata_field_new(kata_grid_2d(k, 4, 3), "u", KATA_F64, __VA_ARGS__);                         \
        assert_string_equal(kata_error_message(k), "error: kata_field_new: " text);                \
        kata_close(k);                                                                             \
    }

static void test_wrong_ghosts_of_a_dimension_are_named(void **state)
{
    (void)state;
    WRONG("ghosts_y is 1025, not 0 to 1024", .ghosts_y = 1025)
    WRONG("ghosts_x is -1, not 0 to 1024", .ghosts = 1, .ghosts_x = -1)
    WRONG("ghosts_z is 1, and the field does not extend along z", .ghosts_z = 1)
    WRONG("ghosts_x is 2, and the field does not extend along x", .along = KATA_Y, .ghosts_x = 2)
}

static void test_wrong_places_name_the_call(void **state)
{
    (void)state;
    double values[4];
    kata *k = kata_open(&(kata_options){.handler = ignore});
    kata_field_wrap(kata_grid_1d(k, 4), "u", KATA_F64, values, .ghosts = -1);
    assert_string_equal(kata_error_message(k),
                        "error: kata_field_wrap: ghosts is -1, not 0 to 1024");
    kata_close(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ghosts_and_faces_lie_in_the_memory_given),
        cmocka_unit_test(test_ghosts_of_some_dimensions),
        cmocka_unit_test(test_ghosts_of_a_dimension_take_the_place_of_all),
        cmocka_unit_test(test_wrong_ghosts_of_a_dimension_are_named),
        cmocka_unit_test(test_wrong_places_name_the_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
