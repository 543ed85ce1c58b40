/* Orders along several dimensions give what a nest of loops gives, bit for bit, whatever the
 * directions, threads and executors. Grids are large enough for several bands and chunks. */
/* Labels: compiler slow */
#include <kata/kata.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NX = 1300, NY = 70, POINTS = NX * NY, MX = 530, MY = 21, MZ = 6, CELLS = MX * MY * MZ };

typedef struct manner {
    const char *executor;
    int threads;
} manner;

static const manner manners[] = {{"reference", 1}, {"cpu", 1}, {"cpu", 2}, {"cpu", 3}, {"cpu", 7}};
enum { MANNERS = sizeof manners / sizeof *manners };

static double start_value(int64_t i) { return (double)((i * i + 7 * i) % 1009) / 1009 - 0.5; }

/* ---- the plane ------------------------------------------------------------------------------- */

/* Nine points, and far ones that rows side by side must not overtake. */
static const char plane_text[] =
    "contract off;\n"
    "kernel relax(inout double u, in double f) %s\n"
    "{\n"
    "    u = (u[-1,-1] + u[0,-1] + u[1,-1] + u[-1,0] + u + u[1,0] + u[-1,1] + u[0,1] + u[1,1]\n"
    "         + u[3,-2] - u[-3,2] + u[-4,-1] - u[4,1])/9 + f[1,1];\n"
    "}\n";

static double relaxed(const double *u, const double *f, int64_t i)
{
    double sum = u[i - 1 - NX] + u[i - NX] + u[i + 1 - NX] + u[i - 1] + u[i] + u[i + 1] +
                 u[i - 1 + NX] + u[i + NX] + u[i + 1 + NX];
    sum = sum + u[i + 3 - 2 * NX] - u[i - 3 + 2 * NX] + u[i - 4 - NX] - u[i + 4 + NX];
    return sum / 9 + f[i + 1 + NX];
}

static void relax_in_c(double *u, const double *f, bool x_down, bool y_down)
{
    for (int64_t b = 2; b < NY - 2; b++)
        for (int64_t a = 4; a < NX - 4; a++) {
            int64_t x = x_down ? NX - 1 - a : a, y = y_down ? NY - 1 - b : b;
            u[x + y * NX] = relaxed(u, f, x + y * NX);
        }
}

