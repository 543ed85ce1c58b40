/* Programs that other projects compute in the natural order of their loops, beside the loops in C:
 * seidel-2d of PolyBench, synch_p2p of the Parallel Research Kernels, and conjugate gradients with
 * symmetric over-relaxation (SSOR) before each step. Each equals its loops bit for bit. */
#include <kata/kata.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static kata *open_on(int threads)
{
    return threads ? kata_open(&(kata_options){.threads = threads})
                   : kata_open(&(kata_options){.executor = "reference"});
}

static const int thread_counts[] = {0, 1, 2, 3}; /* 0: the reference executor */

/* ---- seidel-2d ------------------------------------------------------------------------------- */

enum { N = 120, STEPS = 20 };

static const char seidel_text[] = "contract off;\n"
                                  "kernel seidel(inout double a) forward(x, y)\n"
                                  "{\n"
                                  "    a = (a[-1,-1] + a[0,-1] + a[1,-1] + a[-1,0] + a + a[1,0]\n"
                                  "         + a[-1,1] + a[0,1] + a[1,1])/9.0;\n"
                                  "}\n";

static void start_seidel(double a[N][N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) a[i][j] = ((double)i * (j + 2) + 2) / N;
}

static void seidel_in_c(double a[N][N])
{
    for (int t = 0; t < STEPS; t++)
        for (int i = 1; i <= N - 2; i++)
            for (int j = 1; j <= N - 2; j++)
                a[i][j] = (a[i - 1][j - 1] + a[i - 1][j] + a[i - 1][j + 1] + a[i][j - 1] + a[i][j] +
                           a[i][j + 1] + a[i + 1][j - 1] + a[i + 1][j] + a[i + 1][j + 1]) /
                          9.0;
}

static void test_seidel_2d(void **state)
{
    (void)state;
    static double start[N][N], expected[N][N], out[N][N];
    start_seidel(start);
    start_seidel(expected);
    seidel_in_c(expected);
    for (int i = 0; i < 4; i++) {
        kata *k = open_on(thread_counts[i]);
        kata_grid *g = kata_grid_2d(k, N, N);
        kata_field *a = kata_field_new(g, "a", KATA_F64);
        kata_kernel *seidel =
            kata_kernel_find(kata_module_from_text(k, "seidel.kata", seidel_text), "seidel");
        kata_put(a, kata_all(g), &start[0][0], (size_t)N * N);
        for (int t = 0; t < STEPS; t++) kata_apply(seidel, kata_inner(g, 1), a);
        kata_get(a, kata_all(g), &out[0][0], (size_t)N * N);
        assert_int_equal(kata_close(k), KATA_OK);
        assert_memory_equal(out, expected, sizeof out);
    }
}

/* ---- synch_p2p ------------------------------------------------------------------------------- */

enum { M = 300, ROWS = 150, ITERATIONS = 10 };

static const char p2p_text[] =
    "contract off;\n"
    "kernel start(out double a) { a = iy == 0 ? ix : ix == 0 ? iy : 0; }\n"
    "kernel sweep(inout double a) forward(x, y) { a = a[-1,0] + a[0,-1] - a[-1,-1]; }\n"
    "kernel corner(in double a, sum double last) { last += a; }\n"
    "kernel turn(out double a, double last) { a = -last; }\n";

static void test_synch_p2p(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        kata *k = open_on(thread_counts[i]);
        kata_grid *g = kata_grid_2d(k, M, ROWS);
        kata_field *a = kata_field_new(g, "a", KATA_F64);
        kata_scalar *last = kata_scalar_new(k, "last", KATA_F64);
        kata_module *m = kata_module_from_text(k, "p2p.kata", p2p_text);
        kata_apply(kata_kernel_find(m, "start"), kata_all(g), a);
        for (int t = 0; t < ITERATIONS; t++) {
            kata_apply(kata_kernel_find(m, "sweep"), kata_box_2d(g, 1, M, 1, ROWS), a);
            kata_apply(kata_kernel_find(m, "corner"), kata_box_2d(g, M - 1, M, ROWS - 1, ROWS), a,
                       last);
            kata_apply(kata_kernel_find(m, "turn"), kata_box_2d(g, 0, 1, 0, 1), a, last);
        }
        double found = 0;
        kata_scalar_get(last, &found);
        assert_int_equal(kata_close(k), KATA_OK);
        assert_true(found == (double)ITERATIONS * (M + ROWS - 2)); /* its verification value */
    }
}

