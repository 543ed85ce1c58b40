/* The search for the fastest way to run a chain, with made-up seconds: it finds the way that takes
 * least, notices when that changes, counts what it should, and never asks for what cannot be run.
 */
#include "exec/cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CACHE = 1 << 20, LONG = 4000, BRIEF = 4, FOREVER = 400000 };

/* Seconds of a loop: of all loops one after another, and in tiles for caches of 2^18 bytes, 2^19,
 * ... */
typedef struct speeds {
    double loops, tiles[CPU_WAYS - 1];
} speeds;

static int tiles_of(const plan_request *request)
{
    int i = 0;
    while ((int64_t)CACHE / 4 << i != request->cache) assert_true(++i < CPU_WAYS - 1);
    return i;
}

static double seconds_of(const speeds *s, const plan_request *request)
{
    return strcmp(request->method, "loops") != 0 ? s->tiles[tiles_of(request)] : s->loops;
}

/* What may be asked for. */
static void check_request(const plan_request *request, size_t count, size_t left)
{
    bool loops = !strcmp(request->method, "loops");
    assert_true(count > 0 && count <= left);
    assert_true(loops || !strcmp(request->method, "tiled"));
    assert_true(loops || request->cache > 0);
    assert_true(loops || request->threads == 2);
}

/* Runs a chain, and returns by which request its last part ran. */
static plan_request run(cpu_ways *w, const speeds *s, size_t loops)
{
    plan_request request;
    for (size_t left = loops, count; left; left -= count) {
        count = cpu_way_begin(w, left, &request);
        check_request(&request, count, left);
        cpu_way_end(w, count, seconds_of(s, &request) * (double)count);
    }
    return request;
}

static bool is_least(const speeds *s, const plan_request *request)
{
    double least = s->loops;
    for (int i = 0; i < CPU_WAYS - 1; i++) least = least < s->tiles[i] ? least : s->tiles[i];
    return seconds_of(s, request) == least;
}

/* Sizes near `best` are fast, loops take so long. */
static speeds around(int best, double loops)
{
    speeds s = {.loops = loops};
    for (int i = 0; i < CPU_WAYS - 1; i++) s.tiles[i] = 1 + 0.1 * abs(i - best);
    return s;
}

static void check_finds(size_t period, size_t loops, int runs)
{
    for (int best = 0; best < CPU_WAYS - 1; best++)
        for (int slow = 0; slow < 2; slow++) {
            speeds s = around(best, slow ? 2 : 0.5);
            cpu_ways w = cpu_ways_new(7, period, CACHE, 2);
            for (int i = 0; i < runs; i++) run(&w, &s, loops);
            plan_request request = run(&w, &s, loops);
            if (!is_least(&s, &request))
                fail_msg("period %d, tiles %d are fastest, loops take %g: %s, cache %lld",
                         (int)period, best, s.loops, request.method, (long long)request.cache);
        }
}

static void test_the_fastest_way_is_found(void **state)
{
    (void)state;
    check_finds(1, LONG, 0); /* within one chain, part by part */
    check_finds(6, LONG, 0);
    check_finds(0, 200, 12); /* chains that do not repeat run as a whole */
    check_finds(2, BRIEF, 40);
}

static void test_ways_are_tried_again_after_a_pause(void **state)
{
    (void)state;
    cpu_ways w = cpu_ways_new(7, 1, CACHE, 2);
    speeds s = around(2, 1.2);
    plan_request before = run(&w, &s, LONG);
    assert_true(is_least(&s, &before));
    s.loops = 0.3; /* another program no longer takes all of the memory's rate */
    plan_request after = run(&w, &s, FOREVER);
    assert_string_equal(after.method, "loops");
    s.loops = 5;
    after = run(&w, &s, FOREVER);
    assert_true(is_least(&s, &after));
}

static void test_tries_become_rare(void **state)
{
    (void)state;
    cpu_ways w = cpu_ways_new(7, 1, CACHE, 2);
    speeds s = around(2, 1.2);
    size_t tried = 0;
    for (size_t left = FOREVER, count; left; left -= count) {
        plan_request request;
        count = cpu_way_begin(&w, left, &request);
        cpu_way_end(&w, count, seconds_of(&s, &request) * (double)count);
        if (!is_least(&s, &request)) tried += count;
    }
    assert_true(tried > 0 && tried < FOREVER / 50);
}

