/* Loops that are not unrolled: compiled kernels and plans give what the reference executor gives,
 * for every count of rounds; checks in loops name the first round that fails; and a fractal is that
 * of the same loop in C. */
/* Labels: hostile threads slow */
#include "base/base.h"
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NX = 45, NY = 5, POINTS = NX * NY, RESULTS = 9 };

static const char text_of_kernels[] =
    "contract off;\n"
    "kernel escape(out double count, int most)\n"
    "{ double cr = 0.06*ix - 2, ci = 0.3*iy - 0.6, x = 0, y = 0; int n = 0;\n"
    "  for (int i = 0; i < most && i < 300; i++) {\n"
    "    double t = x*x - y*y + cr; y = 2*x*y + ci; x = t;\n"
    "    if (x*x + y*y > 4) break;\n"
    "    n++; }\n"
    "  count = n; }\n"
    /* loops in loops, from the outer's variable; continue, return, sums, a table at run time */
    "kernel nested(in double u, inout double v, int n, double w[7], sum double s)\n"
    "{ double a = u;\n"
    "  for (int i = 0; i < n && i < 20; i += 2) {\n"
    "    if (i == 4) continue;\n"
    "    for (long j = i; j < n && j < 30; j++) {\n"
    "      a = a*0.5 + w[j % 7] + u[1,0]*j;\n"
    "      if (a > 1000) return; }\n"
    "    s += a; }\n"
    "  v = a; }\n"
    /* a helper that returns from its loop, called at two points; an array; unrolled loops inside */
    "static double root(in double u, int most)\n"
    "{ double x = u, old[2] = {0};\n"
    "  for (int k = 0; k < most && k < 50; k++) {\n"
    "    double y = 0.5*(x + u/x);\n"
    "    if (fabs(y - x) < 1e-12) return y;\n"
    "    for (int q = 0; q < 2; q++) old[q] = old[q]*0.5 + x*q;\n"
    "    x = y; }\n"
    "  return x + old[0] + 1e-3*old[1]; }\n"
    /* a helper that may have returned before its loop */
    "static double early(double u, int most)\n"
    "{ if (u > 3) return 7*u;\n"
    "  for (int k = 0; k < most && k < 20; k++) u = u*0.5 + k;\n"
    "  return u; }\n"
    "kernel roots(in double u, out double v, int most)\n"
    "{ v = root(u[1,0], most) + root(u, most + 2) + early(u, most); }\n"
    /* downwards; values that change places; a variable that the loop leaves */
    "kernel places(in double u, out double v, int n)\n"
    "{ double a = u, b = u[0,1], c = ix; long i;\n"
    "  for (i = min(n, 30); i > 0 && i > -40; i--) { double t = a; a = b; b = c; c = t; }\n"
    "  v = a + 2*b + 4*c + 100*i; }\n"
    /* written in the loop, and read back; beside, the step where a loop ends */
    "kernel written(in float u, inout float v, int n)\n"
    "{ int k;\n"
    "  for (k = 0; k < n && k < 40; k += 3) { v += u/(k + 1); if (v > 3) break; if (k == ix) v = "
    "1; }\n"
    "  v -= k; }\n"
    /* short and long loops with constant bounds are the same */
    "kernel constant(in double u, out double v)\n"
    "{ double a = u, b = u; for (int i = 0; i < 400; i++) a = a*0.99 + i;\n"
    "  for (int j = 0; j < 400; j++) { b = b*0.99 + j; if (j > 500) continue; }\n"
    "  v = a - b + a; }\n"
    "kernel largest(in double u, max double m, int n)\n"
    "{ double a = u; for (int i = 0; i < n && i < 64; i++) { a = fmod(a*1.7 + 0.3, 5); m = max(m, "
    "a); } }\n"
    "kernel ordered(in double u, inout double v, int n) forward(x)\n"
    "{ double a = ix > 0 ? v[-1,0] : u; for (int i = 0; i < n && i < 9; i++) a = 0.5*(a + u); v = "
    "a; }\n"
    /* checks: of a value that grows, of an index */
    "kernel grows(in double u, out double v, double w[5], int n)\n"
    "{ double a = 0;\n"
    "  for (int i = 0; i < n && i < 100; i++) { assert(a < 50, \"too much\"); a += w[i] + u; }\n"
    "  v = a; }\n"
    "kernel searches(out double v, double w[5])\n"
    "{ int i; for (i = 0; w[i] < 9 && i < 100; i++) { } v = i; }\n"
    /* the index is outside in one round only, not in the last */
    "kernel chooses(in double f[3], out double v, int n)\n"
    "{ double a = 0; for (int i = 0; i < n && i < 100; i++) a += f[i == 4 ? 7 : i % 3]; v = a; }\n";

