/* Overlapped tiles: each computes all values that its points need in buffers of its own, and moves
 * the values that it owns home. No tile waits for another. They are for groups that change no field
 * which they also read around a point: a neighbour would find it changed. */
#include "plan/planner.h"

static bool refuse_hazard(const plan_group *g, int slot, text *why)
{
    const char *name = plan_slot_name(g->part.a, slot);
    text_add(why, "'%s' is changed after it was read around a point", name ? name : "?");
    return false;
}

static bool applicable(plan_group *g, const plan_request *r, text *why)
{
    plan_group_extents(g, &g->part);
    for (int d = 0; d < 3; d++) {
        g->cut[d] = plan_group_tiles(g, r, d);
        for (int s = 0; s < g->part.a->slot_count; s++)
            if (g->cut[d] && analysis_is_hazard(&g->part, s, g->needs[s][d]))
                return refuse_hazard(g, s, why);
    }
    bool cut = g->cut[0] || g->cut[1] || g->cut[2];
    if (!cut) plan_group_say_fixed(g, r->tile, 0, PLAN_NO_SIZE, why);
    return cut;
}

/* The fields that are written lie in buffers of the tile. */
static void find_buffered(plan_group *g)
{
    for (int s = 0; s < g->part.a->slot_count; s++) {
        plan_treatment *f = &g->fields[s];
        f->buffered = analysis_use_of(&g->part, s).written;
        f->in = f->buffered && analysis_takes(&g->part, s);
        f->out = f->buffered && analysis_leaves(&g->part, s);
    }
}

static void make(plan_group *g, const plan_request *r, plan *p, int parent)
{
    int tiles[3], count = 0;
    find_buffered(g);
    for (int d = 2; d >= 0; d--) {
        plan_node tile = {.kind = PLAN_TILE, .dimension = d, .size = r->tile[d]};
        tile.overlap = tile.parallel = true;
        tile.period[d] = g->period[d];
        if (g->cut[d]) parent = tiles[count++] = plan_add(p, parent, tile);
    }
    int seq = plan_group_buffers(g, r->tile, p, parent);
    plan_group_moves(g, p, seq, false, 0);
    plan_add_loops(p, seq, &g->part, PLAN_ON_GRID);
    plan_group_moves(g, p, seq, true, 0);
    while (count) plan_end_tile(p, tiles[--count], plan_group_span, g);
}

const plan_method plan_overlapped = {"overlapped", true, PLAN_TAKES_TILE, applicable, make};
