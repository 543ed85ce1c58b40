/* Fields read at indices that are known only at run time, along one dimension, against loops in C,
 * bit for bit; and the point at which such an index is outside. */
/* Labels: hostile threads */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const kata_options ways[] = {{.executor = "reference"},
                                    {.executor = "cpu", .threads = 1, .wait = true},
                                    {.executor = "cpu", .threads = 3, .wait = true}};
enum { WAYS = sizeof ways / sizeof *ways };

/* ---- sums of whole columns ------------------------------------------------------------------- */

/* The sum over all levels below a point, as a test of GridTools has it: in a loop of 600 rounds. */
static const char text_of_columns[] = "contract off;\n"
                                      "kernel below(in double u, out double v)\n"
                                      "{\n"
                                      "    double total = 0;\n"
                                      "    for (long k = 0; k < iz && k < 600; k++)\n"
                                      "        total += u[0,0,at(k)];\n"
                                      "    v = total;\n"
                                      "}\n";

enum { CX = 9, CY = 1, CZ = 600 };

static void test_whole_columns(void **state)
{
    (void)state;
    static double u[CZ][CY][CX], expected[CZ][CY][CX], found[CZ][CY][CX];
    for (int z = 0; z < CZ; z++)
        for (int y = 0; y < CY; y++)
            for (int x = 0; x < CX; x++) {
                u[z][y][x] = 0.1 * (x + 7 * y) + 1.0 / (z + 3);
                for (int k = 0; k < z; k++) expected[z][y][x] += u[k][y][x];
            }
    for (int i = 0; i < WAYS; i++) {
        kata *k = kata_open(&ways[i]);
        kata_module *m = kata_module_from_text(k, "columns.kata", text_of_columns);
        kata_grid *g = kata_grid_3d(k, CX, CY, CZ);
        kata_field *from = kata_field_new(g, "u", KATA_F64), *to = kata_field_like(from, "v");
        kata_put(from, kata_all(g), &u[0][0][0], (int64_t)CX * CY * CZ);
        kata_apply(kata_kernel_find(m, "below"), kata_all(g), from, to);
        kata_get(to, kata_all(g), &found[0][0][0], (int64_t)CX * CY * CZ);
        assert_int_equal(kata_close(k), KATA_OK);
        assert_memory_equal(found, expected, sizeof found);
    }
}

/* ---- every dimension, layout and kind of read ------------------------------------------------ */

static const char text_of_reads[] =
    "contract off;\n"
    "static double nearest(in double u, long k) { return u[0,at(min(max(k, 0L), ny - 1)),0]; }\n"
    /* the same component is also read beyond the grid, so that its edges are filled or copied */
    "kernel mix(in float f[3], in double p along xz, in long w, out double v)\n"
    "{\n"
    "    double a = f[1][at(w%nx),0,0], b = f[1][1,0,0] - f[1][-1,0,0];\n"
    "    double c = iy > 0 ? f[2][0,-1,at(w%nz)] : 0.5;\n"
    "    double d = f[w % 3 == 1 ? 0 : 2][0,at((w + iy)%ny),0];\n"
    "    double e = p[0,0,at((ix + w)%nz)] + p[at(w%nx),0,0];\n"
    "    v = a + 2*b + 3*c + 5*d + 7*e;\n"
    "}\n"
    "kernel shifted(in double v, in long w, out double t)\n"
    "{ t = nearest(v, w - 5) - (ix + 1 < nx ? v[1,at(w%ny),0] : v); }\n";

enum { NX = 37, NY = 9, NZ = 8, POINTS = NX * NY * NZ };

typedef struct values {
    float f[3][NZ][NY][NX];
    double p[NZ][NX], v[NZ][NY][NX], t[NZ][NY][NX];
    int64_t w[NZ][NY][NX];
} values;

static int wrap(int i, int n) { return (i % n + n) % n; }

static void mix(values *a, int x, int y, int z)
{
    int64_t w = a->w[z][y][x];
    double at = (double)a->f[1][z][y][w % NX];
    double b = (double)(a->f[1][z][y][wrap(x + 1, NX)] - a->f[1][z][y][wrap(x - 1, NX)]);
    double c = y > 0 ? (double)a->f[2][w % NZ][y - 1][x] : 0.5;
    double d = (double)a->f[w % 3 == 1 ? 0 : 2][z][(w + y) % NY][x];
    double e = a->p[(x + w) % NZ][x] + a->p[z][w % NX];
    a->v[z][y][x] = at + 2 * b + 3 * c + 5 * d + 7 * e;
}

static void shifted(values *a, int x, int y, int z)
{
    int64_t w = a->w[z][y][x], k = w - 5 < 0 ? 0 : w - 5 > NY - 1 ? NY - 1 : w - 5;
    double here = x + 1 < NX ? a->v[z][w % NY][x + 1] : a->v[z][y][x];
    a->t[z][y][x] = a->v[z][k][x] - here;
}

