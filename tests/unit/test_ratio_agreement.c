/* Executors agree bit for bit on kernels that read and write finer and coarser fields: in one to
 * three dimensions, with all boundary rules, on grids from one point on, for ratios that are no
 * powers of two or 1 along a dimension. */
/* Labels: hostile threads slow */
#include "grid/grid.h"
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* For three dimensions; kernels for fewer have as many numbers in each list. */
static const char kernels[] =
    "kernel gather(in float f[2] finer(rx,ry,rz), in double w, inout double c, sum double s)\n"
    "{\n"
    "    double a = 0;\n"
    "    for (int k = 0; k < rz; k++)\n"
    "        for (int j = 0; j < ry; j++)\n"
    "            for (int i = 0; i < rx; i++) a += f[0][i,j,k]*(1 + i + 2*j + 4*k);\n"
    "    c = a + f[1][-1,2,-3] - f[1][rx,-ry,rz] + w[1,0,-1]*c;\n"
    "    s += a;\n"
    "}\n"
    "kernel spread(in double c, inout float f[2] finer(rx,ry,rz))\n"
    "{\n"
    "    for (int k = 0; k < rz; k++)\n"
    "        for (int j = 0; j < ry; j++)\n"
    "            for (int i = 0; i < rx; i++) {\n"
    "                f[0][i,j,k] = f[0][i,j,k] + 0.5*c[i - 1,1 - j,k];\n"
    "                if ((i + j + k)%2 == 0 && c > 0) f[1][i,j,k] = f[0][i,j,k]*0.25;\n"
    "            }\n"
    "}\n"
    "kernel look(in double c coarser(rx,ry,rz), inout float f[2], max double m)\n"
    "{\n"
    "    f[1] = c[-1,2,0] + (ix%rx == 0 ? c[0,-1,-2] : c[2,1,1]) - 0.5*c;\n"
    "    if (c > 0) f[0] = c[1,1,1];\n"
    "    m = max(m, c[0,0,-1]);\n"
    "}\n"
    "static double near(in double u) { return u[1,0,0] - u[0,-1,1]; }\n"
    "kernel pass(in double c coarser(rx,ry,rz), in float m[2], out double t finer(rx,ry,rz),\n"
    "            in double u finer(rx,ry,rz))\n"
    "{\n"
    "    t[rx - 1,0,0] = near(c) + m[0] - near(u[0,0,1]);\n"
    "    t[0,ry - 1,0] = near(c[1,1,1]) + ix - 2*nx;\n"
    "}\n";

static const struct executor {
    const char *name;
    int threads;
} executors[] = {{"reference", 1}, {"cpu", 1}, {"cpu", 2}, {"cpu", 3}, {"cpu", 7}};

typedef struct trial {
    int rank, ratio[3]; /* 1 beyond the rank */
    int64_t sizes[4][3];
    kata_type type; /* of f */
} trial;

static const trial trials[] = {
    {1, {2, 1, 1}, {{1, 1, 1}, {7, 1, 1}, {13, 1, 1}, {9001, 1, 1}}, KATA_F32},
    {1, {3, 1, 1}, {{1, 1, 1}, {5, 1, 1}, {17, 1, 1}, {4111, 1, 1}}, KATA_F16},
    {2, {2, 2, 1}, {{1, 1, 1}, {7, 3, 1}, {2, 11, 1}, {97, 43, 1}}, KATA_F64},
    {2, {3, 1, 1}, {{1, 2, 1}, {5, 3, 1}, {3, 1, 1}, {61, 73, 1}}, KATA_F32},
    {3, {2, 2, 2}, {{1, 1, 1}, {3, 2, 5}, {5, 1, 3}, {9, 11, 13}}, KATA_F32},
    {3, {2, 1, 4}, {{1, 1, 1}, {3, 5, 2}, {7, 2, 3}, {13, 7, 11}}, KATA_BF16},
    {3, {3, 3, 3}, {{1, 1, 1}, {2, 3, 1}, {5, 2, 3}, {5, 11, 3}}, KATA_F32},
};

/* ---- the kernels of a trial ------------------------------------------------------------------ */

/* The rest of a list at its first comma: its end when as many numbers are written as there are
 * dimensions. */
static const char *after_comma(const char *at, int numbers, int rank)
{
    return numbers < rank ? at : at + strcspn(at, "])");
}

static void print_kernels(char *out, const trial *t)
{
    out += sprintf(out, "const int rx = %d, ry = %d, rz = %d;\n", t->ratio[0], t->ratio[1],
                   t->ratio[2]);
    int numbers = 0; /* of the list that the text is in; 0 outside */
    for (const char *at = kernels; *at; at++) {
        bool ratio = at > kernels && at[-1] == 'r' && *at == '(' && strncmp(at, "(rx", 3) == 0;
        if (*at == '[' || ratio) numbers = 1;
        if (*at == ']' || *at == ')') numbers = 0;
        if (*at == ',' && numbers) at = after_comma(at, numbers++, t->rank);
        if (*at == ']' || *at == ')') numbers = 0;
        *out++ = *at;
    }
    *out = 0;
}

/* ---- one run --------------------------------------------------------------------------------- */

/* What a run has shown. */
typedef struct shown {
    unsigned char *bytes;
    size_t count, capacity;
} shown;

