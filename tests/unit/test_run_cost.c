/* The cost of a kernel as it is explained: operations and bytes of a point, exactly; the bound,
 * from given ceilings. */
#include "analysis/analysis.h"
#include "ir/run_cost.h"
#include "lang/lang.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The explanation of the first kernel of a text, behind its parameters. */
static void expect_costs(const char *kernels, const char *const lines[4])
{
    kata *k = kata_open(NULL);
    kata_module *m = kata_module_from_text(k, "k.kata", kernels);
    const char *said = kata_kernel_explain(kata_module_kernel(m, 0), NULL, false);
    assert_non_null(said);
    const char *begin = strstr(said, "  halo ");
    assert_non_null(begin);
    char expected[512];
    snprintf(expected, sizeof expected,
             "  halo        %s\n  operations  %s\n  bytes       %s\n"
             "  intensity   %s operations per byte\n",
             lines[0], lines[1], lines[2], lines[3]);
    assert_string_equal(begin, expected);
    assert_int_equal(kata_close(k), KATA_OK);
}

#define EXPECT(kernels, ...) expect_costs(kernels, (const char *const[]){__VA_ARGS__})

static void test_each_element_counts_once(void **state)
{
    (void)state;
    EXPECT("kernel f(in double u, out double v)\n"
           "{ v = (u[-1,0] + u[2,0]) * (u[0,-3] - u); }",
           "u x -1..2 y -3..0", "add 2, mul 1 per point",
           "16 per point: 8 read, 8 written; 24 with write-allocate", "0.1875");
    EXPECT("kernel f(in float u[3], out float v[2]) { v[0] = u[0] + u[2][1]; v[1] = u[0]; }",
           "u x 0..1", "add 1 per point", "16 per point: 8 read, 8 written; 24 with write-allocate",
           "0.0625");
    EXPECT("kernel f(inout double u) { u = 2*u; }", "none", "mul 1 per point",
           "16 per point: 8 read, 8 written; 16 with write-allocate", "0.0625");
}

/* Where a point is not written, its old value stays and is moved with the others. */
static void test_what_is_written_in_part_is_read(void **state)
{
    (void)state;
    EXPECT("kernel f(in double u, out double v) { if (u > 0) v = u; }", "none",
           "compare/select 1 per point", "24 per point: 16 read, 8 written; 24 with write-allocate",
           "0");
}

static void test_lower_ranks_and_ratios_count_their_part(void **state)
{
    (void)state;
    EXPECT("kernel f(in double p along y, in double u[1], out double v) { v = p*u[0][1,0]; }",
           "u x 0..1", "mul 1 per point", "16 per point: 8 read, 8 written; 24 with write-allocate",
           "0.0625");
    EXPECT("kernel f(in double w finer(2,2), out double v) { v = w[0,0] + w[1,1]; }",
           "w x 0..1 y 0..1", "add 1 per point",
           "40 per point: 32 read, 8 written; 48 with write-allocate", "0.025");
    EXPECT("kernel f(in double w finer(2,2), out double v) { v = w[0,0] + w[1,0]; }", "w x 0..1",
           "add 1 per point", "24 per point: 16 read, 8 written; 32 with write-allocate",
           "0.04167");
    EXPECT("kernel f(in double c coarser(2,2), out double v) { v = c[0,0]; }", "none", "none",
           "10 per point: 2 read, 8 written; 18 with write-allocate", "0");
    EXPECT("kernel f(in double c, out double v finer(2)) { v[0] = c; v[1] = 2*c; }", "none",
           "mul 1 per point", "24 per point: 8 read, 16 written; 40 with write-allocate",
           "0.04167");
}

static void test_operations_are_counted_by_kind(void **state)
{
    (void)state;
    EXPECT("kernel f(in double u, out double v, double c)\n"
           "{ v = fma(u, c, sqrt(u)) / (exp(u) + c*c*c) + (u < c ? 1 : -u) + min(u, c); }",
           "none", "add 2, fma 2, compare/select 3, div 1, sqrt 1, function 1, other 1 per point",
           "16 per point: 8 read, 8 written; 24 with write-allocate", "0.5625");
    EXPECT("kernel f(in int u, sum int s, max int m) { s += u/3; m = max(m, u); }", "none",
           "compare/select 1, integer 2 per point",
           "4 per point: 4 read, 0 written; 4 with write-allocate", "0");
}

/* c*c, and operations on iy alone, are computed once per row or less often. */
static void test_what_is_the_same_along_x_is_not_counted(void **state)
{
    (void)state;
    EXPECT("kernel f(in double u, out double v, double c) { v = u[0,1] * (c*c + sin(iy)); }",
           "u y 0..1", "mul 1 per point", "16 per point: 8 read, 8 written; 24 with write-allocate",
           "0.0625");
}

/* ---- the bound ------------------------------------------------------------------------------- */

static const machine two_cores = {
    .cores = 2, .l1 = 1000, .l2 = 10000, .l3 = 100000, .l2_cores = 1, .l3_cores = 2};
static const kata_ceilings ceilings = {.copy = {.best = 10e9},
                                       .triad = {.best = 12e9},
                                       .copy_streaming = {.best = 14e9},
                                       .l2_copy_all = {.best = 100e9},
                                       .l3_copy_all = {.best = 40e9},
                                       .fma_f64 = {.best = 2e9},
                                       .fma_f32 = {.best = 4e9},
                                       .divide_f64 = {.best = 0.5e9},
                                       .divide_f32 = {.best = 1e9}};

