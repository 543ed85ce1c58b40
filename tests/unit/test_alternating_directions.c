/* adi of PolyBench: an implicit step of the heat equation in alternating directions, beside its
 * loops in C, bit for bit. The sweeps along columns and rows are kernels whose levels run in
 * order. */
#include <kata/kata.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N = 61, STEPS = 5 };

/* x is the second index of the suite's arrays, y the first. Each half of a step eliminates along
 * one direction and solves backwards; it writes the transposed field of the other half. */
static const char text_of_kernels[] =
    "contract off;\n"
    "kernel start(out double u) { u = (double)(iy + nx - ix)/nx; }\n"
    "kernel side(out double v) { v = 1.0; }\n"
    /* along the columns of v: the suite's p[i][j], q[i][j] stand at the point (x, y) = (i, j) */
    "kernel eliminate_y(in double u, out double p, out double q, double a, double b, double c,\n"
    "                   double d, double f) forward(y)\n"
    "{\n"
    "    interval [0, 1) { p = 0.0; q = 1.0; }\n"
    "    interval [1, ny-1) {\n"
    "        p = -c/(a*p[0,-1] + b);\n"
    "        q = (-d*u[-1,0] + (1.0 + 2.0*d)*u - f*u[1,0] - a*q[0,-1])/(a*p[0,-1] + b);\n"
    "    }\n"
    "    interval [ny-1, ny) { }\n"
    "}\n"
    "kernel solve_y(in double p, in double q, inout double v) backward(y)\n"
    "{ v = p*v[0,1] + q; }\n"
    "kernel eliminate_x(in double v, out double p, out double q, double a, double c, double d,\n"
    "                   double e, double f) forward(x)\n"
    "{\n"
    "    interval [0, 1) { p = 0.0; q = 1.0; }\n"
    "    interval [1, nx-1) {\n"
    "        p = -f/(d*p[-1,0] + e);\n"
    "        q = (-a*v[0,-1] + (1.0 + 2.0*a)*v - c*v[0,1] - d*q[-1,0])/(d*p[-1,0] + e);\n"
    "    }\n"
    "    interval [nx-1, nx) { }\n"
    "}\n"
    "kernel solve_x(in double p, in double q, inout double u) backward(x)\n"
    "{ u = p*u[1,0] + q; }\n";

typedef struct coefficients {
    double a, b, c, d, e, f;
} coefficients;

static coefficients find_coefficients(void)
{
    double dx = 1.0 / N, dy = 1.0 / N, dt = 1.0 / STEPS;
    double mul1 = 2.0 * dt / (dx * dx), mul2 = 1.0 * dt / (dy * dy);
    return (coefficients){.a = -mul1 / 2.0,
                          .b = 1.0 + mul1,
                          .c = -mul1 / 2.0,
                          .d = -mul2 / 2.0,
                          .e = 1.0 + mul2,
                          .f = -mul2 / 2.0};
}

/* ---- in C ------------------------------------------------------------------------------------ */

typedef struct arrays {
    double u[N][N], v[N][N], p[N][N], q[N][N];
} arrays;

static void sweep_columns(arrays *w, const coefficients *k)
{
    for (int i = 1; i < N - 1; i++) {
        w->v[0][i] = 1.0;
        w->p[i][0] = 0.0;
        w->q[i][0] = w->v[0][i];
        for (int j = 1; j < N - 1; j++) {
            double under = k->a * w->p[i][j - 1] + k->b;
            w->p[i][j] = -k->c / under;
            w->q[i][j] = (-k->d * w->u[j][i - 1] + (1.0 + 2.0 * k->d) * w->u[j][i] -
                          k->f * w->u[j][i + 1] - k->a * w->q[i][j - 1]) /
                         under;
        }
        w->v[N - 1][i] = 1.0;
        for (int j = N - 2; j >= 1; j--) w->v[j][i] = w->p[i][j] * w->v[j + 1][i] + w->q[i][j];
    }
}

