#include "dealt_layouts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

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

/* Deals a box of cells to some parts; returns how many have got some of it. They have so many cells
 * at least along each dimension that is cut. */
static int deal(world *w, const grid_box *box, int parts, int least, grid_box *dealt)
{
    int may[3], count = 0;
    for (int d = 0; d < 3; d++)
        if (box->hi[d] - box->lo[d] >= 2 * least) may[count++] = d;
    dealt[0] = *box;
    if (parts == 1 || !count) return 1;
    int d = may[world_from(w, 0, count - 1)], first = (int)world_from(w, 1, parts - 1);
    grid_box low = *box, high = *box;
    low.hi[d] = high.lo[d] = world_from(w, box->lo[d] + least, box->hi[d] - least);
    int used = deal(w, &low, first, least, dealt);
    return used + deal(w, &high, parts - first, least, dealt + used);
}

/* Sets the size of the raster, and returns its box. */
static grid_box draw_cells(world *w, int cells[3])
{
    const bool rows = world_from(w, 0, 3) > 0; /* they stay whole */
    grid_box all = grid_shape_box(&w->shape);
    for (int d = 0; d < 3; d++) {
        if (d >= w->shape.rank || (d == 0 && rows)) all.hi[d] = 1;
        cells[d] = (int)all.hi[d];
    }
    return all;
}

static void draw_rectangles(world *w, arena *memory, plan_ranks *ranks)
{
    grid_box parts[LAYOUT_RANKS];
    int cells[3], total = (int)world_from(w, 2, LAYOUT_RANKS);
    const grid_box all = draw_cells(w, cells);
    total = deal(w, &all, total, 2, parts);
    assert_true(plan_ranks_lay_out(ranks, memory, cells, parts, NULL, total, 0));
}

/* Each rank has a part at least; the others are anybody's. */
static void draw_lists(world *w, arena *memory, plan_ranks *ranks)
{
    grid_box parts[LAYOUT_BOXES], boxes[LAYOUT_BOXES];
    int cells[3], owner[LAYOUT_BOXES], first[LAYOUT_RANKS + 1] = {0}, filled = 0;
    const grid_box all = draw_cells(w, cells);
    const int count = deal(w, &all, (int)world_from(w, 2, LAYOUT_BOXES), 1, parts);
    const int total = (int)smaller(world_from(w, 1, LAYOUT_RANKS), count);
    for (int i = 0; i < count; i++) owner[i] = i < total ? i : (int)world_from(w, 0, total - 1);
    for (int r = 0; r < total; r++) {
        for (int i = 0; i < count; i++)
            if (owner[i] == r) boxes[filled++] = parts[i];
        first[r + 1] = filled;
    }
    assert_true(plan_ranks_lay_out(ranks, memory, cells, boxes, first, total, 0));
}

void dealt_draw_layout(world *w, arena *memory, layout_kind kind, plan_ranks *ranks)
{
    switch (kind) {
    case LAYOUT_RECTANGLES: draw_rectangles(w, memory, ranks); break;
    case LAYOUT_LISTS: draw_lists(w, memory, ranks); break;
    default: draw_box(w, memory, ranks);
    }
}

/* What a box has in an image of the grid: beside the loop's own points. */
static grid_box points_in(const chain_loop *loop, const grid_box *box, const int image[3])
{
    grid_box in = *box;
    for (int d = 0; d < 3; d++) {
        const int64_t shift = image[d] * loop->shape.size[d];
        int64_t lo = loop->box.lo[d] + shift, hi = loop->box.hi[d] + shift;
        if (image[d] > 0) lo = larger(loop->box.hi[d], shift);
        if (image[d] < 0) hi = smaller(loop->box.lo[d], 0);
        in.lo[d] = larger(in.lo[d], lo) - shift;
        in.hi[d] = smaller(in.hi[d], hi) - shift;
    }
    return in;
}

int layout_find_points(const chain_loop *loop, const plan_ranks *ranks, const plan_span span[3],
                       const bool wraps[3], layout_points points[LAYOUT_POINTS])
{
    grid_region all = {0};
    int count = 0;
    assert_true(plan_all_points(loop, ranks, span, wraps, &all));
    for (size_t b = 0; b < all.count; b++)
        for (int i = 0; i < PLAN_IMAGES; i++) {
            layout_points *at = &points[count];
            assert_true(count < LAYOUT_POINTS);
            if (!plan_image(i, wraps, at->image)) continue;
            at->box = points_in(loop, &all.boxes[b], at->image);
            if (grid_box_is_empty(&at->box)) continue;
            for (int k = 0; k < count; k++)
                assert_false(!memcmp(points[k].image, at->image, sizeof at->image) &&
                             grid_box_meet(&points[k].box, &at->box));
            count++;
        }
    grid_region_free(&all);
    return count;
}
