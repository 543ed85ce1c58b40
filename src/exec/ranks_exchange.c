/* What ranks send one another. One message goes from a rank to each other one that needs something
 * of it, with all boxes of a batch one after another. */
#include "exec/ranks.h"

#include "exec/home.h"

#include <stdlib.h>

/* ---- margins --------------------------------------------------------------------------------- */

static const store_array *array_of(const ranks_copy *copy) { return copy->slot->part->slot.array; }

/* The messages of an exchange: one at most to each peer, and from it. */
typedef struct exchange_list {
    comm_message of[2 * PLAN_IMAGES];
    int count;
} exchange_list;

static comm_message *message_with(exchange_list *list, int peer, bool sends)
{
    comm_message *message = list->of;
    for (; message < list->of + list->count; message++)
        if (message->peer == peer && message->sends == sends) return message;
    list->count++;
    *message = (comm_message){.peer = peer, .sends = sends};
    return message;
}

static void list_messages(const ranks_batch *batch, int me, exchange_list *list)
{
    list->count = 0;
    for (size_t i = 0; i < batch->count; i++) {
        const ranks_copy *copy = &batch->copies[i];
        size_t bytes = store_box_bytes(array_of(copy), &copy->box);
        if (copy->to == me) message_with(list, copy->from, false)->bytes += bytes;
        if (copy->from == me) message_with(list, copy->to, true)->bytes += bytes;
    }
}

static void place_messages(struct exec_ranks *r, exchange_list *list)
{
    enum { LINE = 64 };
    size_t at = 0;
    for (int i = 0; i < list->count; i++) at += (list->of[i].bytes + LINE - 1) / LINE * LINE;
    ranks_make_room(r, &r->packed, at);
    for (int i = 0; i < list->count; i++) {
        comm_message *message = &list->of[i];
        at -= (message->bytes + LINE - 1) / LINE * LINE;
        message->data = r->packed.data + at;
    }
}

/* Values that this rank sends come from its device, those that it gets go there. */
static kata_status move_on_device(exec_context *context, const ranks_batch *batch, bool sent,
                                  messages *m)
{
    const int me = comm_rank(context->ranks->comm);
    kata_status status = KATA_OK;
    for (size_t i = 0; i < batch->count && context->device; i++) {
        const ranks_copy *copy = &batch->copies[i];
        chain_slot *slot = &copy->slot->part->slot;
        grid_box box = sent ? grid_box_moved(&copy->box, copy->shift, 1) : copy->box;
        if ((sent ? copy->from : copy->to) != me) continue;
        kata_status moved = exec_move_box(context, slot, &box, sent, m);
        if (moved) exec_lose(slot);
        if (!status) status = moved;
    }
    return status;
}

static void pack(const ranks_batch *batch, int me, const comm_message *message)
{
    char *bytes = message->data;
    for (size_t i = 0; i < batch->count; i++) {
        const ranks_copy *copy = &batch->copies[i];
        if (copy->from != me || copy->to != message->peer) continue;
        grid_box box = grid_box_moved(&copy->box, copy->shift, 1);
        store_pack(array_of(copy), &box, bytes);
        bytes += store_box_bytes(array_of(copy), &box);
    }
}

static void unpack(const ranks_batch *batch, int me, const comm_message *message)
{
    const char *bytes = message->data;
    for (size_t i = 0; i < batch->count; i++) {
        const ranks_copy *copy = &batch->copies[i];
        if (copy->from != message->peer || copy->to != me) continue;
        store_unpack(copy->slot->part->slot.array, &copy->box, bytes);
        bytes += store_box_bytes(array_of(copy), &copy->box);
    }
}

static void note_sent(struct exec_ranks *r, const exchange_list *list)
{
    plan_messages *sent = &r->sent.counted;
    sent->exchanges++;
    for (int i = 0; i < list->count; i++) {
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
    int me = comm_rank(r->comm);
    exchange_list list;
    double time = clock_seconds(), begin = time;
    list_messages(batch, me, &list);
    place_messages(r, &list);
    kata_status moved = move_on_device(context, batch, true, m);
    for (int i = 0; i < list.count; i++)
        if (list.of[i].sends) pack(batch, me, &list.of[i]);
    add_time(&r->sent.packing, &time);
    kata_status status = comm_exchange(r->comm, list.of, list.count, m);
    add_time(&r->sent.sending, &time);
    for (int i = 0; i < list.count && !status; i++)
        if (!list.of[i].sends) unpack(batch, me, &list.of[i]);
    kata_status taken = status ? KATA_OK : move_on_device(context, batch, false, m);
    if (!moved) moved = taken;
    add_time(&r->sent.unpacking, &time);
    batch->count = 0;
    note_sent(r, &list);
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

/* A rank that has failed, and so has nothing to give, gives no bytes: then all fail. */
int ranks_gather(void *data, const void *mine, size_t bytes, const char **all,
                 const size_t **starts)
{
    exec_context *context = data;
    struct exec_ranks *r = context->ranks;
    bool done = !comm_gather_starts(r->comm, bytes, r->starts, r->messages) &&
                !ranks_gather_known(r, mine, r->messages);
    for (int i = 0; i < comm_ranks(r->comm) && done; i++) done = r->starts[i] < r->starts[i + 1];
    *starts = r->starts;
    *all = r->gathered.data;
    r->gathers_left--;
    if (!done) r->gathers_left = 0;
    if (!done) context->failure.elsewhere = true;
    return done ? comm_ranks(r->comm) : 0;
}

/* Sets the starts of what ranks have of a field. */
static void find_starts(struct exec_ranks *r, const chain_slot *slot)
{
    size_t at = 0;
    for (int i = 0; i < comm_ranks(r->comm); i++) {
        grid_box own = plan_own_box(slot, &r->box, i);
        r->starts[i] = at;
        at += grid_box_is_empty(&own) ? 0 : store_box_bytes(slot->part->slot.array, &own);
    }
    r->starts[comm_ranks(r->comm)] = at;
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
    grid_box own = slot->part->own;
    find_starts(r, slot);
    size_t me = (size_t)comm_rank(r->comm), bytes = r->starts[me + 1] - r->starts[me];
    char *mine = malloc(bytes + 1);
    store_drop_whole(slot);
    if (!mine || !store_slot_array(slot)) ranks_no_room(r, &slot, 1);
    if (bytes) store_pack(slot->part->slot.array, &own, mine);
    kata_status status = ranks_gather_known(r, mine, m);
    free(mine);
    for (int i = 0; i < comm_ranks(r->comm) && !status; i++) {
        grid_box box = plan_own_box(slot, &r->box, i);
        if (!grid_box_is_empty(&box))
            store_unpack(slot->array, &box, r->gathered.data + r->starts[i]);
    }
    release_large(&r->gathered);
    store_part_free(slot);
    return status;
}
