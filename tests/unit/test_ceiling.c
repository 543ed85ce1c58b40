/* Ceilings: how they are related, never how large they are: the machine may be shared. */
#include "machine/ceiling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void check_rate(const kata_rate *r)
{
    assert_true(r->median > 0);
    assert_true(r->best >= r->median);
    assert_true(r->best < 1e15);
}

/* A small machine: arrays of 32 MiB, and a third-level cache that is too small for a copy in it. */
static const machine small = {.cores = 1,
                              .l1 = 32 << 10,
                              .l2 = 256 << 10,
                              .l3 = 1 << 20,
                              .l2_cores = 1,
                              .l3_cores = 4,
                              .memory = INT64_C(2) << 30};

static void test_all_are_measured(void **state)
{
    (void)state;
    kata_ceilings c;
    memset(&c, 0x55, sizeof c);
    assert_true(machine_measure(&small, 2, &c));
    const kata_rate *all[] = {&c.copy,    &c.triad,   &c.l2_copy_one, &c.l2_copy_all,
                              &c.fma_f64, &c.fma_f32, &c.divide_f64,  &c.divide_f32};
    for (size_t i = 0; i < COUNT_OF(all); i++) check_rate(all[i]);
    assert_true(c.l3_copy_all.best == 0); /* a quarter of the half is less than the L2 cache */
    assert_true(c.l3_copy_one.best == 0);
    assert_true(c.seconds > 0);
#if defined(__x86_64__)
    check_rate(&c.clock);
    const ceiling_kernels *sets[CEILING_SETS];
    assert_true(ceiling_kernels_find(sets) >= 1);
    if (sets[0]->copy_streaming) check_rate(&c.copy_streaming);
    if (sets[0]->triad_streaming) check_rate(&c.triad_streaming);
#endif
}

/* A machine that does other work as well may stop a measurement at any moment: it is tried again.
 */
static void test_division_takes_longer_than_fma(void **state)
{
    (void)state;
    kata_ceilings c = {0};
    for (int i = 0; i < 50; i++) {
        assert_true(machine_measure(&small, 2, &c));
        if (c.fma_f64.best > c.divide_f64.best && c.fma_f32.best > c.divide_f32.best) return;
    }
    fail_msg("fma %g and %g, division %g and %g", c.fma_f64.best, c.fma_f32.best, c.divide_f64.best,
             c.divide_f32.best);
}

/* An unknown cache is not measured, and threads that the system refuses are no failure. */
static void test_an_unknown_machine_is_measured(void **state)
{
    (void)state;
    kata_ceilings c;
    machine unknown = {.cores = 0};
    assert_true(machine_measure(&unknown, 0, &c));
    check_rate(&c.copy);
    assert_true(c.l2_copy_one.best == 0 && c.l3_copy_all.best == 0);
    machine tiny = {.cores = 1, .memory = 4096};
    assert_false(machine_measure(&tiny, 1, &c));
}

/* The loops compute what they are named for, whatever vectors they use. */
static void test_loops_of_all_vectors_agree(void **state)
{
    (void)state;
    enum { COUNT = 4 * CEILING_STEP };
    _Alignas(CEILING_ALIGNMENT) static double a[COUNT], b[COUNT], to[COUNT];
    const ceiling_kernels *sets[CEILING_SETS];
    int count = ceiling_kernels_find(sets);
    for (int i = 0; i < COUNT; i++) {
        a[i] = i;
        b[i] = 0.5 * i;
    }
    for (int s = 0; s < count; s++) {
        void (*copies[])(double *, const double *, size_t) = {sets[s]->copy,
                                                              sets[s]->copy_streaming};
        void (*triads[])(double *, const double *, const double *,
                         size_t) = {sets[s]->triad, sets[s]->triad_streaming};
        for (int k = 0; k < 2; k++) {
            memset(to, 0, sizeof to);
            if (copies[k]) copies[k](to, a, COUNT);
            for (int i = 0; i < COUNT && copies[k]; i++) assert_true(to[i] == a[i]);
            if (triads[k]) triads[k](to, a, b, COUNT);
            for (int i = 0; i < COUNT && triads[k]; i++) assert_true(to[i] == a[i] + 3 * b[i]);
        }
        double sum = sets[s]->fma_f64(1); /* 1.5, 3, ... 15 halved, and 1.5 added; and 0.5 */
        assert_true(sum == 82.5 / 2 + 10 * 1.5 + 0.5);
        assert_true(sets[s]->fma_f32(1) == sum);
        assert_true(sets[s]->divide_f64(2) == 83);
    }
}

static void test_huge_pages_are_described(void **state)
{
    (void)state;
    machine m = {.cores = 0};
    machine_huge_pages(&m);
    assert_true(m.huge_page == 0 || m.huge_page >= 1 << 16);
    assert_true(!m.huge_pages_given || m.huge_page > 0);
    if (!strcmp(m.huge_pages, "never")) assert_false(m.huge_pages_given);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_are_measured),
        cmocka_unit_test(test_division_takes_longer_than_fma),
        cmocka_unit_test(test_an_unknown_machine_is_measured),
        cmocka_unit_test(test_loops_of_all_vectors_agree),
        cmocka_unit_test(test_huge_pages_are_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
