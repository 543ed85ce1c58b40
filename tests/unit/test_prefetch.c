/* A loop that runs by itself finds out whether prefetching is faster. */
#include "base/base.h"
#include "sweep/loop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { POINTS = 1000, RUNS = 10 }; /* tries of both ways end before, and none begin again */

/* Runs a loop of a chain that touches so many bytes, on a machine on which it takes 2 ms with
 * prefetching and 0.1 ms without, or the other way round. Returns the flags of the next run. */
static int flags_after(int64_t touched, bool prefetching_is_slow)
{
    sweep_workers workers = {.count = 1, .touched = touched};
    chain_loop loop = {.box = {{0, 0, 0}, {POINTS, 1, 1}}};
    sweep_loop *l = calloc(1, sizeof *l);
    assert_non_null(l);
    l->workers = &workers;
    l->loop = &loop;
    for (int i = 0; i < RUNS; i++) {
        sweep_flags_begin(l, POINTS);
        bool slow = !(l->flags & ABI_PREFETCH) != prefetching_is_slow;
        double end = clock_seconds() + (slow ? 2e-3 : 1e-4);
        while (clock_seconds() < end) continue;
        sweep_flags_end(l);
    }
    sweep_flags_begin(l, POINTS);
    int flags = l->flags;
    free(l);
    return flags;
}

/* More than second-level caches hold, and less than the usual crossover. */
static int64_t large(void) { return larger(4 * machine_second_cache(), 16 << 20); }

static void a_loop_stops_prefetching_where_that_is_slower(void **state)
{
    (void)state;
    assert_false(flags_after(large(), true) & (ABI_PREFETCH | ABI_PREFETCH_WRITTEN));
}

static void a_loop_goes_on_prefetching_where_that_is_faster(void **state)
{
    (void)state;
    int both = ABI_PREFETCH | ABI_PREFETCH_WRITTEN;
    assert_int_equal(flags_after(large(), false) & both, both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_stops_prefetching_where_that_is_slower),
        cmocka_unit_test(a_loop_goes_on_prefetching_where_that_is_faster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
