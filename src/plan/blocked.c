/* Blocks: the grid is dealt out, and each block has its part of all fields with a margin. Before
 * every few loops the neighbours fill the margins, as deep as these loops need. The loops then
 * compute some points around their block that the neighbours compute, too.
 *
 * A single block closes the seam of a periodic dimension: it is its own neighbour, and its margins
 * are moved in. */
#include "plan/planner.h"

#include <inttypes.h>

static bool too_many(const plan_group *g, const plan_request *r, text *why)
{
    int64_t total = 1, most = r->machine ? larger(r->siblings, 1) : PLAN_MOST_BLOCKS;
    for (int d = 0; d < 3 && total <= most; d++)
        if (g->cut[d]) total *= r->parts[d];
    if (total > most && r->machine)
        text_add(why, "there are more blocks than the %" PRId64 " siblings of the machine %s", most,
                 r->machine->name);
    else if (total > most)
        text_add(why, "there are more than %d blocks, the most that are allowed", PLAN_MOST_BLOCKS);
    return total > most;
}

/* Blocks without points cost time, and have no use. */
static bool has_empty(const plan_group *g, const int64_t parts[3], text *why)
{
    for (int d = 0; d < 3; d++) {
        plan_span all = plan_blocks_along(g, d);
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

static bool is_too_large(plan_group *g, const plan_request *r, text *why)
{
    int64_t parts[3];
    if (!r->memory) return false;
    for (int d = 0; d < 3; d++) parts[d] = g->cut[d] ? r->parts[d] : 1;
    plan_blocks_treat(g, r->every);
    int64_t bytes = plan_blocks_bytes(g, parts);
    if (bytes > r->memory) plan_blocks_say_bytes(bytes, r->memory, why);
    return bytes > r->memory;
}

/* How many parts of margins an exchange copies of a field, all blocks together; at most. */
static int64_t parts_copied(const plan_group *g, const plan_request *r, int slot)
{
    int64_t blocks = 1, copies = 1;
    for (int d = 0; d < 3; d++) {
        if (!g->cut[d]) continue;
        const plan_span all = plan_blocks_along(g, d), margin = g->needs[slot][d];
        const int64_t size = larger((all.hi - all.lo) / r->parts[d], 1);
        const int64_t around = -floor_divide(margin.lo, size) - floor_divide(-margin.hi, size);
        blocks *= r->parts[d];
        copies = smaller(copies * r->parts[d] * (1 + around), PLAN_FAR);
    }
    return copies - blocks;
}

/* Where small blocks have deep margins, each has them from many others. */
static bool is_scattered(plan_group *g, const plan_request *r, text *why)
{
    enum { MOST = 1 << 18 };
    int64_t most = 0;
    plan_blocks_treat(g, r->every);
    for (analysis_section c = plan_blocks_chunk(g, r->every, g->part.first); c.first < g->part.end;
         c = plan_blocks_chunk(g, r->every, c.end)) {
        int64_t copies = 0;
        plan_group_extents(g, &c);
        for (int s = 0; s < g->part.a->slot_count && copies < PLAN_FAR; s++)
            if (g->fields[s].buffered) copies += parts_copied(g, r, s);
        most = larger(most, copies);
    }
    if (most > MOST)
        text_add(why,
                 "its blocks have margins from so many others that an exchange is %" PRId64
                 " copies, and %d are allowed: larger blocks need fewer",
                 most, MOST);
    return most > MOST;
}

/* What is asked for; what the machine leaves open is chosen. */
static bool applicable(plan_group *g, const plan_request *r, text *why)
{
    g->sized = *r;
    if (r->machine && !r->parts[0] && !r->parts[1] && !r->parts[2])
        return plan_blocks_choose(g, r, why);
    for (int d = 0; d < 3; d++) g->cut[d] = !g->fixed[d] && r->parts[d] > 1;
    bool cut = g->cut[0] || g->cut[1] || g->cut[2];
    if (!cut) plan_group_say_fixed(g, r->parts, 1, "it is given no blocks, such as parts.y=2", why);
    return cut && !too_many(g, r, why) && !has_empty(g, r->parts, why) &&
           !is_too_large(g, r, why) && !is_scattered(g, r, why);
}

static void make(plan_group *g, const plan_request *given, plan *p, int parent)
{
    (void)given;
    plan_blocks_make(g, p, parent);
}

const plan_method plan_blocked = {
    "blocked",  false, false, PLAN_TAKES_PARTS | PLAN_TAKES_TILES | PLAN_TAKES_MEMORY,
    applicable, make};
