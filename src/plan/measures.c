/* What the sizes of tiles depend on: how many points a group has, and how many bytes of fields
 * there are at each. */
#include "plan/measures.h"

#include <math.h>

static grid_box hull_of(const plan_group *g)
{
    grid_box hull = {{0, 0, 0}, {0, 0, 0}};
    for (int l = g->part.first; l < g->part.end; l++) {
        const chain_loop *loop = g->part.a->loops[l].loop;
        if (loop->once || grid_box_is_empty(&loop->box)) continue;
        grid_box box = loop->box;
        for (int d = 0; d < 3; d++) {
            int64_t scale = plan_group_scale(g, loop, d), place = plan_group_place(g, l, d);
            box.lo[d] = box.lo[d] * scale + place;
            box.hi[d] = box.hi[d] * scale + place;
        }
        hull = grid_box_is_empty(&hull) ? box : grid_box_hull(&hull, &box);
    }
    return hull;
}

/* How many points of the finest grid lie in a point of a field. */
static int64_t points_in(const plan_group *g, const chain_slot *slot)
{
    grid_shape grid = chain_slot_grid(slot);
    int64_t points = 1;
    for (int d = 0; d < 3 && g->finest[0]; d++)
        points *= larger(g->finest[d] / larger(grid.size[d], 1), 1);
    return points;
}

/* The bytes that a value of a field adds to a point of all loops: where copies glue grids together,
 * each has some of the points. */
static double bytes_of(const plan_group *g, const chain_slot *slot, const grid_box *hull)
{
    grid_shape grid = chain_slot_grid(slot);
    double bytes = slot->components * ir_storages[slot->type].bytes, points = 1;
    for (int d = 0; d < 3; d++) points *= (double)larger(grid.size[d], 1);
    if (!g->places) return bytes / (double)points_in(g, slot);
    return bytes * fmin(points / fmax((double)grid_box_points(hull), 1), 1);
}

static int64_t bytes_per_point(const plan_group *g, const grid_box *hull)
{
    double bytes = 0;
    for (int s = 0; s < g->part.a->slot_count; s++) {
        const chain_slot *slot = g->part.a->slots[s];
        analysis_use use = analysis_use_of(&g->part, s);
        if (use.touched && (!use.remapped || g->finest[0])) bytes += bytes_of(g, slot, hull);
    }
    return (int64_t)ceil(bytes);
}

/* From the first index of a loop to the last one of another, where each is moved by its lag. */
static int64_t thick_along(const plan_group *g, int d)
{
    int64_t lo = INT64_MAX, hi = INT64_MIN;
    for (int l = g->part.first; l < g->part.end; l++) {
        const chain_loop *loop = g->part.a->loops[l].loop;
        const int64_t late = g->lags[l - g->part.first][d].hi, scale = plan_group_scale(g, loop, d);
        if (loop->once || grid_box_is_empty(&loop->box)) continue;
        lo = smaller(lo, loop->box.lo[d] * scale + late);
        hi = larger(hi, loop->box.hi[d] * scale + late);
    }
    return lo < hi ? hi - lo : 0;
}

plan_measures plan_measure(plan_group *g, plan *p)
{
    grid_box hull = hull_of(g);
    plan_measures m = {.hull = hull, .bytes = larger(bytes_per_point(g, &hull), 1)};
    if (!plan_group_lags(g, &g->part)) p->failed = true;
    for (int l = g->part.first; l < g->part.end; l++) {
        m.loops += !g->part.a->loops[l].loop->once;
        m.reduces = m.reduces || g->part.a->loops[l].reduces;
    }
    for (int d = 0; d < 3; d++) {
        int64_t most = 0;
        for (int l = g->part.first; l < g->part.end; l++)
            most = larger(most, g->lags[l - g->part.first][d].hi - plan_group_place(g, l, d));
        m.extent[d] = hull.hi[d] - hull.lo[d];
        m.thick[d] = p->failed ? m.extent[d] : thick_along(g, d);
        m.growth[d] = (double)most / (double)larger(m.loops - 1, 1);
        m.free[d] = !g->fixed[d] && m.extent[d] > 1;
        m.around[d] = g->period[d] > 0;
    }
    if (m.reduces) m.free[0] = false; /* sums go over whole bricks of rows */
    return m;
}
