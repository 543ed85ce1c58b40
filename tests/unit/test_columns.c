/* Reductions into fields of lower rank, and values that levels hand on in such fields: the
 * compiled code agrees with the reference executor bit for bit, on grids of several bricks, on
 * parts of them, at walls, on colours and on any number of threads; and integer sums agree with
 * plain loops. */
/* Labels: hostile threads slow */
#include "ir/ir.h"
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char kernels[] =
    "kernel fill(out double u, out float v, out int a) {\n"
    "  long i = ix*7919 + iy*104729 + iz*1299709;\n"
    "  u = i % 11 == 0 ? -0.0 : (i % 1009 - 500)/7.0; v = (i % 353)/3.0f - 50; a = (int)(i*i); }\n"
    "kernel columns(in double u, in float v, in int a, sum double s along xy, min float m along "
    "xz,\n"
    "               max double h along x, sum int n along yz, inout sum float w along y,\n"
    "               inout max int t along z, sum double all) {\n"
    "  double e = u[1,0,0] - 0.5*u[0,-1,0] + u[0,0,1];\n"
    "  s += e; m = min(m, v[0,1,0]); h = max(h, e*v); n += a; w += v; t = max(t, a);\n"
    "  if (a % 3 == 0) all += u; }\n"
    "kernel beside(in double u, out double w, sum double s[2] along xz, sum float r along yz) {\n"
    "  w = u[-1,0,0] + u[0,0,-2]; s[0] += w*u; if (ix % 5 < 2) s[1] += u[0,1,0]; r += (float)w; }\n"
    "kernel colour(in double u, sum double s along xy, sum double r along x, max double y along "
    "y)\n"
    "{ s += u; r += u*u; y = max(y, u[1,0,0]); }\n"
    "kernel upwards(in double u, out double w, sum double s along xy, sum double q along xz)\n"
    "  forward(z) { interval [0, 1) { w = u; } interval [1, nz) { w = 0.5*w[0,0,-1] + u; }\n"
    "  s += w; q += w*u; }\n"
    "kernel downwards(in double u, inout double w, sum double s along xy, sum double q along xz)\n"
    "  backward(z) { interval [0, nz-1) { w = u - 0.25*w[1,0,1]; } interval [nz-1, nz) { w = u; }\n"
    "  s += w; q += w*u; }\n"
    "kernel sinking(in double u, inout double w, sum double s along xy) backward(z)\n"
    "{ interval [0, nz-1) { w = u - 0.25*w[0,0,1]; } interval [nz-1, nz) { w = u; } s += w; }\n"
    "kernel sideways(in double u, out double w, sum double s along x, sum double q along y)\n"
    "  backward(x) { interval [0, nx-1) { w = u + 0.5*w[1,0,0]; } interval [nx-1, nx) { w = u; }\n"
    "  s += w; q += w; }\n"
    "kernel carry(in double u, out double w, inout double t along xy) forward(z) {\n"
    "  t = 0.5*t + u; w = t; }\n"
    "kernel carry_y(in double u, out double w, inout float t along xz) backward(y) {\n"
    "  w = u - t; t = (float)(0.25*w + t); }\n"
    "kernel carry_x(in double u, out double w, inout double t[2] along yz) forward(x) {\n"
    "  t[0] = t[1] + u; t[1] = 0.5*t[0]; w = t[0] - t[1]; }\n";

enum { LARGEST = 1100 * 140, RESULTS = 32 };

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g;
    kata_field *u, *v, *a, *w, *t[RESULTS];
    kata_type type[RESULTS];
    int components[RESULTS];
    int count;
    kata_scalar *all;
    double *values; /* of u, where it is wrapped */
} world;

static kata_field *result(world *w, kata_type type, int along, int components)
{
    kata_field *f = kata_field_new(w->g, "t", type, .along = along, .components = components);
    static double ones[LARGEST];
    static int32_t whole[LARGEST];
    kata_range on = kata_on(f);
    int64_t count = (on.hi[0] - on.lo[0]) * (on.hi[1] - on.lo[1]) * (on.hi[2] - on.lo[2]);
    count *= components;
    assert_true(count <= LARGEST);
    for (int i = 0; i < count; i++) ones[i] = 0.25 * (i % 16) - 1, whole[i] = i % 16 - 8;
    if (type == KATA_I32)
        kata_put(f, on, whole, count);
    else
        kata_put(f, on, ones, count);
    w->type[w->count] = type;
    w->components[w->count] = components;
    return w->t[w->count++] = f;
}

