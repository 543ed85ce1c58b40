/* Fields on finer and coarser grids: what is read and written is what plain loops in C do,
 * transfers keep sums and polynomials, and executors agree bit for bit. */
/* Labels: hostile */
#include "grid/grid.h"
#include "kata/kata.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct executor {
    const char *name;
    int threads;
} executors[] = {{"reference", 1}, {"cpu", 1}, {"cpu", 2}, {"cpu", 3}, {"cpu", 7}};

enum { EXECUTORS = sizeof executors / sizeof *executors };

static kata *open_executor(int e)
{
    kata *k =
        kata_open(&(kata_options){.executor = executors[e].name, .threads = executors[e].threads});
    assert_non_null(k);
    return k;
}

/* The same numbers in every context: multiples of 1/16. */
static void fill(kata_field *field, const kata_grid *grid, int64_t count, int seed)
{
    double *values = malloc((size_t)count * sizeof *values);
    uint64_t bits = (uint64_t)seed * 77777 + 1;
    for (int64_t i = 0; i < count; i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        values[i] = (double)(int64_t)(bits >> 54) / 16 - 20;
    }
    assert_int_equal(kata_put(field, kata_all(grid), values, count), KATA_OK);
    free(values);
}

/* ---- against loops in C ---------------------------------------------------------------------- */

static const char plane_kernels[] =
    "kernel down(in double f finer(2,3), out double c)\n"
    "{\n"
    "    c = f[3,-2] + 2*f[0,1] - f[-4,5] + f;\n"
    "}\n"
    "kernel up(in double c coarser(2,3), out double f)\n"
    "{\n"
    "    f = c[-1,2] - c + 0.5*c[1,0] + ix + 100*iy;\n"
    "}\n"
    "kernel children(in double c, out double f finer(2,3))\n"
    "{\n"
    "    for (int j = 0; j < 3; j++)\n"
    "        for (int i = 0; i < 2; i++) f[i,j] = 10*c[i,0] + c[-1,j - 1] + j;\n"
    "}\n"
    "kernel some(in double c, out double f finer(2,3))\n"
    "{\n"
    "    f[1,2] = c;\n"
    "    if (c > 0) f[0,1] = c[1,0];\n"
    "}\n"
    "kernel own(inout double f finer(2,3))\n"
    "{\n"
    "    f[1,0] = f[1,0] + f[1,2];\n"
    "    f[0,1] += f[1,0];\n"
    "}\n";

/* A field of a model: values, sizes and the rule of all sides, whose value is 0.25. */
typedef struct model {
    const double *values;
    int64_t n[2];
    kata_rule rule;
} model;

static double read_at(const model *m, int64_t x, int64_t y);

/* One step of the rule along a dimension. */
static double read_outside(const model *m, int64_t x, int64_t y, int d)
{
    int64_t at[2] = {x, y}, n = m->n[d], i = at[d];
    bool low = i < 0, anti = false;
    switch (m->rule) {
    case KATA_CLAMP: at[d] = low ? 0 : n - 1; break;
    case KATA_PERIODIC: at[d] = low ? i + n : i - n; break;
    case KATA_ANTISYMMETRIC_FACE: anti = true; /* fall through */
    case KATA_REFLECT_FACE: at[d] = low ? -1 - i : 2 * n - 1 - i; break;
    case KATA_ANTISYMMETRIC_NODE: anti = true; /* fall through */
    case KATA_REFLECT_NODE: at[d] = low ? -i : 2 * n - 2 - i; break;
    case KATA_NONE:
    case KATA_LINEAR: /* test_boundary_linear.c */
    case KATA_CONSTANT: return 0.25;
    }
    double value = read_at(m, at[0], at[1]);
    return anti ? 0.5 - value : value;
}

static double read_at(const model *m, int64_t x, int64_t y)
{
    if (x < 0 || x >= m->n[0]) return read_outside(m, x, y, 0);
    if (y < 0 || y >= m->n[1]) return read_outside(m, x, y, 1);
    return m->values[y * m->n[0] + x];
}

