/* What ranks send one another. One message goes from a rank to each other one that needs something
 * of it, with all boxes of a batch one after another. */
#include "exec/ranks.h"

#include "exec/home.h"

#include <stdlib.h>
#include <string.h>

/* ---- margins --------------------------------------------------------------------------------- */

static const store_array *array_of(const ranks_copy *copy) { return copy->slot->part->slot.array; }

/* The messages of an exchange: one at most to each near rank, and from it. */
typedef struct exchange_list {
    comm_message *of;
    bool *there; /* they lie in memory of the device */
    size_t *at;  /* their first bytes in it, or in that of this machine */
    device_memory *memory;
    int count;
} exchange_list;

typedef struct exchanging {
    exec_context *context;
    const ranks_batch *batch;
    int me;
    exchange_list list;
    messages *m;
} exchanging;

static int message_with(exchanging *x, int peer, bool sends)
{
    exchange_list *list = &x->list;
    for (int i = 0; i < list->count; i++)
        if (list->of[i].peer == peer && list->of[i].sends == sends) return i;
    list->of[list->count] = (comm_message){.peer = peer, .sends = sends};
    list->there[list->count] = exec_gives_mpi_memory(x->context);
    return list->count++;
}

/* A message lies on the device if all its values do; those that come are not for arrays, too. */
static void list_box(exchanging *x, const ranks_copy *copy, int peer, bool sends)
{
    grid_box box = sends ? grid_box_moved(&copy->box, copy->shift, 1) : copy->box;
    int i = message_with(x, peer, sends);
    x->list.of[i].bytes += store_box_bytes(array_of(copy), &box);
    if (!store_device_has(&copy->slot->part->slot, &box, !sends)) x->list.there[i] = false;
}

static void begin_list(exchanging *x)
{
    struct exec_ranks *r = x->context->ranks;
    const size_t most = 2 * (size_t)r->box.near_count + 1;
    exchange_list *list = &x->list;
    list->of = arena_array(&r->memory, most, sizeof *list->of);
    list->there = arena_array(&r->memory, most, sizeof *list->there);
    list->at = arena_array(&r->memory, most, sizeof *list->at);
    if (!list->of || !list->there || !list->at) comm_give_up(r->comm, "out of memory");
}

static void list_messages(exchanging *x)
{
    begin_list(x);
    for (size_t i = 0; i < x->batch->count; i++) {
        const ranks_copy *copy = &x->batch->copies[i];
        if (copy->to == x->me) list_box(x, copy, copy->from, false);
        if (copy->from == x->me) list_box(x, copy, copy->to, true);
    }
}

/* Messages without room on the device lie here. Ones that lie here need room that is pinned only
 * where there is a device. */
static void place_messages(exchanging *x)
{
    enum { LINE = 256 };
    struct exec_ranks *r = x->context->ranks;
    exchange_list *list = &x->list;
    size_t bytes[2] = {0, 0};
    for (int i = 0; i < list->count; i++) {
        size_t *room = &bytes[list->there[i]];
        list->at[i] = *room;
        *room += (list->of[i].bytes + LINE - 1) / LINE * LINE;
    }
    list->memory = bytes[1] ? exec_messages_there(x->context, bytes[1]) : NULL;
    if (bytes[1] && !list->memory) {
        memset(list->there, 0, (size_t)list->count * sizeof *list->there);
        place_messages(x);
        return;
    }
    char *here = bytes[0] ? exec_messages_here(x->context, bytes[0]) : NULL;
    if (!here) ranks_make_room(r, &r->packed, bytes[0]);
    if (!here) here = r->packed.data;
    for (int i = 0; i < list->count; i++) {
        char *first = list->there[i] ? device_address(list->memory) : here;
        list->of[i].data = first + list->at[i];
    }
}

/* A box of a message, and where it lies there. */
typedef struct packed_box {
    chain_slot *slot; /* of a part */
    grid_box box;
    store_packed packed;
    size_t next; /* the number of the copy behind it; 0: it is the first that is asked for */
    size_t bytes;
} packed_box;

