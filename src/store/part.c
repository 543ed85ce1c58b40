/* Parts of fields: their boxes and their memory. */
#include "store/store.h"

#include <stdlib.h>

/* The indices that a part of a slot is to have memory for. */
static grid_box held_box(const chain_slot *slot, const plan_ranks *ranks, const int64_t margin[3],
                         const bool wraps[3])
{
    plan_span span[3];
    for (int d = 0; d < 3; d++) span[d] = (plan_span){-margin[d], margin[d]};
    return plan_held(slot, ranks, ranks->rank, span, wraps);
}

static store_part *part_new(const chain_slot *slot, const grid_box *held)
{
    store_part *part = calloc(1, sizeof *part);
    if (!part) return NULL;
    grid_box all = chain_slot_memory(slot), one = {{0, 0, 0}, {1, 1, 1}};
    part->slot = *slot;
    part->slot.part = NULL;
    part->slot.on_device = NULL;
    part->slot.temporary = part->slot.tracked = part->slot.discarded = false;
    part->slot.set = (grid_region){0};
    for (int d = 0; d < 3; d++)
        part->slot.ghosts[d] += larger(larger(all.lo[d] - held->lo[d], held->hi[d] - all.hi[d]), 0);
    part->held = *held;
    store_array like = {.type = slot->type, .components = slot->components, .pool = slot->pool};
    like.box = like.room = grid_box_is_empty(held) ? one : *held;
    part->slot.array = store_array_make(&like, slot->layout, !slot->poisoned);
    if (part->slot.array && slot->poisoned) store_poison(part->slot.array);
    part->slot.poisoned = false;
    part->slot.far = part->slot.array && part->slot.array->file;
    if (part->slot.array) return part;
    free(part);
    return NULL;
}

/* Takes values from the indices `there` of another array; along dimensions that wrap, those that
 * the field does not have itself also from a period away. */
static void take_values(store_part *to, const store_array *from, const grid_box *there,
                        const int64_t period[3], int d, int64_t shift[3])
{
    if (d < 3) {
        int64_t images = period[d] ? 1 + (to->held.hi[d] - to->held.lo[d]) / period[d] : 0;
        for (int64_t i = -images; i <= images; i++) {
            shift[d] = i * period[d];
            take_values(to, from, there, period, d + 1, shift);
        }
        return;
    }
    bool moved = shift[0] || shift[1] || shift[2];
    grid_box image = grid_box_moved(there, shift, -1), pieces[6];
    grid_box box = grid_box_intersect(&to->held, &image);
    int count = moved ? grid_box_subtract(&box, there, pieces) : 1;
    if (!moved) pieces[0] = box;
    for (int i = 0; i < count; i++) store_copy_box(to->slot.array, from, &pieces[i], shift);
}

bool store_part_fits(const chain_slot *slot, const plan_ranks *ranks, const int64_t margin[3],
                     const bool wraps[3])
{
    if (!slot->part) return false;
    grid_box held = held_box(slot, ranks, margin, wraps);
    return grid_box_contains(&slot->part->held, &held);
}

bool store_part_fit(chain_slot *slot, const plan_ranks *ranks, const int64_t margin[3],
                    const bool wraps[3])
{
    const int64_t none[3] = {0, 0, 0};
    store_part *old = slot->part;
    grid_box all = chain_slot_memory(slot), held = held_box(slot, ranks, margin, wraps);
    int64_t period[3], shift[3] = {0, 0, 0};
    if (old && grid_box_contains(&old->held, &held)) return true;
    if (old) held = grid_box_hull(&old->held, &held);
    for (int d = 0; d < 3; d++)
        period[d] = wraps[d] && plan_may_wrap(slot, d) ? slot->shape.size[d] : 0;
    store_part *part = part_new(slot, &held);
    if (!part) return false;
    if (old) part->home = old->home;
    if (old) part->changed = old->changed;
    if (old)
        take_values(part, old->slot.array, &old->held, none, 0, shift);
    else if (slot->array)
        take_values(part, slot->array, &all, period, 0, shift);
    store_part_free(slot);
    store_drop_whole(slot);
    slot->part = part;
    return true;
}

void store_drop_whole(chain_slot *slot)
{
    store_device_free(slot);
    store_array_free(slot->array);
    slot->array = NULL;
}

void store_part_free(chain_slot *slot)
{
    if (!slot->part) return;
    store_device_free(&slot->part->slot);
    store_array_free(slot->part->slot.array);
    free(slot->part);
    slot->part = NULL;
}
