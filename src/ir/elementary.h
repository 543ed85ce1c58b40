/* Elementary functions that give the same bits everywhere.
 *
 * This text has two readers: the library includes it (constant folding, the reference executor),
 * and the emitter pastes it in front of generated C kernels. Hence it includes nothing and calls
 * nothing. The trigonometric and hyperbolic half is elementary_trig.h, which comes after this file.
 *
 * Same bits: every body is a fixed sequence of IEEE 754 operations rounded to nearest (+, -, *, /,
 * sqrt), bit operations and selects, so lane, remainder, compiler and optimisation level do not
 * matter, provided that the compiler neither contracts nor reassociates (-ffp-contract=off, no
 * -ffast-math; -fno-math-errno and -fno-trapping-math let loops vectorise). No fma is used: Dekker
 * products are exact without it. Where the mode is not round-to-nearest, or where subnormals are
 * flushed, nothing is promised.
 *
 * Loops over any of these functions vectorise, except over kata_fmod_f64, whose number of steps
 * depends on its operands.
 *
 * Contract: kata_NAME_f64 is within 1 ulp of the exact result (erf and expm1 within 1.1) and
 * kata_NAME_f32 within 0.51 ulp over all operands, subnormal results included; fmod and round are
 * exact. Special operands behave as C17 Annex F says, except that which NaN comes back and which
 * exceptions are raised is unspecified. The f32 functions compute in double and round once.
 *
 * Polynomials interpolate their function at the Chebyshev nodes of the interval named at each, in
 * 260-bit arithmetic, each coefficient then rounded to double; "error" is the largest error,
 * rounding of the coefficients included, relative to the result it contributes to. That is within a
 * factor of two or three of the minimax polynomial.
 *
 * Sources: T. J. Dekker, "A floating-point technique for extending the available precision", Numer.
 * Math. 18 (1971), for pairs; J.-M. Muller et al., "Handbook of Floating-Point Arithmetic", 2nd ed.
 * (2018), for sums, rounding by a large constant and argument reduction; W. J. Cody and W. Waite,
 * "Software Manual for the Elementary Functions" (1980), for splitting ln 2; P. T. P. Tang,
 * "Table-driven implementation of the logarithm function", ACM TOMS 16 (1990), for log through
 * s = (m-1)/(m+1); W. J. Cody, "Rational Chebyshev approximations for the error function", Math.
 * Comp. 23 (1969), for erf through exp(x*x)*erfc(x).
 */
#ifndef KATA_IR_ELEMENTARY_H
#define KATA_IR_ELEMENTARY_H

#define KATA_INLINE static inline __attribute__((unused, always_inline))

/* In front of a table of constants; devices have a memory for them. */
#ifndef KATA_CONSTANTS
#define KATA_CONSTANTS static const
#endif

typedef __UINT64_TYPE__ kata_bits;

/* An unevaluated sum hi + lo, with |lo| at most about an ulp of hi. */
typedef struct kata_pair {
    double hi, lo;
} kata_pair;

/* Compilers for devices have no compound literals. */
KATA_INLINE kata_pair kata_pair_of(double hi, double lo)
{
    kata_pair p = {hi, lo};
    return p;
}

#define KATA_ROUNDER 0x1.8p52 /* x + this - this is x to the nearest integer, for |x| <= 2^51 */
#define KATA_LN2_A 0x1.62e42fefa38p-1 /* ln 2 in 42 bits: times an exponent it is exact */
#define KATA_LN2_B 0x1.ef35793c7673p-45
#define KATA_LN2_HI 0x1.62e42fefa39efp-1
#define KATA_LN2_LO 0x1.abc9e3b39803fp-56
#define KATA_SQRT_HALF_BITS 0x3fe6a09e667f3bcdu
#define KATA_ONE_BITS 0x3ff0000000000000u
#define KATA_MANTISSA 0x000fffffffffffffu
#define KATA_TWO_52_BITS 0x4330000000000000u

/* ---- bits ---------------------------------------------------------------------------------- */

KATA_INLINE kata_bits kata_bits_of(double x)
{
    kata_bits u;
    __builtin_memcpy(&u, &x, sizeof u);
    return u;
}

