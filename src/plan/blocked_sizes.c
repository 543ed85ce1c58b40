/* How many blocks, and how often they exchange, on a machine whose fields stay in the memories of
 * its cores, a block in each. The memory of a core limits them. All numbers of blocks are tried,
 * and all intervals between exchanges up to 16; where they have few blocks in all, the machine's
 * clock runs each. Otherwise a formula ranks those that make the largest block smaller: what that
 * block computes, what it has from its neighbours, and the meetings. It takes loops that run on a
 * part of the grid for whole ones, so the clock decides between the best. The clock also sees what
 * comes in where other loops had other blocks before. */
#include "plan/candidates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_EVERY = 16,
    FINALISTS = 24,
    MOST_TRIED = 100000, /* runs of loops on blocks, of all candidates, where the clock runs each */
    MOST_RUNS = 40000    /* the same of all finalists, for the clock */
};

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
    plan_candidates found;
    int64_t least;      /* bytes of the smallest blocks */
    bool counts, tries; /* candidates are counted; the clock runs each */
    double tried;       /* runs of loops on blocks, of all candidates */
    bool failed;        /* memory was out */
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

static double estimate(const chooser *c, const int64_t parts[3])
{
    const machine_emulated *m = c->r->machine;
    return sum_of(c, &c->work, parts, false) / m->operations +
           sum_of(c, &c->halo, parts, true) / m->exchange +
           (double)c->exchanges * (m->barrier + m->latency);
}

/* ---- the clock --------------------------------------------------------------------------------
 */

/* Takes what a candidate says for the group. */
static void take(chooser *c, const plan_request *r)
{
    for (int d = 0; d < 3; d++) c->g->cut[d] = r->parts[d] > 1;
    c->g->sized = *r;
}

static double runs_of(const chooser *c, const plan_request *r)
{
    double loops = c->g->part.end - c->g->part.first;
    return (double)(r->parts[0] * r->parts[1] * r->parts[2]) * loops;
}

/* The last blocks that a plan has so far; NULL: none. */
static const plan_node *blocks_before(const plan *p)
{
    int last = p->count - 1;
    while (last > 0 && p->nodes[last].kind != PLAN_BLOCKS) last--;
    return last > 0 ? &p->nodes[last] : NULL;
}

static double simulate(chooser *c, const plan_request *r)
{
    plan alone = {0};
    plan_times times = {0};
    take(c, r);
    int root = plan_add(&alone, 0, (plan_node){.kind = PLAN_SEQ});
    if (root) plan_blocks_make(c->g, &alone, root);
    bool done = !alone.failed &&
                plan_find_times(&alone, c->g->part.a, r->machine, blocks_before(c->g->p), &times);
    double seconds = times.seconds;
    if (!done) c->failed = true;
    plan_times_free(&times);
    plan_free(&alone);
    return seconds;
}

/* Runs the clock for the best of the formula, as long as they have few runs together. Where the
 * best alone has too many, the formula decides. */
static void run_clock(chooser *c)
{
    double runs = 0;
    int best = 0;
    for (int i = 0; i < c->found.count; i++) {
        plan_candidate *x = &c->found.best[i];
        if ((runs += runs_of(c, &x->r)) > MOST_RUNS) break;
        x->seconds = simulate(c, &x->r);
        if (plan_candidate_is_better(x, &c->found.best[best])) best = i;
    }
    c->found.best[0] = c->found.best[best];
}

/* ---- candidates -------------------------------------------------------------------------------
 */

static void consider(chooser *c, const int64_t parts[3], int64_t every)
{
    plan_candidate x = {.r = *c->r};
    for (int d = 0; d < 3; d++) x.r.parts[d] = parts[d];
    x.r.every = every;
    take(c, &x.r);
    x.bytes = plan_blocks_bytes(c->g, parts);
    c->least = smaller(c->least, x.bytes);
    if (c->r->memory && x.bytes > c->r->memory) return;
    c->tried += runs_of(c, &x.r);
    if (c->counts) return;
    x.seconds = c->tries ? simulate(c, &x.r) : estimate(c, parts);
    plan_candidates_add(&c->found, FINALISTS, &x);
}

/* The next number of blocks along a dimension. For the formula: of those whose largest blocks are
 * alike, the first and the last. */
static int64_t next_parts(const chooser *c, int d, int64_t parts)
{
    if (c->counts || c->tries) return parts + 1;
    int64_t points = c->all[d].hi - c->all[d].lo, size = (points + parts - 1) / parts;
    int64_t smaller_ones = size > 1 ? (points + size - 2) / (size - 1) : INT64_MAX;
    return size > 1 && parts < smaller_ones - 1 ? smaller_ones - 1 : smaller_ones;
}

/* Whether they are counted only, and are too many. */
static bool is_counted(const chooser *c) { return c->counts && c->tried > MOST_TRIED; }

static void consider_parts(chooser *c, int64_t every)
{
    int64_t most = c->r->siblings > 1 ? c->r->siblings : 1, parts[3], most_of[3];
    for (int d = 0; d < 3; d++)
        most_of[d] = !c->g->fixed[d] ? smaller(c->all[d].hi - c->all[d].lo, most) : 1;
    for (parts[2] = 1; parts[2] <= most_of[2]; parts[2] = next_parts(c, 2, parts[2]))
        for (parts[1] = 1; parts[1] <= smaller(most_of[1], most / parts[2]);
             parts[1] = next_parts(c, 1, parts[1]))
            for (parts[0] = 1; parts[0] <= smaller(most_of[0], most / parts[2] / parts[1]);
                 parts[0] = next_parts(c, 0, parts[0]))
                if (parts[0] * parts[1] * parts[2] > 1 && !is_counted(c)) consider(c, parts, every);
}

static void consider_all(chooser *c)
{
    int64_t loops = c->g->part.end - c->g->part.first, most = c->r->every;
    if (!most) most = smaller(loops, MOST_EVERY);
    for (int64_t every = c->r->every ? c->r->every : 1; every <= most && !is_counted(c); every++) {
        find_terms(c, every);
        consider_parts(c, every);
    }
}

/* Why there are no blocks. */
static void say_none(const chooser *c, text *why)
{
    int64_t fixed[3];
    for (int d = 0; d < 3; d++) fixed[d] = c->g->fixed[d] != NULL;
    if (c->least < PLAN_FAR)
        plan_blocks_say_bytes(c->least, c->r->memory, why);
    else
        plan_group_say_fixed(c->g, fixed, 0, "the machine has one core, or the loops one point",
                             why);
}

bool plan_blocks_choose(plan_group *g, const plan_request *r, text *why)
{
    chooser c = {.r = r, .g = g, .least = PLAN_FAR, .counts = true};
    for (int d = 0; d < 3; d++) c.all[d] = plan_blocks_points(g, d);
    consider_all(&c);
    c.counts = false;
    c.tries = c.tried <= MOST_TRIED;
    consider_all(&c);
    if (!c.tries) run_clock(&c);
    if (c.work.failed || c.halo.failed || c.failed) why->failed = true;
    free(c.work.all);
    free(c.halo.all);
    if (!c.found.count) say_none(&c, why);
    if (c.found.count) take(&c, &c.found.best[0].r);
    return c.found.count > 0;
}
