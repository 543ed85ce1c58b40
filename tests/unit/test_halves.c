/* Numbers stored as f16: compiled kernels convert them a vector at a time, by instructions of the
 * processor where it has them, and get the bits that the integer code gets, for every pattern of
 * f16 and every float (with KATA_TEST_FULL; otherwise for those that lie on, or next to, what
 * rounding depends on). */
/* Labels: hostile compiler */
#include "ir/ir.h"

#include "ir/arithmetic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char convert[] = "kernel convert(in float u, out float v) { v = u; }\n";

static uint32_t word_of(float x)
{
    uint32_t word;
    memcpy(&word, &x, sizeof word);
    return word;
}

/* v = u for all points, by the executor cpu: values in memory of the test. */
static void run(kata_type from, const void *u, kata_type to, void *v, int64_t count)
{
    kata *k = kata_open(&(kata_options){.executor = "cpu", .threads = 1, .wait = true});
    kata_grid *g = kata_grid_1d(k, count);
    kata_field *a = kata_field_wrap(g, "a", from, (void *)(uintptr_t)u);
    kata_field *b = kata_field_wrap(g, "b", to, v);
    kata_module *m = kata_module_from_text(k, "convert", convert);
    kata_apply(kata_kernel_find(m, "convert"), kata_all(g), a, b);
    kata_flush(k);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void every_f16_becomes_the_float_that_it_means(void **state)
{
    enum { COUNT = 65536 };
    static uint16_t halves[COUNT];
    static float found[COUNT];
    (void)state;
    for (int i = 0; i < COUNT; i++) halves[i] = (uint16_t)i;
    run(KATA_F16, halves, KATA_F32, found, COUNT);
    for (int i = 0; i < COUNT; i++)
        if (word_of(found[i]) != word_of(kata_f32_of_f16(halves[i])))
            fail_msg("%04x becomes %08x, not %08x", (unsigned)i, word_of(found[i]),
                     word_of(kata_f32_of_f16(halves[i])));
}

static void check_floats(const uint32_t *words, int64_t count)
{
    uint16_t *found = malloc((size_t)count * sizeof *found);
    assert_non_null(found);
    run(KATA_F32, words, KATA_F16, found, count);
    for (int64_t i = 0; i < count; i++) {
        float x;
        memcpy(&x, &words[i], sizeof x);
        if (found[i] != kata_f16_of_f32(x))
            fail_msg("%08x becomes %04x, not %04x", words[i], found[i], kata_f16_of_f32(x));
    }
    free(found);
}

/* The lowest 13 bits are cut off where nothing is subnormal; more of them, below. All values of the
 * others, with those of the lowest that rounding tells apart. */
static int64_t fill(uint32_t *words, uint32_t high, bool full)
{
    static const uint32_t some[] = {0, 1, 0x0ffe, 0x0fff};
    const uint32_t each = full ? 4096 : 4;
    int64_t count = 0;
    for (uint32_t middle = 0; middle < 4096; middle++)
        for (uint32_t low = 0; low < each; low++)
            words[count++] = high << 24 | middle << 12 | (full ? low : some[low]);
    return count;
}

static void every_float_becomes_the_nearest_f16(void **state)
{
    const char *wish = getenv("KATA_TEST_FULL");
    const bool full = wish && wish[0] == '1';
    const int parts = full ? 1 : 16;
    uint32_t *words = malloc(sizeof *words << 24);
    (void)state;
    assert_non_null(words);
    for (uint32_t high = 0; high < 256; high += (uint32_t)parts) {
        int64_t count = 0;
        for (uint32_t part = 0; part < (uint32_t)parts; part++)
            count += fill(words + count, high + part, full);
        check_floats(words, count);
    }
    free(words);
}

/* Results in the place of what is read, in rows of all lengths: vectors, and points behind them. */
static void halves_are_changed_in_place(void **state)
{
    static const char text[] = "kernel change(inout float f[3], float c)\n"
                               "{ float s = f[0] + f[1] + f[2]; f[0] = s*c; f[1] = f[1] - s/7; if "
                               "(s > 0) f[2] = f[0]/3; }\n";
    enum { MOST = 70, NY = 3, ALL = 3 * MOST * NY };
    (void)state;
    for (int nx = 1; nx <= MOST; nx++) {
        float values[ALL], found[2][ALL];
        for (int i = 0; i < ALL; i++) values[i] = (float)(i * 7919 % 4093) * 0.37f - 700;
        for (int way = 0; way < 2; way++) {
            kata *k = kata_open(
                &(kata_options){.executor = way ? "cpu" : "reference", .threads = 2, .wait = true});
            kata_grid *g = kata_grid_2d(k, nx, NY);
            kata_field *f = kata_field_new(g, "f", KATA_F16, .components = 3);
            kata_module *m = kata_module_from_text(k, "text", text);
            kata_put(f, kata_all(g), values, 3 * nx * NY);
            for (int step = 0; step < 3; step++)
                kata_apply(kata_kernel_find(m, "change"), kata_all(g), f, 0.3f);
            kata_get(f, kata_all(g), found[way], 3 * nx * NY);
            assert_int_equal(kata_close(k), KATA_OK);
        }
        assert_memory_equal(found[0], found[1], (size_t)(3 * nx * NY) * sizeof(float));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_f16_becomes_the_float_that_it_means),
        cmocka_unit_test(every_float_becomes_the_nearest_f16),
        cmocka_unit_test(halves_are_changed_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
