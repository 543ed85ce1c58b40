#include "dealt_layouts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void draw_box(world *w, arena *memory, plan_ranks *ranks)
{
    int most = 4, count[3] = {1, 1, 1};
    for (int d = 2; d >= 1; d--) {
        count[d] = d < w->shape.rank ? (int)world_from(w, 1, most) : 1;
        if (count[d] > 1) most = LAYOUT_RANKS / 4;
    }
    assert_true(plan_ranks_box(ranks, memory, count, 0));
}

/* Deals a box of cells to some ranks; returns how many have got a part of it. Parts have two cells
 * at least along each dimension that is cut. */
static int deal(world *w, const grid_box *box, int ranks, grid_box *parts)
{
    int may[3], count = 0;
    for (int d = 0; d < 3; d++)
        if (box->hi[d] - box->lo[d] >= 4) may[count++] = d;
    parts[0] = *box;
    if (ranks == 1 || !count) return 1;
    int d = may[world_from(w, 0, count - 1)], first = (int)world_from(w, 1, ranks - 1);
    grid_box low = *box, high = *box;
    low.hi[d] = high.lo[d] = world_from(w, box->lo[d] + 2, box->hi[d] - 2);
    int used = deal(w, &low, first, parts);
    return used + deal(w, &high, ranks - first, parts + used);
}

static void draw_rectangles(world *w, arena *memory, plan_ranks *ranks)
{
    const bool rows = world_from(w, 0, 3) > 0; /* they stay whole */
    int cells[3], total = (int)world_from(w, 2, LAYOUT_RANKS);
    grid_box parts[LAYOUT_RANKS], all = grid_shape_box(&w->shape);
    for (int d = 0; d < 3; d++) {
        if (d >= w->shape.rank || (d == 0 && rows)) all.hi[d] = 1;
        cells[d] = (int)all.hi[d];
    }
    total = deal(w, &all, total, parts);
    assert_true(plan_ranks_lay_out(ranks, memory, cells, parts, total, 0));
}

void dealt_draw_layout(world *w, arena *memory, bool uneven, plan_ranks *ranks)
{
    if (uneven)
        draw_rectangles(w, memory, ranks);
    else
        draw_box(w, memory, ranks);
}
