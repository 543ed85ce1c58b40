/* How ranks are laid out: their boxes of cells, and which of them are near one another. Copies
 * reach no farther than the thinnest rank is along a dimension, so all ranks are near whose box
 * lies within as many cells. */
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
    int64_t all = ranks->raster.cells[d];
    for (int r = 0; r < ranks->total; r++)
        all = divisor(divisor(all, boxes[r].lo[d]), boxes[r].hi[d]);
    ranks->raster.cells[d] /= (int)all;
    ranks->raster.thinnest[d] = ranks->raster.cells[d];
    for (int r = 0; r < ranks->total; r++) {
        boxes[r].lo[d] /= all;
        boxes[r].hi[d] /= all;
        int64_t thick = boxes[r].hi[d] - boxes[r].lo[d];
        ranks->raster.thinnest[d] = (int)smaller(ranks->raster.thinnest[d], thick);
    }
}

/* ---- near ranks ------------------------------------------------------------------------------ */

/* Whether a rank lies near this one along a dimension, or near it a period away. */
static bool is_near(const plan_ranks *ranks, int other, int d)
{
    const grid_box *mine = &ranks->boxes[ranks->rank], *box = &ranks->boxes[other];
    const int64_t far = ranks->raster.thinnest[d], period = ranks->raster.cells[d];
    bool near = false;
    for (int64_t shift = -period; shift <= period && !near; shift += period)
        near = box->lo[d] + shift < mine->hi[d] + far && box->hi[d] + shift > mine->lo[d] - far;
    return near;
}

bool plan_ranks_seat(plan_ranks *ranks, arena *memory, int rank)
{
    int *near = arena_array(memory, (size_t)ranks->total + 1, sizeof *near);
    ranks->rank = rank;
    ranks->near = near;
    ranks->near_count = 0;
    for (int r = 0; r < ranks->total && near; r++)
        if (is_near(ranks, r, 2) && is_near(ranks, r, 1) && is_near(ranks, r, 0))
            near[ranks->near_count++] = r;
    return near;
}

bool plan_ranks_lay_out(plan_ranks *ranks, arena *memory, const int cells[3], const grid_box *boxes,
                        int total, int rank)
{
    grid_box *own = arena_array(memory, (size_t)total + 1, sizeof *own);
    if (!own) return false;
    *ranks = (plan_ranks){.total = total, .boxes = own};
    for (int r = 0; r < total; r++) own[r] = boxes[r];
    for (int d = 0; d < 3; d++) {
        ranks->raster.cells[d] = cells[d];
        merge_cells(ranks, own, d);
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
    return boxes && plan_ranks_lay_out(ranks, memory, count, boxes, total, rank);
}
