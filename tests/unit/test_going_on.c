/* Chains go on where a call does not depend on their results: kata_get of what queued kernels do
 * not write, kata_put to fields that they do not use, small puts of all values, kata_scalar_set.
 * Each test counts the chains that ran, and finds the values that kernels run at once would give.
 */
/* Labels: hostile */
#include "base/base.h"
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE = 40, LARGE = 200 };

static const char kernels[] = "kernel add(inout double u, double c) { u = u + c; }\n"
                              "kernel copy(in double u, out double v) { v = u; }\n"
                              "kernel total(in double u, sum double s) { s += u; }\n"
                              "kernel fails(in double u) { assert(u > 100, \"small\"); }\n";

typedef struct world {
    kata *k;
    kata_grid *g;
    kata_range all;
    kata_kernel *add, *copy, *total, *fails;
    kata_field *u, *v, *w;
    kata_scalar *c, *s;
    int64_t size;
} world;

static world open_world(const char *executor, int64_t size)
{
    world w = {.k = kata_open(&(kata_options){.executor = executor, .no_warnings = true})};
    w.size = size;
    w.g = kata_grid_2d(w.k, size, size);
    w.all = kata_all(w.g);
    kata_module *m = kata_module_from_text(w.k, "k.kata", kernels);
    w.add = kata_kernel_find(m, "add");
    w.copy = kata_kernel_find(m, "copy");
    w.total = kata_kernel_find(m, "total");
    w.fails = kata_kernel_find(m, "fails");
    w.u = kata_field_new(w.g, "u", KATA_F64);
    w.v = kata_field_like(w.u, "v");
    w.w = kata_field_like(w.u, "w");
    w.c = kata_scalar_new(w.k, "c", KATA_F64);
    w.s = kata_scalar_new(w.k, "s", KATA_F64);
    return w;
}

/* A hostile build ends chains of a few loops. */
static void assert_chains(const world *w, int64_t expected)
{
    kata_work work;
    assert_int_equal(kata_work_done(w->k, &work), KATA_OK);
    assert_int_equal(work.chains_forced, expected);
    if (!HOSTILE(false, true)) assert_int_equal(work.chains, expected);
}

static void put_all(const world *w, kata_field *f, double value)
{
    int64_t count = w->size * w->size;
    double *values = malloc((size_t)count * sizeof *values);
    assert_non_null(values);
    for (int64_t i = 0; i < count; i++) values[i] = value;
    assert_int_equal(kata_put(f, w->all, values, count), KATA_OK);
    free(values);
}

static double get_one(const world *w, kata_field *f)
{
    double value = -1;
    assert_int_equal(kata_get(f, kata_box_2d(w->g, 3, 4, 5, 6), &value, 1), KATA_OK);
    return value;
}

static void each_executor(void (*test)(const char *executor))
{
    static const char *const executors[] = {"reference", "cpu", "plan"};
    for (size_t i = 0; i < COUNT_OF(executors); i++) test(executors[i]);
}

