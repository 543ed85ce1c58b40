/* Components of a field at indices that are known only at run time: however many there are, and
 * however they are stored, compiled kernels give what the reference executor gives. A kernel that
 * chooses from the most that there may be is compiled, not refused. */
/* Labels: hostile slow */
#include "base/base.h"
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NX = 53, NY = 5, POINTS = NX * NY, MOST = 40, RESULTS = 4 };

/* Neighbours, on both sides; rounds of a loop; on a path that not all points take; beside a
 * component that is known, and a component that another one chooses. */
static const char text_of_kernels[] =
    "const int N;\n"
    "kernel chosen(in int m, in real f[N], in int g[N], out real v[4])\n"
    "{\n"
    "    v[0] = f[m] - 2*f[m[-1,0]][0,1];\n"
    "    real total = 0;\n"
    "    for (int i = 0; i < m && i < N; i++) total += f[i][1,-1];\n"
    "    v[1] = total;\n"
    "    v[2] = m >= 3 && m + 5 < N ? f[m + 5] - f[m - 3] : f[N - 1];\n"
    "    v[3] = f[(int)abs(g[m]) % N] + f[0][1,0];\n"
    "}\n"
    "kernel number(out int g[N])\n"
    "{ for (int q = 0; q < N; q++) g[q] = (int)((q*31 + ix*7 + iy*53) % 101); }\n"
    "kernel added(in int m, in real f[N], sum double s) { s += f[m]; }\n";

typedef struct kind {
    int count;
    kata_type type, whole;
    kata_layout layout;
    bool strided;
} kind;

typedef struct results {
    double v[RESULTS * POINTS], added;
} results;

static kata_field *new_field(kata_grid *g, const char *name, const kind *k, double *memory)
{
    if (!k->strided)
        return kata_field_new(g, name, k->type, .components = k->count, .layout = k->layout,
                              .boundary = KATA_CLAMP);
    return kata_field_wrap(g, name, KATA_F64, memory, .stride = {2, 2 * NX + 3},
                           .components = k->count, .component_stride = (2 * NX + 3) * NY,
                           .boundary = KATA_CLAMP);
}

static void put_values(kata_grid *g, const kind *k, kata_field *m, kata_field *f)
{
    static double values[MOST * POINTS];
    int numbers[POINTS];
    for (int i = 0; i < k->count * POINTS; i++) values[i] = (double)(i * 59 % 113) / 16 - 3;
    kata_put(f, kata_all(g), values, k->count * POINTS);
    for (int i = 0; i < POINTS; i++) numbers[i] = i * 7 % k->count;
    kata_put(m, kata_all(g), numbers, POINTS);
}

static void compute(const char *executor, const kind *kind, results *r)
{
    static double memory[(2 * NX + 3) * NY * MOST];
    char constants[16];
    snprintf(constants, sizeof constants, "N=%d", kind->count);
    kata *k = kata_open(&(kata_options){.executor = executor, .threads = 2, .wait = true});
    kata_module *module = kata_module_from_text(k, "t", text_of_kernels, .constants = constants);
    kata_grid *g = kata_grid_2d(k, NX, NY);
    kata_field *m = kata_field_new(g, "m", KATA_I32, .boundary = KATA_CLAMP);
    kata_field *f = new_field(g, "f", kind, memory),
               *v = kata_field_new(g, "v", KATA_F64, .components = RESULTS);
    kata_field *whole = kata_field_new(g, "g", kind->whole, .components = kind->count);
    if (kind->type != KATA_F64) v = kata_field_new(g, "v", KATA_F32, .components = RESULTS);
    kata_scalar *s = kata_scalar_new(k, "s", KATA_F64);
    put_values(g, kind, m, f);
    kata_apply(kata_kernel_find(module, "number"), kata_all(g), whole);
    kata_apply(kata_kernel_find(module, "chosen"), kata_all(g), m, f, whole, v);
    kata_apply(kata_kernel_find(module, "added"), kata_color(kata_all(g), 2, 1), m, f, s);
    kata_get(v, kata_all(g), r->v, RESULTS * POINTS);
    kata_scalar_get(s, &r->added);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void components_are_those_of_the_reference(void **state)
{
    static const kind kinds[] = {
        {16, KATA_F64, KATA_I32, KATA_ARRAYS, false},
        {24, KATA_F32, KATA_U8, KATA_STRUCTURES, false},
        {MOST, KATA_F64, KATA_I16, KATA_BLOCKS, false},
        {17, KATA_F64, KATA_I32, KATA_ARRAYS, true},
        {20, KATA_F16, KATA_U16, KATA_ARRAYS, false},
        {15, KATA_F64, KATA_I32, KATA_ARRAYS, false},
    };
    static results expected, found;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        compute("reference", &kinds[i], &expected);
        compute("cpu", &kinds[i], &found);
        if (memcmp(&expected, &found, sizeof found) != 0) fail_msg("kind %d", (int)i);
    }
}

static void the_most_components_are_compiled(void **state)
{
    enum { ALL = 1024, SIDE = 6, CELLS = SIDE * SIDE };
    static double values[ALL * CELLS];
    double found[CELLS];
    int numbers[CELLS];
    (void)state;
    kata *k = kata_open(&(kata_options){.threads = 1, .wait = true});
    kata_module *module = kata_module_from_text(
        k, "t", "kernel pick(in double f[1024], in int m, out double v) { v = f[m]; }");
    kata_grid *g = kata_grid_2d(k, SIDE, SIDE);
    kata_field *f = kata_field_new(g, "f", KATA_F64, .components = ALL);
    kata_field *m = kata_field_new(g, "m", KATA_I32), *v = kata_field_new(g, "v", KATA_F64);
    for (int i = 0; i < ALL * CELLS; i++) values[i] = i;
    for (int i = 0; i < CELLS; i++) numbers[i] = i * 557 % ALL;
    kata_put(f, kata_all(g), values, ALL * CELLS);
    kata_put(m, kata_all(g), numbers, CELLS);
    kata_apply(kata_kernel_find(module, "pick"), kata_all(g), f, m, v);
    kata_get(v, kata_all(g), found, CELLS);
    for (int i = 0; i < CELLS; i++) assert_true(found[i] == values[numbers[i] * CELLS + i]);
    assert_int_equal(kata_close(k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_are_those_of_the_reference),
        cmocka_unit_test(the_most_components_are_compiled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
