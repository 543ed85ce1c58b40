/* Stored numbers of 8 and 16 bits: every pattern, and values between them, against MPFR. */
#include "ir/ir.h"

#include "ir/arithmetic.h"

#include <math.h>
#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A binary format of 16 bits. */
typedef struct format {
    int precision, least_exponent, largest_exponent; /* as MPFR counts them */
    float (*widen)(uint16_t);
    uint16_t (*narrow)(float);
    double (*widen_double)(uint16_t);
    uint16_t (*narrow_double)(double);
    uint16_t infinity;
} format;

#define NAMED(t)                                                                                   \
    static float widen_##t(uint16_t h) { return kata_f32_of_##t(h); }                              \
    static uint16_t narrow_##t(float x) { return kata_##t##_of_f32(x); }                           \
    static double widen_double_##t(uint16_t h) { return kata_f64_of_##t(h); }                      \
    static uint16_t narrow_double_##t(double x) { return kata_##t##_of_f64(x); }
NAMED(f16)
NAMED(bf16)

static const format formats[] = {
    {11, -23, 16, widen_f16, narrow_f16, widen_double_f16, narrow_double_f16, 0x7c00},
    {8, -132, 128, widen_bf16, narrow_bf16, widen_double_bf16, narrow_double_bf16, 0x7f80},
};

/* x to the nearest number of the format, ties to even, by MPFR. */
static double rounded(const format *f, float x)
{
    mpfr_t y;
    mpfr_exp_t low = mpfr_get_emin(), high = mpfr_get_emax();
    mpfr_init2(y, f->precision);
    mpfr_set_emin(f->least_exponent);
    mpfr_set_emax(f->largest_exponent);
    int inexact = mpfr_set_flt(y, x, MPFR_RNDN);
    inexact = mpfr_check_range(y, inexact, MPFR_RNDN);
    mpfr_subnormalize(y, inexact, MPFR_RNDN);
    mpfr_set_emin(low);
    mpfr_set_emax(high);
    double result = mpfr_get_d(y, MPFR_RNDN);
    mpfr_clear(y);
    return result;
}

/* The number that a pattern means, from the definition of the format. */
static double meaning(const format *f, uint16_t h)
{
    int bits = f->precision - 1, field = (h & 0x7fff) >> bits, digits = h & ((1 << bits) - 1);
    int least = f->least_exponent - 1;
    double size = field ? ldexp(digits + (1 << bits), least + field - 1) : ldexp(digits, least);
    return h & 0x8000 ? -size : size;
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static bool same(double a, double b) { return a == b && !signbit(a) == !signbit(b); }

static void every_half_is_what_it_means_and_comes_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(formats); i++)
        for (uint32_t h = 0; h < 65536; h++) {
            const format *f = &formats[i];
            uint16_t half = (uint16_t)h, size = half & 0x7fff;
            float x = f->widen(half);
            bool nan = size > f->infinity;
            uint16_t quiet = nan ? (uint16_t)(half | 1 << (f->precision - 2)) : half;
            assert_int_equal(f->narrow(x), quiet);
            assert_int_equal(f->narrow_double(f->widen_double(half)), quiet);
            if (nan)
                assert_true(isnan(x) && isnan(f->widen_double(half)));
            else if (size == f->infinity)
                assert_true(same((double)x, half & 0x8000 ? -HUGE_VAL : HUGE_VAL));
            else
                assert_true(same((double)x, meaning(f, half)));
            assert_true(nan || same((double)x, f->widen_double(half)));
        }
}

static void check_rounding(const format *f, float x)
{
    double expected = rounded(f, x), found = (double)f->widen(f->narrow(x));
    if (!same(expected, found)) fail_msg("%a becomes %a, not %a", (double)x, found, expected);
    assert_int_equal(f->narrow_double((double)x), f->narrow(x));
}

