/* Chains that are equal to the one before them run without being planned again. The results are
 * those of their own fields, also where these lie otherwise in memory. */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { SIZE = 12 };

static const char *const text = "kernel add(in double a, out double b, double c) { b = a + c; }\n"
                                "kernel twice(in double a, out double b) { b = 2*a; }\n";

typedef struct world {
    kata *k;
    kata_grid *grid;
    kata_kernel *add, *twice;
    kata_field *u, *v;
} world;

static world open_world(void)
{
    world w = {.k = kata_open(&(kata_options){.threads = 2})};
    const double zero[SIZE] = {0};
    kata_module *m = kata_module_from_text(w.k, "latest.kata", text);
    w.grid = kata_grid_1d(w.k, SIZE);
    w.add = kata_kernel_find(m, "add");
    w.twice = kata_kernel_find(m, "twice");
    w.u = kata_field_new(w.grid, "u", KATA_F64);
    w.v = kata_field_new(w.grid, "v", KATA_F64);
    kata_put(w.u, kata_all(w.grid), zero, SIZE);
    return w;
}

static void check_all(const world *w, kata_field *field, double expected)
{
    double values[SIZE];
    assert_int_equal(kata_get(field, kata_all(w->grid), values, SIZE), KATA_OK);
    for (int i = 0; i < SIZE; i++) assert_true(values[i] == expected);
}

static void numbers_may_change_from_chain_to_chain(void **state)
{
    (void)state;
    world w = open_world();
    double sum = 0;
    for (int i = 1; i <= 20; i++) {
        kata_apply(w.add, kata_all(w.grid), w.u, w.v, (double)i);
        kata_swap(w.u, w.v);
        kata_flush(w.k);
        sum += i;
        if (i % 7 == 0) check_all(&w, w.u, sum);
    }
    check_all(&w, w.u, sum);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void other_chains_may_come_between(void **state)
{
    (void)state;
    world w = open_world();
    double expected = 0;
    for (int i = 0; i < 12; i++) {
        kata_apply(w.add, kata_all(w.grid), w.u, w.v, 1.0);
        kata_swap(w.u, w.v);
        expected++;
        if (i % 3 == 2) {
            kata_apply(w.twice, kata_all(w.grid), w.u, w.v);
            kata_swap(w.u, w.v);
            expected *= 2;
        }
        kata_flush(w.k);
        check_all(&w, w.u, expected);
    }
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void the_same_loop_may_write_memory_of_the_program(void **state)
{
    (void)state;
    world w = open_world();
    double apart[2 * SIZE] = {0};
    kata_field *wrapped = kata_field_wrap(w.grid, "w", KATA_F64, apart, .stride = {2});
    for (int i = 0; i < 6; i++) {
        kata_apply(w.add, kata_all(w.grid), w.u, i % 3 == 2 ? wrapped : w.v, (double)i);
        kata_flush(w.k);
    }
    check_all(&w, w.v, 4);
    for (int i = 0; i < 2 * SIZE; i++) assert_true(apart[i] == (i % 2 ? 0 : 5));
    assert_int_equal(kata_close(w.k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_may_change_from_chain_to_chain),
        cmocka_unit_test(other_chains_may_come_between),
        cmocka_unit_test(the_same_loop_may_write_memory_of_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
