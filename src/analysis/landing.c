/* Where touches end, box by box. A dimension contributes up to three intervals: what lies inside,
 * and what the rules of its two sides make of the indices beyond them; boxes are their products. */
#include "analysis/analysis.h"

typedef struct interval {
    int64_t lo, hi;
} interval;

/* Of the indices lo..hi-1, all beyond one side: the smallest interval that holds where they end. */
static interval map_interval(const chain_binding *b, int d, int64_t lo, int64_t hi)
{
    interval found = {0, 0};
    grid_axis axis = chain_slot_axis(b->slot, d);
    for (int64_t i = lo; i < hi; i++) {
        grid_source source;
        if (!grid_boundary_map(&b->boundary, d, &axis, i, &source) || source.is_constant) continue;
        bool first = found.lo >= found.hi;
        found.lo = first ? source.index : smaller(found.lo, source.index);
        found.hi = first ? source.index + 1 : larger(found.hi, source.index + 1);
    }
    return found;
}

static int intervals_along(const chain_binding *b, int d, interval touched, bool wraps,
                           interval out[3])
{
    grid_box inside = chain_binding_inside(b);
    if (wraps && grid_boundary_is_periodic(&b->boundary, d)) {
        out[0] = touched;
        return touched.lo < touched.hi;
    }
    interval all[3] = {
        {larger(touched.lo, inside.lo[d]), smaller(touched.hi, inside.hi[d])},
        map_interval(b, d, touched.lo, smaller(touched.hi, inside.lo[d])),
        map_interval(b, d, larger(touched.lo, inside.hi[d]), touched.hi),
    };
    int count = 0;
    for (int i = 0; i < 3; i++)
        if (all[i].lo < all[i].hi) out[count++] = all[i];
    return count;
}

int analysis_landings(const analysis_loop *l, const analysis_touch *t, const grid_box *points,
                      const bool wraps[3], const int64_t shift[3], grid_box out[ANALYSIS_LANDINGS])
{
    interval along[3][3];
    int count[3], total = 0;
    grid_box at = grid_box_intersect(points, &t->at);
    if (grid_box_is_empty(&at)) return 0;
    at = analysis_touched(&l->loop->kernel->params[t->param], t->lo, t->hi, &at);
    for (int d = 0; d < 3; d++)
        count[d] = intervals_along(&l->loop->bindings[t->param], d, (interval){at.lo[d], at.hi[d]},
                                   wraps[d], along[d]);
    for (int z = 0; z < count[2]; z++)
        for (int y = 0; y < count[1]; y++)
            for (int x = 0; x < count[0]; x++) {
                const interval *of[3] = {&along[0][x], &along[1][y], &along[2][z]};
                grid_box *box = &out[total++];
                for (int d = 0; d < 3; d++) {
                    box->lo[d] = of[d]->lo + shift[d];
                    box->hi[d] = of[d]->hi + shift[d];
                }
            }
    return total;
}

analysis_distance analysis_distance_of(const analysis_loop *l, const analysis_touch *t, int d)
{
    const chain_binding *b = &l->loop->bindings[t->param];
    grid_box inside = chain_binding_inside(b);
    int64_t lo = t->lo[d], hi = t->hi[d], size = chain_slot_axis(b->slot, d).size;
    analysis_distance far = {lo, hi, false};
    bool low = t->at.lo[d] + lo<inside.lo[d], high = t->at.hi[d] + hi> inside.hi[d];
    if ((!low && !high) || grid_box_is_empty(&t->at)) return far;
    if (grid_boundary_is_periodic(&b->boundary, d)) {
        far.periodic = true;
        return far;
    }
    /* A rule takes an index beyond a side no farther inside than it lies outside, unless the grid
     * is thinner than that. A point may itself lie beyond the side, among ghosts of another field.
     */
    int64_t past =
        larger(low ? inside.lo[d] - t->at.lo[d] : 0, high ? t->at.hi[d] - inside.hi[d] : 0);
    if (past < 0) past = 0;
    far.lo = smaller(far.lo, high ? -larger(0, hi) - 2 * past : 0);
    far.hi = larger(far.hi, low ? larger(0, -lo) + 2 * past : 0);
    if (size <= larger(-lo, hi) + past) {
        far.lo = smaller(far.lo, 1 - size - past);
        far.hi = larger(far.hi, size - 1 + past);
    }
    return far;
}
