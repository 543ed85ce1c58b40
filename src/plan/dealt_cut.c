/* Which grids and fields are cut. */
#include "plan/dealt.h"

bool dealt_may_cut(const plan_dealt *p, const grid_shape *shape)
{
    bool may = true, cut = false;
    for (int d = 0; d < 3; d++) {
        cut = cut || dealt_is_cut(p, d);
        if (dealt_is_cut(p, d))
            may = may && d < shape->rank && dealt_thinnest(p, d, shape->size[d]) >= 2;
    }
    return may && cut;
}

bool dealt_copies_near(const plan_dealt *p, const chain_loop *loop)
{
    const chain_slot *from = loop->bindings[CHAIN_COPY_FROM].slot;
    const chain_slot *to = loop->bindings[CHAIN_COPY_TO].slot;
    const grid_shape grid = chain_slot_grid(from);
    bool near = from != to;
    for (int d = 0; d < 3; d++) {
        if (!dealt_is_cut(p, d)) continue;
        near = near && chain_copy_is_straight(loop->copy, d);
        near = near && grid.size[d] == loop->shape.size[d];
        near = near && !from->absent_axis[d] && !to->absent_axis[d];
    }
    return near;
}

/* Whether grids are cut at shares that differ, as units do, along a dimension of a ratio. */
static bool cuts_ratio(const plan_dealt *p, const ir_param *param)
{
    bool cuts = false;
    for (int d = 0; d < 3; d++)
        cuts = cuts || (p->raster.unit[d] && (param->finer[d] || param->coarser[d]));
    return cuts;
}

bool dealt_follows(const plan_dealt *p, const analysis_loop *l, const analysis_touch *t)
{
    const grid_shape grid = chain_slot_grid(l->loop->bindings[t->param].slot);
    bool copied = l->loop->copy && dealt_copies_near(p, l->loop);
    bool scaled = t->scaled && !cuts_ratio(p, &l->loop->kernel->params[t->param]);
    return (!t->remapped || scaled || copied || t->hops.count) && dealt_may_cut(p, &grid);
}
