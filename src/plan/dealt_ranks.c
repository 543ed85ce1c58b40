/* How ranks are laid out: their boxes of cells, and which of them are near one another. Copies
 * reach no farther than the thinnest rank is along a dimension, so all ranks are near with a box
 * that lies within as many cells of one here. */
#include "plan/dealt.h"

#include <limits.h>

/* ---- cells ----------------------------------------------------------------------------------- */

static int64_t divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Makes cells so large that no other number divides all cuts: a dimension that is not cut has one,
 * and a grid is cut evenly where its size is a multiple of their number. */
static void merge_cells(plan_ranks *ranks, grid_box *boxes, int d)
{
    const int count = ranks->first[ranks->total];
    int64_t all = ranks->raster.cells[d];
    for (int b = 0; b < count; b++) all = divisor(divisor(all, boxes[b].lo[d]), boxes[b].hi[d]);
    ranks->raster.cells[d] /= (int)all;
    for (int b = 0; b < count; b++) {
        boxes[b].lo[d] /= all;
        boxes[b].hi[d] /= all;
    }
}

static void find_thinnest(plan_ranks *ranks, int d)
{
    ranks->raster.thinnest[d] = ranks->raster.cells[d];
    for (int r = 0; r < ranks->total; r++) {
        int64_t lo = ranks->raster.cells[d], hi = 0;
        for (int b = ranks->first[r]; b < ranks->first[r + 1]; b++) {
            lo = smaller(lo, ranks->boxes[b].lo[d]);
            hi = larger(hi, ranks->boxes[b].hi[d]);
        }
        if (lo < hi) ranks->raster.thinnest[d] = (int)smaller(ranks->raster.thinnest[d], hi - lo);
    }
}

/* ---- near ranks ------------------------------------------------------------------------------ */

/* Whether a box lies near another one along a dimension, or near it a period away. */
static bool is_near_along(const plan_ranks *ranks, const grid_box *mine, const grid_box *box, int d)
{
    const int64_t far = ranks->raster.thinnest[d], period = ranks->raster.cells[d];
    bool near = false;
    for (int64_t shift = -period; shift <= period && !near; shift += period)
        near = box->lo[d] + shift < mine->hi[d] + far && box->hi[d] + shift > mine->lo[d] - far;
    return near;
}

static bool is_near(const plan_ranks *ranks, int other)
{
    bool near = false;
    for (int i = ranks->first[ranks->rank]; i < ranks->first[ranks->rank + 1]; i++)
        for (int k = ranks->first[other]; k < ranks->first[other + 1] && !near; k++) {
            const grid_box *mine = &ranks->boxes[i], *box = &ranks->boxes[k];
            near = is_near_along(ranks, mine, box, 2) && is_near_along(ranks, mine, box, 1) &&
                   is_near_along(ranks, mine, box, 0);
        }
    return near;
}

bool plan_ranks_seat(plan_ranks *ranks, arena *memory, int rank)
{
    int *near = arena_array(memory, (size_t)ranks->total + 1, sizeof *near);
    ranks->rank = rank;
    ranks->near = near;
    ranks->near_count = 0;
    for (int r = 0; r < ranks->total && near; r++)
        if (is_near(ranks, r)) near[ranks->near_count++] = r;
    return near;
}

bool plan_ranks_lay_out(plan_ranks *ranks, arena *memory, const int cells[3], const grid_box *boxes,
                        const int *first, int total, int rank)
{
    const int count = first ? first[total] : total;
    grid_box *own = arena_array(memory, (size_t)count + 1, sizeof *own);
    int *starts = arena_array(memory, (size_t)total + 1, sizeof *starts);
    if (!own || !starts) return false;
    *ranks = (plan_ranks){.total = total, .boxes = own, .first = starts};
    for (int r = 0; r <= total; r++) starts[r] = first ? first[r] : r;
    for (int b = 0; b < count; b++) own[b] = boxes[b];
    for (int d = 0; d < 3; d++) {
        ranks->raster.cells[d] = cells[d];
        merge_cells(ranks, own, d);
        find_thinnest(ranks, d);
    }
    return plan_ranks_seat(ranks, memory, rank);
}

bool plan_ranks_box(plan_ranks *ranks, arena *memory, const int count[3], int rank)
{
    const int total = count[0] * count[1] * count[2];
    grid_box *boxes = arena_array(memory, (size_t)total + 1, sizeof *boxes);
    for (int r = 0; r < total && boxes; r++) {
        const int at[3] = {r % count[0], r / count[0] % count[1], r / count[0] / count[1]};
        for (int d = 0; d < 3; d++) {
            boxes[r].lo[d] = at[d];
            boxes[r].hi[d] = at[d] + 1;
        }
    }
    return boxes && plan_ranks_lay_out(ranks, memory, count, boxes, NULL, total, rank);
}
