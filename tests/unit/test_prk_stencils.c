/* The stencil of the Parallel Research Kernels, as a star and as a square, beside its loops in C:
 * equal bits, and the mean of its result is the one that the suite checks. */
/* Labels: hostile slow */
#include <kata/kata.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { N = 75, ROUNDS = 6, LARGEST = 3, SIDE = 2 * LARGEST + 1 };

static const char text_of_kernels[] =
    "contract off;\n"
    "const int R;\n"
    "const int SIDE = 2*R + 1;\n"
    "kernel start(out double a, out double b) { a = ix + iy; b = 0; }\n"
    "kernel star(in double a, inout double b, double w[SIDE][SIDE])\n"
    "{\n"
    "    for (int j = -R; j <= R; j++) b += w[R + j][R]*a[0,j];\n"
    "    for (int i = -R; i < 0; i++) b += w[R][R + i]*a[i,0];\n"
    "    for (int i = 1; i <= R; i++) b += w[R][R + i]*a[i,0];\n"
    "}\n"
    "kernel square(in double a, inout double b, double w[SIDE][SIDE])\n"
    "{\n"
    "    for (int j = -R; j <= R; j++)\n"
    "        for (int i = -R; i <= R; i++) b += w[R + j][R + i]*a[i,j];\n"
    "}\n"
    "kernel next(inout double a) { a += 1.0; }\n"
    "kernel norm(in double b, sum double total) { total += fabs(b); }\n";

typedef struct stencil {
    bool square;
    int r;
    double w[SIDE][SIDE]; /* [r + dy][r + dx]; rows of 2r + 1 when it is given to a kernel */
} stencil;

/* Weights with which the stencil of a linear function is its slope: odd in each direction. */
static void weigh_star(stencil *s)
{
    int r = s->r;
    for (int d = 1; d <= r; d++) {
        s->w[r + d][r] = s->w[r][r + d] = 1.0 / (2.0 * d * r);
        s->w[r - d][r] = s->w[r][r - d] = -1.0 / (2.0 * d * r);
    }
}

static void weigh_square(stencil *s)
{
    int r = s->r;
    for (int d = 1; d <= r; d++) {
        for (int e = 1 - d; e < d; e++) {
            double w = 1.0 / (4.0 * d * (2.0 * d - 1) * r);
            s->w[r + d][r + e] = s->w[r + e][r + d] = w;
            s->w[r - d][r + e] = s->w[r + e][r - d] = -w;
        }
        s->w[r + d][r + d] = 1.0 / (4.0 * d * r);
        s->w[r - d][r - d] = -1.0 / (4.0 * d * r);
    }
}

static stencil make_stencil(bool square, int r)
{
    stencil s = {.square = square, .r = r};
    if (square)
        weigh_square(&s);
    else
        weigh_star(&s);
    return s;
}

/* ---- in C ------------------------------------------------------------------------------------ */

static double add_star(const stencil *s, double a[N][N], double b, int i, int j)
{
    int r = s->r;
    for (int d = -r; d <= r; d++) b += s->w[r + d][r] * a[j + d][i];
    for (int d = -r; d < 0; d++) b += s->w[r][r + d] * a[j][i + d];
    for (int d = 1; d <= r; d++) b += s->w[r][r + d] * a[j][i + d];
    return b;
}

static double add_square(const stencil *s, double a[N][N], double b, int i, int j)
{
    int r = s->r;
    for (int e = -r; e <= r; e++)
        for (int d = -r; d <= r; d++) b += s->w[r + e][r + d] * a[j + e][i + d];
    return b;
}

static void by_loops(const stencil *s, double b[N][N])
{
    static double a[N][N];
    memset(b, 0, sizeof(double[N][N]));
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) a[j][i] = i + j;
    for (int round = 0; round < ROUNDS; round++) {
        for (int j = s->r; j < N - s->r; j++)
            for (int i = s->r; i < N - s->r; i++)
                b[j][i] =
                    s->square ? add_square(s, a, b[j][i], i, j) : add_star(s, a, b[j][i], i, j);
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) a[j][i] += 1.0;
    }
}

/* ---- in kernels ------------------------------------------------------------------------------ */

static void copy_weights(const stencil *s, double *w)
{
    int side = 2 * s->r + 1;
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++) w[j * side + i] = s->w[j][i];
}

/* Returns the mean of |b| where the stencil was applied. */
static double by_kernels(const kata_options *options, const stencil *s, double found[N][N])
{
    char constants[16];
    snprintf(constants, sizeof constants, "R=%d", s->r);
    kata *k = kata_open(options);
    kata_module *m =
        kata_module_from_text(k, "stencil.kata", text_of_kernels, .constants = constants);
    kata_grid *g = kata_grid_2d(k, N, N);
    kata_field *a = kata_field_new(g, "a", KATA_F64), *b = kata_field_like(a, "b");
    kata_scalar *total = kata_scalar_new(k, "total", KATA_F64);
    kata_kernel *kernel = kata_kernel_find(m, s->square ? "square" : "star");
    double w[SIDE * SIDE], sum = 0;
    copy_weights(s, w);
    int elements = (2 * s->r + 1) * (2 * s->r + 1);
    kata_apply(kata_kernel_find(m, "start"), kata_all(g), a, b);
    for (int round = 0; round < ROUNDS; round++) {
        kata_apply(kernel, kata_inner(g, s->r), a, b, kata_table_of(KATA_F64, w, elements));
        kata_apply(kata_kernel_find(m, "next"), kata_all(g), a);
        kata_step(k);
    }
    kata_apply(kata_kernel_find(m, "norm"), kata_inner(g, s->r), b, total);
    kata_scalar_get(total, &sum);
    kata_get(b, kata_all(g), &found[0][0], (size_t)N * N);
    assert_int_equal(kata_close(k), KATA_OK);
    return sum / ((double)(N - 2 * s->r) * (N - 2 * s->r));
}

static void check(bool square)
{
    static const kata_options ways[] = {{.executor = "reference"},
                                        {.executor = "cpu", .threads = 1, .wait = true},
                                        {.executor = "cpu", .threads = 3, .wait = true}};
    static double expected[N][N], found[N][N];
    for (int r = 1; r <= LARGEST; r++) {
        stencil s = make_stencil(square, r);
        by_loops(&s, expected);
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            double mean = by_kernels(&ways[i], &s, found);
            assert_memory_equal(found, expected, sizeof found);
            assert_true(fabs(mean - ROUNDS * 2.0) < 1e-8); /* the suite's criterion */
        }
    }
}

static void test_star(void **state)
{
    (void)state;
    check(false);
}

static void test_square(void **state)
{
    (void)state;
    check(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_star),
        cmocka_unit_test(test_square),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