static void sweep_rows(arrays *w, const coefficients *k)
{
    for (int i = 1; i < N - 1; i++) {
        w->u[i][0] = 1.0;
        w->p[i][0] = 0.0;
        w->q[i][0] = w->u[i][0];
        for (int j = 1; j < N - 1; j++) {
            double under = k->d * w->p[i][j - 1] + k->e;
            w->p[i][j] = -k->f / under;
            w->q[i][j] = (-k->a * w->v[i - 1][j] + (1.0 + 2.0 * k->a) * w->v[i][j] -
                          k->c * w->v[i + 1][j] - k->d * w->q[i][j - 1]) /
                         under;
        }
        w->u[i][N - 1] = 1.0;
        for (int j = N - 2; j >= 1; j--) w->u[i][j] = w->p[i][j] * w->u[i][j + 1] + w->q[i][j];
    }
}

static void by_loops(arrays *w)
{
    coefficients k = find_coefficients();
    memset(w, 0, sizeof *w);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) w->u[i][j] = (double)(i + N - j) / N;
    for (int t = 0; t < STEPS; t++) {
        sweep_columns(w, &k);
        sweep_rows(w, &k);
    }
}

/* ---- in kernels ------------------------------------------------------------------------------ */

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g;
    kata_field *u, *v, *p, *q;
} world;

static kata_kernel *find(world *w, const char *name) { return kata_kernel_find(w->m, name); }

static void columns_by_kernels(world *w, const coefficients *k)
{
    kata_range columns = kata_box_2d(w->g, 1, N - 1, 0, N);
    kata_apply(find(w, "side"), kata_box_2d(w->g, 1, N - 1, 0, 1), w->v);
    kata_apply(find(w, "side"), kata_box_2d(w->g, 1, N - 1, N - 1, N), w->v);
    kata_apply(find(w, "eliminate_y"), columns, w->u, w->p, w->q, k->a, k->b, k->c, k->d, k->f);
    kata_apply(find(w, "solve_y"), kata_inner(w->g, 1), w->p, w->q, w->v);
}

static void rows_by_kernels(world *w, const coefficients *k)
{
    kata_range rows = kata_box_2d(w->g, 0, N, 1, N - 1);
    kata_apply(find(w, "side"), kata_box_2d(w->g, 0, 1, 1, N - 1), w->u);
    kata_apply(find(w, "side"), kata_box_2d(w->g, N - 1, N, 1, N - 1), w->u);
    kata_apply(find(w, "eliminate_x"), rows, w->v, w->p, w->q, k->a, k->c, k->d, k->e, k->f);
    kata_apply(find(w, "solve_x"), kata_inner(w->g, 1), w->p, w->q, w->u);
}

static void by_kernels(int threads, double u[N][N], double v[N][N])
{
    world w = {.k = kata_open(
                   &(kata_options){.executor = threads ? "cpu" : "reference", .threads = threads})};
    coefficients k = find_coefficients();
    w.m = kata_module_from_text(w.k, "adi.kata", text_of_kernels);
    w.g = kata_grid_2d(w.k, N, N);
    kata_field **fields[4] = {&w.u, &w.v, &w.p, &w.q};
    for (int i = 0; i < 4; i++) {
        const char name[2] = {"uvpq"[i], '\0'};
        *fields[i] = kata_field_new(w.g, name, KATA_F64);
    }
    kata_apply(find(&w, "start"), kata_all(w.g), w.u);
    for (int t = 0; t < STEPS; t++) {
        columns_by_kernels(&w, &k);
        rows_by_kernels(&w, &k);
        kata_step(w.k);
    }
    kata_get(w.u, kata_all(w.g), &u[0][0], (size_t)N * N);
    kata_get(w.v, kata_all(w.g), &v[0][0], (size_t)N * N);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void test_adi(void **state)
{
    (void)state;
    static arrays expected;
    static double u[N][N], v[N][N];
    by_loops(&expected);
    for (int threads = 0; threads <= 3; threads++) {
        by_kernels(threads, u, v);
        assert_memory_equal(u, expected.u, sizeof u);
        assert_memory_equal(v, expected.v, sizeof v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_adi)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
