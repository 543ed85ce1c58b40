/* The point of a minimum or maximum: the first one in the order of z, y and x, on any number of
 * threads, in any order of levels, for any type. */
/* Labels: hostile threads slow */
#include "base/base.h"
#include "kata/kata.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char text_of_kernels[] =
    "kernel both(in double u, min double low, at(low) long at_low[3], max double high,\n"
    "            at(high) int at_high[3])\n"
    "{ low = min(low, u); high = max(high, u); }\n"
    "kernel largest(in float u, max float m, at(m) int where[3]) { m = max(m, 2*u); }\n"
    "kernel counts(in int n, at(m) int where[3], max int m) { m = max(m, n); }\n"
    /* what is written is read before; levels run downwards; some points contribute nothing */
    "kernel change(inout double u, min double m, at(m) long where[3]) backward(y)\n"
    "{ u = 0.5*u + (iy + 1 < ny ? u[0,1,0] : 1); if (u > 2) m = min(m, fabs(u - 3)); }\n"
    "kernel rows(inout double u, min double m, at(m) long where[3]) forward(x) backward(y)\n"
    "{ u = 0.5*u + (ix > 0 ? 0.25*u[-1,0,0] : 1); if (u > 1) m = min(m, u); }\n"
    "kernel go_on(in double u, inout min double m, at(m) long where[3], double add)\n"
    "{ m = min(m, u + add); }\n"
    "kernel checked(in double u, max double m, at(m) long where[3], sum int h[4])\n"
    "{ assert(u > -5); m = max(m, u); h[(int)fabs(u) & 3] += 1; }\n";

enum { NX = 1100, NY = 7, NZ = 3, POINTS = NX * NY * NZ };

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g;
    kata_field *u;
    kata_scalar *m64, *where64, *m32, *where32;
} world;

static const kata_options ways[] = {
    {.executor = "reference"},
    {.executor = "plan", .plan = "loops"},
    {.executor = "cpu", .threads = 1, .wait = true},
    {.executor = "cpu", .threads = 2, .wait = true},
    {.executor = "cpu", .threads = 7, .wait = true},
    {.executor = "cpu", .threads = 3, .wait = true, .plan = "skewed x=40 y=2 z=2"}};

static double values[POINTS];

static world open_world(const kata_options *way, kata_type type)
{
    world w = {.k = kata_open(way)};
    w.m = kata_module_from_text(w.k, "where.kata", text_of_kernels);
    w.g = kata_grid_3d(w.k, NX, NY, NZ);
    w.u = kata_field_new(w.g, "u", type);
    static int32_t whole[POINTS];
    for (int i = 0; i < POINTS && type == KATA_I32; i++) whole[i] = (int32_t)values[i];
    if (type == KATA_I32)
        kata_put(w.u, kata_all(w.g), whole, POINTS);
    else
        kata_put(w.u, kata_all(w.g), values, POINTS);
    w.m64 = kata_scalar_new(w.k, "m", KATA_F64);
    w.where64 = kata_scalar_array_new(w.k, "where", KATA_I64, 3);
    w.m32 = kata_scalar_new(w.k, "m32", type == KATA_I32 ? KATA_I32 : KATA_F32);
    w.where32 = kata_scalar_array_new(w.k, "where32", KATA_I32, 3);
    return w;
}

static kata_kernel *find(const world *w, const char *name) { return kata_kernel_find(w->m, name); }

static int point(int x, int y, int z) { return (z * NY + y) * NX + x; }

static void expect(kata_scalar *where, bool wide, int x, int y, int z)
{
    int64_t found[3] = {0};
    int32_t narrow[3] = {0};
    if (wide)
        kata_scalar_get_all(where, found, 3);
    else
        kata_scalar_get_all(where, narrow, 3);
    for (int d = 0; d < 3 && !wide; d++) found[d] = narrow[d];
    const int64_t expected[3] = {x, y, z};
    if (memcmp(found, expected, sizeof found) != 0)
        fail_msg("%d %d %d, not %d %d %d", (int)found[0], (int)found[1], (int)found[2], x, y, z);
}

static void fill(void)
{
    for (int i = 0; i < POINTS; i++) values[i] = (double)(i * 37 % 101) / 50;
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Several points have the same least, and the same greatest value: the first counts. */
static void test_ties(void **state)
{
    (void)state;
    fill();
    values[point(900, 6, 0)] = values[point(3, 0, 1)] = values[point(2, 1, 1)] = -7;
    values[point(1099, 0, 0)] = values[point(0, 1, 0)] = values[point(5, 5, 2)] = 9;
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        world w = open_world(&ways[i], KATA_F64);
        double low = 0, high = 0;
        kata_scalar *greatest = kata_scalar_new(w.k, "high", KATA_F64);
        kata_apply(find(&w, "both"), kata_all(w.g), w.u, w.m64, w.where64, greatest, w.where32);
        kata_scalar_get(w.m64, &low);
        kata_scalar_get(greatest, &high);
        assert_true(low == -7 && high == 9);
        expect(w.where64, true, 900, 6, 0);
        expect(w.where32, false, 1099, 0, 0);
        kata_apply(find(&w, "both"), kata_color(kata_box_3d(w.g, 1, 1000, 0, 7, 0, 3), 2, 0), w.u,
                   w.m64, w.where64, greatest, w.where32);
        expect(w.where64, true, 900, 6, 0);
        expect(w.where32, false, 5, 5, 2);
        assert_int_equal(kata_close(w.k), KATA_OK);
    }
}

