/* Guards narrow what a read touches. Each case is a condition, a C expression that is both pasted
 * into a kernel and evaluated here for every point: reading u at the offset where it holds must be
 * refused on exactly those grids on which some such point reads outside. */
/* Labels: hostile */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* X(condition, dx, dy): conditions that are understood exactly, with offsets that they let through
 * and with some that lead one point too far. n is a number parameter, 2. */
#define CASES(X)                                                                                   \
    X(ix > 0, -1, 0)                                                                               \
    X(ix >= 1, -1, 0)                                                                              \
    X(0 < ix, -1, 0)                                                                               \
    X(!(ix < 1), -1, 0)                                                                            \
    X(ix != 0, -1, 0)                                                                              \
    X(ix > 0, -2, 0)                                                                               \
    X(ix < nx - 1, 1, 0)                                                                           \
    X(ix + 1 < nx, 1, 0)                                                                           \
    X(ix <= nx - 3, 2, 0)                                                                          \
    X(ix != nx - 1, 1, 0)                                                                          \
    X(ix >= 1, -2, 0)                                                                              \
    X(1 <= ix, -2, 0)                                                                              \
    X(!(ix < 1), -2, 0)                                                                            \
    X(ix != 0, -2, 0)                                                                              \
    X(ix < nx - 1, 2, 0)                                                                           \
    X(ix <= nx - 2, 2, 0)                                                                          \
    X(nx - 2 >= ix, 2, 0)                                                                          \
    X(!(ix > nx - 2), 2, 0)                                                                        \
    X(!(ix >= nx - 1), 2, 0)                                                                       \
    X(ix != nx - 1, 2, 0)                                                                          \
    X(ix == nx - 2, 2, 0)                                                                          \
    X(ix > nx, -1, 0)                                                                              \
    X(ix > 0 && ix < nx - 1, 1, 0)                                                                 \
    X(ix > 0 && iy > 0, -1, -1)                                                                    \
    X(ix > 0 && iy > 0, -1, 1)                                                                     \
    X(ix > 0 || iy > 0, -1, 0)                                                                     \
    X(ix > 3 || ix > 1, -2, 0)                                                                     \
    X(!(ix == 0 || iy == 0), -1, -1)                                                               \
    X(ix >= n, -2, 0)                                                                              \
    X(ix >= n, -3, 0)                                                                              \
    X(ix - n > 0, -3, 0)                                                                           \
    X(iy == ny - 1, 0, -3)                                                                         \
    X(iy == 0, 0, 2)                                                                               \
    X(ix == n, -2, 0)                                                                              \
    X(ix > 0 ? iy > 0 : iy < 0, 0, -1)                                                             \
    X(1, 0, 0)                                                                                     \
    X(0, -5, -5)                                                                                   \
    X(ix % 2 == 0, 1, 0)                                                                           \
    X(ix % 2 != 0, -1, 0)                                                                          \
    X(ix % 2 == 1, -1, 0)                                                                          \
    X(ix % 2 != 0, 1, 0)                                                                           \
    X(ix & 1, -1, 0)                                                                               \
    X(!(ix & 1), 1, 0)                                                                             \
    X(ix & 1, -2, 0)                                                                               \
    X(iy % 3 == 1, 0, -1)                                                                          \
    X(iy % 3 == 1, 0, 1)                                                                           \
    X((iy + 1) % 3 > 0, 0, 1)                                                                      \
    X(ix % n == n - 1, 1, 0)                                                                       \
    X(ix % n == n - 1, -1, 0)                                                                      \
    X(ix / 2 * 2 == ix && ix > 0, -2, 0)                                                           \
    X((int)ix % 2 == 1 && (iy & 1), -1, -1)                                                        \
    X(2 * ix > nx - 1, -1, 0)                                                                      \
    X(n > 3, 1, 0)                                                                                 \
    X(n < 3, 1, 0)

typedef struct guard_case {
    const char *condition;
    int dx, dy;
} guard_case;

#define X(condition, dx, dy) {#condition, dx, dy},
static const guard_case cases[] = {CASES(X)};
#undef X

static bool holds(size_t i, int64_t ix, int64_t iy, int64_t nx, int64_t ny, int n)
{
    (void)nx, (void)ny, (void)ix, (void)iy, (void)n;
    size_t at = 0;
#define X(condition, dx, dy)                                                                       \
    if (at++ == i) return condition;
    CASES(X)
#undef X
    return false;
}

static bool reads_outside(size_t i, int64_t nx, int64_t ny)
{
    for (int64_t iy = 0; iy < ny; iy++)
        for (int64_t ix = 0; ix < nx; ix++) {
            if (!holds(i, ix, iy, nx, ny, 2)) continue;
            int64_t x = ix + cases[i].dx, y = iy + cases[i].dy;
            if (x < 0 || x >= nx || y < 0 || y >= ny) return true;
        }
    return false;
}

static void ignore(void *data, kata_status status, const char *message)
{
    (void)data, (void)status, (void)message;
}

