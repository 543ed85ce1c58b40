/* Sums over bricks keep the error bound of docs/language.md, against sums in long double with
 * Neumaier's compensation. */
/* Labels: hostile threads */
#include "kata/kata.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const char kernels[] = "kernel total(in double u, sum double s) { s += u; }\n"
                              "kernel total_f(in float u, sum float s) { s += u; }\n";

/* Neumaier's sum: exact but for some 2^-63 of the sum of magnitudes. */
typedef struct accumulator {
    long double sum, lost, magnitude;
} accumulator;

static void accumulate(accumulator *a, long double x)
{
    volatile long double sum = a->sum + x;
    a->lost += fabsl(a->sum) >= fabsl(x) ? (a->sum - sum) + x : (x - sum) + a->sum;
    a->sum = sum;
    a->magnitude += fabsl(x);
}

/* Halvings that take n to 1. */
static int levels(int64_t n)
{
    int k = 0;
    while (((int64_t)1 << k) < n) k++;
    return k;
}

static long double bound(const int64_t size[3], const accumulator *a, long double unit)
{
    int h = 20 + levels((size[0] + 511) / 512) + levels(size[1]) + levels(size[2]);
    return h * unit / (1 - h * unit) * a->magnitude;
}

/* Of both signs and many sizes, so that much cancels. */
static double random_value(void)
{
    return ((double)rand() / RAND_MAX - 0.5) * ldexp(1, rand() % 40);
}

static void check(const int64_t size[3], kata_type type)
{
    kata *k = kata_open(&(kata_options){.threads = 2});
    kata_module *m = kata_module_from_text(k, "k.kata", kernels);
    kata_grid *g = kata_grid_3d(k, size[0], size[1], size[2]);
    kata_field *u = kata_field_new(g, "u", type);
    kata_scalar *s = kata_scalar_new(k, "s", type);
    int64_t count = size[0] * size[1] * size[2];
    double *values = malloc((size_t)count * sizeof *values), sum;
    assert_non_null(values);
    accumulator exact = {0};
    for (int64_t i = 0; i < count; i++) {
        values[i] = random_value();
        if (type == KATA_F32) values[i] = (double)(float)values[i];
        accumulate(&exact, values[i]);
    }
    kata_put(u, kata_all(g), values, count);
    kata_apply(kata_kernel_find(m, type == KATA_F64 ? "total" : "total_f"), kata_all(g), u, s);
    assert_int_equal(kata_scalar_get(s, &sum), KATA_OK);
    long double error = fabsl((long double)sum - (exact.sum + exact.lost));
    long double unit = type == KATA_F64 ? 0x1p-53L : 0x1p-24L;
    assert_true(error <= bound(size, &exact, unit));
    free(values);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void test_a_sum_keeps_its_error_bound(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{1, 1, 1},     {16, 1, 1},    {511, 1, 1},   {513, 3, 1},
                                       {30000, 1, 1}, {1030, 40, 1}, {100, 30, 20}, {7, 90, 50}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check(sizes[i], KATA_F64);
        check(sizes[i], KATA_F32);
    }
}

/* A running sum in float of as many ones stays at 2^24; over bricks it is exact. */
static void test_a_sum_of_many_ones_is_their_number(void **state)
{
    (void)state;
    kata *k = kata_open(NULL);
    kata_module *m = kata_module_from_text(k, "k.kata",
                                           "kernel ones(out float u, sum float s)\n"
                                           "{ u = 1; s += 1.0f; }\n");
    enum { N = (1 << 24) + (1 << 12) };
    kata_grid *g = kata_grid_2d(k, 1 << 12, N >> 12);
    kata_field *u = kata_field_new(g, "u", KATA_F32);
    kata_scalar *s = kata_scalar_new(k, "s", KATA_F32);
    float sum, running = 0;
    for (int i = 0; i < N; i++) running += 1;
    kata_apply(kata_kernel_find(m, "ones"), kata_all(g), u, s);
    assert_int_equal(kata_scalar_get(s, &sum), KATA_OK);
    assert_true(sum == N && running == (1 << 24));
    assert_int_equal(kata_close(k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_sum_keeps_its_error_bound),
        cmocka_unit_test(test_a_sum_of_many_ones_is_their_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
