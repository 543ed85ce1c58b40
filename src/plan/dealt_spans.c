/* How far around a rank's own points and indices loops run, and what they touch.
 *
 * A field may be finer or coarser than the grid of a loop, by a ratio k. All grids are cut where
 * the finest is: where a grid is cut before its point L, one that is k times as coarse is cut
 * before ceil(L / k). So L is k ceil(L / k) - s, with a slack s from 0 to k - 1, which differs from
 * cut to cut. The spans here hold for the worst slack. It is 0 everywhere if the cells have equally
 * many points of the coarser grid. */
#include "plan/dealt.h"

#include <string.h>

/* Of a field along a dimension: ratios to the loop's grid, 1 if there is none. */
typedef struct ratio {
    int64_t finer, coarser, slack;
} ratio;

static ratio ratio_of(const plan_dealt *p, const analysis_loop *l, const analysis_touch *t, int d)
{
    const ir_param *param = &l->loop->kernel->params[t->param];
    ratio r = {.finer = larger(param->finer[d], 1), .coarser = larger(param->coarser[d], 1)};
    int64_t equal = p->raster.cells[d] * r.coarser, k = larger(r.finer, r.coarser);
    r.slack = l->loop->shape.size[d] % equal ? k - 1 : 0;
    return r;
}

static int64_t ceil_divide(int64_t a, int64_t b) { return -floor_divide(-a, b); }

/* Neighbours in a mesh. All kinds of elements are cut at the same share x, but for rounding: N
 * elements between x N - unit and x N + 1. So from element x N + e on neighbours lie from
 * x n + e n / N on, less or more what the mesh reaches. */
static plan_span hopped(const plan_dealt *p, const analysis_loop *l, const analysis_touch *t,
                        plan_span extent)
{
    const grid_mesh *mesh = l->loop->mesh;
    const int64_t unit = p->raster.unit[mesh->along];
    for (int i = 0; i < t->hops.count; i++) {
        const int from = t->hops.from[i], to = t->hops.to[i];
        const int64_t n = mesh->count[to], all = larger(mesh->count[from], 1);
        const grid_reach reach = grid_mesh_reach(mesh, from, to);
        extent.lo = floor_divide((extent.lo - unit) * n, all) + reach.lo - 2;
        extent.hi = ceil_divide((extent.hi + 1) * n, all) + reach.hi + unit + 1;
    }
    return extent;
}

plan_span dealt_touched(const plan_dealt *p, const analysis_loop *l, const analysis_touch *t, int d,
                        plan_span extent)
{
    if (t->hops.count && t->level == d + 1) return hopped(p, l, t, extent);
    ratio r = ratio_of(p, l, t, d);
    analysis_distance far = t->far[d];
    if (r.coarser > 1)
        return (plan_span){floor_divide(extent.lo - r.slack, r.coarser) + far.lo,
                           ceil_divide(extent.hi, r.coarser) + far.hi};
    return (plan_span){r.finer * extent.lo + far.lo,
                       r.finer * (extent.hi - 1) + 1 + far.hi + r.slack};
}

plan_span dealt_completed(const plan_dealt *p, const analysis_loop *l, const analysis_touch *t,
                          int d, plan_span extent)
{
    ratio r = ratio_of(p, l, t, d);
    return (plan_span){r.finer * (extent.lo - 1) + 1 + t->hi[d] + r.slack,
                       r.finer * extent.hi + t->lo[d]};
}

/* The points that have to run so that the indices of a span are completed. */
static plan_span points_for(const plan_dealt *p, const analysis_loop *l, const analysis_touch *t,
                            int d, plan_span need)
{
    ratio r = ratio_of(p, l, t, d);
    return (plan_span){floor_divide(need.lo - t->hi[d] + r.finer - 1 - r.slack, r.finer),
                       ceil_divide(need.hi - t->lo[d], r.finer)};
}

static void widen(plan_span *to, plan_span by)
{
    to->lo = smaller(to->lo, by.lo);
    to->hi = larger(to->hi, by.hi);
}

/* ---- sections -------------------------------------------------------------------------------- */

static bool counts(const plan_dealt *p, const analysis_loop *l, const analysis_touch *t)
{
    return !t->scalar && dealt_follows(p, l, t);
}

static void widen_extent(const plan_dealt *p, const analysis_loop *l, plan_span (*needs)[3],
                         plan_span extent[3])
{
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        for (int d = 0; d < 3 && t->writes && counts(p, l, t); d++)
            if (dealt_is_cut(p, d)) widen(&extent[d], points_for(p, l, t, d, needs[t->slot][d]));
    }
}

/* `done`: by slot, what needs nothing more; or NULL. */
static void widen_needs(const plan_dealt *p, const analysis_loop *l, const plan_span extent[3],
                        const bool *done, plan_span (*needs)[3])
{
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        bool reads = (!t->writes || t->partial) && counts(p, l, t);
        for (int d = 0; d < 3 && reads && !(done && done[t->slot]); d++)
            if (dealt_is_cut(p, d)) widen(&needs[t->slot][d], dealt_touched(p, l, t, d, extent[d]));
    }
}

double dealt_points(const plan_dealt *p, const analysis_loop *l, const plan_span extent[3])
{
    double points = 1;
    for (int d = 0; d < 3; d++) {
        const int64_t own = dealt_thinnest(p, d, l->loop->shape.size[d]);
        points *= (double)(own + extent[d].hi - extent[d].lo);
    }
    return points;
}

bool dealt_find_extents(const plan_dealt *p, const analysis_section *s, double most,
                        plan_span (*needs)[3], plan_span (*extents)[3])
{
    static const plan_span none[3];
    double twice = 0;
    memset(needs, 0, (size_t)s->a->slot_count * sizeof *needs);
    memset(extents, 0, (size_t)(s->end - s->first) * sizeof *extents);
    for (int i = s->end - 1; i >= s->first && twice <= most; i--) {
        const analysis_loop *l = &s->a->loops[i];
        plan_span *extent = extents[i - s->first];
        widen_extent(p, l, needs, extent);
        widen_needs(p, l, extent, NULL, needs);
        twice += dealt_points(p, l, extent) - dealt_points(p, l, none);
    }
    return twice <= most;
}

bool dealt_replaces(const chain_loop *loop, int param)
{
    if (!analysis_writes_whole(loop, param)) return false;
    grid_box all = chain_slot_memory(loop->bindings[param].slot);
    grid_box written = analysis_surely_written(loop, param);
    return grid_box_contains(&written, &all);
}

void dealt_find_needs(const plan_dealt *p, const analysis_section *s, plan_span (*extents)[3],
                      bool *replaced, plan_span (*needs)[3])
{
    memset(needs, 0, (size_t)s->a->slot_count * sizeof *needs);
    memset(replaced, 0, (size_t)s->a->slot_count);
    for (int l = s->first; l < s->end; l++) {
        const chain_loop *loop = s->a->loops[l].loop;
        widen_needs(p, &s->a->loops[l], extents[l - s->first], replaced, needs);
        for (int i = 0; i < loop->kernel->param_count; i++)
            if (ir_param_is_written_field(&loop->kernel->params[i]) && dealt_replaces(loop, i))
                replaced[loop->bindings[i].slot->number] = true;
    }
}
