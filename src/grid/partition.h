/* Partitions of a grid: what the files partition*.c share. */
#ifndef GRID_PARTITION_H
#define GRID_PARTITION_H

#include "grid/grid.h"

/* ---- partition.c ----------------------------------------------------------------------------- */

/* Makes a partition in three steps: begin; add boxes, owners ascending, empty boxes left out; end.
 * Each returns false when memory is out. */
bool grid_partition_begin(grid_partition *p, const grid_shape *shape, int owners);
bool grid_partition_add(grid_partition *p, const grid_box *box, int owner);
bool grid_partition_end(grid_partition *p);

/* Where part `i` of `parts` begins among `count` things; the rest is dealt one by one. */
static inline int64_t grid_part_start(int64_t count, int64_t parts, int64_t i)
{
    return count / parts * i + smaller(i, count % parts);
}

/* ---- partition_search.c ---------------------------------------------------------------------- */

/* Hulls for grid_search; malloc'd. NULL when memory is out or there are no boxes. */
grid_box *grid_search_hulls(const grid_box *boxes, int count);
/* Visits boxes that meet another, in ascending order, until a visit returns false. */
typedef bool grid_search_visit(void *data, int box);
bool grid_search(const grid_box *hulls, int count, const grid_box *met, grid_search_visit *visit,
                 void *data);

#endif
