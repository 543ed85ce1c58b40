/* Running a loop level by level, where points of different columns depend on one another: all
 * threads end a level before any begins the next. What a level reads outside the grid is copied
 * when it runs, so that boundary rules find the values of that time. */
#include "sweep/loop.h"

static bool run_level(sweep_loop *l, const grid_box *level, sweep_workers *workers)
{
    l->interior = sweep_loop_interior(l, level);
    l->blocks = sweep_blocks_make(level, &l->reuse, l->thread_count, -1);
    return sweep_loop_run_blocks(l, workers);
}

static bool has_failed(const sweep_loop *l)
{
    bool failed = false;
    for (int t = 0; t < l->thread_count; t++) failed = failed || l->threads[t].fault.found;
    return failed;
}

bool sweep_loop_run_levels(sweep_loop *l, sweep_workers *workers)
{
    const chain_loop *loop = l->loop;
    int d = loop->kernel->ordered;
    grid_box level = loop->box;
    bool done = true;
    for (int64_t i = 0; i < loop->box.hi[d] - loop->box.lo[d] && done; i++) {
        bool forward = loop->kernel->direction == IR_FORWARD;
        level.lo[d] = forward ? loop->box.lo[d] + i : loop->box.hi[d] - 1 - i;
        level.hi[d] = level.lo[d] + 1;
        done = run_level(l, &level, workers);
        if (has_failed(l)) return done;
    }
    return done;
}