/* Goes on to the next box of a message; false: there is none. */
static bool next_box(const exchanging *x, int message, packed_box *p)
{
    const comm_message *of = &x->list.of[message];
    const bool there = x->list.there[message];
    if (!p->next) p->packed = (store_packed){.here = of->data, .at = x->list.at[message]};
    p->packed.there = there ? x->list.memory : NULL;
    p->packed.here += p->bytes;
    p->packed.at += p->bytes;
    for (; p->next < x->batch->count; p->next++) {
        const ranks_copy *copy = &x->batch->copies[p->next];
        const int from = of->sends ? x->me : of->peer, to = of->sends ? of->peer : x->me;
        if (copy->from != from || copy->to != to) continue;
        p->slot = &copy->slot->part->slot;
        p->box = of->sends ? grid_box_moved(&copy->box, copy->shift, 1) : copy->box;
        p->bytes = store_box_bytes(p->slot->array, &p->box);
        p->next++;
        return true;
    }
    return false;
}

/* Packs what the device has: it is there after the next wait. */
static kata_status pack_there(exchanging *x)
{
    kata_status status = KATA_OK;
    for (int i = 0; i < x->list.count && !status; i++)
        for (packed_box p = {.next = 0}; x->list.of[i].sends && next_box(x, i, &p);)
            if (!status && store_device_has(p.slot, &p.box, false))
                status = exec_pack(x->context, p.slot, &p.box, &p.packed, x->m);
    kata_status waited = exec_wait_for_packed(x->context, status ? NULL : x->m);
    return status ? status : waited;
}

/* After the device has failed: its values are lost, and messages lie here. */
static void lose_sent(exchanging *x)
{
    for (int i = 0; i < x->list.count; i++)
        for (packed_box p = {.next = 0}; x->list.of[i].sends && next_box(x, i, &p);)
            if (store_device_has(p.slot, &p.box, false)) exec_lose(p.slot);
    memset(x->list.there, 0, (size_t)x->list.count * sizeof *x->list.there);
    place_messages(x);
}

/* Packs what is in arrays: maybe with some from the device. */
static kata_status pack_here(exchanging *x)
{
    kata_status status = KATA_OK;
    for (int i = 0; i < x->list.count; i++)
        for (packed_box p = {.next = 0}; x->list.of[i].sends && next_box(x, i, &p);) {
            if (store_device_has(p.slot, &p.box, false)) continue;
            kata_status moved = exec_move_box(x->context, p.slot, &p.box, true, x->m);
            if (moved) exec_lose(p.slot);
            if (!status) status = moved;
            store_pack(p.slot->array, &p.box, p.packed.here);
        }
    return status;
}

static kata_status pack(exchanging *x)
{
    kata_status status = pack_there(x);
    if (status) lose_sent(x);
    kata_status packed = pack_here(x);
    return status ? status : packed;
}

/* Values go to the device, if it has those of the box, and to the array unless that is older. */
static kata_status unpack_box(const exchanging *x, const packed_box *p)
{
    const bool has = store_device_has(p->slot, &p->box, false);
    if (!has || !store_device_has(p->slot, &p->box, true))
        store_unpack(p->slot->array, &p->box, p->packed.here);
    return has ? exec_unpack(x->context, p->slot, &p->box, &p->packed, x->m)
               : exec_move_box(x->context, p->slot, &p->box, false, x->m);
}

static kata_status unpack(const exchanging *x)
{
    kata_status status = KATA_OK;
    for (int i = 0; i < x->list.count; i++)
        for (packed_box p = {.next = 0}; !x->list.of[i].sends && next_box(x, i, &p);) {
            kata_status moved = unpack_box(x, &p);
            if (moved) exec_lose(p.slot);
            if (!status) status = moved;
        }
    return status;
}

static void note_sent(const exchanging *x)
{
    const exchange_list *list = &x->list;
    plan_messages *sent = &x->context->ranks->sent.counted;
    sent->exchanges++;
    for (int i = 0; i < list->count; i++) {
        exec_note_messages(x->context, list->there[i], !list->there[i]);
        sent->messages += list->of[i].sends;
        sent->bytes += list->of[i].sends ? (int64_t)list->of[i].bytes : 0;
    }
}

