/* The elementary functions: errors against MPFR over random and hard operands, special operands as
 * Annex F has them, and the same bits from vectorised and unoptimised code.
 *
 * Usage: test_elementary [samples per function and type]. The default takes about two seconds.
 */
/* Labels: compiler */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <float.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "elementary_apply.h"

enum { BLOCK = 251, PRECISION = 140 };

static int samples = 16000;

/* ---- operands ------------------------------------------------------------------------------ */

static uint64_t random_state;

/* splitmix64 (Steele, Lea and Flood, OOPSLA 2014). */
static uint64_t random_bits(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* In [-1, 1). */
static double random_unit(void) { return (double)(int64_t)random_bits() * 0x1p-63; }

static int random_below(int n) { return (int)(random_bits() % (uint64_t)n); }

static double nudge(double x)
{
    for (int i = random_below(4); i > 0; i--) x = nextafter(x, i % 2 ? INFINITY : -INFINITY);
    return x;
}

static double random_pattern(int single)
{
    uint64_t u = random_bits();
    uint32_t v = (uint32_t)(u >> 32);
    double x;
    float f;
    memcpy(&x, &u, sizeof x);
    memcpy(&f, &v, sizeof f);
    return single ? (double)f : x;
}

static const double special[] = {0.0,
                                 -0.0,
                                 INFINITY,
                                 -INFINITY,
                                 NAN,
                                 1,
                                 -1,
                                 0.5,
                                 -0.5,
                                 1.5,
                                 2,
                                 -2,
                                 2.5,
                                 3,
                                 -3,
                                 4,
                                 -4,
                                 10,
                                 0.1,
                                 27,
                                 0x1p-1074,
                                 -0x1p-1074,
                                 0x1.fffffffffffffp-1023,
                                 0x1p-1022,
                                 -0x1p-1022,
                                 DBL_MAX,
                                 -DBL_MAX,
                                 0x1p52,
                                 0x1p53,
                                 -0x1p53,
                                 0x1.fffffffffffffp52,
                                 -0x1.fffffffffffffp52,
                                 0x1.fffffffffffffp51,
                                 0x1p54,
                                 0x1p63,
                                 0x1.fffffffffffffp-1,
                                 -0x1.fffffffffffffp-1,
                                 0x1.0000000000001p0,
                                 -0x1.0000000000001p0,
                                 0x1.fffffffffffffp-2,
                                 0x1p-149,
                                 -0x1p-149,
                                 0x1p-126,
                                 0x1.fffffep127,
                                 -0x1.fffffep127,
                                 0x1p23,
                                 0x1.fffffep23,
                                 -0x1.fffffep23,
                                 0x1.fffffep-1,
                                 0x1.000002p0,
                                 0x1.fffffep-2,
                                 0x1p-28,
                                 0x1p-60,
                                 1e5,
                                 1e22};
enum { SPECIALS = sizeof special / sizeof special[0] };

/* Where results overflow, underflow or leave a region, and the double nearest to a multiple of pi/2
 * (Muller, "Elementary Functions", table 11.1). */
static const double threshold[] = {0x1.62e42fefa39efp9,
                                   -0x1.6232bdd7abcd2p9,
                                   -0x1.74910d52d3051p9,
                                   0x1.633ce8fb9f87dp9,
                                   1024,
                                   -1022,
                                   -1075,
                                   -1074,
                                   0x1.62e42ep6,
                                   -0x1.9fe368p6,
                                   -0x1.5d589ep6,
                                   0x1.65a9f8p6,
                                   128,
                                   -126,
                                   -149,
                                   -150,
                                   37.4,
                                   -37.4,
                                   19.1,
                                   22.2,
                                   0.34657359,
                                   1.0397207,
                                   0.41421356,
                                   2.41421356,
                                   0.70710678,
                                   1.41421356,
                                   5.92,
                                   6,
                                   0.78539816,
                                   0x1.6ac5b262ca1ffp+849,
                                   0x1.f9cbe2p+7,
                                   0x1.5bea0ap+0,
                                   16367173.0 * 0x1p72};
enum { THRESHOLDS = sizeof threshold / sizeof threshold[0] };

static double near_pi_multiple(void)
{
    double k = floor(ldexp(random_unit(), random_below(60)));
    return nudge((double)((long double)k * 1.57079632679489661923132169163975144L));
}

static double random_operand(int single)
{
    switch (random_below(8)) {
    case 0: return random_pattern(single);
    case 1: return 8 * random_unit();
    case 2: return random_unit();
    case 3: return ldexp(random_unit(), random_below(80) - 40);
    case 4: return near_pi_multiple();
    case 5: return nudge(1 + ldexp(random_unit(), -random_below(54))) * (random_below(2) ? 1 : -1);
    case 6:
        return threshold[random_below(THRESHOLDS)] * (1 + ldexp(random_unit(), -random_below(55)));
    default: return 800 * random_unit();
    }
}

/* A second operand that makes x hard: a power near the ends of the range, an integer, a number near
 * |x|, a multiple of x, or one far from it. */
static double random_partner(double x, int single)
{
    double size = single ? 105 : 760;
    switch (random_below(6)) {
    case 0: return size * random_unit() / log(fabs(x));
    case 1: return floor(64 * random_unit());
    case 2: return nudge(x * (1 + ldexp(random_unit(), -random_below(54))));
    case 3: return x * floor(ldexp(random_unit(), random_below(30)));
    case 4: return ldexp(x, random_below(120) - 60) * random_unit();
    default: return random_operand(single);
    }
}

static void fill(double *x, double *y, int n, int single)
{
    for (int i = 0; i < n; i++) {
        x[i] = random_operand(single);
        if (single) x[i] = (double)(float)x[i];
        y[i] = random_partner(x[i], single);
        if (single) y[i] = (double)(float)y[i];
    }
}

/* ---- judging ------------------------------------------------------------------------------- */

typedef int (*exact_1)(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int (*exact_2)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

static int round_away(mpfr_t r, const mpfr_t x, mpfr_rnd_t mode)
{
    (void)mode;
    return mpfr_round(r, x);
}
#undef mpfr_round
#define mpfr_round round_away

#define EXACT(name) mpfr_##name,
static const exact_1 exact_one[] = {ELEMENTARY_ONE(EXACT)};
static const exact_2 exact_two[] = {ELEMENTARY_TWO(EXACT)};
enum { ONES = sizeof exact_one / sizeof exact_one[0] };
#undef mpfr_round

static mpfr_t operand_x, operand_y, exact, difference;

static void exact_result(int f, double x, double y)
{
    mpfr_set_d(operand_x, x, MPFR_RNDN);
    mpfr_set_d(operand_y, y, MPFR_RNDN);
    if (f < ONES)
        exact_one[f](exact, operand_x, MPFR_RNDN);
    else
        exact_two[f - ONES](exact, operand_x, operand_y, MPFR_RNDN);
}

/* Ulps between got and the exact result; infinity counts as the power of two after the largest
 * number, and a wrong NaN, a wrong sign or a finite result for a pole as 1e30. */
static double error_in_ulps(double got, int single)
{
    long bits = single ? 24 : 53, lowest = single ? -149 : -1074, top = single ? 128 : 1024;
    if (mpfr_nan_p(exact) || isnan(got)) return mpfr_nan_p(exact) && isnan(got) ? 0 : 1e30;
    if (!!signbit(got) != !!mpfr_signbit(exact)) return 1e30;
    if (mpfr_inf_p(exact) || mpfr_zero_p(exact))
        return got == mpfr_get_d(exact, MPFR_RNDN) ? 0 : 1e30;
    if (mpfr_get_exp(exact) > top) mpfr_set_si_2exp(exact, got < 0 ? -1 : 1, top, MPFR_RNDN);
    if (isinf(got))
        mpfr_set_si_2exp(difference, got < 0 ? -1 : 1, top, MPFR_RNDN);
    else
        mpfr_set_d(difference, got, MPFR_RNDN);
    long exponent = mpfr_get_exp(exact) - bits;
    exponent = exponent > top - bits ? top - bits : exponent;
    mpfr_sub(difference, difference, exact, MPFR_RNDN);
    mpfr_mul_2si(difference, difference, -(exponent < lowest ? lowest : exponent), MPFR_RNDN);
    return fabs(mpfr_get_d(difference, MPFR_RNDN));
}

typedef struct worst {
    double ulps, x, y;
} worst;

static int same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && !signbit(a) == !signbit(b));
}

