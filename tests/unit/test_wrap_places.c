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
        cmocka_unit_test(test_wrong_places_name_the_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
