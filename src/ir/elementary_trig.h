/* Trigonometric and hyperbolic functions that give the same bits everywhere: the second half of
 * elementary.h, which comes before it and states the contract, conventions and sources.
 *
 * Angles of every size are reduced in the manner of M. Payne and R. Hanek, "Radian reduction for
 * trigonometric functions", SIGNUM Newsletter 18 (1983): 2/pi is kept in digits of 26 bits, and of
 * x * 2/pi only the digits that matter modulo 4 are computed. The same path serves small and huge
 * angles, since a rarely taken branch would keep loops from vectorising. Its error is below 2^-118,
 * and no double but 0 comes nearer to a multiple of pi/2 than 2^-62 (Muller, "Elementary
 * Functions", 3rd ed., 2016, section 11.3.2).
 */
#ifndef KATA_IR_ELEMENTARY_TRIG_H
#define KATA_IR_ELEMENTARY_TRIG_H

#define KATA_INLINE static inline __attribute__((unused, always_inline))
#define KATA_ROUNDER 0x1.8p52
#define KATA_PI_HI 0x1.921fb54442d18p1
#define KATA_PI_LO 0x1.1a62633145c07p-53

/* ---- reduction ----------------------------------------------------------------------------- */

/* 2/pi is the sum of t[i] * 2^(-26 (i-2)), with integers |t[i]| <= 2^25; entry i holds
 * t[i] + t[i+1] * 2^-26. Small angles, whose reduction is not used, may read the zeros at the end.
 */
KATA_CONSTANTS double kata_two_over_pi[70] __attribute__((unused)) = {
    0x0p0,
    0x1p-26,
    0x1.45f307p-1,
    -0x1.7419f246c6efcp24,
    -0x1.1b1bbead603d8p24,
    0x1.4a7f09d5f47d4p24,
    -0x1.505c1596447e8p23,
    0x1.a6ee06db14adp23,
    0x1.b6295993c439p24,
    -0x1.b0ef1bef806bcp24,
    0x1.07f9458eaf7bp22,
    0x1.8eaf7aef1586cp24,
    -0x1.0ea79236e471p22,
    0x1.c91b8e909374cp24,
    -0x1.bdb22d1ff9b6cp24,
    -0x1.ff9b6d115f63p22,
    -0x1.115f62e6de3p24,
    0x1.921cfe1deb1dp22,
    -0x1.e214e34ed658cp24,
    -0x1.3b5963045df74p24,
    -0x1.177dca0ad144p20,
    0x1.7d4baed1213a8p24,
    -0x1.76f62cc71fb28p23,
    -0x1.8e3f652e8207p24,
    -0x1.741037d8cdc5p23,
    0x1.3991d6398353p22,
    -0x1.c67cacc60b638p24,
    0x1.cfa4e422fc5ep23,
    0x1.17e2ef7e4a0fp22,
    -0x1.036be27003b4p23,
    -0x1.c00ed00043f5p23,
    -0x1.0fd33f80868p15,
    0x1.80fef2f118b5cp24,
    -0x1.dce94beb25c2p21,
    -0x1.f592e092c9814p24,
    0x1.b4d9fb3c9f2c4p24,
    0x1.e4f96136e9e9p23,
    -0x1.922c2e7026588p24,
    -0x1.c09961a015d28p24,
    0x1.7fa8b5d49eebp24,
    -0x1.5b08a7028342p23,
    0x1.faf97c5ecf41cp24,
    0x1.7b3d0739f78a4p24,
    0x1.cfbc529497538p23,
    0x1.292ea6bfb5fbp24,
    -0x1.012813b81ca8cp24,
    0x1.1f8d5d0856034p24,
};

/* r + quadrant * pi/2, |r| <= pi/4 and a little; quadrant counts modulo 4. */
typedef struct kata_angle {
    kata_pair r;
    kata_bits quadrant;
} kata_angle;

