/* How many blocks, and how often they exchange, on a machine whose fields stay in the memories of
 * its cores, a block in each. All numbers of blocks are tried that make the largest block smaller,
 * and intervals between exchanges that double. A formula finds their times: what the largest block
 * computes, what it has from its neighbours, and the meetings. The memory of a core limits them. */
#include "plan/planner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EVERY = 16 };

/* A number of points of a block that counts so often: those of the block with its ends moved. */
typedef struct term {
    double weight;
    plan_span span[3];
} term;

typedef struct terms {
    term *all;
    size_t count, room;
    bool failed; /* memory was out */
} terms;

typedef struct chooser {
    const plan_request *r;
    plan_group *g;
    plan_span all[3]; /* of all points */
    terms work, halo; /* operations; bytes that come in */
    int64_t exchanges;
    plan_request best;
    double seconds; /* of the best one; INFINITY: there is none */
    int64_t bytes;  /* of its blocks; of the smallest ones, where there is none */
} chooser;

/* ---- what blocks do ---------------------------------------------------------------------------
 */

static void add_term(terms *t, double weight, const plan_span span[3])
{
    for (size_t i = 0; i < t->count; i++)
        if (!memcmp(t->all[i].span, span, sizeof t->all[i].span)) {
            t->all[i].weight += weight;
            return;
        }
    void *all = t->all;
    if (!vector_reserve(&all, &t->room, t->count + 1, sizeof *t->all)) {
        t->failed = true;
        return;
    }
    t->all = all;
    t->all[t->count] = (term){.weight = weight};
    memcpy(t->all[t->count++].span, span, sizeof t->all->span);
}

static double value_bytes(const chain_slot *slot)
{
    return slot->components * (double)ir_storages[slot->type].bytes;
}

static void add_loop(chooser *c, int l)
{
    const chain_loop *loop = c->g->part.a->loops[l].loop;
    if (loop->once) return;
    double colors = loop->colors > 1 ? loop->colors : 1;
    add_term(&c->work, (double)ir_work(loop->kernel) / colors, c->g->extents[l - c->g->part.first]);
}

static bool has_halo(const plan_span need[3])
{
    bool some = false;
    for (int d = 0; d < 3; d++) some = some || need[d].lo || need[d].hi;
    return some;
}

/* Finds the terms of all loops and exchanges, with so many loops between exchanges. */
static void find_terms(chooser *c, int64_t every)
{
    plan_group *g = c->g;
    c->work.count = c->halo.count = 0;
    c->exchanges = 0;
    plan_blocks_treat(g, every);
    for (analysis_section part = plan_blocks_chunk(g, every, g->part.first);
         part.first < g->part.end; part = plan_blocks_chunk(g, every, part.end)) {
        plan_group_extents(g, &part);
        bool exchanged = false;
        for (int l = part.first; l < part.end; l++) add_loop(c, l);
        for (int s = 0; s < g->part.a->slot_count; s++) {
            if (!g->fields[s].buffered || !has_halo(g->needs[s])) continue;
            add_term(&c->halo, value_bytes(g->part.a->slots[s]), g->needs[s]);
            exchanged = true;
        }
        c->exchanges += exchanged;
    }
}

/* ---- the formula ------------------------------------------------------------------------------
 */

/* The sum of terms for the largest block; `beside`: without the block's own points. */
static double sum_of(const chooser *c, const terms *t, const int64_t parts[3], bool beside)
{
    double sum = 0;
    for (size_t i = 0; i < t->count; i++) {
        double points = 1, own = 1;
        for (int d = 0; d < 3; d++) {
            double length = (double)(c->all[d].hi - c->all[d].lo);
            if (parts[d] > 1) length = ceil(length / (double)parts[d]);
            own *= length;
            if (parts[d] > 1) length += (double)(t->all[i].span[d].hi - t->all[i].span[d].lo);
            points *= length;
        }
        sum += t->all[i].weight * (points - (beside ? own : 0));
    }
    return sum;
}

static void consider(chooser *c, const int64_t parts[3], int64_t every)
{
    const machine_emulated *m = c->r->machine;
    for (int d = 0; d < 3; d++) c->g->cut[d] = parts[d] > 1;
    int64_t bytes = plan_blocks_bytes(c->g, parts);
    bool fits = !c->r->memory || bytes <= c->r->memory;
    if (!fits && c->seconds == INFINITY) c->bytes = smaller(c->bytes, bytes);
    if (!fits) return;
    double seconds = sum_of(c, &c->work, parts, false) / m->operations +
                     sum_of(c, &c->halo, parts, true) / m->exchange +
                     (double)c->exchanges * (m->barrier + m->latency);
    if (seconds > c->seconds || (seconds == c->seconds && bytes >= c->bytes)) return;
    c->seconds = seconds;
    c->bytes = bytes;
    for (int d = 0; d < 3; d++) c->best.parts[d] = parts[d];
    c->best.every = every;
}

/* The next number of blocks along a dimension whose largest block is smaller. */
static int64_t next_parts(const chooser *c, int d, int64_t parts)
{
    int64_t points = c->all[d].hi - c->all[d].lo, size = (points + parts - 1) / parts;
    return size > 1 ? (points + size - 2) / (size - 1) : INT64_MAX;
}

static void consider_all(chooser *c, int64_t every)
{
    int64_t most = c->r->siblings > 1 ? c->r->siblings : 1, parts[3], most_of[3];
    for (int d = 0; d < 3; d++)
        most_of[d] = !c->g->fixed[d] ? smaller(c->all[d].hi - c->all[d].lo, most) : 1;
    for (parts[2] = 1; parts[2] <= most_of[2]; parts[2] = next_parts(c, 2, parts[2]))
        for (parts[1] = 1; parts[1] <= smaller(most_of[1], most / parts[2]);
             parts[1] = next_parts(c, 1, parts[1]))
            for (parts[0] = 1; parts[0] <= smaller(most_of[0], most / parts[2] / parts[1]);
                 parts[0] = next_parts(c, 0, parts[0]))
                if (parts[0] * parts[1] * parts[2] > 1) consider(c, parts, every);
}

/* Why there are no blocks. */
static void say_none(const chooser *c, text *why)
{
    int64_t fixed[3];
    for (int d = 0; d < 3; d++) fixed[d] = c->g->fixed[d] != NULL;
    if (c->bytes < PLAN_FAR)
        plan_blocks_say_bytes(c->bytes, c->r->memory, why);
    else
        plan_group_say_fixed(c->g, fixed, 0, "the machine has one core, or the loops one point",
                             why);
}

bool plan_blocks_choose(plan_group *g, const plan_request *r, plan_request *out, text *why)
{
    chooser c = {.r = r, .g = g, .best = *r, .seconds = INFINITY, .bytes = PLAN_FAR};
    int64_t loops = g->part.end - g->part.first, most = r->every ? r->every : MOST_EVERY;
    for (int d = 0; d < 3; d++) c.all[d] = plan_blocks_points(g, d);
    for (int64_t every = r->every ? r->every : 1; every <= most; every *= 2) {
        find_terms(&c, every);
        consider_all(&c, every);
        if (every >= loops) break;
    }
    if (c.work.failed || c.halo.failed) why->failed = true;
    free(c.work.all);
    free(c.halo.all);
    for (int d = 0; d < 3; d++) g->cut[d] = c.best.parts[d] > 1;
    *out = c.best;
    bool found = c.seconds < INFINITY;
    if (!found) say_none(&c, why);
    return found;
}
