/* Reductions have the reference executor's bits on grids of many rows, whose trees threads share,
 * on rows of several bricks, on parts of them, where a brick has points on copies, on colours,
 * where levels run along x, where points with conditions also write fields, and where rows that are
 * written begin anywhere in memory. */
/* Labels: hostile threads compiler slow */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char kernels[] =
    "kernel fill(out double u, out float v, out int a, out double f[2]) {\n"
    "  long i = ix*7919 + iy*104729 + iz*1299709;\n"
    "  u = i % 11 == 0 ? -0.0 : (i % 1009 - 500)/7.0; v = (i % 353)/3.0f - 50; a = (int)(i*i);\n"
    "  f[0] = u*v; f[1] = u - v; }\n"
    "kernel plain(in double u, in float v, in int a, sum double s, min double lo, max double hi,\n"
    "             sum float t, min float least, max float most, sum int n, max int top) {\n"
    "  s += u; lo = min(lo, u*u); hi = max(hi, -u*u); t += v; least = min(least, v);\n"
    "  most = max(most, v*3); n += a; top = max(top, a); }\n"
    "kernel beside(in double f[2], in float v, out double w, sum double s, max float most) {\n"
    "  w = f[0][1,0,0] - f[1][-1,0,1]; s += f[0][1,0,0]*f[1][0,-1,0]; most = max(most, v[-2,0,0]); "
    "}\n"
    "kernel onwards(in double u, out double w, sum double s, max double hi) forward(x) {\n"
    "  interval [0, 1) { w = u; }\n"
    "  interval [1, nx) { w = u - 0.5*w[-1,0,0]; }\n"
    "  s += w; hi = max(hi, w); }\n"
    "kernel colour(in double u, max double hi, sum float s[2]) {\n"
    "  hi = max(hi, u); if (ix % 3 == 1) s[0] += (float)u; s[1] += (float)(u*u); }\n"
    "kernel relax(in double u, in float v, in int a, out double w, sum double s, min double lo,\n"
    "             max float most, sum int n) {\n"
    "  double next = 0.25*(u[-1,0,0] + u[1,0,0] + u[0,-1,0] + u[0,1,0]), r = next - u;\n"
    "  w = next; s += r*r; if (u > 3) lo = min(lo, next); else most = max(most, v[0,0,1]);\n"
    "  if (a % 2 == 0) n += a; }\n"
    "kernel change(in double u, out double x, sum double s, max double most) {\n"
    "  double next = 0.25*(u[-1,0,0] + u[1,0,0] + u[0,-1,0] + u[0,1,0]);\n"
    "  x = next; s += (next - u)*(next - u); most = max(most, next); }\n";

enum { SCALARS = 22, RESULTS = SCALARS + 1 };

/* d: double, f: float, i: int, 2: two floats. */
static const char types[SCALARS + 1] = "dddfffiidfdddddfidddd2";

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g;
    kata_field *u, *v, *a, *f, *w, *x;
    double *memory; /* of x, whose rows begin anywhere */
    kata_scalar *s[SCALARS];
} world;

static kata_scalar *scalar(kata *k, char type)
{
    if (type == '2') return kata_scalar_array_new(k, "two", KATA_F32, 2);
    return kata_scalar_new(k, "s", type == 'd' ? KATA_F64 : type == 'f' ? KATA_F32 : KATA_I32);
}

