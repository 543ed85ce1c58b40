/* Sums with an element chosen at run time: equal to plain C in each executor and on any number of
 * threads; an index outside is refused. Subtracting from a sum, too. */
/* Labels: hostile threads */
#include <kata/kata.h>

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NX = 1237, NY = 61, POINTS = NX * NY, LEVELS = 256, MANY = 4096 };

static const char text[] =
    "kernel histogram(in uchar grey, sum int h[256]) { h[grey]++; }\n"
    "kernel equalise(in uchar grey, out uchar even, int map[256]) { even = map[grey]; }\n"
    "kernel mixed(in int a, inout int b, sum long many[4096], inout sum int t[3], sum double s)\n"
    "{\n"
    "    many[a[1,0] & 4095] += ix;\n"
    "    if (a % 5 == 0) many[a & 7] -= 3;\n"
    "    many[4095] -= 1;\n"
    "    t[b & 1] += a;\n"
    "    t[2] -= b;\n"
    "    s -= a;\n"
    "    b = a + b;\n"
    "}\n"
    "kernel down(in int a, inout int b, sum int h[16]) forward(y)\n"
    "{\n"
    "    h[b & 15] += 1;\n"
    "    b = iy > 0 ? b[0,-1] + a : a;\n"
    "    h[b & 15] += 1;\n"
    "}\n"
    "kernel outside(in int a, sum int h[10]) { if (ix != 3) h[a] += 1; }\n";

typedef struct way {
    const char *executor;
    int threads;
} way;

static const way ways[] = {{"cpu", 1}, {"cpu", 2},       {"cpu", 3},
                           {"cpu", 7}, {"reference", 1}, {"plan", 1}};

enum { WAYS = sizeof ways / sizeof *ways };

static kata *open_way(const way *w)
{
    return kata_open(&(kata_options){.executor = w->executor, .threads = w->threads, .wait = true});
}

/* ---- a picture ------------------------------------------------------------------------------- */

/* What each grey becomes, so that all are about equally frequent. */
static void make_map(const int h[LEVELS], int map[LEVELS])
{
    int64_t below = 0;
    for (int i = 0; i < LEVELS; i++) {
        below += h[i];
        map[i] = (int)(below * 255 / POINTS);
    }
}

