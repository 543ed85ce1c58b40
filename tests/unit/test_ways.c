/* The search for the fastest way to run a chain, with made-up seconds: it finds the way that takes
 * least, notices when that changes, counts what it should, and never asks for what cannot be run.
 */
#include "exec/alike.h"
#include "tune/ways.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CACHE = 1 << 20, LONG = 4000, BRIEF = 4, FOREVER = 400000, DEPTH = 16 };
static const double EACH = 1e-3; /* seconds, about, of a loop */

/* Seconds of a loop: of all loops one after another; in tiles for a cache of 2^size bytes, of some
 * depth, and so much more for each power of two beside these. Tiles that threads share take
 * `shared` times as long (0: 1.5 times) for a cache of 2^(size + 4) bytes. */
typedef struct speeds {
    double loops, tiles;
    int size, depth;
    double more, shared;
} speeds;

static double seconds_of(const speeds *s, const plan_request *r)
{
    if (!r->cache) return EACH * s->loops;
    if (!strcmp(r->method, "shared")) {
        double size = fabs(log2((double)r->cache) - s->size - 4);
        return EACH * s->tiles * (s->shared > 0 ? s->shared : 1.5) * (1 + s->more * size);
    }
    double size = fabs(log2((double)r->cache) - s->size);
    double depth = fabs(log2((double)(r->depth ? r->depth : DEPTH) / s->depth));
    return EACH * s->tiles * (1 + s->more * (size + depth));
}

/* What may be asked for. */
static void check_request(const plan_request *r, size_t count, size_t left)
{
    bool loops = !strcmp(r->method, "loops"), shared = !strcmp(r->method, "shared");
    assert_true(count > 0 && count <= left);
    assert_true(loops || shared || !strcmp(r->method, "tiled"));
    assert_true(loops ? !r->cache && !r->depth : r->cache > 0 && r->threads == (shared ? 0 : 2));
    assert_true(r->depth == 0 || r->depth >= 2);
}

/* Tiles for caches above `most` bytes are the same. */
static tune_tiles tiles_of(const plan_request *r, int64_t most)
{
    tune_tiles tiles = {.plan = 1};
    if (!r->cache) return tiles;
    tiles.loops = r->depth ? (int)r->depth : DEPTH;
    tiles.plan = 2 + (uint64_t)(r->cache < most ? r->cache : most) * 1000 + (uint64_t)tiles.loops;
    if (!strcmp(r->method, "shared")) tiles.plan *= 3;
    return tiles;
}

/* How the next loops run. */
static plan_request begin(tune_ways *w, size_t left, size_t *count, int64_t most)
{
    plan_request request = tune_search_begin(w);
    while (tune_search_looks(w)) {
        tune_tiles tiles = tiles_of(&request, most);
        tune_search_found(w, &tiles);
        request = tune_search_begin(w);
    }
    *count = tune_search_part(w, left);
    check_request(&request, *count, left);
    return request;
}

static void finish(tune_ways *w, const speeds *s, const plan_request *request, size_t count)
{
    tune_search_end(w, count, seconds_of(s, request) * (double)count, 0);
}

/* Runs a chain, and returns by which request its last part ran. */
static plan_request run(tune_ways *w, const speeds *s, size_t loops)
{
    plan_request request;
    for (size_t left = loops, count; left; left -= count) {
        request = begin(w, left, &count, INT64_MAX);
        finish(w, s, &request, count);
    }
    return request;
}

static bool is_least(const speeds *s, const plan_request *request)
{
    double least = fmin(s->loops, s->tiles);
    return seconds_of(s, request) < EACH * least * 1.001;
}

static speeds around(int size, int depth, double loops)
{
    return (speeds){.loops = loops, .tiles = 1, .size = size, .depth = depth, .more = 0.1};
}

/* The fastest way that was met: a search that goes on may just try others again. */
static const tune_way *found_of(const tune_ways *w)
{
    const tune_way *found = &w->ways[0];
    for (int i = 1; i < w->count; i++)
        if (w->ways[i].least > 0 && w->ways[i].least < found->least) found = &w->ways[i];
    return found;
}

