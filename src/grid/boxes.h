/* A part of grid.h: shapes, boxes, and sets of indices. */
#ifndef GRID_BOXES_H
#define GRID_BOXES_H

#include "base/base.h"

/* ---- box.c ----------------------------------------------------------------------------------- */

typedef struct grid_shape {
    int rank;        /* 1 to 3 */
    int64_t size[3]; /* 1 beyond the rank */
} grid_shape;

/* Half-open: lo <= index < hi per dimension. Empty when lo >= hi in any. */
typedef struct grid_box {
    int64_t lo[3], hi[3];
} grid_box;

/* Spelled out: calling memcmp takes longer. */
static inline bool grid_same_triple(const int64_t a[3], const int64_t b[3])
{
    return !((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]));
}
static inline bool grid_shape_equal(const grid_shape *a, const grid_shape *b)
{
    return a->rank == b->rank && grid_same_triple(a->size, b->size);
}
grid_box grid_shape_box(const grid_shape *shape);
bool grid_box_is_empty(const grid_box *box);
int64_t grid_box_points(const grid_box *box);                         /* 0 when empty */
bool grid_box_contains(const grid_box *outer, const grid_box *inner); /* an empty inner: true */
grid_box grid_box_intersect(const grid_box *a, const grid_box *b);
bool grid_box_meet(const grid_box *a, const grid_box *b);     /* whether they share a point */
grid_box grid_box_hull(const grid_box *a, const grid_box *b); /* the smallest that holds both */
grid_box grid_box_moved(const grid_box *box, const int64_t by[3], int times);
/* Cuts `box` minus `hole` into at most 6 disjoint boxes, slabs in z first, then y, then x. Returns
 * their number. */
int grid_box_subtract(const grid_box *box, const grid_box *hole, grid_box pieces[6]);
/* Widens *a by *b if they touch or overlap along one dimension and are equal in the others. */
bool grid_box_join(grid_box *a, const grid_box *b);
/* "4096 x 2048" */
void grid_shape_print(text *out, const grid_shape *shape);
/* "[0, 16) x [2, 4)", of the shape's rank */
void grid_box_print(text *out, const grid_box *box, int rank);

/* ---- region.c, region_tidy.c: sets of indices ----------------------------------------------- */

/* A union of boxes, none of which is empty or lies in another. */
typedef struct grid_region {
    grid_box *boxes;
    size_t count, capacity;
} grid_region;

/* Adds all of a box; false when memory is out. */
bool grid_region_add(grid_region *region, const grid_box *box);
/* Whether all of a box is in the region; otherwise *missing is a part of it that is not. */
bool grid_region_holds(const grid_region *region, const grid_box *box, grid_box *missing);
/* Takes all of a box away. False when memory is out; then the region is not to be used. Disjoint
 * boxes stay disjoint. */
bool grid_region_cut(grid_region *region, const grid_box *box);
/* Adds the parts of a box that are not in the region: disjoint boxes stay disjoint. False when
 * memory is out. */
bool grid_region_add_apart(grid_region *region, const grid_box *box);
/* Makes fewer boxes of disjoint ones, where it can: slabs along z, in these slabs along y, in these
 * along x. False when memory is out. */
bool grid_region_tidy(grid_region *region);
void grid_region_clear(grid_region *region);
void grid_region_free(grid_region *region);

#endif