static void open_world(world *w, const char *executor, const int64_t size[3])
{
    *w = (world){.k = kata_open(&(kata_options){.executor = executor, .threads = 2})};
    w->m = kata_module_from_text(w->k, "k.kata", kernels);
    w->g = kata_grid_3d(w->k, size[0], size[1], size[2]);
    w->u = kata_field_new(w->g, "u", KATA_F64, .boundary = KATA_CLAMP);
    w->v = kata_field_new(w->g, "v", KATA_F32, .boundary = KATA_CLAMP);
    w->a = kata_field_new(w->g, "a", KATA_I32);
    w->f = kata_field_new(w->g, "f", KATA_F64, .components = 2, .boundary = KATA_PERIODIC,
                          .layout = KATA_STRUCTURES);
    w->w = kata_field_like(w->u, "w");
    w->memory = calloc((size_t)(size[0] * size[1] * size[2]) + 1, sizeof *w->memory);
    assert_non_null(w->memory);
    w->x = kata_field_wrap(w->g, "x", KATA_F64, w->memory + 1);
    for (int i = 0; i < SCALARS; i++) w->s[i] = scalar(w->k, types[i]);
    kata_apply(kata_kernel_find(w->m, "fill"), kata_all(w->g), w->u, w->v, w->a, w->f);
    assert_true(kata_ok(w->k));
}

static void reduce(world *w, kata_range range)
{
    kata_scalar **s = w->s;
    kata_apply(kata_kernel_find(w->m, "plain"), range, w->u, w->v, w->a, s[0], s[1], s[2], s[3],
               s[4], s[5], s[6], s[7]);
    kata_apply(kata_kernel_find(w->m, "beside"), range, w->f, w->v, w->w, s[8], s[9]);
    kata_apply(kata_kernel_find(w->m, "onwards"), kata_all(w->g), w->u, w->w, s[10], s[11]);
    kata_apply(kata_kernel_find(w->m, "colour"), kata_color(range, 2, 1), w->u, s[12],
               s[SCALARS - 1]);
    kata_apply(kata_kernel_find(w->m, "relax"), range, w->u, w->v, w->a, w->w, s[13], s[14], s[15],
               s[16]);
    kata_apply(kata_kernel_find(w->m, "change"), range, w->u, w->w, s[17], s[18]);
    kata_apply(kata_kernel_find(w->m, "change"), range, w->u, w->x, s[19], s[20]);
}

static void get_results(world *w, double results[RESULTS])
{
    for (int i = 0; i < SCALARS - 1; i++)
        if (types[i] == 'i') {
            int32_t whole;
            kata_scalar_get(w->s[i], &whole);
            results[i] = whole;
        } else {
            kata_scalar_get(w->s[i], &results[i]);
        }
    kata_scalar_get_all(w->s[SCALARS - 1], &results[SCALARS - 1], 2);
}

/* A box of the grid that begins `cut` points from the low sides and ends there from the high. */
static void agree(const int64_t size[3], int64_t cut)
{
    double results[2][RESULTS];
    static const char *const executors[] = {"cpu", "reference"};
    for (int e = 0; e < 2; e++) {
        world w;
        open_world(&w, executors[e], size);
        reduce(&w, kata_inner(w.g, cut));
        get_results(&w, results[e]);
        assert_int_equal(kata_close(w.k), KATA_OK);
        free(w.memory);
    }
    for (int i = 0; i < RESULTS; i++)
        assert_memory_equal(&results[0][i], &results[1][i], sizeof results[0][i]);
}

static void a_point(void **state)
{
    (void)state;
    agree((int64_t[]){1, 1, 1}, 0);
}

static void rows_of_several_bricks(void **state)
{
    (void)state;
    agree((int64_t[]){1100, 4, 3}, 0);
    agree((int64_t[]){1541, 5, 3}, 1);
}

static void rows_shorter_than_the_lanes(void **state)
{
    (void)state;
    agree((int64_t[]){29, 3, 7}, 0);
    agree((int64_t[]){64, 9, 5}, 2);
}

/* So many that threads reduce planes. */
static void many_rows(void **state)
{
    (void)state;
    agree((int64_t[]){11, 47, 61}, 0);
    agree((int64_t[]){40, 53, 49}, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point),
        cmocka_unit_test(rows_of_several_bricks),
        cmocka_unit_test(rows_shorter_than_the_lanes),
        cmocka_unit_test(many_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