static void check_finds(size_t period, size_t loops, int runs)
{
    for (int size = 17; size <= 24; size++)
        for (int depth = DEPTH / 2; depth <= 2 * DEPTH; depth *= 2)
            for (int slow = 0; slow < 2; slow++) {
                speeds s = around(size, depth, slow ? 2 : 0.5);
                tune_ways w = tune_ways_new(7, period, CACHE, 2);
                for (int i = 0; i < runs; i++) run(&w, &s, loops);
                run(&w, &s, loops); /* which may end with a try */
                plan_request request = found_of(&w)->request;
                if (!is_least(&s, &request))
                    fail_msg("period %d, 2^%d bytes, depth %d, loops take %g: %s %lld %lld",
                             (int)period, size, depth, s.loops, request.method,
                             (long long)request.cache, (long long)request.depth);
            }
}

static void test_the_fastest_way_is_found(void **state)
{
    (void)state;
    check_finds(1, LONG, 0); /* within one chain, part by part */
    check_finds(6, LONG, 0);
    check_finds(0, 200, 800); /* chains that do not repeat run as a whole */
    check_finds(2, BRIEF, 1000);
}

/* Also if the machine does not know how large the cache is that all cores share. */
static void test_tiles_that_threads_share_are_found(void **state)
{
    (void)state;
    for (int size = 18; size <= 21; size++) {
        speeds s = around(size, DEPTH, 2);
        s.shared = 0.5;
        tune_ways w = tune_ways_new(7, 1, CACHE, 2);
        run(&w, &s, LONG);
        plan_request request = found_of(&w)->request;
        assert_string_equal(request.method, "shared");
        assert_int_equal(request.cache, (int64_t)1 << (size + 4));
    }
}

/* A machine may say that its caches are four times as large as they are, or as small. */
static void test_the_fastest_way_is_found_where_caches_are_misreported(void **state)
{
    (void)state;
    for (int64_t reported = CACHE / 4; reported <= CACHE * 4; reported *= 16) {
        speeds s = around(20, DEPTH, 2);
        tune_ways w = tune_ways_new(7, 1, reported, 2);
        plan_request request = run(&w, &s, LONG);
        assert_true(is_least(&s, &request));
    }
}

/* What tries take beyond the fastest way. */
static void test_tries_cost_little_from_the_first_steps_on(void **state)
{
    (void)state;
    for (int size = 18; size <= 22; size++)
        for (int loops = 1; loops <= 3; loops++) {
            speeds s = around(size, DEPTH, loops);
            tune_ways w = tune_ways_new(7, 1, CACHE, 2);
            double spent = 0;
            for (size_t left = 200, count; left; left -= count) {
                plan_request request = begin(&w, left, &count, INT64_MAX);
                finish(&w, &s, &request, count);
                if (w.trying && w.ways[w.best].least > 0)
                    spent += (double)count *
                             fmax(0, seconds_of(&s, &request) / EACH - w.ways[w.best].least / EACH);
            }
            if (spent * EACH > 0.0501 * w.total)
                fail_msg("size %d, loops %d: %g of %g", size, loops, spent, w.total / EACH);
        }
}

static void test_equal_plans_are_tried_once(void **state)
{
    (void)state;
    speeds s = {.loops = 3, .tiles = 1, .size = 20, .depth = DEPTH};
    tune_ways w = tune_ways_new(7, 1, CACHE, 2);
    int tries[64] = {0};
    for (size_t left = LONG / 2, count; left; left -= count) {
        plan_request request = begin(&w, left, &count, CACHE / 2); /* larger ones are alike */
        finish(&w, &s, &request, count);
        if (w.trying && request.cache && !request.depth) tries[(int)log2((double)request.cache)]++;
    }
    assert_true(tries[20] >= 1);
    assert_int_equal(tries[21], 0);
    assert_int_equal(tries[19], 0);
    assert_true(tries[18] <= 2); /* two looks */
}

static void test_parts_of_tries_are_whole_sections(void **state)
{
    (void)state;
    speeds s = around(20, DEPTH, 2);
    tune_ways w = tune_ways_new(7, 3, CACHE, 2);
    for (size_t left = LONG, count; left; left -= count) {
        plan_request request = begin(&w, left, &count, INT64_MAX);
        finish(&w, &s, &request, count);
        if (!w.trying || left == count) continue;
        size_t depth = (size_t)tiles_of(&request, INT64_MAX).loops;
        assert_int_equal(count % 3, 0);
        if (depth) assert_true(count % depth < 3 && count >= depth);
    }
}

