/* Tables with three indices, and tables too large for a choice for each element: colours looked up
 * in a cube, and numbers in long tables, beside the same in C, bit for bit. */
/* Labels: hostile */
#include "base/base.h"
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NX = 67, NY = 21, POINTS = NX * NY, SIDE = 17, CUBE = SIDE * SIDE * SIDE, LONG = 20000 };

static const char text_of_kernels[] =
    "contract off;\n"
    "const int few[1500] = {3, 1, 4, 1, 5, 9, 2, 6};\n"
    "const double small[2][3][2] = {{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9}}};\n"
    /* between the eight corners of a cell of the cube */
    "kernel grade(in double c[3], out double v, double cube[17][17][17])\n"
    "{\n"
    "    double r = fmin(fmax(16*c[0], 0.0), 15.99), g = fmin(fmax(16*c[1], 0.0), 15.99);\n"
    "    double b = fmin(fmax(16*c[2], 0.0), 15.99);\n"
    "    int i = (int)r, j = (int)g, k = (int)b;\n"
    "    double at[2][2];\n"
    "    for (int p = 0; p < 2; p++)\n"
    "        for (int q = 0; q < 2; q++)\n"
    "            at[p][q] = cube[i + p][j + q][k]*(1 - (b - k)) + cube[i + p][j + q][k + 1]*(b - "
    "k);\n"
    "    double low = at[0][0]*(1 - (g - j)) + at[0][1]*(g - j);\n"
    "    double high = at[1][0]*(1 - (g - j)) + at[1][1]*(g - j);\n"
    "    v = low*(1 - (r - i)) + high*(r - i);\n"
    "}\n"
    "kernel search(in double c[3], out double v, float table[20000], int from)\n"
    "{\n"
    "    int n = 0;\n"
    "    long k = from + (long)(50*c[2]);\n"
    "    for (int i = 0; i < 200; i++) { if (table[k + i] > c[0]) break; n++; }\n"
    "    v = n + 0.5*few[n] + 0.25*small[n & 1][n % 3][1] + 0.125*small[1][1][n % 2] + table[9];\n"
    "}\n";

typedef struct values {
    double c[3][POINTS], cube[SIDE][SIDE][SIDE], grade[POINTS], search[POINTS];
    float table[LONG];
} values;

static double clamp(double x) { return x < 0 ? 0 : x > 15.99 ? 15.99 : x; }

static double grade(const values *a, int p)
{
    double x[3], f[3], at[2][2];
    int i[3];
    for (int d = 0; d < 3; d++) {
        x[d] = clamp(16 * a->c[d][p]);
        i[d] = (int)x[d];
        f[d] = x[d] - i[d];
    }
    for (int u = 0; u < 2; u++)
        for (int v = 0; v < 2; v++)
            at[u][v] = a->cube[i[0] + u][i[1] + v][i[2]] * (1 - f[2]) +
                       a->cube[i[0] + u][i[1] + v][i[2] + 1] * f[2];
    double low = at[0][0] * (1 - f[1]) + at[0][1] * f[1];
    double high = at[1][0] * (1 - f[1]) + at[1][1] * f[1];
    return low * (1 - f[0]) + high * f[0];
}

static double search(const values *a, int p, int from)
{
    static const int few[1500] = {3, 1, 4, 1, 5, 9, 2, 6};
    static const double small[2][3][2] = {{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9}}};
    int n = 0;
    int64_t k = from + (int64_t)(50 * a->c[2][p]);
    for (int i = 0; i < 200 && !((double)a->table[k + i] > a->c[0][p]); i++) n++;
    return n + 0.5 * few[n] + 0.25 * small[n & 1][n % 3][1] + 0.125 * small[1][1][n % 2] +
           (double)a->table[9];
}

static void fill(values *a)
{
    uint32_t random = 1;
    for (int i = 0; i < LONG; i++) {
        random = random * 1664525 + 1013904223;
        double x = (double)(random >> 8) / (1 << 24);
        a->table[i] = (float)(0.995 * x + 0.002);
        if (i < CUBE) (&a->cube[0][0][0])[i] = 3 * x - 1;
        if (i < 3 * POINTS) (&a->c[0][0])[i] = x < 0.7 ? 0.4 + x : x;
    }
    for (int p = 0; p < POINTS; p++) {
        a->grade[p] = grade(a, p);
        a->search[p] = search(a, p, 11000);
    }
}