/* The sum of seven columns modulo 4. Each spans 53 bits, starts about 26 bits below the one before,
 * and holds at most 1.25 * 2^53, 2^28, 2.5, 2^-24, 2^-50, 2^-76, 2^-102. Returns the fraction in
 * [-1/2, 1/2], and the integer in *whole. */
KATA_INLINE kata_pair kata_columns(const double c[7], double *whole)
{
    double top = c[0] - (c[0] + 0x1.8p55 - 0x1.8p55);
    double n = c[1] + KATA_ROUNDER - KATA_ROUNDER, f = top + (c[1] - n);
    double m = f + KATA_ROUNDER - KATA_ROUNDER;
    kata_pair s = kata_sum(f - m, c[2]);
    double k = s.hi + KATA_ROUNDER - KATA_ROUNDER;
    kata_pair t = kata_sum(s.hi - k, c[3]), u = kata_sum(t.hi, c[4]);
    *whole = n + m + k;
    return kata_sum(u.hi, (s.lo + t.lo) + (c[5] + (u.lo + c[6])));
}

/* x = h * 2^g with g in [-24, 1] after taking 26-bit digits off its exponent, split into 27 and 26
 * bits; columns are exact sums of two products of these with digits of 2/pi. */
KATA_INLINE kata_angle kata_reduce(double ax)
{
    kata_bits u = kata_bits_of(ax);
    double e = kata_of_bits((u >> 52) | 0x4330000000000000u) - (0x1p52 + 999);
    double d = e * 0x1.3b13b13b13b14p-5 - 0x1.ec4ec4ec4ec4fp-2 + KATA_ROUNDER,
           digit = d - KATA_ROUNDER;
    kata_bits i = kata_bits_of(d) & 63;
    kata_bits exponent = kata_bits_of((e - 26 * digit) + (0x1p52 + 1051)) << 52;
    kata_bits mantissa = (u & 0x000fffffffffffffu) | exponent;
    double x = kata_of_bits(mantissa), xh = kata_of_bits((mantissa + 0x2000000u) & ~0x3ffffffull);
    double xl = x - xh;

    double p0 = kata_two_over_pi[i], p1 = kata_two_over_pi[i + 2];
    double p2 = kata_two_over_pi[i + 4], p3 = kata_two_over_pi[i + 6];
    double h0 = p0 + KATA_ROUNDER - KATA_ROUNDER, l0 = p0 - h0;
    double h1 = p1 + KATA_ROUNDER - KATA_ROUNDER, l1 = p1 - h1;
    double h2 = p2 + KATA_ROUNDER - KATA_ROUNDER, l2 = p2 - h2;
    double h3 = p3 + KATA_ROUNDER - KATA_ROUNDER, l3 = p3 - h3;
    double xh1 = xh * 0x1p-52, xl1 = xl * 0x1p-52, xh2 = xh * 0x1p-104, xl2 = xl * 0x1p-104;
    double xh3 = xh * 0x1p-156, xl3 = xl * 0x1p-156;
    double columns[7] = {xl * h0 + xh * l0,   xl * l0 + xh1 * h1,  xl1 * h1 + xh1 * l1,
                         xl1 * l1 + xh2 * h2, xl2 * h2 + xh2 * l2, xl2 * l2 + xh3 * h3,
                         xl3 * h3 + xh3 * l3};
    double whole;
    kata_pair f = kata_columns(columns, &whole), r = kata_product(f.hi, 0.5 * KATA_PI_HI);
    r.lo += f.hi * (0.5 * KATA_PI_LO) + f.lo * (0.5 * KATA_PI_HI);
    r = kata_sum_ordered(r.hi, r.lo);

    int small = ax < 0x1.921fb54442d18p-1;
    kata_bits quadrant = kata_bits_of(whole + KATA_ROUNDER);
    kata_angle a = {{small ? ax : r.hi, small ? 0 : r.lo}, small ? 0 : quadrant};
    return a;
}

/* ---- sin, cos, tan ------------------------------------------------------------------------- */