typedef struct world {
    kata *k;
    kata_grid *g;
    kata_module *m;
    kata_field *u, *v, *f, *h, *count;
    kata_scalar *s;
} world;

static void open_world(world *w, const char *executor)
{
    double values[POINTS];
    w->k = kata_open(&(kata_options){.executor = executor, .threads = 2, .wait = true});
    w->m = kata_module_from_text(w->k, "text", text_of_kernels);
    w->g = kata_grid_2d(w->k, NX, NY);
    w->u = kata_field_new(w->g, "u", KATA_F64, .boundary = KATA_CLAMP);
    w->v = kata_field_new(w->g, "v", KATA_F64, .boundary = KATA_CLAMP);
    w->f = kata_field_new(w->g, "f", KATA_F32);
    w->h = kata_field_new(w->g, "h", KATA_F16);
    w->count = kata_field_new(w->g, "count", KATA_F64);
    w->s = kata_scalar_new(w->k, "s", KATA_F64);
    for (int i = 0; i < POINTS; i++) values[i] = (double)(i * 59 % 113) / 16;
    kata_put(w->u, kata_all(w->g), values, POINTS);
    kata_put(w->f, kata_all(w->g), values, POINTS);
    kata_put(w->h, kata_all(w->g), values, POINTS);
}

#define APPLY(name, ...) kata_apply(kata_kernel_find(w->m, #name), kata_all(w->g), __VA_ARGS__)

static void run_kernels(world *w, int n, double *values)
{
    static const double table[7] = {1, -3, 0.25, 7, 0, 2.5, 1e-3};
    kata_range all = kata_all(w->g);
    APPLY(escape, w->count, n);
    kata_get(w->count, all, values, POINTS);
    APPLY(nested, w->u, w->v, n, kata_table_of(KATA_F64, table, 7), w->s);
    kata_get(w->v, all, values + POINTS, POINTS);
    kata_scalar_get(w->s, values + 8 * POINTS);
    APPLY(roots, w->u, w->v, n);
    kata_get(w->v, all, values + 2 * POINTS, POINTS);
    APPLY(places, w->u, w->v, n);
    kata_get(w->v, all, values + 3 * POINTS, POINTS);
    APPLY(written, w->f, w->h, n);
    kata_get(w->h, all, values + 4 * POINTS, POINTS);
    APPLY(constant, w->u, w->v);
    kata_get(w->v, all, values + 5 * POINTS, POINTS);
    APPLY(largest, w->u, w->s, n);
    kata_scalar_get(w->s, values + 8 * POINTS + 1);
    APPLY(ordered, w->u, w->v, n);
    kata_get(w->v, all, values + 6 * POINTS, POINTS);
    kata_apply(kata_kernel_find(w->m, "roots"), kata_color(all, 2, 1), w->u, w->v, n);
    kata_get(w->v, all, values + 7 * POINTS, POINTS);
}

