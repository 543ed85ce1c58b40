/* Checks in kernels: an assert that fails, and an index outside its table, end the chain with a
 * message about the first such point in the order z, y, x; it is the same from the oracle and from
 * compiled loops on any number of threads. Where all checks pass, results are the oracle's. */
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

enum { NX = 150, NY = 60, MESSAGE = 2000 };

static const char kernels[] =
    "const double T[5] = {1, 0.5, 0.25, 0.125, 3};\n"
    "static double root(double x)\n"
    "{\n"
    "    if (x > 100) return 10;\n"
    "    assert(x >= 0, \"no root\");\n"
    "    return sqrt(x);\n"
    "}\n"
    "kernel set(out double u) { u = ix + 1000*iy; }\n"
    "kernel positive(in double u, out double v, double c)\n"
    "{\n"
    "    assert(u - c > 0);\n"
    "    v = u;\n"
    "}\n"
    "kernel neighbours(in double u, inout double v)\n"
    "{\n"
    "    if (ix > 3 && iy > 7) assert(u[-1,0] < u[1,0] && v < 5, \"not in order\");\n"
    "    v = u[1,0];\n"
    "}\n"
    "kernel roots(inout double u, double c)\n"
    "{\n"
    "    double s = 0;\n"
    "    for (int q = 0; q < 3; q++) s += root(u - q*c);\n"
    "    u = s;\n"
    "}\n"
    "kernel look(in double u, out double v, double w[7], int shift)\n"
    "{\n"
    "    int q = (int)u + shift;\n"
    "    double a[3] = {2, u, 4};\n"
    "    v = T[q % 5] + w[q & 7] + (q > 2 ? a[q % 3] : 0);\n"
    "}\n"
    "kernel fine(in double u, out double v, double w[7])\n"
    "{\n"
    "    int q = (int)fabs(u);\n"
    "    double a[3] = {2, u, 4};\n"
    "    if (q != 3) assert(q >= 0, \"never\");\n"
    "    v = T[q % 5]*w[q % 7] + a[q % 3];\n"
    "}\n"
    "kernel square(in double u, out double v, double m[3][3], int columns)\n"
    "{\n"
    "    int q = (int)u;\n"
    "    v = m[q % 3][(q + 1) % columns];\n"
    "}\n"
    "kernel only(in double u) { assert(u < 59100); }\n"
    "kernel low(in double u, inout double v) { assert(ix >= 0, \"low\"); v = v + u; }\n"
    "kernel either(in double u)\n"
    "{ assert((ix > 500 && u > 3) || iy < 0 || u < 59100); }\n"
    "kernel narrow(in float h[2], inout float b, out float o)\n"
    "{ b = b/3; assert(h[1][1,0] < 0.4 && b < 0.2, \"narrow\"); o = h[0]; }\n";

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

/* How chains are run: by the oracle for 0, otherwise on that many threads. */
static const int ways[] = {0, 1, 2, 5};
enum { WAYS = 4 };

static void open_world(world *w, int threads)
{
    *w = (world){0};
    w->k = kata_open(&(kata_options){.handler = receive,
                                     .handler_data = w,
                                     .threads = threads,
                                     .executor = threads ? "cpu" : "reference"});
    w->m = kata_module_from_text(w->k, "fault.kata", kernels);
    w->g = kata_grid_2d(w->k, NX, NY);
    w->u = kata_field_new(w->g, "u", KATA_F64, .boundary = KATA_CLAMP);
    w->v = kata_field_like(w->u, "v");
    kata_apply(kata_kernel_find(w->m, "set"), kata_all(w->g), w->u);
    assert_int_equal(kata_flush(w->k), KATA_OK);
}

typedef void apply_kernel(world *w);

/* Applies a kernel in every way; all must fail with this message. */
static void expect_fault(apply_kernel *apply, const char *expected)
{
    for (int i = 0; i < WAYS; i++) {
        world w;
        open_world(&w, ways[i]);
        apply(&w);
        assert_int_equal(kata_flush(w.k), KATA_ERROR_ASSERT);
        assert_string_equal(w.message, expected);
        assert_int_equal(w.messages, 1);
        assert_int_equal(kata_close(w.k), KATA_ERROR_ASSERT);
    }
}

