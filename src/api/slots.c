/* The slots of a context: where the values of its fields and scalars are. */
#include "api/api.h"

#include <stdlib.h>

chain_slot *api_slot_new(kata *k, const chain_slot *like)
{
    struct api_slot *s = arena_alloc(&k->memory, sizeof *s);
    if (!s) {
        api_no_memory(k);
        return NULL;
    }
    s->slot = *like;
    s->slot.pool = k->pool;
    grid_box all = chain_slot_memory(like);
    int64_t bytes = grid_box_points(&all) * like->components * store_type_bytes(like->type);
    store_pool_declare(k->pool, bytes / exec_ranks_count(&k->exec));
    s->next = k->slots;
    k->slots = s;
    return &s->slot;
}

/* ---- slots that queued loops use ------------------------------------------------------------- */

bool api_slot_is_queued(const kata *k, const chain_slot *slot)
{
    size_t at = (size_t)slot->number;
    return at < k->chain.slot_count && k->chain.slots[at] == slot;
}

bool api_slot_is_awaited(const kata *k, const chain_slot *slot)
{
    bool written = false;
    for (size_t i = 0; i < k->chain.count && api_slot_is_queued(k, slot) && !written; i++) {
        const chain_loop *loop = &k->chain.loops[i];
        for (int p = 0; p < loop->kernel->param_count; p++) {
            const ir_param *param = &loop->kernel->params[p];
            bool writes = ir_param_is_written_field(param) || ir_param_is_reduction(param);
            written = written || (writes && loop->bindings[p].slot == slot);
        }
    }
    return written;
}

static bool are_alike(const chain_slot *a, const chain_slot *b)
{
    return chain_slot_alike(a, b) && a->is_scalar == b->is_scalar && a->layout == b->layout;
}

/* Takes a slot out of the spare ones that is like another; NULL: there is none. */
static struct api_slot *take_spare(kata *k, const chain_slot *like)
{
    for (struct api_slot **at = &k->spare_slots; *at; at = &(*at)->next_unused) {
        struct api_slot *s = *at;
        if (!are_alike(&s->slot, like)) continue;
        *at = s->next_unused;
        return s;
    }
    return NULL;
}

chain_slot *api_slot_renew(kata *k, chain_slot *old)
{
    struct api_slot *own = (struct api_slot *)old, *s = take_spare(k, old);
    chain_slot *slot = s ? &s->slot : NULL;
    store_array *array = slot ? slot->array : NULL;
    chain_slot like = *old;
    like.array = NULL;
    like.poisoned = false;
    like.set = (grid_region){0};
    like.part = NULL;
    like.on_device = NULL;
    if (!slot) slot = api_slot_new(k, &like);
    if (!slot) return NULL;
    *slot = like;
    slot->array = array;
    slot->version++;
    old->log = NULL; /* queued loops have it in their bindings */
    own->next_unused = k->retired_slots;
    k->retired_slots = own;
    return slot;
}

void api_slots_spare(kata *k)
{
    while (k->retired_slots) {
        struct api_slot *s = k->retired_slots;
        k->retired_slots = s->next_unused;
        store_part_free(&s->slot);
        store_device_free(&s->slot);
        if (!s->slot.is_scalar) {
            store_array_free(s->slot.array);
            s->slot.array = NULL;
        }
        grid_region_free(&s->slot.set);
        s->slot.discarded = false;
        s->next_unused = k->spare_slots;
        k->spare_slots = s;
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

void api_slots_free(kata *k)
{
    for (struct api_slot *s = k->slots; s; s = s->next) {
        store_part_free(&s->slot);
        store_device_free(&s->slot);
        store_array_free(s->slot.array);
        store_array_free(s->shown);
        grid_region_free(&s->slot.set);
        if (s->slot.log) free(s->slot.log->values);
    }
}

void api_set_poison(kata_type type, void *values, int64_t count)
{
    if (api_type_is_valid(type)) store_poison_values(type, values, count);
}

void api_read(const chain_slot *slot, const grid_box *box, kata_type type, void *values)
{
    store_read_slot(slot, &(store_values){*box, 0, slot->components}, type, values);
}

kata_status api_check_process(kata *k)
{
    if (k->messages.status || !store_pool_is_inherited(k->pool)) return k->messages.status;
    message_begin(&k->messages, KATA_ERROR_FILE,
                  "fields of this context lie in files, and this process was forked from the one "
                  "that made them; only that one can use them");
    message_line(&k->messages,
                 "fork before there are values, or with a higher limit of memory (KATA_MEMORY)");
    message_send(&k->messages);
    api_note_error(k);
    return k->messages.status;
}

kata_status api_make_whole(kata *k, chain_slot *slot)
{
    if (api_check_process(k)) return k->messages.status;
    kata_status status = exec_make_whole(&k->exec, slot, &k->messages);
    api_note_error(k);
    return status;
}

kata_status api_read_field(kata *k, chain_slot *slot, const grid_box *box, kata_type type,
                           void *values)
{
    if (api_check_process(k)) return k->messages.status;
    kata_status status = exec_read(&k->exec, slot, box, type, values, &k->messages);
    api_note_error(k);
    return status;
}

void api_release_discarded(kata *k)
{
    if (!k->discarded) return; /* a program may have many fields, and end many chains */
    k->discarded = false;
    for (struct api_slot *s = k->slots; s; s = s->next) {
        store_array *array = s->slot.array;
        if (s->slot.discarded) store_part_free(&s->slot);
        if (s->slot.discarded) store_device_forget(&s->slot);
        if (!s->slot.discarded || !array || !array->bytes) continue; /* or of the program */
        if (k->exec.poison) {
            store_fill_unset(array->type, array->memory, array->bytes);
        } else {
            store_array_free(array);
            s->slot.array = NULL;
        }
    }
}