static void compute(const char *executor, int n, double *values)
{
    world w;
    memset(values, 0, RESULTS * POINTS * sizeof *values);
    open_world(&w, executor);
    run_kernels(&w, n, values);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void rounds_are_those_of_the_reference(void **state)
{
    static double expected[RESULTS * POINTS], found[RESULTS * POINTS];
    static const int counts[] = {-3, 0, 1, 2, 7, 25, 60, 1000};
    static const char *const executors[] = {"cpu", "plan"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        compute("reference", counts[i], expected);
        for (size_t e = 0; e < COUNT_OF(executors); e++) {
            compute(executors[e], counts[i], found);
            for (int k = 0; k < RESULTS * POINTS; k++)
                if (memcmp(expected + k, found + k, sizeof *found) != 0)
                    fail_msg("%s, %d rounds, result %d, point %d: %.17g, not %.17g", executors[e],
                             counts[i], k / POINTS, k % POINTS, found[k], expected[k]);
        }
    }
}

static int escape(int ix, int iy, int most)
{
    double cr = 0.06 * ix - 2, ci = 0.3 * iy - 0.6, x = 0, y = 0;
    int n = 0;
    for (int i = 0; i < most && i < 300; i++) {
        double t = x * x - y * y + cr;
        y = 2 * x * y + ci;
        x = t;
        if (x * x + y * y > 4) break;
        n++;
    }
    return n;
}

static void a_fractal_is_that_of_the_loop_in_c(void **state)
{
    static double found[RESULTS * POINTS];
    int most = 0;
    (void)state;
    compute("cpu", 250, found);
    for (int k = 0; k < POINTS; k++) {
        int expected = escape(k % NX, k / NX, 250);
        assert_int_equal((int)found[k], expected);
        if (most < expected) most = expected;
    }
    assert_int_equal(most, 250);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static void keep_message(void *data, kata_status status, const char *message)
{
    (void)status;
    text_add(data, "%s", message);
}

static void fail_at(const char *executor, int kernel, int n, text *message)
{
    static const double table[5] = {1, 2, 3, 4, 5};
    kata *k = kata_open(&(kata_options){.executor = executor,
                                        .threads = 2,
                                        .wait = true,
                                        .handler = keep_message,
                                        .handler_data = message});
    world w = {.k = k, .m = kata_module_from_text(k, "text", text_of_kernels)};
    w.g = kata_grid_2d(k, NX, NY);
    kata_field *u = kata_field_new(w.g, "u", KATA_F64), *v = kata_field_new(w.g, "v", KATA_F64);
    double values[POINTS];
    kata_arg t = kata_table_of(KATA_F64, table, 5);
    for (int i = 0; i < POINTS; i++) values[i] = i == 77 ? 20.5 : i == 140 ? 60 : 0;
    kata_put(u, kata_all(w.g), values, POINTS);
    if (kernel == 0)
        kata_apply(kata_kernel_find(w.m, "grows"), kata_all(w.g), u, v, t, n);
    else if (kernel == 1)
        kata_apply(kata_kernel_find(w.m, "searches"), kata_all(w.g), v, t);
    else
        kata_apply(kata_kernel_find(w.m, "chooses"), kata_all(w.g),
                   kata_field_new(w.g, "f", KATA_F64, .components = 3), v, n);
    assert_int_equal(kata_flush(k), KATA_ERROR_ASSERT);
    kata_close(k);
}

static void the_first_round_that_fails_is_reported(void **state)
{
    static const struct {
        int kernel, n;
        const char *says;
    } cases[] = {{0, 5, "a = 67.5"}, {0, 6, "index 5"}, {1, 0, "index 5"}, {2, 9, "index 7"}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        text expected = {0}, found = {0};
        fail_at("reference", cases[i].kernel, cases[i].n, &expected);
        fail_at("cpu", cases[i].kernel, cases[i].n, &found);
        assert_string_equal(text_get(&expected), text_get(&found));
        if (!strstr(text_get(&found), cases[i].says)) fail_msg("%s", text_get(&found));
        text_free(&expected);
        text_free(&found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_are_those_of_the_reference),
        cmocka_unit_test(a_fractal_is_that_of_the_loop_in_c),
        cmocka_unit_test(the_first_round_that_fails_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