static void test_ways_are_tried_again_after_a_pause(void **state)
{
    (void)state;
    tune_ways w = tune_ways_new(7, 1, CACHE, 2);
    speeds s = around(20, DEPTH, 1.2);
    plan_request before = run(&w, &s, LONG);
    assert_true(is_least(&s, &before));
    s.loops = 0.3; /* another program no longer takes all of the memory's rate */
    plan_request after = run(&w, &s, FOREVER);
    assert_string_equal(after.method, "loops");
    s.loops = 5;
    after = run(&w, &s, FOREVER);
    assert_true(is_least(&s, &after));
}

/* Whatever it was before, without waiting for the end of a pause. */
static void test_a_way_that_turns_slow_is_tried_again(void **state)
{
    (void)state;
    tune_ways w = tune_ways_new(7, 1, CACHE, 2);
    speeds s = around(20, DEPTH, 1.7);
    for (int i = 0; i < 100; i++) run(&w, &s, 100);
    assert_true(w.left > 1000 || w.pause > 4096);
    s.tiles = 3;
    for (int i = 0; i < 20; i++) run(&w, &s, 100);
    plan_request after = run(&w, &s, 100);
    assert_string_equal(after.method, "loops");
}

/* A choice that was kept while another program ran says too many seconds. It is compared anew, a
 * few times at most between two pauses. */
static void test_a_way_that_is_much_faster_than_kept_is_compared_anew(void **state)
{
    const plan_request loops = {.method = "loops"};
    (void)state;
    tune_ways w = tune_ways_new(7, 1, CACHE, 2);
    speeds s = around(20, DEPTH, 1.2);
    tune_search_remember(&w, &loops, EACH * 4, true);
    for (int i = 0; i < 80; i++) run(&w, &s, 100); /* a small part of the longest pause */
    assert_true(is_least(&s, &found_of(&w)->request));
    int tries = 0;
    for (int i = 0; i < 400; i++) { /* a machine whose speed jumps */
        size_t count;
        plan_request request = begin(&w, 64, &count, INT64_MAX);
        tries += w.trying;
        tune_search_end(&w, count, seconds_of(&s, &request) * (double)count * (i % 2 ? 1 : 0.5), 0);
    }
    assert_true(tries < 100);
}

/* Loops find out while they run with which stores and threads they are fast. */
static void test_loops_that_were_slow_at_first_are_tried_again(void **state)
{
    (void)state;
    tune_ways w = tune_ways_new(7, 1, CACHE, 2);
    speeds s = around(20, DEPTH, 0.8);
    for (size_t left = LONG, count, of_loops = 0; left; left -= count) {
        plan_request request = begin(&w, left, &count, INT64_MAX);
        of_loops += request.cache ? 0 : count;
        double factor = !request.cache && of_loops < 20 ? 1.7 : 1;
        tune_search_end(&w, count, factor * seconds_of(&s, &request) * (double)count, 0);
    }
    assert_string_equal(w.ways[w.best].request.method, "loops");
}

/* Tiles that the model says move many more bytes are not run; fewer bytes come first. */
static void test_a_cost_model_orders_the_tries(void **state)
{
    (void)state;
    tune_ways w = tune_ways_new(7, 1, CACHE, 2);
    speeds s = {.loops = 3, .tiles = 1, .size = 20, .depth = DEPTH};
    int64_t order[64] = {0};
    int count_of = 0;
    for (size_t left = LONG, count; left; left -= count) {
        plan_request request = tune_search_begin(&w);
        while (tune_search_looks(&w)) {
            tune_tiles tiles = tiles_of(&request, INT64_MAX);
            double bytes = request.depth ? 1e3 : request.cache >= CACHE ? (double)CACHE / 1e5 : 12;
            if (request.cache > CACHE) bytes = 8;
            tiles.traffic = (plan_traffic){.memory = bytes, .points = 1};
            tune_search_found(&w, &tiles);
            request = tune_search_begin(&w);
        }
        count = tune_search_part(&w, left);
        if (w.trying && request.cache && count_of < 64) order[count_of++] = request.cache;
        assert_true(request.depth == 0); /* a thousand bytes a point */
        finish(&w, &s, &request, count);
    }
    assert_int_equal(order[0], CACHE);
    assert_true(count_of > 2 && order[1] > CACHE); /* 8 bytes before 12 */
}

