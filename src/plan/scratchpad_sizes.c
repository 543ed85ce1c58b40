/* Sizes of blocks, and how many slots buffers have, for a machine. All sizes are candidates that
 * fit a local memory: powers of two, or those that deal a dimension out evenly. Where they have few
 * turns in all, the machine's clock runs each of them. Otherwise a formula ranks them by what they
 * move and compute, and the clock decides between the best. */
#include "plan/candidates.h"
#include "plan/scratchpad.h"

#include <math.h>

enum {
    MOST_SIZES = 64,     /* along a dimension */
    FEW_POINTS = 16,     /* of a dimension, of which all sizes are tried */
    MOST_TRIED = 100000, /* turns of all candidates, where the clock runs each */
    MOST_TURNS = 30000   /* of all siblings and finalists, for the clock */
};

typedef struct chooser {
    const scratchpad_section *s;
    plan *p;
    plan_span range[3]; /* of the points that tiles have: of loops, and of fields that are moved */
    int64_t growth[3];  /* of the points that are computed */
    double operations;  /* of a point, of all loops */
    int sizes[3];
    int64_t size[3][MOST_SIZES];
    plan_candidates found;
    bool counts, tries; /* candidates are counted; the clock runs each */
    double tried;       /* turns of all candidates */
} chooser;

/* What was chosen for a section before. */
struct scratchpad_choice {
    struct scratchpad_choice *next;
    uint64_t key;
    plan_request r;
};

/* ---- what a section has -----------------------------------------------------------------------
 */

static void widen(chooser *c, const grid_box *box)
{
    if (grid_box_is_empty(box)) return;
    for (int d = 0; d < 3; d++) analysis_widen(&c->range[d], box->lo[d], box->hi[d]);
}

static void measure_loop(chooser *c, int l)
{
    const chain_loop *loop = c->s->part->a->loops[l].loop;
    const plan_span *extent = c->s->g->extents[l - c->s->g->part.first];
    if (loop->once || grid_box_is_empty(&loop->box)) return;
    widen(c, &loop->box);
    c->operations += (double)ir_work(loop->kernel) / (loop->colors > 1 ? loop->colors : 1);
    for (int d = 0; d < 3; d++) c->growth[d] = larger(c->growth[d], extent[d].hi - extent[d].lo);
}

static void measure(chooser *c)
{
    const plan_group *g = c->s->g;
    const chain_loop *first = c->s->part->a->loops[c->s->part->first].loop;
    for (int d = 0; d < 3; d++) c->range[d] = (plan_span){0, 1};
    for (int d = 0; d < 3 && c->s->has_box; d++)
        c->range[d] = (plan_span){first->box.lo[d], first->box.hi[d]};
    for (int l = c->s->part->first; l < c->s->part->end; l++) measure_loop(c, l);
    for (int slot = 0; slot < g->part.a->slot_count; slot++) {
        grid_box moved = plan_scratchpad_moved(c->s, slot);
        if (g->fields[slot].out) widen(c, &moved);
        if (g->fields[slot].in && !c->s->has_box) widen(c, &moved);
    }
    for (int d = 0; d < 3; d++)
        if (g->period[d]) c->range[d] = (plan_span){0, g->period[d]};
}

static double extent_of(const chooser *c, int d)
{
    return (double)(c->range[d].hi - c->range[d].lo);
}

/* Tiles begin at multiples of their size. */
static double tiles_of(const chooser *c, const plan_request *r, int d)
{
    plan_span range = c->range[d];
    if (!r->tile[d]) return 1;
    return (double)(floor_divide(range.hi - 1, r->tile[d]) - floor_divide(range.lo, r->tile[d]) +
                    1);
}

/* What makes sections equal here. Which field is which does not matter: loops take turns in two. */
static uint64_t key_of(const chooser *c)
{
    const plan_group *g = c->s->g;
    uint64_t key = hash_bytes(c->range, sizeof c->range, c->s->has_pair);
    key = hash_bytes(c->growth, sizeof c->growth, key);
    key = hash_bytes(&c->operations, sizeof c->operations, key);
    uint64_t fields = 0;
    for (int slot = 0; slot < g->part.a->slot_count; slot++) {
        const plan_treatment *f = &g->fields[slot];
        const chain_slot *of = g->part.a->slots[slot];
        grid_box memory = chain_slot_memory(of);
        const int64_t numbers[] = {f->in, f->out, of->components, ir_storages[of->type].bytes};
        if (!f->buffered) continue;
        uint64_t field = hash_bytes(numbers, sizeof numbers, 0);
        field = hash_bytes(&memory, sizeof memory, field);
        field = hash_bytes(g->needs[slot], sizeof g->needs[slot], field);
        fields += hash_bytes(f->margin, sizeof f->margin, field);
    }
    return hash_bytes(&fields, sizeof fields, key);
}

static void list_size(chooser *c, int d, int64_t size)
{
    if (c->sizes[d] < MOST_SIZES) c->size[d][c->sizes[d]++] = size;
}