/* ---- conjugate gradients --------------------------------------------------------------------- */

enum { NX = 61, NY = 43, POINTS = NX * NY, ROUNDS = 40 };
static const double relaxation = 1.6;

/* Poisson's equation with five points, 0 outside. Sums run along rows, then over their ends. */
static const char gradients_text[] =
    "contract off;\n"
    "kernel apply_a(in double p, out double q)\n"
    "{ q = 4*p - p[-1,0] - p[1,0] - p[0,-1] - p[0,1]; }\n"
    "kernel down(in double r, out double s, double w) forward(x, y)\n"
    "{ s = w*(r + s[-1,0] + s[0,-1])/4; }\n"
    "kernel scale(inout double s, double w) { s = s*(4*((2 - w)/w)); }\n"
    "kernel up(in double s, out double z, double w) backward(x, y)\n"
    "{ z = w*(s + z[1,0] + z[0,1])/4; }\n"
    "kernel along_rows(in double a, in double b, out double t) forward(x) { t = t[-1,0] + a*b; }\n"
    "kernel over_rows(inout double t) forward(y) { t = t[0,-1] + t; }\n"
    "kernel take(in double t, sum double value) { value += t; }\n"
    "kernel divide(double over, double under, out double by) { by = over/under; }\n"
    "kernel add(inout double y, in double x, double by) { y = y + by*x; }\n"
    "kernel subtract(inout double y, in double x, double by) { y = y - by*x; }\n"
    "kernel turn(inout double p, in double z, double by) { p = z + by*p; }\n";

typedef struct solver {
    double x[NY + 2][NX + 2], r[NY + 2][NX + 2], z[NY + 2][NX + 2], s[NY + 2][NX + 2],
        p[NY + 2][NX + 2], q[NY + 2][NX + 2];
} solver;

static void precondition(solver *c)
{
    for (int j = 1; j <= NY; j++)
        for (int i = 1; i <= NX; i++)
            c->s[j][i] = relaxation * (c->r[j][i] + c->s[j][i - 1] + c->s[j - 1][i]) / 4;
    for (int j = NY; j >= 1; j--)
        for (int i = NX; i >= 1; i--) c->s[j][i] *= 4 * ((2 - relaxation) / relaxation);
    for (int j = NY; j >= 1; j--)
        for (int i = NX; i >= 1; i--)
            c->z[j][i] = relaxation * (c->s[j][i] + c->z[j][i + 1] + c->z[j + 1][i]) / 4;
}

static double dot(double a[NY + 2][NX + 2], double b[NY + 2][NX + 2])
{
    double sum = 0;
    for (int j = 1; j <= NY; j++) {
        double row = 0;
        for (int i = 1; i <= NX; i++) row = row + a[j][i] * b[j][i];
        sum = sum + row;
    }
    return sum;
}

static void multiply(solver *c)
{
    for (int j = 1; j <= NY; j++)
        for (int i = 1; i <= NX; i++)
            c->q[j][i] =
                4 * c->p[j][i] - c->p[j][i - 1] - c->p[j][i + 1] - c->p[j - 1][i] - c->p[j + 1][i];
}

static void solve_in_c(solver *c)
{
    precondition(c);
    memcpy(c->p, c->z, sizeof c->p);
    double rz = dot(c->r, c->z);
    for (int round = 0; round < ROUNDS; round++) {
        multiply(c);
        double alpha = rz / dot(c->p, c->q), before = rz;
        for (int j = 1; j <= NY; j++)
            for (int i = 1; i <= NX; i++) {
                c->x[j][i] = c->x[j][i] + alpha * c->p[j][i];
                c->r[j][i] = c->r[j][i] - alpha * c->q[j][i];
            }
        precondition(c);
        rz = dot(c->r, c->z);
        double beta = rz / before;
        for (int j = 1; j <= NY; j++)
            for (int i = 1; i <= NX; i++) c->p[j][i] = c->z[j][i] + beta * c->p[j][i];
    }
}