/* Each number, the one half-way to the next, and the floats beside both. */
static void halves_round_to_nearest_even(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(formats); i++) {
        const format *f = &formats[i];
        for (uint32_t h = 0; h < f->infinity; h++) {
            float here = f->widen((uint16_t)h), next = f->widen((uint16_t)(h + 1));
            double last = isinf(next) ? ldexp(1, f->largest_exponent) : (double)next;
            float middle = (float)(((double)here + last) / 2);
            for (uint32_t side = 0; side < 3; side++) {
                check_rounding(f, float_of(bits_of(middle) + side - 1));
                check_rounding(f, -float_of(bits_of(middle) + side - 1));
                if (bits_of(here) + side > 0) check_rounding(f, float_of(bits_of(here) + side - 1));
            }
        }
    }
}

static uint64_t random_bits(void)
{
    static uint64_t x = 88172645463325252u;
    x ^= x << 13;
    x ^= x >> 7;
    return x ^= x << 17;
}

static void random_floats_round_to_nearest_even(void **state)
{
    (void)state;
    for (int n = 0; n < 400000; n++) {
        uint32_t bits = (uint32_t)(random_bits() >> 20);
        if (n % 2) bits = (bits & 0x8fffffff) | 0x30000000; /* near the subnormals of f16 */
        if (!isfinite(float_of(bits))) continue;
        for (size_t i = 0; i < COUNT_OF(formats); i++) check_rounding(&formats[i], float_of(bits));
    }
}