KATA_INLINE double kata_of_bits(kata_bits u)
{
    double x;
    __builtin_memcpy(&x, &u, sizeof x);
    return x;
}

/* x to the nearest integer, ties to even; |x| <= 2^51. */
KATA_INLINE double kata_nearest(double x) { return x + KATA_ROUNDER - KATA_ROUNDER; }

/* An integer below 2^52, as a double. */
KATA_INLINE double kata_of_int(kata_bits u) { return kata_of_bits(u | KATA_TWO_52_BITS) - 0x1p52; }

/* 2^n for an integer -1022 <= n <= 1023; other n give an unspecified number. */
KATA_INLINE double kata_two_to(double n)
{
    return kata_of_bits(kata_bits_of(n + (0x1p52 + 1023)) << 52);
}

/* x * 2^n rounded once, for x near 1 and an integer |n| <= 2000. */
KATA_INLINE double kata_scale(double x, double n)
{
    double part = kata_nearest(0.5 * n);
    return x * kata_two_to(part) * kata_two_to(n - part);
}

/* ---- pairs --------------------------------------------------------------------------------- */

/* a + b exactly, for |a| >= |b| or a == 0. */
KATA_INLINE kata_pair kata_sum_ordered(double a, double b)
{
    double s = a + b;
    return kata_pair_of(s, b - (s - a));
}

/* a + b exactly. */
KATA_INLINE kata_pair kata_sum(double a, double b)
{
    double s = a + b, t = s - a;
    return kata_pair_of(s, (a - (s - t)) + (b - t));
}

/* The leading 26 bits of x; x minus them has 27 at most. */
KATA_INLINE double kata_head(double x)
{
    return kata_of_bits(kata_bits_of(x) & 0xfffffffff8000000u);
}

/* a * b within 2^-105 of it, if nothing overflows or underflows. */
KATA_INLINE kata_pair kata_product(double a, double b)
{
    double ah = kata_head(a), al = a - ah, bh = kata_head(b), bl = b - bh, p = a * b;
    return kata_pair_of(p, ((ah * bh - p) + ah * bl + al * bh) + al * bl);
}

/* (n.hi + n.lo) / (d.hi + d.lo), rounded. */
KATA_INLINE double kata_quotient(kata_pair n, kata_pair d)
{
    double inverse = 1 / d.hi, q = n.hi * inverse;
    kata_pair p = kata_product(q, d.hi);
    return q + (((n.hi - p.hi) - p.lo) + (n.lo - q * d.lo)) * inverse;
}

/* ---- exp ----------------------------------------------------------------------------------- */

/* exponent * ln 2 + r.hi + r.lo, with |r| <= ln(2)/2. */
typedef struct kata_reduced {
    kata_pair r;
    double exponent;
} kata_reduced;

/* Cody and Waite's reduction of hi + lo, for |hi| <= 1100 and |lo| <= 2^-40. */
KATA_INLINE kata_reduced kata_exp_reduce(double hi, double lo)
{
    double n = kata_nearest(hi * 0x1.71547652b82fep0);
    double a = hi - n * KATA_LN2_A, b = n * KATA_LN2_B, c = a - b;
    kata_pair r = kata_sum(c, ((a - c) - b) + lo);
    kata_reduced reduced = {r, n};
    return reduced;
}

/* exp(r) - 1 - r.hi. */
KATA_INLINE double kata_exp_tail(kata_pair r)
{
    double x = r.hi;
    /* |x| <= 0.347; error 2^-61 */
    double p = 0x1.1f73a1519febdp-29;
    p = (p * x + 0x1.af4e72a2eef9bp-26) * x + 0x1.27e4db138c7c4p-22;
    p = (p * x + 0x1.71de01ef9ace8p-19) * x + 0x1.a01a01a6f49cep-16;
    p = (p * x + 0x1.a01a01abfcd2ep-13) * x + 0x1.6c16c16c16297p-10;
    p = (p * x + 0x1.11111111100b5p-7) * x + 0x1.5555555555556p-5;
    p = (p * x + 0x1.5555555555557p-3) * x + 0x1p-1;
    return r.lo + x * x * p;
}

