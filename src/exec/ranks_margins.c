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

/* Adds the copies from a rank, which has a box of its own, that make a box of another's indices
 * valid. Beyond a side that wraps these lie a period away: `shift` from dimension d on is still to
 * be set. */
static bool add_images(ranks_run *run, ranks_copy *copy, const grid_box *own, const grid_box *box,
                       int d)
{
    const chain_slot *slot = copy->slot;
    bool done = true;
    if (d == 3) {
        grid_box there = grid_box_moved(own, copy->shift, -1);
        copy->box = grid_box_intersect(&there, box);
        return grid_box_is_empty(&copy->box) || add_copy(run, copy);
    }
    const int images = run->plan->wraps[d] && plan_may_wrap(slot, d);
    for (int image = -images; image <= images && done; image++) {
        const int64_t shift = copy->shift[d] = image * slot->shape.size[d];
        if (own->lo[d] - shift < box->hi[d] && own->hi[d] - shift > box->lo[d])
            done = add_images(run, copy, own, box, d + 1);
    }
    return done;
}

/* `from` sends to another rank, or to itself, what it has of run->boxes. */
static bool add_between(ranks_run *run, chain_slot *slot, int from, int to)
{
    const plan_ranks *ranks = &run->r->box;
    ranks_copy copy = {.slot = slot, .from = from, .to = to};
    bool done = true;
    for (int b = ranks->first[from]; b < ranks->first[from + 1]; b++) {
        const grid_box sent = plan_own_box(slot, ranks, b);
        for (size_t i = 0; i < run->boxes.count && done; i++)
            done = add_images(run, &copy, &sent, &run->boxes.boxes[i], 0);
    }
    return done;
}

static bool find_margins(ranks_run *run, const chain_slot *slot, const plan_span span[3], int rank)
{
    return plan_margins(slot, &run->r->box, rank, span, run->plan->wraps, &run->boxes) ||
           ranks_no_memory(run);
}

bool ranks_add_copies(ranks_run *run, chain_slot *slot, const plan_span span[3])
{
    const plan_ranks *ranks = &run->r->box;
    const int me = ranks->rank;
    bool done = find_margins(run, slot, span, me);
    for (int i = 0; i < ranks->near_count && done; i++)
        done = add_between(run, slot, ranks->near[i], me);
    for (int i = 0; i < ranks->near_count && done; i++)
        if (ranks->near[i] != me)
            done = find_margins(run, slot, span, ranks->near[i]) &&
                   add_between(run, slot, me, ranks->near[i]);
    return done;
}