static void doubles_become_halves_by_way_of_floats(void **state)
{
    (void)state;
    /* half-way for f16, a little more for f64, half-way again once it is an f32 */
    double x = 1 + ldexp(1, -11) + ldexp(1, -30);
    assert_int_equal(kata_f16_of_f64(x), 0x3c00);
    assert_int_equal(kata_bf16_of_f64(1 + ldexp(1, -8) + ldexp(1, -30)), 0x3f80);
    for (int n = 0; n < 400000; n++) {
        uint64_t bits = random_bits();
        if (n % 2) bits = (bits & 0xbfffffffffffffff) % 0x0200000000000000 + 0x3e00000000000000;
        memcpy(&x, &bits, sizeof x);
        for (size_t i = 0; i < COUNT_OF(formats) && x == x; i++)
            assert_int_equal(formats[i].narrow_double(x), formats[i].narrow((float)x));
    }
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static void every_byte_comes_back(void **state)
{
    (void)state;
    for (int b = 0; b < 256; b++) {
        uint8_t byte = (uint8_t)b;
        assert_int_equal(kata_u8_of_i32(kata_i32_of_u8(byte)), b);
        assert_int_equal(kata_u8_of_i64(kata_i64_of_u8(byte)), b);
        assert_true(kata_f32_of_unorm8(byte) == (float)b / 255);
        assert_true(kata_f64_of_unorm8(byte) == (double)b / 255);
        assert_int_equal(kata_unorm8_of_f32(kata_f32_of_unorm8(byte)), b);
        assert_int_equal(kata_unorm8_of_f64(kata_f64_of_unorm8(byte)), b);
        assert_int_equal(kata_unorm8_of_f32((float)kata_f64_of_unorm8(byte)), b);
    }
}

static void bytes_of_integers_wrap_and_of_others_saturate(void **state)
{
    (void)state;
    assert_int_equal(kata_u8_of_i32(-1), 255);
    assert_int_equal(kata_u8_of_i32(256 + 7), 7);
    assert_int_equal(kata_u8_of_i64(INT64_MIN + 9), 9);
    static const double from[] = {-1, -0.0, 0.99, 1, 254.99, 255, 256, 1e300, -1e300};
    static const int to[] = {0, 0, 0, 1, 254, 255, 255, 255, 0};
    for (size_t i = 0; i < COUNT_OF(from); i++) {
        assert_int_equal(kata_u8_of_f64(from[i]), to[i]);
        assert_int_equal(kata_u8_of_f32((float)from[i]), to[i]);
    }
    assert_int_equal(kata_u8_of_f64((double)NAN), 0);
    assert_int_equal(kata_u8_of_f32(NAN), 0);
    assert_int_equal(kata_u8_of_f64((double)INFINITY), 255);
}

/* Known only when the program runs: what compilers make of them in advance may be another thing. */
static void integers_of_others_saturate(void **state)
{
    (void)state;
    static const struct {
        double from;
        int64_t i32, i64;
    } cases[] = {
        {2147483646.75, 2147483646, 2147483646},
        {2147483647, INT32_MAX, 2147483647},
        {2147483648, INT32_MAX, 2147483648},
        {-2147483648.75, INT32_MIN, -2147483648},
        {-2147483649, INT32_MIN, -2147483649},
        {0x1.fffffffffffffp62, INT32_MAX, 9223372036854774784},
        {0x1p63, INT32_MAX, INT64_MAX},
        {-0x1p63, INT32_MIN, INT64_MIN},
        {-0x1.0000000000001p63, INT32_MIN, INT64_MIN},
        {1e300, INT32_MAX, INT64_MAX},
        {-1e300, INT32_MIN, INT64_MIN},
        {(double)INFINITY, INT32_MAX, INT64_MAX},
        {-(double)INFINITY, INT32_MIN, INT64_MIN},
        {(double)NAN, 0, 0},
        {-0.99, 0, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        volatile double x = cases[i].from;
        assert_int_equal(kata_i32_of_f64(x), cases[i].i32);
        assert_int_equal(kata_i64_of_f64(x), cases[i].i64);
    }
    volatile float high = 0x1p31f, far = 0x1p63f;
    assert_int_equal(kata_i32_of_f32(high), INT32_MAX);
    assert_int_equal(kata_i32_of_f32(-far), INT32_MIN);
    assert_int_equal(kata_i64_of_f32(far), INT64_MAX);
    assert_int_equal(kata_i64_of_f32(-far), INT64_MIN);
}

static void fractions_round_to_the_nearest_byte(void **state)
{
    (void)state;
    for (int n = 0; n <= 100000; n++) {
        double x = (double)n / 80000 - 0.125;
        long expected = x <= 0 ? 0 : x >= 1 ? 255 : (long)floor(x * 255 + 0.5);
        assert_int_equal(kata_unorm8_of_f64(x), expected);
    }
    assert_int_equal(kata_unorm8_of_f64((double)NAN), 0);
    assert_int_equal(kata_unorm8_of_f32(NAN), 0);
    assert_int_equal(kata_unorm8_of_f32(INFINITY), 255);
    assert_int_equal(kata_unorm8_of_f32(-INFINITY), 0);
}

/* ---- elements -------------------------------------------------------------------------------- */

static void elements_are_read_and_written_in_any_type(void **state)
{
    (void)state;
    uint8_t byte = 0;
    uint16_t half = 0;
    ir_storage_write(KATA_U8, IR_F64, ir_value_of_double(IR_F64, 300), &byte);
    assert_int_equal(byte, 255);
    ir_storage_write(KATA_U8, IR_I32, ir_value_of_int(IR_I32, 300), &byte);
    assert_int_equal(byte, 44);
    assert_int_equal(ir_storage_read(KATA_U8, IR_I64, &byte).i64, 44);
    byte = 51;
    assert_true(ir_storage_read(KATA_UNORM8, IR_F64, &byte).f64 == 51 / 255.0);
    assert_true(ir_storage_read(KATA_UNORM8, IR_F32, &byte).f32 == 51 / 255.0f);
    ir_storage_write(KATA_F16, IR_F64, ir_value_of_double(IR_F64, 1.5), &half);
    assert_int_equal(half, 0x3e00);
    assert_true(ir_storage_read(KATA_F16, IR_F64, &half).f64 == 1.5);
    ir_storage_write(KATA_BF16, IR_F32, ir_value_of_double(IR_F32, 1.5), &half);
    assert_int_equal(half, 0x3fc0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_half_is_what_it_means_and_comes_back),
        cmocka_unit_test(halves_round_to_nearest_even),
        cmocka_unit_test(random_floats_round_to_nearest_even),
        cmocka_unit_test(doubles_become_halves_by_way_of_floats),
        cmocka_unit_test(every_byte_comes_back),
        cmocka_unit_test(bytes_of_integers_wrap_and_of_others_saturate),
        cmocka_unit_test(integers_of_others_saturate),
        cmocka_unit_test(fractions_round_to_the_nearest_byte),
        cmocka_unit_test(elements_are_read_and_written_in_any_type),
    };
    return cmocka_run_group_tests_name("conversion", tests, NULL, NULL);
}