/* Loops that should be slow, where fields leave the caches, do not run first; but they are tried
 * once, whatever the model says of them. */
static void test_tiles_run_first_where_fields_leave_the_caches(void **state)
{
    (void)state;
    for (int large = 0; large < 2; large++) {
        tune_ways w = tune_ways_new(7, 1, CACHE, 2);
        speeds s = around(20, DEPTH, 0.5);
        size_t count, first_loops = 0, first_tiles = 0, at = 0; /* but the first part of all */
        w.bytes = large ? 64.0 * CACHE : CACHE;
        for (; at < LONG; at += count) {
            plan_request request = tune_search_begin(&w);
            while (tune_search_looks(&w)) {
                tune_tiles tiles = tiles_of(&request, INT64_MAX);
                tiles.traffic = (plan_traffic){.memory = request.cache ? 2 : 20, .points = 1};
                tune_search_found(&w, &tiles);
                request = tune_search_begin(&w);
            }
            count = tune_search_part(&w, LONG - at);
            if (!request.cache && !first_loops && at) first_loops = at;
            if (at && !first_tiles && request.cache) first_tiles = at;
            finish(&w, &s, &request, count);
        }
        assert_true(large ? first_loops > 64 : first_tiles > first_loops);
        assert_true(is_least(&s, &found_of(&w)->request)); /* loops, which the model misjudges */
    }
}

/* It may be the only one. */
static void test_a_chain_that_does_not_repeat_begins_in_tiles(void **state)
{
    (void)state;
    size_t count;
    tune_ways w = tune_ways_new(7, 0, CACHE, 2);
    w.bytes = 64.0 * CACHE;
    assert_true(begin(&w, LONG, &count, INT64_MAX).cache > 0);
    assert_int_equal(count, LONG);
}

static void test_a_remembered_way_runs_until_it_turns_slow(void **state)
{
    (void)state;
    const plan_request loops = {.method = "loops"}, tiny = {.method = "tiled", .cache = 1};
    for (int slow = 0; slow < 2; slow++) {
        tune_ways w = tune_ways_new(7, 1, CACHE, 2);
        speeds s = around(20, DEPTH, slow ? 2 : 0.9);
        tune_search_remember(&w, &tiny, EACH, true); /* may not be run */
        assert_int_equal(w.count, 0);
        tune_search_remember(&w, &loops, EACH * 0.9, true);
        for (int i = 0; i < 30; i++) {
            plan_request request = run(&w, &s, 50);
            if (!slow || i < 3) assert_string_equal(request.method, "loops");
            if (!slow) assert_int_equal(w.count, 1);
        }
        plan_request after = run(&w, &s, LONG);
        assert_true(is_least(&s, &after));
    }
}

/* The search goes on where it has not ended. */
static void test_a_search_goes_on_with_what_is_remembered(void **state)
{
    (void)state;
    tune_ways w = tune_ways_new(7, 1, CACHE, 2);
    speeds s = around(18, DEPTH, 3);
    plan_request near = {.method = "tiled", .cache = 1 << 19, .threads = 2};
    tune_search_remember(&w, &near, EACH * 1.1, false);
    plan_request after = run(&w, &s, LONG);
    assert_true(is_least(&s, &after));
}

static void test_tries_become_rare(void **state)
{
    (void)state;
    tune_ways w = tune_ways_new(7, 1, CACHE, 2);
    speeds s = around(20, DEPTH, 1.2);
    size_t tried = 0;
    for (size_t left = FOREVER, count; left; left -= count) {
        plan_request request = begin(&w, left, &count, INT64_MAX);
        finish(&w, &s, &request, count);
        if (!is_least(&s, &request)) tried += count;
    }
    assert_true(tried > 0 && tried < FOREVER / 50);
}

