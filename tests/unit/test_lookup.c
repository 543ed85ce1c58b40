/* Elements of tables at indices that are known only at run time: whatever the number of elements,
 * the types and the place of the table, compiled kernels give what the reference executor gives,
 * also for indices outside on paths that a point does not take. */
/* Labels: hostile slow */
#include "base/base.h"
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NX = 71, NY = 4, POINTS = NX * NY, MOST = 256, RESULTS = 9 };

/* N elements: of a table of the program, whole and by rows of three; of constants, some of them
 * alike; an index that leaves the table; one that is computed; an array; colours, sums. */
static const char text_of_kernels[] =
    "const int N;\n"
    "const int R = N < 85 ? N : 85;\n"
    "const double power[16] = {1, 2, 4, 4, 4, 8, 0.0, -0.0, 1e300, 7, 7, 7, 0.1, 0.2, 0.3, -5};\n"
    "const long whole[9] = {1, -1, 1 << 30, 3, 3, 0, 7, 8, -9};\n"
    "kernel element(in int m, in real u, inout real v, real t[N]) { v = u*t[m]; }\n"
    "kernel rows(in int m, in real u, inout real v, real t[R][3])\n"
    "{ v = t[m%R][0] + u*t[m%R][1] - t[m%R][2]; }\n"
    "kernel constants(in int m, in double u, inout double v) { v += power[m%16] + u*whole[m%9]; }\n"
    "kernel outside(in int m, in double u, inout double v, double t[N])\n"
    "{ long far = m*u*1e30; v = far >= 0 && far < N ? t[far] + t[m] : u; }\n"
    "kernel computed(in real u, inout double v, int t[N]) { v = t[(int)(u*7)%N] + ix; }\n"
    "kernel array(in int m, in double u, inout double v, double t[N])\n"
    "{ double a[N]; for (int i = 0; i < N; i++) a[i] = i%3 == 0 ? 2 : t[i]; v = a[m] + u; }\n"
    "kernel beside(in int m, in double u, inout double v, double t[N])\n"
    "{ v = t[m]*u[1,0] - t[m[1,0]]*u - t[m[-1,0]]; }\n"
    "kernel total(in int m, in double u, sum double s, double t[N]) { s += t[m]*u; }\n";

static void put_numbers(kata_field *field, kata_grid *g, int factor, int modulus)
{
    double values[POINTS];
    for (int i = 0; i < POINTS; i++) values[i] = (double)(i * factor % 113) / 16;
    int whole[POINTS];
    for (int i = 0; i < POINTS; i++) whole[i] = modulus ? i * factor % modulus : 0;
    if (modulus)
        kata_put(field, kata_all(g), whole, POINTS);
    else
        kata_put(field, kata_all(g), values, POINTS);
}

typedef struct world {
    kata *k;
    kata_grid *g;
    kata_module *m;
    int count; /* elements of tables */
    kata_field *index, *u, *v, *w;
    kata_scalar *s;
} world;

static void open_world(world *w, const char *executor, int count, kata_type type)
{
    char constants[16];
    snprintf(constants, sizeof constants, "N=%d", count);
    w->count = count;
    w->k = kata_open(&(kata_options){.executor = executor, .threads = 2, .wait = true});
    w->m = kata_module_from_text(w->k, "text", text_of_kernels, .constants = constants);
    w->g = kata_grid_2d(w->k, NX, NY);
    w->index = kata_field_new(w->g, "m", KATA_I32, .boundary = KATA_CLAMP);
    w->u = kata_field_new(w->g, "u", type, .boundary = KATA_CLAMP);
    w->v = kata_field_new(w->g, "v", type);
    w->w = kata_field_new(w->g, "w", KATA_F64);
    w->s = kata_scalar_new(w->k, "s", KATA_F64);
    put_numbers(w->index, w->g, 31, count);
    put_numbers(w->u, w->g, 59, 0);
}

