/* Running a loop level by level, where points of different columns depend on one another: all
 * threads end a level before any begins the next. What a level reads outside the grid is copied
 * when it runs, so that boundary rules find the values of that time. */
#include "sweep/loop.h"

/* Whether a point of a level that runs before a level has failed: then what this level does is not
 * wanted. */
static bool fails_before(const sweep_loop *l, const grid_box *level)
{
    const ir_direction *order = l->loop->kernel->order;
    const observe_fault *fault = sweep_first_fault(l);
    for (int d = 2; d >= 0 && fault; d--)
        if (order[d] && fault->point[d] != level->lo[d])
            return (fault->point[d] < level->lo[d]) == (order[d] == IR_FORWARD);
    return false;
}

int64_t sweep_level_count(const sweep_loop *l, const grid_box *box)
{
    int64_t count = 1;
    for (int d = 0; d < 3; d++)
        if (l->loop->kernel->order[d]) count *= box->hi[d] - box->lo[d];
    return count;
}

grid_box sweep_level(const sweep_loop *l, const grid_box *box, int64_t i)
{
    const ir_direction *order = l->loop->kernel->order;
    grid_box level = *box;
    for (int d = 0; d < 3; d++) {
        int64_t size = box->hi[d] - box->lo[d];
        if (!order[d]) continue;
        level.lo[d] = order[d] == IR_FORWARD ? box->lo[d] + i % size : box->hi[d] - 1 - i % size;
        level.hi[d] = level.lo[d] + 1;
        i /= size;
    }
    return level;
}

bool sweep_run_levels(sweep_loop *l, const grid_box *box)
{
    int64_t count = sweep_level_count(l, box);
    bool done = true;
    for (int64_t i = 0; i < count && done; i++) {
        grid_box level = sweep_level(l, box, i);
        if (fails_before(l, &level)) return true;
        done = sweep_run_blocks(l, &level);
    }
    return done;
}
