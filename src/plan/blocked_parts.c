/* What blocks of a group hold: points, fields and bytes. */
#include "plan/planner.h"

#include <inttypes.h>
#include <string.h>

analysis_section plan_blocks_chunk(const plan_group *g, int64_t every, int first)
{
    bool last = every <= 0 || first + every >= g->part.end;
    int end = last ? g->part.end : first + (int)every;
    return (analysis_section){g->part.a, first, end};
}

plan_span plan_blocks_points(const plan_group *g, int d)
{
    plan_span all = {0, 1};
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

plan_span plan_blocks_along(const plan_group *g, int d)
{
    return g->cut[d] ? plan_blocks_points(g, d) : (plan_span){-PLAN_FAR, PLAN_FAR};
}

void plan_blocks_treat(plan_group *g, int64_t every)
{
    for (int s = 0; s < g->part.a->slot_count; s++) {
        analysis_use use = analysis_use_of(&g->part, s);
        memset(g->fields[s].margin, 0, sizeof g->fields[s].margin);
        g->fields[s].buffered = g->fields[s].in = use.touched && !use.remapped;
        g->fields[s].out = g->fields[s].buffered && use.written;
    }
    for (analysis_section c = plan_blocks_chunk(g, every, g->part.first); c.first < g->part.end;
         c = plan_blocks_chunk(g, every, c.end))
        plan_group_extents(g, &c);
}

int64_t plan_blocks_largest(plan_span all, int64_t parts)
{
    return (all.hi - all.lo + parts - 1) / parts;
}

int64_t plan_blocks_bytes(const plan_group *g, const int64_t parts[3])
{
    int64_t largest[3], bytes = 0;
    for (int d = 0; d < 3; d++) largest[d] = plan_blocks_largest(plan_blocks_along(g, d), parts[d]);
    for (int s = 0; s < g->part.a->slot_count; s++) {
        plan_node buffer = plan_group_buffer(g, s, largest);
        if (g->fields[s].buffered)
            bytes = smaller(bytes, PLAN_FAR) + plan_buffer_bytes(&buffer, g->part.a->slots[s]);
    }
    return bytes;
}

void plan_blocks_say_bytes(int64_t bytes, int64_t memory, text *why)
{
    text_add(why, "its blocks need %" PRId64 " bytes of the %" PRId64 " of a memory", bytes,
             memory);
}