/* The first run of all counts for nothing, and of short chains the first in each way. */
static void test_what_is_left_in_caches_does_not_count(void **state)
{
    (void)state;
    tune_ways w = tune_ways_new(7, 1, CACHE, 2);
    speeds s = around(20, DEPTH, 1.5); /* seconds are too few to fill caches anew */
    plan_request last = {.cache = -1}, request;
    int in_row = 0, of_loops = 0;
    for (int i = 0; i < 4000; i++) {
        size_t count;
        request = begin(&w, BRIEF, &count, INT64_MAX);
        assert_int_equal(count, BRIEF);
        in_row = last.cache == request.cache && last.depth == request.depth ? in_row + 1 : 1;
        bool cold = i == 0 || in_row == 1;
        tune_search_end(&w, count, seconds_of(&s, &request) * (double)count * (cold ? 0.13 : 0.1),
                        0);
        of_loops += i > 0 && w.trying && !request.cache;
        last = request;
    }
    assert_true(is_least(&s, &request));
    assert_int_equal(of_loops % 3, 0); /* three runs, of which two count */
    assert_true(of_loops > 0);
}

/* Parts of few brief loops would measure how threads wake up. */
static void test_tries_take_a_while(void **state)
{
    const double brief = 2e-6;
    int tries = 0;
    (void)state;
    tune_ways w = tune_ways_new(7, 1, CACHE, 2);
    for (int i = 0; i < 1000; i++)
        for (size_t left = 700, count; left; left -= count) {
            begin(&w, left, &count, INT64_MAX);
            tries += w.trying && i > 0;
            if (w.trying && i > 0) assert_true((double)count * brief >= 1e-3 || count == 700);
            tune_search_end(&w, count, brief * (double)count, 0);
        }
    assert_true(tries > 0);
}

/* Small loops run on one thread until it is known what more are worth. */
static void test_a_way_that_turns_faster_stays(void **state)
{
    (void)state;
    tune_ways w = tune_ways_new(7, 1, CACHE, 2);
    for (size_t run = 0, count; run < 100000; run += count) {
        plan_request request = begin(&w, 100, &count, INT64_MAX);
        double tiles = request.cache == CACHE ? 1.5e-5 : 1.2e-5, loops = run < 900 ? 1.3e-5 : 1e-5;
        if (!w.trying && run > 1000) assert_string_equal(request.method, "loops");
        tune_search_end(&w, count, (request.cache ? tiles : loops) * (double)count,
                        request.cache ? 2e-3 : 0);
    }
}

static void test_nothing_wrong_is_asked_for_whatever_was_measured(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int trial = 0; trial < 200; trial++) {
        tune_ways w = tune_ways_new(7, (size_t)trial % 5, CACHE >> trial % 21, 2);
        w.pause = 1 + trial;
        for (int i = 0; i < 500; i++) {
            size_t count;
            random = random * 6364136223846793005u + 1442695040888963407u;
            begin(&w, 1 + (random >> 33) % 300, &count, CACHE);
            tune_search_end(&w, count, i % 7 ? (double)(random >> 40) * 1e-6 : 0, 1e-6);
        }
    }
}

static void test_chains_without_tiles_run_as_they_are(void **state)
{
    (void)state;
    tune_ways w = tune_ways_new(7, 1, CACHE, 2);
    w.plain = true;
    for (int i = 0; i < 5; i++) {
        size_t count;
        plan_request request = begin(&w, LONG, &count, INT64_MAX);
        assert_int_equal(count, LONG);
        assert_string_equal(request.method, "loops");
        tune_search_end(&w, LONG, 1, 0);
    }
}

/* ---- machines that mislead ------------------------------------------------------------------- */

/* A long chain of two loops whose fields fill 25 times the last cache; as measured of shallow
 * water, loop by loop 1: in tiles for 4 MiB it takes 0.56, in those for the second-level cache more
 * than loops do. */
static double seconds_of_water(const plan_request *r, double first)
{
    static const double tiled[] = {2.5, 2.2, 2, 0, 0.63, 0.56, 0.72, 1.4, 2};
    int size = r->cache ? (int)log2((double)r->cache) - 17 : -1;
    if (size < 0) return EACH;
    if (!strcmp(r->method, "shared")) return EACH * 0.85;
    double depth = fabs(log2((double)(r->depth ? r->depth : DEPTH) / DEPTH));
    return EACH * (size == 3 ? first : tiled[size < 8 ? size : 8]) * (1 + 0.2 * depth);
}