/* Adds the seconds since a time, which becomes now. */
static void add_time(double *seconds, double *time)
{
    double now = clock_seconds();
    *seconds += now - *time;
    *time = now;
}

kata_status ranks_exchange(exec_context *context, ranks_batch *batch, messages *m)
{
    struct exec_ranks *r = context->ranks;
    exchanging x = {.context = context, .batch = batch, .me = comm_rank(r->comm), .m = m};
    double time = clock_seconds(), begin = time;
    list_messages(&x);
    place_messages(&x);
    kata_status moved = pack(&x);
    add_time(&r->sent.packing, &time);
    kata_status status = comm_exchange(r->comm, x.list.of, x.list.count, m);
    add_time(&r->sent.sending, &time);
    kata_status taken = status ? KATA_OK : unpack(&x);
    if (!moved) moved = taken;
    add_time(&r->sent.unpacking, &time);
    batch->count = 0;
    note_sent(&x);
    observe_timeline_end(context->timeline, "ranks", "exchange", begin, NULL);
    return status ? status : moved;
}

/* ---- whole fields ---------------------------------------------------------------------------- */

void ranks_make_room(const struct exec_ranks *r, ranks_room *room, size_t bytes)
{
    if (room->bytes >= bytes) return;
    free(room->data);
    *room = (ranks_room){.data = malloc(bytes), .bytes = bytes};
    if (!room->data) comm_give_up(r->comm, "out of memory");
}

kata_status ranks_gather_known(struct exec_ranks *r, const void *mine, messages *m)
{
    ranks_make_room(r, &r->gathered, r->starts[comm_ranks(r->comm)] + 1);
    return comm_gather(r->comm, mine, r->starts, r->gathered.data, m);
}

/* Sets the starts of what ranks have of a field. */
static void find_starts(struct exec_ranks *r, const chain_slot *slot)
{
    size_t at = 0;
    for (int i = 0; i < comm_ranks(r->comm); i++) {
        r->starts[i] = at;
        for (int b = r->box.first[i]; b < r->box.first[i + 1]; b++) {
            grid_box own = plan_own_box(slot, &r->box, b);
            if (!grid_box_is_empty(&own)) at += store_box_bytes(slot->part->slot.array, &own);
        }
    }
    r->starts[comm_ranks(r->comm)] = at;
}

/* Copies what is a rank's own between an array and memory in which its boxes follow one another. */
static void copy_own(const struct exec_ranks *r, const chain_slot *slot, int rank,
                     store_array *array, char *memory, bool packs)
{
    for (int b = r->box.first[rank]; b < r->box.first[rank + 1]; b++) {
        const grid_box own = plan_own_box(slot, &r->box, b);
        if (grid_box_is_empty(&own)) continue;
        if (packs)
            store_pack(array, &own, memory);
        else
            store_unpack(array, &own, memory);
        memory += store_box_bytes(array, &own);
    }
}

/* A field's values take much memory, those of partial sums little: that is kept. */
static void release_large(ranks_room *room)
{
    enum { LARGE = 1 << 20 };
    if (room->bytes <= LARGE) return;
    free(room->data);
    *room = (ranks_room){.data = NULL};
}

kata_status ranks_make_whole(struct exec_ranks *r, chain_slot *slot, messages *m)
{
    if (!slot->part) return KATA_OK;
    find_starts(r, slot);
    const int me = comm_rank(r->comm);
    char *mine = malloc(r->starts[me + 1] - r->starts[me] + 1);
    store_drop_whole(slot);
    if (!mine || !store_slot_array(slot)) ranks_no_room(r, &slot, 1);
    copy_own(r, slot, me, slot->part->slot.array, mine, true);
    kata_status status = ranks_gather_known(r, mine, m);
    free(mine);
    for (int i = 0; i < comm_ranks(r->comm) && !status; i++)
        copy_own(r, slot, i, slot->array, r->gathered.data + r->starts[i], false);
    release_large(&r->gathered);
    store_part_free(slot);
    return status;
}