static kata_kernel *find(world *w, const char *name) { return kata_kernel_find(w->m, name); }

/* ---- asserts --------------------------------------------------------------------------------- */

static void put_bad(world *w)
{
    double bad = -3;
    kata_put(w->u, kata_box_2d(w->g, 70, 71, 40, 41), &bad, 1);
    kata_put(w->u, kata_box_2d(w->g, 149, 150, 33, 34), &bad, 1);
    kata_put(w->u, kata_box_2d(w->g, 2, 3, 33, 34), &bad, 1);
    kata_put(w->u, kata_box_2d(w->g, 0, 1, 34, 35), &bad, 1);
}

static void apply_positive(world *w)
{
    put_bad(w);
#line 100 "t.c"
    kata_apply(find(w, "positive"), kata_box_2d(w->g, 0, NX, 10, NY), w->u, w->v, 0.1);
}

static void test_the_first_point_that_fails_is_named_with_its_values(void **state)
{
    (void)state;
    expect_fault(apply_positive, "fault.kata:11:5: error: this assert fails at point (2, 33)\n"
                                 "        assert(u - c > 0);\n"
                                 "        ^\n"
                                 "  u = -3, c = 0.1\n"
                                 "  kernel 'positive' applied at t.c:100 to [0, 150) x [10, 60) of "
                                 "a 150 x 60 grid");
}

static void apply_neighbours(world *w)
{
#line 100 "t.c"
    kata_apply(find(w, "neighbours"), kata_all(w->g), w->u, w->v);
    kata_apply(find(w, "neighbours"), kata_all(w->g), w->u, w->v);
}

static void test_a_later_loop_fails_on_values_not_yet_overwritten(void **state)
{
    (void)state;
    expect_fault(
        apply_neighbours,
        "fault.kata:16:27: error: this assert fails at point (4, 8): not in order\n"
        "        if (ix > 3 && iy > 7) assert(u[-1,0] < u[1,0] && v < 5, \"not in order\");\n"
        "                              ^\n"
        "  u[-1,0] = 8003, u[1,0] = 8005, v = 8005\n"
        "  kernel 'neighbours' applied at t.c:101 to [0, 150) x [0, 60) of a 150 x 60 grid");
}

static void apply_roots(world *w)
{
#line 100 "t.c"
    kata_apply(find(w, "roots"), kata_all(w->g), w->u, 7.5);
}

static void test_asserts_of_helpers_hold_only_where_they_are_reached(void **state)
{
    (void)state;
    expect_fault(apply_roots, "fault.kata:5:5: error: this assert fails at point (0, 0): no root\n"
                              "        assert(x >= 0, \"no root\");\n"
                              "        ^\n"
                              "  x = -7.5\n"
                              "  kernel 'roots' applied at t.c:100 to [0, 150) x [0, 60) of a "
                              "150 x 60 grid");
}

static void apply_only(world *w)
{
#line 100 "t.c"
    kata_apply(find(w, "only"), kata_all(w->g), w->u);
}

static void test_a_kernel_may_only_check(void **state)
{
    (void)state;
    expect_fault(apply_only, "fault.kata:43:28: error: this assert fails at point (100, 59)\n"
                             "    kernel only(in double u) { assert(u < 59100); }\n"
                             "                               ^\n"
                             "  u = 59100\n"
                             "  kernel 'only' applied at t.c:100 to [0, 150) x [0, 60) of a "
                             "150 x 60 grid");
}

static void apply_either(world *w)
{
#line 100 "t.c"
    kata_apply(find(w, "either"), kata_all(w->g), w->u);
}

/* It is read on two paths, of which the first is not taken. */
static void test_a_value_is_shown_wherever_it_is_read(void **state)
{
    (void)state;
    expect_fault(apply_either,
                 "fault.kata:46:3: error: this assert fails at point (100, 59)\n"
                 "    { assert((ix > 500 && u > 3) || iy < 0 || u < 59100); }\n"
                 "      ^\n"
                 "  ix = 100, iy = 59, u = 59100\n"
                 "  kernel 'either' applied at t.c:100 to [0, 150) x [0, 60) of a 150 x 60 grid");
}

