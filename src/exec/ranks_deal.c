/* Values that the first rank has, as of a file: each rank gets its own, piece by piece; all of them
 * where the field is not dealt out. */
#include "exec/ranks.h"

#include <stdlib.h>

enum { MOST_VALUES = HOSTILE(1 << 19, 1 << 6) }; /* in a piece */

/* A field is dealt out before it gets its values, if it is known how. */
static bool prepare(struct exec_ranks *r, chain_slot *slot, bool deals)
{
    static const int64_t no_margin[3] = {0, 0, 0};
    static const bool no_wraps[3] = {false, false, false};
    const grid_shape grid = chain_slot_grid(slot);
    bool is_dealt = deals && r->laid_out && plan_cuts(&r->box.raster, r->small, &grid);
    for (int d = 0; d < 3; d++) is_dealt = is_dealt && !slot->absent_axis[d];
    if (slot->mesh) is_dealt = false; /* its elements are counted by their numbers */
    if (slot->array && !slot->array->bytes) is_dealt = false;
    if (!is_dealt) return store_slot_array(slot);
    if (!slot->part && !store_part_fit(slot, &r->box, no_margin, no_wraps)) return false;
    slot->part->home = (plan_home){.whole = false};
    return true;
}

/* The boxes of a piece that a rank gets: one of each of its own; all of it, where the field is
 * whole. */
static int boxes_of(const struct exec_ranks *r, const chain_slot *slot, int rank)
{
    return slot->part ? r->box.first[rank + 1] - r->box.first[rank] : 1;
}

static grid_box box_of(const struct exec_ranks *r, const chain_slot *slot, const grid_box *piece,
                       int rank, int i)
{
    grid_box own = slot->part ? plan_own_box(slot, &r->box, r->box.first[rank] + i) : *piece;
    return grid_box_intersect(&own, piece);
}

static size_t bytes_for(const struct exec_ranks *r, const chain_slot *slot, const grid_box *piece,
                        int rank)
{
    int64_t points = 0;
    for (int i = 0; i < boxes_of(r, slot, rank); i++) {
        grid_box box = box_of(r, slot, piece, rank, i);
        points += grid_box_points(&box);
    }
    return (size_t)(points * store_type_bytes(slot->type));
}

/* Packs what each rank gets of a piece, as the field stores it; r->starts say where. */
static void pack_all(struct exec_ranks *r, const chain_slot *slot, const grid_box *piece,
                     kata_type type, const void *values)
{
    store_array like = {.type = slot->type, .components = 1, .box = *piece, .room = *piece};
    store_array *converted = store_array_make(&like, KATA_ARRAYS, false);
    if (!converted) comm_give_up(r->comm, "out of memory");
    store_write(converted, piece, type, values);
    for (int i = 0; i < comm_ranks(r->comm); i++) {
        char *to = r->gathered.data + r->starts[i];
        for (int b = 0; b < boxes_of(r, slot, i); b++) {
            grid_box box = box_of(r, slot, piece, i, b);
            if (grid_box_is_empty(&box)) continue;
            store_pack(converted, &box, to);
            to += store_box_bytes(converted, &box);
        }
    }
    store_array_free(converted);
}

/* Takes what this rank has got of a piece. */
static void take_own(struct exec_ranks *r, const chain_slot *slot, const grid_box *piece,
                     int component)
{
    const int me = comm_rank(r->comm);
    store_array own =
        store_components(slot->part ? slot->part->slot.array : slot->array, component, 1);
    const char *from = r->gathered.data + r->starts[me];
    for (int b = 0; b < boxes_of(r, slot, me); b++) {
        grid_box box = box_of(r, slot, piece, me, b);
        if (grid_box_is_empty(&box)) continue;
        store_write(&own, &box, slot->type, from);
        from += store_box_bytes(&own, &box);
    }
}

static kata_status deal_piece(struct exec_ranks *r, const chain_slot *slot, const grid_box *piece,
                              int component, kata_type type, const void *values, messages *m)
{
    int me = comm_rank(r->comm), ranks = comm_ranks(r->comm), count = 0;
    comm_message *list = calloc((size_t)ranks, sizeof *list);
    if (!list) comm_give_up(r->comm, "out of memory");
    r->starts[0] = 0;
    for (int i = 0; i < ranks; i++) r->starts[i + 1] = r->starts[i] + bytes_for(r, slot, piece, i);
    ranks_make_room(r, &r->gathered, r->starts[ranks] + 1);
    if (me == 0) pack_all(r, slot, piece, type, values);
    for (int i = 1; i < ranks; i++) {
        size_t bytes = r->starts[i + 1] - r->starts[i];
        if (!bytes || (me != 0 && me != i)) continue;
        list[count++] =
            (comm_message){me == 0 ? i : 0, me == 0, r->gathered.data + r->starts[i], bytes};
    }
    kata_status status = comm_exchange(r->comm, list, count, m);
    free(list);
    if (!status) take_own(r, slot, piece, component);
    return status;
}

kata_status exec_deal_begin(exec_context *context, chain_slot *slot, bool deals, messages *m)
{
    struct exec_ranks *r = context->ranks;
    kata_status status = exec_tell_changes(context, slot, m);
    if (!status) store_device_forget(slot);
    if (!status && slot->mesh) status = ranks_make_whole(r, slot, m);
    if (!status && !prepare(r, slot, deals)) ranks_no_room(r, &slot, 1);
    return status;
}

kata_status exec_deal(exec_context *context, const chain_slot *slot, int component,
                      const grid_box *box, kata_type type, const void *values, messages *m)
{
    const char *next = values;
    const int64_t points = grid_box_points(box), bytes = values ? store_type_bytes(type) : 0;
    kata_status status = KATA_OK;
    for (int64_t first = 0, count; first < points && !status; first += count) {
        grid_box piece = store_piece(box, first, MOST_VALUES);
        count = grid_box_points(&piece);
        status = deal_piece(context->ranks, slot, &piece, component, type, next, m);
        if (next) next += count * bytes;
    }
    return status;
}