/* The sizes that deal a dimension out to 1, 2, 3, ... tiles, none, or powers of two. */
static void list_sizes(chooser *c, int d)
{
    const machine_emulated *m = c->s->r->machine;
    int64_t extent = c->range[d].hi - smaller(c->range[d].lo, 0), last = 0;
    if (!c->s->g->cut[d] || !m->powers) list_size(c, d, 0);
    if (!c->s->g->cut[d]) return;
    bool all = !m->powers && extent <= FEW_POINTS;
    for (int64_t size = extent; all && size > 0; size--) list_size(c, d, size);
    for (int64_t tiles = 1; !all && !m->powers && tiles <= extent && c->sizes[d] < MOST_SIZES;) {
        int64_t size = (extent + tiles - 1) / tiles;
        if (size != last) list_size(c, d, last = size);
        tiles = c->sizes[d] < MOST_SIZES / 2 ? tiles + 1 : tiles * 5 / 4 + 1;
    }
    for (int64_t size = 1; m->powers && size < 2 * extent; size *= 2) list_size(c, d, size);
}

/* ---- the formula ------------------------------------------------------------------------------
 */

/* Points that come in over a dimension, for tiles of a size: each tile has a halo, which ends at
 * sides that are not periodic. */
static double with_halo(const chooser *c, const plan_request *r, int d, int64_t halo)
{
    double tiles = tiles_of(c, r, d), seams = c->s->g->period[d] ? tiles : tiles - 1;
    return extent_of(c, d) + (r->tile[d] ? seams * (double)halo : 0);
}

/* Seconds that all transfers in one direction take, at the rate of all siblings; adds to their
 * bytes. */
static double moving(const chooser *c, const plan_request *r, bool out, double *moved)
{
    const plan_group *g = c->s->g;
    double seconds = 0;
    for (int slot = 0; slot < g->part.a->slot_count; slot++) {
        const chain_slot *of = g->part.a->slots[slot];
        double bytes = of->components * (double)ir_storages[of->type].bytes, length;
        const plan_span *need = g->needs[slot];
        if (out ? !g->fields[slot].out : !g->fields[slot].in) continue;
        for (int d = 0; d < 3; d++) bytes *= with_halo(c, r, d, out ? 0 : need[d].hi - need[d].lo);
        length = r->tile[0] ? (double)(r->tile[0] + (out ? 0 : need[0].hi - need[0].lo))
                            : extent_of(c, 0);
        length *= (double)ir_storages[of->type].bytes;
        *moved += bytes;
        seconds += bytes / machine_rate_at(&r->machine->both, length);
    }
    return seconds;
}

static double turns_of(const chooser *c, const plan_request *r)
{
    double turns = 1;
    for (int d = 0; d < 3; d++) turns *= tiles_of(c, r, d);
    return turns;
}

/* Planes that a turn goes through; 1 where it is a block. */
static double planes_of(const chooser *c, const plan_request *r)
{
    int along = c->s->along;
    if (!r->columns) return 1;
    return r->tile[along] ? (double)r->tile[along] : extent_of(c, along);
}

/* The first turn, or plane, of a sibling, and what the others take in addition. All siblings share
 * the rate of transfers, so these take as long however many turns a sibling has. */
static double estimate(const chooser *c, const plan_request *r)
{
    const machine_emulated *m = r->machine;
    double turns = turns_of(c, r), planes = planes_of(c, r), points = 1, got = 0, gone = 0;
    double group = (double)larger(r->group, 1), siblings = m->siblings / group;
    double each = ceil(turns / siblings) * planes, later = each - 1;
    double get = moving(c, r, false, &got), put = moving(c, r, true, &gone);
    for (int d = 0; d < 3; d++) points *= with_halo(c, r, d, c->growth[d]);
    double compute = points * c->operations / m->operations / turns / planes / group;
    double share = fmin(turns, siblings) / turns / planes;
    if (group > 1) compute += got / turns / planes / group * (1 - 1 / group) / m->pass;
    double first = (get + put) * share + compute + 2 * m->latency;
    bool hidden = r->columns ? r->slots > 2 : r->slots - plan_scratchpad_ahead(r) > 1 || r->last;
    get *= 1 - share;
    put *= 1 - share;
    if (r->slots < 2) return first + get + put + later * (compute + 2 * m->latency);
    if (hidden) return first + fmax(get + put, later * compute);
    return first + put + later * m->latency + fmax(get, later * compute);
}

/* ---- the clock --------------------------------------------------------------------------------
 */

static double simulate(const chooser *c, const plan_request *r)
{
    plan alone = {0};
    plan_times times = {0};
    scratchpad_section s = *c->s;
    s.r = r;
    int root = plan_add(&alone, 0, (plan_node){.kind = PLAN_SEQ});
    if (root) plan_scratchpad_add(&s, &alone, root);
    bool done = !alone.failed && plan_find_times(&alone, s.part->a, r->machine, NULL, &times);
    double seconds = times.seconds;
    if (!done) c->p->failed = true;
    plan_times_free(&times);
    plan_free(&alone);
    return seconds;
}

/* Turns, or planes, of all siblings. */
static double steps_of(const chooser *c, const plan_request *r)
{
    return turns_of(c, r) * planes_of(c, r);
}

