/* A file that says `contract off` gives the bits of C without fma, on every executor; the same text
 * without it gives others. */
/* Labels: compiler */
#include <kata/kata.h>

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NX = 61, NY = 17, POINTS = NX * NY };

static const char body[] = "static double slope(in double u)\n"
                           "{ return u[1,0]*0.3 - u[-1,0]*u; }\n"
                           "kernel step(in double u, out double v, double c)\n"
                           "{ v = u + c*slope(u); v -= c*u[0,1]; }\n"
                           "kernel spelled(in double u, out double v, double c)\n"
                           "{ v = fma(c, u, u[1,0]); }\n";

static double at(const double *u, int x, int y) { return u[(y + NY) % NY * NX + (x + NX) % NX]; }

/* A product that is rounded whatever the C compiler is allowed to do. */
static double product(double a, double b)
{
    volatile double p = a * b;
    return p;
}

static void step_in_c(const double *u, double *v, double c)
{
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++) {
            double here = at(u, x, y);
            double slope = product(at(u, x + 1, y), 0.3) - product(at(u, x - 1, y), here);
            double sum = here + product(c, slope);
            v[y * NX + x] = sum - product(c, at(u, x, y + 1));
        }
}

static void spelled_in_c(const double *u, double *v, double c)
{
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++) v[y * NX + x] = fma(c, at(u, x, y), at(u, x + 1, y));
}

static void run(const char *executor, bool off, const char *kernel, const double *u, double *out)
{
    char text[1000];
    snprintf(text, sizeof text, "%s%s", off ? "contract off;\n" : "", body);
    kata *k = kata_open(&(kata_options){.executor = executor});
    kata_grid *g = kata_grid_2d(k, NX, NY);
    kata_field *a = kata_field_new(g, "a", KATA_F64, .boundary = KATA_PERIODIC);
    kata_field *b = kata_field_like(a, "b");
    kata_module *m = kata_module_from_text(k, "contract.kata", text);
    kata_put(a, kata_all(g), u, POINTS);
    kata_apply(kata_kernel_find(m, kernel), kata_all(g), a, b, 0.1);
    kata_get(b, kata_all(g), out, POINTS);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void test_contract_off_gives_the_bits_of_c_without_fma(void **state)
{
    (void)state;
    static const char *const executors[] = {"cpu", "reference"};
    static double u[POINTS], expected[POINTS], spelled[POINTS], found[POINTS];
    for (int i = 0; i < POINTS; i++) u[i] = (double)rand() / RAND_MAX;
    step_in_c(u, expected, 0.1);
    spelled_in_c(u, spelled, 0.1);
    for (int e = 0; e < 2; e++) {
        run(executors[e], true, "step", u, found);
        assert_memory_equal(found, expected, sizeof found);
        run(executors[e], false, "step", u, found);
        assert_memory_not_equal(found, expected, sizeof found);
        run(executors[e], true, "spelled", u, found);
        assert_memory_equal(found, spelled, sizeof found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contract_off_gives_the_bits_of_c_without_fma),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