static void model_down(const model *f, const model *c, double *out)
{
    for (int64_t y = 0; y < c->n[1]; y++)
        for (int64_t x = 0; x < c->n[0]; x++)
            *out++ = read_at(f, 2 * x + 3, 3 * y - 2) + 2 * read_at(f, 2 * x, 3 * y + 1) -
                     read_at(f, 2 * x - 4, 3 * y + 5) + read_at(f, 2 * x, 3 * y);
}

static void model_up(const model *c, const model *f, double *out)
{
    for (int64_t y = 0; y < f->n[1]; y++)
        for (int64_t x = 0; x < f->n[0]; x++)
            *out++ = read_at(c, x / 2 - 1, y / 3 + 2) - read_at(c, x / 2, y / 3) +
                     0.5 * read_at(c, x / 2 + 1, y / 3) + (double)x + 100 * (double)y;
}

static void model_children(const model *c, const model *f, double *out)
{
    for (int64_t y = 0; y < f->n[1]; y++)
        for (int64_t x = 0; x < f->n[0]; x++)
            *out++ = 10 * read_at(c, x / 2 + x % 2, y / 3) +
                     read_at(c, x / 2 - 1, y / 3 + y % 3 - 1) + (double)(y % 3);
}

static void model_some(const model *c, const model *f, double *out)
{
    for (int64_t y = 0; y < f->n[1]; y++)
        for (int64_t x = 0; x < f->n[0]; x++, out++) {
            double here = read_at(c, x / 2, y / 3);
            if (x % 2 == 1 && y % 3 == 2) *out = here;
            if (x % 2 == 0 && y % 3 == 1 && here > 0) *out = read_at(c, x / 2 + 1, y / 3);
        }
}

static void model_own(const model *c, const model *f, double *out)
{
    for (int64_t y = 0; y < c->n[1]; y++)
        for (int64_t x = 0; x < c->n[0]; x++) {
            double *child = &out[3 * y * f->n[0] + 2 * x];
            child[1] += child[2 * f->n[0] + 1];
            child[f->n[0]] += child[1];
        }
}

typedef struct plane {
    kata *k;
    kata_module *m;
    kata_grid *coarse_grid, *fine_grid;
    kata_field *c, *f, *c_new, *f_new;
    model coarse, fine;
    double values[2][512], expected[512], found[512];
    int64_t counts[2];
} plane;

static void start_plane(plane *p, kata *k, kata_module *m, int64_t nx, int64_t ny, kata_rule rule)
{
    *p = (plane){.k = k, .m = m, .counts = {nx * ny, 6 * nx * ny}};
    p->coarse_grid = kata_grid_2d(k, nx, ny);
    p->fine_grid = kata_grid_2d(k, 2 * nx, 3 * ny);
    p->c = kata_field_new(p->coarse_grid, "c", KATA_F64, .boundary = rule, .boundary_value = 0.25);
    p->f = kata_field_new(p->fine_grid, "f", KATA_F64, .boundary = rule, .boundary_value = 0.25);
    p->c_new = kata_field_like(p->c, "c_new");
    p->f_new = kata_field_like(p->f, "f_new");
    fill(p->c, p->coarse_grid, p->counts[0], 1);
    fill(p->f, p->fine_grid, p->counts[1], 2);
    fill(p->f_new, p->fine_grid, p->counts[1], 2);
    kata_get(p->c, kata_all(p->coarse_grid), p->values[0], p->counts[0]);
    kata_get(p->f, kata_all(p->fine_grid), p->values[1], p->counts[1]);
    p->coarse = (model){p->values[0], {nx, ny}, rule};
    p->fine = (model){p->values[1], {2 * nx, 3 * ny}, rule};
}

static void expect(plane *p, kata_field *result, const char *name)
{
    int fine = result != p->c_new;
    kata_get(result, kata_all(fine ? p->fine_grid : p->coarse_grid), p->found, p->counts[fine]);
    assert_true(kata_ok(p->k));
    for (int64_t i = 0; i < p->counts[fine]; i++)
        if (p->found[i] != p->expected[i])
            fail_msg("%s on %dx%d, rule %d: value %d is %g, not %g", name, (int)p->coarse.n[0],
                     (int)p->coarse.n[1], (int)p->coarse.rule, (int)i, p->found[i], p->expected[i]);
}

