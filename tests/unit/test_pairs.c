/* Two rows computed at once give what one at a time gives. Kernels that are high along z compute
 * two planes at once, boxes compute two rows. On any number of planes and rows, compiled kernels
 * give what the reference executor gives. */
/* Labels: compiler hostile slow */
#include "kata/kata.h"

#include "sanitized.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_X = 67, MOST_Y = 9, MOST_Z = 9, MOST = MOST_X * MOST_Y * MOST_Z };

/* High along z: star; indices, which uses its indices and writes on a condition; grows, which is
 * not symmetric and reads what it writes; planes, which computes a value once for a plane and so
 * gets no pairs of planes.
 *
 * Wide along y: box, whose points share sums along x; deep, which squares a value many times;
 * corners, which uses its indices; wide, which computes a value once for a plane; rows, which
 * computes one for a row and so gets no pairs. */
static const char text[] =
    "kernel star(in double u, inout double v)\n"
    "{\n"
    "    double sum = 0;\n"
    "    for (int k = 1; k <= 4; k++) sum += k*(u[0,0,-k] - 2*u[0,0,k] + u[-k,0,0] + u[0,k,0]);\n"
    "    v = sum;\n"
    "}\n"
    "kernel indices(in double u, inout double v)\n"
    "{\n"
    "    double sum = ix + iz; /* 100*iz would be the same for a plane */\n"
    "    for (int k = -3; k <= 4; k++) sum += k*u[1,0,k];\n"
    "    if (sum > 40) v = sum;\n"
    "}\n"
    "kernel grows(in double u, inout double v)\n"
    "{\n"
    "    double sum = v;\n"
    "    for (int k = 0; k <= 7; k++) sum += (k + 1)*u[0,1,-k];\n"
    "    v = 0.5*v + sum;\n"
    "}\n"
    "kernel planes(in double u, inout double v)\n"
    "{\n"
    "    double sum = 0, height = iz*iz*0.25 + sqrt((double)iz);\n"
    "    for (int k = 0; k <= 7; k++) sum += height*u[0,1,-k];\n"
    "    v = sum + height;\n"
    "}\n"
    "static double across(in double u, double a, double b)\n"
    "{\n"
    "    double sum = a*u + b*(u[0,-1,0] + u[0,1,0]);\n"
    "    return sum + a*b*(u[0,-1,-1] + u[0,0,-1] + u[0,1,-1]) - b*(u[0,-1,1] - u[0,1,1] + "
    "u[0,0,1]);\n"
    "}\n"
    "kernel box(in double u, inout double v)\n"
    "{ v = across(u, 3, 0.5) + (across(u[-1,0,0], 0.7, 2) + across(u[1,0,0], 0.7, 2)); }\n"
    "kernel deep(in double u, inout double v)\n"
    "{\n"
    "    double x = u;\n"
    "    for (int k = 0; k < 40; k++) x = x*x;\n"
    "    double sum = across(u[-2,0,0], 0.7, 2) + across(u[2,0,0], 0.7, 2);\n"
    "    sum += across(u, 3, 0.5) + (across(u[-1,0,0], 0.7, 2) + across(u[1,0,0], 0.7, 2));\n"
    "    v = sum + min(x, 3);\n"
    "}\n"
    "kernel corners(in double u, inout double v)\n"
    "{\n"
    "    double sum = ix + 10*v;\n"
    "    for (int k = -1; k <= 1; k++)\n"
    "        for (int j = -1; j <= 2; j++) sum += (3*j + k)*u[j,j,k];\n"
    "    if (sum > 10) v = sum + ((ix + iy) & 1);\n"
    "}\n"
    "kernel wide(in double u, inout double v)\n"
    "{\n"
    "    double sum = sqrt((double)(iz + 1));\n"
    "    for (int j = -3; j <= 3; j++) sum += j*(u[0,j,0] - u[j,j,0]);\n"
    "    v = sum*sum;\n"
    "}\n"
    "kernel rows(in double u, inout double v)\n"
    "{\n"
    "    double sum = 0, north = exp(0.1*iy)*sqrt((double)(iy + 1));\n"
    "    for (int j = -3; j <= 3; j++) sum += north*u[1,j,0];\n"
    "    v = sum + north;\n"
    "}\n";

static void compute(const char *executor, const char *kernel, kata_type type, const int64_t n[3],
                    double values[MOST])
{
    kata *k = kata_open(&(kata_options){.executor = executor, .threads = 2, .wait = true});
    kata_grid *g = kata_grid_3d(k, n[0], n[1], n[2]);
    kata_module *m = kata_module_from_text(k, "text", text);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *v = kata_field_new(g, "v", type);
    int64_t count = n[0] * n[1] * n[2];
    for (int64_t i = 0; i < count; i++) values[i] = (double)(i * 37 % 251) / 16;
    kata_put(u, kata_all(g), values, count);
    kata_apply(kata_kernel_find(m, kernel), kata_all(g), u, v);
    kata_apply(kata_kernel_find(m, kernel),
               kata_box_3d(g, 1, n[0], 0, n[1] - n[1] / 4, n[2] / 2, n[2]), u, v);
    memset(values, 0, MOST * sizeof *values);
    kata_get(v, kata_all(g), values, count);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void expect_the_same(const char *kernel, const int64_t n[3])
{
    static double expected[MOST], found[MOST];
    kata_type type = (n[1] + n[2]) % 3 == 2 ? KATA_F32 : KATA_F64;
    compute("reference", kernel, type, n, expected);
    compute("cpu", kernel, type, n, found);
    assert_memory_equal(expected, found, sizeof found);
}

static const int64_t widths[] = {1, 2, 15, 33, MOST_X};

/* From width to width: sanitizers make a part of the runs. */
static size_t width_step(void) { return is_sanitized() ? 2 : 1; }

static void two_planes_at_once_give_what_one_gives(void **state)
{
    static const char *const kernels[] = {"star", "indices", "grows", "planes"};
    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w += width_step())
            for (int64_t nz = 1; nz <= MOST_Z; nz++)
                expect_the_same(kernels[i], (int64_t[]){widths[w], 3, nz});
}

static void two_rows_at_once_give_what_one_gives(void **state)
{
    static const char *const kernels[] = {"box", "deep", "corners", "wide", "rows"};
    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w += width_step())
            for (int64_t ny = 1; ny <= MOST_Y; ny++)
                expect_the_same(kernels[i], (int64_t[]){widths[w], ny, 3});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_planes_at_once_give_what_one_gives),
        cmocka_unit_test(two_rows_at_once_give_what_one_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
