/* What users see of finer and coarser fields: asserts name the same point and values on all
 * executors, also of values stored as halves and bytes; a trace finds a child by its own index. */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char kernels[] =
    "kernel look(in float f finer(2), in double c coarser(3), out double v)\n"
    "{\n"
    "    assert(f[1,0] + c[1,0] < 40, \"too large\");\n"
    "    v = f[0,1];\n"
    "}\n"
    "kernel spread(in double c, inout double f finer(2))\n"
    "{\n"
    "    f[0,0] = f[1,1];\n"
    "    f[1,0] = c + f[0,0];\n"
    "}\n";

static char message[2000];

static void keep(void *data, kata_status status, const char *text)
{
    (void)data;
    if (status) snprintf(message, sizeof message, "%s", text);
}

static const struct executor {
    const char *name;
    int threads;
} executors[] = {{"reference", 1}, {"cpu", 1}, {"cpu", 3}};

/* Field f holds 0, 1, 2, ... */
static kata_field *counting(kata_grid *g, int64_t count, kata_type type)
{
    double values[400];
    kata_field *f = kata_field_new(g, "f", type);
    for (int64_t i = 0; i < count; i++) values[i] = (double)i;
    if (type == KATA_UNORM8)
        for (int64_t i = 0; i < count; i++) values[i] = i < 180 ? 0.5 : 1;
    kata_put(f, kata_all(g), values, count);
    return f;
}

static void fail_on(int e, kata_type type)
{
    kata *k = kata_open(&(kata_options){
        .executor = executors[e].name, .threads = executors[e].threads, .handler = keep});
    kata_module *m = kata_module_from_text(k, "k.kata", kernels);
    kata_grid *g = kata_grid_2d(k, 9, 6), *fine = kata_grid_2d(k, 18, 12),
              *coarse = kata_grid_2d(k, 3, 2);
    kata_field *c =
        kata_field_new(coarse, "c", KATA_F64, .boundary = KATA_CONSTANT, .boundary_value = 39.25);
    kata_field *f = counting(fine, 18 * 12, type), *v = kata_field_new(g, "v", KATA_F64);
    kata_apply(kata_kernel_find(m, "look"), kata_all(g), f, c, v);
    assert_int_equal(kata_flush(k), KATA_ERROR_ASSERT);
    assert_int_equal(kata_close(k), KATA_ERROR_ASSERT);
}

/* c[1,0] is outside, 39.25, from the seventh column on. */
static void test_asserts_show_the_same(void **state)
{
    (void)state;
    static const kata_type types[] = {KATA_F64, KATA_F32, KATA_F16, KATA_BF16, KATA_UNORM8};
    for (int t = 0; t < 5; t++)
        for (int e = 0; e < 3; e++) {
            fail_on(e, types[t]);
            const char *expected =
                t < 4 ? "k.kata:3:5: error: this assert fails at point (6, 0): too large\n"
                        "        assert(f[1,0] + c[1,0] < 40, \"too large\");\n"
                        "        ^\n"
                        "  f[1,0] = 13, c[1,0] = 39.25\n"
                      : "k.kata:3:5: error: this assert fails at point (6, 5): too large\n"
                        "        assert(f[1,0] + c[1,0] < 40, \"too large\");\n"
                        "        ^\n"
                        "  f[1,0] = 1, c[1,0] = 39.25\n";
            message[strlen(expected)] = 0; /* up to where it was applied */
            assert_string_equal(message, expected);
        }
}

static void test_a_trace_finds_children(void **state)
{
    (void)state;
    char path[] = "/tmp/kata-trace-XXXXXX", text[2000] = "";
    int file = mkstemp(path);
    assert_true(file >= 0);
    setenv("KATA_TRACE", "f@3,2", 1);
    setenv("KATA_TRACE_FILE", path, 1);
    kata *k = kata_open(NULL);
    kata_module *m = kata_module_from_text(k, "k.kata", kernels);
    kata_grid *g = kata_grid_2d(k, 4, 3), *fine = kata_grid_2d(k, 8, 6);
    kata_field *f = counting(fine, 48, KATA_F64), *c = kata_field_new(g, "c", KATA_F64);
    kata_apply(kata_kernel_find(m, "spread"), kata_all(g), c, f);
    kata_flush(k);
    assert_int_equal(kata_close(k), 0);
    unsetenv("KATA_TRACE");
    unsetenv("KATA_TRACE_FILE");
    assert_true(read(file, text, sizeof text - 1) > 0);
    close(file);
    unlink(path);
    assert_non_null(strstr(text, "loop 1: f at [3, 2]: 19 -> 27\n"));
    assert_non_null(strstr(text, " stores at k.kata:9\n  f[1,1] = 27\n  c = 0\n  f = 27\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_asserts_show_the_same),
        cmocka_unit_test(test_a_trace_finds_children),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