/* -0 lies below 0, and a NaN is the least and the greatest value. */
static void test_zeros_and_nan(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        for (int p = 0; p < POINTS; p++) values[p] = p % 3 ? 0.0 : 1.0;
        values[point(700, 3, 1)] = values[point(10, 4, 1)] = -0.0;
        world w = open_world(&ways[i], KATA_F64);
        kata_scalar *greatest = kata_scalar_new(w.k, "high", KATA_F64);
        kata_apply(find(&w, "both"), kata_all(w.g), w.u, w.m64, w.where64, greatest, w.where32);
        expect(w.where64, true, 700, 3, 1);
        expect(w.where32, false, 0, 0, 0);
        values[point(40, 2, 2)] = values[point(1000, 1, 2)] = NAN;
        kata_put(w.u, kata_all(w.g), values, POINTS);
        kata_apply(find(&w, "both"), kata_all(w.g), w.u, w.m64, w.where64, greatest, w.where32);
        expect(w.where64, true, 1000, 1, 2);
        expect(w.where32, false, 1000, 1, 2);
        assert_int_equal(kata_close(w.k), KATA_OK);
    }
}

static void test_types(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        fill();
        values[point(511, 2, 1)] = values[point(512, 2, 1)] = 80;
        world w = open_world(&ways[i], KATA_F32);
        kata_apply(find(&w, "largest"), kata_all(w.g), w.u, w.m32, w.where32);
        expect(w.where32, false, 511, 2, 1);
        assert_int_equal(kata_close(w.k), KATA_OK);
        w = open_world(&ways[i], KATA_I32);
        kata_apply(find(&w, "counts"), kata_all(w.g), w.u, w.where32, w.m32);
        expect(w.where32, false, 511, 2, 1);
        assert_int_equal(kata_close(w.k), KATA_OK);
    }
}

/* All ways agree with the reference executor, also where the field is changed. */
static void test_ways_agree(void **state)
{
    (void)state;
    fill();
    int64_t expected[3][3];
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        world w = open_world(&ways[i], KATA_F64);
        kata_scalar *h = kata_scalar_array_new(w.k, "h", KATA_I32, 4);
        int64_t found[3][3];
        kata_apply(find(&w, "change"), kata_all(w.g), w.u, w.m64, w.where64);
        kata_scalar_get_all(w.where64, found[0], 3);
        kata_apply(find(&w, "checked"), kata_all(w.g), w.u, w.m64, w.where64, h);
        kata_scalar_get_all(w.where64, found[1], 3);
        kata_apply(find(&w, "rows"), kata_all(w.g), w.u, w.m64, w.where64);
        kata_scalar_get_all(w.where64, found[2], 3);
        assert_true(found[2][0] >= 0);
        assert_int_equal(kata_close(w.k), KATA_OK);
        if (i == 0) memcpy(expected, found, sizeof found);
        assert_memory_equal(found, expected, sizeof found);
    }
}

/* Declared with an inout, a point of an earlier application stays until a better one comes. */
static void test_going_on(void **state)
{
    (void)state;
    fill();
    values[point(8, 4, 2)] = -3;
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        world w = open_world(&ways[i], KATA_F64);
        kata_range low = kata_box_3d(w.g, 0, NX, 0, 2, 0, NZ),
                   high = kata_box_3d(w.g, 0, NX, 2, 7, 0, NZ);
        kata_scalar_set(w.m64, 100);
        kata_apply(find(&w, "go_on"), kata_box_3d(w.g, 0, 0, 0, 2, 0, NZ), w.u, w.m64, w.where64,
                   0.0);
        expect(w.where64, true, 0, 0, 0); /* no point, so it stays as it was */
        kata_apply(find(&w, "go_on"), low, w.u, w.m64, w.where64, 0.0);
        expect(w.where64, true, 0, 0, 0);
        kata_apply(find(&w, "go_on"), high, w.u, w.m64, w.where64, 0.0);
        expect(w.where64, true, 8, 4, 2);
        kata_apply(find(&w, "go_on"), low, w.u, w.m64, w.where64, -3.0);
        expect(w.where64, true, 8, 4, 2); /* as good, but later */
        kata_apply(find(&w, "both"), kata_box_3d(w.g, 3, 3, 0, 2, 0, NZ), w.u, w.m64, w.where64,
                   kata_scalar_new(w.k, "high", KATA_F64), w.where32);
        expect(w.where64, true, -1, -1, -1); /* no point */
        assert_int_equal(kata_close(w.k), KATA_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ties),     cmocka_unit_test(test_zeros_and_nan),
        cmocka_unit_test(test_types),    cmocka_unit_test(test_ways_agree),
        cmocka_unit_test(test_going_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
