/* Memory for the fields of a chain, made before its first loop runs: with room for all that its
 * loops read around their values, so that the values are not moved later, and not set to zero where
 * the first loop that touches a field writes all of it. The program may swap fields that are alike,
 * so those of a loop that writes one of them get the same room. */
#include "analysis/analysis.h"
#include "sweep/loop.h"

typedef struct home {
    grid_box room;
    bool met;     /* by a loop before */
    bool written; /* the first loop that met it writes all of it, whatever it was before */
} home;

typedef struct room_finder {
    const chain_loop *loop;
    home *homes; /* per slot of the chain */
    arena memory;
} room_finder;

static chain_slot *slot_of(const chain_loop *loop, int p)
{
    bool field = ir_param_takes_field(&loop->kernel->params[p]);
    return field ? loop->bindings[p].slot : NULL;
}

static home *home_of(const room_finder *f, int p) { return &f->homes[slot_of(f->loop, p)->number]; }

static bool reads(const chain_loop *loop, const chain_slot *slot)
{
    for (int i = 0; i < loop->kernel->access_count; i++)
        if (slot_of(loop, loop->kernel->accesses[i].param) == slot) return true;
    for (int i = 0; i < loop->kernel->level_read_count; i++)
        if (slot_of(loop, loop->kernel->level_reads[i].param) == slot) return true;
    return false;
}

/* Whether a loop writes all values of a field, ghosts too, and reads none. */
static bool overwrites(const chain_loop *loop, int p)
{
    const chain_slot *slot = slot_of(loop, p);
    if (reads(loop, slot) || !analysis_writes_whole(loop, p)) return false;
    grid_box all = chain_slot_memory(slot), written = analysis_surely_written(loop, p);
    return grid_box_contains(&written, &all);
}

static void meet_fields(const room_finder *f)
{
    for (int p = 0; p < f->loop->kernel->param_count; p++) {
        const chain_slot *slot = slot_of(f->loop, p);
        if (!slot) continue;
        home *h = home_of(f, p);
        if (!h->met) *h = (home){chain_slot_memory(slot), true, overwrites(f->loop, p)};
    }
}

/* Widens rooms by the cells of components that need no more; false: those that read need more. */
static bool add_wrap(const room_finder *f, int param, int component, const int32_t lo[3],
                     const int32_t hi[3])
{
    const chain_slot *slot = slot_of(f->loop, param);
    sweep_reach reach = {f->loop, param, component, {lo[0], lo[1], lo[2]}};
    grid_box all = chain_slot_memory(slot),
             inside = chain_binding_inside(&f->loop->bindings[param]);
    grid_box room;
    if (memcmp(lo, hi, sizeof reach.offset) != 0 || !sweep_can_wrap(&reach, &room)) return false;
    home *h = home_of(f, param);
    if (grid_box_contains(&inside, &all)) h->room = grid_box_hull(&h->room, &room);
    return true;
}

/* Widens rooms by what a loop reads around fields. It reads copies where it changes them, where
 * rows are not contiguous, and where values that a rule hides lie around. */
static bool add_reads(room_finder *f)
{
    const chain_loop *loop = f->loop;
    const ir_kernel *kernel = loop->kernel;
    size_t most = (size_t)kernel->access_count + 1;
    analysis_reach *reaches = arena_array(&f->memory, most, sizeof *reaches);
    int count = reaches ? analysis_reaches(kernel, reaches) : 0;
    for (int i = 0; i < count; i++) {
        const analysis_reach *r = &reaches[i];
        const chain_slot *slot = slot_of(loop, r->param);
        grid_box all = chain_slot_memory(slot),
                 inside = chain_binding_inside(&loop->bindings[r->param]);
        grid_box touched = analysis_touched(&kernel->params[r->param], r->lo, r->hi, &loop->box);
        if (add_wrap(f, r->param, r->component, r->lo, r->hi) ||
            sweep_edge_changes(loop, r->param) || !grid_box_contains(&inside, &all) ||
            store_slot_rows(slot) != CODEGEN_CONTIGUOUS)
            continue;
        home *h = home_of(f, r->param);
        grid_box room = grid_box_hull(&h->room, &touched);
        int64_t bytes = (int64_t)slot->components * store_type_bytes(slot->type);
        if (store_is_fair_room(&all, &room, bytes)) h->room = room;
    }
    return reaches;
}

/* Gives the fields of a loop that are like one that it writes the room of all of them. */
static void share_room(const room_finder *f, int written)
{
    const chain_slot *slot = slot_of(f->loop, written);
    grid_box room = home_of(f, written)->room;
    for (int turn = 0; turn < 2; turn++)
        for (int p = 0; p < f->loop->kernel->param_count; p++) {
            const chain_slot *other = slot_of(f->loop, p);
            if (!slot || !other || !chain_slot_alike(slot, other)) continue;
            room = grid_box_hull(&room, &home_of(f, p)->room);
            home_of(f, p)->room = room;
        }
}

static bool add_loop(room_finder *f, const chain_loop *loop)
{
    f->loop = loop;
    meet_fields(f);
    if (grid_box_is_empty(&loop->box) || loop->copy) return true; /* it reads nothing around */
    if (!add_reads(f)) return false;
    for (int i = 0; i < loop->kernel->store_count; i++) {
        const ir_store *s = &loop->kernel->stores[i];
        if (slot_of(loop, s->param)) add_wrap(f, s->param, s->component, s->offset, s->offset);
    }
    for (int p = 0; p < loop->kernel->param_count; p++)
        if (ir_param_is_written_field(&loop->kernel->params[p])) share_room(f, p);
    return true;
}

/* Makes the arrays that a loop's fields lack. */
static kata_status make_arrays(const room_finder *f, const chain_loop *loop, messages *m)
{
    for (int p = 0; p < loop->kernel->param_count; p++) {
        chain_slot *slot = slot_of(loop, p);
        if (!slot) continue;
        const home *h = &f->homes[slot->number];
        if (!store_slot_array_with(slot, &h->room, !h->written))
            return store_no_memory(slot, loop->bindings[p].name, m);
    }
    return KATA_OK;
}

static bool lacks_arrays(const chain *c)
{
    for (size_t i = 0; i < c->slot_count; i++)
        if (!c->slots[i]->is_scalar && !c->slots[i]->array) return true;
    return false;
}

kata_status sweep_make_arrays(const chain *c, messages *m)
{
    if (!lacks_arrays(c)) return KATA_OK;
    room_finder f = {0};
    f.homes = arena_array(&f.memory, c->slot_count + 1, sizeof *f.homes);
    bool done = f.homes;
    for (size_t i = 0; i < c->count && done; i++) done = add_loop(&f, &c->loops[i]);
    kata_status status = done ? KATA_OK : message_no_memory(m);
    for (size_t i = 0; i < c->count && !status; i++) status = make_arrays(&f, &c->loops[i], m);
    arena_free(&f.memory);
    return status;
}
