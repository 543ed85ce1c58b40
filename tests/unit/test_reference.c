/* The reference executor, on kernels built by hand: it is the oracle, so that here each rule of the
 * language is held against something simpler than itself. */
/* Labels: hostile */
#include "reference_tree.h"

#include "abi/abi.h"

#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void keep_message(void *data, kata_status status, const char *message)
{
    (void)status;
    text_add(data, "%s", message);
}

/* ---- reading --------------------------------------------------------------------------------- */

enum { SMALL = 4, REACH = 9 };

/* What grid_boundary_map says of a read of a small array, in the arithmetic of f64 or f32. */
static double mapped(const grid_boundary *boundary, const grid_shape *shape, const double *values,
                     const int64_t at[2], bool narrow, bool *covered)
{
    grid_source source[2] = {{0}, {0}};
    double x = 0;
    int ended = 2;
    *covered = true;
    for (int d = 0; d < 2 && *covered && ended == 2; d++) {
        grid_axis axis = {shape->size[d], shape->size[d], 0};
        *covered = grid_boundary_map(boundary, d, &axis, at[d], &source[d]);
        if (*covered && source[d].index < 0) ended = d;
    }
    if (!*covered) return 0;
    x = ended < 2 ? source[ended].constant
                  : values[source[1].index * shape->size[0] + source[0].index];
    for (int d = ended < 2 ? ended : 1; d >= 0; d--)
        for (int64_t k = source[d].steps - 1; k >= 0; k--) {
            double v = source[d].step_value[k % 2];
            x = narrow ? (double)(2 * (float)v - (float)x) : 2 * v - x;
        }
    return narrow ? (double)(float)x : x;
}

static grid_boundary random_boundary(void)
{
    grid_boundary b = {0};
    for (int side = 0; side < 4; side++)
        b.side[side] = (grid_side_rule){(kata_rule)(rand() % KATA_PERIODIC), tree_random()};
    for (int d = 0; d < 2; d++)
        if (rand() % 8 == 0) b.side[2 * d].rule = b.side[2 * d + 1].rule = KATA_PERIODIC;
    return b;
}

static void check_shift(kata_type type)
{
    grid_shape shape = {2, {1 + rand() % SMALL, 1 + rand() % SMALL, 1}};
    int64_t nx = shape.size[0], ny = shape.size[1];
    double in[SMALL * SMALL], out[SMALL * SMALL];
    for (int i = 0; i < SMALL * SMALL; i++) in[i] = (double)(float)tree_random();
    chain_slot u = tree_slot(&shape, type, 1), v = tree_slot(&shape, type, 1);
    int dx = rand() % (2 * REACH + 1) - REACH, dy = rand() % (2 * REACH + 1) - REACH;
    tree t;
    tree_start(&t);
    int pu = tree_param(&t, IR_PARAM_IN, IR_F64, 1, &u);
    int pv = tree_param(&t, IR_PARAM_OUT, IR_F64, 1, &v);
    grid_boundary boundary = random_boundary();
    t.bindings[pu].boundary = &boundary;
    tree_do(&t, tree_stmt(&t, IR_STMT_STORE, pv, NULL, tree_at(&t, pu, dx, dy)));
    tree_fill(&u, in);
    tree_run_ok(&t, &shape);
    tree_read_all(&v, out);
    for (int64_t i = 0; i < nx * ny; i++) {
        bool covered;
        double expected = mapped(&boundary, &shape, in, (int64_t[]){i % nx + dx, i / nx + dy},
                                 type == KATA_F32, &covered);
        assert_true(covered ? out[i] == expected : isnan(out[i]));
    }
    store_array_free(u.array);
    store_array_free(v.array);
    tree_free(&t);
}

/* Two implementations of the boundary rules, one recursive and one in closed form, agree. */
static void reads_outside_follow_the_rules(void **state)
{
    (void)state;
    srand(1);
    for (int i = 0; i < 4000; i++) check_shift(i % 2 ? KATA_F64 : KATA_F32);
}

static const grid_shape line = {1, {6, 1, 1}};
static const double ramp[] = {1, 2, 3, 4, 5, 6};

