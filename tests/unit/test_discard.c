/* Memory of values that the program has discarded: given back once no queued kernel needs it, and
 * made anew when the field is written again. What a discarded field may be used for is tested with
 * the misuses. */
/* Labels: hostile */
#include "api/api.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SIZE = 1000 };

static const char kernels[] = "kernel one(out double u) { u = 1; }\n"
                              "kernel some(out double u) { if (ix < 3) u = 2; }\n"
                              "kernel next(in double u, out double v) { v = u + 1; }\n";

typedef struct setting {
    kata *k;
    kata_range all;
    kata_kernel *one, *some, *next;
    kata_field *u, *v;
} setting;

static setting set_up(const char *executor)
{
    setting s = {.k = kata_open(&(kata_options){.executor = executor, .no_warnings = true})};
    kata_grid *g = kata_grid_2d(s.k, SIZE, SIZE);
    kata_module *m = kata_module_from_text(s.k, "k.kata", kernels);
    s.all = kata_all(g);
    s.one = kata_kernel_find(m, "one");
    s.some = kata_kernel_find(m, "some");
    s.next = kata_kernel_find(m, "next");
    s.u = kata_field_new(g, "u", KATA_F64);
    s.v = kata_field_like(s.u, "v");
    return s;
}

static void assert_all(const setting *s, kata_field *field, double expected)
{
    double *values = calloc(SIZE * SIZE, sizeof *values);
    assert_non_null(values);
    assert_int_equal(kata_get(field, s->all, values, SIZE * SIZE), KATA_OK);
    for (int i = 0; i < SIZE * SIZE; i++) assert_true(values[i] == expected);
    free(values);
}

/* Bytes of memory that the process has in use. */
static long resident(void)
{
    long total = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &total, &pages) != 2) pages = 0;
    if (file) fclose(file);
    return pages * 4096;
}

static void memory_goes_when_the_chain_has_run(void **state)
{
    (void)state;
    setting s = set_up(NULL);
    kata_apply(s.one, s.all, s.u);
    kata_apply(s.next, s.all, s.u, s.v);
    kata_discard(s.u);
    kata_flush(s.k);
    assert_null(s.u->slot->array);
    assert_non_null(s.v->slot->array);
    assert_all(&s, s.v, 2);
    assert_int_equal(kata_close(s.k), KATA_OK);
}

static void memory_goes_at_once_where_nothing_is_queued(void **state)
{
    (void)state;
    setting s = set_up(NULL);
    kata_apply(s.one, s.all, s.u);
    kata_flush(s.k);
    long before = resident();
    assert_non_null(s.u->slot->array);
    kata_discard(s.u);
    assert_null(s.u->slot->array);
    if (before) assert_true(before - resident() > SIZE * SIZE * 7);
    assert_int_equal(kata_close(s.k), KATA_OK);
}

static void the_field_can_be_written_again(void **state)
{
    (void)state;
    static const char *const executors[] = {"reference", "cpu"};
    for (int i = 0; i < 2; i++) {
        setting s = set_up(executors[i]);
        for (int step = 0; step < 3; step++) {
            kata_apply(s.one, s.all, s.u);
            kata_apply(s.next, s.all, s.u, s.v);
            kata_discard(s.u);
            kata_apply(s.some, s.all, s.u); /* parts of what was discarded are never seen */
            kata_swap(s.u, s.v);
            assert_all(&s, s.u, 2);
            assert_null(s.v->slot->array);
        }
        assert_int_equal(kata_close(s.k), KATA_OK);
    }
}

/* Freed memory would be zero when it is made anew. */
static void poison_shows_what_is_left_of_a_discarded_value(void **state)
{
    (void)state;
    setenv("KATA_POISON", "1", 1);
    setting s = set_up(NULL);
    unsetenv("KATA_POISON");
    kata_apply(s.one, s.all, s.u);
    kata_flush(s.k);
    kata_discard(s.u);
    assert_true(isnan(*(double *)s.u->slot->array->data));
    kata_apply(s.one, s.all, s.u);
    kata_discard(s.u);
    kata_flush(s.k);
    assert_true(isnan(*(double *)s.u->slot->array->data));
    assert_int_equal(kata_close(s.k), KATA_OK);
}

static void memory_goes_after_an_error_too(void **state)
{
    (void)state;
    setting s = set_up(NULL);
    kata_apply(s.one, s.all, s.u);
    kata_discard(s.u);
    kata_apply(s.next, s.all, s.v); /* refused: nothing more is queued */
    assert_int_equal(kata_error(s.k), KATA_ERROR_ARGUMENT);
    kata_error_clear(s.k);
    kata_flush(s.k);
    assert_null(s.u->slot->array);
    kata_apply(s.one, s.all, s.u);
    assert_all(&s, s.u, 1);
    assert_int_equal(kata_close(s.k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_goes_when_the_chain_has_run),
        cmocka_unit_test(memory_goes_at_once_where_nothing_is_queued),
        cmocka_unit_test(the_field_can_be_written_again),
        cmocka_unit_test(poison_shows_what_is_left_of_a_discarded_value),
        cmocka_unit_test(memory_goes_after_an_error_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