static void *show(shown *s, size_t bytes)
{
    if (s->count + bytes > s->capacity) {
        s->capacity = 2 * (s->count + bytes);
        s->bytes = realloc(s->bytes, s->capacity);
        assert_non_null(s->bytes);
    }
    s->count += bytes;
    return s->bytes + s->count - bytes;
}

static kata_grid *grid_of(kata *k, int rank, const int64_t n[3])
{
    return rank == 1   ? kata_grid_1d(k, n[0])
           : rank == 2 ? kata_grid_2d(k, n[0], n[1])
                       : kata_grid_3d(k, n[0], n[1], n[2]);
}

static void put(kata_field *field, const kata_grid *grid, int64_t count, uint64_t seed)
{
    double *values = malloc((size_t)count * sizeof *values);
    for (int64_t i = 0; i < count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        values[i] = (double)(int64_t)(seed >> 11) * 0x1p-52 - 1;
    }
    kata_put(field, kata_all(grid), values, count);
    free(values);
}

static void get(kata_field *field, const kata_grid *grid, int64_t count, shown *s)
{
    kata_get(field, kata_all(grid), (double *)show(s, (size_t)count * sizeof(double)), count);
}

static void show_scalar(kata_scalar *scalar, shown *s)
{
    double x;
    kata_scalar_get(scalar, &x);
    memcpy(show(s, sizeof x), &x, sizeof x);
}

static void run(kata *k, kata_module *m, const trial *t, const int64_t n[3], kata_rule rule,
                shown *s)
{
    int64_t middle[3], fine[3], points[3] = {1, 1, 1};
    for (int d = 0; d < 3; d++) {
        middle[d] = n[d] * t->ratio[d];
        fine[d] = middle[d] * t->ratio[d];
        points[0] *= n[d];
        points[1] *= middle[d];
        points[2] *= fine[d];
    }
    kata_grid *g[3] = {grid_of(k, t->rank, n), grid_of(k, t->rank, middle),
                       grid_of(k, t->rank, fine)};
    kata_field *c = kata_field_new(g[0], "c", KATA_F64, .boundary = rule, .boundary_value = 0.3);
    kata_field *w = kata_field_like(c, "w");
    kata_field *f = kata_field_new(g[1], "f", t->type, .components = 2, .boundary = rule,
                                   .boundary_value = -0.7);
    kata_field *h = kata_field_new(g[2], "h", KATA_F64, .boundary = rule);
    kata_field *u = kata_field_like(h, "u");
    kata_scalar *sum = kata_scalar_new(k, "sum", KATA_F64),
                *most = kata_scalar_new(k, "most", KATA_F64);
    put(c, g[0], points[0], 1);
    put(w, g[0], points[0], 2);
    put(f, g[1], 2 * points[1], 3);
    put(h, g[2], points[2], 4);
    put(u, g[2], points[2], 5);
    kata_apply(kata_kernel_find(m, "gather"), kata_all(g[0]), f, w, c, sum);
    kata_apply(kata_kernel_find(m, "spread"), kata_all(g[0]), c, f);
    kata_apply(kata_kernel_find(m, "pass"), kata_all(g[1]), c, f, h, u);
    kata_apply(kata_kernel_find(m, "look"), kata_all(g[1]), c, f, most);
    kata_apply(kata_kernel_find(m, "spread"), kata_face(g[0], KATA_X_HIGH, 1), w, f);
    kata_apply(kata_kernel_find(m, "spread"), kata_color(kata_all(g[0]), 3, 1), w, f);
    get(c, g[0], points[0], s);
    get(f, g[1], 2 * points[1], s);
    get(h, g[2], points[2], s);
    show_scalar(sum, s);
    show_scalar(most, s);
    assert_true(kata_ok(k));
}

/* On all sizes of a trial with all rules, the last size with one of them. */
static void run_trial(const trial *t, int e, shown *s)
{
    char text[sizeof kernels + 256];
    print_kernels(text, t);
    kata *k = kata_open(&(kata_options){
        .executor = executors[e].name, .threads = executors[e].threads, .no_warnings = true});
    kata_module *m = kata_module_from_text(k, "trial.kata", text);
    for (int rule = KATA_CONSTANT; rule <= KATA_PERIODIC; rule++)
        for (int i = 0; i < 4; i++) {
            bool lacks = false;
            for (int d = 0; d < t->rank; d++)
                lacks = lacks || grid_rule_lacks_points((kata_rule)rule, t->sizes[i][d]);
            if ((i == 3 && rule != KATA_ANTISYMMETRIC_FACE) || lacks) continue;
            run(k, m, t, t->sizes[i], (kata_rule)rule, s);
        }
    assert_int_equal(kata_close(k), 0);
}

static void test_executors_agree(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        shown expected = {0};
        run_trial(&trials[i], 0, &expected);
        for (int e = 1; e < 5; e++) {
            shown found = {0};
            run_trial(&trials[i], e, &found);
            assert_int_equal(found.count, expected.count);
            if (memcmp(found.bytes, expected.bytes, found.count) != 0)
                fail_msg("trial %d differs on %d threads", (int)i, executors[e].threads);
            free(found.bytes);
        }
        free(expected.bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_executors_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
