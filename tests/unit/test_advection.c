/* Vertical advection, examples/vertical_advection.kata: it agrees with a solver for tridiagonal
 * systems written for this test to 1e-13 of the largest value, and its bits do not depend on what
 * runs it. */
#include "kata/kata.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FIELDS = 5, MOST_LEVELS = 200 };
enum { U_STAGE, U_POS, UTENS, UTENS_STAGE, W };
static const char *const names[FIELDS] = {"u_stage", "u_pos", "utens", "utens_stage", "w"};

typedef struct columns {
    int64_t n[3];
    double *values[FIELDS], *expected, *found;
} columns;

static int64_t points(const columns *c) { return c->n[0] * c->n[1] * c->n[2]; }

static double random_from(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 33) / 2147483648.0 - 0.5;
}

/* u_stage varies with the level; w is so small that the systems are well conditioned. */
static columns make_columns(const int64_t n[3])
{
    columns c = {.n = {n[0], n[1], n[2]}};
    uint64_t state = 42;
    size_t bytes = (size_t)points(&c) * sizeof(double);
    for (int f = 0; f < FIELDS; f++) {
        c.values[f] = malloc(bytes);
        for (int64_t i = 0; i < points(&c); i++) {
            double level = (double)(i / (n[0] * n[1])) / (double)n[2];
            double x = random_from(&state);
            c.values[f][i] = f == W ? 0.2 * x : f == U_STAGE ? 3 * level * level + x : x;
        }
    }
    c.expected = malloc(bytes);
    c.found = malloc(bytes);
    return c;
}

static void free_columns(columns *c)
{
    for (int f = 0; f < FIELDS; f++) free(c->values[f]);
    free(c->expected);
    free(c->found);
}

/* ---- by hand --------------------------------------------------------------------------------- */

/* lower[k] x[k-1] + diagonal[k] x[k] + upper[k] x[k+1] = right[k]; x replaces right. Eliminates
 * from the last level to the first. */
static void solve(int64_t n, const double *lower, double *diagonal, const double *upper,
                  double *right)
{
    for (int64_t k = n - 2; k >= 0; k--) {
        double factor = upper[k] / diagonal[k + 1];
        diagonal[k] -= factor * lower[k + 1];
        right[k] -= factor * right[k + 1];
    }
    right[0] /= diagonal[0];
    for (int64_t k = 1; k < n; k++) right[k] = (right[k] - lower[k] * right[k - 1]) / diagonal[k];
}

static void solve_column(columns *c, int64_t i, int64_t j)
{
    const int64_t *n = c->n, plane = n[0] * n[1], here = j * n[0] + i;
    const int64_t right_of = j * n[0] + (i + 1) % n[0];
    double lower[MOST_LEVELS], diagonal[MOST_LEVELS], upper[MOST_LEVELS], x[MOST_LEVELS];
    const double *u = c->values[U_STAGE] + here, *w = c->values[W];
    for (int64_t k = 0; k < n[2]; k++) {
        int64_t at = here + k * plane;
        double gav = -0.25 * (w[right_of + k * plane] + w[at]), gcv = 0;
        if (k < n[2] - 1) gcv = 0.25 * (w[right_of + (k + 1) * plane] + w[at + plane]);
        lower[k] = k > 0 ? 0.5 * gav : 0;
        upper[k] = k < n[2] - 1 ? 0.5 * gcv : 0;
        diagonal[k] = 0.15 - lower[k] - upper[k];
        x[k] = 0.15 * c->values[U_POS][at] + c->values[UTENS][at] + c->values[UTENS_STAGE][at];
        if (k > 0) x[k] -= lower[k] * (u[(k - 1) * plane] - u[k * plane]);
        if (k < n[2] - 1) x[k] -= upper[k] * (u[(k + 1) * plane] - u[k * plane]);
    }
    solve(n[2], lower, diagonal, upper, x);
    for (int64_t k = 0; k < n[2]; k++)
        c->expected[here + k * plane] = 0.15 * (x[k] - c->values[U_POS][here + k * plane]);
}

/* ---- by the library -------------------------------------------------------------------------- */

static void advect(columns *c, const char *executor, int threads)
{
    char path[4096];
    kata *k = kata_open(&(kata_options){.executor = executor, .threads = threads});
    kata_grid *g = kata_grid_3d(k, c->n[0], c->n[1], c->n[2]);
    kata_field *f[FIELDS], *cc = kata_field_new(g, "c", KATA_F64);
    for (int i = 0; i < FIELDS; i++) {
        f[i] = kata_field_new(g, names[i], KATA_F64);
        kata_put(f[i], kata_all(g), c->values[i], points(c));
    }
    kata_boundary_set(f[W], KATA_X_LOW, KATA_PERIODIC, 0);
    kata_boundary_set(f[W], KATA_X_HIGH, KATA_PERIODIC, 0);
    kata_field *d = kata_field_like(cc, "d"), *x = kata_field_like(cc, "x");
    const char *root = getenv("KATA_SOURCE");
    snprintf(path, sizeof path, "%s/examples/vertical_advection.kata", root ? root : ".");
    kata_module *m = kata_module_load(k, path);
    kata_apply(kata_kernel_find(m, "eliminate"), kata_all(g), f[U_STAGE], f[U_POS], f[UTENS],
               f[UTENS_STAGE], f[W], cc, d);
    kata_apply(kata_kernel_find(m, "substitute"), kata_all(g), cc, d, f[U_POS], x, f[UTENS_STAGE]);
    kata_get(f[UTENS_STAGE], kata_all(g), c->found, points(c));
    assert_int_equal(kata_close(k), KATA_OK);
}

static void assert_near(const columns *c)
{
    double largest = 0, worst = 0;
    for (int64_t i = 0; i < points(c); i++) {
        largest = fmax(largest, fabs(c->expected[i]));
        worst = fmax(worst, fabs(c->expected[i] - c->found[i]));
    }
    assert_true(largest > 0 && worst <= 1e-13 * largest);
}

static void vertical_advection_solves_its_systems(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{1, 1, 2},   {3, 2, 3},     {7, 5, 11},
                                       {64, 3, 80}, {13, 17, 199}, {40, 30, 20}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        columns c = make_columns(sizes[s]);
        for (int64_t j = 0; j < c.n[1]; j++)
            for (int64_t i = 0; i < c.n[0]; i++) solve_column(&c, i, j);
        advect(&c, "reference", 1);
        assert_near(&c);
        memcpy(c.expected, c.found, (size_t)points(&c) * sizeof *c.found);
        static const int threads[] = {1, 2, 3, 7};
        for (int t = 0; t < 4; t++) {
            advect(&c, "cpu", threads[t]);
            assert_memory_equal(c.found, c.expected, (size_t)points(&c) * sizeof *c.found);
        }
        free_columns(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertical_advection_solves_its_systems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