/* u = u[1] would be refused, but shows it: every read of another point finds the old value. */
static void reads_find_values_from_before_the_loop(void **state)
{
    (void)state;
    chain_slot u = tree_slot(&line, KATA_F64, 1);
    tree t;
    tree_start(&t);
    int p = tree_param(&t, IR_PARAM_INOUT, IR_F64, 1, &u);
    static const grid_boundary periodic = {.side = {{KATA_PERIODIC, 0}, {KATA_PERIODIC, 0}}};
    t.bindings[p].boundary = &periodic;
    ir_expr *sum = tree_op(&t, IR_ADD, IR_F64, tree_at(&t, p, -1, 0), tree_at(&t, p, 1, 0), NULL);
    tree_do(&t, tree_stmt(&t, IR_STMT_STORE, p, NULL, sum));
    tree_fill(&u, ramp);
    tree_run_ok(&t, &line);
    for (int64_t i = 0; i < 6; i++)
        assert_true(tree_value_at(&u, i) == ramp[(i + 5) % 6] + ramp[(i + 1) % 6]);
    store_array_free(u.array);
    tree_free(&t);
}

/* v and u are one slot: `v = 0.1; w = v; x = u` */
static void a_written_value_is_read_back_as_stored(void **state)
{
    (void)state;
    chain_slot u = tree_slot(&line, KATA_F32, 1);
    chain_slot w = tree_slot(&line, KATA_F64, 1), x = tree_slot(&line, KATA_F64, 1);
    tree t;
    tree_start(&t);
    int pu = tree_param(&t, IR_PARAM_IN, IR_F64, 1, &u);
    int pv = tree_param(&t, IR_PARAM_OUT, IR_F64, 1, &u);
    int pw = tree_param(&t, IR_PARAM_OUT, IR_F64, 1, &w);
    int px = tree_param(&t, IR_PARAM_OUT, IR_F64, 1, &x);
    tree_do(&t, tree_stmt(&t, IR_STMT_STORE, pv, NULL, tree_double(&t, 0.1)));
    tree_do(&t, tree_stmt(&t, IR_STMT_STORE, pw, NULL, tree_load(&t, pv, NULL, NULL, NULL)));
    tree_do(&t, tree_stmt(&t, IR_STMT_STORE, px, NULL, tree_load(&t, pu, NULL, NULL, NULL)));
    tree_fill(&u, ramp);
    tree_run_ok(&t, &line);
    for (int64_t i = 0; i < 6; i++) {
        assert_true(tree_value_at(&w, i) == (double)0.1f);
        assert_true(tree_value_at(&x, i) == ramp[i]);
    }
    store_array_free(u.array);
    store_array_free(w.array);
    store_array_free(x.array);
    tree_free(&t);
}

static void what_is_not_written_stays(void **state)
{
    (void)state;
    chain_slot u = tree_slot(&line, KATA_F64, 1);
    grid_box box = {{2, 0, 0}, {4, 1, 1}}, none = {{4, 0, 0}, {2, 1, 1}};
    messages m = {0};
    tree t;
    tree_start(&t);
    int p = tree_param(&t, IR_PARAM_OUT, IR_F64, 1, &u);
    tree_do(&t, tree_stmt(&t, IR_STMT_STORE, p, NULL, tree_double(&t, 9)));
    tree_fill(&u, ramp);
    assert_int_equal(tree_run(&t, &line, &none, &m), KATA_OK);
    assert_int_equal(tree_run(&t, &line, &box, &m), KATA_OK);
    for (int64_t i = 0; i < 6; i++)
        assert_true(tree_value_at(&u, i) == (i == 2 || i == 3 ? 9 : ramp[i]));
    assert_int_equal(u.version, 2);
    store_array_free(u.array);
    tree_free(&t);
}

