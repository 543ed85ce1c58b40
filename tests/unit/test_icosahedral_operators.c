/* Divergence, curl, gradients and the Laplacian of an icosahedral grid: the values of GridTools'
 * tests; what the operators make of one another; sums by parts; and a twin in plain C. */
/* Labels: hostile threads */
#include "kata/kata.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    "kernel div(in double u on edge, in double len on edge, in double area on cell,\n"
    "           out double d on cell) on cell\n"
    "{\n"
    "    double s = 0;\n"
    "    for (e : edges) s -= orientation(e)*u[e]*len[e];\n"
    "    d = s/area;\n"
    "}\n"
    "kernel curl(in double u on edge, in double duallen on edge, in double dualarea on vertex,\n"
    "            out double c on vertex) on vertex\n"
    "{\n"
    "    double s = 0;\n"
    "    for (e : edges) s += orientation(e)*u[e]*duallen[e];\n"
    "    c = s/dualarea;\n"
    "}\n"
    "kernel normal(in double f on cell, in double duallen on edge, out double g on edge) on edge\n"
    "{\n"
    "    double s = 0;\n"
    "    for (c : cells) s -= orientation(c)*f[c];\n"
    "    g = s/duallen;\n"
    "}\n"
    "kernel tangential(in double f on vertex, in double len on edge, out double g on edge) on "
    "edge\n"
    "{\n"
    "    double s = 0;\n"
    "    for (v : vertices) s -= orientation(v)*f[v];\n"
    "    g = s/len;\n"
    "}\n"
    "kernel minus(in double a on edge, in double b on edge, out double c on edge) on edge\n"
    "{\n"
    "    c = a - b;\n"
    "}\n"
    "kernel cell_sum(in double f on cell, in double g on cell, in double w on cell, sum double s)\n"
    "    on cell\n"
    "{\n"
    "    s += f*g*w;\n"
    "}\n"
    "kernel edge_sum(in double f on edge, in double g on edge, in double len on edge,\n"
    "                in double duallen on edge, sum double s) on edge\n"
    "{\n"
    "    s += f*g*len*duallen;\n"
    "}\n"
    "kernel vertex_sum(in double f on vertex, in double g on vertex, in double w on vertex,\n"
    "                  sum double s) on vertex\n"
    "{\n"
    "    s += f*g*w;\n"
    "}\n";

enum { N = 12, NZ = 3, POINTS = N * N * NZ };

typedef struct world {
    kata *k;
    kata_grid *grid;
    kata_module *module;
    kata_field *u, *len, *duallen, *area, *dualarea;            /* given */
    kata_field *div, *curl, *normal, *tangential, *f, *g, *lap; /* made */
    kata_range inside;
} world;

static kata_field *field(world *w, const char *name, kata_location on)
{
    return kata_field_new(w->grid, name, KATA_F64, .on = on, .boundary = KATA_PERIODIC);
}

static world begin(void)
{
    world w = {.k = kata_open(&(kata_options){.threads = 2})};
    w.grid = kata_grid_icosahedral(w.k, N, N, NZ);
    w.module = kata_module_from_text(w.k, "operators", text);
    w.u = field(&w, "u", KATA_EDGES);
    w.len = field(&w, "len", KATA_EDGES);
    w.duallen = field(&w, "duallen", KATA_EDGES);
    w.area = field(&w, "area", KATA_CELLS);
    w.dualarea = field(&w, "dualarea", KATA_VERTICES);
    w.div = field(&w, "div", KATA_CELLS);
    w.f = field(&w, "f", KATA_CELLS);
    w.curl = field(&w, "curl", KATA_VERTICES);
    w.g = field(&w, "g", KATA_VERTICES);
    w.normal = field(&w, "normal", KATA_EDGES);
    w.tangential = field(&w, "tangential", KATA_EDGES);
    w.lap = field(&w, "lap", KATA_EDGES);
    w.inside = kata_box_3d(w.grid, 1, N - 1, 1, N - 1, 0, NZ);
    assert_true(kata_ok(w.k));
    return w;
}

static kata_kernel *kernel(world *w, const char *name) { return kata_kernel_find(w->module, name); }

static void end(world *w) { assert_int_equal(kata_close(w->k), KATA_OK); }