/* Where u lies: Katagami's memory has room around it, that of the program has none. */
typedef enum memory { OWN, WRAPPED } memory;

static kata_field *make_u(world *w, memory where, const int64_t size[3])
{
    if (where == OWN) return kata_field_new(w->g, "u", KATA_F64, .boundary = KATA_CLAMP);
    w->values = calloc((size_t)(size[0] * size[1] * size[2]), sizeof *w->values);
    assert_non_null(w->values);
    return kata_field_wrap(w->g, "u", KATA_F64, w->values, .boundary = KATA_CLAMP);
}

static void open_world(world *w, const char *executor, int threads, const int64_t size[3],
                       memory where)
{
    *w = (world){.k = kata_open(&(kata_options){.executor = executor, .threads = threads})};
    w->m = kata_module_from_text(w->k, "k.kata", kernels);
    w->g = kata_grid_3d(w->k, size[0], size[1], size[2]);
    w->u = make_u(w, where, size);
    w->v = kata_field_new(w->g, "v", KATA_F32, .boundary = KATA_PERIODIC);
    w->a = kata_field_new(w->g, "a", KATA_I32);
    w->w = kata_field_new(w->g, "w", KATA_F64, .boundary = KATA_CLAMP);
    w->all = kata_scalar_new(w->k, "all", KATA_F64);
    kata_apply(kata_kernel_find(w->m, "fill"), kata_all(w->g), w->u, w->v, w->a);
}

static void apply(world *w, kata_range range)
{
    const int x = KATA_X, y = KATA_Y, z = KATA_Z;
    const kata_type d = KATA_F64, f = KATA_F32;
    kata_range all = kata_all(w->g);
    kata_apply(kata_kernel_find(w->m, "columns"), range, w->u, w->v, w->a, result(w, d, x | y, 1),
               result(w, f, x | z, 1), result(w, f, x, 1), result(w, KATA_I32, y | z, 1),
               result(w, f, y, 1), result(w, KATA_I32, z, 1), w->all);
    kata_apply(kata_kernel_find(w->m, "beside"), range, w->u, w->w, result(w, d, x | z, 2),
               result(w, f, y | z, 1));
    kata_range odd = kata_color(range, 2, 1);
    kata_apply(kata_kernel_find(w->m, "colour"), odd, w->u, result(w, d, x | y, 1),
               result(w, d, x, 1), result(w, d, y, 1));
    kata_apply(kata_kernel_find(w->m, "upwards"), all, w->u, w->w, result(w, f, x | y, 1),
               result(w, d, x | z, 1));
    kata_apply(kata_kernel_find(w->m, "downwards"), all, w->u, w->w, result(w, d, x | y, 1),
               result(w, d, x | z, 1));
    for (int turn = 0; turn < 2; turn++) /* once more in the same memory */
        kata_apply(kata_kernel_find(w->m, "sinking"), range, w->u, w->w, result(w, d, x | y, 1));
    kata_apply(kata_kernel_find(w->m, "sideways"), all, w->u, w->w, result(w, d, x, 1),
               result(w, d, y, 1));
    kata_apply(kata_kernel_find(w->m, "carry"), range, w->u, w->w, result(w, d, x | y, 1));
    kata_apply(kata_kernel_find(w->m, "carry_y"), range, w->w, w->u, result(w, f, x | z, 1));
    kata_apply(kata_kernel_find(w->m, "carry_x"), range, w->u, w->w, result(w, d, y | z, 2));
    assert_true(kata_ok(w->k));
}

static void compare(kata_field *a, kata_field *b, kata_type type, int components, int i)
{
    static double x[4 * LARGEST], y[4 * LARGEST];
    kata_range on = kata_on(a);
    int64_t count = (on.hi[0] - on.lo[0]) * (on.hi[1] - on.lo[1]) * (on.hi[2] - on.lo[2]);
    count *= components;
    assert_true(count <= 4 * LARGEST);
    memset(x, 0, (size_t)count * sizeof *x);
    memset(y, 0, (size_t)count * sizeof *y);
    if (type == KATA_I32) {
        assert_int_equal(kata_get(a, on, (int32_t *)x, count), KATA_OK);
        assert_int_equal(kata_get(b, kata_on(b), (int32_t *)y, count), KATA_OK);
    } else {
        assert_int_equal(kata_get(a, on, x, count), KATA_OK);
        assert_int_equal(kata_get(b, kata_on(b), y, count), KATA_OK);
    }
    for (int64_t k = 0; k < count; k++)
        if (memcmp(&x[k], &y[k], sizeof *x) != 0)
            fail_msg("result %d, element %d: %.17g is not %.17g", i, (int)k, y[k], x[k]);
}