static void tables_and_scalars_are_read(void **state)
{
    (void)state;
    grid_shape one = {1, {1, 1, 1}};
    static ir_value table[] = {{.f64 = 2}, {.f64 = 7}};
    chain_slot u = tree_slot(&line, KATA_F64, 1), s = tree_slot(&one, KATA_F64, 1);
    s.is_scalar = true;
    assert_true(store_scalar_set(&s, 0, (ir_value){.f64 = 100}));
    tree t;
    tree_start(&t);
    int p = tree_param(&t, IR_PARAM_OUT, IR_F64, 1, &u);
    int pt = tree_param(&t, IR_PARAM_TABLE, IR_F64, 2, NULL);
    int ps = tree_param(&t, IR_PARAM_NUMBER, IR_F64, 1, &s);
    int pn = tree_param(&t, IR_PARAM_NUMBER, IR_F64, 1, NULL);
    t.bindings[pt].table = table;
    t.bindings[pn].number.f64 = 1000;
    ir_expr *element = tree_op(&t, IR_REM, IR_I64, tree_index(&t, 0), tree_long(&t, 2), NULL);
    ir_expr *sum =
        tree_op(&t, IR_ADD, IR_F64, tree_number(&t, pt, element), tree_number(&t, ps, NULL), NULL);
    sum = tree_op(&t, IR_ADD, IR_F64, sum, tree_number(&t, pn, NULL), NULL);
    tree_do(&t, tree_stmt(&t, IR_STMT_STORE, p, NULL, sum));
    tree_run_ok(&t, &line);
    for (int64_t i = 0; i < 6; i++) assert_true(tree_value_at(&u, i) == (i % 2 ? 1107 : 1102));
    store_array_free(s.array);
    store_array_free(u.array);
    tree_free(&t);
}

/* ---- control --------------------------------------------------------------------------------- */

/* A call that notes that it was made: it adds one to `count` and is `value`. */
static ir_expr *noted(tree *t, int count, int result, bool value)
{
    ir_expr *more =
        tree_op(t, IR_ADD, IR_F64, tree_variable(t, count, NULL), tree_double(t, 1), NULL);
    ir_stmt *note = tree_stmt(t, IR_STMT_ASSIGN, count, NULL, more);
    ir_stmt *done = tree_stmt(t, IR_STMT_RETURN, result, NULL, tree_bool(t, value));
    return tree_call(t, result, tree_list(note, done));
}

static double calls_made(ir_op op, bool first, bool second)
{
    chain_slot u = tree_slot(&line, KATA_F64, 1);
    tree t;
    tree_start(&t);
    int p = tree_param(&t, IR_PARAM_OUT, IR_F64, 1, &u);
    int count = tree_local(&t, IR_F64, 0), result = tree_local(&t, IR_BOOL, 0);
    int x = tree_local(&t, IR_BOOL, 0);
    ir_expr *a = noted(&t, count, result, first), *b = noted(&t, count, result, second);
    ir_expr *c = op == IR_SELECT ? noted(&t, count, result, second) : NULL;
    tree_do(&t, tree_stmt(&t, IR_STMT_ASSIGN, count, NULL, tree_double(&t, 0)));
    tree_do(&t, tree_stmt(&t, IR_STMT_ASSIGN, x, NULL, tree_op(&t, op, IR_BOOL, a, b, c)));
    tree_do(&t, tree_stmt(&t, IR_STMT_STORE, p, NULL, tree_variable(&t, count, NULL)));
    tree_run_ok(&t, &line);
    double made = tree_value_at(&u, 5);
    store_array_free(u.array);
    tree_free(&t);
    return made;
}

static void what_does_not_decide_is_not_evaluated(void **state)
{
    (void)state;
    assert_true(calls_made(IR_AND, false, true) == 1);
    assert_true(calls_made(IR_AND, true, true) == 2);
    assert_true(calls_made(IR_OR, true, true) == 1);
    assert_true(calls_made(IR_OR, false, true) == 2);
    assert_true(calls_made(IR_SELECT, false, true) == 2);
    assert_true(calls_made(IR_XOR, false, true) == 2);
}