/* Applies function f both ways to n <= BLOCK operands, and keeps the worst error. */
static void judge_block(int f, int single, const double *x, const double *y, int n, worst *w)
{
    double fast[BLOCK], plain[BLOCK];
    float xs[BLOCK] = {0}, ys[BLOCK] = {0}, fast_s[BLOCK], plain_s[BLOCK];
    if (single) {
        for (int i = 0; i < n; i++) {
            xs[i] = (float)x[i];
            ys[i] = (float)y[i];
        }
        elementary_fast[f].f32(xs, ys, fast_s, n);
        elementary_plain[f].f32(xs, ys, plain_s, n);
        for (int i = 0; i < n; i++) {
            fast[i] = (double)fast_s[i];
            plain[i] = (double)plain_s[i];
        }
    } else {
        elementary_fast[f].f64(x, y, fast, n);
        elementary_plain[f].f64(x, y, plain, n);
    }
    for (int i = 0; i < n; i++) {
        if (!same(fast[i], plain[i]))
            fail_msg("%s(%a, %a): vectorised %a, plain %a", elementary_fast[f].name, x[i], y[i],
                     fast[i], plain[i]);
        exact_result(f, x[i], y[i]);
        double ulps = error_in_ulps(plain[i], single);
        if (ulps > w->ulps) *w = (worst){ulps, x[i], y[i]};
    }
}

