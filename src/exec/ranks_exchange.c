/* What ranks send one another. One message goes from a rank to each other one that needs something
 * of it, with all boxes of a batch one after another. */
#include "exec/ranks.h"

#include <stdlib.h>

/* ---- margins --------------------------------------------------------------------------------- */

static const store_array *array_of(const ranks_copy *copy) { return copy->slot->part->slot.array; }

/* The bytes that one rank sends another. */
static size_t bytes_between(const ranks_batch *batch, int from, int to)
{
    size_t bytes = 0;
    for (size_t i = 0; i < batch->count; i++)
        if (batch->copies[i].from == from && batch->copies[i].to == to)
            bytes += store_box_bytes(array_of(&batch->copies[i]), &batch->copies[i].box);
    return bytes;
}

static void pack(const ranks_batch *batch, int from, int to, char *bytes)
{
    for (size_t i = 0; i < batch->count; i++) {
        const ranks_copy *copy = &batch->copies[i];
        if (copy->from != from || copy->to != to) continue;
        grid_box box = grid_box_moved(&copy->box, copy->shift, 1);
        store_pack(array_of(copy), &box, bytes);
        bytes += store_box_bytes(array_of(copy), &box);
    }
}

static void unpack(const ranks_batch *batch, int from, int to, const char *bytes)
{
    for (size_t i = 0; i < batch->count; i++) {
        const ranks_copy *copy = &batch->copies[i];
        if (copy->from != from || copy->to != to) continue;
        store_unpack(copy->slot->part->slot.array, &copy->box, bytes);
        bytes += store_box_bytes(array_of(copy), &copy->box);
    }
}

/* Adds a message to or from a peer; false when memory is out. */
static bool add_message(struct exec_ranks *r, comm_message *messages, int *count, int peer,
                        size_t bytes, bool sends)
{
    char *data = arena_array(&r->memory, bytes, 1);
    if (data)
        messages[(*count)++] =
            (comm_message){.peer = peer, .data = data, .bytes = bytes, .sends = sends};
    return data;
}

static void note_sent(struct exec_ranks *r, const comm_message *list, int count, double seconds)
{
    plan_messages *sent = &r->sent.counted;
    sent->exchanges++;
    for (int i = 0; i < count; i++) {
        sent->messages += list[i].sends;
        sent->bytes += list[i].sends ? (int64_t)list[i].bytes : 0;
    }
    r->sent.seconds += seconds;
}

kata_status ranks_exchange(struct exec_ranks *r, ranks_batch *batch, messages *m)
{
    double start = clock_seconds();
    int ranks = comm_ranks(r->comm), me = comm_rank(r->comm), count = 0;
    comm_message *list = arena_array(&r->memory, 2 * (size_t)ranks, sizeof *list);
    bool done = list;
    for (int peer = 0; peer < ranks && done; peer++) {
        size_t in = bytes_between(batch, peer, me), out = bytes_between(batch, me, peer);
        if (in) done = add_message(r, list, &count, peer, in, false);
        if (out) done = done && add_message(r, list, &count, peer, out, true);
        if (out && done) pack(batch, me, peer, list[count - 1].data);
    }
    if (!done) comm_give_up(r->comm, "out of memory"); /* others wait for its messages */
    kata_status status = comm_exchange(r->comm, list, count, m);
    for (int i = 0; i < count && !status; i++)
        if (!list[i].sends) unpack(batch, list[i].peer, me, list[i].data);
    batch->count = 0;
    note_sent(r, list, count, clock_seconds() - start);
    return status;
}

/* ---- whole fields ---------------------------------------------------------------------------- */

void ranks_make_room(struct exec_ranks *r, size_t bytes)
{
    if (r->gathered_room >= bytes) return;
    free(r->gathered);
    r->gathered = malloc(bytes);
    r->gathered_room = bytes;
    if (!r->gathered) comm_give_up(r->comm, "out of memory");
}

kata_status ranks_gather_known(struct exec_ranks *r, const void *mine, messages *m)
{
    ranks_make_room(r, r->starts[comm_ranks(r->comm)] + 1);
    return comm_gather(r->comm, mine, r->starts, r->gathered, m);
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
    *all = r->gathered;
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
        grid_box own = store_own_box(slot, &r->box, i);
        r->starts[i] = at;
        at += grid_box_is_empty(&own) ? 0 : store_box_bytes(slot->part->slot.array, &own);
    }
    r->starts[comm_ranks(r->comm)] = at;
}

/* A field's values take much memory, those of partial sums little: that is kept. */
static void release_large(struct exec_ranks *r)
{
    enum { LARGE = 1 << 20 };
    if (r->gathered_room <= LARGE) return;
    free(r->gathered);
    r->gathered = NULL;
    r->gathered_room = 0;
}

kata_status ranks_make_whole(struct exec_ranks *r, chain_slot *slot, messages *m)
{
    if (!slot->part) return KATA_OK;
    grid_box own = slot->part->own;
    find_starts(r, slot);
    size_t me = (size_t)comm_rank(r->comm), bytes = r->starts[me + 1] - r->starts[me];
    char *mine = malloc(bytes + 1);
    store_array_free(slot->array);
    slot->array = NULL;
    if (!mine || !store_slot_array(slot)) comm_give_up(r->comm, "out of memory");
    if (bytes) store_pack(slot->part->slot.array, &own, mine);
    kata_status status = ranks_gather_known(r, mine, m);
    free(mine);
    for (int i = 0; i < comm_ranks(r->comm) && !status; i++) {
        grid_box box = store_own_box(slot, &r->box, i);
        if (!grid_box_is_empty(&box)) store_unpack(slot->array, &box, r->gathered + r->starts[i]);
    }
    release_large(r);
    store_part_free(slot);
    return status;
}