/* (sin(x) - x) / x^3 of z = x*x. */
KATA_INLINE double kata_sin_poly(double z)
{
    /* z <= 0.6175; error 2^-57 */
    double p = -0x1.ab16e9f2b693ep-41;
    p = (p * z + 0x1.61217d7e3619cp-33) * z - 0x1.ae645410cfd07p-26;
    p = (p * z + 0x1.71de3a545f74cp-19) * z - 0x1.a01a01a01992fp-13;
    p = (p * z + 0x1.111111111111p-7) * z - 0x1.5555555555555p-3;
    return p;
}

/* (cos(x) - 1 + z/2) / z^2 of z = x*x. */
KATA_INLINE double kata_cos_poly(double z)
{
    /* z <= 0.6175; error 2^-60 */
    double p = -0x1.907cce35dd891p-37 * z + 0x1.1eeb67c12a0b4p-29;
    p = (p * z - 0x1.27e4fa16bdc76p-22) * z + 0x1.a01a019f4dd4cp-16;
    p = (p * z - 0x1.6c16c16c16963p-10) * z + 0x1.5555555555555p-5;
    return p;
}

/* sin(a + quadrants * pi/2). */
KATA_INLINE double kata_sin_angle(kata_angle a, kata_bits quadrants)
{
    double x = a.r.hi, z = x * x, h = 0.5 * z, w = 1 - h;
    double sine = x + (x * z * kata_sin_poly(z) + a.r.lo * w);
    double cosine = w + (((1 - w) - h) + (z * z * kata_cos_poly(z) - x * a.r.lo));
    kata_bits quadrant = a.quadrant + quadrants;
    double y = (quadrant & 1) != 0 ? cosine : sine;
    return kata_of_bits(kata_bits_of(y) ^ ((quadrant & 2) << 62));
}

KATA_INLINE double kata_sin_f64(double x)
{
    double ax = __builtin_fabs(x), y = kata_sin_angle(kata_reduce(ax), 0);
    kata_bits sign = kata_bits_of(x) & 0x8000000000000000u;
    y = kata_of_bits(kata_bits_of(y) ^ sign);
    return ax < __builtin_inf() ? y : __builtin_nan("");
}

KATA_INLINE double kata_cos_f64(double x)
{
    double ax = __builtin_fabs(x), y = kata_sin_angle(kata_reduce(ax), 1);
    return ax < __builtin_inf() ? y : __builtin_nan("");
}

KATA_INLINE double kata_tan_f64(double x)
{
    double ax = __builtin_fabs(x);
    kata_angle a = kata_reduce(ax);
    double r = a.r.hi;
    kata_pair z = kata_product(r, r);
    double h = 0.5 * z.hi, w = 1 - h;
    kata_pair sine = kata_sum_ordered(r, r * z.hi * kata_sin_poly(z.hi) + a.r.lo * w);
    double rest = z.hi * z.hi * kata_cos_poly(z.hi) - (r * a.r.lo + 0.5 * z.lo);
    kata_pair cosine = kata_sum_ordered(w, ((1 - w) - h) + rest);
    int odd = (a.quadrant & 1) != 0;
    kata_pair n = {odd ? -cosine.hi : sine.hi, odd ? -cosine.lo : sine.lo};
    kata_pair d = {odd ? sine.hi : cosine.hi, odd ? sine.lo : cosine.lo};
    double y = kata_quotient(n, d);
    y = ax < 0x1p-30 ? ax : y;
    kata_bits sign = kata_bits_of(x) & 0x8000000000000000u;
    y = kata_of_bits(kata_bits_of(y) ^ sign);
    return ax < __builtin_inf() ? y : __builtin_nan("");
}

/* ---- inverses ------------------------------------------------------------------------------ */