static void test_the_chain_ends_there_and_its_fields_are_poisoned(void **state)
{
    (void)state;
    for (int i = 0; i < WAYS; i++) {
        world w;
        double x = 1;
        open_world(&w, ways[i]);
        apply_positive(&w);
        kata_apply(find(&w, "set"), kata_all(w.g), w.v);
        assert_int_equal(kata_get(w.v, kata_box_2d(w.g, 5, 6, 59, 60), &x, 1), KATA_ERROR_ASSERT);
        assert_true(isnan(x));
        kata_error_clear(w.k);
        assert_int_equal(kata_get(w.v, kata_box_2d(w.g, 5, 6, 59, 60), &x, 1), KATA_OK);
        assert_true(isnan(x));
        kata_close(w.k);
    }
}

static void apply_color(world *w)
{
    put_bad(w);
#line 100 "t.c"
    kata_apply(find(w, "positive"), kata_color(kata_all(w->g), 2, 0), w->u, w->v, -0.5);
}

static void test_points_of_other_colours_are_not_checked(void **state)
{
    (void)state;
    expect_fault(apply_color, "fault.kata:11:5: error: this assert fails at point (149, 33)\n"
                              "        assert(u - c > 0);\n"
                              "        ^\n"
                              "  u = -3, c = -0.5\n"
                              "  kernel 'positive' applied at t.c:100 to [0, 150) x [0, 60) of "
                              "a 150 x 60 grid");
}

/* ---- indices --------------------------------------------------------------------------------- */

static const double weights[7] = {1, 2, 3, 4, 5, 6, 7};

static void apply_look(world *w, int shift)
{
#line 100 "t.c"
    kata_apply(find(w, "look"), kata_all(w->g), w->u, w->v, weights, shift);
}

static void apply_look_0(world *w) { apply_look(w, 0); }
static void apply_look_minus(world *w) { apply_look(w, -4); }

static void test_an_index_outside_its_table_is_named(void **state)
{
    (void)state;
    expect_fault(apply_look_0, "fault.kata:29:24: error: index 7 is outside 'w' at point (7, 0)\n"
                               "        v = T[q % 5] + w[q & 7] + (q > 2 ? a[q % 3] : 0);\n"
                               "                           ^\n"
                               "  it must be 0 to 6\n"
                               "  kernel 'look' applied at t.c:100 to [0, 150) x [0, 60) of a "
                               "150 x 60 grid");
    expect_fault(apply_look_minus,
                 "fault.kata:29:13: error: index -4 is outside 'T' at point (0, 0)\n"
                 "        v = T[q % 5] + w[q & 7] + (q > 2 ? a[q % 3] : 0);\n"
                 "                ^\n"
                 "  it must be 0 to 4\n"
                 "  kernel 'look' applied at t.c:100 to [0, 150) x [0, 60) of a 150 x 60 grid");
}

static double fine_value(double u)
{
    static const double table[5] = {1, 0.5, 0.25, 0.125, 3};
    int q = (int)u;
    return fma(table[q % 5], weights[q % 7], (const double[3]){2, u, 4}[q % 3]);
}

static void test_elements_are_found_by_indices_known_at_run_time(void **state)
{
    (void)state;
    static double values[NX * NY];
    for (int i = 0; i < WAYS; i++) {
        world w;
        open_world(&w, ways[i]);
        kata_apply(find(&w, "fine"), kata_all(w.g), w.u, w.v, weights);
        assert_int_equal(kata_get(w.v, kata_all(w.g), values, NX * NY), KATA_OK);
        for (int y = 0; y < NY; y++)
            for (int x = 0; x < NX; x++)
                assert_float_equal(values[y * NX + x], fine_value(x + 1000.0 * y), 0);
        assert_int_equal(kata_close(w.k), KATA_OK);
    }
}

static const double square[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};

/* On one line: gcc and clang number the lines of longer calls differently. */
static void apply_square(world *w, int columns)
{
    kata_arg table = kata_table_of(KATA_F64, square, 9);
#line 100 "t.c"
    kata_apply(find(w, "square"), kata_all(w->g), w->u, w->v, table, columns);
}

static void apply_square_4(world *w) { apply_square(w, 4); }

