/* Shapes and boxes: half-open products of intervals. */
#include "grid/grid.h"

#include <inttypes.h>

grid_box grid_shape_box(const grid_shape *shape)
{
    return (grid_box){.hi = {shape->size[0], shape->size[1], shape->size[2]}};
}

bool grid_box_is_empty(const grid_box *box)
{
    return box->lo[0] >= box->hi[0] || box->lo[1] >= box->hi[1] || box->lo[2] >= box->hi[2];
}

int64_t grid_box_points(const grid_box *box)
{
    if (grid_box_is_empty(box)) return 0;
    return (box->hi[0] - box->lo[0]) * (box->hi[1] - box->lo[1]) * (box->hi[2] - box->lo[2]);
}

bool grid_box_contains(const grid_box *outer, const grid_box *inner)
{
    if (grid_box_is_empty(inner)) return true;
    for (int d = 0; d < 3; d++)
        if (inner->lo[d] < outer->lo[d] || inner->hi[d] > outer->hi[d]) return false;
    return true;
}

grid_box grid_box_intersect(const grid_box *a, const grid_box *b)
{
    grid_box result;
    for (int d = 0; d < 3; d++) {
        result.lo[d] = larger(a->lo[d], b->lo[d]);
        result.hi[d] = smaller(a->hi[d], b->hi[d]);
    }
    return result;
}

bool grid_box_meet(const grid_box *a, const grid_box *b)
{
    grid_box both = grid_box_intersect(a, b);
    return !grid_box_is_empty(&both);
}

grid_box grid_box_hull(const grid_box *a, const grid_box *b)
{
    grid_box hull;
    if (grid_box_is_empty(a)) return *b;
    if (grid_box_is_empty(b)) return *a;
    for (int d = 0; d < 3; d++) {
        hull.lo[d] = smaller(a->lo[d], b->lo[d]);
        hull.hi[d] = larger(a->hi[d], b->hi[d]);
    }
    return hull;
}

grid_box grid_box_moved(const grid_box *box, const int64_t by[3], int times)
{
    grid_box moved;
    for (int d = 0; d < 3; d++) {
        moved.lo[d] = box->lo[d] + times * by[d];
        moved.hi[d] = box->hi[d] + times * by[d];
    }
    return moved;
}

bool grid_box_join(grid_box *a, const grid_box *b)
{
    int along = -1;
    for (int d = 0; d < 3; d++) {
        if (a->lo[d] == b->lo[d] && a->hi[d] == b->hi[d]) continue;
        if (along >= 0 || a->hi[d] < b->lo[d] || b->hi[d] < a->lo[d]) return false;
        along = d;
    }
    if (along < 0) return true;
    if (b->lo[along] < a->lo[along]) a->lo[along] = b->lo[along];
    if (b->hi[along] > a->hi[along]) a->hi[along] = b->hi[along];
    return true;
}

int grid_box_subtract(const grid_box *box, const grid_box *hole, grid_box pieces[6])
{
    int count = 0;
    grid_box rest = *box, inside = grid_box_intersect(box, hole);
    if (grid_box_is_empty(box)) return 0;
    if (grid_box_is_empty(&inside)) {
        pieces[0] = *box;
        return 1;
    }
    for (int d = 2; d >= 0; d--) { /* takes what lies below and above the hole off `rest` */
        grid_box low = rest, high = rest;
        low.hi[d] = rest.lo[d] = inside.lo[d];
        high.lo[d] = rest.hi[d] = inside.hi[d];
        if (low.lo[d] < low.hi[d]) pieces[count++] = low;
        if (high.lo[d] < high.hi[d]) pieces[count++] = high;
    }
    return count;
}

void grid_shape_print(text *out, const grid_shape *shape)
{
    for (int d = 0; d < shape->rank; d++)
        text_add(out, "%s%" PRId64, d == 0 ? "" : " x ", shape->size[d]);
}

void grid_box_print(text *out, const grid_box *box, int rank)
{
    for (int d = 0; d < rank; d++)
        text_add(out, "%s[%" PRId64 ", %" PRId64 ")", d == 0 ? "" : " x ", box->lo[d], box->hi[d]);
}