/* The first run of all counts for nothing, and of short chains the first in each way. */
static void test_what_is_left_in_caches_does_not_count(void **state)
{
    (void)state;
    cpu_ways w = cpu_ways_new(7, 1, CACHE, 2);
    speeds s = around(2, 1.5);
    plan_request request, last = {.cache = -1};
    int each[CPU_WAYS] = {0}, in_row = 0;
    for (int i = 0; i < 60; i++) {
        size_t count = cpu_way_begin(&w, BRIEF, &request);
        assert_int_equal(count, BRIEF);
        bool same = last.cache == request.cache;
        in_row = same ? in_row + 1 : 1;
        cpu_way_end(&w, count, seconds_of(&s, &request) * (i == 0 || in_row == 1 ? 100 : 1));
        each[request.cache ? 1 + tiles_of(&request) : 0]++;
        last = request;
    }
    assert_true(is_least(&s, &request));
    assert_int_equal(each[0], 3); /* loop by loop: three runs, of which two count */
    assert_int_equal(each[3], 1 + 3 + 60 - 1 - 4 * 3);
}

static void test_nothing_wrong_is_asked_for_whatever_was_measured(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int trial = 0; trial < 200; trial++) {
        cpu_ways w = cpu_ways_new(7, (size_t)trial % 5, CACHE >> trial % 21, 2);
        w.pause = 1 + trial;
        for (int i = 0; i < 500; i++) {
            plan_request request;
            random = random * 6364136223846793005u + 1442695040888963407u;
            size_t left = 1 + (random >> 33) % 300;
            size_t count = cpu_way_begin(&w, left, &request);
            bool loops = !strcmp(request.method, "loops");
            assert_true(count > 0 && count <= left);
            assert_true(loops || (!strcmp(request.method, "tiled") && request.cache >= 0));
            cpu_way_end(&w, count, i % 7 ? (double)(random >> 40) : 0);
        }
    }
}

static void test_chains_without_tiles_run_as_they_are(void **state)
{
    (void)state;
    cpu_ways w = cpu_ways_new(7, 1, CACHE, 2);
    w.plain = true;
    for (int i = 0; i < 5; i++) {
        plan_request request;
        assert_int_equal(cpu_way_begin(&w, LONG, &request), LONG);
        assert_string_equal(request.method, "loops");
        cpu_way_end(&w, LONG, 1);
    }
}

/* All chains of two loops up to some length, beside the definition. */
static void test_periods_are_the_shortest(void **state)
{
    enum { LONGEST = 10 };
    chain_loop loops[LONGEST] = {{0}};
    chain c = {.loops = loops};
    (void)state;
    for (c.count = 1; c.count <= LONGEST; c.count++)
        for (unsigned bits = 0; bits < 1u << c.count; bits++) {
            size_t expected = 0, found;
            for (size_t i = 0; i < c.count; i++) loops[i].hash = 7 + (bits >> i & 1);
            for (size_t period = c.count / 2; period > 0; period--) {
                size_t i = period;
                while (i < c.count && loops[i].hash == loops[i - period].hash) i++;
                if (i == c.count) expected = period;
            }
            assert_true(cpu_find_period(&c, &found));
            assert_int_equal(found, expected);
        }
}

/* Loops that run once, and then some that repeat. */
static void test_what_runs_once_comes_before_what_repeats(void **state)
{
    enum { MOST = 40 };
    chain_loop loops[MOST] = {{0}};
    (void)state;
    for (size_t once = 0; once < 8; once++)
        for (size_t period = 1; period <= 4; period++) {
            chain c = {.loops = loops, .count = MOST};
            size_t start = MOST;
            for (size_t i = 0; i < MOST; i++)
                loops[i].hash = i < once ? 100 + i : 7 + (i - once) % period;
            assert_true(cpu_find_repeat(&c, &start));
            assert_int_equal(start, once);
        }
    chain none = {.loops = loops, .count = MOST};
    size_t start = MOST;
    for (size_t i = 0; i < MOST; i++) loops[i].hash = 100 + i;
    assert_true(cpu_find_repeat(&none, &start));
    assert_int_equal(start, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_fastest_way_is_found),
        cmocka_unit_test(test_ways_are_tried_again_after_a_pause),
        cmocka_unit_test(test_tries_become_rare),
        cmocka_unit_test(test_what_is_left_in_caches_does_not_count),
        cmocka_unit_test(test_nothing_wrong_is_asked_for_whatever_was_measured),
        cmocka_unit_test(test_periods_are_the_shortest),
        cmocka_unit_test(test_what_runs_once_comes_before_what_repeats),
        cmocka_unit_test(test_chains_without_tiles_run_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