/* The smallest i with i*i >= ix, found by a loop that is left by return. */
static void return_leaves_loops(void **state)
{
    (void)state;
    grid_shape shape = {1, {50, 1, 1}};
    chain_slot u = tree_slot(&shape, KATA_I64, 1);
    tree t;
    tree_start(&t);
    int p = tree_param(&t, IR_PARAM_OUT, IR_I64, 1, &u);
    int i = tree_local(&t, IR_I64, 0), result = tree_local(&t, IR_I64, 0);
#define I tree_variable(&t, i, NULL)
    ir_stmt *loop = tree_stmt(&t, IR_STMT_FOR, 0, NULL,
                              tree_op(&t, IR_LT, IR_BOOL, I, tree_long(&t, 100), NULL));
    loop->init = tree_stmt(&t, IR_STMT_ASSIGN, i, NULL, tree_long(&t, 0));
    loop->step = tree_stmt(&t, IR_STMT_ASSIGN, i, NULL,
                           tree_op(&t, IR_ADD, IR_I64, I, tree_long(&t, 1), NULL));
    ir_expr *square = tree_op(&t, IR_MUL, IR_I64, I, I, NULL);
    loop->body = tree_stmt(&t, IR_STMT_IF, 0, NULL,
                           tree_op(&t, IR_LE, IR_BOOL, tree_index(&t, 0), square, NULL));
    loop->body->body = tree_stmt(&t, IR_STMT_RETURN, result, NULL, I);
#undef I
    ir_stmt *last = tree_stmt(&t, IR_STMT_RETURN, result, NULL, tree_long(&t, -1));
    ir_expr *call = tree_call(&t, result, tree_list(loop, last));
    tree_do(&t, tree_stmt(&t, IR_STMT_STORE, p, NULL, call));
    tree_run_ok(&t, &shape);
    int64_t values[50];
    grid_box all = grid_shape_box(&shape);
    store_read(u.array, &all, 1, KATA_I64, values);
    for (int64_t x = 0; x < 50; x++) {
        assert_true(values[x] * values[x] >= x);
        assert_true(values[x] == 0 || (values[x] - 1) * (values[x] - 1) < x);
    }
    store_array_free(u.array);
    tree_free(&t);
}

static void an_index_out_of_range_is_reported(void **state)
{
    (void)state;
    chain_slot u = tree_slot(&line, KATA_F64, 1);
    text heard = {0};
    messages m = {.handler = keep_message, .handler_data = &heard};
    tree t;
    tree_start(&t);
    int p = tree_param(&t, IR_PARAM_OUT, IR_F64, 1, &u), array = tree_local(&t, IR_F64, 3);
    tree_do(&t, tree_stmt(&t, IR_STMT_STORE, p, NULL, tree_variable(&t, array, tree_index(&t, 0))));
    tree_fill(&u, ramp);
    assert_int_equal(tree_run(&t, &line, NULL, &m), KATA_ERROR_ASSERT);
    assert_non_null(strstr(text_get(&heard), "error: index 3 is outside 'x' at point (3)"));
    text_free(&heard);
    message_free(&m);
    store_array_free(u.array);
    tree_free(&t);
}

/* ---- reductions ------------------------------------------------------------------------------ */

/* Reduces a field over a box; with `masked`, over the whole grid, where points outside the box
 * contribute nothing. */
static double reduced(ir_param_kind kind, chain_slot *u, const grid_box *box, bool masked)
{
    grid_shape one = {1, {1, 1, 1}};
    chain_slot s = tree_slot(&one, KATA_F64, 1);
    messages m = {0};
    tree t;
    tree_start(&t);
    int pu = tree_param(&t, IR_PARAM_IN, IR_F64, 1, u), ps = tree_param(&t, kind, IR_F64, 1, &s);
    ir_expr *inside = tree_bool(&t, true);
    for (int d = 0; d < 3; d++) {
        ir_expr *i = tree_index(&t, d), *lo = tree_long(&t, box->lo[d]),
                *hi = tree_long(&t, box->hi[d]);
        inside =
            tree_op(&t, IR_AND, IR_BOOL, inside, tree_op(&t, IR_LE, IR_BOOL, lo, i, NULL), NULL);
        inside =
            tree_op(&t, IR_AND, IR_BOOL, inside, tree_op(&t, IR_LT, IR_BOOL, i, hi, NULL), NULL);
    }
    ir_stmt *take = tree_stmt(&t, IR_STMT_IF, 0, NULL, inside);
    take->body = tree_stmt(&t, IR_STMT_REDUCE, ps, NULL, tree_load(&t, pu, NULL, NULL, NULL));
    tree_do(&t, take);
    assert_int_equal(tree_run(&t, &u->shape, masked ? NULL : box, &m), KATA_OK);
    tree_free(&t);
    double result = store_scalar(&s, 0).f64;
    store_array_free(s.array);
    return result;
}

