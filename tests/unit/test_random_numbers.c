/* random(seed): the numbers of SplitMix64, the same from the oracle and from compiled loops, evenly
 * spread, and without visible relation between neighbours, seeds, calls and iterations. */
/* Labels: hostile */
#include "ir/ir.h"
#include "kata/kata.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NX = 64, NY = 40, NZ = 25, POINTS = NX * NY * NZ };

static const char kernels[] = "kernel one(out double u, long seed) { u = random(seed); }\n"
                              "kernel two(out double u, long seed)\n"
                              "{\n"
                              "    double first = random(seed);\n"
                              "    u = random(seed);\n"
                              "}\n"
                              "kernel loop(out double u, long seed)\n"
                              "{\n"
                              "    double s[2];\n"
                              "    for (int q = 0; q < 2; q++) s[q] = random(seed);\n"
                              "    u = s[1];\n"
                              "}\n";

static double *numbers(const char *executor, const char *kernel, int64_t seed)
{
    double *values = malloc(POINTS * sizeof *values);
    kata *k = kata_open(&(kata_options){.executor = executor});
    kata_module *m = kata_module_from_text(k, "random.kata", kernels);
    kata_grid *g = kata_grid_3d(k, NX, NY, NZ);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_apply(kata_kernel_find(m, kernel), kata_all(g), u, seed);
    kata_get(u, kata_all(g), values, POINTS);
    assert_int_equal(kata_close(k), KATA_OK);
    return values;
}

static void test_the_sequence_is_splitmix64(void **state)
{
    (void)state;
    static const uint64_t published[5] = {6457827717110365317u, 3203168211198807973u,
                                          9817491932198370423u, 4593380528125082431u,
                                          16408922859458223821u};
    for (int64_t i = 0; i < 5; i++) {
        ir_value args[2] = {{.i64 = 1234567}, {.i64 = i}};
        assert_true(ir_evaluate(IR_MIX, IR_I64, IR_I64, args).bits == published[i]);
    }
}

static void test_executors_agree(void **state)
{
    (void)state;
    static const char *const names[] = {"one", "two", "loop"};
    for (int i = 0; i < 3; i++) {
        double *a = numbers("cpu", names[i], -5), *b = numbers("reference", names[i], -5);
        assert_memory_equal(a, b, POINTS * sizeof *a);
        free(a);
        free(b);
    }
}

/* Each of 100 equal intervals holds its share: chi squared with 99 degrees of freedom lies between
 * 60 and 150 but once in a thousand. */
static void test_numbers_are_spread_evenly(void **state)
{
    (void)state;
    int count[100] = {0};
    double *x = numbers("cpu", "one", 1), sum = 0, chi = 0;
    for (int i = 0; i < POINTS; i++) {
        assert_true(x[i] >= 0 && x[i] < 1);
        count[(int)(100 * x[i])]++;
        sum += x[i];
    }
    for (int i = 0; i < 100; i++) chi += pow(count[i] - POINTS / 100.0, 2) / (POINTS / 100.0);
    assert_true(chi > 60 && chi < 150);
    assert_true(fabs(sum / POINTS - 0.5) < 4 * sqrt(1 / 12.0 / POINTS));
    free(x);
}

/* The correlation of n pairs of independent numbers is below 4/sqrt(n) but for one in 10,000. */
static void expect_independent(const double *x, const double *y, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += (x[i] - 0.5) * (y[i] - 0.5);
    assert_true(fabs(12 * sum / count) < 4 / sqrt(count));
}

static void test_neighbours_are_independent(void **state)
{
    (void)state;
    double *x = numbers("cpu", "one", 1);
    expect_independent(x, x + 1, POINTS - 1);
    expect_independent(x, x + NX, POINTS - NX);
    expect_independent(x, x + NX * NY, POINTS - NX * NY);
    free(x);
}

static void test_seeds_calls_and_iterations_are_independent(void **state)
{
    (void)state;
    double *x = numbers("cpu", "one", 1), *seed = numbers("cpu", "one", 2);
    double *call = numbers("cpu", "two", 1), *iteration = numbers("cpu", "loop", 1);
    expect_independent(x, seed, POINTS);
    expect_independent(x, call, POINTS);
    expect_independent(x, iteration, POINTS);
    expect_independent(call, iteration, POINTS);
    free(x);
    free(seed);
    free(call);
    free(iteration);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_sequence_is_splitmix64),
        cmocka_unit_test(test_executors_agree),
        cmocka_unit_test(test_numbers_are_spread_evenly),
        cmocka_unit_test(test_neighbours_are_independent),
        cmocka_unit_test(test_seeds_calls_and_iterations_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