/* How the compiled code runs. */
typedef struct manner {
    int threads;
    memory where;
} manner;

static void check(const int64_t size[3], const int64_t lo[3], const int64_t hi[3],
                  const manner *manners, int count)
{
    world slow, fast;
    open_world(&slow, "reference", 1, size, OWN);
    apply(&slow, kata_box_3d(slow.g, lo[0], hi[0], lo[1], hi[1], lo[2], hi[2]));
    for (int n = 0; n < count; n++) {
        open_world(&fast, "cpu", manners[n].threads, size, manners[n].where);
        apply(&fast, kata_box_3d(fast.g, lo[0], hi[0], lo[1], hi[1], lo[2], hi[2]));
        for (int i = 0; i < slow.count; i++)
            compare(slow.t[i], fast.t[i], slow.type[i], slow.components[i], i);
        compare(slow.w, fast.w, KATA_F64, 1, -1);
        compare(slow.u, fast.u, KATA_F64, 1, -2);
        assert_int_equal(kata_close(fast.k), KATA_OK);
        free(fast.values);
    }
    assert_int_equal(kata_close(slow.k), KATA_OK);
}

static void compiled_code_agrees_with_the_reference(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{1, 1, 1},    {7, 3, 2},     {40, 9, 13},  {33, 70, 5},
                                       {20, 6, 150}, {10, 130, 66}, {1030, 3, 67}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int64_t zero[3] = {0, 0, 0}, *n = sizes[i];
        const memory other = i % 2 ? OWN : WRAPPED;
        check(n, zero, n, (manner[]){{1, OWN}, {3, other}}, 2);
        const int64_t lo[3] = {n[0] / 3, n[1] / 4, n[2] / 5}, hi[3] = {n[0] - n[0] / 9, n[1], n[2]};
        check(n, lo, hi, &(manner){2, i % 2 ? WRAPPED : OWN}, 1);
    }
}

/* Bricks are combined by their own numbers, whichever comes first. */
static void ranges_begin_at_any_brick(void **state)
{
    (void)state;
    static const int64_t sizes[2][3] = {{9, 4, 300}, {9, 300, 3}};
    static const int64_t from[2][3] = {{0, 1, 70}, {1, 70, 0}};
    for (int i = 0; i < 2; i++)
        check(sizes[i], from[i], sizes[i], &(manner){2, i ? WRAPPED : OWN}, 1);
}

/* Sums of integers have no order. */
static void sums_are_those_of_plain_loops(void **state)
{
    (void)state;
    enum { NX = 37, NY = 71, NZ = 133 };
    static int32_t a[NZ][NY][NX], xy[NY][NX], x[NX], yz[NZ][NY];
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_3d(k, NX, NY, NZ);
    kata_module *m = kata_module_from_text(
        k, "k.kata",
        "kernel all(in int a, sum int s along xy, max int h along x, inout sum int r along yz)\n"
        "{ s += a; h = max(h, a); r += a; }\n");
    kata_field *fa = kata_field_new(g, "a", KATA_I32);
    kata_field *s = kata_field_new(g, "s", KATA_I32, .along = KATA_X | KATA_Y),
               *h = kata_field_new(g, "h", KATA_I32, .along = KATA_X),
               *r = kata_field_new(g, "r", KATA_I32, .along = KATA_Y | KATA_Z);
    for (int i = 0; i < NX * NY * NZ; i++) (&a[0][0][0])[i] = (i % 10007 * 7919) % 10007 - 5000;
    kata_put(fa, kata_all(g), &a[0][0][0], NX * NY * NZ);
    for (int turn = 0; turn < 2; turn++)
        kata_apply(kata_kernel_find(m, "all"), kata_all(g), fa, s, h, r);
    assert_int_equal(kata_get(s, kata_on(s), &xy[0][0], NX * NY), KATA_OK);
    assert_int_equal(kata_get(h, kata_on(h), x, NX), KATA_OK);
    assert_int_equal(kata_get(r, kata_on(r), &yz[0][0], NY * NZ), KATA_OK);
    for (int i = 0; i < NX; i++) {
        int32_t most = INT32_MIN;
        for (int j = 0; j < NY; j++) {
            int32_t column = 0;
            for (int l = 0; l < NZ; l++) {
                column += a[l][j][i];
                most = a[l][j][i] > most ? a[l][j][i] : most;
            }
            assert_int_equal(xy[j][i], column);
        }
        assert_int_equal(x[i], most);
    }
    for (int l = 0; l < NZ; l++)
        for (int j = 0; j < NY; j++) {
            int32_t row = 0;
            for (int i = 0; i < NX; i++) row += a[l][j][i];
            assert_int_equal(yz[l][j], 2 * row);
        }
    assert_int_equal(kata_close(k), KATA_OK);
}