static void run(const kata_options *options, const values *a)
{
    static double found[POINTS];
    kata *k = kata_open(options);
    kata_module *m = kata_module_from_text(k, "tables.kata", text_of_kernels);
    kata_grid *g = kata_grid_2d(k, NX, NY);
    kata_field *c = kata_field_new(g, "c", KATA_F64, .components = 3);
    kata_field *v = kata_field_new(g, "v", KATA_F64);
    kata_put(c, kata_all(g), &a->c[0][0], 3 * POINTS);
    kata_apply(kata_kernel_find(m, "grade"), kata_all(g), c, v,
               kata_table_of(KATA_F64, &a->cube[0][0][0], CUBE));
    kata_get(v, kata_all(g), found, POINTS);
    assert_memory_equal(found, a->grade, sizeof found);
    kata_apply(kata_kernel_find(m, "search"), kata_all(g), c, v,
               kata_table_of(KATA_F32, a->table, LONG), 11000);
    kata_get(v, kata_all(g), found, POINTS);
    assert_memory_equal(found, a->search, sizeof found);
    assert_int_equal(kata_close(k), KATA_OK);
}

static const kata_options ways[] = {{.executor = "reference"},
                                    {.executor = "plan", .plan = "loops"},
                                    {.executor = "cpu", .threads = 1, .wait = true},
                                    {.executor = "cpu", .threads = 3, .wait = true}};

static void test_lookups(void **state)
{
    (void)state;
    static values a;
    fill(&a);
    for (size_t i = 0; i < COUNT_OF(ways); i++) run(&ways[i], &a);
}

/* ---- indices outside ------------------------------------------------------------------------- */

static void receive(void *data, kata_status status, const char *message)
{
    if (status != KATA_OK) snprintf(data, 1024, "%s", message);
}

static void check_fault(const kata_options *way, const char *text, const char *expected)
{
    static const double table[2 * 3 * 4];
    char message[1024] = "";
    kata_options options = *way;
    options.handler = receive;
    options.handler_data = message;
    kata *k = kata_open(&options);
    kata_grid *g = kata_grid_2d(k, 200, 11);
    kata_field *v = kata_field_new(g, "v", KATA_F64);
    kata_kernel *f = kata_kernel_find(kata_module_from_text(k, "k.kata", text), "f");
    kata_apply(f, kata_all(g), v, kata_table_of(KATA_F64, table, 24));
    kata_flush(k);
    assert_int_equal(kata_close(k), KATA_ERROR_ASSERT);
    if (!strstr(message, expected)) fail_msg("%s", message);
}

/* Each index is checked by itself, from the first to the last. */
static void test_outside(void **state)
{
    (void)state;
    static const size_t checked[] = {0, 2, 3}; /* plans are not checked for indices */
    for (size_t i = 0; i < COUNT_OF(checked); i++) {
        const kata_options *way = &ways[checked[i]];
        check_fault(way, "kernel f(out double v, double t[2][3][4]) { v = t[ix/100][iy][ix%5]; }",
                    "index 4 is outside 't' at point (4, 0)");
        check_fault(way, "kernel f(out double v, double t[2][3][4]) { v = t[iy/9][iy][ix%4]; }",
                    "index 3 is outside 't' at point (0, 3)");
        check_fault(way,
                    "const int w[2000] = {1};\n"
                    "kernel f(out double v, double t[24]) { v = w[ix*iy*20] + t[3]; }",
                    "index 2000 is outside 'w' at point (100, 1)");
    }
}

/* ---- tables that differ ---------------------------------------------------------------------- */

/* The last element, and the first: two files that differ in the values of a table only. */
static void check_ends(const kata_options *way, const char *first)
{
    char text[256];
    double found[2];
    snprintf(text, sizeof text,
             "const double w[2000] = {%s};\n"
             "kernel f(out double v, double t[1999]) { v = w[1999*ix] + t[1998*ix]; }",
             first);
    static double table[1999];
    table[1998] = 7;
    kata *k = kata_open(way);
    kata_grid *g = kata_grid_1d(k, 2);
    kata_field *v = kata_field_new(g, "v", KATA_F64);
    kata_kernel *f = kata_kernel_find(kata_module_from_text(k, "k.kata", text), "f");
    kata_apply(f, kata_all(g), v, kata_table_of(KATA_F64, table, 1999));
    kata_get(v, kata_all(g), found, 2);
    assert_int_equal(kata_close(k), KATA_OK);
    assert_true(found[0] == atof(first) && found[1] == 7);
}

static void test_tables_differ(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        check_ends(&ways[i], "1");
        check_ends(&ways[i], "2");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lookups),
        cmocka_unit_test(test_outside),
        cmocka_unit_test(test_tables_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
