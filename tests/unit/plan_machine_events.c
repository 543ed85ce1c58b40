/* See plan_machine_events.h. Siblings share the rate of a memory: k transfers under way get a k-th
 * each. So there is a virtual time, which advances by 1 / k, in which a transfer takes as long as
 * it would alone, whatever happens meanwhile. */
#include "plan_machine_events.h"

#include "plan/walk.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

typedef enum what { MOVE, WORK, WAIT } what;

typedef struct item {
    what what;
    double takes; /* seconds, alone */
    int tag;
    int64_t turn;
    double known; /* of MOVE: when its end is known; INFINITY: not yet */
    double fresh; /* of MOVE: bytes that came in, and that cores have not passed on */
} item;

typedef struct core {
    item *items;
    int count, room;
    int next;        /* of the core */
    int mover;       /* of the engine */
    double ready;    /* of the core, in real time */
    double finishes; /* the transfer, in virtual time; INFINITY: the engine is idle */
} core;

typedef struct events {
    const analysis_chain *a;
    const machine_emulated *m;
    core *cores;
    int count, room;
    bool inside;
    int64_t group; /* cores of each sibling */
    double seconds;
    /* Blocks that stay: by block, when it is ready, and what it has from others or sends. */
    const plan_node *blocks, *before;
    int block_count, block;
    double *ready, *bytes[2], *crossing[2]; /* crossing: by chip */
    bool exchanging;
} events;

static void add_item(events *e, item x)
{
    core *c = &e->cores[e->count - 1];
    if (c->count == c->room) {
        c->room = 2 * c->room + 16;
        c->items = realloc(c->items, (size_t)c->room * sizeof *c->items);
        assert_non_null(c->items);
    }
    x.known = INFINITY;
    c->items[c->count++] = x;
}

/* ---- the simulation ---------------------------------------------------------------------------
 */

/* When all moves of a tag and turn that came before are known to have ended. */
static double known_at(const core *c, const item *wait)
{
    double known = 0;
    for (int i = 0; i < c->next; i++) {
        const item *x = &c->items[i];
        if (x->what == MOVE && x->tag == wait->tag && x->turn == wait->turn)
            known = fmax(known, x->known);
    }
    return known;
}

/* Lets a core go on as far as it can at this time. */
static void step(events *e, core *c, double now)
{
    while (c->next < c->count && c->ready <= now) {
        item *x = &c->items[c->next];
        double until = now;
        if (x->what == WAIT) until = fmax(now, known_at(c, x));
        if (until == INFINITY) return;
        if (x->what == MOVE) until = now + e->m->issue;
        if (x->what == WORK) until = now + x->takes;
        c->ready = until;
        c->next++;
    }
}

static void start(core *c, double virtual_now)
{
    while (c->finishes == INFINITY && c->mover < c->next) {
        if (c->items[c->mover].what == MOVE)
            c->finishes = virtual_now + c->items[c->mover].takes;
        else
            c->mover++;
    }
}

/* Rounding alone makes cores that are in step drift apart, which changes the time by a hundredth.
 * So transfers that end at about the same time end at once. */
static double run_cores(events *e)
{
    static const double TIE = 1e-9;
    double now = 0, virtual_now = 0;
    for (;;) {
        int busy = 0;
        double first = INFINITY, wake = INFINITY;
        for (int i = 0; i < e->count; i++) {
            step(e, &e->cores[i], now);
            start(&e->cores[i], virtual_now);
            busy += e->cores[i].finishes < INFINITY;
            first = fmin(first, e->cores[i].finishes);
            if (e->cores[i].ready > now) wake = fmin(wake, e->cores[i].ready);
        }
        double ends = busy ? now + (first - virtual_now) * busy : INFINITY;
        double next = fmin(ends, wake);
        if (next == INFINITY) return now;
        if (busy) virtual_now = ends <= wake ? first : virtual_now + (next - now) / busy;
        now = next;
        for (int i = 0; i < e->count && ends <= wake; i++) {
            core *c = &e->cores[i];
            if (c->finishes > first + TIE * fmax(first, 1e-6)) continue;
            c->items[c->mover++].known = now + e->m->latency;
            c->finishes = INFINITY;
        }
    }
}

/* ---- blocks that stay -------------------------------------------------------------------------
 */

