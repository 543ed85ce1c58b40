/* Of ways to run a loop the faster is found in a few runs, kept, and doubted now and then. */
#include "sweep/sweep.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { POINTS = 1000 };

/* Runs so often that ways take so many seconds; how many of the runs went the other way than `way`.
 */
static int astray(sweep_store_choice *state, int runs, const double seconds[SWEEP_STORE_CHOICES],
                  int way)
{
    int other = 0;
    for (int i = 0; i < runs; i++) {
        int taken = sweep_store_choice_begin(state, POINTS);
        assert_in_range(taken, 0, SWEEP_STORE_CHOICES - 1);
        sweep_store_choice_end(state, seconds[taken]);
        other += taken != way;
    }
    return other;
}

static void one_try_shows_that_the_first_is_clearly_faster(void **state)
{
    (void)state;
    sweep_store_choice way = {0};
    assert_int_equal(astray(&way, 3, (double[]){1, 1.6}, 0), 1);
    int before = astray(&way, 4, (double[]){1, 1.6}, 0);
    assert_int_equal(before, 0);
}

static void finds_the_second_where_it_is_faster(void **state)
{
    (void)state;
    sweep_store_choice way = {0};
    astray(&way, 7, (double[]){1, 0.9}, 1);
    assert_int_equal(astray(&way, 4, (double[]){1, 0.9}, 1), 0);
}

/* The first run finds new memory: that it is slow says nothing. */
static void the_first_run_does_not_count(void **state)
{
    (void)state;
    sweep_store_choice way = {0};
    assert_int_equal(sweep_store_choice_begin(&way, POINTS), 0);
    sweep_store_choice_end(&way, 100);
    assert_int_equal(astray(&way, 2, (double[]){1, 1.6}, 0), 1);
    assert_int_equal(astray(&way, 4, (double[]){1, 1.6}, 0), 0);
}

/* One slow run does not make the kept way lose: the best of several tries count. */
static void a_busy_machine_misleads_nobody(void **state)
{
    (void)state;
    sweep_store_choice way = {0};
    assert_int_equal(sweep_store_choice_begin(&way, POINTS), 0);
    sweep_store_choice_end(&way, 1);
    assert_int_equal(sweep_store_choice_begin(&way, POINTS), 0);
    sweep_store_choice_end(&way, 5);
    astray(&way, 5, (double[]){1, 1.1}, 0);
    assert_int_equal(astray(&way, 4, (double[]){1, 1.1}, 0), 0);
}

static void doubts_what_it_knows_ever_more_rarely(void **state)
{
    (void)state;
    sweep_store_choice way = {0};
    double first[SWEEP_STORE_CHOICES] = {1, 1.6}, second[SWEEP_STORE_CHOICES] = {1, 0.5};
    int early = astray(&way, 600, first, 0), late = astray(&way, 600, first, 0);
    assert_in_range(late, 1, early - 1);
    astray(&way, 600, second, 1);
    assert_in_range(astray(&way, 100, second, 1), 0, 10);
    assert_int_equal(astray(&way, 1, second, 1), 0);
}

static void another_size_is_another_question(void **state)
{
    (void)state;
    sweep_store_choice way = {0};
    astray(&way, 20, (double[]){1, 0.5}, 1);
    assert_int_equal(sweep_store_choice_begin(&way, POINTS), 1);
    sweep_store_choice_end(&way, 1);
    assert_int_equal(sweep_store_choice_begin(&way, 3 * POINTS), 0);
    sweep_store_choice_end(&way, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_try_shows_that_the_first_is_clearly_faster),
        cmocka_unit_test(finds_the_second_where_it_is_faster),
        cmocka_unit_test(the_first_run_does_not_count),
        cmocka_unit_test(a_busy_machine_misleads_nobody),
        cmocka_unit_test(doubts_what_it_knows_ever_more_rarely),
        cmocka_unit_test(another_size_is_another_question),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