/* exp(r). */
KATA_INLINE double kata_exp_near_zero(kata_pair r)
{
    kata_pair s = kata_sum_ordered(1, r.hi);
    return s.hi + (s.lo + kata_exp_tail(r));
}

KATA_INLINE double kata_exp_f64(double x)
{
    double c = x > 710 ? 710 : x;
    c = c < -746 ? -746 : c;
    kata_reduced e = kata_exp_reduce(c, 0);
    return kata_scale(kata_exp_near_zero(e.r), e.exponent);
}

KATA_INLINE double kata_exp2_f64(double x)
{
    double c = x > 1025 ? 1025 : x;
    c = c < -1080 ? -1080 : c;
    double n = kata_nearest(c), f = c - n;
    kata_pair r = kata_product(f, KATA_LN2_HI);
    r.lo += f * KATA_LN2_LO;
    return kata_scale(kata_exp_near_zero(r), n);
}

KATA_INLINE double kata_expm1_f64(double x)
{
    double c = x > 710 ? 710 : x;
    c = c < -60 ? -60 : c;
    kata_reduced e = kata_exp_reduce(c, 0);
    double tail = kata_exp_tail(e.r);
    double power = kata_two_to(e.exponent < 64 ? e.exponent : 64);
    kata_pair g = kata_sum_ordered(1, e.r.hi), s = kata_sum(power * g.hi, -1);
    double moderate = s.hi + (s.lo + power * (g.lo + tail));
    double large = kata_scale(1 + (e.r.hi + tail), e.exponent);
    double y = e.exponent < 64 ? moderate : large;
    return x == 0 ? x : y;
}

/* ---- log ----------------------------------------------------------------------------------- */

/* mantissa * 2^exponent, with sqrt(1/2) <= mantissa < sqrt(2). */
typedef struct kata_parts {
    double mantissa, exponent;
} kata_parts;

/* The parts of a finite x > 0; other x give unspecified parts. */
KATA_INLINE kata_parts kata_parts_of(double x)
{
    double y = x < 0x1p-1022 ? x * 0x1p54 : x;
    double bias = x < 0x1p-1022 ? 1077 : 1023;
    kata_bits u = kata_bits_of(y) + (KATA_ONE_BITS - KATA_SQRT_HALF_BITS);
    double mantissa = kata_of_bits((u & KATA_MANTISSA) + KATA_SQRT_HALF_BITS);
    kata_parts parts = {mantissa, kata_of_int(u >> 52) - bias};
    return parts;
}

/* log(1 + f) - f, for sqrt(1/2) <= 1 + f < sqrt(2). */
KATA_INLINE double kata_log_tail(double f)
{
    double s = f / (2 + f), z = s * s, h = 0.5 * f * f;
    /* z <= 0.0295; error 2^-57 */
    double p = 0x1.2b5b5fb2eac92p-3;
    p = (p * z + 0x1.39fe208c33457p-3) * z + 0x1.7462b69705382p-3;
    p = (p * z + 0x1.c71c62debf86bp-3) * z + 0x1.2492492df6947p-2;
    p = (p * z + 0x1.99999999952b2p-2) * z + 0x1.5555555555558p-1;
    return s * (h + z * p) - h;
}

/* y, or what Annex F wants of a logarithm of x where x is not positive and finite. */
KATA_INLINE double kata_log_special(double x, double y)
{
    double r = x < __builtin_inf() ? y : x;
    r = x >= 0 ? r : __builtin_nan("");
    return x == 0 ? -__builtin_inf() : r;
}

KATA_INLINE double kata_log_f64(double x)
{
    kata_parts p = kata_parts_of(x);
    double f = p.mantissa - 1;
    kata_pair s = kata_sum(p.exponent * KATA_LN2_A, f);
    return kata_log_special(x, s.hi + (s.lo + (kata_log_tail(f) + p.exponent * KATA_LN2_B)));
}

