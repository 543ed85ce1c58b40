/* Kernels with many results for each point hold them back and write them in pieces, past the caches
 * where fields are large (in the hostile build all are). With narrow types and odd rows, compiled
 * kernels give what the reference executor gives. */
/* Labels: hostile */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_X = 1000, Y = 3, RESULTS = 6, MOST = MOST_X * Y * RESULTS };

static const char text[] = "kernel bytes(in uchar u, out uchar v[6])\n"
                           "{ for (int q = 0; q < 6; q++) v[q] = u*(q + 1) + q; }\n"
                           "kernel parts(in float u, out float v[6])\n"
                           "{ for (int q = 0; q < 6; q++) v[q] = u*(q + 1) + 0.125f*q; }\n";

/* The results on rows of nx points; the first point of each row is left out. */
static void compute(const char *executor, kata_type type, int nx, double values[MOST])
{
    kata *k = kata_open(&(kata_options){.executor = executor, .wait = true});
    kata_grid *g = kata_grid_2d(k, nx, Y);
    kata_module *m = kata_module_from_text(k, "text", text);
    bool bytes = type == KATA_U8;
    kata_kernel *kernel = kata_kernel_find(m, bytes ? "bytes" : "parts");
    kata_field *u = kata_field_new(g, "u", type);
    kata_field *v = kata_field_new(g, "v", type, .components = RESULTS);
    unsigned char in[MOST_X * Y], out[MOST];
    for (int i = 0; i < nx * Y; i++) in[i] = (unsigned char)(i * 37 % 251);
    for (int i = 0; i < nx * Y; i++) values[i] = in[i] / 256.0;
    if (bytes)
        kata_put(u, kata_all(g), in, nx * Y);
    else
        kata_put(u, kata_all(g), values, nx * Y);
    kata_apply(kernel, kata_box_2d(g, 1, nx, 0, Y), u, v);
    if (!bytes) kata_get(v, kata_all(g), values, nx * Y * RESULTS);
    if (bytes) kata_get(v, kata_all(g), out, nx * Y * RESULTS);
    for (int i = 0; bytes && i < nx * Y * RESULTS; i++) values[i] = out[i];
    assert_int_equal(kata_close(k), KATA_OK);
}

static void narrow_results_are_written_in_pieces(void **state)
{
    static const kata_type types[] = {KATA_U8,   KATA_UNORM8, KATA_F16,
                                      KATA_BF16, KATA_F32,    KATA_F64};
    static const int sizes[] = {2, 15, 17, 63, 129, 257, MOST_X};
    static double expected[MOST], found[MOST];
    (void)state;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            compute("reference", types[t], sizes[i], expected);
            compute("cpu", types[t], sizes[i], found);
            size_t count = (size_t)(sizes[i] * Y * RESULTS);
            assert_memory_equal(expected, found, count * sizeof *found);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(narrow_results_are_written_in_pieces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