/* ---- candidates -------------------------------------------------------------------------------
 */

static void consider(chooser *c, const plan_request *r)
{
    scratchpad_section s = *c->s;
    s.r = r;
    plan_candidate x = {.r = *r, .bytes = plan_scratchpad_bytes(&s)};
    if ((r->memory && x.bytes > r->memory) || !plan_scratchpad_groups(&s)) return;
    c->tried += steps_of(c, r);
    if (c->counts) return;
    x.seconds = c->tries ? simulate(c, r) : estimate(c, r);
    plan_candidates_add(&c->found, PLAN_CANDIDATES, &x);
}

/* All sizes for a number of slots, in place or not, in columns or blocks. */
static void consider_sizes(chooser *c, plan_request r)
{
    const int64_t *given = c->s->r->tile;
    bool fixed = given[0] || given[1] || given[2];
    for (int z = 0; z < c->sizes[2]; z++)
        for (int y = 0; y < c->sizes[1]; y++)
            for (int x = 0; x < c->sizes[0]; x++) {
                int at[3] = {x, y, z};
                for (int d = 0; d < 3 && !fixed; d++) r.tile[d] = c->size[d][at[d]];
                if (!fixed && r.group > 1) r.tile[0] = round_up(r.tile[0], r.group);
                if (r.tile[0] || r.tile[1] || r.tile[2]) consider(c, &r);
                if (fixed) return;
            }
}

/* All groups: powers of two, as many cores as there are at most. */
static void consider_groups(chooser *c, plan_request r)
{
    const plan_request *given = c->s->r;
    bool sized = given->tile[0] || given->tile[1] || given->tile[2];
    int64_t most = smaller(larger(r.machine->group, 1), larger(r.siblings, 1));
    if (sized || given->group || !c->s->g->cut[0])
        consider_sizes(c, r);
    else
        for (r.group = 1; r.group <= most; r.group *= 2) consider_sizes(c, r);
}

/* What is given stays; blocks of given sizes are no columns, and nobody shares them, unless that is
 * said. */
static void consider_all(chooser *c)
{
    plan_request r = *c->s->r;
    bool sized = r.tile[0] || r.tile[1] || r.tile[2];
    int64_t fewest = r.slots ? r.slots : 1, most = r.slots ? r.slots : r.machine->slots;
    int64_t in_place = r.in_place, last_in_place = larger(in_place, c->s->has_pair);
    int64_t columns = r.columns, last_columns = columns;
    if (!sized && !r.machine->powers && c->s->along >= 0) last_columns = 1;
    for (r.slots = fewest; r.slots <= most; r.slots++)
        for (r.columns = columns; r.columns <= last_columns; r.columns++)
            for (r.in_place = in_place; r.in_place <= (r.columns ? in_place : last_in_place);
                 r.in_place++)
                consider_groups(c, r);
}

/* Runs the clock for the best of the formula, as long as they have few turns together. Where the
 * best alone has too many, the formula decides. */
static void run_clock(chooser *c)
{
    double steps = 0;
    int timed = 0;
    while (timed < c->found.count && (steps += steps_of(c, &c->found.best[timed].r)) <= MOST_TURNS)
        timed++;
    if (timed) c->found.count = timed;
    for (int i = 0; i < timed; i++) c->found.best[i].seconds = simulate(c, &c->found.best[i].r);
}

/* Of candidates that are about as fast as the fastest one, takes the one that needs the least
 * memory. */
static const plan_candidate *take_best(const chooser *c)
{
    static const double ABOUT = 1.01;
    const plan_candidate *taken = NULL;
    double least = INFINITY;
    for (int i = 0; i < c->found.count; i++) least = fmin(least, c->found.best[i].seconds);
    for (int i = 0; i < c->found.count; i++) {
        const plan_candidate *x = &c->found.best[i];
        if (x->seconds > ABOUT * least) continue;
        if (!taken || x->bytes < taken->bytes ||
            (x->bytes == taken->bytes && x->seconds < taken->seconds))
            taken = x;
    }
    return taken;
}

plan_request plan_scratchpad_sizes(const scratchpad_section *s, plan *p)
{
    chooser c = {.s = s, .p = p};
    plan_request none = *s->r;
    if (s->r->columns && s->along < 0) return none;
    measure(&c);
    uint64_t key = key_of(&c);
    for (const struct scratchpad_choice *known = s->g->choices; known; known = known->next)
        if (known->key == key) return known->r;
    for (int d = 0; d < 3; d++) list_sizes(&c, d);
    if (plan_overlapped_hazard(s->g, s->part) < 0) {
        c.counts = true;
        consider_all(&c);
        c.counts = false;
        c.tries = c.tried <= MOST_TRIED;
        consider_all(&c);
    }
    if (!c.tries) run_clock(&c);
    const plan_candidate *taken = take_best(&c);
    struct scratchpad_choice *choice = arena_array(&s->g->memory, 1, sizeof *choice);
    if (!choice) p->failed = true;
    if (!choice) return none;
    *choice = (struct scratchpad_choice){s->g->choices, key, taken ? taken->r : none};
    s->g->choices = choice;
    return choice->r;
}
