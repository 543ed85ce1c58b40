/* Which indices of fields, and points of loops, are a rank's. */
#include "plan/dealt.h"

grid_box plan_own_box(const chain_slot *slot, const plan_ranks *ranks, int box)
{
    const grid_box *cells = &ranks->boxes[box];
    grid_box own = chain_slot_memory(slot);
    for (int d = 0; d < 3; d++) {
        const int count = ranks->raster.cells[d];
        int64_t points = chain_slot_grid(slot).size[d];
        if (slot->absent_axis[d]) continue;
        if (cells->lo[d] > 0) own.lo[d] = dealt_cut(&ranks->raster, d, points, cells->lo[d]);
        if (cells->hi[d] < count) own.hi[d] = dealt_cut(&ranks->raster, d, points, cells->hi[d]);
    }
    return own;
}

grid_box plan_own_points(const chain_loop *loop, const plan_ranks *ranks, int number,
                         const plan_span span[3], const int image[3])
{
    const grid_box *cells = &ranks->boxes[number];
    grid_box box = loop->box;
    for (int d = 0; d < 3; d++) {
        const int count = ranks->raster.cells[d];
        int64_t points = loop->shape.size[d], shift = image[d] * points;
        if (count == 1) continue;
        int64_t lo = dealt_cut(&ranks->raster, d, points, cells->lo[d]) + span[d].lo;
        int64_t hi = dealt_cut(&ranks->raster, d, points, cells->hi[d]) + span[d].hi;
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
    for (int d = 0; d < 3; d++) {
        if (ranks->raster.cells[d] == 1 || slot->absent_axis[d]) continue;
        around.lo[d] += margin[d].lo;
        around.hi[d] += margin[d].hi;
        if (wraps[d] && plan_may_wrap(slot, d)) continue;
        around.lo[d] = larger(around.lo[d], all.lo[d]);
        around.hi[d] = smaller(around.hi[d], all.hi[d]);
    }
    return around;
}

grid_box plan_held(const chain_slot *slot, const plan_ranks *ranks, int rank,
                   const plan_span margin[3], const bool wraps[3])
{
    const int first = ranks->first[rank], end = ranks->first[rank + 1];
    grid_box hull = {{0, 0, 0}, {0, 0, 0}};
    if (first == end) return hull;
    hull = plan_own_box(slot, ranks, first);
    for (int b = first + 1; b < end; b++) {
        const grid_box own = plan_own_box(slot, ranks, b);
        for (int d = 0; d < 3; d++) {
            hull.lo[d] = smaller(hull.lo[d], own.lo[d]);
            hull.hi[d] = larger(hull.hi[d], own.hi[d]);
        }
    }
    return plan_around(slot, ranks, &hull, margin, wraps);
}

bool plan_margins(const chain_slot *slot, const plan_ranks *ranks, int rank,
                  const plan_span margin[3], const bool wraps[3], grid_region *margins)
{
    bool done = true;
    grid_region_clear(margins);
    for (int b = ranks->first[rank]; b < ranks->first[rank + 1] && done; b++) {
        const grid_box own = plan_own_box(slot, ranks, b);
        const grid_box around = plan_around(slot, ranks, &own, margin, wraps);
        done = grid_region_add_apart(margins, &around);
    }
    for (int b = ranks->first[rank]; b < ranks->first[rank + 1] && done; b++) {
        const grid_box own = plan_own_box(slot, ranks, b);
        done = grid_region_cut(margins, &own);
    }
    const bool list = ranks->first[rank + 1] - ranks->first[rank] > 1;
    return done && (!list || grid_region_tidy(margins));
}

bool plan_all_points(const chain_loop *loop, const plan_ranks *ranks, const plan_span span[3],
                     const bool wraps[3], grid_region *points)
{
    bool done = true;
    grid_region_clear(points);
    for (int b = ranks->first[ranks->rank]; b < ranks->first[ranks->rank + 1]; b++)
        for (int i = 0; i < PLAN_IMAGES && done; i++) {
            int image[3];
            if (!plan_image(i, wraps, image)) continue;
            const grid_box box = plan_own_points(loop, ranks, b, span, image);
            done = grid_region_add_apart(points, &box);
        }
    return done && grid_region_tidy(points);
}