/* asin(a) for a <= 1/2, and pi/2 - asin(a) = 2 asin(sqrt((1-a)/2)) above; NaN beyond 1. */
KATA_INLINE kata_pair kata_asin_pair(double a)
{
    int big = a > 0.5;
    double z = big ? 0.5 * (1 - a) : a * a;
    double root = __builtin_sqrt(z);
    kata_pair back = kata_product(root, root);
    double rest = ((z - back.hi) - back.lo) / (root + root + 0x1p-1000);
    double s = big ? root + root : a, c = big ? rest + rest : 0;
    /* z <= 1/4; error 2^-57 */
    double p = 0x1.d72b2bc8155f8p-6;
    p = (p * z - 0x1.e6aaa8a0a04ccp-7) * z + 0x1.1d189408314eep-6;
    p = (p * z + 0x1.65a9c4dfcf8b2p-8) * z + 0x1.52420b04b37bep-7;
    p = (p * z + 0x1.782651caa6547p-7) * z + 0x1.c9cf07674736ap-7;
    p = (p * z + 0x1.1c4d35cf95421p-6) * z + 0x1.6e8bb1c8209a2p-6;
    p = (p * z + 0x1.f1c71c1db0623p-6) * z + 0x1.6db6db6e31f13p-5;
    p = (p * z + 0x1.3333333332ecap-4) * z + 0x1.5555555555556p-3;
    return kata_pair_of(s, c + s * z * p);
}

KATA_INLINE double kata_asin_f64(double x)
{
    double a = __builtin_fabs(x);
    kata_pair s = kata_asin_pair(a), t = kata_sum_ordered(0.5 * KATA_PI_HI, -s.hi);
    double near_one = t.hi + (t.lo + (0.5 * KATA_PI_LO - s.lo));
    double y = a > 0.5 ? near_one : s.hi + s.lo;
    return __builtin_copysign(y, x);
}

KATA_INLINE double kata_acos_f64(double x)
{
    double a = __builtin_fabs(x);
    kata_pair s = kata_asin_pair(a);
    double far = x < 0 ? 1 : 0;
    double turns = a > 0.5 ? far : 0.5;
    int add = (x < 0) ^ (a > 0.5);
    double hi = add ? s.hi : -s.hi, lo = add ? s.lo : -s.lo;
    kata_pair t = kata_sum(turns * KATA_PI_HI, hi);
    return t.hi + (t.lo + (turns * KATA_PI_LO + lo));
}

/* The angle of (x, y). It is offset + sign * atan(a/b), |a/b| <= tan(pi/8), by adding or taking off
 * pi/4 or pi/2 before dividing; both operands are first scaled away from the ends of the range.
 * Where y is tiny beside x, the angle is y/x or pi - y/x. */
KATA_INLINE double kata_atan2_f64(double y, double x)
{
    double inf = __builtin_inf(), ax = __builtin_fabs(x), ay = __builtin_fabs(y);
    double larger = ax > ay ? ax : ay;
    double scale = larger > 0x1p900 ? 0x1p-200 : 1;
    scale = larger < 0x1p-700 ? 0x1p300 : scale;
    double sx = ax * scale, sy = ay * scale;

    int low = sy <= 0x1.a827999fcef32p-2 * sx, high = sy > 0x1.3504f333f9de6p1 * sx,
        tiny = sy < 0x1p-60 * sx;
    kata_pair diff = kata_sum(sy, -sx), sum = kata_sum(sy, sx);
    double a = low ? sy : diff.hi, al = low ? 0 : diff.lo;
    double b = low ? sx : sum.hi, bl = low ? 0 : sum.lo;
    a = high ? -sx : a, al = high ? 0 : al;
    b = high ? sy : b, bl = high ? 0 : bl;
    double turns = low ? 0 : 0.25;
    turns = high ? 0.5 : turns;

    double top = tiny ? ay : a, bottom = tiny ? ax : b, q = top / bottom;
    kata_pair back = kata_product(q, b);
    double rest = (((a - back.hi) - back.lo) + (al - q * bl)) / b, z = q * q;
    rest = tiny ? 0 : rest;
    /* z <= 0.1717; error 2^-58 */
    double p = 0x1.0aa87c56e3eb5p-6 * z - 0x1.1b2058fb5da3p-5;
    p = (p * z + 0x1.74d64aa665b0ap-5) * z - 0x1.ac78ec6b8cb98p-5;
    p = (p * z + 0x1.e199da4156fd9p-5) * z - 0x1.110e858a72e28p-4;
    p = (p * z + 0x1.3b1392b641b06p-4) * z - 0x1.745d165cb83aap-4;
    p = (p * z + 0x1.c71c71c2fe5d9p-4) * z - 0x1.249249248d768p-3;
    p = (p * z + 0x1.9999999999953p-3) * z - 0x1.5555555555555p-2;
    double tail = rest + q * z * p;

    int left = (kata_bits_of(x) >> 63) != 0;
    double t = left ? 1 - turns : turns, hi = left ? -q : q, lo = left ? -tail : tail;
    double base = t * KATA_PI_HI, base_lo = t * KATA_PI_LO;
    base = t == 0.75 ? 0x1.2d97c7f3321d2p1 : base;
    base_lo = t == 0.75 ? 0x1.a79394c9e8a0ap-54 : base_lo;
    kata_pair s = kata_sum(base, hi);
    double r = s.hi + (s.lo + (base_lo + lo));
    double along_x = left ? KATA_PI_HI : 0,
           diagonal = left ? 0x1.2d97c7f3321d2p1 : 0.25 * KATA_PI_HI;
    double upward = ax == inf ? diagonal : 0.5 * KATA_PI_HI;
    r = ((ay == 0) | (ax == inf)) ? along_x : r;
    r = ay == inf ? upward : r;
    r = ((x != x) | (y != y)) ? __builtin_nan("") : r;
    return __builtin_copysign(r, y);
}

