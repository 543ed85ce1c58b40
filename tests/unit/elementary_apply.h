/* The elementary functions applied to arrays, compiled twice: elementary_fast.c in vectorised
 * loops, elementary_plain.c without optimisation. Both give one table, in the order of the list. */
#ifndef KATA_TESTS_ELEMENTARY_APPLY_H
#define KATA_TESTS_ELEMENTARY_APPLY_H

/* clang-format off */
#define ELEMENTARY_ONE(X) \
    X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sin) X(cos) X(tan) X(asin) X(acos) \
    X(atan) X(sinh) X(cosh) X(tanh) X(cbrt) X(erf) X(round)
#define ELEMENTARY_TWO(X) X(pow) X(atan2) X(hypot) X(fmod)
/* clang-format on */

#define ELEMENTARY_COUNT 23

/* out[i] = f(x[i]) or f(x[i], y[i]), for i < n; out overlaps neither operand. */
typedef struct elementary_apply {
    const char *name;
    int operands;
    void (*f64)(const double *x, const double *y, double *out, int n);
    void (*f32)(const float *x, const float *y, float *out, int n);
} elementary_apply;

extern const elementary_apply elementary_fast[ELEMENTARY_COUNT];
extern const elementary_apply elementary_plain[ELEMENTARY_COUNT];

#ifdef ELEMENTARY_TABLE

#include "ir/elementary.h"
#include "ir/elementary_trig.h"

#ifdef __OPTIMIZE__
#define SIMD _Pragma("omp simd")
#else
#define SIMD
#endif

#define LOOP_1(name, type, suffix)                                                                 \
    static void name##_##suffix(const type *restrict x, const type *restrict y,                    \
                                type *restrict out, int n)                                         \
    {                                                                                              \
        (void)y;                                                                                   \
        SIMD for (int i = 0; i < n; i++) out[i] = kata_##name##_##suffix(x[i]);                    \
    }
#define LOOP_2(name, type, suffix)                                                                 \
    static void name##_##suffix(const type *restrict x, const type *restrict y,                    \
                                type *restrict out, int n)                                         \
    {                                                                                              \
        SIMD for (int i = 0; i < n; i++) out[i] = kata_##name##_##suffix(x[i], y[i]);              \
    }
#define LOOPS_1(name) LOOP_1(name, double, f64) LOOP_1(name, float, f32)
#define LOOPS_2(name) LOOP_2(name, double, f64) LOOP_2(name, float, f32)
#define ROW_1(name) {#name, 1, name##_f64, name##_f32},
#define ROW_2(name) {#name, 2, name##_f64, name##_f32},

ELEMENTARY_ONE(LOOPS_1)
ELEMENTARY_TWO(LOOPS_2)

const elementary_apply ELEMENTARY_TABLE[ELEMENTARY_COUNT] = {ELEMENTARY_ONE(ROW_1)
                                                                 ELEMENTARY_TWO(ROW_2)};

#endif
#endif