static void test_each_of_two_indices_is_checked(void **state)
{
    (void)state;
    static double values[NX * NY];
    expect_fault(apply_square_4, "fault.kata:41:26: error: index 3 is outside 'm' at point (2, 0)\n"
                                 "        v = m[q % 3][(q + 1) % columns];\n"
                                 "                             ^\n"
                                 "  it must be 0 to 2\n"
                                 "  kernel 'square' applied at t.c:100 to [0, 150) x [0, 60) of a "
                                 "150 x 60 grid");
    for (int i = 0; i < WAYS; i++) {
        world w;
        open_world(&w, ways[i]);
        apply_square(&w, 3);
        assert_int_equal(kata_get(w.v, kata_all(w.g), values, NX * NY), KATA_OK);
        for (int p = 0; p < NX * NY; p++) {
            int q = p % NX + 1000 * (p / NX);
            assert_float_equal(values[p], square[q % 3][(q + 1) % 3], 0);
        }
        assert_int_equal(kata_close(w.k), KATA_OK);
    }
}

/* Values are shown as kernels read them, whatever they are stored as and in which layout. */
static void test_stored_types_and_layouts_are_seen_through(void **state)
{
    (void)state;
    static const float h[2][6] = {{0}, {0, 0.25f, 0.3f, 0.3f, 0.75f, 0}};
    static const float b[6] = {0.4f, 0.5f, 0.3f, 0.9f, 0.1f, 0};
    char first[MESSAGE] = "";
    for (int layout = KATA_ARRAYS; layout <= KATA_BLOCKS; layout++)
        for (int i = 0; i < WAYS; i++) {
            world w;
            open_world(&w, ways[i]);
            kata_grid *g = kata_grid_2d(w.k, 6, 1);
            kata_field *f =
                kata_field_new(g, "f", KATA_F16, .components = 2, .boundary = KATA_PERIODIC,
                               .layout = (kata_layout)layout);
            kata_field *bytes = kata_field_new(g, "bytes", KATA_UNORM8);
            kata_field *o = kata_field_new(g, "o", KATA_BF16);
            kata_put(f, kata_all(g), &h[0][0], 12);
            kata_put(bytes, kata_all(g), b, 6);
            kata_apply(kata_here(find(&w, "narrow"), "main.c", 7), kata_all(g), f, bytes, o);
            assert_int_equal(kata_flush(w.k), KATA_ERROR_ASSERT);
            if (!first[0]) snprintf(first, sizeof first, "%s", w.message);
            assert_string_equal(w.message, first);
            kata_close(w.k);
        }
    assert_non_null(strstr(first, "0.75"));
}

/* A point before the first of a row is a point like others. */
static void apply_to_ghosts(world *w)
{
    kata_field *ghosts = kata_field_new(w->g, "g", KATA_F64, .ghosts = 2);
    kata_range all = kata_box_2d(w->g, -2, NX, 0, NY);
    kata_apply(find(w, "low"), all, w->u, ghosts);
}

static void test_a_point_below_the_grid_can_fail(void **state)
{
    (void)state;
    for (int i = 0; i < WAYS; i++) {
        world w;
        open_world(&w, ways[i]);
        apply_to_ghosts(&w);
        assert_int_equal(kata_flush(w.k), KATA_ERROR_ASSERT);
        assert_non_null(strstr(w.message, "(-2, 0)"));
        assert_int_equal(kata_close(w.k), KATA_ERROR_ASSERT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_first_point_that_fails_is_named_with_its_values),
        cmocka_unit_test(test_a_later_loop_fails_on_values_not_yet_overwritten),
        cmocka_unit_test(test_asserts_of_helpers_hold_only_where_they_are_reached),
        cmocka_unit_test(test_a_kernel_may_only_check),
        cmocka_unit_test(test_a_value_is_shown_wherever_it_is_read),
        cmocka_unit_test(test_the_chain_ends_there_and_its_fields_are_poisoned),
        cmocka_unit_test(test_points_of_other_colours_are_not_checked),
        cmocka_unit_test(test_an_index_outside_its_table_is_named),
        cmocka_unit_test(test_each_of_two_indices_is_checked),
        cmocka_unit_test(test_stored_types_and_layouts_are_seen_through),
        cmocka_unit_test(test_a_point_below_the_grid_can_fail),
        cmocka_unit_test(test_elements_are_found_by_indices_known_at_run_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
