/* Reductions in vectors give what their definition says, carried out literally by
 * reference_reduce.c. */
/* Labels: hostile threads */
#include "exec/exec.h"
#include "oracle/oracle.h"
#include "sweep/reduce.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static ir_value random_value(ir_type type, int specials)
{
    static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, 1e308, -1e308, 5e-324, NAN};
    if (ir_type_is_integer(type))
        return ir_value_of_int(type, (int64_t)((uint64_t)rand() << 33) ^
                                         (int64_t)((uint64_t)rand() << 10) ^ rand());
    if (specials && rand() % 20 == 0)
        return ir_value_of_double(type,
                                  special[(size_t)rand() % (COUNT_OF(special) - (specials < 2))]);
    return ir_value_of_double(type, ((double)rand() / RAND_MAX - 0.5) * ldexp(1, rand() % 60));
}

/* Fills partials of all rows from values of 8 bytes, cutting rows at the bricks given. */
static void reduce_rows(const ir_param *param, const grid_box *box, const ir_value *values,
                        const grid_box *bricks, ir_value *partials)
{
    int64_t nx = box->hi[0] - box->lo[0];
    size_t size = (size_t)ir_types[param->type].bytes;
    char *row = malloc((size_t)nx * size);
    assert_non_null(row);
    for (int64_t y = 0; y < (box->hi[1] - box->lo[1]) * (box->hi[2] - box->lo[2]); y++) {
        for (int64_t x = 0; x < nx; x++) memcpy(row + (size_t)x * size, &values[y * nx + x], size);
        ir_value *out = partials + y * (bricks->hi[0] - bricks->lo[0]);
        int64_t cut = (box->lo[0] / ABI_BRICK + 1 + rand() % 3) * ABI_BRICK;
        if (cut > box->hi[0]) cut = box->hi[0];
        sweep_reduce_row(param, row, box->lo[0], cut, out);
        int64_t done = (cut + ABI_BRICK - 1) / ABI_BRICK - bricks->lo[0];
        if (cut < box->hi[0])
            sweep_reduce_row(param, row + (size_t)(cut - box->lo[0]) * size, cut, box->hi[0],
                             out + done);
    }
    free(row);
}

static bool same(ir_type type, ir_value a, ir_value b)
{
    if (type == IR_F64 && isnan(a.f64)) return isnan(b.f64);
    if (type == IR_F32 && isnan(a.f32)) return isnan(b.f32);
    return a.bits == b.bits;
}

static grid_box random_box(void)
{
    grid_box box;
    for (int d = 0; d < 3; d++) {
        box.lo[d] = rand() % (d ? 9 : 1500);
        box.hi[d] = box.lo[d] + 1 + rand() % (d ? 6 : rand() % 2 ? 40 : 2500);
    }
    return box;
}

static void check(const ir_param *param, int specials)
{
    grid_box box = random_box(), bricks = box;
    bricks.lo[0] = box.lo[0] / ABI_BRICK;
    bricks.hi[0] = (box.hi[0] + ABI_BRICK - 1) / ABI_BRICK;
    size_t count = (size_t)grid_box_points(&box);
    ir_value *values = malloc(count * sizeof *values);
    ir_value *partials = malloc((size_t)grid_box_points(&bricks) * sizeof *partials);
    assert_true(values && partials);
    for (size_t i = 0; i < count; i++) values[i] = random_value(param->type, specials);
    reduce_rows(param, &box, values, &bricks, partials);
    ir_value result = sweep_reduce_box(param, &bricks, partials);
    ir_value expected = oracle_reduce(&(oracle_contributions){param, box, box, values, false});
    assert_true(same(param->type, expected, result));
    free(values);
    free(partials);
}

static void follows_the_definition(void **state)
{
    (void)state;
    srand(5);
    for (int kind = IR_PARAM_SUM; kind <= IR_PARAM_MAX; kind++)
        for (int type = IR_I32; type <= IR_F64; type++)
            for (int round = 0; round < 60; round++) {
                ir_param param = {
                    .name = "r", .kind = (ir_param_kind)kind, .type = (ir_type)type, .count = 1};
                check(&param, round % 3);
            }
}

static ir_value reduce_all(ir_param_kind kind, const double *values, int64_t count)
{
    ir_param param = {.name = "r", .kind = kind, .type = IR_F64, .count = 1};
    ir_value partial[4];
    grid_box bricks = {{0, 0, 0}, {(count + ABI_BRICK - 1) / ABI_BRICK, 1, 1}};
    sweep_reduce_row(&param, values, 0, count, partial);
    return sweep_reduce_box(&param, &bricks, partial);
}

