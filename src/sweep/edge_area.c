/* What is filled around a field for points of a loop, and how that is related with what other loops
 * fill around it, where they run side by side in tiles.
 *
 * A tile runs after the tiles that come before it in every dimension. So of the tiles of a loop
 * that touch an index outside the grid, the first one fills it. If another loop reads the same
 * values there, it does not fill them again: the fill would race with tiles that read them. That
 * holds where its tiles run after those that have filled. Where they need not, or where the loops
 * have different boundary rules, one of the loops reads copies. */
#include "analysis/analysis.h"
#include "sweep/edge.h"

/* ---- areas ----------------------------------------------------------------------------------- */

static grid_box touched_at(const sweep_edge *edge, const int32_t lo[3], const int32_t hi[3],
                           const grid_box *points)
{
    if (!edge->plain) return analysis_touched(edge->field->param, lo, hi, points);
    grid_box touched = *points;
    for (int d = 0; d < 3; d++) {
        touched.lo[d] += lo[d];
        touched.hi[d] += hi[d];
    }
    return touched;
}

grid_box sweep_hull_of(const sweep_edge *edge, const grid_box *points)
{
    grid_box hull = touched_at(edge, edge->lo, edge->hi, points);
    for (int d = 0; d < 3; d++) {
        if (!edge->clipped[d]) continue;
        hull.lo[d] = smaller(larger(hull.lo[d], edge->inside.lo[d]), edge->inside.hi[d] - 1);
        hull.hi[d] = larger(smaller(hull.hi[d], edge->inside.hi[d]), edge->inside.lo[d] + 1);
    }
    return hull;
}

sweep_area sweep_area_of(const sweep_edge *edge, const grid_box *points)
{
    static const int32_t here[3] = {0, 0, 0};
    sweep_area area = {.count = 1};
    area.boxes[0] = sweep_hull_of(edge, points);
    if (!edge->star) return area;
    grid_box hull = area.boxes[0], arm = touched_at(edge, here, here, points);
    for (area.count = 0; area.count < 3; area.count++) {
        int d = area.count;
        area.boxes[d] = arm;
        area.boxes[d].lo[d] = hull.lo[d];
        area.boxes[d].hi[d] = hull.hi[d];
    }
    return area;
}

/* ---- loops side by side ---------------------------------------------------------------------- */

int sweep_fill_count(const sweep_loop *l) { return l->fill_count; }

const chain_slot *sweep_fill_slot(const sweep_loop *l, int fill, const chain_loop *loop,
                                  int *component)
{
    *component = l->fills[fill].component;
    return loop->bindings[l->fills[fill].field->first].slot;
}

int sweep_wrap_count(const sweep_loop *l) { return l->wrap_count; }

const chain_slot *sweep_wrap_slot(const sweep_loop *l, int wrap, const chain_loop *loop,
                                  int *component)
{
    *component = l->wraps[wrap].component;
    return loop->bindings[l->wraps[wrap].field->first].slot;
}

/* Whether two areas have indices outside in common. */
static bool meet(const sweep_edge *a, const sweep_area *of_a, const sweep_area *of_b)
{
    for (int i = 0; i < of_a->count; i++)
        for (int k = 0; k < of_b->count; k++) {
            grid_box both = grid_box_intersect(&of_a->boxes[i], &of_b->boxes[k]);
            if (!grid_box_contains(&a->inside, &both)) return true;
        }
    return false;
}

static bool covers(const sweep_area *a, const sweep_area *b)
{
    bool all = a->count == 1 || a->count == b->count;
    for (int k = 0; k < b->count && all; k++)
        all = grid_box_contains(&a->boxes[a->count == 1 ? 0 : k], &b->boxes[k]);
    return all;
}

static bool is_after(const sweep_loop *a, const sweep_edge *ea, const sweep_loop *b,
                     const sweep_edge *eb, const sweep_lag *lag)
{
    bool after = true;
    for (int d = 0; d < 3; d++) {
        after = after && lag->behind[d] >= larger(eb->hi[d] - ea->hi[d], 0);
        after = after && lag->inside[d] >= larger(ea->lo[d] - eb->lo[d], 0);
        after = after && a->like.box.lo[d] <= b->like.box.lo[d];
    }
    return after;
}

sweep_relation sweep_fill_relation(const sweep_loop *a, int fa, const sweep_loop *b, int fb,
                                   const sweep_lag *lag)
{
    const sweep_edge *ea = &a->fills[fa], *eb = &b->fills[fb];
    sweep_area of_a = sweep_area_of(ea, &a->like.box), of_b = sweep_area_of(eb, &b->like.box);
    if (!meet(ea, &of_a, &of_b)) return SWEEP_APART;
    bool alike = ea->plain && eb->plain &&
                 grid_boundary_equal(&ea->field->boundary, &eb->field->boundary) &&
                 !memcmp(&ea->inside, &eb->inside, sizeof ea->inside);
    return alike && covers(&of_a, &of_b) && is_after(a, ea, b, eb, lag) ? SWEEP_FILLED
                                                                        : SWEEP_CLASHES;
}

/* How far a point of one loop may lie beyond a point of another one along a dimension, at most, if
 * they touch one index outside the grid. */
static int64_t most_beyond(const sweep_loop *a, const sweep_edge *ea, const sweep_edge *eb, int d)
{
    bool star = ea->star && eb->star && a->like.box.lo[d] >= ea->inside.lo[d] &&
                a->like.box.hi[d] <= ea->inside.hi[d];
    int64_t low = larger(-ea->lo[d], -eb->lo[d]), high = larger(ea->hi[d], eb->hi[d]);
    return star ? larger(larger(low, high) - 1, 0) : larger(eb->hi[d] - ea->lo[d], 0);
}

bool sweep_fill_follows(const sweep_loop *a, int fa, const sweep_loop *b, int fb,
                        const sweep_lag *lag)
{
    const sweep_edge *ea = &a->fills[fa], *eb = &b->fills[fb];
    sweep_area of_a = sweep_area_of(ea, &a->like.box), of_b = sweep_area_of(eb, &b->like.box);
    if (!meet(ea, &of_a, &of_b)) return true;
    bool follows = ea->plain && eb->plain;
    for (int d = 0; d < 3; d++)
        follows = follows && lag->behind[d] >= most_beyond(a, ea, eb, d) &&
                  lag->inside[d] >= most_beyond(b, eb, ea, d);
    return follows;
}

/* Whether a loop's points lie inside of a field along all dimensions but one. Otherwise neighbours
 * along that one may touch the same index outside along another. */
static bool beside_inside(const sweep_loop *l, const sweep_edge *edge, int d)
{
    grid_box box = l->like.box;
    box.lo[d] = edge->inside.lo[d];
    box.hi[d] = edge->inside.hi[d];
    return grid_box_contains(&edge->inside, &box);
}

bool sweep_fills_apart(const sweep_loop *l, int d, int64_t second, int64_t last)
{
    const grid_box *box = &l->like.box;
    for (int i = 0; i < l->fill_count; i++) {
        const sweep_edge *edge = &l->fills[i];
        bool low = second >= box->hi[d] || second + edge->lo[d] >= edge->inside.lo[d];
        bool high = last <= box->lo[d] || last + edge->hi[d] <= edge->inside.hi[d];
        bool here = !edge->lo[d] && !edge->hi[d];
        if (!edge->plain || !(here || (edge->star && low && high && beside_inside(l, edge, d))))
            return false;
    }
    return true;
}
