/* Rows of any length, and parts of rows, give what their points would compute one by one, in double
 * and float: rows whose points share values, and rows in order, of which each reads the one before
 * it. */
/* Labels: hostile slow */
#include "kata/kata.h"

#include "sanitized.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_X = 50, MOST_Y = 5, MOST = MOST_X * MOST_Y };

/* A value that costs much, and what points make of it: at their own index and the one before
 * (before), or the next (behind), or both; also next to what they read themselves (mixed), of two
 * such values (two), and where rows run in pairs (pairs). Rows that read what the row before them
 * has written, upwards and downwards (down, up), by the index of the point (aside). */
static const char text[] =
    "static double flux(in double u)\n"
    "{\n"
    "    double a = u*u + 1, b = u[0,1] - u;\n"
    "    return (a*b + 3)/(a + 2) + a*a*b;\n"
    "}\n"
    "static double rows(in double u)\n"
    "{\n"
    "    double sum = u*u[0,-1] + u[0,1]*u[0,-2] + (u[0,2] + u[0,3])*u;\n"
    "    return sum + 3*u[0,-3]/(u*u + 1);\n"
    "}\n"
    "kernel before(in double u, inout double v) { v = flux(u) - flux(u[-1,0]); }\n"
    "kernel behind(in double u, inout double v) { v = flux(u[1,0]) - flux(u); }\n"
    "kernel both(in double u, inout double v)\n"
    "{ v = flux(u[1,0]) - 2*flux(u) + 3*flux(u[-1,0]); }\n"
    "kernel mixed(in double u, inout double v)\n"
    "{ v = v + u*ix - (u[1,0] + u[-1,0])*(flux(u) - flux(u[-1,0])); }\n"
    "kernel two(in double u, inout double v)\n"
    "{ v = flux(u) - flux(u[-1,0]) + rows(u)/3 - rows(u[-1,0]); }\n"
    "kernel pairs(in double u, inout double v)\n"
    "{ v = rows(u[-1,0]) - rows(u)/7 + rows(u[1,0]) - u; }\n"
    "kernel down(in double u, inout double v) forward(y)\n"
    "{ interval [0, 1) { v = u; } interval [1, ny) { v = 1/(3 + u - v[0,-1]) + 0.5*v; } }\n"
    "kernel up(in double u, inout double v) backward(y)\n"
    "{ interval [0, ny-1) { v = u - 0.75*v[0,1]; } interval [ny-1, ny) { } }\n"
    "kernel aside(in double u, inout double v) forward(y)\n"
    "{ interval [0, 1) { v = u*ix; } interval [1, ny) { v = u[1,0] - 0.75*v[0,-1]/(2 + ix); } }\n";
static const char *const kernels[] = {"before", "behind", "both", "mixed", "two",
                                      "pairs",  "down",   "up",   "aside"};

/* The text; all numbers of another type have as many letters. */
static void add_text(char *out, kata_type type)
{
    memcpy(out, text, sizeof text);
    for (char *at = out; type == KATA_F32 && (at = strstr(at, "double"));) memcpy(at, " float", 6);
}

/* A kernel as an executor runs it. */
typedef struct runner {
    kata *k;
    kata_kernel *kernel;
    kata_type type;
    kata_rule rule;
} runner;

static runner open_runner(const char *executor, const char *kernel, kata_type type, kata_rule rule)
{
    char of_type[sizeof text];
    add_text(of_type, type);
    kata *k = kata_open(&(kata_options){.executor = executor, .threads = 1, .wait = true});
    kata_module *m = kata_module_from_text(k, "text", of_type);
    return (runner){k, kata_kernel_find(m, kernel), type, rule};
}

/* Runs the points from `begin` to `end` - 1 of each row. */
static void compute(const runner *r, int64_t nx, int64_t begin, int64_t end, double values[MOST])
{
    kata_grid *g = kata_grid_2d(r->k, nx, MOST_Y);
    kata_field *u = kata_field_new(g, "u", r->type, .boundary = r->rule);
    kata_field *v = kata_field_new(g, "v", r->type);
    int64_t count = nx * MOST_Y;
    for (int64_t i = 0; i < count; i++) values[i] = (double)(i * 37 % 251) / 160;
    kata_put(u, kata_all(g), values, count);
    kata_apply(r->kernel, kata_box_2d(g, begin, end, 0, MOST_Y), u, v);
    memset(values, 0, MOST * sizeof *values);
    kata_get(v, kata_all(g), values, count);
    assert_true(kata_ok(r->k));
}

static void expect_the_same(const runner pair[2], int64_t nx, int64_t begin, int64_t end)
{
    static double expected[MOST], found[MOST];
    compute(&pair[0], nx, begin, end, expected);
    compute(&pair[1], nx, begin, end, found);
    assert_memory_equal(expected, found, sizeof found);
}

static void rows_of_any_length(const runner pair[2])
{
    const int64_t step = is_sanitized() ? 3 : 1;
    for (int64_t nx = 1; nx <= MOST_X; nx += step) expect_the_same(pair, nx, 0, nx);
}

static void parts_of_a_row(const runner pair[2])
{
    const int64_t step = is_sanitized() ? 5 : 1;
    for (int64_t begin = 1; begin < 18; begin += step)
        for (int64_t end = 33; end <= MOST_X; end += 4 * step)
            expect_the_same(pair, MOST_X, begin, end);
}

static void compare(const char *kernel, kata_type type, kata_rule rule)
{
    const runner pair[2] = {open_runner("reference", kernel, type, rule),
                            open_runner("cpu", kernel, type, rule)};
    rows_of_any_length(pair);
    parts_of_a_row(pair);
    for (int i = 0; i < 2; i++) assert_int_equal(kata_close(pair[i].k), KATA_OK);
}

static void rows_give_what_points_give(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        compare(kernels[i], KATA_F64, i % 2 ? KATA_CLAMP : KATA_PERIODIC);
        compare(kernels[i], KATA_F32, i % 2 ? KATA_PERIODIC : KATA_CLAMP);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_give_what_points_give)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
