/* Of two ways to run a loop the faster is found in a few blocks of runs, kept, and doubted now and
 * then. */
#include "sweep/sweep.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { BYTES = 1000, BLOCK = 3 };

/* A machine on which a way takes so many seconds, and its first run after the other more. */
typedef struct machine_model {
    double seconds[2], after_other;
    int before; /* the way of the run before */
} machine_model;

/* Runs so often, on a loop that begins with `first`; how many runs did not go `way`. */
static int astray(sweep_choice *c, machine_model *m, int runs, int first, int way)
{
    int other = 0;
    for (int i = 0; i < runs; i++) {
        int taken = sweep_choice_begin(c, BYTES, first, true);
        assert_in_range(taken, 0, 1);
        sweep_choice_end(c, taken == m->before ? m->seconds[taken] : m->after_other);
        m->before = taken;
        other += taken != way;
    }
    return other;
}

static void one_block_shows_that_the_first_is_clearly_faster(void **state)
{
    (void)state;
    sweep_choice c = {0};
    machine_model m = {{1, 1.6}, 1, 0};
    assert_int_equal(astray(&c, &m, 2 * BLOCK, 0, 0), BLOCK);
    assert_int_equal(astray(&c, &m, 5, 0, 0), 0);
}

static void finds_the_other_where_it_is_faster(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        sweep_choice c = {0};
        machine_model m = {{first ? 0.9 : 1, first ? 1 : 0.9}, 1, first};
        astray(&c, &m, 6 * BLOCK, first, 1 - first);
        assert_int_equal(astray(&c, &m, 5, first, 1 - first), 0);
    }
}

/* After a change the caches hold what the other way left: that run says nothing, whether it is slow
 * or fast. */
static void the_first_run_of_a_block_does_not_count(void **state)
{
    (void)state;
    sweep_choice slow = {0}, fast = {0};
    machine_model costly = {{1, 0.5}, 9, -1}, lucky = {{1, 2}, 0.1, -1};
    astray(&slow, &costly, 6 * BLOCK, 0, 1);
    assert_int_equal(astray(&slow, &costly, 5, 0, 1), 0);
    astray(&fast, &lucky, 6 * BLOCK, 0, 0);
    assert_int_equal(astray(&fast, &lucky, 5, 0, 0), 0);
}

static void runs_of_a_block_follow_one_another(void **state)
{
    (void)state;
    sweep_choice c = {0};
    int way[6 * BLOCK];
    for (int i = 0; i < 6 * BLOCK; i++) {
        way[i] = sweep_choice_begin(&c, BYTES, 0, true);
        sweep_choice_end(&c, 1);
    }
    for (int i = 0; i < 6 * BLOCK; i++) assert_int_equal(way[i], way[i / BLOCK * BLOCK]);
    assert_int_equal(way[0], 0);
    assert_int_equal(way[BLOCK], 1);
}

/* One slow run does not make the better way lose. */
static void a_busy_machine_misleads_nobody(void **state)
{
    (void)state;
    sweep_choice c = {0};
    machine_model m = {{1, 1.1}, 1, 0};
    for (int i = 0; i < BLOCK; i++) {
        assert_int_equal(sweep_choice_begin(&c, BYTES, 0, true), 0);
        sweep_choice_end(&c, 5);
    }
    astray(&c, &m, 5 * BLOCK, 0, 0);
    assert_int_equal(astray(&c, &m, 5, 0, 0), 0);
}

static void equal_ways_change_nothing(void **state)
{
    (void)state;
    sweep_choice c = {0};
    machine_model m = {{1, 0.99}, 1, 0};
    astray(&c, &m, 6 * BLOCK, 0, 0);
    assert_int_equal(astray(&c, &m, 5, 0, 0), 0);
}

static void doubts_what_it_knows_ever_more_rarely(void **state)
{
    (void)state;
    sweep_choice c = {0};
    machine_model first = {{1, 1.6}, 1, 0}, second = {{1, 0.5}, 1, 0};
    int early = astray(&c, &first, 600, 0, 0), late = astray(&c, &first, 600, 0, 0);
    assert_in_range(late, 1, early - 1);
    astray(&c, &second, 600, 0, 1);
    assert_in_range(astray(&c, &second, 100, 0, 1), 0, 3 * BLOCK);
}

/* Where nothing is doubtful the other way is hardly ever taken, but it is. */
static void without_doubt_it_tries_late(void **state)
{
    (void)state;
    sweep_choice c = {0};
    int other = 0, runs = 0;
    for (; runs < 2000 && !other; runs++) {
        int way = sweep_choice_begin(&c, BYTES, 1, false);
        sweep_choice_end(&c, way ? 1 : 2);
        other = !way;
    }
    assert_in_range(runs, 50, 1999);
}

static void another_size_is_another_question(void **state)
{
    (void)state;
    sweep_choice c = {0};
    machine_model m = {{1, 0.5}, 1, 0};
    astray(&c, &m, 20, 0, 1);
    assert_int_equal(sweep_choice_begin(&c, BYTES, 0, true), 1);
    sweep_choice_end(&c, 1);
    assert_int_equal(sweep_choice_begin(&c, 3 * BYTES, 0, true), 0);
    sweep_choice_end(&c, 1);
}

/* The run with which tries end says by how much the chosen way won. */
static void says_by_how_much_a_way_won(void **state)
{
    (void)state;
    sweep_choice c = {0};
    int ended = 0;
    for (int i = 0; i < 4 * BLOCK; i++) {
        int way = sweep_choice_begin(&c, BYTES, 0, true);
        if (!sweep_choice_end(&c, way ? 1 : 3)) continue;
        ended++;
        assert_int_equal(i, 3 * BLOCK - 1); /* the chosen way is given another block */
        assert_int_equal(c.best, 1);
        assert_true(sweep_choice_gain(&c) == 3);
    }
    assert_int_equal(ended, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_block_shows_that_the_first_is_clearly_faster),
        cmocka_unit_test(finds_the_other_where_it_is_faster),
        cmocka_unit_test(the_first_run_of_a_block_does_not_count),
        cmocka_unit_test(runs_of_a_block_follow_one_another),
        cmocka_unit_test(a_busy_machine_misleads_nobody),
        cmocka_unit_test(equal_ways_change_nothing),
        cmocka_unit_test(doubts_what_it_knows_ever_more_rarely),
        cmocka_unit_test(without_doubt_it_tries_late),
        cmocka_unit_test(another_size_is_another_question),
        cmocka_unit_test(says_by_how_much_a_way_won),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