/* All wait for the last one, and for the one that exchanges most. */
static void meet(events *e)
{
    double last = 0, most = 0;
    for (int b = 0; b < e->block_count; b++) {
        last = fmax(last, e->ready[b]);
        most = fmax(most, fmax(e->bytes[0][b], e->bytes[1][b]) / e->m->exchange);
        e->bytes[0][b] = e->bytes[1][b] = 0;
    }
    for (int chip = 0; chip < e->m->chips; chip++)
        for (int i = 0; i < 2; i++) {
            double crossed = e->crossing[i][chip];
            if (crossed > 0) most = fmax(most, e->m->far + crossed / e->m->between);
            e->crossing[i][chip] = 0;
        }
    if (e->exchanging) last += e->m->barrier + e->m->latency + most;
    for (int b = 0; b < e->block_count; b++) e->ready[b] = last;
    e->exchanging = false;
}

/* Chips have equally many cores. */
static void cross(events *e, int from, int to, double bytes)
{
    int64_t chip_from = from * e->m->chips / e->m->siblings;
    int64_t chip_to = to * e->m->chips / e->m->siblings;
    if (chip_from == chip_to) return;
    e->crossing[0][chip_to] += bytes;
    e->crossing[1][chip_from] += bytes;
}

static void leave_blocks(events *e)
{
    if (!e->blocks) return;
    meet(e);
    e->seconds += e->ready[0];
    free(e->ready);
    free(e->bytes[0]);
    free(e->bytes[1]);
    free(e->crossing[0]);
    free(e->crossing[1]);
    e->before = e->blocks;
    e->blocks = NULL;
}

static void enter_blocks(events *e, const plan_node *node)
{
    e->block++;
    if (e->blocks == node) return;
    leave_blocks(e);
    e->blocks = node;
    e->block = 0;
    e->block_count = node->parts[0] * node->parts[1] * node->parts[2];
    e->ready = calloc((size_t)e->block_count, sizeof *e->ready);
    for (int i = 0; i < 2; i++) e->bytes[i] = calloc((size_t)e->block_count, sizeof *e->ready);
    for (int i = 0; i < 2; i++) {
        e->crossing[i] = calloc((size_t)e->m->chips + 1, sizeof *e->ready);
        assert_non_null(e->crossing[i]);
    }
    assert_true(e->ready && e->bytes[0] && e->bytes[1]);
    for (int b = 0; b < e->block_count; b++) e->ready[b] = e->m->launch;
}

static bool has_other_cuts(const plan_node *a, const plan_node *b)
{
    for (int d = 0; d < 3; d++) {
        if (a->parts[d] != b->parts[d]) return true;
        for (int i = 0; i <= a->parts[d]; i++)
            if (a->cuts[d][i] != b->cuts[d][i]) return true;
    }
    return false;
}

static bool exchange(events *e, const plan_copy *copy, double bytes)
{
    bool inside = copy->from->buffer && copy->to->buffer;
    bool dealt_anew = !copy->from->buffer && e->before && has_other_cuts(e->before, e->blocks);
    if (inside || dealt_anew) e->exchanging = true;
    if (inside || dealt_anew) e->bytes[0][copy->to->block] += bytes;
    if (inside) e->bytes[1][copy->from->block] += bytes;
    if (inside) cross(e, copy->from->block, copy->to->block, bytes);
    return true;
}

static bool visit_scalar(void *data, int loop)
{
    events *e = data;
    if (!e->blocks || !e->a->loops[loop].reduces) return true;
    for (int back = 0; back < 2; back++) {
        e->exchanging = true;
        e->bytes[back][0] += 8 * (e->block_count - 1);
        for (int b = 1; b < e->block_count; b++) e->bytes[!back][b] += 8;
        for (int b = 1; b < e->block_count; b++) cross(e, back ? 0 : b, back ? b : 0, 8);
        meet(e);
    }
    return true;
}

/* ---- the visitor ------------------------------------------------------------------------------
 */

static void find_group(events *e, const plan_walk *walk)
{
    for (int i = 0; i < walk->frame_count; i++)
        if (walk->frames[i].node->group > 1) e->group = walk->frames[i].node->group;
}

/* What of a dimension's points the core of a group with most has, of all. */
static double part_of(const events *e, const plan_walk *walk, const grid_box *box)
{
    const plan_node *shared = NULL;
    for (int i = 0; i < walk->frame_count; i++)
        if (walk->frames[i].node->group > 1) shared = walk->frames[i].node;
    if (!shared) return 1;
    int64_t all = box->hi[shared->dimension] - box->lo[shared->dimension];
    int64_t around = all > shared->size ? all - shared->size : 0, most = 0;
    while (most * e->group < all - around) most++;
    return (double)(most + around) / (double)all;
}

