/* Blocks: the grid is dealt out, each block keeps its part of all fields with a margin, and before
 * every few loops margins are filled from the neighbours: as deep as those loops need, which then
 * compute around their block what their neighbours compute, too. */
#include "plan/plan.h"

static int parts_of(const plan_group *g, const plan_request *r, int d)
{
    return g->fixed[d] || r->parts[d] < 1 ? 1 : r->parts[d];
}

static bool is_cut(const plan_group *g, const plan_request *r, int d)
{
    return parts_of(g, r, d) > 1;
}

static bool applicable(plan_group *g, const plan_request *r)
{
    return is_cut(g, r, 0) || is_cut(g, r, 1) || is_cut(g, r, 2);
}

/* The points of all fields and loops along a dimension. */
static plan_span extent_of(const plan_group *g, int d)
{
    plan_span all = {0, 1};
    if (g->period[d]) return (plan_span){0, g->period[d]};
    for (int l = g->first; l < g->end; l++) {
        const chain_loop *loop = g->a->loops[l].loop;
        if (loop->once || grid_box_is_empty(&loop->box)) continue;
        if (loop->box.lo[d] < all.lo) all.lo = loop->box.lo[d];
        if (loop->box.hi[d] > all.hi) all.hi = loop->box.hi[d];
    }
    for (int s = 0; s < g->a->slot_count; s++) {
        grid_box field = chain_slot_memory(g->a->slots[s]);
        if (g->a->slots[s]->is_scalar || !plan_group_touches(g, s)) continue;
        if (field.lo[d] < all.lo) all.lo = field.lo[d];
        if (field.hi[d] > all.hi) all.hi = field.hi[d];
    }
    return all;
}

static bool is_dealt(const plan_group *g, int slot)
{
    return !g->a->slots[slot]->is_scalar && plan_group_touches(g, slot) &&
           plan_group_plain(g, slot);
}

static int64_t *make_cuts(plan *p, plan_span all, int parts)
{
    int64_t *cuts = arena_array(&p->memory, (size_t)parts + 1, sizeof *cuts);
    int64_t points = all.hi - all.lo;
    for (int i = 0; cuts && i <= parts; i++)
        cuts[i] = all.lo + points / parts * i + (i < points % parts ? i : points % parts);
    return cuts;
}

static int add_blocks(plan_group *g, const plan_request *r, plan *p, int parent)
{
    int node = plan_add(p, parent, PLAN_BLOCKS);
    for (int d = 0; node && d < 3; d++) {
        bool cut = is_cut(g, r, d);
        plan_span all = cut ? extent_of(g, d) : (plan_span){-PLAN_FAR / 2, PLAN_FAR / 2};
        plan_node *n = &p->nodes[node];
        n->parts[d] = parts_of(g, r, d);
        n->cuts[d] = make_cuts(p, all, n->parts[d]);
        if (cut) n->period[d] = g->period[d];
        if (!n->cuts[d]) return 0;
    }
    return node;
}

/* The next loops between exchanges. */
static int end_of_chunk(const plan_group *g, const plan_request *r, int begin)
{
    return r->every > 0 && begin + r->every < g->end ? begin + r->every : g->end;
}

/* What is touched around a block, at most, of a field. */
static plan_span margin_of(plan_group *g, const plan_request *r, int slot, int d)
{
    plan_span margin = {0, 0};
    for (int begin = g->first; begin < g->end; begin = end_of_chunk(g, r, begin)) {
        int end = end_of_chunk(g, r, begin);
        plan_group_growth(g, begin, end);
        plan_group_widen(g, begin, end, slot, d, &margin);
    }
    return margin;
}

static int64_t largest_block(const plan_node *blocks, int d)
{
    int64_t largest = 0;
    for (int i = 0; i < blocks->parts[d]; i++) {
        int64_t points = blocks->cuts[d][i + 1] - blocks->cuts[d][i];
        if (points > largest) largest = points;
    }
    return largest;
}

