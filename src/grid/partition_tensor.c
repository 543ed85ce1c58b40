/* Tensors of cuts: each dimension is cut through the whole grid, and the owners' numbers count
 * along x first.
 *
 * Of the numbers of parts, the one is chosen whose largest part costs least: its points, and
 * SURFACE_COST for each point of its surface that has a neighbour, SURFACE_COST_X along x, where
 * the values of a surface do not lie together. The costs are relative to a point's and assumed,
 * not measured: a value sent is packed, carried and unpacked. Only numbers of parts count that make
 * the largest part smaller than one less part would: there are about twice the square root of a
 * size of them. */
#include "grid/partition.h"

#include <float.h>
#include <stdlib.h>

enum { SURFACE_COST = 4, SURFACE_COST_X = 8 };

static int64_t units(int64_t size, int64_t unit) { return (size - 1) / unit + 1; }

/* Points of the first part, which is a largest one. */
static int64_t largest_side(int64_t size, int64_t unit, int64_t parts)
{
    return smaller(size, units(units(size, unit), parts) * unit);
}

/* Fewest parts whose largest is no larger than with `parts`. */
static int64_t fewest(int64_t count, int64_t parts)
{
    return units(count, units(count, smaller(parts, count)));
}

static double cost_of(const grid_shape *shape, const int64_t unit[3], const int64_t parts[3])
{
    double side[3], points = 1, cost;
    for (int d = 0; d < 3; d++) {
        side[d] = (double)largest_side(shape->size[d], unit[d], parts[d]);
        points *= side[d];
    }
    cost = points;
    for (int d = 0; d < 3; d++)
        if (parts[d] > 1)
            cost += (d ? SURFACE_COST : SURFACE_COST_X) * (parts[d] > 2 ? 2 : 1) * points / side[d];
    return cost;
}

/* The largest number of parts below `parts` that counts; 0 where there is none. */
static int64_t next_fewer(int64_t count, int64_t parts)
{
    return parts > 1 ? fewest(count, parts - 1) : 0;
}

void grid_partition_choose(const grid_shape *shape, int owners, const int64_t unit[3], int parts[3])
{
    int64_t count[3];
    double least = DBL_MAX;
    for (int d = 0; d < 3; d++) count[d] = units(shape->size[d], unit[d]);
    for (int64_t x = 1; x <= smaller(owners, count[0]); x++) {
        if (fewest(count[0], x) != x) continue;
        for (int64_t y = fewest(count[1], owners / x); y; y = next_fewer(count[1], y)) {
            const int64_t tried[3] = {x, y, fewest(count[2], owners / x / y)};
            double cost = cost_of(shape, unit, tried);
            if (cost > least || (cost == least && parts[0] < x)) continue;
            least = cost;
            for (int d = 0; d < 3; d++) parts[d] = (int)tried[d];
        }
    }
}

static bool set_cuts(grid_partition *p, int d, int64_t unit)
{
    int64_t size = p->shape.size[d], count = units(size, unit);
    p->cuts[d] = malloc(((size_t)p->parts[d] + 1) * sizeof *p->cuts[d]);
    if (!p->cuts[d]) return false;
    for (int i = 0; i <= p->parts[d]; i++)
        p->cuts[d][i] = smaller(size, grid_part_start(count, p->parts[d], i) * unit);
    return true;
}

static bool add_boxes(grid_partition *p)
{
    int at[3], owner = 0;
    for (at[2] = 0; at[2] < p->parts[2]; at[2]++)
        for (at[1] = 0; at[1] < p->parts[1]; at[1]++)
            for (at[0] = 0; at[0] < p->parts[0]; at[0]++) {
                grid_box box;
                for (int d = 0; d < 3; d++) {
                    box.lo[d] = p->cuts[d][at[d]];
                    box.hi[d] = p->cuts[d][at[d] + 1];
                }
                if (!grid_partition_add(p, &box, owner++)) return false;
            }
    return true;
}

bool grid_partition_cut(grid_partition *p, const grid_shape *shape, int owners, const int parts[3],
                        const int64_t unit[3])
{
    bool good = grid_partition_begin(p, shape, owners);
    for (int d = 0; good && d < 3; d++) {
        p->parts[d] = (int)smaller(parts[d], units(shape->size[d], unit[d]));
        good = set_cuts(p, d, unit[d]);
    }
    good = good && add_boxes(p) && grid_partition_end(p);
    if (!good) grid_partition_free(p);
    return good;
}