static void run_kernels(world *w, double *values)
{
    static double t[3 * MOST];
    static int whole[MOST];
    for (int i = 0; i < 3 * MOST; i++) t[i] = (double)(i * 41 % 257) / 8 - 7;
    for (int i = 0; i < MOST; i++) whole[i] = i * 77 % 91 - 20;
    kata_range all = kata_all(w->g);
    kata_arg table = kata_table_of(KATA_F64, t, w->count);
    kata_arg rows = kata_table_of(KATA_F64, t, 3 * (w->count < 85 ? w->count : 85));
#define APPLY(name, range, ...) kata_apply(kata_kernel_find(w->m, #name), range, __VA_ARGS__)
    APPLY(element, all, w->index, w->u, w->v, table);
    kata_get(w->v, all, values, POINTS);
    APPLY(rows, kata_color(all, 3, 1), w->index, w->u, w->v, rows);
    kata_get(w->v, all, values + POINTS, POINTS);
    APPLY(constants, all, w->index, w->u, w->w);
    kata_get(w->w, all, values + 2 * POINTS, POINTS);
    APPLY(outside, all, w->index, w->u, w->w, table);
    kata_get(w->w, all, values + 3 * POINTS, POINTS);
    APPLY(computed, all, w->u, w->w, kata_table_of(KATA_I32, whole, w->count));
    kata_get(w->w, all, values + 4 * POINTS, POINTS);
    APPLY(array, all, w->index, w->u, w->w, table);
    kata_get(w->w, all, values + 5 * POINTS, POINTS);
    APPLY(beside, all, w->index, w->u, w->w, table);
    kata_get(w->w, all, values + 6 * POINTS, POINTS);
    APPLY(element, kata_color(all, 2, 1), w->index, w->u, w->v, table);
    kata_get(w->v, all, values + 7 * POINTS, POINTS);
    APPLY(total, kata_color(all, 2, 0), w->index, w->u, w->s, table);
    kata_scalar_get(w->s, values + 8 * POINTS);
#undef APPLY
}

static void compute(const char *executor, int count, kata_type type, double *values)
{
    world w;
    memset(values, 0, RESULTS * POINTS * sizeof *values);
    open_world(&w, executor, count, type);
    run_kernels(&w, values);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void elements_are_those_of_the_reference(void **state)
{
    static double expected[RESULTS * POINTS], found[RESULTS * POINTS];
    static const int counts[] = {1, 3, 7, 8, 9, 31, 85, MOST};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        bool always = counts[i] != 3 && counts[i] != 85;
        if (!always && !getenv("KATA_TEST_FULL")) continue;
        kata_type type = i % 2 ? KATA_F64 : KATA_F32;
        compute("reference", counts[i], type, expected);
        compute("cpu", counts[i], type, found);
        for (int k = 0; k < RESULTS; k++)
            if (memcmp(expected + k * POINTS, found + k * POINTS, POINTS * sizeof *found) != 0)
                fail_msg("%d elements, result %d", counts[i], k);
    }
}

/* ---- indices outside ------------------------------------------------------------------------- */

static void keep_message(void *data, kata_status status, const char *message)
{
    (void)status;
    text_add(data, "%s", message);
}

static void look_outside(const char *executor, text *message)
{
    static const double t[20];
    kata *k = kata_open(&(kata_options){.executor = executor,
                                        .threads = 2,
                                        .wait = true,
                                        .handler = keep_message,
                                        .handler_data = message});
    kata_module *m = kata_module_from_text(k, "text", text_of_kernels, .constants = "N=20");
    kata_grid *g = kata_grid_2d(k, NX, NY);
    kata_field *index = kata_field_new(g, "m", KATA_I32), *u = kata_field_new(g, "u", KATA_F64),
               *v = kata_field_new(g, "v", KATA_F64);
    put_numbers(index, g, 31, 20);
    int wrong[] = {20, -1};
    kata_put(index, kata_box_2d(g, 60, 62, 2, 3), wrong, 2);
    kata_apply(kata_kernel_find(m, "element"), kata_all(g), index, u, v,
               kata_table_of(KATA_F64, t, 20));
    assert_int_equal(kata_flush(k), KATA_ERROR_ASSERT);
    kata_close(k);
}

static void the_first_index_outside_is_reported(void **state)
{
    text expected = {0}, found = {0};
    (void)state;
    look_outside("reference", &expected);
    look_outside("cpu", &found);
    assert_non_null(strstr(text_get(&expected), "60"));
    assert_string_equal(text_get(&expected), text_get(&found));
    text_free(&expected);
    text_free(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_those_of_the_reference),
        cmocka_unit_test(the_first_index_outside_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