static int add_buffers(plan_group *g, const plan_request *r, plan *p, int blocks)
{
    int parent = blocks;
    for (int s = 0; s < g->a->slot_count; s++) {
        if (!is_dealt(g, s)) continue;
        parent = plan_add(p, parent, PLAN_BUFFER);
        if (!parent) return 0;
        p->nodes[parent].slot = s;
        for (int d = 0; d < 3; d++) {
            plan_span margin = margin_of(g, r, s, d);
            if (is_cut(g, r, d))
                p->nodes[parent].capacity[d] =
                    largest_block(&p->nodes[blocks], d) + margin.hi - margin.lo;
        }
    }
    return parent;
}

static bool add_moves(plan_group *g, plan *p, int parent, bool out)
{
    for (int s = 0; s < g->a->slot_count; s++) {
        if (!is_dealt(g, s) || (out && !plan_group_writes(g, s))) continue;
        int move = plan_add(p, parent, PLAN_MOVE);
        if (!move) return false;
        p->nodes[move].slot = s;
        p->nodes[move].out = out;
    }
    return true;
}

static bool add_exchanges(plan_group *g, const plan_request *r, plan *p, int parent)
{
    for (int s = 0; s < g->a->slot_count; s++) {
        bool needed = false;
        for (int d = 0; d < 3; d++)
            needed = needed || (is_cut(g, r, d) && (g->need_low[s][d] || g->need_high[s][d]));
        if (!needed || !is_dealt(g, s)) continue;
        int node = plan_add(p, parent, PLAN_EXCHANGE);
        if (!node) return false;
        p->nodes[node].slot = s;
        for (int d = 0; d < 3; d++)
            if (is_cut(g, r, d))
                p->nodes[node].margin[d] = (plan_span){-g->need_low[s][d], g->need_high[s][d]};
    }
    return true;
}

static bool add_loop(plan *p, int parent, plan_kind kind, int loop)
{
    int node = plan_add(p, parent, kind);
    if (node) p->nodes[node].loop = loop;
    return node;
}

static bool add_chunk(plan_group *g, const plan_request *r, plan *p, int parent, int begin, int end)
{
    plan_group_growth(g, begin, end);
    if (!add_exchanges(g, r, p, parent)) return false;
    for (int l = begin; l < end; l++) {
        const analysis_loop *loop = &g->a->loops[l];
        if (!loop->loop->once && !add_loop(p, parent, PLAN_LOOP, l)) return false;
        if ((loop->loop->once || loop->reduces) && !add_loop(p, parent, PLAN_SCALAR, l))
            return false;
    }
    return true;
}

static void set_spans(plan_group *g, const plan_request *r, plan *p, int blocks)
{
    for (int begin = g->first; begin < g->end; begin = end_of_chunk(g, r, begin))
        plan_group_growth(g, begin, end_of_chunk(g, r, begin)); /* low, high of all loops */
    for (int i = blocks; i < p->count; i++) {
        const plan_node *n = &p->nodes[i];
        for (int d = 0; plan_is_leaf(n) && d < 3; d++) {
            plan_span *span = plan_span_of(p, blocks, n->leaf, d);
            if (!is_cut(g, r, d))
                *span = (plan_span){-PLAN_FAR, PLAN_FAR};
            else if (n->kind == PLAN_LOOP)
                *span = (plan_span){-g->low[n->loop - g->first][d], g->high[n->loop - g->first][d]};
        }
    }
}

static bool make(plan_group *g, const plan_request *r, plan *p, int parent)
{
    int blocks = add_blocks(g, r, p, parent);
    int seq = blocks ? plan_add(p, add_buffers(g, r, p, blocks), PLAN_SEQ) : 0;
    if (!seq || !add_moves(g, p, seq, false)) return false;
    for (int begin = g->first; begin < g->end; begin = end_of_chunk(g, r, begin))
        if (!add_chunk(g, r, p, seq, begin, end_of_chunk(g, r, begin))) return false;
    if (!add_moves(g, p, seq, true) || !plan_end_tile(p, blocks)) return false;
    set_spans(g, r, p, blocks);
    return true;
}

const plan_method plan_blocked = {"blocked", false, applicable, make};