static void check_plane(plane *p)
{
    kata_range coarse = kata_all(p->coarse_grid), fine = kata_all(p->fine_grid);
    model_down(&p->fine, &p->coarse, p->expected);
    kata_apply(kata_kernel_find(p->m, "down"), coarse, p->f, p->c_new);
    expect(p, p->c_new, "down");
    memcpy(p->expected, p->values[1], sizeof p->expected);
    model_some(&p->coarse, &p->fine, p->expected);
    kata_apply(kata_kernel_find(p->m, "some"), coarse, p->c, p->f_new);
    expect(p, p->f_new, "some");
    model_up(&p->coarse, &p->fine, p->expected);
    kata_apply(kata_kernel_find(p->m, "up"), fine, p->c, p->f_new);
    expect(p, p->f_new, "up");
    model_children(&p->coarse, &p->fine, p->expected);
    kata_apply(kata_kernel_find(p->m, "children"), coarse, p->c, p->f_new);
    expect(p, p->f_new, "children");
    memcpy(p->expected, p->values[1], sizeof p->expected);
    model_own(&p->coarse, &p->fine, p->expected);
    kata_apply(kata_kernel_find(p->m, "own"), coarse, p->f);
    expect(p, p->f, "own");
}

/* On grids from one point on, with all rules, in the index space of each field. */
static void test_loops_in_c(void **state)
{
    (void)state;
    static const int64_t sizes[][2] = {{1, 1}, {2, 1}, {1, 3}, {5, 2}, {13, 3}};
    static plane p;
    for (int e = 0; e < 3; e++) {
        kata *k = open_executor(e);
        kata_module *m = kata_module_from_text(k, "plane.kata", plane_kernels);
        for (int rule = KATA_CONSTANT; rule <= KATA_PERIODIC; rule++)
            for (int s = 0; s < 5; s++) {
                int64_t least = sizes[s][0] < sizes[s][1] ? sizes[s][0] : sizes[s][1];
                if (grid_rule_lacks_points((kata_rule)rule, least)) continue;
                start_plane(&p, k, m, sizes[s][0], sizes[s][1], (kata_rule)rule);
                check_plane(&p);
            }
        assert_int_equal(kata_close(k), 0);
    }
}

/* ---- beyond the grid ------------------------------------------------------------------------- */

enum { DEPTH = 7, FAR = 3 };

/* f = 2*c[0,1] - c[1,1] at ghosts, of parents rounded down: c is its index x + 100*y. */
static void check_ghosts(kata *k, kata_module *m, int64_t nx, int64_t ny)
{
    double c[512], f[512];
    kata_grid *coarse = kata_grid_2d(k, nx, ny), *fine = kata_grid_2d(k, 3 * nx, 5 * ny);
    kata_field *from = kata_field_new(coarse, "c", KATA_F64, .ghosts = FAR);
    kata_field *to = kata_field_new(fine, "f", KATA_F64, .ghosts = DEPTH);
    kata_range all = kata_box_2d(coarse, -FAR, nx + FAR, -FAR, ny + FAR);
    int64_t count = 0;
    for (int64_t y = -FAR; y < ny + FAR; y++)
        for (int64_t x = -FAR; x < nx + FAR; x++) c[count++] = (double)(x + 100 * y);
    kata_put(from, all, c, count);
    kata_range corner = kata_box_2d(fine, -DEPTH, 2, -DEPTH, 3);
    kata_apply(kata_kernel_find(m, "parent"), corner, from, to);
    kata_get(to, corner, f, (int64_t)(DEPTH + 2) * (DEPTH + 3));
    assert_true(kata_ok(k));
    for (int y = -DEPTH, i = 0; y < 3; y++)
        for (int x = -DEPTH; x < 2; x++)
            assert_true(f[i++] == floor(x / 3.0) - 1 + 100 * (floor(y / 5.0) + 1));
}

static void test_parents_of_ghosts_lie_beyond_the_grid(void **state)
{
    (void)state;
    static const int64_t sizes[][2] = {{1, 1}, {2, 1}, {7, 3}};
    for (int e = 0; e < 3; e++) {
        kata *k = open_executor(e);
        kata_module *m = kata_module_from_text(
            k, "ghosts.kata",
            "kernel parent(in double c coarser(3,5), out double f) { f = 2*c[0,1] - c[1,1]; }\n");
        for (int s = 0; s < 3; s++) check_ghosts(k, m, sizes[s][0], sizes[s][1]);
        assert_int_equal(kata_close(k), 0);
    }
}