KATA_INLINE double kata_atan_f64(double x)
{
    double ax = __builtin_fabs(x);
    int low = ax <= 0x1.a827999fcef32p-2, high = ax > 0x1.3504f333f9de6p1;
    kata_pair sum = kata_sum(ax, 1), diff = kata_sum(ax, -1);
    double a = low ? ax : diff.hi, al = low ? 0 : diff.lo;
    double b = low ? 1 : sum.hi, bl = low ? 0 : sum.lo;
    a = high ? -1 : a, al = high ? 0 : al;
    b = high ? ax : b, bl = high ? 0 : bl;
    double turns = low ? 0 : 0.25;
    turns = high ? 0.5 : turns;
    double inverse = 1 / b, q = a * inverse;
    kata_pair back = kata_product(q, b);
    double rest = (((a - back.hi) - back.lo) + (al - q * bl)) * inverse, z = q * q;
    rest = low ? 0 : rest;
    /* z <= 0.1717; error 2^-58 */
    double p = 0x1.0aa87c56e3eb5p-6 * z - 0x1.1b2058fb5da3p-5;
    p = (p * z + 0x1.74d64aa665b0ap-5) * z - 0x1.ac78ec6b8cb98p-5;
    p = (p * z + 0x1.e199da4156fd9p-5) * z - 0x1.110e858a72e28p-4;
    p = (p * z + 0x1.3b1392b641b06p-4) * z - 0x1.745d165cb83aap-4;
    p = (p * z + 0x1.c71c71c2fe5d9p-4) * z - 0x1.249249248d768p-3;
    p = (p * z + 0x1.9999999999953p-3) * z - 0x1.5555555555555p-2;
    kata_pair s = kata_sum(turns * KATA_PI_HI, q);
    double r = s.hi + (s.lo + (turns * KATA_PI_LO + (rest + q * z * p)));
    r = ax > 0x1p60 ? 0.5 * KATA_PI_HI : r;
    r = ax != ax ? ax : r;
    return __builtin_copysign(r, x);
}

/* ---- hyperbolic ---------------------------------------------------------------------------- */

/* 2^(1-exponent) times sinh and cosh of an ax >= 0, made of exp(r) and 2^(-2 exponent) exp(-r),
 * which share the even and odd parts of their series. */
typedef struct kata_hyperbolic {
    kata_pair sinh, cosh;
    double exponent;
} kata_hyperbolic;

