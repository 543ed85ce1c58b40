/* The colour map: known ends, and lightness that grows evenly with the value. */
/* Labels: hostile threads */
#include "io/io.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_colour(double t, int red, int green, int blue)
{
    uint8_t rgb[3];
    io_viridis(t, rgb);
    assert_int_equal(rgb[0], red);
    assert_int_equal(rgb[1], green);
    assert_int_equal(rgb[2], blue);
}

static void ends_and_middle_are_those_of_matplotlib(void **state)
{
    (void)state;
    assert_colour(0, 0x44, 0x01, 0x54);
    assert_colour(1, 0xfd, 0xe7, 0x25);
    assert_colour(128.0 / 255, 0x21, 0x91, 0x8c);
}

static void values_outside_take_the_colour_of_the_end(void **state)
{
    (void)state;
    assert_colour(-1e300, 0x44, 0x01, 0x54);
    assert_colour(-INFINITY, 0x44, 0x01, 0x54);
    assert_colour(nextafter(1, 2), 0xfd, 0xe7, 0x25);
    assert_colour(INFINITY, 0xfd, 0xe7, 0x25);
}

static void nan_is_magenta(void **state)
{
    (void)state;
    assert_colour(NAN, 255, 0, 255);
}

/* Lightness L* of CIELAB (0 to 100) of an sRGB colour. */
static double lightness(const uint8_t rgb[3])
{
    static const double weights[3] = {0.2126, 0.7152, 0.0722};
    double y = 0;
    for (int c = 0; c < 3; c++) {
        double v = rgb[c] / 255.0;
        y += weights[c] * (v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
    }
    return y > 216.0 / 24389 ? 116 * cbrt(y) - 16 : y * 24389 / 27;
}

static void lightness_grows_evenly(void **state)
{
    (void)state;
    uint8_t first[3], last[3];
    io_viridis(0, first);
    io_viridis(1, last);
    double low = lightness(first), high = lightness(last), before = -1;
    for (int i = 0; i <= 100; i++) { /* finer steps drown in the rounding to 8 bits */
        uint8_t rgb[3];
        io_viridis(i / 100.0, rgb);
        double now = lightness(rgb), even = low + (high - low) * i / 100;
        assert_true(now > before);
        assert_true(fabs(now - even) < 2);
        before = now;
    }
}

/* Lightest in the middle, and as light at both ends; blue below and red above. */
static void diverging_colours_have_a_middle(void **state)
{
    (void)state;
    uint8_t low[3], middle[3], high[3], nan[3];
    double before = 0;
    io_diverging(-1, low);
    io_diverging(0.5, middle);
    io_diverging(INFINITY, high);
    io_diverging(NAN, nan);
    assert_true(middle[0] == middle[1] && middle[1] == middle[2]);
    assert_true(low[2] > low[0] && high[0] > high[2] && nan[0] == 255 && nan[1] == 0);
    assert_true(fabs(lightness(low) - lightness(high)) < 5);
    for (int i = 0; i <= 50; i++) {
        uint8_t below[3], above[3];
        io_diverging(i / 100.0, below);
        io_diverging(1 - i / 100.0, above);
        assert_true(lightness(below) > before && fabs(lightness(below) - lightness(above)) < 5);
        before = lightness(below);
    }
    assert_true(before > 85);
}

static void near_values_have_near_colours(void **state)
{
    (void)state;
    uint8_t before[3], rgb[3];
    io_viridis(0, before);
    for (int i = 1; i <= 10000; i++) {
        io_viridis(i / 10000.0, rgb);
        for (int c = 0; c < 3; c++) {
            assert_true(abs(rgb[c] - before[c]) <= 1);
            before[c] = rgb[c];
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_and_middle_are_those_of_matplotlib),
        cmocka_unit_test(values_outside_take_the_colour_of_the_end),
        cmocka_unit_test(nan_is_magenta),
        cmocka_unit_test(lightness_grows_evenly),
        cmocka_unit_test(diverging_colours_have_a_middle),
        cmocka_unit_test(near_values_have_near_colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