static void use_others(const char *executor)
{
    world w = open_world(executor, LARGE);
    kata_apply(w.add, w.all, w.u, 1.0);
    put_all(&w, w.v, 5);
    assert_true(get_one(&w, w.v) == 5);
    kata_apply(w.copy, w.all, w.v, w.w);
    assert_true(get_one(&w, w.v) == 5); /* read, not written, by a queued kernel */
    assert_chains(&w, 0);
    assert_true(get_one(&w, w.w) == 5);
    assert_true(get_one(&w, w.u) == 1);
    assert_chains(&w, 1);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void fields_that_no_queued_kernel_uses(void **state)
{
    (void)state;
    each_executor(use_others);
}

static void set_scalars(const char *executor)
{
    world w = open_world(executor, SIZE);
    double value = 0;
    for (int chain = 0; chain < 3; chain++) {
        for (int i = 1; i <= 3; i++) {
            kata_scalar_set(w.c, i);
            kata_scalar_get(w.c, &value);
            assert_true(value == i);
            kata_apply(w.add, w.all, w.u, w.c);
        }
        kata_scalar_set(w.c, 100);
        assert_chains(&w, chain);
        assert_true(get_one(&w, w.u) == 6 * (chain + 1));
        kata_scalar_get(w.c, &value);
        assert_true(value == 100);
    }
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void scalars_that_queued_kernels_take(void **state)
{
    (void)state;
    each_executor(set_scalars);
}

/* A reduction writes the scalar before and after it is set. */
static void set_results(const char *executor)
{
    world w = open_world(executor, SIZE);
    double value = 0, log[2];
    kata_scalar_log(w.s, 2);
    kata_apply(w.add, w.all, w.u, 1.0);
    kata_apply(w.total, w.all, w.u, w.s);
    kata_scalar_set(w.s, 7);
    kata_apply(w.add, w.all, w.u, w.s);
    kata_apply(w.total, w.all, w.u, w.s);
    assert_chains(&w, 0);
    kata_scalar_get(w.s, &value);
    assert_true(value == 8.0 * SIZE * SIZE);
    assert_chains(&w, 1);
    assert_int_equal(kata_scalar_log_get(w.s, log, 2), KATA_OK);
    assert_true(log[0] == 1.0 * SIZE * SIZE && log[1] == value);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void scalars_that_queued_kernels_compute(void **state)
{
    (void)state;
    each_executor(set_results);
}

static void put_small(const char *executor)
{
    world w = open_world(executor, SIZE);
    for (int chain = 0; chain < 3; chain++) {
        put_all(&w, w.u, 1);
        kata_apply(w.copy, w.all, w.u, w.v);
        put_all(&w, w.u, 2);
        kata_apply(w.add, w.all, w.v, 10.0);
        kata_apply(w.copy, w.all, w.u, w.w);
        kata_swap(w.u, w.w);
        put_all(&w, w.w, 3); /* queued kernels read what they were given */
        assert_chains(&w, chain);
        assert_true(get_one(&w, w.v) == 11);
        assert_true(get_one(&w, w.u) == 2);
        assert_true(get_one(&w, w.w) == 3);
        assert_chains(&w, chain + 1);
    }
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void small_puts_of_all_values(void **state)
{
    (void)state;
    each_executor(put_small);
}

/* Values that queued kernels only read are known: those that are not put stay. */
static void put_parts(const char *executor)
{
    world w = open_world(executor, SIZE);
    put_all(&w, w.u, 1);
    for (int i = 2; i < 5; i++) {
        kata_apply(w.total, w.all, w.u, w.s);
        kata_put(w.u, kata_box_2d(w.g, i, i + 1, 5, 6), &(double){i}, 1);
    }
    kata_apply(w.copy, w.all, w.u, w.v);
    assert_chains(&w, 0);
    double sum = 0, values[SIZE * SIZE];
    kata_scalar_get(w.s, &sum);
    assert_true(sum == SIZE * SIZE + 1 + 2);
    assert_int_equal(kata_get(w.v, w.all, values, SIZE * SIZE), KATA_OK);
    for (int i = 0; i < SIZE * SIZE; i++) {
        int x = i % SIZE;
        assert_true(values[i] == (i / SIZE == 5 && x >= 2 && x < 5 ? x : 1));
    }
    assert_chains(&w, 1);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void small_puts_of_some_values_that_are_read(void **state)
{
    (void)state;
    each_executor(put_parts);
}

static void puts_that_are_large_or_of_some_values_end_the_chain(void **state)
{
    (void)state;
    world w = open_world(NULL, LARGE);
    kata_apply(w.copy, w.all, w.u, w.v);
    put_all(&w, w.u, 2);
    assert_chains(&w, 1);
    kata_apply(w.copy, w.all, w.u, w.v);
    kata_put(w.u, kata_box_2d(w.g, 3, 4, 5, 6), &(double){4}, 1);
    assert_chains(&w, 2);
    assert_true(get_one(&w, w.v) == 2 && get_one(&w, w.u) == 4);
    assert_int_equal(kata_close(w.k), KATA_OK);
    w = open_world(NULL, SIZE);
    kata_apply(w.add, w.all, w.u, 1.0);
    kata_put(w.u, kata_box_2d(w.g, 3, 4, 5, 6), &(double){4}, 1);
    assert_chains(&w, 1);
    kata_apply(w.copy, w.all, w.u, w.v);
    assert_true(get_one(&w, w.v) == 4);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

/* 12.8 KB each: together they are bounded. */
static void many_small_puts_end_the_chain(void **state)
{
    (void)state;
    world w = open_world(NULL, SIZE);
    kata_work work = {0};
    int puts = 0;
    while (puts < 1000 && !work.chains_forced) {
        kata_apply(w.copy, w.all, w.u, w.v);
        put_all(&w, w.u, ++puts);
        kata_work_done(w.k, &work);
    }
    if (!HOSTILE(false, true)) assert_true(puts > 50 && puts < 100);
    assert_true(get_one(&w, w.v) == puts - 1);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

/* What is known without the chain does not wait for its errors; the next result shows them. */
static void an_error_comes_with_the_result_that_depends_on_it(void **state)
{
    (void)state;
    world w = open_world(NULL, SIZE);
    double value = 0;
    kata_apply(w.fails, w.all, w.u);
    kata_apply(w.add, w.all, w.v, 1.0);
    put_all(&w, w.w, 5);
    kata_scalar_set(w.c, 2);
    assert_true(get_one(&w, w.w) == 5);
    assert_int_equal(kata_get(w.v, kata_box_2d(w.g, 0, 1, 0, 1), &value, 1), KATA_ERROR_ASSERT);
    assert_true(value != value);
    kata_error_clear(w.k);
    assert_true(get_one(&w, w.w) == 5);
    kata_scalar_get(w.c, &value);
    assert_true(value == 2);
    kata_close(w.k);
}

/* A queue that is long goes on until the loops begin again: so all chains are alike. */
static void chains_of_loops_that_repeat_end_where_these_begin(void **state)
{
    (void)state;
    enum { PERIOD = 100, TIMES = 12 };
    world w = open_world("reference", SIZE);
    kata_work work;
    for (int i = 0; i < PERIOD * TIMES; i++)
        if (i % PERIOD)
            kata_apply(w.add, w.all, w.u, 1.0);
        else
            kata_apply(w.copy, w.all, w.u, w.v);
    assert_int_equal(kata_work_done(w.k, &work), KATA_OK);
    assert_int_equal(work.chains, HOSTILE(4, PERIOD * TIMES / 5)); /* three times the loops each */
    assert_true(get_one(&w, w.v) == (PERIOD - 1) * (TIMES - 1));
    assert_int_equal(kata_close(w.k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_that_no_queued_kernel_uses),
        cmocka_unit_test(scalars_that_queued_kernels_take),
        cmocka_unit_test(scalars_that_queued_kernels_compute),
        cmocka_unit_test(small_puts_of_all_values),
        cmocka_unit_test(small_puts_of_some_values_that_are_read),
        cmocka_unit_test(puts_that_are_large_or_of_some_values_end_the_chain),
        cmocka_unit_test(many_small_puts_end_the_chain),
        cmocka_unit_test(an_error_comes_with_the_result_that_depends_on_it),
        cmocka_unit_test(chains_of_loops_that_repeat_end_where_these_begin),
    };
    return cmocka_run_group_tests_name("chains that go on", tests, NULL, NULL);
}
