/* The time of a plan on an emulated machine. A walk notes what each sibling does: the transfers
 * that it starts and waits for, and what it computes. The machine's clock runs these notes where
 * the tiles of siblings end. So the order of a turn, and how many turns lie between a get and its
 * put, are those of the plan, not of a formula. */
#include "plan/emulated.h"

#include <stdlib.h>
#include <string.h>

static bool add_operation(emulated_recorder *r, machine_operation o)
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

static double field_bytes(const chain_slot *slot)
{
    grid_box all = chain_slot_memory(slot);
    return (double)grid_box_points(&all) * slot->components * (double)ir_storages[slot->type].bytes;
}

/* Bytes of what a move moves of a field. */
static double moved_bytes(const chain_slot *slot, const plan_node *move)
{
    grid_box all = chain_slot_memory(slot);
    double bytes = field_bytes(slot);
    for (int d = 0; d < 3; d++)
        if (move->only[d].lo < move->only[d].hi)
            bytes *=
                (double)(move->only[d].hi - move->only[d].lo) / (double)(all.hi[d] - all.lo[d]);
    return bytes;
}

/* Bytes that come in at least: each field once. */
static double needed_in(const emulated_recorder *r, const plan_node *tile)
{
    double bytes = 0;
    for (int i = (int)(tile - r->p->nodes); i < r->p->count; i++) {
        const plan_node *n = &r->p->nodes[i];
        if (n->leaf >= tile->leaf + tile->leaf_count) break;
        if (n->kind == PLAN_MOVE && !n->out && n->tag)
            bytes += moved_bytes(r->a->slots[n->slot], n);
    }
    return bytes;
}

static bool begin_sibling(emulated_recorder *r, const plan_node *tile)
{
    plan_timed part = {.siblings = 0};
    if (!r->inside) {
        emulated_describe(r, tile, &part);
        part.needed = needed_in(r, tile);
        if (!emulated_add_part(r, part)) return false;
    }
    if (r->program.siblings == MACHINE_SIBLINGS) return false;
    r->inside = true;
    r->open_count = 0;
    r->last_turn = -1;
    r->program.first[r->program.siblings++] = r->program.count;
    return true;
}

static bool end_siblings(emulated_recorder *r)
{
    machine_program *p = &r->program;
    plan_timed *part = emulated_part(r);
    p->first[p->siblings] = p->count;
    p->cores = (int)larger(part->group, 1);
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
    emulated_recorder *r = data;
    (void)at;
    if (!node) return !r->inside || end_siblings(r);
    return !node->siblings || begin_sibling(r, node);
}

/* ---- transfers --------------------------------------------------------------------------------
 */

static bool note_started(emulated_recorder *r, const plan_copy *copy)
{
    void *open = r->open;
    if (!vector_reserve(&open, &r->open_room, r->open_count + 1, sizeof *r->open)) {
        r->failed = true;
        return false;
    }
    r->open = open;
    r->open[r->open_count++] = (emulated_started){r->program.count - 1, copy->tag, copy->turn};
    return true;
}

/* A copy between two places in a local memory is work of its core. */
static bool visit_copy(void *data, const plan_walk *walk, const plan_copy *copy)
{
    emulated_recorder *r = data;
    const chain_slot *slot = r->a->slots[copy->slot];
    double elements = (double)grid_box_points(&copy->box) * slot->components;
    double bytes = elements * (double)ir_storages[slot->type].bytes;
    bool in = !copy->from->buffer, out = !copy->to->buffer;
    machine_operation o = {.turn = copy->turn, .amount = bytes};
    if (walk->blocks && r->m->local) return emulated_exchange(r, walk, copy, bytes);
    if (!r->inside) return true;
    o.act = in ? MACHINE_GET : out ? MACHINE_PUT : MACHINE_COMPUTE;
    o.length = (double)((copy->box.hi[0] - copy->box.lo[0]) * ir_storages[slot->type].bytes);
    if (!in && !out) o.amount = elements * emulated_share(walk, &copy->box) / r->m->operations;
    if (in) emulated_part(r)->got += bytes;
    if (out) emulated_part(r)->put += bytes;
    return add_operation(r, o) && (!(in || out) || note_started(r, copy));
}

/* Each core of a group has loaded an equal part of what came in. It keeps as much of that as is its
 * own, and passes the rest on. */
