/* Which copies exchanges make: each rank gets margins around its own indices from those whose own
 * they are. Copies reach no farther than the ranks that are near (plan/dealt_ranks.c). */
#include "exec/ranks.h"

static bool add_copy(ranks_run *run, const ranks_copy *copy)
{
    void *copies = run->batch.copies;
    if (!vector_reserve(&copies, &run->batch.capacity, run->batch.count + 1, sizeof *copy))
        return ranks_no_memory(run);
    run->batch.copies = copies;
    run->batch.copies[run->batch.count++] = *copy;
    return true;
}

/* Adds the copies from one rank that make a box of another's indices valid. Beyond a side that
 * wraps these lie a period away: `shift` from dimension d on is still to be set. */
static bool add_images(ranks_run *run, ranks_copy *copy, const grid_box *box, int d)
{
    const chain_slot *slot = copy->slot;
    if (d < 3) {
        int images = run->plan->wraps[d] && plan_may_wrap(slot, d);
        bool done = true;
        for (int image = -images; image <= images && done; image++) {
            copy->shift[d] = image * slot->shape.size[d];
            done = add_images(run, copy, box, d + 1);
        }
        return done;
    }
    grid_box there = plan_own_box(slot, &run->r->box, copy->from);
    there = grid_box_moved(&there, copy->shift, -1);
    copy->box = grid_box_intersect(&there, box);
    return grid_box_is_empty(&copy->box) || add_copy(run, copy);
}

static bool add_between(ranks_run *run, chain_slot *slot, const plan_span span[3], int from, int to)
{
    const plan_ranks *ranks = &run->r->box;
    ranks_copy copy = {.slot = slot, .from = from, .to = to};
    grid_box pieces[6], own = plan_own_box(slot, ranks, to);
    grid_box around = plan_around(slot, ranks, &own, span, run->plan->wraps);
    int count = grid_box_subtract(&around, &own, pieces);
    bool done = true;
    for (int i = 0; i < count && done; i++) done = add_images(run, &copy, &pieces[i], 0);
    return done;
}

bool ranks_add_copies(ranks_run *run, chain_slot *slot, const plan_span span[3])
{
    const plan_ranks *ranks = &run->r->box;
    bool done = true;
    for (int i = 0; i < ranks->near_count && done; i++) {
        const int near = ranks->near[i], me = ranks->rank;
        done = add_between(run, slot, span, near, me);
        if (near != me) done = done && add_between(run, slot, span, me, near);
    }
    return done;
}