/* The order that docs/language.md gives, from its words: bricks upwards, then a tree. */
enum {
    WIDTH = 21,
    HEIGHT = 67,
    DEPTH = 200,
    BRICK = IR_COLUMN_BRICK,
    BRICKS = (DEPTH + BRICK - 1) / BRICK
};

static double tree(const double *x, int first, int length, int count)
{
    if (length == 1) return x[first];
    if (first + length / 2 >= count) return tree(x, first, length / 2, count);
    return tree(x, first, length / 2, count) + tree(x, first + length / 2, length / 2, count);
}

/* A row: 32 lanes, then their halves. */
static double sum_of_row(const double *x, int count)
{
    double lane[32];
    for (int l = 0; l < 32; l++) {
        lane[l] = -0.0;
        for (int i = l; i < count; i += 32) lane[l] += x[i];
    }
    for (int half = 16; half >= 1; half /= 2)
        for (int l = 0; l < half; l++) lane[l] += lane[l + half];
    return lane[0];
}

static void sums_have_the_documented_order(void **state)
{
    (void)state;
    static double u[DEPTH][HEIGHT][WIDTH], xy[HEIGHT][WIDTH], y[HEIGHT];
    kata *k = kata_open(&(kata_options){.threads = 2});
    kata_grid *g = kata_grid_3d(k, WIDTH, HEIGHT, DEPTH);
    kata_module *m = kata_module_from_text(
        k, "k.kata",
        "kernel reduce(in double u, sum double s along xy, sum double r along y)\n"
        "{ s += u; r += u; }\n");
    kata_field *f = kata_field_new(g, "u", KATA_F64);
    kata_field *s = kata_field_new(g, "s", KATA_F64, .along = KATA_X | KATA_Y),
               *r = kata_field_new(g, "r", KATA_F64, .along = KATA_Y);
    for (int i = 0; i < WIDTH * HEIGHT * DEPTH; i++)
        ((double *)u)[i] = 1.0 / (1 + i % 9973) - (i % 7) / 3.0;
    kata_put(f, kata_all(g), (double *)u, WIDTH * HEIGHT * DEPTH);
    kata_apply(kata_kernel_find(m, "reduce"), kata_all(g), f, s, r);
    assert_int_equal(kata_get(s, kata_on(s), (double *)xy, WIDTH * HEIGHT), KATA_OK);
    assert_int_equal(kata_get(r, kata_on(r), y, HEIGHT), KATA_OK);
    for (int j = 0; j < HEIGHT; j++) {
        double rows[DEPTH];
        for (int l = 0; l < DEPTH; l++) rows[l] = sum_of_row(u[l][j], WIDTH);
        assert_true(y[j] == tree(rows, 0, 256, DEPTH));
        for (int i = 0; i < WIDTH; i++) {
            double bricks[BRICKS] = {0};
            for (int l = 0; l < DEPTH; l++) bricks[l / BRICK] += u[l][j][i];
            assert_true(xy[j][i] == tree(bricks, 0, 64, BRICKS));
        }
    }
    assert_int_equal(kata_close(k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiled_code_agrees_with_the_reference),
        cmocka_unit_test(ranges_begin_at_any_brick),
        cmocka_unit_test(sums_are_those_of_plain_loops),
        cmocka_unit_test(sums_have_the_documented_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
