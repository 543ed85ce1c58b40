/* Blocks: the grid is dealt out, and each block has its part of all fields with a margin. Before
 * every few loops the neighbours fill the margins, as deep as these loops need. The loops then
 * compute some points around their block that the neighbours compute, too.
 *
 * A single block closes the seam of a periodic dimension: it is its own neighbour, and its margins
 * are moved in. */
#include "plan/planner.h"

#include <inttypes.h>

/* The next loops between exchanges, from `first`. */
static analysis_section chunk_of(const plan_group *g, int64_t every, int first)
{
    bool last = every <= 0 || first + every >= g->part.end;
    int end = last ? g->part.end : first + (int)every;
    return (analysis_section){g->part.a, first, end};
}

/* The points of all fields and loops along a dimension that is cut; along another, without end. */
static plan_span points_along(const plan_group *g, int d)
{
    plan_span all = {0, 1};
    if (!g->cut[d]) return (plan_span){-PLAN_FAR, PLAN_FAR};
    if (g->period[d]) return (plan_span){0, g->period[d]};
    for (int l = g->part.first; l < g->part.end; l++) {
        const chain_loop *loop = g->part.a->loops[l].loop;
        if (!loop->once && !grid_box_is_empty(&loop->box))
            analysis_widen(&all, loop->box.lo[d], loop->box.hi[d]);
    }
    for (int s = 0; s < g->part.a->slot_count; s++) {
        grid_box field = chain_slot_memory(g->part.a->slots[s]);
        if (analysis_use_of(&g->part, s).touched) analysis_widen(&all, field.lo[d], field.hi[d]);
    }
    return all;
}

static int64_t *make_cuts(plan *p, plan_span all, int parts)
{
    int64_t *cuts = arena_array(&p->memory, (size_t)parts + 1, sizeof *cuts);
    int64_t points = all.hi - all.lo;
    for (int i = 0; cuts && i <= parts; i++)
        cuts[i] = all.lo + points / parts * i + (i < points % parts ? i : points % parts);
    if (!cuts) p->failed = true;
    return cuts;
}

/* Deals out the fields that are touched point for point; each block has room for all indices that
 * are touched around it. */
static void find_buffered(plan_group *g, int64_t every)
{
    for (int s = 0; s < g->part.a->slot_count; s++) {
        analysis_use use = analysis_use_of(&g->part, s);
        g->fields[s].buffered = g->fields[s].in = use.touched && !use.remapped;
        g->fields[s].out = g->fields[s].buffered && use.written;
    }
    for (analysis_section c = chunk_of(g, every, g->part.first); c.first < g->part.end;
         c = chunk_of(g, every, c.end))
        plan_group_extents(g, &c);
}

int plan_blocks_open(plan_group *g, const int parts[3], int64_t every, plan *p, int parent,
                     int *blocks)
{
    plan_node n = {.kind = PLAN_BLOCKS};
    int64_t largest[3];
    for (int d = 0; d < 3; d++) {
        plan_span all = points_along(g, d);
        largest[d] = (all.hi - all.lo + parts[d] - 1) / parts[d];
        n.parts[d] = parts[d];
        n.cuts[d] = make_cuts(p, all, parts[d]);
        n.period[d] = g->cut[d] ? g->period[d] : 0;
    }
    find_buffered(g, every);
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

/* ---- several blocks -------------------------------------------------------------------------- */

static bool too_many(const plan_group *g, const int64_t parts[3], text *why)
{
    int64_t total = 1;
    for (int d = 0; d < 3 && total <= PLAN_MOST_BLOCKS; d++)
        if (g->cut[d]) total *= parts[d];
    if (total > PLAN_MOST_BLOCKS)
        text_add(why, "there are more than %d blocks, the most that are allowed", PLAN_MOST_BLOCKS);
    return total > PLAN_MOST_BLOCKS;
}

/* Blocks without points cost time, and have no use. */
static bool has_empty(const plan_group *g, const int64_t parts[3], text *why)
{
    for (int d = 0; d < 3; d++) {
        plan_span all = points_along(g, d);
        int64_t points = all.hi - all.lo;
        if (!g->cut[d] || parts[d] <= points) continue;
        text_add(why,
                 "%" PRId64 " blocks along %c are more than its %" PRId64
                 " points: parts.%c=%" PRId64 " is the most",
                 parts[d], "xyz"[d], points, "xyz"[d], points);
        return true;
    }
    return false;
}

static bool applicable(plan_group *g, const plan_request *r, text *why)
{
    for (int d = 0; d < 3; d++) g->cut[d] = !g->fixed[d] && r->parts[d] > 1;
    bool cut = g->cut[0] || g->cut[1] || g->cut[2];
    if (!cut) plan_group_say_fixed(g, r->parts, 1, "it is given no blocks, such as parts.y=2", why);
    return cut && !too_many(g, r->parts, why) && !has_empty(g, r->parts, why);
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

static void make(plan_group *g, const plan_request *r, plan *p, int parent)
{
    int parts[3], blocks;
    for (int d = 0; d < 3; d++) parts[d] = g->cut[d] ? (int)r->parts[d] : 1;
    int seq = plan_blocks_open(g, parts, r->every, p, parent, &blocks);
    for (analysis_section c = chunk_of(g, r->every, g->part.first); c.first < g->part.end;
         c = chunk_of(g, r->every, c.end)) {
        plan_group_extents(g, &c);
        add_exchanges(g, p, seq);
        plan_add_below(g, r, &c, g->what, g->cut, p, seq);
    }
    analysis_section none = {g->part.a, g->part.first, g->part.first};
    plan_group_extents(g, &none); /* margins are not moved in */
    plan_blocks_close(g, p, blocks, seq);
}

const plan_method plan_blocked = {"blocked",  false, false, PLAN_TAKES_PARTS | PLAN_TAKES_TILES,
                                  applicable, make};
