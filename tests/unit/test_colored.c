/* Points of a colour in place: whatever the length of rows, the number of colours and the types,
 * compiled kernels give what the reference executor gives. Sums, checks and conditions see only
 * points of the colour. */
/* Labels: hostile threads slow */
#include "base/base.h"
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NY = 5, NZ = 3, LONGEST = 1100, MOST = (LONGEST + 2) * NY * NZ, MOST_COLORS = 19 };

/* Relaxation with the values of points without the colour, and its own; several results, of which
 * one keeps old values; reductions, alone and beside a field; rows of elements of one and two
 * bytes; shared values. */
static const char text_of_kernels[] =
    "static real beside(in real u) { return u[1,0,0] + u[-1,0,0] + u[0,1,0] + u[0,-1,0]; }\n"
    "kernel relax(inout real u, in real f) { u += 0.3*(beside(u)/4 - f - u); }\n"
    "kernel deep(inout real u, in real f) { u = 0.5*u[0,0,1] - f*u[0,0,-1] + u; }\n"
    "kernel several(inout real u, in real f, out double v, inout double w)\n"
    "{ u = beside(u) - f; v = 2*u; if (f > 0.25) w = u + iy; }\n"
    "kernel rest(inout real u, in real f, sum double s, max double largest, sum int count)\n"
    "{ real old = u; u = 0.25*(beside(u) - f); s += (u - old)*(u - old);\n"
    "  largest = max(largest, (double)u); if (f > 0.25) count += 1; }\n"
    "kernel measure(in real u, sum double s, min double least)\n"
    "{ s += beside(u); least = min(least, (double)u); }\n"
    "kernel small(in real f, inout uchar b) { b = b[1,0,0] + (f > 0.25 ? 3 : b); }\n"
    "kernel shared(in real f, inout real u)\n"
    "{ u = exp(f) + exp(f[1,0,0]) + exp(f[2,0,0]) + exp(f[-1,0,0]) - 0.5*u[1,0,0]; }\n"
    "kernel check(inout real u, in real f) { assert(u < 9, \"too large\"); u += f; }\n";

/* ---- one program ----------------------------------------------------------------------------- */

typedef struct shape {
    int64_t nx; /* points of a row that have neighbours on both sides */
    int colors;
    kata_type type;
} shape;

typedef struct result {
    double u[MOST], v[MOST], w[MOST], sums[MOST_COLORS][5];
    uint8_t b[MOST];
} result;

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g;
    int64_t points;
    kata_field *u, *f, *v, *w, *b;
    kata_scalar *s, *largest, *count, *least;
} world;

static kata_field *new_field(const world *w, const char *name, kata_type type, int factor)
{
    static double values[MOST];
    static uint8_t bytes[MOST];
    kata_field *field = kata_field_new(w->g, name, type);
    for (int64_t i = 0; i < w->points; i++) values[i] = (double)(i * factor % 113) / 128;
    for (int64_t i = 0; i < w->points; i++) bytes[i] = (uint8_t)(i * factor);
    if (type == KATA_U8)
        kata_put(field, kata_all(w->g), bytes, w->points);
    else
        kata_put(field, kata_all(w->g), values, w->points);
    return field;
}

static void open_world(world *w, kata *k, kata_module *m, const shape *s)
{
    *w = (world){.k = k, .m = m, .g = kata_grid_3d(k, s->nx + 2, NY, NZ)};
    w->points = (s->nx + 2) * NY * NZ;
    w->u = new_field(w, "u", s->type, 37);
    w->f = new_field(w, "f", s->type, 59);
    w->v = new_field(w, "v", KATA_F64, 11);
    w->w = new_field(w, "w", KATA_F64, 23);
    w->b = new_field(w, "b", KATA_U8, 41);
    w->s = kata_scalar_new(k, "s", KATA_F64);
    w->least = kata_scalar_new(k, "least", KATA_F64);
    w->largest = kata_scalar_new(k, "largest", KATA_F64);
    w->count = kata_scalar_new(k, "count", KATA_I32);
}

static void sweep(const world *w, const kata_range *range, double sums[5])
{
    int count = 0;
#define APPLY(name, ...) kata_apply(kata_kernel_find(w->m, #name), *range, __VA_ARGS__)
    APPLY(relax, w->u, w->f);
    APPLY(several, w->u, w->f, w->v, w->w);
    APPLY(rest, w->u, w->f, w->s, w->largest, w->count);
    kata_scalar_get(w->s, &sums[0]);
    kata_scalar_get(w->largest, &sums[1]);
    kata_scalar_get(w->count, &count);
    sums[2] = count;
    APPLY(measure, w->u, w->s, w->least);
    kata_scalar_get(w->s, &sums[3]);
    kata_scalar_get(w->least, &sums[4]);
    APPLY(small, w->f, w->b);
    APPLY(shared, w->f, w->u);
    APPLY(deep, w->u, w->f);
    APPLY(check, w->u, w->f);
#undef APPLY
}