static void equalise(const way *w, const uint8_t *grey, int h[LEVELS], uint8_t *even)
{
    kata *k = open_way(w);
    kata_grid *g = kata_grid_2d(k, NX, NY);
    kata_field *in = kata_field_new(g, "in", KATA_U8), *out = kata_field_like(in, "out");
    kata_scalar *bins = kata_scalar_array_new(k, "bins", KATA_I32, LEVELS);
    kata_module *m = kata_module_from_text(k, "equal.kata", text);
    int map[LEVELS];
    kata_put(in, kata_all(g), grey, POINTS);
    kata_apply(kata_kernel_find(m, "histogram"), kata_all(g), in, bins);
    kata_scalar_get_all(bins, h, LEVELS);
    make_map(h, map);
    kata_apply(kata_kernel_find(m, "equalise"), kata_all(g), in, out, map);
    kata_get(out, kata_all(g), even, POINTS);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void test_equalised_picture_is_that_of_plain_c(void **state)
{
    (void)state;
    static uint8_t grey[POINTS], even[POINTS], found[POINTS];
    int h[LEVELS] = {0}, map[LEVELS], bins[LEVELS];
    for (int i = 0; i < POINTS; i++)
        grey[i] = (uint8_t)(rand() % 300 > 200 ? 17 : rand() >> 7 & rand() >> 9);
    for (int i = 0; i < POINTS; i++) h[grey[i]]++;
    make_map(h, map);
    for (int i = 0; i < POINTS; i++) even[i] = (uint8_t)map[grey[i]];
    for (int w = 0; w < WAYS; w++) {
        equalise(&ways[w], grey, bins, found);
        assert_memory_equal(bins, h, sizeof h);
        assert_memory_equal(found, even, sizeof even);
    }
}

/* ---- all forms ------------------------------------------------------------------------------- */

typedef struct sums {
    int64_t many[MANY];
    int t[3], h[16];
    double s;
} sums;

static void sum_in_c(const int *a, int *b, sums *r)
{
    for (int i = 0; i < POINTS; i++) {
        int x = i % NX;
        r->many[a[i - x + (x + 1) % NX] & 4095] += x;
        if (a[i] % 5 == 0) r->many[a[i] & 7] -= 3;
        r->many[4095] -= 1;
        r->t[b[i] & 1] += a[i];
        r->t[2] -= b[i];
        r->s -= a[i]; /* whole numbers below 2^53: exact in any order */
        b[i] += a[i];
    }
    for (int i = 0; i < POINTS; i++) {
        r->h[b[i] & 15]++;
        b[i] = (i >= NX ? b[i - NX] : 0) + a[i];
        r->h[b[i] & 15]++;
    }
}

static void sum_by(const way *w, const int *a, int *b, sums *r)
{
    kata *k = open_way(w);
    kata_grid *g = kata_grid_2d(k, NX, NY);
    kata_range all = kata_all(g);
    kata_field *fa = kata_field_new(g, "a", KATA_I32, .boundary = KATA_PERIODIC);
    kata_field *fb = kata_field_new(g, "b", KATA_I32);
    kata_scalar *many = kata_scalar_array_new(k, "many", KATA_I64, MANY);
    kata_scalar *t = kata_scalar_array_new(k, "t", KATA_I32, 3);
    kata_scalar *h = kata_scalar_array_new(k, "h", KATA_I32, 16);
    kata_scalar *s = kata_scalar_new(k, "s", KATA_F64);
    kata_module *m = kata_module_from_text(k, "mixed.kata", text);
    kata_put(fa, all, a, POINTS);
    kata_put(fb, all, b, POINTS);
    kata_scalar_set(t, 5);
    kata_apply(kata_kernel_find(m, "mixed"), all, fa, fb, many, t, s);
    kata_apply(kata_kernel_find(m, "down"), all, fa, fb, h);
    kata_get(fb, all, b, POINTS);
    kata_scalar_get_all(many, r->many, MANY);
    kata_scalar_get_all(t, r->t, 3);
    kata_scalar_get_all(h, r->h, 16);
    kata_scalar_get(s, &r->s);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void test_sums_are_those_of_plain_c(void **state)
{
    (void)state;
    static int a[POINTS], start[POINTS], b[POINTS], found[POINTS];
    static sums expected, r;
    for (int i = 0; i < POINTS; i++) a[i] = rand() % 20000;
    for (int i = 0; i < POINTS; i++) b[i] = start[i] = rand() % 1000;
    expected = (sums){.t = {5, 5, 5}};
    sum_in_c(a, b, &expected);
    for (int w = 0; w < WAYS; w++) {
        memcpy(found, start, sizeof found);
        sum_by(&ways[w], a, found, &r);
        assert_memory_equal(found, b, sizeof b);
        assert_memory_equal(r.many, expected.many, sizeof r.many);
        assert_memory_equal(r.t, expected.t, sizeof r.t);
        assert_memory_equal(r.h, expected.h, sizeof r.h);
        assert_true(r.s == expected.s);
    }
}

/* Each point is counted once: on coloured ranges, on boxes, and in several applications. */
static void test_ranges_count_their_points(void **state)
{
    (void)state;
    for (int w = 0; w < WAYS; w++) {
        kata *k = open_way(&ways[w]);
        kata_grid *g = kata_grid_3d(k, 70, 9, 7);
        kata_scalar *n = kata_scalar_array_new(k, "n", KATA_I64, 7);
        kata_module *m = kata_module_from_text(
            k, "z.kata", "kernel count(inout sum long n[7]) { n[iz] += 1; }\n");
        kata_kernel *count = kata_kernel_find(m, "count");
        int64_t found[7];
        kata_apply(count, kata_color(kata_all(g), 2, 1), n);
        kata_apply(count, kata_color(kata_all(g), 2, 0), n);
        kata_apply(count, kata_box_3d(g, 3, 69, 2, 8, 1, 6), n);
        kata_scalar_get_all(n, found, 7);
        for (int z = 0; z < 7; z++)
            assert_int_equal(found[z], 630 + (z >= 1 && z < 6 ? 66 * 6 : 0));
        assert_int_equal(kata_close(k), KATA_OK);
    }
}

/* ---- outside --------------------------------------------------------------------------------- */

static void no_message(void *data, kata_status status, const char *message)
{
    (void)data, (void)status, (void)message;
}

/* The first of two indices that are outside, at a point; in compiled code points run in groups. */
static void refuse_index(const way *w, int at, const char *where)
{
    enum { LONG = 200 };
    kata *k = kata_open(&(kata_options){
        .executor = w->executor, .threads = w->threads, .handler = no_message, .wait = true});
    kata_grid *g = kata_grid_1d(k, LONG);
    kata_field *a = kata_field_new(g, "a", KATA_I32);
    kata_scalar *h = kata_scalar_array_new(k, "h", KATA_I32, 10);
    kata_module *m = kata_module_from_text(k, "out.kata", text);
    int values[LONG] = {[3] = 99};
    values[at] = 10;
    values[at + 1] = -1;
    kata_put(a, kata_all(g), values, LONG);
    kata_apply(kata_kernel_find(m, "outside"), kata_all(g), a, h);
    assert_int_equal(kata_flush(k), KATA_ERROR_ASSERT);
    assert_non_null(strstr(kata_error_message(k), where));
    assert_non_null(strstr(kata_error_message(k), "'h'"));
    kata_close(k);
}

static void test_index_outside_is_refused(void **state)
{
    (void)state;
    for (int w = 0; w < WAYS - 1; w++) {
        refuse_index(&ways[w], 20, "20");
        refuse_index(&ways[w], 170, "170");
        refuse_index(&ways[w], 197, "197");
    }
}

static void refuse(const char *kernel, const char *expected)
{
    kata *k = kata_open(&(kata_options){.handler = no_message});
    assert_null(kata_module_from_text(k, "r.kata", kernel));
    if (!strstr(kata_error_message(k), expected)) fail_msg("%s", kata_error_message(k));
    kata_close(k);
}

static void test_other_reductions_are_refused(void **state)
{
    (void)state;
    static const char advice[] = "only the elements of sums of int or long have such an index";
    refuse("kernel f(in int a, sum double h[10]) { h[a] += 1; }\n", advice);
    refuse("kernel f(in int a, min int h[10]) { h[a] = min(h[a], 1); }\n", advice);
    refuse("kernel f(in double a, sum int h[10]) { h[a] += 1; }\n", "must be an integer");
    refuse("kernel f(in int a, sum int h[10]) { h[10] += a; }\n", "10");
    refuse("kernel f(in int a, sum int h[4097]) { h[a] += 1; }\n", "4096");
}

/* The longest histogram, as numbers of other types. */
static void test_bins_are_had_as_other_numbers(void **state)
{
    (void)state;
    static double wide[MANY];
    static float narrow[MANY];
    kata *k = open_way(&ways[0]);
    kata_scalar *many = kata_scalar_array_new(k, "many", KATA_I64, MANY);
    kata_scalar_set(many, -7);
    assert_int_equal(kata_scalar_get_all(many, wide, MANY), KATA_OK);
    assert_int_equal(kata_scalar_get_all(many, narrow, MANY), KATA_OK);
    for (int i = 0; i < MANY; i++) assert_true(wide[i] == -7 && narrow[i] == -7);
    assert_int_equal(kata_close(k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equalised_picture_is_that_of_plain_c),
        cmocka_unit_test(test_sums_are_those_of_plain_c),
        cmocka_unit_test(test_bins_are_had_as_other_numbers),
        cmocka_unit_test(test_ranges_count_their_points),
        cmocka_unit_test(test_index_outside_is_refused),
        cmocka_unit_test(test_other_reductions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
