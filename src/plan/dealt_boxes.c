/* Which indices of fields, and points of loops, are a rank's. */
#include "plan/dealt.h"

grid_box plan_own_box(const chain_slot *slot, const plan_ranks *ranks, int rank)
{
    const grid_box *cells = &ranks->boxes[rank];
    grid_box own = chain_slot_memory(slot);
    for (int d = 0; d < 3; d++) {
        const int count = ranks->raster.cells[d];
        int64_t points = chain_slot_grid(slot).size[d];
        if (slot->absent_axis[d]) continue;
        if (cells->lo[d] > 0) own.lo[d] = plan_cut(points, count, cells->lo[d]);
        if (cells->hi[d] < count) own.hi[d] = plan_cut(points, count, cells->hi[d]);
    }
    return own;
}

grid_box plan_own_points(const chain_loop *loop, const plan_ranks *ranks, const plan_span span[3],
                         const int image[3])
{
    const grid_box *cells = &ranks->boxes[ranks->rank];
    grid_box box = loop->box;
    for (int d = 0; d < 3; d++) {
        const int count = ranks->raster.cells[d];
        int64_t points = loop->shape.size[d], shift = image[d] * points;
        if (count == 1) continue;
        int64_t lo = plan_cut(points, count, cells->lo[d]) + span[d].lo;
        int64_t hi = plan_cut(points, count, cells->hi[d]) + span[d].hi;
        box.lo[d] += shift;
        box.hi[d] += shift;
        if (cells->lo[d] > 0 || image[d]) box.lo[d] = larger(box.lo[d], lo);
        if (cells->hi[d] < count || image[d]) box.hi[d] = smaller(box.hi[d], hi);
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
        if (ranks->raster.cells[d] == 1 || slot->absent_axis[d]) continue;
        around.lo[d] += margin[d].lo;
        around.hi[d] += margin[d].hi;
        if (wraps[d] && plan_may_wrap(slot, d)) continue;
        around.lo[d] = larger(around.lo[d], all.lo[d]);
        around.hi[d] = smaller(around.hi[d], all.hi[d]);
    }
    return around;
}
