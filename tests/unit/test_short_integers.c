/* Integers of 16 bits: stored, computed with, wrapped, mapped, and saved and loaded. The blur of
 * Halide's first example, in 16 bits, equals plain C in each executor. */
#include <kata/kata.h>

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { NX = 157, NY = 43, POINTS = NX * NY };

static const char text[] =
    "kernel blur_x(in ushort a, out ushort b) { b = (a + a[1,0] + a[2,0])/3; }\n"
    "kernel blur_y(in ushort b, out ushort c) { c = (b + b[0,1] + b[0,2])/3; }\n"
    "const short step[2] = {-300, 32767};\n"
    "kernel mixed(in short a, inout short b, out ushort c, out int wide, in float u, short k,\n"
    "             ushort w[3])\n"
    "{\n"
    "    short s = a[1,0] + k;\n"
    "    wide = s*a;\n"
    "    if (s < b) { b = 3*s + step[0]; } else b = u*1000;\n"
    "    c = (u > 0 ? a : s) + w[ix % 3];\n"
    "}\n";

static const char *const executors[] = {"cpu", "reference", "plan"};

static void random_bits(void *values, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) ((unsigned char *)values)[i] = (unsigned char)(rand() >> 7);
}

/* ---- blur ------------------------------------------------------------------------------------ */

static void blur_in_c(const uint16_t *a, uint16_t *b, uint16_t *c)
{
    for (int i = 0; i + 2 < POINTS; i++) b[i] = (uint16_t)((a[i] + a[i + 1] + a[i + 2]) / 3);
    for (int i = 0; i + 2 * NX < POINTS; i++)
        c[i] = (uint16_t)((b[i] + b[i + NX] + b[i + 2 * NX]) / 3);
}

static void blur(const char *executor, const uint16_t *a, uint16_t *c)
{
    kata *k = kata_open(&(kata_options){.executor = executor});
    kata_grid *g = kata_grid_2d(k, NX, NY);
    kata_field *in = kata_field_new(g, "in", KATA_U16), *mid = kata_field_like(in, "mid");
    kata_field *out = kata_field_like(in, "out");
    kata_module *m = kata_module_from_text(k, "blur.kata", text);
    kata_put(in, kata_all(g), a, POINTS);
    kata_apply(kata_kernel_find(m, "blur_x"), kata_box_2d(g, 0, NX - 2, 0, NY), in, mid);
    kata_apply(kata_kernel_find(m, "blur_y"), kata_box_2d(g, 0, NX - 2, 0, NY - 2), mid, out);
    kata_get(out, kata_all(g), c, POINTS);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void test_blur_equals_plain_c(void **state)
{
    (void)state;
    static uint16_t a[POINTS], b[POINTS], c[POINTS], found[POINTS];
    random_bits(a, sizeof a);
    blur_in_c(a, b, c);
    for (int e = 0; e < 3; e++) {
        blur(executors[e], a, found);
        for (int y = 0; y < NY - 2; y++)
            assert_memory_equal(found + y * NX, c + y * NX, (NX - 2) * sizeof *c);
    }
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

typedef struct values {
    int16_t a[POINTS], b[POINTS];
    uint16_t c[POINTS];
    int wide[POINTS];
    float u[POINTS];
} values;

static const uint16_t weights[3] = {1, 65535, 300};

static int16_t short_of(float x) { return (int16_t)(x > 32767 ? 32767 : x < -32768 ? -32768 : x); }

static void mixed_in_c(values *v, int16_t k)
{
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++) {
            int i = y * NX + x;
            int16_t s = (int16_t)(v->a[y * NX + (x + 1) % NX] + k);
            v->wide[i] = s * v->a[i];
            v->b[i] = s < v->b[i] ? (int16_t)(3 * s - 300) : short_of(v->u[i] * 1000);
            v->c[i] = (uint16_t)((v->u[i] > 0 ? v->a[i] : s) + weights[x % 3]);
        }
}

static void mixed(const char *executor, values *v, int16_t k)
{
    kata *ka = kata_open(&(kata_options){.executor = executor});
    kata_grid *g = kata_grid_2d(ka, NX, NY);
    kata_range all = kata_all(g);
    kata_field *a = kata_field_new(g, "a", KATA_I16, .boundary = KATA_PERIODIC);
    kata_field *b = kata_field_wrap(g, "b", KATA_I16, v->b);
    kata_field *c = kata_field_new(g, "c", KATA_U16), *wide = kata_field_new(g, "w", KATA_I32);
    kata_field *u = kata_field_new(g, "u", KATA_F32);
    kata_module *m = kata_module_from_text(ka, "mixed.kata", text);
    kata_put(a, all, v->a, POINTS);
    kata_put(u, all, v->u, POINTS);
    kata_apply(kata_kernel_find(m, "mixed"), all, a, b, c, wide, u, k, weights);
    kata_get(c, all, v->c, POINTS);
    kata_get(wide, all, v->wide, POINTS);
    assert_int_equal(kata_flush(ka), KATA_OK);
    assert_int_equal(kata_close(ka), KATA_OK);
}

static void test_values_wrap_and_saturate_as_in_c(void **state)
{
    (void)state;
    static values start, expected, found;
    random_bits(start.a, sizeof start.a);
    random_bits(start.b, sizeof start.b);
    for (int i = 0; i < POINTS; i++) start.u[i] = (float)(rand() % 201 - 100);
    expected = start;
    mixed_in_c(&expected, -12345);
    for (int e = 0; e < 3; e++) {
        found = start;
        mixed(executors[e], &found, -12345);
        assert_memory_equal(&found, &expected, sizeof found);
    }
}

/* ---- memory and files ------------------------------------------------------------------------ */

static void test_they_are_mapped_saved_and_loaded(void **state)
{
    (void)state;
    static const char *const files[] = {"short.npy", "short.vtkhdf", "short.h5"};
    static int16_t in[POINTS], out[POINTS];
    random_bits(in, sizeof in);
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_2d(k, NX, NY);
    kata_field *a = kata_field_new(g, "a", KATA_I16), *b = kata_field_like(a, "b");
    kata_field *wide = kata_field_new(g, "a", KATA_I64);
    int16_t *lent;
    kata_mapping at;
    kata_map(a, &lent, &at);
    assert_int_equal(at.type, KATA_I16);
    for (int y = 0; y < NY; y++) memcpy(lent + y * at.stride[1], in + y * NX, NX * sizeof *in);
    kata_unmap(a);
    for (int f = 0; f < 3; f++) {
        int64_t first;
        assert_int_equal(kata_save(a, files[f]), KATA_OK);
        assert_int_equal(kata_load(b, files[f]), KATA_OK);
        kata_get(b, kata_all(g), out, POINTS);
        assert_memory_equal(out, in, sizeof in);
        assert_int_equal(kata_load(wide, files[f]), KATA_OK);
        kata_get(wide, kata_box_2d(g, 0, 1, 0, 1), &first, 1);
        assert_int_equal(first, in[0]);
        unlink(files[f]);
    }
    assert_int_equal(kata_close(k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blur_equals_plain_c),
        cmocka_unit_test(test_values_wrap_and_saturate_as_in_c),
        cmocka_unit_test(test_they_are_mapped_saved_and_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