static void each_point(values *a, void (*compute)(values *, int, int, int))
{
    for (int z = 0; z < NZ; z++)
        for (int y = 0; y < NY; y++)
            for (int x = 0; x < NX; x++) compute(a, x, y, z);
}

static void fill(values *a)
{
    uint32_t random = 1;
    for (int i = 0; i < 3 * POINTS; i++) {
        random = random * 1664525 + 1013904223;
        (&a->f[0][0][0][0])[i] = (float)(random >> 8) / 65536;
        if (i < NZ * NX) (&a->p[0][0])[i] = (double)(random >> 5) / 977;
        if (i < POINTS) (&a->w[0][0][0])[i] = random >> 16;
    }
    each_point(a, mix);
    each_point(a, shifted);
}

static void check_layout(const kata_options *way, kata_layout layout, const values *expected)
{
    static double found[NZ][NY][NX];
    kata *k = kata_open(way);
    kata_module *m = kata_module_from_text(k, "reads.kata", text_of_reads);
    kata_grid *g = kata_grid_3d(k, NX, NY, NZ);
    kata_field *f = kata_field_new(g, "f", KATA_F32, .components = 3, .layout = layout,
                                   .boundary = KATA_PERIODIC);
    kata_field *p = kata_field_new(g, "p", KATA_F64, .along = KATA_X | KATA_Z);
    kata_field *w = kata_field_new(g, "w", KATA_I64), *v = kata_field_new(g, "v", KATA_F64);
    kata_field *t = kata_field_new(g, "t", KATA_F64, .layout = layout);
    kata_put(f, kata_all(g), &expected->f[0][0][0][0], 3 * POINTS);
    kata_put(p, kata_on(p), &expected->p[0][0], NZ * NX);
    kata_put(w, kata_all(g), &expected->w[0][0][0], POINTS);
    kata_apply(kata_kernel_find(m, "mix"), kata_all(g), f, p, w, v);
    kata_apply(kata_kernel_find(m, "shifted"), kata_all(g), v, w, t);
    kata_get(v, kata_all(g), &found[0][0][0], POINTS);
    assert_memory_equal(found, expected->v, sizeof found);
    kata_get(t, kata_all(g), &found[0][0][0], POINTS);
    assert_int_equal(kata_close(k), KATA_OK);
    assert_memory_equal(found, expected->t, sizeof found);
}

static void test_reads(void **state)
{
    (void)state;
    static values expected;
    fill(&expected);
    for (int i = 0; i < WAYS; i++)
        for (int layout = KATA_ARRAYS; layout <= KATA_BLOCKS; layout++)
            check_layout(&ways[i], (kata_layout)layout, &expected);
}

/* ---- indices outside ------------------------------------------------------------------------- */

static void receive(void *data, kata_status status, const char *message)
{
    if (status != KATA_OK) snprintf(data, 1024, "%s", message);
}

/* The first point in the order of z, y and x at which an index is outside, with the first such
 * index of its rounds. */
static void check_fault(const kata_options *way, const char *text, const char *expected)
{
    char message[1024] = "";
    kata_options options = *way;
    options.handler = receive;
    options.handler_data = message;
    options.no_warnings = true;
    kata *k = kata_open(&options);
    kata_grid *g = kata_grid_2d(k, 200, 11);
    kata_field *u = kata_field_new(g, "u", KATA_F64), *v = kata_field_like(u, "v");
    kata_module *m = kata_module_from_text(k, "k.kata", text);
    kata_apply(kata_kernel_find(m, "f"), kata_all(g), u, v);
    kata_flush(k);
    assert_int_equal(kata_close(k), KATA_ERROR_ASSERT);
    if (!strstr(message, expected)) fail_msg("%s", message);
}

static void test_outside(void **state)
{
    (void)state;
    for (int i = 0; i < WAYS; i++) {
        check_fault(&ways[i], "kernel f(in double u, out double v) { v = u[0,at(ix - 3*iy)]; }",
                    "index 11 is outside 'u' at point (11, 0)");
        check_fault(&ways[i],
                    "kernel f(in double u, out double v)\n"
                    "{ v = iy > 3 && ix > 150 ? u[at(4*(ix - 151) - iy),0] : 0; }",
                    "index -4 is outside 'u' at point (151, 4)");
        check_fault(
            &ways[i],
            "kernel f(in double u, out double v)\n"
            "{ double s = 0;\n"
            "  for (int k = 0; k < ix + 9 && k < 50; k++) s += u[0,at(k == 4 ? 40 : k % 9)];\n"
            "  v = s; }",
            "index 40 is outside 'u' at point (0, 0)");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_columns),
        cmocka_unit_test(test_reads),
        cmocka_unit_test(test_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