/* exponent * (a + b) + log(mantissa) * (hi + lo), where exponent * a is exact. */
KATA_INLINE double kata_log_scaled(kata_parts p, double a, double b, double hi, double lo)
{
    double f = p.mantissa - 1;
    kata_pair l = kata_sum_ordered(f, kata_log_tail(f)), m = kata_product(l.hi, hi);
    kata_pair s = kata_sum(p.exponent * a, m.hi);
    return s.hi + (s.lo + (m.lo + (l.hi * lo + l.lo * hi) + p.exponent * b));
}

KATA_INLINE double kata_log2_f64(double x)
{
    double y = kata_log_scaled(kata_parts_of(x), 1, 0, 0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56);
    return kata_log_special(x, y);
}

KATA_INLINE double kata_log10_f64(double x)
{
    double y = kata_log_scaled(kata_parts_of(x), 0x1.34413509f78p-2, 0x1.fef311f12b358p-46,
                               0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57);
    return kata_log_special(x, y);
}

/* u + c is 1 + x exactly; log(u + c) = log(u) + c/u, and where u needs no scaling x itself is used.
 */
KATA_INLINE double kata_log1p_f64(double x)
{
    kata_pair u = kata_sum(1, x);
    kata_parts p = kata_parts_of(u.hi);
    double f = p.exponent == 0 ? x : p.mantissa - 1;
    double c = p.exponent == 0 ? 0 : u.lo / u.hi;
    kata_pair s = kata_sum(p.exponent * KATA_LN2_A, f);
    double y = s.hi + (s.lo + (kata_log_tail(f) + (p.exponent * KATA_LN2_B + c)));
    y = kata_log_special(u.hi, y);
    return x == 0 ? x : y;
}

/* ---- pow ----------------------------------------------------------------------------------- */

/* log(x) to about 68 bits, for a finite x > 0: log(m) = 2s + 2s*w, w = z/3 + z*z*p(z), z = s*s. */
KATA_INLINE kata_pair kata_log_pair(double x)
{
    kata_parts parts = kata_parts_of(x);
    double f = parts.mantissa - 1;
    kata_pair d = kata_sum(1, parts.mantissa);
    double inverse = 1 / d.hi, s = f * inverse;
    kata_pair back = kata_product(s, d.hi);
    double s_lo = (((f - back.hi) - back.lo) - s * d.lo) * inverse;

    kata_pair z = kata_product(s, s);
    z.lo += 2 * s * s_lo;
    double t = z.hi;
    /* t <= 0.0295; error 2^-66 */
    double p = 0x1.b8d8d83f5129fp-5;
    p = (p * t + 0x1.ac4a0689e4f0ep-5) * t + 0x1.e1f80050fe02dp-5;
    p = (p * t + 0x1.1110df9bb9145p-4) * t + 0x1.3b13b1bcae4fap-4;
    p = (p * t + 0x1.745d174512f5ep-4) * t + 0x1.c71c71c71cfdep-4;
    p = (p * t + 0x1.2492492492491p-3) * t + 0x1.999999999999ap-3;
    kata_pair c = kata_sum_ordered(0x1.5555555555555p-2, 0x1.5555555555555p-56 + t * p);
    kata_pair w = kata_product(t, c.hi);
    w.lo += t * c.lo + z.lo * c.hi;

    kata_pair v = kata_product(s, w.hi), l = kata_sum_ordered(s, v.hi);
    l.lo += s_lo + (v.lo + (s * w.lo + s_lo * w.hi));
    kata_pair sum = kata_sum(parts.exponent * KATA_LN2_A, 2 * l.hi);
    return kata_sum_ordered(sum.hi, sum.lo + (2 * l.lo + parts.exponent * KATA_LN2_B));
}

/* exp(y * l), for |y * l| of any size. */
KATA_INLINE double kata_exp_product(double y, kata_pair l)
{
    kata_pair p = kata_product(y, l.hi);
    p.lo += y * l.lo;
    double hi = p.hi > 720 ? 720 : p.hi;
    hi = hi < -760 ? -760 : hi;
    double lo = hi == p.hi ? p.lo : 0;
    kata_reduced e = kata_exp_reduce(hi, lo);
    return kata_scale(kata_exp_near_zero(e.r), e.exponent);
}