static tune_ways new_water(void)
{
    tune_ways w = tune_ways_new(7, 2, CACHE, 2);
    w.outer = 32.0 * CACHE;
    w.bytes = 800.0 * CACHE;
    return w;
}

/* From some part of the chain on, so many parts take so much longer. */
typedef struct burst {
    int from, parts;
    double factor;
} burst;

/* Runs the chain, and returns what its last part would take without bursts. */
static double run_water(tune_ways *w, double first, size_t loops, const burst *b)
{
    double each = 0;
    int part = 0;
    for (size_t left = loops, count; left; left -= count, part++) {
        plan_request request = begin(w, left, &count, INT64_MAX);
        bool slow = part >= b->from && part < b->from + b->parts;
        each = seconds_of_water(&request, first);
        tune_search_end(w, count, each * (double)count * (slow ? b->factor : 1), 0);
    }
    return each;
}

static double found_of_water(const tune_ways *w, double first)
{
    return seconds_of_water(&w->ways[w->best].request, first) / EACH;
}

static void test_tiles_are_found_where_the_first_ones_are_far_slower_than_loops(void **state)
{
    static const double first[] = {0.9, 1.5, 2, 4};
    const burst none = {0};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(first); i++) {
        tune_ways w = new_water();
        run_water(&w, first[i], LONG, &none);
        if (found_of_water(&w, first[i]) > 0.561)
            fail_msg("first tiles take %g: found %g", first[i], found_of_water(&w, first[i]));
    }
}

/* Another program runs for some time, whenever that is: after so many loops, how often other tiles
 * are taken for the fastest, of 1080 cases. */
static int count_misled(size_t loops)
{
    int misled = 0;
    for (int parts = 1; parts <= 6; parts++)
        for (int from = 0; from < 60; from++)
            for (double factor = 1.5; factor <= 6; factor *= 2) {
                const burst b = {from, parts, factor};
                tune_ways w = new_water();
                run_water(&w, 0.9, loops, &b);
                misled += found_of_water(&w, 0.9) > 0.561;
            }
    return misled;
}

static void test_a_burst_of_noise_does_not_decide(void **state)
{
    (void)state;
    assert_in_range(count_misled(400), 0, 27); /* 200 steps: at most a fortieth */
    assert_int_equal(count_misled(2 * LONG), 0);
}

/* Every part takes up to a fifth longer, now and then one takes twice as long. */
static void test_noise_does_not_decide(void **state)
{
    uint64_t random = 7;
    (void)state;
    for (int trial = 0; trial < 40; trial++) {
        tune_ways w = new_water();
        for (size_t left = 2 * LONG, count; left; left -= count) {
            plan_request request = begin(&w, left, &count, INT64_MAX);
            random = random * 6364136223846793005u + 1442695040888963407u;
            double noise = 1 + 0.2 * (double)(random >> 40) / (1 << 24);
            if (random >> 33 & 1 && random >> 34 & 1 && random >> 35 & 1) noise *= 2;
            double each = seconds_of_water(&request, 0.9);
            tune_search_end(&w, count, each * (double)count * noise, 0);
        }
        if (found_of_water(&w, 0.9) > 0.64)
            fail_msg("trial %d: found %g", trial, found_of_water(&w, 0.9));
    }
}

/* Whatever other programs do meanwhile: parts take up to thirty times as long, some for long. */
static void test_a_search_at_once_ends_for_good(void **state)
{
    enum { MOST = 100000 };
    uint64_t random = 3;
    (void)state;
    for (int trial = 0; trial < 100; trial++) {
        tune_ways w = new_water();
        size_t ended = 0, run = 0;
        double noise = 1;
        w.at_once = true;
        for (size_t count; run < MOST + LONG; run += count) {
            plan_request request = begin(&w, 1000, &count, INT64_MAX);
            random = random * 6364136223846793005u + 1442695040888963407u;
            if (random >> 40 & 1 || random >> 41 & trial)
                noise = pow(30, (double)(random >> 44) / (1 << 20));
            if (w.rests && !ended) ended = run;
            if (ended && (!w.rests || w.trying)) fail_msg("trial %d: it has begun anew", trial);
            tune_search_end(&w, count,
                            1e-2 * seconds_of_water(&request, 0.9) * noise * (double)count, 0);
        }
        if (!ended || ended > MOST) fail_msg("trial %d: it has not ended", trial);
    }
}

