/* The time of a plan on an emulated machine. A walk notes what each sibling does: the transfers
 * that it starts and waits for, and what it computes. The machine's clock runs these notes where
 * the tiles of siblings end. So the order of a turn, and how many turns lie between a get and its
 * put, are those of the plan, not of a formula. */
#include "plan/walk.h"

#include <stdlib.h>
#include <string.h>

/* A transfer that nobody has waited for. */
typedef struct started {
    size_t operation;
    int tag;
    int64_t turn;
} started;

typedef struct recorder {
    const plan *p;
    const analysis_chain *a;
    const machine_emulated *m;
    plan_times *out;
    machine_program program;
    bool inside; /* of tiles of siblings */
    started *open;
    size_t open_count, open_room;
    int64_t last_turn;
    bool failed; /* memory was out */
} recorder;

static plan_timed *last_part(recorder *r) { return &r->out->parts[r->out->count - 1]; }

static bool add_part(recorder *r, plan_timed part)
{
    void *parts = r->out->parts;
    if (!vector_reserve(&parts, &r->out->room, r->out->count + 1, sizeof *r->out->parts)) {
        r->failed = true;
        return false;
    }
    r->out->parts = parts;
    r->out->parts[r->out->count++] = part;
    return true;
}

static bool add_operation(recorder *r, machine_operation o)
{
    void *all = r->program.operations;
    if (!vector_reserve(&all, &r->program.room, r->program.count + 1, sizeof o)) {
        r->failed = true;
        return false;
    }
    r->program.operations = all;
    o.awaited = SIZE_MAX;
    r->program.operations[r->program.count++] = o;
    return true;
}

/* ---- tiles of siblings ------------------------------------------------------------------------
 */

/* What the plan says about tiles: their sizes, loops, and the bytes of their buffers. */
static void describe(const recorder *r, const plan_node *tile, plan_timed *part)
{
    int first = (int)(tile - r->p->nodes);
    const plan_node *inner = NULL; /* a tile inside of a turn */
    for (int i = first; i < r->p->count; i++) {
        const plan_node *n = &r->p->nodes[i];
        if (n->leaf >= tile->leaf + tile->leaf_count) break;
        if (n->kind == PLAN_TILE && n->siblings) part->tile[n->dimension] = n->size;
        if (n->kind == PLAN_TILE && !n->siblings) inner = n;
        if (n->kind == PLAN_MOVE && n->tag && inner && n->leaf < inner->leaf + inner->leaf_count)
            part->columns = true;
        if (n->kind == PLAN_BUFFER) {
            part->bytes += plan_buffer_bytes(n, r->a->slots[n->slot]);
            part->slots = (int)larger(part->slots, larger(n->depth, 1));
        }
        if (n->kind != PLAN_LOOP) continue;
        if (!part->end) part->first = n->loop;
        part->first = (int)smaller(part->first, n->loop);
        part->end = (int)larger(part->end, n->loop + 1);
    }
}

static double field_bytes(const chain_slot *slot)
{
    grid_box all = chain_slot_memory(slot);
    return (double)grid_box_points(&all) * slot->components * (double)ir_storages[slot->type].bytes;
}

/* Bytes that come in at least: each field once. */
static double needed_in(const recorder *r, const plan_node *tile)
{
    double bytes = 0;
    for (int i = (int)(tile - r->p->nodes); i < r->p->count; i++) {
        const plan_node *n = &r->p->nodes[i];
        if (n->leaf >= tile->leaf + tile->leaf_count) break;
        if (n->kind == PLAN_MOVE && !n->out && n->tag) bytes += field_bytes(r->a->slots[n->slot]);
    }
    return bytes;
}

static bool begin_sibling(recorder *r, const plan_node *tile)
{
    plan_timed part = {.siblings = 0};
    if (!r->inside) {
        describe(r, tile, &part);
        part.needed = needed_in(r, tile);
        if (!add_part(r, part)) return false;
    }
    if (r->program.siblings == MACHINE_SIBLINGS) return false;
    r->inside = true;
    r->open_count = 0;
    r->last_turn = -1;
    r->program.first[r->program.siblings++] = r->program.count;
    return true;
}

static bool end_siblings(recorder *r)
{
    machine_program *p = &r->program;
    plan_timed *part = last_part(r);
    p->first[p->siblings] = p->count;
    part->siblings = p->siblings;
    if (!machine_clock(r->m, p, &part->time)) r->failed = true;
    part->time.seconds += r->m->launch + r->m->barrier;
    for (size_t i = 0; i < p->first[1] && i < PLAN_SHOWN; i++)
        part->shown[part->shown_count++] = p->operations[i];
    p->count = 0;
    p->siblings = 0;
    r->inside = false;
    return !r->failed;
}

static bool visit_tile(void *data, const plan_node *node, const int64_t at[3])
{
    recorder *r = data;
    (void)at;
    if (!node) return !r->inside || end_siblings(r);
    return !node->siblings || begin_sibling(r, node);
}

/* ---- transfers --------------------------------------------------------------------------------
 */

