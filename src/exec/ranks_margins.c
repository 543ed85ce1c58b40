/* Which copies exchanges make: each rank gets margins around its own indices from those whose own
 * they are. Copies reach no farther than the next rank along a dimension (plan/dealt.c). */
#include "exec/ranks.h"

enum { MOST_NEAR = 27 };

/* Ranks that may have to do with one another, this one included. */
typedef struct near_ranks {
    int ranks[MOST_NEAR];
    int count;
} near_ranks;

static void add_rank(near_ranks *near, int rank)
{
    for (int i = 0; i < near->count; i++)
        if (near->ranks[i] == rank) return;
    near->ranks[near->count++] = rank;
}

/* Of ranks in a row that ends meet, too: where sides do not wrap they have no copies to make. */
static near_ranks find_near(const store_ranks *ranks)
{
    near_ranks near = {.count = 0};
    for (int i = 0; i < MOST_NEAR; i++) {
        const int direction[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        int rank = 0, left = ranks->rank, stride = 1;
        for (int d = 0; d < 3; d++) {
            int count = ranks->count[d], at = left % count;
            rank += stride * ((at + direction[d] + count) % count);
            left /= count;
            stride *= count;
        }
        add_rank(&near, rank);
    }
    return near;
}

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
        int images = run->plan->wraps[d] && store_may_wrap(slot, d);
        bool done = true;
        for (int image = -images; image <= images && done; image++) {
            copy->shift[d] = image * slot->shape.size[d];
            done = add_images(run, copy, box, d + 1);
        }
        return done;
    }
    grid_box there = store_own_box(slot, &run->r->box, copy->from);
    there = grid_box_moved(&there, copy->shift, -1);
    copy->box = grid_box_intersect(&there, box);
    return grid_box_is_empty(&copy->box) || add_copy(run, copy);
}

static bool add_between(ranks_run *run, chain_slot *slot, const plan_span span[3], int from, int to)
{
    const store_ranks *ranks = &run->r->box;
    ranks_copy copy = {.slot = slot, .from = from, .to = to};
    grid_box pieces[6], own = store_own_box(slot, ranks, to);
    grid_box around = store_around(slot, ranks, &own, span, run->plan->wraps);
    int count = grid_box_subtract(&around, &own, pieces);
    bool done = true;
    for (int i = 0; i < count && done; i++) done = add_images(run, &copy, &pieces[i], 0);
    return done;
}

bool ranks_add_copies(ranks_run *run, chain_slot *slot, const plan_span span[3])
{
    int me = run->r->box.rank;
    const near_ranks near = find_near(&run->r->box);
    bool done = true;
    for (int i = 0; i < near.count && done; i++) {
        done = add_between(run, slot, span, near.ranks[i], me);
        if (near.ranks[i] != me) done = done && add_between(run, slot, span, me, near.ranks[i]);
    }
    return done;
}
