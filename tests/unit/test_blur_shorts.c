/* The blur of three by three points in 16 bits, as image pipelines have it: sums wrap at 16 bits,
 * and both passes have the bits of loops in C. */
/* Labels: hostile */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char blur[] = "kernel along_x(in ushort image, out ushort pass)\n"
                           "{ ushort sum = image + image[1,0] + image[2,0]; pass = sum/3; }\n"
                           "kernel along_y(in ushort pass, out ushort blurred)\n"
                           "{ ushort sum = pass + pass[0,1] + pass[0,2]; blurred = sum/3; }\n"
                           "kernel at_once(in ushort image, out ushort blurred)\n"
                           "{\n"
                           "    ushort pass[3];\n"
                           "    for (int j = 0; j < 3; j++) {\n"
                           "        ushort sum = image[0,j] + image[1,j] + image[2,j];\n"
                           "        pass[j] = sum/3;\n"
                           "    }\n"
                           "    ushort sum = pass[0] + pass[1] + pass[2];\n"
                           "    blurred = sum/3;\n"
                           "}\n";

enum { NX = 101, NY = 37, WX = NX - 2, WY = NY - 2 };

static void by_loops(const uint16_t image[NY][NX], uint16_t blurred[WY][WX])
{
    static uint16_t pass[NY][WX];
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < WX; x++) {
            uint16_t sum = (uint16_t)(image[y][x] + image[y][x + 1] + image[y][x + 2]);
            pass[y][x] = (uint16_t)(sum / 3);
        }
    for (int y = 0; y < WY; y++)
        for (int x = 0; x < WX; x++) {
            uint16_t sum = (uint16_t)(pass[y][x] + pass[y + 1][x] + pass[y + 2][x]);
            blurred[y][x] = (uint16_t)(sum / 3);
        }
}

/* In two passes, with the first one's values as they are needed, or in one. */
static void by_kernels(const kata_options *options, bool at_once, const uint16_t image[NY][NX],
                       uint16_t blurred[WY][WX])
{
    kata *k = kata_open(options);
    kata_module *m = kata_module_from_text(k, "blur", blur);
    kata_grid *g = kata_grid_2d(k, NX, NY);
    kata_field *in = kata_field_new(g, "image", KATA_U16), *out = kata_field_like(in, "blurred");
    kata_field *pass = kata_field_new(g, "pass", KATA_U16, .temporary = true);
    kata_range all = kata_box_2d(g, 0, WX, 0, WY);
    kata_put(in, kata_all(g), &image[0][0], (int64_t)NX * NY);
    if (at_once) {
        kata_apply(kata_kernel_find(m, "at_once"), all, in, out);
    } else {
        kata_apply(kata_kernel_find(m, "along_x"), kata_needed(g), in, pass);
        kata_apply(kata_kernel_find(m, "along_y"), all, pass, out);
    }
    kata_get(out, all, &blurred[0][0], (int64_t)WX * WY);
    assert_int_equal(kata_close(k), KATA_OK);
}

/* Up to the largest value whose sums of three fit, and beyond. */
static void check(uint32_t largest)
{
    static const kata_options ways[] = {{.executor = "cpu", .threads = 1, .wait = true},
                                        {.executor = "cpu", .threads = 2, .wait = true},
                                        {.executor = "reference"}};
    static uint16_t image[NY][NX], expected[WY][WX], found[WY][WX];
    uint32_t random = 1;
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++) {
            random = random * 1664525 + 1013904223;
            image[y][x] = (uint16_t)((random >> 8) % (largest + 1));
        }
    by_loops((const uint16_t(*)[NX])image, expected);
    for (size_t i = 0; i < 2 * (sizeof ways / sizeof *ways); i++) {
        by_kernels(&ways[i / 2], i % 2, (const uint16_t(*)[NX])image, found);
        assert_memory_equal(found, expected, sizeof found);
    }
}

static void test_blur_of_pictures(void **state)
{
    (void)state;
    check(1023);
    check(UINT16_MAX / 3);
}

static void test_sums_wrap(void **state)
{
    (void)state;
    check(UINT16_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blur_of_pictures),
        cmocka_unit_test(test_sums_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
