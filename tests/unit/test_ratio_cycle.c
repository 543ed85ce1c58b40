/* A multigrid V-cycle for the Poisson equation in the plane: red-black relaxation, residuals
 * restricted from the finer grid and corrections written to it. Each cycle reduces the residual as
 * it should, to round-off, and all executors compute the same bits. */
/* Labels: compiler slow */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Cells of width 1 on the finest grid; u = 0 on the walls, so ghosts are -u. */
static const char kernels[] =
    "static double residual(in double u, in double f, double hh)\n"
    "{\n"
    "    return hh*f + u[1,0] + u[-1,0] + u[0,1] + u[0,-1] - 4*u;\n"
    "}\n"
    "kernel start(out double f, out double u)\n"
    "{\n"
    "    f = ix*ix%7 - iy%5*0.75 + ix*iy%3;\n"
    "    u = 0;\n"
    "}\n"
    "kernel relax(inout double u, in double f, double hh)\n"
    "{\n"
    "    int walls = (ix == 0) + (ix == nx - 1) + (iy == 0) + (iy == ny - 1);\n"
    "    u += residual(u, f, hh)/(4 + walls);\n"
    "}\n"
    "kernel down(in double u finer(2), in double f finer(2), double hh, out double g, out double "
    "e)\n"
    "{\n"
    "    double sum = 0;\n"
    "    for (int j = 0; j < 2; j++)\n"
    "        for (int i = 0; i < 2; i++) sum += residual(u[i,j], f[i,j], hh);\n"
    "    g = sum/(4*hh);\n"
    "    e = 0;\n"
    "}\n"
    "kernel up(in double e, inout double u finer(2))\n"
    "{\n"
    "    for (int j = 0; j < 2; j++)\n"
    "        for (int i = 0; i < 2; i++)\n"
    "            u[i,j] += (9*e + 3*e[2*i - 1,0] + 3*e[0,2*j - 1] + e[2*i - 1,2*j - 1])/16;\n"
    "}\n"
    "kernel measure(in double u, in double f, max double norm)\n"
    "{\n"
    "    norm = max(norm, fabs(residual(u, f, 1)));\n"
    "}\n";

enum { LEVELS = 5, NX = 96, NY = 64, CYCLES = 10, COARSEST_SWEEPS = 12 };

typedef struct solver {
    kata *k;
    kata_grid *grids[LEVELS];
    kata_field *u[LEVELS], *f[LEVELS];
    kata_kernel *start, *relax, *down, *up, *measure;
} solver;

static solver open_solver(const char *executor, const char *plan, int threads)
{
    solver s = {.k = kata_open(&(kata_options){
                    .executor = executor, .plan = plan, .threads = threads, .wait = plan != NULL})};
    kata_module *m = kata_module_from_text(s.k, "cycle.kata", kernels);
    s.start = kata_kernel_find(m, "start");
    s.relax = kata_kernel_find(m, "relax");
    s.down = kata_kernel_find(m, "down");
    s.up = kata_kernel_find(m, "up");
    s.measure = kata_kernel_find(m, "measure");
    for (int l = 0; l < LEVELS; l++) {
        s.grids[l] = kata_grid_2d(s.k, NX >> l, NY >> l);
        s.u[l] = kata_field_new(s.grids[l], "u", KATA_F64, .boundary = KATA_ANTISYMMETRIC_FACE);
        s.f[l] = kata_field_new(s.grids[l], "f", KATA_F64);
    }
    return s;
}

static void relax(const solver *s, int l, int sweeps)
{
    double hh = (double)(1 << 2 * l);
    for (int color = 0; color < 2 * sweeps; color++)
        kata_apply(s->relax, kata_color(kata_all(s->grids[l]), 2, color % 2), s->u[l], s->f[l], hh);
}

static void cycle(const solver *s, int l)
{
    if (l == LEVELS - 1) {
        relax(s, l, COARSEST_SWEEPS);
        return;
    }
    relax(s, l, 2);
    kata_apply(s->down, kata_all(s->grids[l + 1]), s->u[l], s->f[l], (double)(1 << 2 * l),
               s->f[l + 1], s->u[l + 1]);
    cycle(s, l + 1);
    kata_apply(s->up, kata_all(s->grids[l + 1]), s->u[l + 1], s->u[l]);
    relax(s, l, 2);
}

static double norm(const solver *s, kata_scalar *scalar)
{
    double x;
    kata_apply(s->measure, kata_all(s->grids[0]), s->u[0], s->f[0], scalar);
    kata_scalar_get(scalar, &x);
    return x;
}

/* Residual norms before each cycle and after the last, and the solution. */
static void solve(const char *executor, const char *plan, int threads, double norms[CYCLES + 1],
                  double *u)
{
    solver s = open_solver(executor, plan, threads);
    kata_scalar *scalar = kata_scalar_new(s.k, "norm", KATA_F64);
    kata_apply(s.start, kata_all(s.grids[0]), s.f[0], s.u[0]);
    for (int i = 0; i < CYCLES; i++) {
        norms[i] = norm(&s, scalar);
        cycle(&s, 0);
    }
    norms[CYCLES] = norm(&s, scalar);
    kata_get(s.u[0], kata_all(s.grids[0]), u, NX * NY);
    assert_int_equal(kata_close(s.k), 0);
}

static double expected_norms[CYCLES + 1], expected[NX * NY];

/* V(2,2) with red-black relaxation and linear interpolation gains a digit per cycle. */
static void test_each_cycle_gains_a_digit(void **state)
{
    (void)state;
    solve("reference", NULL, 1, expected_norms, expected);
    for (int i = 0; i < CYCLES; i++)
        if (!(expected_norms[i + 1] <= 0.1 * expected_norms[i] || expected_norms[i + 1] < 1e-11))
            fail_msg("cycle %d: from %g to %g", i, expected_norms[i], expected_norms[i + 1]);
    assert_true(expected_norms[0] > 1 && expected_norms[CYCLES] < 1e-8);
}

static void test_executors_compute_the_same_bits(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 7};
    for (int i = 0; i < 4; i++) {
        double norms[CYCLES + 1], u[NX * NY];
        solve("cpu", NULL, threads[i], norms, u);
        assert_memory_equal(norms, expected_norms, sizeof norms);
        assert_memory_equal(u, expected, sizeof u);
    }
}

/* Sweeps, residual and restriction run in tiles together; so do correction and sweeps. Tiles of
 * odd sizes cut the rows of coarse points. */
static void test_tiles_over_several_grids_compute_the_same_bits(void **state)
{
    (void)state;
    static const char *const plans[] = {"skewed y=8",   "skewed x=9 y=7",
                                        "skewed y=1",   "skewed x=5 y=16 depth=3",
                                        "diamond y=33", "tiled cache=16k threads=2"};
    for (int i = 0; i < 6; i++) {
        double norms[CYCLES + 1], u[NX * NY];
        solve("cpu", plans[i], 1 + 2 * i % 5, norms, u);
        assert_memory_equal(norms, expected_norms, sizeof norms);
        assert_memory_equal(u, expected, sizeof u);
    }
    double norms[CYCLES + 1], u[NX * NY];
    solve("plan", "skewed x=9 y=7", 1, norms, u);
    assert_memory_equal(u, expected, sizeof u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_cycle_gains_a_digit),
        cmocka_unit_test(test_executors_compute_the_same_bits),
        cmocka_unit_test(test_tiles_over_several_grids_compute_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
