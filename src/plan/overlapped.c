/* Overlapped tiles: each computes all values that its points need, also around its own points, and
 * waits for no other tile. In buffers of the tile are the fields that it computes around its
 * points, whose values that it owns are moved home, and the fields that a section of loops makes
 * and uses up: temporaries, which never leave the buffer. Other fields stay at home. The tiles are
 * for sections that change no field which they also read around a point: a neighbour would find it
 * changed. */
#include "plan/planner.h"

#include <string.h>

static bool has_margin(const plan_group *g, int slot)
{
    bool margin = false;
    for (int d = 0; d < 3; d++) {
        plan_span around = g->fields[slot].margin[d];
        margin = margin || (g->cut[d] && (around.lo || around.hi));
    }
    return margin;
}

/* Whether loops from a number on touch a field. */
static bool is_touched(const analysis_section *part, int from, int slot)
{
    analysis_section rest = {part->a, from, part->end};
    return analysis_use_of(&rest, slot).touched;
}

static bool passes(const plan_group *g, const analysis_section *part, int slot)
{
    plan_passing *known = &g->passing[slot];
    bool holds = known->part.a && known->part.first == part->first &&
                 known->part.end <= part->end && !is_touched(part, known->part.end, slot);
    if (!holds) known->passes = analysis_passes(part, slot);
    known->part = *part;
    return known->passes;
}

static bool is_hazard(const plan_group *g, const analysis_section *part, int slot)
{
    bool hazard = false;
    for (int d = 0; d < 3; d++)
        hazard = hazard || (g->cut[d] && analysis_is_hazard(part, slot, g->needs[slot][d]));
    return hazard && !passes(g, part, slot);
}

void plan_overlapped_treat(plan_group *g, const analysis_section *part)
{
    memset(g->fields, 0, (size_t)part->a->slot_count * sizeof *g->fields);
    plan_group_extents(g, part);
    analysis_find_uses(part, g->uses);
    for (int s = 0; s < part->a->slot_count; s++) {
        plan_treatment *f = &g->fields[s];
        analysis_use use = g->uses[s];
        f->passing = use.written && !use.remapped && passes(g, part, s);
        f->buffered = use.written && (f->passing || has_margin(g, s));
        f->in = f->buffered && !f->passing && analysis_takes(part, s);
        f->out = f->buffered && !f->passing && analysis_leaves(part, s);
    }
}

int plan_overlapped_hazard(const plan_group *g, const analysis_section *part)
{
    int slot = 0;
    while (slot < part->a->slot_count && !is_hazard(g, part, slot)) slot++;
    return slot < part->a->slot_count ? slot : -1;
}

bool plan_overlapped_refuse(const plan_group *g, const analysis_section *part, text *why)
{
    int slot = plan_overlapped_hazard(g, part);
    if (slot < 0) return false;
    const char *name = plan_slot_name(g->part.a, slot);
    text_add(why, "'%s' is changed after it was read around a point", name ? name : "?");
    return true;
}

static bool applicable(plan_group *g, const plan_request *r, text *why)
{
    for (int d = 0; d < 3; d++) g->cut[d] = plan_group_tiles(g, r, d);
    for (int64_t i = 0, count = plan_section_count(g, r); i < count; i++) {
        analysis_section part = plan_section(g, count, i);
        plan_group_extents(g, &part);
        if (plan_overlapped_refuse(g, &part, why)) return false;
    }
    bool cut = g->cut[0] || g->cut[1] || g->cut[2];
    if (!cut) plan_group_say_fixed(g, r->tile, 0, PLAN_NO_SIZE, why);
    return cut;
}

void plan_overlapped_add(plan_group *g, const analysis_section *part, const int64_t size[3],
                         plan *p, int parent)
{
    int tiles[3], count = 0;
    plan_overlapped_treat(g, part);
    for (int d = 2; d >= 0; d--) {
        plan_node tile = {.kind = PLAN_TILE, .dimension = d, .size = size[d]};
        tile.overlap = tile.parallel = true;
        tile.period[d] = g->period[d];
        if (g->cut[d]) parent = tiles[count++] = plan_add(p, parent, tile);
    }
    int seq = plan_group_buffers(g, size, p, parent);
    plan_group_moves(g, p, seq, false, 0);
    plan_add_loops(p, seq, part, PLAN_ON_GRID);
    plan_group_moves(g, p, seq, true, 0);
    while (count) plan_end_tile(p, tiles[--count], plan_group_span, g);
}

static void make(plan_group *g, const plan_request *r, plan *p, int parent)
{
    int64_t count = plan_section_count(g, r);
    int seq = count > 1 ? plan_add(p, parent, (plan_node){.kind = PLAN_SEQ}) : parent;
    for (int64_t i = 0; i < count; i++) {
        analysis_section part = plan_section(g, count, i);
        plan_overlapped_add(g, &part, r->tile, p, seq);
    }
}

const plan_method plan_overlapped = {"overlapped", true, false, PLAN_TAKES_TILE | PLAN_TAKES_DEPTH,
                                     applicable,   make};
