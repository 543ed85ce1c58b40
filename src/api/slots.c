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
    s->next = k->slots;
    k->slots = s;
    return &s->slot;
}

void api_slots_free(kata *k)
{
    for (struct api_slot *s = k->slots; s; s = s->next) {
        store_array_free(s->slot.array);
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
    if (slot->poisoned)
        api_set_poison(type, values, grid_box_points(box) * slot->components);
    else
        store_read(slot->array, box, slot->components, type, values);
}

void api_release_discarded(kata *k)
{
    if (!k->discarded) return; /* a program may have many fields, and end many chains */
    k->discarded = false;
    for (struct api_slot *s = k->slots; s; s = s->next) {
        store_array *array = s->slot.array;
        if (!s->slot.discarded || !array || !array->bytes) continue; /* or of the program */
        if (k->exec.poison) {
            store_fill_unset(array->type, array->memory, array->bytes);
        } else {
            store_array_free(array);
            s->slot.array = NULL;
        }
    }
}
