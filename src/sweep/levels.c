/* Running a loop level by level, where points of different columns depend on one another: all
 * threads end a level before any begins the next. What a level reads outside the grid is copied
 * when it runs, so that boundary rules find the values of that time. */
#include "sweep/loop.h"

/* Whether a point of a level that runs before a level has failed: then what this level does is not
 * wanted. */
static bool fails_before(const sweep_loop *l, int64_t level)
{
    const ir_kernel *kernel = l->loop->kernel;
    const observe_fault *fault = sweep_first_fault(l);
    if (!fault) return false;
    int64_t failing = fault->point[kernel->ordered];
    return kernel->direction == IR_FORWARD ? failing < level : failing > level;
}

int64_t sweep_level_count(const sweep_loop *l, const grid_box *box)
{
    int d = l->loop->kernel->ordered;
    return box->hi[d] - box->lo[d];
}

grid_box sweep_level(const sweep_loop *l, const grid_box *box, int64_t i)
{
    const ir_kernel *kernel = l->loop->kernel;
    int d = kernel->ordered;
    grid_box level = *box;
    level.lo[d] = kernel->direction == IR_FORWARD ? box->lo[d] + i : box->hi[d] - 1 - i;
    level.hi[d] = level.lo[d] + 1;
    return level;
}

bool sweep_run_levels(sweep_loop *l, const grid_box *box)
{
    int64_t count = sweep_level_count(l, box);
    bool done = true;
    for (int64_t i = 0; i < count && done; i++) {
        grid_box level = sweep_level(l, box, i);
        if (fails_before(l, level.lo[l->loop->kernel->ordered])) return true;
        done = sweep_run_blocks(l, &level);
    }
    return done;
}