/* The power where it is not |x|^y, given that. */
KATA_INLINE double kata_pow_special(double x, double y, double power)
{
    double inf = __builtin_inf(), nan = __builtin_nan("");
    double ax = __builtin_fabs(x), ay = __builtin_fabs(y), middle = 0.5 * ay;
    int whole = (ay + 0x1p52 - 0x1p52 == ay) | (ay >= 0x1p52);
    int odd = whole & (middle + 0x1p52 - 0x1p52 != middle) & (ay < 0x1p53);
    int extreme = (ax == 0) | (ax == inf);
    double limit = (y > 0) == (ax == 0) ? 0 : inf;
    double r = extreme ? limit : power;
    double signed_r = __builtin_copysign(r, x);
    r = odd ? signed_r : r;
    r = ((x < 0) & (ax < inf) & !whole) ? nan : r;
    r = ((x != x) | (y != y)) ? nan : r;
    return ((y == 0) | (x == 1)) ? 1 : r;
}

/* Beyond 2^66 an exponent decides no more than its sign. */
KATA_INLINE double kata_pow_f64(double x, double y)
{
    double c = y > 0x1p66 ? 0x1p66 : y;
    c = c < -0x1p66 ? -0x1p66 : c;
    return kata_pow_special(x, y, kata_exp_product(c, kata_log_pair(__builtin_fabs(x))));
}

/* ---- roots --------------------------------------------------------------------------------- */

/* A start of 22 bits, cut to 26 so that its square is exact, and one step of Halley's iteration. */
KATA_INLINE double kata_cbrt_f64(double x)
{
    double ax = __builtin_fabs(x);
    double y = ax < 0x1p-1022 ? ax * 0x1p54 : ax;
    double bias = ax < 0x1p-1022 ? 18 : 0;
    kata_bits u = kata_bits_of(y);
    double m = kata_of_bits((u & KATA_MANTISSA) | KATA_ONE_BITS);
    double e = kata_of_int(u >> 52) - 1023, third = kata_nearest(e * 0x1.5555555555555p-2);
    double rest = e - 3 * third;
    /* 1 <= m < 2; error 2^-21 */
    double p = -0x1.6254d5208eb99p-9;
    p = (p * m + 0x1.e346250683378p-6) * m - 0x1.1d2e558db1d25p-3;
    p = (p * m + 0x1.8026ac948a766p-2) * m - 0x1.4f65258278179p-1;
    p = (p * m + 0x1.e33114033c8b7p-1) * m + 0x1.cb68f94b94beap-2;
    double root = rest > 0 ? 0x1.428a2f98d728bp0 : 1;
    root = rest < 0 ? 0x1.965fea53d6e3dp-1 : root;
    double t = kata_head(p * root), r = m * kata_two_to(rest) / (t * t);
    double c = t + t * ((r - t) / (t + t + r));
    c = __builtin_copysign(c * kata_two_to(third - bias), x);
    return ((ax > 0) & (ax < __builtin_inf())) ? c : x;
}

KATA_INLINE double kata_hypot_f64(double x, double y)
{
    double ax = __builtin_fabs(x), ay = __builtin_fabs(y), inf = __builtin_inf();
    double a = ax > ay ? ax : ay, b = ax > ay ? ay : ax;
    double up = a < 0x1p-450 ? 0x1p600 : 1, down = a < 0x1p-450 ? 0x1p-600 : 1;
    up = a > 0x1p500 ? 0x1p-600 : up;
    down = a > 0x1p500 ? 0x1p600 : down;
    kata_pair aa = kata_product(a * up, a * up), bb = kata_product(b * up, b * up);
    kata_pair s = kata_sum_ordered(aa.hi, bb.hi);
    double h = __builtin_sqrt(s.hi);
    kata_pair hh = kata_product(h, h);
    double c = (((s.hi - hh.hi) - hh.lo) + (s.lo + (aa.lo + bb.lo))) / (h + h);
    double r = (h + (a > 0 ? c : 0)) * down;
    r = ((x != x) | (y != y)) ? __builtin_nan("") : r;
    return ((ax == inf) | (ay == inf)) ? inf : r;
}

