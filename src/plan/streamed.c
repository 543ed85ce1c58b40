/* Windows: skewed tiles along one dimension, the fields in buffers of as many planes as lie between
 * the foremost read and the hindmost write. Each tile takes in the planes that are met first there,
 * and out those that nothing touches any more. What the group writes first need not come in, what
 * nobody reads afterwards need not go out; fields for which both is true need no memory beyond the
 * window, which is how temporaries of fused loops are kept. */
#include "plan/plan.h"

static int along(const plan_group *g, const plan_request *r)
{
    for (int d = 2; d >= 0; d--)
        if (r->tile[d] > 0 && !g->fixed[d] && !g->period[d]) return d;
    return -1;
}

static bool is_kept(const plan_group *g, int slot, bool only_passing)
{
    if (g->a->slots[slot]->is_scalar || !plan_group_touches(g, slot) || !plan_group_plain(g, slot))
        return false;
    return !only_passing || (!plan_group_takes(g, slot) && !plan_group_leaves(g, slot));
}

static bool applicable(plan_group *g, const plan_request *r) { return along(g, r) >= 0; }

static bool fused_applicable(plan_group *g, const plan_request *r)
{
    bool any = false;
    for (int s = 0; s < g->a->slot_count; s++) any = any || is_kept(g, s, true);
    return any && along(g, r) >= 0;
}

/* Planes of a field that are touched in a tile, beside its frame: those before `high` for the first
 * time, from `low` on not for the last. */
static plan_span front_of(const plan_group *g, int slot, int d)
{
    plan_span front = {PLAN_FAR, -PLAN_FAR};
    for (int l = g->first; l < g->end; l++)
        for (int t = 0; t < g->a->loops[l].touch_count; t++) {
            const analysis_touch *touch = &g->a->loops[l].touches[t];
            if (touch->slot != slot) continue;
            analysis_distance far = analysis_distance_of(&g->a->loops[l], touch, d);
            int64_t late = g->high[l - g->first][d];
            if (far.lo - late < front.lo) front.lo = far.lo - late;
            if (far.hi - late > front.hi) front.hi = far.hi - late;
        }
    return front;
}

typedef struct stream {
    plan_group *g;
    const plan_request *r;
    plan *p;
    bool only_passing;
    int d;
} stream;

static int add_buffers(const stream *s, int parent)
{
    for (int slot = 0; slot < s->g->a->slot_count; slot++) {
        if (!is_kept(s->g, slot, s->only_passing)) continue;
        parent = plan_add(s->p, parent, PLAN_BUFFER);
        if (!parent) return 0;
        plan_span front = front_of(s->g, slot, s->d);
        s->p->nodes[parent].slot = slot;
        s->p->nodes[parent].capacity[s->d] =
            front.hi - front.lo + s->r->tile[s->d] * (s->r->prefetch ? 2 : 1);
    }
    return parent;
}

enum { IN = 1, OUT };

static bool add_moves(const stream *s, int parent, bool out)
{
    for (int slot = 0; slot < s->g->a->slot_count && !s->only_passing; slot++) {
        if (!is_kept(s->g, slot, false)) continue;
        if (!(out ? plan_group_leaves(s->g, slot) : plan_group_takes(s->g, slot))) continue;
        int move = plan_add(s->p, parent, PLAN_MOVE);
        if (!move) return false;
        s->p->nodes[move].slot = slot;
        s->p->nodes[move].out = out;
        s->p->nodes[move].tag = !s->r->prefetch ? 0 : out ? OUT : IN;
    }
    return true;
}

static bool add_waits(const stream *s, int parent)
{
    for (int tag = IN; tag <= OUT && s->r->prefetch && !s->only_passing; tag++) {
        int wait = plan_add(s->p, parent, PLAN_WAIT);
        if (!wait) return false;
        s->p->nodes[wait].tag = tag;
    }
    return true;
}

static void set_spans(const stream *s, int tile)
{
    for (int i = tile; i < s->p->count; i++) {
        const plan_node *n = &s->p->nodes[i];
        int64_t at;
        if (n->kind == PLAN_LOOP) {
            at = -s->g->high[n->loop - s->g->first][s->d];
        } else if (n->kind == PLAN_MOVE) {
            plan_span front = front_of(s->g, n->slot, s->d);
            at = n->out ? front.lo : front.hi + (s->r->prefetch ? s->r->tile[s->d] : 0);
        } else {
            continue;
        }
        *plan_span_of(s->p, tile, n->leaf, s->d) = (plan_span){at, at};
    }
}

static bool make_window(const stream *s, int parent)
{
    if (!plan_group_shifts(s->g)) return false;
    int outer = plan_add(s->p, add_buffers(s, parent), PLAN_SEQ);
    int tile = outer ? plan_add(s->p, outer, PLAN_TILE) : 0;
    int seq = tile ? plan_add(s->p, tile, PLAN_SEQ) : 0;
    if (!seq) return false;
    s->p->nodes[tile].dimension = s->d;
    s->p->nodes[tile].size = s->r->tile[s->d];
    if (!add_waits(s, seq) || !add_moves(s, seq, false) || !plan_group_loops(s->g, s->p, seq) ||
        !add_moves(s, seq, true) || !plan_end_tile(s->p, tile))
        return false;
    set_spans(s, tile);
    return add_waits(s, outer);
}

static bool make_streamed(plan_group *g, const plan_request *r, plan *p, int parent)
{
    return make_window(&(stream){g, r, p, false, along(g, r)}, parent);
}

static bool make_fused(plan_group *g, const plan_request *r, plan *p, int parent)
{
    return make_window(&(stream){g, r, p, true, along(g, r)}, parent);
}

const plan_method plan_streamed = {"streamed", true, applicable, make_streamed};
const plan_method plan_fused = {"fused", true, fused_applicable, make_fused};
