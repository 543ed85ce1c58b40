/* A rank's own values, which the program gets and puts without the other ranks.
 *
 * A rank that has put values notes it in the field's part. Before ranks next do something together
 * with the field, they tell one another: then all of them have it dealt out, and believe no copies
 * of other ranks' values any more. */
#include "exec/ranks.h"

#include "exec/home.h"

#include <stdlib.h>

static const int64_t no_margin[3] = {0, 0, 0};
static const bool no_wraps[3] = {false, false, false};
static const char need_values[] = "need values of a field";

/* ---- which are a rank's own ------------------------------------------------------------------ */

/* Where ranks have a box each. */
static grid_box own_box(const struct exec_ranks *r, const chain_slot *slot)
{
    return plan_own_box(slot, &r->box, r->box.first[r->box.rank]);
}

/* Lays the ranks out for a grid, unless they are. From then on ranks tell one another what they
 * have changed: so all have to know it. */
static kata_status lay_out(struct exec_ranks *r, const grid_shape *grid, messages *m)
{
    static const bool unordered[3] = {false, false, false};
    if (r->has_own || grid->rank < 2 || !plan_is_dealt(grid, r->small)) return KATA_OK;
    kata_status status = ranks_meet(r, hash_bytes(grid->size, sizeof grid->size, 0), m,
                                    "deal out a grid of %d dimensions", grid->rank);
    if (!status && !r->laid_out) ranks_lay_out(r, grid, unordered);
    return status;
}

kata_status exec_own_points(exec_context *context, const grid_shape *grid, const bool staggered[3],
                            grid_box *own, bool *dealt, messages *m)
{
    struct exec_ranks *r = context->ranks;
    chain_slot like = {.shape = *grid, .components = 1};
    for (int d = 0; d < grid->rank; d++) {
        like.staggered[d] = staggered[d];
        like.shape.size[d] += staggered[d];
    }
    *own = chain_slot_memory(&like);
    *dealt = false;
    kata_status status = r ? lay_out(r, grid, m) : KATA_OK;
    if (!r || status || !r->laid_out) return status;
    *dealt = plan_cuts(&r->box.raster, r->small, grid);
    if (*dealt && plan_ranks_have_lists(&r->box))
        return message_fail(m, KATA_ERROR_ARGUMENT,
                            "kata_local, and fields with .local, give a rank's own points as one "
                            "box, and by KATA_RANKS=morton ranks own several boxes; by "
                            "KATA_RANKS=halves each owns one");
    if (*dealt) *own = own_box(r, &like);
    r->has_own = r->has_own || *dealt;
    return KATA_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

kata_status exec_read_own(exec_context *context, chain_slot *slot, const grid_box *box,
                          kata_type type, void *values, messages *m)
{
    kata_status status = exec_bring_home(context, slot, m);
    if (status) return status;
    if (slot->part)
        store_read(slot->part->slot.array, box, slot->components, type, values);
    else
        store_read_slot(slot, &(store_values){*box, 0, slot->components}, type, values);
    return KATA_OK;
}

/* Gives a slot a part that this rank is about to change. */
static kata_status change_part(exec_context *context, chain_slot *slot, messages *m)
{
    kata_status status = exec_bring_home(context, slot, m);
    if (status) return status;
    if (!slot->part && !store_part_fit(slot, &context->ranks->box, no_margin, no_wraps))
        return message_no_memory(m);
    slot->part->changed = true;
    store_device_forget(&slot->part->slot);
    return KATA_OK;
}

kata_status exec_write_own(exec_context *context, chain_slot *slot, const grid_box *box,
                           kata_type type, const void *values, messages *m)
{
    kata_status status = change_part(context, slot, m);
    if (!status) store_write(slot->part->slot.array, box, type, values);
    return status;
}

kata_status exec_show_own(exec_context *context, chain_slot *slot, store_array *memory, messages *m)
{
    const struct exec_ranks *r = context->ranks;
    kata_status status = exec_bring_home(context, slot, m);
    grid_box own = own_box(r, slot);
    const store_array *from = slot->part ? slot->part->slot.array : slot->array;
    if (from && !status)
        store_copy_box(memory, from, &memory->box, own.lo);
    else
        store_poison(memory); /* a chain has failed: it has no values */
    return status;
}

kata_status exec_take_own(exec_context *context, chain_slot *slot, const store_array *memory,
                          messages *m)
{
    kata_status status = change_part(context, slot, m);
    if (status) return status;
    const grid_box own = own_box(context->ranks, slot);
    const int64_t shift[3] = {-own.lo[0], -own.lo[1], -own.lo[2]};
    store_copy_box(slot->part->slot.array, memory, &own, shift);
    return KATA_OK;
}

/* ---- what other ranks have to know ----------------------------------------------------------- */

static bool is_changed(const chain_slot *slot) { return slot->part && slot->part->changed; }

/* Some rank has put values: all have parts from here on. */
static kata_status note_change(exec_context *context, chain_slot *slot, messages *m)
{
    struct exec_ranks *r = context->ranks;
    kata_status status = slot->part ? KATA_OK : exec_bring_home(context, slot, m);
    if (status) exec_lose(slot);
    if (!slot->part && !store_part_fit(slot, &r->box, no_margin, no_wraps))
        ranks_no_room(r, &slot, 1);
    slot->part->home = (plan_home){.whole = false};
    slot->part->changed = false;
    return status;
}

kata_status ranks_tell_changes(exec_context *context, chain_slot *const *slots, size_t count,
                               messages *m)
{
    struct exec_ranks *r = context->ranks;
    if (!r->has_own || !count) return KATA_OK;
    uint64_t *changed = calloc(count, sizeof *changed);
    if (!changed) comm_give_up(r->comm, "out of memory");
    for (size_t i = 0; changed && i < count; i++) changed[i] = is_changed(slots[i]);
    kata_status told = comm_largest(r->comm, changed, (int)count, m), status = told;
    for (size_t i = 0; i < count && !told; i++) {
        kata_status noted = changed[i] ? note_change(context, slots[i], m) : KATA_OK;
        if (!status) status = noted;
    }
    free(changed);
    return status;
}

/* The same for one field, when ranks have not met. */
static kata_status tell_change(exec_context *context, chain_slot *slot, messages *m)
{
    struct exec_ranks *r = context->ranks;
    if (!r->has_own) return KATA_OK;
    bool changed = is_changed(slot);
    kata_status status = ranks_any(r, need_values, &changed, m);
    return status || !changed ? status : note_change(context, slot, m);
}

kata_status exec_tell_changes(exec_context *context, chain_slot *slot, messages *m)
{
    struct exec_ranks *r = context->ranks;
    kata_status status = exec_bring_home(context, slot, m);
    if (!r) return status;
    kata_status told = tell_change(context, slot, m);
    if (!status) status = told;
    return r->has_devices ? ranks_agree(r, need_values, status, NULL, NULL, m) : status;
}