/* Each core has a part of what has come in, and sends all of it to the others but its own. */
static void pass_on(events *e, int tag, int64_t turn)
{
    core *c = &e->cores[e->count - 1];
    double bytes = 0, cores = (double)e->group;
    for (int i = 0; i < c->count; i++) {
        item *x = &c->items[i];
        if (x->what != MOVE || x->tag != tag || x->turn != turn) continue;
        bytes += x->fresh;
        x->fresh = 0;
    }
    if (bytes > 0 && cores > 1)
        add_item(
            e, (item){.what = WORK, .takes = (bytes / cores - bytes / cores / cores) / e->m->pass});
}

static bool visit_tile(void *data, const plan_node *node, const int64_t at[3])
{
    events *e = data;
    (void)at;
    if (e->m->local && node && node->kind == PLAN_BLOCKS) enter_blocks(e, node);
    if (e->m->local && !node) e->block = -1;
    if (node && !node->siblings) return true;
    if (node) {
        if (e->count == e->room) {
            e->room = 2 * e->room + 4;
            e->cores = realloc(e->cores, (size_t)e->room * sizeof *e->cores);
            assert_non_null(e->cores);
        }
        e->cores[e->count++] = (core){.finishes = INFINITY};
        e->inside = true;
        e->group = 1;
        return true;
    }
    if (!e->inside) return true;
    e->seconds += run_cores(e) + e->m->launch + e->m->barrier;
    while (e->count) free(e->cores[--e->count].items);
    e->inside = false;
    return true;
}

static bool visit_copy(void *data, const plan_walk *walk, const plan_copy *copy)
{
    events *e = data;
    const chain_slot *slot = e->a->slots[copy->slot];
    int64_t size = ir_storages[slot->type].bytes;
    double elements = (double)grid_box_points(&copy->box) * slot->components;
    double row = (double)((copy->box.hi[0] - copy->box.lo[0]) * size);
    item x = {.what = MOVE, .tag = copy->tag, .turn = copy->turn};
    if (e->m->local) return !e->blocks || exchange(e, copy, elements * (double)size);
    if (!e->inside) return true;
    x.takes = elements * (double)size / machine_rate_at(&e->m->get, row);
    if (!copy->from->buffer) x.fresh = elements * (double)size;
    find_group(e, walk);
    elements *= part_of(e, walk, &copy->box);
    if (copy->from->buffer && copy->to->buffer)
        x = (item){.what = WORK, .takes = elements / e->m->operations};
    add_item(e, x);
    return true;
}

static bool visit_wait(void *data, int tag, int64_t turn)
{
    events *e = data;
    if (e->inside) add_item(e, (item){.what = WAIT, .tag = tag, .turn = turn});
    if (e->inside) pass_on(e, tag, turn);
    return true;
}

static bool visit_run(void *data, const plan_walk *walk, const plan_run *run)
{
    events *e = data;
    const chain_loop *loop = e->a->loops[run->loop].loop;
    double work = (double)grid_box_points(&run->box) * (double)ir_work(loop->kernel);
    if (loop->colors > 1) work /= loop->colors;
    if (e->blocks && e->block < 0) leave_blocks(e);
    if (e->blocks && e->exchanging) meet(e);
    if (e->blocks) e->ready[e->block] += work / e->m->operations;
    find_group(e, walk);
    work *= part_of(e, walk, &run->box);
    if (e->inside) add_item(e, (item){.what = WORK, .takes = work / e->m->operations});
    return true;
}

double plan_machine_seconds(const plan *p, const analysis_chain *a, const machine_emulated *m)
{
    events e = {.a = a, .m = m};
    plan_visitor visitor = {.data = &e,
                            .run = visit_run,
                            .copy = visit_copy,
                            .wait = visit_wait,
                            .tile = visit_tile,
                            .scalar = visit_scalar};
    plan_place *homes = calloc((size_t)a->slot_count + 1, sizeof *homes);
    assert_non_null(homes);
    assert_true(plan_walk_all(p, a, homes, &visitor));
    leave_blocks(&e);
    free(homes);
    free(e.cores);
    return e.seconds;
}
