/* Which indices of fields, and points of loops, are a rank's. */
#include "plan/dealt.h"

int plan_ranks_total(const plan_ranks *ranks)
{
    return ranks->count[0] * ranks->count[1] * ranks->count[2];
}

grid_box plan_own_box(const chain_slot *slot, const plan_ranks *ranks, int rank)
{
    grid_box all = chain_slot_memory(slot), own = all;
    for (int d = 0; d < 3; d++) {
        int count = ranks->count[d], at = rank % count;
        int64_t points = chain_slot_grid(slot).size[d];
        rank /= count;
        if (slot->absent_axis[d]) continue;
        if (at > 0) own.lo[d] = plan_cut(points, count, at);
        if (at < count - 1) own.hi[d] = plan_cut(points, count, at + 1);
    }
    return own;
}

grid_box plan_own_points(const chain_loop *loop, const plan_ranks *ranks, const plan_span span[3],
                         const int image[3])
{
    grid_box box = loop->box;
    int rank = ranks->rank;
    for (int d = 0; d < 3; d++) {
        int count = ranks->count[d], at = rank % count;
        int64_t points = loop->shape.size[d], shift = image[d] * points;
        int64_t lo = plan_cut(points, count, at) + span[d].lo;
        int64_t hi = plan_cut(points, count, at + 1) + span[d].hi;
        rank /= count;
        if (count == 1) continue;
        box.lo[d] += shift;
        box.hi[d] += shift;
        if (at > 0 || image[d]) box.lo[d] = larger(box.lo[d], lo);
        if (at < count - 1 || image[d]) box.hi[d] = smaller(box.hi[d], hi);
        if (image[d] < 0) box.hi[d] = smaller(box.hi[d], 0);
        if (image[d] > 0) box.lo[d] = larger(box.lo[d], points);
    }
    return box;
}

bool plan_image(int i, const bool wraps[3], int image[3])
{
    bool may = true;
    for (int d = 0; d < 3; d++, i /= 3) {
        image[d] = i % 3 - 1;
        may = may && (!image[d] || wraps[d]);
    }
    return may;
}

grid_box plan_around(const chain_slot *slot, const plan_ranks *ranks, const grid_box *own,
                     const plan_span margin[3], const bool wraps[3])
{
    grid_box all = chain_slot_memory(slot), around = *own;
    for (int d = 0; d < 3 && !grid_box_is_empty(own); d++) {
        if (ranks->count[d] == 1 || slot->absent_axis[d]) continue;
        around.lo[d] += margin[d].lo;
        around.hi[d] += margin[d].hi;
        if (wraps[d] && plan_may_wrap(slot, d)) continue;
        around.lo[d] = larger(around.lo[d], all.lo[d]);
        around.hi[d] = smaller(around.hi[d], all.hi[d]);
    }
    return around;
}

static int add_rank(int *ranks, int count, int rank)
{
    for (int i = 0; i < count; i++)
        if (ranks[i] == rank) return count;
    ranks[count] = rank;
    return count + 1;
}

int plan_near_ranks(const plan_ranks *ranks, int near[PLAN_IMAGES])
{
    int found = 0;
    for (int i = 0; i < PLAN_IMAGES; i++) {
        const int direction[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        int rank = 0, left = ranks->rank, stride = 1;
        for (int d = 0; d < 3; d++) {
            int count = ranks->count[d], at = left % count;
            rank += stride * ((at + direction[d] + count) % count);
            left /= count;
            stride *= count;
        }
        found = add_rank(near, found, rank);
    }
    return found;
}
