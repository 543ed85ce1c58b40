/* Which loops may run in parts, and how far around a rank's own points. */
#include "plan/dealt.h"

enum { FEW_POINTS = 1 << 15 }; /* of a grid: whole loops take less time than messages */

bool plan_is_dealt(const grid_shape *shape, bool small)
{
    const grid_box all = grid_shape_box(shape);
    return small || grid_box_points(&all) >= FEW_POINTS;
}

bool plan_cuts(const plan_raster *raster, bool small, const grid_shape *shape)
{
    const plan_dealt p = {.raster = *raster, .small = small};
    return plan_is_dealt(shape, small) && dealt_may_cut(&p, shape);
}

/* Of a mesh only the elements are cut. */
static bool cuts_elements(const plan_dealt *p, const grid_mesh *mesh)
{
    bool cuts = true;
    for (int d = 0; d < 3; d++) cuts = cuts && (d == mesh->along || !dealt_is_cut(p, d));
    return cuts;
}

/* A loop on few points may all the same touch a grid of many, which is then not gathered. */
static bool suits_grids(const plan_dealt *p, const analysis_loop *l)
{
    bool many = plan_is_dealt(&l->loop->shape, p->small);
    if (l->loop->mesh && !cuts_elements(p, l->loop->mesh)) return false;
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        if (t->scalar || !t->scaled) continue;
        const grid_shape grid = chain_slot_grid(l->loop->bindings[t->param].slot);
        many = many || plan_is_dealt(&grid, p->small);
    }
    return many && dealt_may_cut(p, &l->loop->shape);
}

/* Whether a field may be dealt out that a loop writes, or reads where its own points are. */
static bool suits_field(const plan_dealt *p, const plan_home *homes, const analysis_loop *l,
                        const analysis_touch *t)
{
    const chain_binding *b = &l->loop->bindings[t->param];
    const grid_shape grid = chain_slot_grid(b->slot);
    if (homes[t->slot].fixed) return false;
    for (int d = 0; d < 3; d++) {
        if (!dealt_is_cut(p, d)) continue;
        bool wraps = grid_boundary_is_periodic(b->boundary, d);
        plan_span far = dealt_touched(p, l, t, d, (plan_span){0, 0});
        if (wraps && (b->slot->ghosts[d] || b->slot->staggered[d])) return false;
        if (larger(-far.lo, far.hi) > dealt_thinnest(p, d, grid.size[d])) return false;
    }
    return true;
}

static bool is_written(const analysis_loop *l, int slot)
{
    for (int i = 0; i < l->touch_count; i++)
        if (l->touches[i].writes && l->touches[i].slot == slot) return true;
    return false;
}

static bool has_periodic_points_beyond(const analysis_loop *l, int d)
{
    const chain_loop *loop = l->loop;
    bool beyond = loop->box.lo[d] < 0 || loop->box.hi[d] > loop->shape.size[d];
    return beyond && analysis_is_periodic(l, d);
}

/* Whether ranks would have parts of the bricks over which a loop reduces. */
static bool cuts_bricks(const plan_dealt *p, const analysis_loop *l)
{
    const bool between =
        p->raster.unit[0] == IR_BRICK || l->loop->shape.size[0] == p->raster.bricks;
    return l->reduces && dealt_is_cut(p, 0) && !between;
}

bool dealt_suits(const plan_dealt *p, const plan_home *homes, const analysis_loop *l)
{
    const chain_loop *loop = l->loop;
    if (loop->once || l->gathers || !suits_grids(p, l) || cuts_bricks(p, l)) return false;
    if (loop->copy ? !dealt_copies_near(p, loop) : l->uncuttable) return false;
    for (int d = 0; d < 3; d++) {
        bool ordered = loop->kernel->order[d] != IR_UNORDERED;
        if (dealt_is_cut(p, d) && (ordered || has_periodic_points_beyond(l, d))) return false;
    }
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        if (t->scalar) continue;
        bool suits = dealt_follows(p, l, t) ? suits_field(p, homes, l, t) : !is_written(l, t->slot);
        if (!suits) return false;
    }
    return true;
}

/* ---- around a rank's own points -------------------------------------------------------------- */

bool dealt_may_extend(const plan_dealt *p, const analysis_loop *l, const plan_span extent[3])
{
    for (int d = 0; d < 3; d++) {
        if (!extent[d].lo && !extent[d].hi) continue;
        int64_t part = dealt_thinnest(p, d, l->loop->shape.size[d]);
        if (l->reduces || larger(-extent[d].lo, extent[d].hi) > part) return false;
        if (p->wraps[d] && !analysis_may_wrap(l, d)) return false;
    }
    return true;
}