/* For 0 <= ax <= 1000. */
KATA_INLINE kata_hyperbolic kata_sinh_cosh(double ax)
{
    kata_reduced e = kata_exp_reduce(ax, 0);
    double r = e.r.hi, z = r * r;
    /* z <= 0.1205; error 2^-58 */
    double p = 0x1.af394df48cdd1p-26;
    p = (p * z + 0x1.71de0d6937835p-19) * z + 0x1.a01a01a7d5f2dp-13;
    p = (p * z + 0x1.111111111099cp-7) * z + 0x1.5555555555556p-3;
    /* z <= 0.1205; error 2^-64 */
    double q = 0x1.1f673d57b30bep-29;
    q = (q * z + 0x1.27e4e1cd008dcp-22) * z + 0x1.a01a01a485359p-16;
    q = (q * z + 0x1.6c16c16c167d4p-10) * z + 0x1.5555555555555p-5;
    double odd = e.r.lo + r * z * p, even = 0.5 * z + (z * z * q + r * e.r.lo);
    double ratio = kata_two_to(-2 * (e.exponent < 60 ? e.exponent : 60));
    kata_pair grow = kata_sum_ordered(1, r), shrink = kata_sum_ordered(1, -r);
    double grow_lo = grow.lo + (even + odd), shrink_lo = (shrink.lo + (even - odd)) * ratio;
    kata_pair d = kata_sum_ordered(grow.hi, -shrink.hi * ratio);
    kata_pair s = kata_sum_ordered(grow.hi, shrink.hi * ratio);
    d = kata_sum(d.hi, d.lo + (grow_lo - shrink_lo));
    s = kata_sum_ordered(s.hi, s.lo + (grow_lo + shrink_lo));
    int zero = e.exponent == 0;
    d.hi = zero ? r + r : d.hi;
    d.lo = zero ? odd + odd : d.lo;
    kata_hyperbolic result = {d, s, e.exponent};
    return result;
}

KATA_INLINE double kata_sinh_f64(double x)
{
    double ax = __builtin_fabs(x);
    kata_hyperbolic h = kata_sinh_cosh(ax < 720 ? ax : 720);
    double y = kata_scale(h.sinh.hi + h.sinh.lo, h.exponent - 1);
    y = ax < 0x1p-30 ? ax : y;
    y = ax != ax ? ax : y;
    return __builtin_copysign(y, x);
}

KATA_INLINE double kata_cosh_f64(double x)
{
    double ax = __builtin_fabs(x);
    kata_hyperbolic h = kata_sinh_cosh(ax < 720 ? ax : 720);
    double y = kata_scale(h.cosh.hi + h.cosh.lo, h.exponent - 1);
    return ax != ax ? ax : y;
}

KATA_INLINE double kata_tanh_f64(double x)
{
    double ax = __builtin_fabs(x);
    kata_hyperbolic h = kata_sinh_cosh(ax < 40 ? ax : 40);
    double y = kata_quotient(h.sinh, h.cosh);
    y = ax < 0x1p-30 ? ax : y;
    y = ax != ax ? ax : y;
    return __builtin_copysign(y, x);
}

/* ---- float --------------------------------------------------------------------------------- */

#define KATA_FLOAT_1(name)                                                                         \
    KATA_INLINE float kata_##name##_f32(float x) { return (float)kata_##name##_f64((double)x); }

KATA_FLOAT_1(sin)
KATA_FLOAT_1(cos)
KATA_FLOAT_1(tan)
KATA_FLOAT_1(asin)
KATA_FLOAT_1(acos)
KATA_FLOAT_1(atan)
KATA_FLOAT_1(sinh)
KATA_FLOAT_1(cosh)
KATA_FLOAT_1(tanh)

KATA_INLINE float kata_atan2_f32(float y, float x)
{
    return (float)kata_atan2_f64((double)y, (double)x);
}

#undef KATA_FLOAT_1
#undef KATA_ROUNDER
#undef KATA_PI_HI
#undef KATA_PI_LO
#undef KATA_INLINE
#endif