static bool same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static void check_reductions(const grid_shape *shape)
{
    grid_box all = grid_shape_box(shape), box = all;
    size_t count = (size_t)grid_box_points(&all);
    double *values = calloc(count, sizeof *values), largest = -INFINITY, total = 0;
    chain_slot u = tree_slot(shape, KATA_F64, 1);
    for (size_t i = 0; i < count; i++) {
        values[i] = tree_random();
        if (values[i] > largest) largest = values[i];
        total += values[i];
    }
    tree_fill(&u, values);
    assert_true(same_bits(reduced(IR_PARAM_MAX, &u, &all, false), largest));
    assert_true(fabs(reduced(IR_PARAM_SUM, &u, &all, false) - total) < 1e-10);
    for (int i = 0; i < 3; i++) {
        for (int d = 0; d < 3; d++) {
            box.lo[d] = rand() % shape->size[d];
            box.hi[d] = box.lo[d] + 1 + rand() % (shape->size[d] - box.lo[d]);
        }
        for (ir_param_kind kind = IR_PARAM_SUM; kind <= IR_PARAM_MAX; kind++)
            assert_true(same_bits(reduced(kind, &u, &box, false), reduced(kind, &u, &box, true)));
    }
    store_array_free(u.array);
    free(values);
}

/* Sums and extremes are what they should be, and a box gives the bits of a masked grid. */
static void reductions_do_not_depend_on_the_box(void **state)
{
    (void)state;
    srand(3);
    check_reductions(&(grid_shape){1, {1, 1, 1}});
    check_reductions(&(grid_shape){1, {1700, 1, 1}});
    check_reductions(&(grid_shape){2, {37, 21, 1}});
    check_reductions(&(grid_shape){2, {600, 5, 1}});
    check_reductions(&(grid_shape){3, {7, 9, 11}});
}

/* The definition for one row of two bricks, by hand: lanes of every 32nd point, halves, bricks. */
static void a_row_is_summed_by_lanes_and_bricks(void **state)
{
    (void)state;
    enum { LENGTH = 700 };
    grid_shape shape = {1, {LENGTH, 1, 1}};
    chain_slot u = tree_slot(&shape, KATA_F64, 1);
    double values[LENGTH], lane[2][ABI_LANES];
    for (int i = 0; i < LENGTH; i++) values[i] = tree_random() * (i % 7 ? 1 : 1e8);
    for (int b = 0; b < 2; b++)
        for (int l = 0; l < ABI_LANES; l++) lane[b][l] = -0.0;
    for (int i = 0; i < LENGTH; i++) lane[i / ABI_BRICK][i % ABI_LANES] += values[i];
    for (int half = 16; half > 0; half /= 2)
        for (int b = 0; b < 2; b++)
            for (int l = 0; l < half; l++) lane[b][l] += lane[b][l + half];
    tree_fill(&u, values);
    grid_box all = grid_shape_box(&shape);
    assert_true(same_bits(reduced(IR_PARAM_SUM, &u, &all, false), lane[0][0] + lane[1][0]));
    store_array_free(u.array);
}

/* Rows 1, 2, 3 of a tree aligned to index 0: (1) + (2 + 3), not (1 + 2) + 3. */
static void trees_are_aligned_to_global_indices(void **state)
{
    (void)state;
    grid_shape shape = {2, {1, 4, 1}};
    const double values[] = {5, 1, 1e16, -1e16};
    chain_slot u = tree_slot(&shape, KATA_F64, 1);
    tree_fill(&u, values);
    assert_true(reduced(IR_PARAM_SUM, &u, &(grid_box){{0, 1, 0}, {1, 4, 1}}, false) == 1);
    store_array_free(u.array);
}

