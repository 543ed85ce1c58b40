/* Blocks as nodes of a plan: where the grid is cut, and between chunks of loops the exchanges that
 * fill their margins. */
#include "plan/planner.h"

static int64_t *make_cuts(plan *p, plan_span all, int parts)
{
    int64_t *cuts = arena_array(&p->memory, (size_t)parts + 1, sizeof *cuts);
    int64_t points = all.hi - all.lo;
    for (int i = 0; cuts && i <= parts; i++)
        cuts[i] = all.lo + points / parts * i + (i < points % parts ? i : points % parts);
    if (!cuts) p->failed = true;
    return cuts;
}

int plan_blocks_open(plan_group *g, const int parts[3], int64_t every, plan *p, int parent,
                     int *blocks)
{
    plan_node n = {.kind = PLAN_BLOCKS};
    int64_t largest[3];
    for (int d = 0; d < 3; d++) {
        plan_span all = plan_blocks_along(g, d);
        largest[d] = plan_blocks_largest(all, parts[d]);
        n.parts[d] = parts[d];
        n.cuts[d] = make_cuts(p, all, parts[d]);
        n.period[d] = g->cut[d] ? g->period[d] : 0;
    }
    plan_blocks_treat(g, every);
    *blocks = plan_add(p, parent, n);
    int seq = plan_group_buffers(g, largest, p, *blocks);
    plan_group_moves(g, p, seq, false, 0);
    return seq;
}

void plan_blocks_close(const plan_group *g, plan *p, int blocks, int seq)
{
    plan_group_moves(g, p, seq, true, 0);
    plan_end_tile(p, blocks, plan_group_span, g);
}

static void add_exchanges(const plan_group *g, plan *p, int parent)
{
    for (int s = 0; s < g->part.a->slot_count; s++) {
        plan_node exchange = {.kind = PLAN_EXCHANGE, .slot = s};
        bool needed = false;
        for (int d = 0; d < 3; d++) {
            if (g->cut[d]) exchange.margin[d] = g->needs[s][d];
            needed = needed || exchange.margin[d].lo || exchange.margin[d].hi;
        }
        if (needed && g->fields[s].buffered) plan_add(p, parent, exchange);
    }
}

void plan_blocks_make(plan_group *g, plan *p, int parent)
{
    const plan_request *r = &g->sized;
    int parts[3], blocks;
    for (int d = 0; d < 3; d++) parts[d] = g->cut[d] ? (int)r->parts[d] : 1;
    int seq = plan_blocks_open(g, parts, r->every, p, parent, &blocks);
    for (analysis_section c = plan_blocks_chunk(g, r->every, g->part.first); c.first < g->part.end;
         c = plan_blocks_chunk(g, r->every, c.end)) {
        plan_group_extents(g, &c);
        add_exchanges(g, p, seq);
        plan_add_below(g, r, &c, g->what, g->cut, p, seq);
    }
    analysis_section none = {g->part.a, g->part.first, g->part.first};
    plan_group_extents(g, &none); /* margins are not moved in */
    plan_blocks_close(g, p, blocks, seq);
    p->nodes[blocks].bytes = r->memory;
}