static void run_plane(manner m, const char *order, const double *u, const double *f, double *out)
{
    char text[1000];
    snprintf(text, sizeof text, plane_text, order);
    kata *k = kata_open(&(kata_options){.executor = m.executor, .threads = m.threads});
    kata_grid *g = kata_grid_2d(k, NX, NY);
    kata_field *fu = kata_field_new(g, "u", KATA_F64), *ff = kata_field_new(g, "f", KATA_F64);
    kata_kernel *relax = kata_kernel_find(kata_module_from_text(k, "k.kata", text), "relax");
    kata_put(fu, kata_all(g), u, POINTS);
    kata_put(ff, kata_all(g), f, POINTS);
    for (int i = 0; i < 2; i++) kata_apply(relax, kata_box_2d(g, 4, NX - 4, 2, NY - 2), fu, ff);
    kata_get(fu, kata_all(g), out, POINTS);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void test_a_plane_is_swept_in_each_direction(void **state)
{
    (void)state;
    static const char *const orders[4] = {"forward(x, y)", "backward(x) forward(y)",
                                          "forward(x) backward(y)", "backward(y, x)"};
    double *u = malloc(sizeof(double[POINTS])), *f = malloc(sizeof(double[POINTS]));
    double *out = malloc(sizeof(double[POINTS])), *expected = malloc(sizeof(double[POINTS]));
    for (int64_t i = 0; i < POINTS; i++) u[i] = start_value(i);
    for (int64_t i = 0; i < POINTS; i++) f[i] = start_value(3 * i + 5);
    for (int o = 0; o < 4; o++) {
        memcpy(expected, u, sizeof(double[POINTS]));
        for (int i = 0; i < 2; i++) relax_in_c(expected, f, o & 1, o >> 1);
        for (int m = 0; m < MANNERS; m++) {
            run_plane(manners[m], orders[o], u, f, out);
            assert_memory_equal(out, expected, sizeof(double[POINTS]));
        }
    }
    free(u);
    free(f);
    free(out);
    free(expected);
}

/* ---- space ----------------------------------------------------------------------------------- */

/* The reads lie along the dimensions of the order. */
static const struct {
    const char *order, *value;
} spaces[] = {
    {"forward(x, y, z)", "u[-1,0,0] + u[1,2,-1] + u[0,-1,0] - u[2,-1,0] + u[-1,-2,1] - u[0,0,1]"},
    {"backward(x) forward(y, z)", "u[-1,0,0] + u[1,-1,-1] + u[2,1,0] - u[0,-2,1] + u[0,0,-1]"},
    {"forward(x) backward(z)", "u[-1,0,0] + u[2,0,1] - u[0,0,-1] + u[-2,0,1]"},
    {"forward(y) backward(z)", "u[0,-1,0] + u[0,2,1] - u[0,0,-1] + u[0,-2,1]"},
    {"backward(y, z)", "u[0,1,0] + u[0,-2,1] - u[0,0,1] + u[0,2,-1]"},
    {"backward(x, y)", "u[1,0,0] + u[-2,1,0] - u[0,-1,0] + u[1,2,0]"},
};

static void run_space(manner m, int which, bool one_by_one, double *out)
{
    char text[1000];
    snprintf(text, sizeof text,
             "kernel start(out float u) { u = (ix*ix + 5*iy*iz + 3*ix*iy) %% 101; }\n"
             "kernel relax(inout float u, out double sums%s) %s { u = 0.2*(%s); sums = u; %s}\n",
             one_by_one ? ", sum double total" : "", spaces[which].order, spaces[which].value,
             one_by_one ? "total += u; " : "");
    kata *k = kata_open(&(kata_options){.executor = m.executor, .threads = m.threads});
    kata_grid *g = kata_grid_3d(k, MX, MY, MZ);
    kata_field *u = kata_field_new(g, "u", KATA_F32), *s = kata_field_new(g, "s", KATA_F64);
    kata_scalar *total = kata_scalar_new(k, "total", KATA_F64);
    kata_module *module = kata_module_from_text(k, "k.kata", text);
    kata_range inner = kata_box_3d(g, 2, MX - 2, 2, MY - 2, 1, MZ - 1);
    kata_apply(kata_kernel_find(module, "start"), kata_all(g), u);
    if (one_by_one)
        kata_apply(kata_kernel_find(module, "relax"), inner, u, s, total);
    else
        kata_apply(kata_kernel_find(module, "relax"), inner, u, s);
    kata_get(s, kata_all(g), out, CELLS);
    out[0] = 0;
    if (one_by_one) kata_scalar_get(total, out);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void test_space_is_swept_as_the_reference_does(void **state)
{
    (void)state;
    double *out = malloc(sizeof(double[CELLS])), *expected = malloc(sizeof(double[CELLS]));
    for (int which = 0; which < (int)(sizeof spaces / sizeof *spaces); which++)
        for (int one_by_one = 0; one_by_one < 2; one_by_one++) {
            run_space(manners[0], which, one_by_one, expected);
            for (int m = 1; m < MANNERS; m++) {
                run_space(manners[m], which, one_by_one, out);
                assert_memory_equal(out, expected, sizeof(double[CELLS]));
            }
        }
    free(out);
    free(expected);
}

/* ---- walls ----------------------------------------------------------------------------------- */

enum { WX = 70, WY = 37, WALLED = WX * WY };

/* A rule finds the values of the moment: around a period, new ones on one side. */
static void run_walls(manner m, kata_rule rule, double *out)
{
    static const char text[] = "kernel start(out double u) { u = (ix*ix + 3*iy*ix) % 11; }\n"
                               "kernel relax(inout double u) forward(x) backward(y)\n"
                               "{ u = 0.25*(u[-1,1] + u[1,0] + u[0,-1] + u[-2,-1]); }\n"
                               "kernel guarded(inout double u) forward(x, y)\n"
                               "{ u = 0.5*(ix > 0 ? u[-1,0] : 1) + (iy > 0 ? u[0,-1] : 2)/4; }\n";
    kata *k = kata_open(&(kata_options){.executor = m.executor, .threads = m.threads});
    kata_grid *g = kata_grid_2d(k, WX, WY);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = rule);
    kata_module *module = kata_module_from_text(k, "k.kata", text);
    kata_apply(kata_kernel_find(module, "start"), kata_all(g), u);
    kata_apply(kata_kernel_find(module, "relax"), kata_all(g), u);
    kata_apply(kata_kernel_find(module, "guarded"), kata_all(g), u);
    kata_get(u, kata_all(g), out, WALLED);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void test_rules_find_the_values_of_the_moment(void **state)
{
    (void)state;
    static const kata_rule rules[] = {KATA_PERIODIC, KATA_CLAMP, KATA_REFLECT_NODE, KATA_CONSTANT};
    static double out[WALLED], expected[WALLED];
    for (int r = 0; r < 4; r++) {
        run_walls(manners[0], rules[r], expected);
        for (int m = 1; m < MANNERS; m++) {
            run_walls(manners[m], rules[r], out);
            assert_memory_equal(out, expected, sizeof out);
        }
    }
}

/* ---- checks ---------------------------------------------------------------------------------- */

static void receive(void *data, kata_status status, const char *message)
{
    if (status != KATA_OK) snprintf(data, 1000, "%s", message);
}

/* The loop of the order would meet (60,20) first: from the last row and column on. */
static void test_the_first_failing_point_is_the_first_of_the_order(void **state)
{
    (void)state;
    static const char text[] = "kernel check(inout double u) backward(x, y)\n"
                               "{ assert(u < 1); u = u[1,1]; }\n"
                               "kernel set(out double u) { u = (ix == 60 || ix == 3) && "
                               "(iy == 20 || iy == 2) ? 2 : 0; }\n";
    for (int m = 0; m < MANNERS; m++) {
        char message[1000] = "";
        kata *k = kata_open(&(kata_options){.executor = manners[m].executor,
                                            .threads = manners[m].threads,
                                            .handler = receive,
                                            .handler_data = message});
        kata_grid *g = kata_grid_2d(k, WX, WY);
        kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
        kata_module *module = kata_module_from_text(k, "k.kata", text);
        kata_apply(kata_kernel_find(module, "set"), kata_all(g), u);
        kata_apply(kata_kernel_find(module, "check"), kata_all(g), u);
        assert_int_equal(kata_flush(k), KATA_ERROR_ASSERT);
        assert_non_null(strstr(message, "(60, 20)"));
        kata_close(k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_plane_is_swept_in_each_direction),
        cmocka_unit_test(test_space_is_swept_as_the_reference_does),
        cmocka_unit_test(test_rules_find_the_values_of_the_moment),
        cmocka_unit_test(test_the_first_failing_point_is_the_first_of_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