static void nothing_reduces_to_the_neutral_start(void **state)
{
    (void)state;
    chain_slot u = tree_slot(&line, KATA_F64, 1);
    grid_box none = {{3, 0, 0}, {3, 1, 1}};
    assert_true(same_bits(reduced(IR_PARAM_SUM, &u, &none, false), 0.0));
    assert_true(same_bits(reduced(IR_PARAM_SUM, &u, &none, true), 0.0));
    assert_true(reduced(IR_PARAM_MIN, &u, &none, false) == INFINITY);
    assert_true(reduced(IR_PARAM_MAX, &u, &none, true) == -INFINITY);
    store_array_free(u.array);
}

/* ---- environment ----------------------------------------------------------------------------- */

/* A caller that rounds upwards changes no bit, and goes on rounding upwards. */
static void the_floating_point_environment_is_set_and_restored(void **state)
{
    (void)state;
    chain_slot u = tree_slot(&line, KATA_F64, 1);
    messages m = {0};
    tree t;
    tree_start(&t);
    int p = tree_param(&t, IR_PARAM_OUT, IR_F64, 1, &u);
    ir_expr *third = tree_op(&t, IR_DIV, IR_F64, tree_double(&t, 1), tree_double(&t, 3), NULL);
    tree_do(&t, tree_stmt(&t, IR_STMT_STORE, p, NULL, third));
    fesetround(FE_UPWARD);
    kata_status status = tree_run(&t, &line, NULL, &m);
    int rounding = fegetround();
    fesetround(FE_TONEAREST);
    assert_int_equal(status, KATA_OK);
    assert_int_equal(rounding, FE_UPWARD);
    assert_true(tree_value_at(&u, 0) == 1.0 / 3.0);
    store_array_free(u.array);
    tree_free(&t);
}

#ifdef __SSE2__
#include <immintrin.h>
/* Flush-to-zero and denormals-are-zero, as a library built with -ffast-math leaves them. */
static void subnormals_survive(void **state)
{
    (void)state;
    chain_slot u = tree_slot(&line, KATA_F64, 1);
    messages m = {0};
    tree t;
    tree_start(&t);
    int p = tree_param(&t, IR_PARAM_OUT, IR_F64, 1, &u);
    ir_expr *tiny =
        tree_op(&t, IR_MUL, IR_F64, tree_double(&t, 0x1p-1022), tree_double(&t, 0.25), NULL);
    tree_do(&t, tree_stmt(&t, IR_STMT_STORE, p, NULL, tiny));
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040);
    kata_status status = tree_run(&t, &line, NULL, &m);
    unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    assert_int_equal(status, KATA_OK);
    assert_int_equal(after & 0x8040, 0x8040);
    assert_true(tree_value_at(&u, 0) == 0x1p-1024);
    store_array_free(u.array);
    tree_free(&t);
}
#else
static void subnormals_survive(void **state)
{
    (void)state;
    skip();
}
#endif

static void executors_are_found_by_name(void **state)
{
    (void)state;
    assert_ptr_equal(exec_find("reference"), &exec_reference);
    assert_ptr_equal(exec_find("cpu"), &exec_cpu);
    assert_null(exec_find("referenc"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_outside_follow_the_rules),
        cmocka_unit_test(reads_find_values_from_before_the_loop),
        cmocka_unit_test(a_written_value_is_read_back_as_stored),
        cmocka_unit_test(what_is_not_written_stays),
        cmocka_unit_test(tables_and_scalars_are_read),
        cmocka_unit_test(what_does_not_decide_is_not_evaluated),
        cmocka_unit_test(return_leaves_loops),
        cmocka_unit_test(an_index_out_of_range_is_reported),
        cmocka_unit_test(reductions_do_not_depend_on_the_box),
        cmocka_unit_test(a_row_is_summed_by_lanes_and_bricks),
        cmocka_unit_test(trees_are_aligned_to_global_indices),
        cmocka_unit_test(nothing_reduces_to_the_neutral_start),
        cmocka_unit_test(the_floating_point_environment_is_set_and_restored),
        cmocka_unit_test(subnormals_survive),
        cmocka_unit_test(executors_are_found_by_name),
    };
    return cmocka_run_group_tests_name("reference", tests, NULL, NULL);
}