/* ---- transfers of multigrid ------------------------------------------------------------------ */

static const char transfers[] =
    "kernel mean(in double f finer(2), out double c)\n"
    "{\n"
    "    double sum = 0;\n"
    "    for (int k = 0; k < 2; k++)\n"
    "        for (int j = 0; j < 2; j++)\n"
    "            for (int i = 0; i < 2; i++) sum += f[i,j,k];\n"
    "    c = sum/8;\n"
    "}\n"
    "kernel linear(in double c, out double f finer(2))\n"
    "{\n"
    "    for (int k = 0; k < 2; k++)\n"
    "        for (int j = 0; j < 2; j++)\n"
    "            for (int i = 0; i < 2; i++) {\n"
    "                double sum = 0;\n"
    "                for (int n = 0; n < 8; n++)\n"
    "                    sum += (n%2 ? 1 : 3)*(n/2%2 ? 1 : 3)*(n/4 ? 1 : 3)\n"
    "                           * c[n%2*(2*i - 1), n/2%2*(2*j - 1), n/4*(2*k - 1)];\n"
    "                f[i,j,k] = sum/64;\n"
    "            }\n"
    "}\n"
    "static double along_x(in double c) { return 3*c + (ix%2 == 0 ? c[-1,0,0] : c[1,0,0]); }\n"
    "static double along_y(in double c)\n"
    "{\n"
    "    return 3*along_x(c) + (iy%2 == 0 ? along_x(c[0,-1,0]) : along_x(c[0,1,0]));\n"
    "}\n"
    "kernel linear_from_fine(in double c coarser(2), out double f)\n"
    "{\n"
    "    f = (3*along_y(c) + (iz%2 == 0 ? along_y(c[0,0,-1]) : along_y(c[0,0,1])))/64;\n"
    "}\n"
    "const double w[5] = {-3, 22, 128, -22, 3};\n"
    "kernel quartic(in double c, out double f finer(2))\n"
    "{\n"
    "    for (int q = 0; q < 8; q++) {\n"
    "        const int i = q%2, j = q/2%2, k = q/4;\n"
    "        double sum = 0;\n"
    "        for (int z = 0; z < 5; z++)\n"
    "            for (int y = 0; y < 5; y++)\n"
    "                for (int x = 0; x < 5; x++)\n"
    "                    sum += w[i ? 4 - x : x]*w[j ? 4 - y : y]*w[k ? 4 - z : z]\n"
    "                           * c[x - 2,y - 2,z - 2];\n"
    "        f[i,j,k] = sum/(128*128*128);\n"
    "    }\n"
    "}\n"
    "kernel total(in double u, sum double s) { s += u; }\n";

typedef struct levels {
    kata *k;
    kata_module *m;
    kata_grid *coarse, *fine;
    kata_field *c, *f;
} levels;

enum { NX = 7, NY = 5, NZ = 6, POINTS = NX * NY * NZ };

static levels open_levels(int e, const char *text)
{
    levels l = {.k = open_executor(e)};
    l.m = kata_module_from_text(l.k, "transfers.kata", text);
    l.coarse = kata_grid_3d(l.k, NX, NY, NZ);
    l.fine = kata_grid_3d(l.k, 2 * NX, 2 * NY, 2 * NZ);
    l.c = kata_field_new(l.coarse, "c", KATA_F64, .boundary = KATA_REFLECT_FACE);
    l.f = kata_field_new(l.fine, "f", KATA_F64, .boundary = KATA_REFLECT_FACE);
    return l;
}

/* Multiples of 1/16: sums of some thousand are exact in any order. */
static void test_mean_keeps_the_sum(void **state)
{
    (void)state;
    for (int e = 0; e < EXECUTORS; e++) {
        levels l = open_levels(e, transfers);
        double fine, coarse;
        kata_scalar *s = kata_scalar_new(l.k, "s", KATA_F64);
        kata_kernel *total = kata_kernel_find(l.m, "total");
        fill(l.f, l.fine, 8 * POINTS, 3);
        kata_apply(kata_kernel_find(l.m, "mean"), kata_all(l.coarse), l.f, l.c);
        kata_apply(total, kata_all(l.fine), l.f, s);
        kata_scalar_get(s, &fine);
        kata_apply(total, kata_all(l.coarse), l.c, s);
        kata_scalar_get(s, &coarse);
        assert_true(fine == 8 * coarse && fine != 0);
        assert_int_equal(kata_close(l.k), 0);
    }
}