/* Signed zeros and NaN are ordered, so that no order of execution shows. */
static void zeros_and_nan_are_ordered(void **state)
{
    (void)state;
    double zeros[40], with_nan[600];
    for (int i = 0; i < 40; i++) zeros[i] = i == 17 ? -0.0 : 0.0;
    for (int i = 0; i < 600; i++) with_nan[i] = i == 599 ? (double)NAN : i;
    assert_true(signbit(reduce_all(IR_PARAM_MIN, zeros, 40).f64));
    assert_false(signbit(reduce_all(IR_PARAM_MAX, zeros, 40).f64));
    assert_false(signbit(reduce_all(IR_PARAM_SUM, zeros + 17, 1).f64));
    assert_true(isnan(reduce_all(IR_PARAM_MIN, with_nan, 600).f64));
    assert_true(isnan(reduce_all(IR_PARAM_MAX, with_nan, 600).f64));
    assert_true(reduce_all(IR_PARAM_SUM, with_nan, 599).f64 == 599.0 * 598 / 2);
}

/* Which of two numbers reductions take, spelled out; NaN where one is NaN. */
static double chosen(bool least, double a, double b)
{
    if (isnan(a) || isnan(b)) return (double)NAN;
    bool a_first = a < b || (a == b && signbit(a));
    return a_first == least ? a : b;
}

static void is_chosen(ir_param_kind kind, double a, double b)
{
    ir_param param = {.kind = kind, .type = IR_F64};
    double expected = chosen(kind == IR_PARAM_MIN, a, b);
    ir_value found = ir_reduce(&param, (ir_value){.f64 = a}, (ir_value){.f64 = b});
    assert_true(same(IR_F64, (ir_value){.f64 = expected}, found));
    param.type = IR_F32;
    found = ir_reduce(&param, ir_value_of_double(IR_F32, a), ir_value_of_double(IR_F32, b));
    assert_true(same(IR_F32, ir_value_of_double(IR_F32, expected), found));
}

/* The least and the greatest of all kinds of numbers, whichever comes first. */
static void numbers_are_ordered(void **state)
{
    (void)state;
    static const double numbers[] = {0.0,      -0.0,      1.0,       -1.0,      1.5,   -1.5,
                                     0x1p-149, -0x1p-149, 0x1p-126,  3e38,      -3e38, NAN,
                                     -NAN,     INFINITY,  -INFINITY, -0x1p-126, 0.75,  0x1.8p-140};
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        for (size_t k = 0; k < COUNT_OF(numbers); k++) {
            is_chosen(IR_PARAM_MIN, numbers[i], numbers[k]);
            is_chosen(IR_PARAM_MAX, numbers[i], numbers[k]);
        }
}

static void no_points_give_the_start(void **state)
{
    (void)state;
    grid_box none = {{3, 2, 0}, {3, 5, 1}};
    ir_param sum = {.name = "r", .kind = IR_PARAM_SUM, .type = IR_F64, .count = 1},
             least = {.name = "r", .kind = IR_PARAM_MIN, .type = IR_I32, .count = 1};
    assert_true(sweep_reduce_box(&sum, &none, NULL).bits == 0);
    assert_int_equal(sweep_reduce_box(&least, &none, NULL).i32, INT32_MAX);
}

/* What no point contributes to is larger, or smaller, than all that points can contribute. */
static void starts_are_neutral(void **state)
{
    (void)state;
    ir_param p = {.kind = IR_PARAM_MIN, .type = IR_F32};
    assert_true(ir_reduction_start(&p).f32 == INFINITY);
    p.type = IR_F64;
    assert_true(ir_reduction_start(&p).f64 == (double)INFINITY);
    p.type = IR_I32;
    assert_true(ir_reduction_start(&p).i32 == INT32_MAX);
    p = (ir_param){.kind = IR_PARAM_MAX, .type = IR_F32};
    assert_true(ir_reduction_start(&p).f32 == -INFINITY);
    p.type = IR_I64;
    assert_true(ir_reduction_start(&p).i64 == INT64_MIN);
    p.kind = IR_PARAM_SUM;
    assert_true(ir_reduction_start(&p).i64 == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_are_neutral),        cmocka_unit_test(follows_the_definition),
        cmocka_unit_test(zeros_and_nan_are_ordered), cmocka_unit_test(numbers_are_ordered),
        cmocka_unit_test(no_points_give_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
