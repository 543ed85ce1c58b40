/* While the fastest plan is looked for, sizes of tiles are tried, of which some would have windows
 * of fields that can have none: components side by side, or in blocks. */
/* Labels: hostile */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NX = 36, NY = 8, NZ = 12, POINTS = NX * NY * NZ, STEPS = 6 };

static const char kernels[] =
    "kernel make(in double u, out double p[2])\n"
    "{ p[0] = 0.6*u + (u > 0.7 ? u : 0.2); p[1] = 0.1*(ix % 3) - 0.9; }\n"
    "kernel pass(in double u, out double q) { q = u > -0.8 ? u : 0.1*(ix % 3); }\n"
    "kernel use(in double w[3], in double p[2], out double u)\n"
    "{ u = 0.25*random(0) + min(p[0][1,0,0], w[2][1,0,0]) - 0.7*w[1]; }\n"
    "kernel sweep(inout double w[3], sum int h[16]) forward(x, y)\n"
    "{ w[0] = -0.2*w[0][2,0,0] + 0.2*w[0][1,-1,0]; h[(int)(4*w[0]) & 15]++; }\n";

static void put_start(kata_grid *g, kata_field *u, kata_field *w)
{
    double start[3 * POINTS];
    for (int i = 0; i < 3 * POINTS; i++) start[i] = i * 7919 % 1000 / 500. - 1;
    kata_put(u, kata_all(g), start, POINTS);
    kata_put(w, kata_all(g), start, 3 * POINTS);
}

/* Runs steps whose temporaries have the given layout. */
static void run(const char *executor, kata_layout layout, double values[POINTS])
{
    kata *k = kata_open(&(kata_options){.executor = executor, .threads = 1, .wait = true});
    kata_module *m = kata_module_from_text(k, "k.kata", kernels);
    kata_grid *g = kata_grid_3d(k, NX, NY, NZ);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_field *w = kata_field_new(g, "w", KATA_F16, .components = 3, .layout = layout,
                                   .boundary = KATA_REFLECT_FACE);
    kata_field *q = kata_field_new(g, "q", KATA_F64, .temporary = true);
    kata_field *p = kata_field_new(g, "p", KATA_F64, .components = 2, .layout = layout,
                                   .boundary = KATA_ANTISYMMETRIC_NODE, .temporary = true);
    kata_scalar *h = kata_scalar_array_new(k, "h", KATA_I32, 16);
    put_start(g, u, w);
    for (int step = 0; step < STEPS; step++) {
        kata_apply(kata_kernel_find(m, "make"), kata_all(g), u, p);
        kata_apply(kata_kernel_find(m, "pass"), kata_all(g), u, q);
        kata_apply(kata_kernel_find(m, "use"), kata_all(g), w, p, u);
        kata_apply(kata_kernel_find(m, "sweep"), kata_all(g), w, h);
        kata_apply(kata_kernel_find(m, "use"), kata_all(g), w, p, u);
        kata_step(k);
    }
    kata_get(u, kata_all(g), values, POINTS);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void plans_that_are_tried_have_windows_of_suitable_fields_only(void **state)
{
    static double expected[POINTS], found[POINTS];
    (void)state;
    setenv("KATA_WISDOM", "0", 1);
    for (kata_layout layout = KATA_ARRAYS; layout <= KATA_BLOCKS; layout++) {
        run("reference", layout, expected);
        run("cpu", layout, found);
        assert_memory_equal(expected, found, sizeof expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_that_are_tried_have_windows_of_suitable_fields_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