/* The mean over a cell of the given width of x^4 - x^3 + 2x^2 + x + 1, or of its first `degree`
 * powers. */
static double mean_of_powers(int64_t cell, double width, int degree)
{
    static const double factor[] = {1, 1, 2, -1, 1};
    double low = (double)cell * width, high = low + width, sum = 0;
    for (int p = 0; p <= degree; p++)
        sum += factor[p] * (pow(high, p + 1) - pow(low, p + 1)) / ((p + 1) * width);
    return sum;
}

static double polynomial(const int64_t at[3], double width, int degree)
{
    return mean_of_powers(at[0], width, degree) +
           2 * mean_of_powers(at[1], width, degree) * mean_of_powers(at[2], width, degree);
}

static void put_polynomial(const levels *l, int degree)
{
    static double values[POINTS];
    for (int i = 0; i < POINTS; i++)
        values[i] = polynomial((int64_t[]){i % NX, i / NX % NY, i / NX / NY}, 1, degree);
    kata_put(l->c, kata_all(l->coarse), values, POINTS);
}

static void expect_polynomial(const levels *l, int reach, int degree)
{
    static double values[8 * POINTS];
    int64_t at[3];
    kata_get(l->f, kata_all(l->fine), values, 8 * POINTS);
    assert_true(kata_ok(l->k));
    for (at[2] = 2 * reach; at[2] < 2 * (NZ - reach); at[2]++)
        for (at[1] = 2 * reach; at[1] < 2 * (NY - reach); at[1]++)
            for (at[0] = 2 * reach; at[0] < 2 * (NX - reach); at[0]++) {
                double exact = polynomial(at, 0.5, degree);
                double found = values[at[0] + 2 * NX * (at[1] + 2 * NY * at[2])];
                if (fabs(found - exact) > 1e-12 * fabs(exact))
                    fail_msg("at %d, %d, %d: %.17g, not %.17g", (int)at[0], (int)at[1], (int)at[2],
                             found, exact);
            }
}

static void test_polynomials_are_transferred(void **state)
{
    (void)state;
    for (int e = 0; e < 2; e++) {
        levels l = open_levels(e, transfers);
        put_polynomial(&l, 1);
        kata_apply(kata_kernel_find(l.m, "linear"), kata_all(l.coarse), l.c, l.f);
        expect_polynomial(&l, 1, 1);
        kata_apply(kata_kernel_find(l.m, "linear_from_fine"), kata_all(l.fine), l.c, l.f);
        expect_polynomial(&l, 1, 1);
        put_polynomial(&l, 4);
        kata_apply(kata_kernel_find(l.m, "quartic"), kata_inner(l.coarse, 2), l.c, l.f);
        expect_polynomial(&l, 2, 4);
        assert_int_equal(kata_close(l.k), 0);
    }
}

/* Children written from their parents, and parents read by their children, are the same. */
static void test_both_sides_agree(void **state)
{
    (void)state;
    static double down[8 * POINTS], up[8 * POINTS];
    for (int e = 0; e < EXECUTORS; e++) {
        levels l = open_levels(e, transfers);
        fill(l.c, l.coarse, POINTS, 5);
        kata_apply(kata_kernel_find(l.m, "linear"), kata_all(l.coarse), l.c, l.f);
        kata_get(l.f, kata_all(l.fine), down, 8 * POINTS);
        kata_apply(kata_kernel_find(l.m, "linear_from_fine"), kata_all(l.fine), l.c, l.f);
        kata_get(l.f, kata_all(l.fine), up, 8 * POINTS);
        assert_int_equal(kata_close(l.k), 0);
        assert_memory_equal(down, up, sizeof up);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loops_in_c),
        cmocka_unit_test(test_parents_of_ghosts_lie_beyond_the_grid),
        cmocka_unit_test(test_mean_keeps_the_sum),
        cmocka_unit_test(test_polynomials_are_transferred),
        cmocka_unit_test(test_both_sides_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