static ir_rate_bound bound(double bytes, double slots, double divisions)
{
    ir_run_cost w = {.read = 8, .written = 8, .allocated = 8};
    w.slots[1] = slots;
    w.divisions[1] = divisions;
    return ir_find_rate_bound(&w, bytes, &two_cores, 2, &ceilings);
}

static void test_the_bound_is_the_smaller(void **state)
{
    (void)state;
    ir_rate_bound b = bound(0, 1, 0); /* plain triads move 16e9 bytes: stores fetch as well */
    assert_true(b.by_memory && b.level == IR_COST_MEMORY);
    assert_float_equal(b.points, 1e9, 1);
    assert_float_equal(b.allocating, 16e9 / 24, 1);
    assert_float_equal(b.arithmetic, 4e9, 1);
    b = bound(0, 8, 0);
    assert_false(b.by_memory);
    assert_float_equal(b.points, 0.5e9, 1);
    b = bound(0, 8, 3); /* divisions run beside the others */
    assert_float_equal(b.points, 1e9 / 3, 1);
}

static void test_the_bound_is_that_of_the_cache_that_holds_all(void **state)
{
    (void)state;
    assert_int_equal(bound(1999, 1, 0).level, IR_COST_L1);
    assert_float_equal(bound(1999, 1, 0).points, 4e9, 1);
    assert_int_equal(bound(19999, 1, 0).level, IR_COST_L2);
    assert_float_equal(bound(19999, 1, 0).memory, 100e9 / 16, 1);
    assert_int_equal(bound(99999, 1, 0).level, IR_COST_L3);
    assert_float_equal(bound(99999, 1, 0).points, 40e9 / 16, 1);
    assert_int_equal(bound(100001, 1, 0).level, IR_COST_MEMORY);
}

static void test_without_ceilings_nothing_is_bounded(void **state)
{
    (void)state;
    ir_run_cost w = {.read = 8};
    kata_ceilings none = {.seconds = 0};
    ir_rate_bound b = ir_find_rate_bound(&w, 0, &two_cores, 2, &none);
    assert_float_equal(b.points, 0, 0);
    assert_float_equal(b.memory, 0, 0);
}

static void test_the_bound_is_shown(void **state)
{
    (void)state;
    kata *k = kata_open(&(kata_options){.threads = 2});
    kata_module *m = kata_module_from_text(k, "k.kata",
                                           "kernel f(in double u, out double v) { v = u[1] + u; }"
                                           "kernel g(in double u, out double v) { v = sin(u); }");
    const char *f = kata_kernel_explain(kata_module_kernel(m, 0), &ceilings, false);
    const char *g = kata_kernel_explain(kata_module_kernel(m, 1), &ceilings, false);
    assert_non_null(f);
    assert_non_null(g);
    assert_non_null(strstr(f, "  bound       1e+09 points/s by memory, 6.67e+08 with "
                              "write-allocate; arithmetic 4e+09\n"));
    assert_non_null(strstr(g, "  bound       1.33e+08 points/s by arithmetic; memory 1e+09\n"));
    f = kata_kernel_explain(kata_module_kernel(m, 0), &ceilings, true);
    assert_non_null(strstr(f, "\"bound\": {\"points_per_second\": 1e+09, \"by\": \"memory\", "
                              "\"level\": \"memory\", \"memory\": 1e+09, \"memory_allocating\": "
                              "6.66667e+08, \"arithmetic\": 4e+09}}\n"));
    assert_int_equal(kata_close(k), KATA_OK);
}

/* A kernel with `real` is two. */
static void test_both_versions_are_shown(void **state)
{
    (void)state;
    kata *k = kata_open(NULL);
    kata_module *m =
        kata_module_from_text(k, "k.kata", "kernel f(in real u, out real v) { v = u; }");
    const char *said = kata_kernel_explain(kata_module_kernel(m, 0), NULL, false);
    assert_non_null(said);
    assert_non_null(strstr(said, "  stored      u f64, v f64\n"));
    assert_non_null(strstr(said, "  stored      u f32, v f32\n"));
    const char *code = kata_kernel_describe(kata_module_kernel(m, 0), KATA_CODE);
    assert_non_null(code);
    assert_non_null(strstr(code, "/* kernel f(in double u as f64, out double v as f64) */"));
    assert_non_null(strstr(code, "/* kernel f(in float u as f32, out float v as f32) */"));
    assert_int_equal(kata_close(k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_element_counts_once),
        cmocka_unit_test(test_what_is_written_in_part_is_read),
        cmocka_unit_test(test_lower_ranks_and_ratios_count_their_part),
        cmocka_unit_test(test_operations_are_counted_by_kind),
        cmocka_unit_test(test_what_is_the_same_along_x_is_not_counted),
        cmocka_unit_test(test_the_bound_is_the_smaller),
        cmocka_unit_test(test_the_bound_is_that_of_the_cache_that_holds_all),
        cmocka_unit_test(test_without_ceilings_nothing_is_bounded),
        cmocka_unit_test(test_the_bound_is_shown),
        cmocka_unit_test(test_both_versions_are_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