/* Sets a field to what a function gives for x, y, level. */
static void put(world *w, kata_field *f, int colors, double (*at)(double x, double y, int k))
{
    double *values = malloc(sizeof *values * POINTS * (size_t)colors), *v = values;
    assert_non_null(values);
    for (int c = 0; c < colors; c++)
        for (int k = 0; k < NZ; k++)
            for (int j = 0; j < N; j++)
                for (int i = 0; i < N; i++)
                    *v++ = at((i + (double)c / colors) / N, (double)j / N, k);
    assert_int_equal(kata_put(f, kata_all(w->grid), values, (int64_t)POINTS * colors), KATA_OK);
    free(values);
}

static void assert_value(world *w, kata_field *f, int color, double expected, double tolerance)
{
    double values[3];
    kata_range point = kata_box_3d(w->grid, 3, 4, 5, 6, 2, 3);
    int64_t count = f == w->curl ? 1 : f == w->div ? 2 : 3;
    assert_int_equal(kata_get(f, point, values, count), KATA_OK);
    assert_true(fabs(values[color] - expected) <= tolerance * fabs(expected));
}

/* ---- the values of GridTools ----------------------------------------------------------------- */

static double wave(double x, double y)
{
    return 2 + cos(M_PI * (x + 1.5 * y)) + sin(2 * M_PI * (x + 1.5 * y));
}
static double u_at(double x, double y, int k) { return k + 2 * wave(x, y); }
static double len_at(double x, double y, int k) { return (void)k, 2.95 + wave(x, y) / 4; }
static double area_at(double x, double y, int k)
{
    (void)k;
    return 2.53 + (2 + cos(M_PI * (1.5 * x + 2.5 * y)) + sin(2 * M_PI * (x + 1.5 * y))) / 4;
}
static double dualarea_at(double x, double y, int k)
{
    (void)k;
    return 1.1 + (2 + cos(M_PI * (1.5 * x + y)) + sin(1.5 * M_PI * (x + 1.5 * y))) / 4;
}
static double duallen_at(double x, double y, int k)
{
    (void)k;
    return 2.2 + (2 + cos(M_PI * (x + 2.5 * y)) + sin(2 * M_PI * (x + 3.5 * y))) / 4;
}

static void laplacian(world *w, kata_range range)
{
    kata_apply(kernel(w, "div"), range, w->u, w->len, w->area, w->div);
    kata_apply(kernel(w, "curl"), range, w->u, w->duallen, w->dualarea, w->curl);
    kata_apply(kernel(w, "normal"), range, w->div, w->duallen, w->normal);
    kata_apply(kernel(w, "tangential"), range, w->curl, w->len, w->tangential);
    kata_apply(kernel(w, "minus"), range, w->normal, w->tangential, w->lap);
}

static void values_of_gridtools(void **state)
{
    (void)state;
    world w = begin();
    put(&w, w.u, 3, u_at);
    put(&w, w.len, 3, len_at);
    put(&w, w.duallen, 3, duallen_at);
    put(&w, w.area, 2, area_at);
    put(&w, w.dualarea, 1, dualarea_at);
    laplacian(&w, w.inside);
    assert_value(&w, w.div, 0, 9.78814432053523, 1e-14);
    assert_value(&w, w.div, 1, -12.07948916724133, 1e-14);
    assert_value(&w, w.curl, 0, 0.1589860696683715, 1e-12);
    assert_value(&w, w.lap, 0, 8.164958922846425, 1e-13);
    assert_value(&w, w.lap, 1, 8.493615345713822, 1e-13);
    assert_value(&w, w.lap, 2, 9.319522809431744, 1e-13);
    end(&w);
}

/* ---- laws ------------------------------------------------------------------------------------ */

static uint64_t state = 12345;

static double random_number(double low, double high)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(state >> 11) / 9007199254740992.0;
}

static double any(double x, double y, int k)
{
    return (void)x, (void)y, (void)k, random_number(-1, 1);
}
static double size(double x, double y, int k)
{
    return (void)x, (void)y, (void)k, random_number(1, 2);
}

/* A torus with random geometry and values. */
static world random_world(void)
{
    world w = begin();
    put(&w, w.u, 3, any);
    put(&w, w.f, 2, any);
    put(&w, w.g, 1, any);
    put(&w, w.len, 3, size);
    put(&w, w.duallen, 3, size);
    put(&w, w.area, 2, size);
    put(&w, w.dualarea, 1, size);
    return w;
}

static void assert_zero(world *w, kata_field *f, int colors)
{
    static double values[2 * POINTS];
    assert_int_equal(kata_get(f, kata_all(w->grid), values, (int64_t)POINTS * colors), KATA_OK);
    for (int n = 0; n < POINTS * colors; n++) assert_true(fabs(values[n]) < 1e-14);
}