/* ---- erf ----------------------------------------------------------------------------------- */

/* Below 9/8, x + x * p(x*x - 2/5), centred where cancellation would hurt, with the slope of p
 * there, -0.2, for the rounding error of x*x; above, 1 - exp(-x*x) * q((x - 9/8)/(x + 3)). */
KATA_INLINE double kata_erf_f64(double x)
{
    double ax = __builtin_fabs(x), c = ax < 6 ? ax : 6;
    kata_pair z = kata_product(c, c);
    double w = z.hi - 0.4;
    /* -0.4 <= w <= 0.86575; error 2^-58 */
    double p = -0x1.07bcbc10210f9p-38 * w + 0x1.1a4c6b9bc0a74p-34;
    p = (p * w - 0x1.d3c65b8a0256bp-31) * w + 0x1.614dfd661daf9p-27;
    p = (p * w - 0x1.e9c4ac23f0e61p-24) * w + 0x1.352e0c00ac935p-20;
    p = (p * w - 0x1.60334f6d8be54p-17) * w + 0x1.65e7498a3653ap-14;
    p = (p * w - 0x1.3ff1ef5d1bd51p-11) * w + 0x1.ee8773f09545ap-9;
    p = (p * w - 0x1.4351316e8f1b1p-6) * w + 0x1.5c9bfd1e706ap-4;
    p = (p * w - 0x1.30a845125e5b1p-2) * w - 0x1.6fbe17fe674c1p-8;
    double low = ax + ax * (p + z.lo * -0.2);

    double v = (c - 1.125) / (c + 3);
    /* v <= 0.5417; error 2^-59 */
    double q = 0x1.fe8490bd67535p-13;
    q = (q * v - 0x1.a3f9a75ca1b07p-11) * v + 0x1.868e23e511b27p-12;
    q = (q * v + 0x1.3ccc9d4173d8bp-10) * v + 0x1.b2572a4377914p-11;
    q = (q * v - 0x1.99b96beb90da3p-8) * v - 0x1.c71535dee5a4p-9;
    q = (q * v + 0x1.144f7e43fa155p-5) * v - 0x1.6d1e3401b6cbap-7;
    q = (q * v - 0x1.8ef193e75d58cp-3) * v + 0x1.383cfa9e96387p-1;
    q = (q * v - 0x1.0997a767f5bd1p0) * v + 0x1.31aa5af108337p0;
    q = (q * v - 0x1.f6c78f12ac83dp-1) * v + 0x1.9531e09b149b5p-2;
    kata_reduced e = kata_exp_reduce(-z.hi, -z.lo);
    double high = 1 - q * kata_exp_near_zero(e.r) * kata_two_to(e.exponent);

    double r = ax < 1.125 ? low : high;
    r = ax != ax ? ax : r;
    return __builtin_copysign(r, x);
}

/* ---- remainders and rounding --------------------------------------------------------------- */

/* Long division in digits of 50 bits: mantissas in [1, 2), every remainder exact. */
KATA_INLINE double kata_fmod_f64(double x, double y)
{
    double ax = __builtin_fabs(x), ay = __builtin_fabs(y), inf = __builtin_inf();
    double nx = ax < 0x1p-1022 ? ax * 0x1p54 : ax, ny = ay < 0x1p-1022 ? ay * 0x1p54 : ay;
    kata_bits ux = kata_bits_of(nx), uy = kata_bits_of(ny);
    double ex = kata_of_int(ux >> 52) - (ax < 0x1p-1022 ? 1077 : 1023);
    double ey = kata_of_int(uy >> 52) - (ay < 0x1p-1022 ? 1077 : 1023);
    double r = kata_of_bits((ux & KATA_MANTISSA) | KATA_ONE_BITS);
    double m = kata_of_bits((uy & KATA_MANTISSA) | KATA_ONE_BITS);
    double left = ((ax > 0) & (ax < inf) & (ay > 0) & (ay < inf)) ? ex - ey : 0;
    r = r >= m ? r - m : r;
    while (left > 0) {
        double digits = left < 50 ? left : 50;
        double a = r * kata_two_to(digits), q = a / m;
        q = q + 0x1p52 - 0x1p52;
        kata_pair p = kata_product(q, m);
        r = (a - p.hi) - p.lo;
        r = r < 0 ? r + m : r;
        left -= digits;
    }
    double low = kata_nearest(0.5 * ey);
    r = r * kata_two_to(low) * kata_two_to(ey - low);
    r = ax < ay ? ax : r;
    r = ax == 0 ? ax : r;
    r = __builtin_copysign(r, x);
    return ((ax < inf) & (ay > 0)) ? r : __builtin_nan("");
}

