/* The indices that touches reach. A dimension contributes up to three intervals: the indices
 * inside, and the indices to which the rules of its two sides map the others. */
#include "analysis/passing.h"

/* The smallest interval that holds where the indices lo..hi-1, all beyond one side, end. */
static analysis_span map_span(const chain_binding *b, int d, int64_t lo, int64_t hi)
{
    analysis_span found = ANALYSIS_NONE;
    grid_axis axis = chain_slot_axis(b->slot, d);
    for (int64_t i = lo; i < hi; i++) {
        grid_source source;
        if (!grid_boundary_map(b->boundary, d, &axis, i, &source) || source.is_constant) continue;
        int64_t last = grid_source_last(&source);
        analysis_widen(&found, smaller(source.index, last), larger(source.index, last) + 1);
    }
    return found;
}

/* Half-open intervals in which the indices lo..hi-1 of a dimension end; returns their number.
 * `inside`: all indices that are no rule's. */
static int spans_along(const chain_binding *b, const grid_box *inside, int d, int64_t lo,
                       int64_t hi, analysis_span out[3])
{
    analysis_span all[3] = {{lo, hi}};
    int count = 0;
    out[0] = all[0];
    if (inside->lo[d] <= lo && lo < hi && hi <= inside->hi[d]) return 1;
    all[0] = (analysis_span){larger(lo, inside->lo[d]), smaller(hi, inside->hi[d])};
    all[1] = map_span(b, d, lo, smaller(hi, inside->lo[d]));
    all[2] = map_span(b, d, larger(lo, inside->hi[d]), hi);
    for (int i = 0; i < 3; i++)
        if (all[i].lo < all[i].hi) out[count++] = all[i];
    return count;
}

grid_box analysis_resolved_box(const chain_loop *loop, int param, const int32_t offset[3],
                               const grid_box *from)
{
    const chain_binding *b = &loop->bindings[param];
    grid_box box = analysis_touched_by(loop, param, offset, offset, from), out;
    grid_box inside = chain_binding_inside(b);
    for (int d = 0; d < 3; d++) {
        analysis_span spans[3], all = ANALYSIS_NONE;
        int count = spans_along(b, &inside, d, box.lo[d], box.hi[d], spans);
        for (int i = 0; i < count; i++) analysis_widen(&all, spans[i].lo, spans[i].hi);
        out.lo[d] = all.lo;
        out.hi[d] = all.hi;
    }
    return out;
}

/* Where a read finds all indices of a dimension. */
static grid_box touched_at(const analysis_loop *l, const analysis_touch *t, const grid_box *points)
{
    grid_box at = analysis_touched_by(l->loop, t->param, t->lo, t->hi, points);
    const int d = t->level - 1;
    if (!t->level || grid_box_is_empty(&at)) return at;
    at.lo[d] = 0;
    at.hi[d] = chain_slot_grid(l->loop->bindings[t->param].slot).size[d];
    return at;
}

int analysis_resolved_boxes(const analysis_loop *l, const analysis_touch *t, const grid_box *points,
                            const bool wraps[3], const int64_t shift[3],
                            grid_box out[ANALYSIS_RESOLVED_BOXES])
{
    const chain_binding *b = &l->loop->bindings[t->param];
    analysis_span along[3][3];
    int count[3] = {1, 1, 1}, total = 0;
    grid_box at = grid_box_intersect(points, &t->at);
    if (grid_box_is_empty(&at)) return 0;
    at = touched_at(l, t, &at);
    grid_box inside = chain_binding_inside(b);
    for (int d = 0; d < 3; d++) {
        bool stays = l->loop->copy || (wraps[d] && grid_boundary_is_periodic(b->boundary, d));
        along[d][0] = (analysis_span){at.lo[d], at.hi[d]};
        if (!stays) count[d] = spans_along(b, &inside, d, at.lo[d], at.hi[d], along[d]);
    }
    for (int z = 0; z < count[2]; z++)
        for (int y = 0; y < count[1]; y++)
            for (int x = 0; x < count[0]; x++) {
                grid_box box = {{along[0][x].lo, along[1][y].lo, along[2][z].lo},
                                {along[0][x].hi, along[1][y].hi, along[2][z].hi}};
                out[total++] = grid_box_moved(&box, shift, 1);
            }
    return total;
}

/* How far inside the farthest point lies that KATA_LINEAR at a side sums; 0 under another rule. */
static int64_t farthest_summed(const grid_boundary *boundary, int side)
{
    bool linear = boundary->side[side].rule == KATA_LINEAR;
    return linear ? boundary->weights[side]->count - 1 : 0;
}

/* Whether a touch may be of indices beyond a side. Where the side has a rule, values are filled
 * there for the points at which a guard makes the read needless, too. */
static bool is_touched(const chain_binding *b, const analysis_touch *t, int side)
{
    return t->writes || b->boundary->side[side].rule != KATA_NONE;
}

/* A copy moves what is stored, whatever rules say. */
static analysis_distance copied_from(const chain_copy *copy, const analysis_touch *t, int d)
{
    int64_t shift = t->copied && chain_copy_is_straight(copy, d) ? copy->shift[d] : 0;
    return (analysis_distance){shift, shift, false};
}

/* `inside`, `at`: the indices of the field, and those of the points in it. */
static analysis_distance distance_along(const analysis_loop *l, const analysis_touch *t, int d,
                                        const grid_box *inside, const grid_box *at)
{
    const chain_binding *b = &l->loop->bindings[t->param];
    int64_t lo = t->lo[d], hi = t->hi[d], size = chain_slot_axis(b->slot, d).size;
    analysis_distance far = {lo, hi, false};
    if (l->loop->copy) return copied_from(l->loop->copy, t, d);
    if (t->level == d + 1)
        return (analysis_distance){1 - at->hi[d], l->loop->shape.size[d] - 1 - at->lo[d], false};
    bool low = at->lo[d] + lo < inside->lo[d] && is_touched(b, t, 2 * d);
    bool high = at->hi[d] + hi > inside->hi[d] && is_touched(b, t, 2 * d + 1);
    if ((!low && !high) || grid_box_is_empty(at)) return far;
    if (grid_boundary_is_periodic(b->boundary, d)) {
        far.periodic = true;
        return far;
    }
    /* A rule maps an index beyond a side no farther inside than it lies outside, unless it sums
     * points or the grid is thinner. The point itself may lie beyond the side, among ghosts of
     * another field. */
    int64_t past =
        larger(low ? inside->lo[d] - at->lo[d] : 0, high ? at->hi[d] - inside->hi[d] : 0);
    if (past < 0) past = 0;
    int64_t summed_low = farthest_summed(b->boundary, 2 * d);
    int64_t summed_high = farthest_summed(b->boundary, 2 * d + 1);
    far.lo = smaller(far.lo, high ? -larger(summed_high, hi) - 2 * past : 0);
    far.hi = larger(far.hi, low ? larger(summed_low, -lo) + 2 * past : 0);
    if (size <= larger(-lo, hi) + past) {
        far.lo = smaller(far.lo, 1 - size - past);
        far.hi = larger(far.hi, size - 1 + past);
    }
    return far;
}

void analysis_find_distances(const analysis_loop *l, analysis_touch *t)
{
    static const int32_t here[3] = {0, 0, 0};
    grid_box inside = chain_binding_inside(&l->loop->bindings[t->param]);
    const grid_box *points = t->writes ? &t->at : &l->loop->box;
    grid_box at = analysis_touched_by(l->loop, t->param, here, here, points);
    for (int d = 0; d < 3; d++) t->far[d] = distance_along(l, t, d, &inside, &at);
}
