/* Overlapped tiles: each computes, in buffers of its own, all that its points need, and takes home
 * what it owns. No tile waits for another. They are for groups that change no field which they also
 * read around a point: a neighbour would find it changed. */
#include "plan/plan.h"

static bool tiles(const plan_group *g, const plan_request *r, int d)
{
    return r->tile[d] > 0 && !g->fixed[d];
}

static bool applicable(plan_group *g, const plan_request *r)
{
    if (!tiles(g, r, 0) && !tiles(g, r, 1) && !tiles(g, r, 2)) return false;
    if (!plan_group_growth(g, g->first, g->end)) return false;
    for (int s = 0; s < g->a->slot_count; s++) {
        if (g->a->slots[s]->is_scalar || !plan_group_leaves(g, s) || !plan_group_takes(g, s))
            continue;
        for (int d = 0; d < 3; d++)
            if (tiles(g, r, d) && (g->need_low[s][d] || g->need_high[s][d])) return false;
    }
    return true;
}

static bool add_moves(plan_group *g, plan *p, int parent, bool out)
{
    for (int s = 0; s < g->a->slot_count; s++) {
        if (g->a->slots[s]->is_scalar || !plan_group_writes(g, s)) continue;
        if (!(out ? plan_group_leaves(g, s) : plan_group_takes(g, s))) continue;
        int move = plan_add(p, parent, PLAN_MOVE);
        if (!move) return false;
        p->nodes[move].slot = s;
        p->nodes[move].out = out;
    }
    return true;
}

static int add_buffers(plan_group *g, const plan_request *r, plan *p, int parent)
{
    for (int s = 0; s < g->a->slot_count; s++) {
        if (g->a->slots[s]->is_scalar || !plan_group_writes(g, s)) continue;
        parent = plan_add(p, parent, PLAN_BUFFER);
        if (!parent) return 0;
        p->nodes[parent].slot = s;
        for (int d = 0; d < 3; d++) {
            if (!tiles(g, r, d)) continue;
            plan_span margin = {0, 0};
            plan_group_widen(g, g->first, g->end, s, d, &margin);
            p->nodes[parent].capacity[d] = r->tile[d] + margin.hi - margin.lo;
        }
    }
    return parent;
}

static void set_spans(const plan_group *g, plan *p, int tile)
{
    int d = p->nodes[tile].dimension;
    for (int i = tile; i < p->count; i++) {
        const plan_node *n = &p->nodes[i];
        if (!plan_is_leaf(n)) continue;
        plan_span *span = plan_span_of(p, tile, n->leaf, d);
        if (n->kind == PLAN_LOOP)
            *span = (plan_span){-g->low[n->loop - g->first][d], g->high[n->loop - g->first][d]};
        else if (!n->out)
            *span = (plan_span){-g->need_low[n->slot][d], g->need_high[n->slot][d]};
    }
}

static bool make(plan_group *g, const plan_request *r, plan *p, int parent)
{
    int made[3], count = 0;
    for (int d = 2; d >= 0; d--) {
        if (!tiles(g, r, d)) continue;
        parent = made[count++] = plan_add(p, parent, PLAN_TILE);
        if (!parent) return false;
        plan_node *n = &p->nodes[parent];
        n->dimension = d;
        n->size = r->tile[d];
        n->overlap = n->parallel = true;
        n->period[d] = g->period[d];
    }
    int seq = plan_add(p, add_buffers(g, r, p, parent), PLAN_SEQ);
    if (!seq || !add_moves(g, p, seq, false) || !plan_group_loops(g, p, seq) ||
        !add_moves(g, p, seq, true))
        return false;
    for (int i = 0; i < count; i++) {
        if (!plan_end_tile(p, made[i])) return false;
        set_spans(g, p, made[i]);
    }
    return true;
}

const plan_method plan_overlapped = {"overlapped", true, applicable, make};