static bool add_passing(emulated_recorder *r, double bytes, int64_t turn)
{
    double group = emulated_part(r)->group;
    if (group <= 1 || !bytes) return true;
    double passed = bytes / group * (1 - 1 / group);
    return add_operation(
        r,
        (machine_operation){.act = MACHINE_COMPUTE, .amount = passed / r->m->pass, .turn = turn});
}

static bool visit_wait(void *data, int tag, int64_t turn)
{
    emulated_recorder *r = data;
    size_t left = 0, waits = 0;
    double got = 0;
    if (!r->inside) return true;
    for (size_t i = 0; i < r->open_count; i++) {
        bool awaited = r->open[i].tag == tag && r->open[i].turn == turn;
        machine_operation *o = &r->program.operations[r->open[i].operation];
        if (awaited) o->awaited = r->program.count;
        if (awaited && o->act == MACHINE_GET) got += o->amount;
        waits += awaited;
        if (!awaited) r->open[left++] = r->open[i];
    }
    r->open_count = left;
    machine_operation o = {.act = MACHINE_AWAIT, .amount = (double)waits, .turn = turn};
    return !waits || (add_operation(r, o) && add_passing(r, got, turn));
}

/* ---- loops ------------------------------------------------------------------------------------
 */

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
static bool add_direct(emulated_recorder *r, const plan_run *run)
{
    const analysis_loop *l = &r->a->loops[run->loop];
    plan_timed part = {.first = run->loop, .end = run->loop + 1, .direct = true};
    double bytes = (double)grid_box_points(&run->box) * touched_bytes(r->a, l);
    part.time.moving = bytes / r->m->direct;
    part.time.computing =
        emulated_operations(l->loop, &run->box) / r->m->operations / r->m->siblings;
    part.time.seconds =
        part.time.moving > part.time.computing ? part.time.moving : part.time.computing;
    part.time.seconds += r->m->launch + r->m->barrier;
    part.got = bytes;
    part.needed = bytes;
    return emulated_add_part(r, part);
}

/* Where there is no global memory, one core has a loop's fields, computes, and gives them back. */
static bool add_alone(emulated_recorder *r, const plan_run *run)
{
    const analysis_loop *l = &r->a->loops[run->loop];
    plan_timed part = {.first = run->loop, .end = run->loop + 1, .direct = true, .siblings = 1};
    for (int s = 0; s < r->a->slot_count; s++) {
        analysis_section alone = {r->a, run->loop, run->loop + 1};
        if (analysis_use_of(&alone, s).touched) part.bytes += (int64_t)field_bytes(r->a->slots[s]);
    }
    part.got = part.needed = (double)part.bytes;
    part.time.moving = part.got / r->m->exchange + r->m->latency + r->m->barrier;
    part.time.computing = emulated_operations(l->loop, &run->box) / r->m->operations;
    part.time.seconds = part.time.moving + part.time.computing + r->m->launch;
    return emulated_end_blocks(r) && emulated_add_part(r, part);
}

static bool visit_scalar(void *data, int loop) { return emulated_reduce(data, loop); }

static bool visit_run(void *data, const plan_walk *walk, const plan_run *run)
{
    emulated_recorder *r = data;
    const chain_loop *loop = r->a->loops[run->loop].loop;
    if (walk->blocks && r->m->local) return emulated_compute(r, walk, run);
    if (!r->inside) return r->m->local ? add_alone(r, run) : add_direct(r, run);
    machine_operation o = {.act = MACHINE_COMPUTE, .turn = walk->turn};
    o.amount =
        emulated_operations(loop, &run->box) * emulated_share(walk, &run->box) / r->m->operations;
    emulated_part(r)->turns += o.turn != r->last_turn;
    r->last_turn = o.turn;
    return add_operation(r, o);
}

/* ---- the whole --------------------------------------------------------------------------------
 */

bool plan_find_times(const plan *p, const analysis_chain *a, const machine_emulated *m,
                     const plan_node *before, plan_times *out)
{
    emulated_recorder *r = calloc(1, sizeof *r);
    plan_place *homes = calloc((size_t)a->slot_count + 1, sizeof *homes);
    bool done = r && homes;
    *out = (plan_times){.seconds = 0};
    if (done) {
        *r = (emulated_recorder){.p = p, .a = a, .m = m, .out = out, .last = before};
        plan_visitor visitor = {.data = r,
                                .run = visit_run,
                                .copy = visit_copy,
                                .wait = visit_wait,
                                .scalar = visit_scalar,
                                .tile = visit_tile};
        done = plan_walk_all(p, a, homes, &visitor) && emulated_end_blocks(r);
        free(r->blocks);
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