KATA_INLINE double kata_round_f64(double x)
{
    double a = __builtin_fabs(x), t = a + 0x1p52 - 0x1p52;
    double whole = t > a ? t - 1 : t;
    double r = a - whole >= 0.5 ? whole + 1 : whole;
    r = a < 0x1p52 ? r : a;
    return __builtin_copysign(r, x);
}

/* ---- float --------------------------------------------------------------------------------- */

#define KATA_FLOAT_1(name)                                                                         \
    KATA_INLINE float kata_##name##_f32(float x) { return (float)kata_##name##_f64((double)x); }

KATA_FLOAT_1(exp)
KATA_FLOAT_1(exp2)
KATA_FLOAT_1(expm1)
KATA_FLOAT_1(log)
KATA_FLOAT_1(log2)
KATA_FLOAT_1(log10)
KATA_FLOAT_1(log1p)
KATA_FLOAT_1(cbrt)
KATA_FLOAT_1(erf)
KATA_FLOAT_1(round)

/* A double logarithm is enough here: its error grows by |y log x| < 2^8 at most. */
KATA_INLINE float kata_pow_f32(float x, float y)
{
    double l = kata_log_f64(__builtin_fabs((double)x)), e = l == 0 ? 0 : (double)y * l;
    return (float)kata_pow_special((double)x, (double)y, kata_exp_f64(e));
}

KATA_INLINE float kata_hypot_f32(float x, float y)
{
    double a = (double)x, b = (double)y, inf = __builtin_inf();
    double r = __builtin_sqrt(a * a + b * b);
    return (float)(((__builtin_fabs(a) == inf) | (__builtin_fabs(b) == inf)) ? inf : r);
}

/* Ten digits of 28 bits cover any quotient of floats; a digit times y fits a double. The remainder
 * is kept in [-y/2, y/2] up to the rounding of the quotient. */
KATA_INLINE float kata_fmod_f32(float x, float y)
{
    double a = (double)x, m = __builtin_fabs((double)y), r = __builtin_fabs(a), inverse = 1 / m;
    r = r < __builtin_inf() ? r : __builtin_nan("");
#define KATA_DIGIT(down, up) r -= kata_nearest(r * inverse * down) * (m * up);
    KATA_DIGIT(0x1p-252, 0x1p252)
    KATA_DIGIT(0x1p-224, 0x1p224)
    KATA_DIGIT(0x1p-196, 0x1p196)
    KATA_DIGIT(0x1p-168, 0x1p168)
    KATA_DIGIT(0x1p-140, 0x1p140)
    KATA_DIGIT(0x1p-112, 0x1p112)
    KATA_DIGIT(0x1p-84, 0x1p84)
    KATA_DIGIT(0x1p-56, 0x1p56)
    KATA_DIGIT(0x1p-28, 0x1p28)
    KATA_DIGIT(0x1p-0, 0x1p0)
#undef KATA_DIGIT
    r = r < 0 ? r + m : r;
    r = m == __builtin_inf() ? __builtin_fabs(a) : r;
    r = ((m > 0) & (__builtin_fabs(a) < __builtin_inf())) ? r : __builtin_nan("");
    return (float)__builtin_copysign(r, a);
}

#undef KATA_FLOAT_1
#undef KATA_ROUNDER
#undef KATA_LN2_A
#undef KATA_LN2_B
#undef KATA_LN2_HI
#undef KATA_LN2_LO
#undef KATA_SQRT_HALF_BITS
#undef KATA_ONE_BITS
#undef KATA_MANTISSA
#undef KATA_TWO_52_BITS
#undef KATA_INLINE
#endif