static bool note_started(recorder *r, const plan_copy *copy)
{
    void *open = r->open;
    if (!vector_reserve(&open, &r->open_room, r->open_count + 1, sizeof *r->open)) {
        r->failed = true;
        return false;
    }
    r->open = open;
    r->open[r->open_count++] = (started){r->program.count - 1, copy->tag, copy->turn};
    return true;
}

/* A copy between two places in a local memory is work of its core. */
static bool visit_copy(void *data, const plan_walk *walk, const plan_copy *copy)
{
    recorder *r = data;
    const chain_slot *slot = r->a->slots[copy->slot];
    double elements = (double)grid_box_points(&copy->box) * slot->components;
    double bytes = elements * (double)ir_storages[slot->type].bytes;
    bool in = !copy->from->buffer, out = !copy->to->buffer;
    machine_operation o = {.turn = copy->turn, .amount = bytes};
    (void)walk;
    if (!r->inside) return true;
    o.act = in ? MACHINE_GET : out ? MACHINE_PUT : MACHINE_COMPUTE;
    o.length = (double)((copy->box.hi[0] - copy->box.lo[0]) * ir_storages[slot->type].bytes);
    if (!in && !out) o.amount = elements / r->m->operations;
    if (in) last_part(r)->got += bytes;
    if (out) last_part(r)->put += bytes;
    return add_operation(r, o) && (!(in || out) || note_started(r, copy));
}

static bool visit_wait(void *data, int tag, int64_t turn)
{
    recorder *r = data;
    size_t left = 0, waits = 0;
    if (!r->inside) return true;
    for (size_t i = 0; i < r->open_count; i++) {
        bool awaited = r->open[i].tag == tag && r->open[i].turn == turn;
        if (awaited) r->program.operations[r->open[i].operation].awaited = r->program.count;
        waits += awaited;
        if (!awaited) r->open[left++] = r->open[i];
    }
    r->open_count = left;
    machine_operation o = {.act = MACHINE_AWAIT, .amount = (double)waits, .turn = turn};
    return !waits || add_operation(r, o);
}

/* ---- loops ------------------------------------------------------------------------------------
 */

static double operations_of(const chain_loop *loop, const grid_box *box)
{
    double points = (double)grid_box_points(box) / (loop->colors > 1 ? loop->colors : 1);
    return points * (double)ir_work(loop->kernel);
}

/* Bytes of a point: each component that is read, and each that is written. */
static double touched_bytes(const analysis_chain *a, const analysis_loop *l)
{
    double bytes = 0;
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        bool counted = t->scalar;
        for (int k = 0; k < i && !counted; k++)
            counted = l->touches[k].slot == t->slot && l->touches[k].writes == t->writes &&
                      l->touches[k].component == t->component;
        if (!counted) bytes += (double)ir_storages[a->slots[t->slot]->type].bytes;
    }
    return bytes;
}

/* A loop outside of tiles reads and writes the global memory, point by point. */
static bool add_direct(recorder *r, const plan_run *run)
{
    const analysis_loop *l = &r->a->loops[run->loop];
    plan_timed part = {.first = run->loop, .end = run->loop + 1, .direct = true};
    double bytes = (double)grid_box_points(&run->box) * touched_bytes(r->a, l);
    part.time.moving = bytes / r->m->direct;
    part.time.computing = operations_of(l->loop, &run->box) / r->m->operations / r->m->siblings;
    part.time.seconds =
        part.time.moving > part.time.computing ? part.time.moving : part.time.computing;
    part.time.seconds += r->m->launch + r->m->barrier;
    part.got = bytes;
    part.needed = bytes;
    return add_part(r, part);
}

static bool visit_run(void *data, const plan_walk *walk, const plan_run *run)
{
    recorder *r = data;
    const chain_loop *loop = r->a->loops[run->loop].loop;
    if (!r->inside) return add_direct(r, run);
    machine_operation o = {.act = MACHINE_COMPUTE, .turn = walk->turn};
    o.amount = operations_of(loop, &run->box) / r->m->operations;
    last_part(r)->turns += o.turn != r->last_turn;
    r->last_turn = o.turn;
    return add_operation(r, o);
}

/* ---- the whole --------------------------------------------------------------------------------
 */

bool plan_find_times(const plan *p, const analysis_chain *a, const machine_emulated *m,
                     plan_times *out)
{
    recorder *r = calloc(1, sizeof *r);
    plan_place *homes = calloc((size_t)a->slot_count + 1, sizeof *homes);
    bool done = r && homes;
    *out = (plan_times){.seconds = 0};
    if (done) {
        *r = (recorder){.p = p, .a = a, .m = m, .out = out};
        plan_visitor visitor = {.data = r,
                                .run = visit_run,
                                .copy = visit_copy,
                                .wait = visit_wait,
                                .tile = visit_tile};
        done = plan_walk_all(p, a, homes, &visitor);
        free(r->program.operations);
        free(r->open);
    }
    for (size_t i = 0; i < out->count; i++) out->seconds += out->parts[i].time.seconds;
    free(homes);
    free(r);
    return done;
}

void plan_times_free(plan_times *t)
{
    free(t->parts);
    *t = (plan_times){.seconds = 0};
}