/* Where a cache holds all fields tiles gain little, and trying them costs little. */
static void test_tries_in_a_cache_cost_little(void **state)
{
    (void)state;
    for (double tiles = 1; tiles <= 1.5; tiles += 0.1)
        for (size_t period = 1; period <= 4; period *= 2) {
            speeds s = around(20, DEPTH, 1);
            tune_ways w = tune_ways_new(7, period, CACHE, 2);
            s.tiles = tiles;
            w.outer = 32.0 * CACHE;
            w.bytes = 16.0 * CACHE;
            run(&w, &s, 200 * period);
            double lost = w.total / (200 * (double)period * EACH) - 1;
            if (lost > 0.05) fail_msg("tiles take %g, %d loops: %g", tiles, (int)period, lost);
        }
}

/* Each loop of a step has to find out how it runs best. */
static void test_all_loops_of_long_steps_settle(void **state)
{
    enum { STEP = 20 };
    (void)state;
    tune_ways w = tune_ways_new(7, STEP, CACHE, 2);
    speeds s = around(20, DEPTH, 0.8);
    w.bytes = 800.0 * CACHE;
    for (size_t left = 40 * LONG, count, of_loops = 0; left; left -= count) {
        plan_request request = begin(&w, left, &count, INT64_MAX);
        of_loops += request.cache ? 0 : count;
        double factor = !request.cache && of_loops < 20 * STEP ? 1.7 : 1;
        tune_search_end(&w, count, factor * seconds_of(&s, &request) * (double)count, 0);
    }
    assert_string_equal(w.ways[w.best].request.method, "loops");
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
        cmocka_unit_test(test_tiles_that_threads_share_are_found),
        cmocka_unit_test(test_the_fastest_way_is_found_where_caches_are_misreported),
        cmocka_unit_test(test_tries_cost_little_from_the_first_steps_on),
        cmocka_unit_test(test_equal_plans_are_tried_once),
        cmocka_unit_test(test_parts_of_tries_are_whole_sections),
        cmocka_unit_test(test_a_way_that_turns_slow_is_tried_again),
        cmocka_unit_test(test_a_way_that_is_much_faster_than_kept_is_compared_anew),
        cmocka_unit_test(test_loops_that_were_slow_at_first_are_tried_again),
        cmocka_unit_test(test_a_cost_model_orders_the_tries),
        cmocka_unit_test(test_tiles_run_first_where_fields_leave_the_caches),
        cmocka_unit_test(test_a_chain_that_does_not_repeat_begins_in_tiles),
        cmocka_unit_test(test_a_remembered_way_runs_until_it_turns_slow),
        cmocka_unit_test(test_a_search_goes_on_with_what_is_remembered),
        cmocka_unit_test(test_ways_are_tried_again_after_a_pause),
        cmocka_unit_test(test_tries_become_rare),
        cmocka_unit_test(test_what_is_left_in_caches_does_not_count),
        cmocka_unit_test(test_tries_take_a_while),
        cmocka_unit_test(test_a_way_that_turns_faster_stays),
        cmocka_unit_test(test_nothing_wrong_is_asked_for_whatever_was_measured),
        cmocka_unit_test(test_tiles_are_found_where_the_first_ones_are_far_slower_than_loops),
        cmocka_unit_test(test_a_burst_of_noise_does_not_decide),
        cmocka_unit_test(test_noise_does_not_decide),
        cmocka_unit_test(test_a_search_at_once_ends_for_good),
        cmocka_unit_test(test_tries_in_a_cache_cost_little),
        cmocka_unit_test(test_all_loops_of_long_steps_settle),
        cmocka_unit_test(test_periods_are_the_shortest),
        cmocka_unit_test(test_what_runs_once_comes_before_what_repeats),
        cmocka_unit_test(test_chains_without_tiles_run_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