static void compute(kata *k, kata_module *m, const shape *s, result *r)
{
    world w;
    memset(r, 0, sizeof *r);
    open_world(&w, k, m, s);
    for (int color = 0; color < s->colors; color++) {
        /* shared reads two points on */
        kata_range range =
            kata_color(kata_box_3d(w.g, 1, s->nx, 1, NY - 1, 1, NZ - 1), s->colors, color);
        sweep(&w, &range, r->sums[color]);
    }
    kata_get(w.u, kata_all(w.g), r->u, w.points);
    kata_get(w.v, kata_all(w.g), r->v, w.points);
    kata_get(w.w, kata_all(w.g), r->w, w.points);
    kata_get(w.b, kata_all(w.g), r->b, w.points);
    assert_true(kata_ok(k));
}

/* ---- shapes ---------------------------------------------------------------------------------- */

typedef struct pair {
    kata *k[2];
    kata_module *m[2];
} pair;

static void open_pair(pair *p)
{
    static const char *const executors[] = {"reference", "cpu"};
    for (int i = 0; i < 2; i++) {
        p->k[i] = kata_open(&(kata_options){.executor = executors[i], .threads = 3, .wait = true});
        p->m[i] = kata_module_from_text(p->k[i], "text", text_of_kernels);
        assert_non_null(p->m[i]);
    }
}

static void close_pair(pair *p)
{
    for (int i = 0; i < 2; i++) assert_int_equal(kata_close(p->k[i]), KATA_OK);
}

static void compare(const pair *p, int64_t nx, int colors, kata_type type)
{
    static result expected, found;
    const shape s = {nx, colors, type};
    compute(p->k[0], p->m[0], &s, &expected);
    compute(p->k[1], p->m[1], &s, &found);
    if (memcmp(&expected, &found, sizeof found) != 0)
        fail_msg("rows of %d points, %d colours", (int)nx, colors);
}

static void short_rows(void **state)
{
    (void)state;
    pair p;
    open_pair(&p);
    for (int64_t nx = 2; nx < 42; nx += nx < 20 ? 1 : 5)
        for (int colors = 2; colors < 6; colors++)
            compare(&p, nx, colors, nx % 2 ? KATA_F64 : KATA_F32);
    close_pair(&p);
}

static void other_numbers_of_colors(void **state)
{
    static const int colors[] = {7, 8, 9, 16, MOST_COLORS};
    (void)state;
    pair p;
    open_pair(&p);
    for (size_t i = 0; i < COUNT_OF(colors); i++) compare(&p, 61, colors[i], KATA_F64);
    close_pair(&p);
}

/* Longer than a brick of a sum, and than the part of a row of which values are reused. */
static void long_rows(void **state)
{
    static const kata_type types[] = {KATA_F64, KATA_F32, KATA_F16, KATA_BF16};
    (void)state;
    pair p;
    open_pair(&p);
    for (size_t i = 0; i < COUNT_OF(types); i++)
        for (int colors = 2; colors < 4; colors++) compare(&p, LONGEST, colors, types[i]);
    close_pair(&p);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static void keep_message(void *data, kata_status status, const char *message)
{
    (void)status;
    text_add(data, "%s", message);
}

/* The status of checking a colour of a field that is too large at one point, and the message. */
static kata_status check_color(const char *executor, int color, text *message)
{
    kata *k = kata_open(&(kata_options){.executor = executor,
                                        .threads = 2,
                                        .wait = true,
                                        .handler = keep_message,
                                        .handler_data = message});
    kata_module *m = kata_module_from_text(k, "text", text_of_kernels);
    world w = {.k = k, .m = m, .g = kata_grid_3d(k, 50, NY, NZ), .points = (int64_t)50 * NY * NZ};
    w.u = new_field(&w, "u", KATA_F64, 37);
    w.f = new_field(&w, "f", KATA_F64, 59);
    double large = 10;
    kata_put(w.u, kata_box_3d(w.g, 20, 21, 2, 3, 1, 2), &large, 1);
    kata_apply(kata_kernel_find(m, "check"), kata_color(kata_all(w.g), 2, color), w.u, w.f);
    kata_status status = kata_flush(k);
    kata_close(k);
    return status;
}

static void checks_see_points_of_the_color(void **state)
{
    static const char *const executors[] = {"reference", "cpu"};
    text messages[2] = {0};
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(check_color(executors[i], 0, &messages[i]), KATA_OK);
        assert_string_equal(text_get(&messages[i]), "");
        assert_int_equal(check_color(executors[i], 1, &messages[i]), KATA_ERROR_ASSERT);
    }
    assert_string_equal(text_get(&messages[0]), text_get(&messages[1]));
    text_free(&messages[0]);
    text_free(&messages[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_rows),
        cmocka_unit_test(other_numbers_of_colors),
        cmocka_unit_test(long_rows),
        cmocka_unit_test(checks_see_points_of_the_color),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