/* Applies the case's kernel, written with `form`, to grids of all sizes up to 5 x 5. */
static void check(size_t i, const char *form)
{
    char body[512], kernel[1024];
    snprintf(body, sizeof body, form, cases[i].condition, cases[i].dx, cases[i].dy);
    snprintf(kernel, sizeof kernel, "kernel k(in double u, inout double v, int n)\n{\n    %s\n}\n",
             body);
    kata *k = kata_open(&(kata_options){.executor = "reference", .handler = ignore});
    kata_kernel *found = kata_kernel_find(kata_module_from_text(k, "k.kata", kernel), "k");
    if (!found) print_message("%s\n%s\n", kernel, kata_error_message(k));
    assert_non_null(found);
    for (int64_t ny = 1; ny <= 5; ny++)
        for (int64_t nx = 1; nx <= 5; nx++) {
            kata_grid *g = kata_grid_2d(k, nx, ny);
            kata_field *u = kata_field_new(g, "u", KATA_F64), *v = kata_field_like(u, "v");
            kata_status status = kata_apply(found, kata_all(g), u, v, 2);
            bool refused = status == KATA_ERROR_APPLICATION;
            if (refused != reads_outside(i, nx, ny))
                fail_msg("%s on %d x %d: %s", kernel, (int)nx, (int)ny,
                         refused ? "refused" : "accepted");
            kata_error_clear(k);
        }
    kata_close(k);
}

static void test_choices_narrow_reads(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(i, "v = %s ? u[%d,%d] : 0;");
}

static void test_branches_narrow_reads(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(i, "v += 1; if (%s) v = 2*u[%d,%d] + 1;");
}

static void test_reads_through_variables_are_narrowed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(i, "bool c = %s; double x = sqrt(u[%d,%d]); v = 1; if (c) { v += x*x; }");
}

static void test_conjunctions_narrow_their_other_side(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(i, "v = (%s) && u[%d,%d] > 0 ? 1 : 2;");
}

/* Guards hold also beside conditions that read fields, on the way to the index of a table. */
static void test_checked_indices_are_narrowed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(i, "double a[3]; for (int l = 0; l < 3; l++) a[l] = l;\n    v += 1;\n"
                 "    if (%s) { if (v == 3) v = 1; else v = a[((int)u[%d,%d] & 255) %% 3]; }");
}

/* A condition on a value that was written, and rounded as it is stored, narrows nothing. */
static void test_written_values_narrow_nothing(void **state)
{
    (void)state;
    kata *k = kata_open(&(kata_options){.executor = "reference", .handler = ignore});
    kata_module *m = kata_module_from_text(k, "k.kata",
                                           "kernel k(in double u, inout double v)\n"
                                           "{ v = ix % 2; v = v > 0 ? u[1,0] : 3; }\n");
    kata_grid *g = kata_grid_2d(k, 6, 2);
    kata_field *u = kata_field_new(g, "u", KATA_F64), *v = kata_field_like(u, "v");
    kata_kernel *kernel = kata_kernel_find(m, "k");
    assert_int_equal(kata_apply(kernel, kata_all(g), u, v), KATA_ERROR_APPLICATION);
    kata_error_clear(k);
    kata_close(k);
}

/* Compiled code computes both choices: what a remainder excludes lies beyond the last point. */
static void parity(const char *executor, int64_t nx, double *out)
{
    static const char text[] =
        "kernel start(out double u) { u = sin(0.7*ix + 0.3*iy); }\n"
        "kernel pairs(in double u, out double v)\n"
        "{\n"
        "    double x = ix % 2 == 0 ? u : u[-1,0];\n"
        "    double y = (ix & 1) ? u : ix + 1 < nx ? u[1,0] : u;\n"
        "    v = x + 3*y + (iy % 3 == 2 ? u[0,-2] : iy % 3 == 1 ? u[0,-1] : u);\n"
        "}\n";
    kata *k = kata_open(&(kata_options){.executor = executor, .wait = true});
    kata_module *m = kata_module_from_text(k, "parity", text);
    kata_grid *g = kata_grid_2d(k, nx, 6);
    kata_field *u = kata_field_new(g, "u", KATA_F64), *v = kata_field_like(u, "v");
    kata_apply(kata_kernel_find(m, "start"), kata_all(g), u);
    kata_apply(kata_kernel_find(m, "pairs"), kata_all(g), u, v);
    kata_get(v, kata_all(g), out, nx * 6);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void test_remainders_compiled(void **state)
{
    (void)state;
    for (int64_t nx = 1; nx < 40; nx++) {
        double expected[40 * 6], found[40 * 6];
        parity("reference", nx, expected);
        parity("cpu", nx, found);
        assert_memory_equal(found, expected, (size_t)nx * 6 * sizeof *found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_remainders_compiled),
        cmocka_unit_test(test_choices_narrow_reads),
        cmocka_unit_test(test_branches_narrow_reads),
        cmocka_unit_test(test_reads_through_variables_are_narrowed),
        cmocka_unit_test(test_conjunctions_narrow_their_other_side),
        cmocka_unit_test(test_checked_indices_are_narrowed),
        cmocka_unit_test(test_written_values_narrow_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
