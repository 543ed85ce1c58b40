/* What the sizes of tiles depend on: how many points a group has, and how many bytes of fields
 * there are at each. */
#include "plan/measures.h"

static grid_box hull_of(const plan_group *g)
{
    grid_box hull = {{0, 0, 0}, {0, 0, 0}};
    for (int l = g->part.first; l < g->part.end; l++) {
        const chain_loop *loop = g->part.a->loops[l].loop;
        if (loop->once || grid_box_is_empty(&loop->box)) continue;
        grid_box box = loop->box;
        for (int d = 0; d < 3; d++) {
            box.lo[d] *= plan_group_scale(g, loop, d);
            box.hi[d] *= plan_group_scale(g, loop, d);
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

static int64_t bytes_per_point(const plan_group *g)
{
    int64_t bytes = 0;
    for (int s = 0; s < g->part.a->slot_count; s++) {
        const chain_slot *slot = g->part.a->slots[s];
        analysis_use use = analysis_use_of(&g->part, s);
        if (use.touched && (!use.remapped || g->finest[0]))
            bytes += (int64_t)slot->components * ir_storages[slot->type].bytes / points_in(g, slot);
    }
    return bytes;
}

plan_measures plan_measure(plan_group *g, plan *p)
{
    grid_box hull = hull_of(g);
    plan_measures m = {.hull = hull, .bytes = larger(bytes_per_point(g), 1)};
    if (!plan_group_lags(g, &g->part)) p->failed = true;
    for (int l = g->part.first; l < g->part.end; l++) {
        m.loops += !g->part.a->loops[l].loop->once;
        m.reduces = m.reduces || g->part.a->loops[l].reduces;
    }
    for (int d = 0; d < 3; d++) {
        int64_t most = 0;
        for (int l = 0; l < g->part.end - g->part.first; l++) most = larger(most, g->lags[l][d].hi);
        m.extent[d] = hull.hi[d] - hull.lo[d];
        m.growth[d] = (double)most / (double)larger(m.loops - 1, 1);
        m.free[d] = !g->fixed[d] && m.extent[d] > 1;
        m.around[d] = g->period[d] > 0;
    }
    if (m.reduces) m.free[0] = false; /* sums go over whole bricks of rows */
    return m;
}