/* The curl of a gradient across edges, and the divergence of one along edges, are zero for any
 * values and lengths: lengths and areas cancel, and each value comes in twice, with both signs. */
static void curl_of_gradient_and_divergence_of_curl(void **unused)
{
    (void)unused;
    world w = random_world();
    kata_range all = kata_all(w.grid);
    kata_apply(kernel(&w, "normal"), all, w.f, w.duallen, w.normal);
    kata_apply(kernel(&w, "curl"), all, w.normal, w.duallen, w.dualarea, w.curl);
    kata_apply(kernel(&w, "tangential"), all, w.g, w.len, w.tangential);
    kata_apply(kernel(&w, "div"), all, w.tangential, w.len, w.area, w.div);
    assert_zero(&w, w.curl, 1);
    assert_zero(&w, w.div, 2);
    end(&w);
}

static double sum(world *w, const char *name, kata_field *a, kata_field *b, kata_field *weight)
{
    double value = 0;
    kata_scalar *s = kata_scalar_new(w->k, name, KATA_F64);
    if (weight)
        kata_apply(kernel(w, name), kata_all(w->grid), a, b, weight, s);
    else
        kata_apply(kernel(w, name), kata_all(w->grid), a, b, w->len, w->duallen, s);
    assert_int_equal(kata_scalar_get(s, &value), KATA_OK);
    return value;
}

/* Summation by parts; as `div` has GridTools' sign here, it is the sum of u times the gradient, not
 * minus it. */
static void sums_by_parts(void **unused)
{
    (void)unused;
    world w = random_world();
    kata_range all = kata_all(w.grid);
    kata_apply(kernel(&w, "div"), all, w.u, w.len, w.area, w.div);
    kata_apply(kernel(&w, "curl"), all, w.u, w.duallen, w.dualarea, w.curl);
    kata_apply(kernel(&w, "normal"), all, w.f, w.duallen, w.normal);
    kata_apply(kernel(&w, "tangential"), all, w.g, w.len, w.tangential);
    double cells = sum(&w, "cell_sum", w.f, w.div, w.area);
    double edges = sum(&w, "edge_sum", w.u, w.normal, NULL);
    double vertices = sum(&w, "vertex_sum", w.g, w.curl, w.dualarea);
    double along = sum(&w, "edge_sum", w.u, w.tangential, NULL);
    assert_true(fabs(cells) > 0.1 && fabs(vertices) > 0.1);
    assert_true(fabs(cells - edges) < 1e-11);
    assert_true(fabs(vertices + along) < 1e-11);
    end(&w);
}

/* ---- a twin ---------------------------------------------------------------------------------- */

/* Divergence as a program without Katagami has it, edge by edge: what leaves one cell enters the
 * other. Then each cell sums in another order. */
static void twin_of_divergence(void **unused)
{
    (void)unused;
    static double u[3][NZ][N][N], len[3][NZ][N][N], area[2][NZ][N][N], d[2][NZ][N][N];
    static double made[2][NZ][N][N];
    world w = random_world();
    kata_range all = kata_all(w.grid);
    kata_get(w.u, all, &u[0][0][0][0], POINTS * 3);
    kata_get(w.len, all, &len[0][0][0][0], POINTS * 3);
    kata_get(w.area, all, &area[0][0][0][0], POINTS * 2);
    for (int k = 0; k < NZ; k++)
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) {
                double along = u[0][k][j][i] * len[0][k][j][i];
                double up = u[1][k][j][i] * len[1][k][j][i];
                double diagonal = u[2][k][j][i] * len[2][k][j][i];
                d[0][k][j][i] += along + up + diagonal;
                d[1][k][(j + N - 1) % N][i] -= along;
                d[1][k][j][(i + N - 1) % N] -= up;
                d[1][k][j][i] -= diagonal;
            }
    kata_apply(kernel(&w, "div"), all, w.u, w.len, w.area, w.div);
    assert_int_equal(kata_get(w.div, all, &made[0][0][0][0], POINTS * 2), KATA_OK);
    const double *twin = &d[0][0][0][0], *got = &made[0][0][0][0], *by = &area[0][0][0][0];
    for (int n = 0; n < POINTS * 2; n++) assert_true(fabs(twin[n] / by[n] - got[n]) < 1e-14);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_gridtools),
        cmocka_unit_test(curl_of_gradient_and_divergence_of_curl),
        cmocka_unit_test(sums_by_parts),
        cmocka_unit_test(twin_of_divergence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