/* The same in Katagami. */
typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g;
    kata_field *x, *r, *z, *s, *p, *q, *t;
    kata_scalar *rz, *before, *pq, *alpha, *beta;
} world;

static kata_kernel *find(world *w, const char *name) { return kata_kernel_find(w->m, name); }

static void open_world(world *w, int threads)
{
    *w = (world){.k = open_on(threads)};
    w->m = kata_module_from_text(w->k, "gradients.kata", gradients_text);
    w->g = kata_grid_2d(w->k, NX, NY);
    kata_field **fields[7] = {&w->x, &w->r, &w->z, &w->s, &w->p, &w->q, &w->t};
    kata_scalar **scalars[5] = {&w->rz, &w->before, &w->pq, &w->alpha, &w->beta};
    for (int i = 0; i < 7; i++) {
        const char name[2] = {"xrzspqt"[i], '\0'};
        *fields[i] = kata_field_new(w->g, name, KATA_F64, .boundary = KATA_CONSTANT);
    }
    for (int i = 0; i < 5; i++) *scalars[i] = kata_scalar_new(w->k, "value", KATA_F64);
}

static void precondition_by_kernels(world *w)
{
    kata_apply(find(w, "down"), kata_all(w->g), w->r, w->s, relaxation);
    kata_apply(find(w, "scale"), kata_all(w->g), w->s, relaxation);
    kata_apply(find(w, "up"), kata_all(w->g), w->s, w->z, relaxation);
}

static void dot_by_kernels(world *w, kata_field *a, kata_field *b, kata_scalar *value)
{
    kata_apply(find(w, "along_rows"), kata_all(w->g), a, b, w->t);
    kata_apply(find(w, "over_rows"), kata_box_2d(w->g, NX - 1, NX, 0, NY), w->t);
    kata_apply(find(w, "take"), kata_box_2d(w->g, NX - 1, NX, NY - 1, NY), w->t, value);
}

static void solve_by_kernels(world *w)
{
    kata_range all = kata_all(w->g), once = kata_once(w->k);
    precondition_by_kernels(w);
    kata_copy(w->p, all, w->z, all);
    dot_by_kernels(w, w->r, w->z, w->rz);
    for (int round = 0; round < ROUNDS; round++) {
        kata_apply(find(w, "apply_a"), all, w->p, w->q);
        dot_by_kernels(w, w->p, w->q, w->pq);
        kata_apply(find(w, "divide"), once, w->rz, w->pq, w->alpha);
        kata_apply(find(w, "add"), all, w->x, w->p, w->alpha);
        kata_apply(find(w, "subtract"), all, w->r, w->q, w->alpha);
        precondition_by_kernels(w);
        dot_by_kernels(w, w->r, w->z, w->before);
        kata_apply(find(w, "divide"), once, w->before, w->rz, w->beta);
        kata_apply(find(w, "divide"), once, w->before, 1.0, w->rz);
        kata_apply(find(w, "turn"), all, w->p, w->z, w->beta);
    }
}

static double right_hand_side(int i, int j) { return sin(0.1 * i) * cos(0.07 * j) + 0.01 * i; }

static void test_conjugate_gradients(void **state)
{
    (void)state;
    static solver c;
    static double start[NY][NX], out[NY][NX];
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) start[j][i] = c.r[j + 1][i + 1] = right_hand_side(i, j);
    double first = sqrt(dot(c.r, c.r));
    solve_in_c(&c);
    assert_true(sqrt(dot(c.r, c.r)) < 1e-8 * first);
    for (int i = 0; i < 4; i++) {
        world w;
        open_world(&w, thread_counts[i]);
        kata_put(w.r, kata_all(w.g), &start[0][0], POINTS);
        solve_by_kernels(&w);
        kata_get(w.x, kata_all(w.g), &out[0][0], POINTS);
        assert_int_equal(kata_close(w.k), KATA_OK);
        for (int j = 0; j < NY; j++) assert_memory_equal(out[j], &c.x[j + 1][1], sizeof out[j]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seidel_2d),
        cmocka_unit_test(test_synch_p2p),
        cmocka_unit_test(test_conjugate_gradients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