/* The contract at the head of elementary.h. */
static double limit(const char *name, int single)
{
    if (!strcmp(name, "fmod") || !strcmp(name, "round")) return 0;
    if (single) return 0.51;
    return !strcmp(name, "erf") || !strcmp(name, "expm1") ? 1.1 : 1;
}

static int report(int f, int single, worst w)
{
    const char *name = elementary_fast[f].name;
    int bad = w.ulps > limit(name, single);
    printf("%-6s %s  %.4g ulp at %a", name, single ? "f32" : "f64", w.ulps, w.x);
    if (elementary_fast[f].operands == 2) printf(", %a", w.y);
    printf(bad ? "  beyond the limit\n" : "\n");
    return bad;
}

/* ---- tests --------------------------------------------------------------------------------- */

static void errors_stay_below_the_limit(void **state)
{
    (void)state;
    int bad = 0;
    for (int f = 0; f < ELEMENTARY_COUNT; f++) {
        for (int single = 0; single < 2; single++) {
            double x[BLOCK], y[BLOCK];
            worst w = {0, 0, 0};
            random_state = 1;
            for (int done = 0; done < samples; done += BLOCK) {
                fill(x, y, BLOCK, single);
                judge_block(f, single, x, y, BLOCK, &w);
            }
            bad += report(f, single, w);
        }
    }
    assert_int_equal(bad, 0);
}

/* Every special operand, or pair of them; blocks of every length up to SPECIALS give every
 * remainder. */
static void special_operands_follow_annex_f(void **state)
{
    (void)state;
    int bad = 0;
    for (int f = 0; f < ELEMENTARY_COUNT; f++) {
        for (int single = 0; single < 2; single++) {
            double x[SPECIALS], y[SPECIALS];
            worst w = {0, 0, 0};
            for (int n = 0; n < (elementary_fast[f].operands == 2 ? SPECIALS : 1); n++) {
                for (int i = 0; i < SPECIALS; i++) {
                    x[i] = single ? (double)(float)special[i] : special[i];
                    y[i] = single ? (double)(float)special[n] : special[n];
                }
                judge_block(f, single, x, y, SPECIALS, &w);
            }
            if (w.ulps > limit(elementary_fast[f].name, single)) bad += report(f, single, w);
        }
    }
    assert_int_equal(bad, 0);
}

static void every_remainder_gives_the_same_bits(void **state)
{
    (void)state;
    double x[BLOCK], y[BLOCK];
    random_state = 2;
    fill(x, y, BLOCK, 0);
    for (int f = 0; f < ELEMENTARY_COUNT; f++) {
        double whole[BLOCK], part[BLOCK];
        elementary_fast[f].f64(x, y, whole, BLOCK);
        for (int n = 1; n < 40; n++) {
            elementary_fast[f].f64(x + n, y + n, part, n);
            for (int i = 0; i < n; i++) assert_true(same(part[i], whole[n + i]));
        }
    }
}

int main(int argc, char **argv)
{
    if (argc > 1) samples = atoi(argv[1]);
    mpfr_inits2(PRECISION, operand_x, operand_y, exact, difference, (mpfr_ptr)0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_stay_below_the_limit),
        cmocka_unit_test(special_operands_follow_annex_f),
        cmocka_unit_test(every_remainder_gives_the_same_bits),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mpfr_clears(operand_x, operand_y, exact, difference, (mpfr_ptr)0);
    mpfr_free_cache();
    return failed;
}
