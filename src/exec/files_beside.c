/* One buffer instead of two. Some fields of a chain have values only while it runs: temporaries,
 * and the next values of others, which the program discards. In a streamed plan these are in rings,
 * a few planes at a time. So they need no home: if all other fields of the chain fit the limit with
 * rings beside them, these stay in memory, and nothing goes to a disk. */
#include "exec/on_files.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    FEWEST_PLANES = 4, /* that a ring has room for */
    FEWEST_LOOPS = 8   /* of a section that is moved: else what is kept in memory goes */
};

typedef struct beside {
    struct exec_files *f;
    const chain *c;
    analysis_chain a;
    bool *passing; /* by slot: it needs no home */
    bool *kept;    /* its array was kept in memory before the chain */
    messages *m;
    arena memory;
} beside;

/* ---- what needs a home ----------------------------------------------------------------------- */

bool files_is_plain(const chain_slot *slot)
{
    const bool own = !slot->array || slot->array->bytes;
    return own && !slot->is_scalar && !slot->part && !slot->mesh;
}

static bool find_passing(beside *b)
{
    bool some = false;
    const analysis_section all = {&b->a, 0, b->a.loop_count};
    b->passing = arena_array(&b->memory, (size_t)b->a.slot_count + 1, sizeof *b->passing);
    b->kept = arena_array(&b->memory, (size_t)b->a.slot_count + 1, sizeof *b->kept);
    for (int s = 0; b->passing && b->kept && s < b->a.slot_count; s++) {
        const store_array *array = b->a.slots[s]->array;
        b->kept[s] = array && array->kept;
        b->passing[s] = files_is_plain(b->a.slots[s]) && b->a.dead[s] && analysis_passes(&all, s);
        some = some || b->passing[s];
    }
    return some;
}

static bool is_in_memory(const chain_slot *slot)
{
    return slot->array && slot->array->bytes && !slot->array->file;
}

static const struct store_pool *pool_of(const beside *b)
{
    int s = 0;
    while (!b->a.slots[s]->pool) s++; /* one of them is short */
    return b->a.slots[s]->pool;
}

/* The bytes that are left for rings if all fields are where they are to be. */
static int64_t room_for_rings(const beside *b)
{
    const struct store_pool *pool = pool_of(b);
    int64_t room = store_pool_left(pool), least = 0;
    for (int s = 0; s < b->a.slot_count; s++) {
        const chain_slot *slot = b->a.slots[s];
        const int64_t bytes = store_slot_bytes(slot);
        if (!files_is_plain(slot)) continue;
        if (b->passing[s]) {
            least += FEWEST_PLANES * store_slot_plane_bytes(slot);
            if (is_in_memory(slot)) room += bytes;
        } else if (!is_in_memory(slot)) {
            room -= bytes;
        }
    }
    room = smaller(room, port_rings_most());
    return room >= least ? room : 0;
}

/* ---- homes ----------------------------------------------------------------------------------- */

static void ask_homes(const beside *b)
{
    for (int s = 0; s < b->a.slot_count; s++) {
        chain_slot *slot = b->a.slots[s];
        if (!files_is_plain(slot)) continue;
        slot->home = b->passing[s] ? CHAIN_NOWHERE : CHAIN_IN_MEMORY;
        if (!b->passing[s] || !slot->array) continue;
        store_array_free(slot->array);
        slot->array = NULL;
    }
}

/* Fields that have no values lose what arrays they have: no loop finds them there. */
static void leave_homes(const beside *b)
{
    for (int s = 0; s < b->a.slot_count; s++) {
        chain_slot *slot = b->a.slots[s];
        slot->home = CHAIN_ANYWHERE;
        if (!slot->array || !slot->array->nowhere) continue;
        store_array_free(slot->array);
        slot->array = NULL;
        store_slot_place(slot);
    }
}

static bool is_noted(const struct exec_files *f, const chain_slot *slot)
{
    for (size_t i = 0; i < f->kept_count; i++)
        if (f->kept[i].slot == slot) return true;
    return false;
}

static bool note_kept(struct exec_files *f, chain_slot *slot, const char *name)
{
    void *kept = f->kept;
    if (is_noted(f, slot)) return true;
    if (!vector_reserve(&kept, &f->kept_room, f->kept_count + 1, sizeof *f->kept)) return false;
    f->kept = kept;
    files_kept *own = &f->kept[f->kept_count++];
    own->slot = slot;
    snprintf(own->name, sizeof own->name, "%s", name ? name : "a field");
    return true;
}

/* Brings the other fields to memory, where they stay. */
static kata_status keep_others(const beside *b)
{
    for (int s = 0; s < b->a.slot_count; s++) {
        chain_slot *slot = b->a.slots[s];
        if (b->passing[s] || !files_is_plain(slot)) continue;
        if (!store_slot_keep(slot) || !note_kept(b->f, slot, plan_slot_name(&b->a, s)))
            return message_no_memory(b->m);
    }
    return KATA_OK;
}

/* Where the chain needs files after all, arrays that were made for it are like others. */
static void keep_none(const beside *b)
{
    for (int s = 0; s < b->a.slot_count; s++) {
        chain_slot *slot = b->a.slots[s];
        if (slot->array && !b->kept[s]) slot->array->kept = false;
    }
}

/* ---- plans ----------------------------------------------------------------------------------- */

/* Whether all loops below a node that touch a field without a home find it in a ring, and nothing
 * moves it. `ringed`: by slot, there is a ring around. */
static bool finds_rings(const beside *b, const plan *p, int node, bool *ringed)
{
    const plan_node *n = &p->nodes[node];
    bool before = false, finds = true;
    if (n->kind == PLAN_MOVE) return !b->passing[n->slot];
    if (n->kind == PLAN_BUFFER) {
        before = ringed[n->slot];
        ringed[n->slot] = true;
    }
    if (n->kind == PLAN_LOOP) {
        const analysis_loop *l = &b->a.loops[n->loop];
        for (int i = 0; i < l->touch_count && finds; i++) {
            const analysis_touch *t = &l->touches[i];
            finds = t->scalar || !b->passing[t->slot] || ringed[t->slot];
        }
    }
    for (int child = n->child; child && finds; child = p->nodes[child].next)
        finds = finds_rings(b, p, child, ringed);
    if (n->kind == PLAN_BUFFER) ringed[n->slot] = before;
    return finds;
}

/* Makes a plan in which tiles have so many planes, if it fits and sections are about as deep. */
static bool make_plan_of(const beside *b, plan *p, int64_t memory, int64_t planes,
                         plan_request *found)
{
    const exec_streams *s = &b->f->streams;
    const stream_room room = {.memory = memory, .fair = planes};
    const int64_t deep = smaller(planes - planes / 4, b->a.loop_count);
    plan_free(p);
    *p = (plan){.nodes = NULL};
    return stream_plan(s, p, &b->a, &room, found) && (s->asked.method || found->depth >= deep);
}

/* Plans the chain with all other fields in memory. A section of T loops in tiles of S planes takes
 * S + T planes of a field from memory for each S T that it computes, and rings hold as many. So T
 * is S, and S as large as fits, up to some size. */
static bool make_plan(const beside *b, plan *p, int64_t memory, plan_request *found)
{
    static const int64_t planes[] = {32, 28, 24, 20, 16, 12, 8, 6, 4};
    bool fits = false, *ringed = calloc((size_t)b->a.slot_count + 1, sizeof *ringed);
    for (int i = 0; i < b->a.slot_count; i++) b->a.slots[i]->far = b->passing[i];
    for (size_t i = 0; i < COUNT_OF(planes) && ringed && !fits; i++)
        fits = make_plan_of(b, p, memory, planes[i], found);
    for (int i = 0; i < b->a.slot_count; i++) store_slot_place(b->a.slots[i]);
    fits = fits && finds_rings(b, p, p->root, ringed);
    free(ringed);
    return fits;
}

static kata_status run(beside *b, bool *done)
{
    plan p = {.nodes = NULL};
    plan_request found;
    const int64_t memory = room_for_rings(b);
    kata_status status = KATA_OK;
    *done = false;
    if (memory <= 0) return KATA_OK;
    ask_homes(b);
    status = sweep_make_arrays(b->c, b->m);
    *done = !status && make_plan(b, &p, memory, &found);
    if (*done) status = keep_others(b);
    const stream_work work = {b->c, &p, &b->a, &found, NULL};
    if (*done && !status) status = stream_run_section(&b->f->streams, &work, b->m);
    leave_homes(b);
    if (*done)
        b->f->beside++;
    else
        keep_none(b);
    plan_free(&p);
    return status;
}

kata_status files_run_beside(struct exec_files *f, const chain *c, messages *m, bool *done)
{
    beside b = {.f = f, .c = c, .m = m};
    kata_status status = KATA_OK;
    *done = false;
    stream_take_request(&f->streams);
    if (!analysis_chain_make(c, &b.a))
        status = message_no_memory(m);
    else if (!stream_has_seam(&b.a) && find_passing(&b))
        status = run(&b, done);
    analysis_chain_free(&b.a);
    arena_free(&b.memory);
    return status;
}

/* ---- other chains ---------------------------------------------------------------------------- */

/* Whether a chain with fields in files is streamed as things are, in sections of some loops. */
static bool has_room(const exec_streams *s, const analysis_chain *a, int64_t memory)
{
    plan p = {.nodes = NULL};
    plan_request found;
    const stream_room room = {.memory = memory};
    const bool fits = !stream_has_seam(a) && stream_plan(s, &p, a, &room, &found) &&
                      (s->asked.method || found.depth >= smaller(FEWEST_LOOPS, a->loop_count));
    plan_free(&p);
    return fits;
}

kata_status files_give_way(struct exec_files *f, const chain *c, const chain_slot *far, messages *m)
{
    analysis_chain a;
    if (!f->kept_count) return KATA_OK;
    const int64_t memory = f->streams.memory->left(&f->streams, far);
    const bool made = analysis_chain_make(c, &a);
    const bool fits = made && has_room(&f->streams, &a, memory);
    analysis_chain_free(&a);
    if (!made) return message_no_memory(m);
    for (size_t i = 0; i < f->kept_count && !fits; i++) {
        chain_slot *slot = f->kept[i].slot;
        const bool kept = slot->array && slot->array->kept;
        if (kept) slot->array->kept = false;
        if (kept && !store_slot_send_away(slot, true))
            return store_no_memory(slot, f->kept[i].name, m);
    }
    if (!fits) f->kept_count = 0;
    return KATA_OK;
}
