/* Copies of fields in the memory of a device. */
#include "store/device_copy.h"

#include <stdlib.h>
#include <string.h>

enum {
    ALIGN = 128, /* bytes, of rows: what a device reads at once */
    PIECE = 1 << 24
};

/* ---- where elements are ---------------------------------------------------------------------- */

size_t store_device_lay_out(store_device *on, const chain_slot *slot)
{
    const grid_box *room = &on->room;
    int64_t line = ALIGN / store_type_bytes(slot->type);
    int64_t left = round_up(-smaller(room->lo[0], 0), line);
    on->place.y = round_up(left + larger(room->hi[0], 0), line);
    on->place.z = on->place.y * (room->hi[1] - room->lo[1]);
    on->place.period = 0;
    on->place.end = INT32_MAX;
    on->place.component = on->place.z * (room->hi[2] - room->lo[2]);
    on->place.at = STORE_BEYOND / store_type_bytes(slot->type) + left - room->lo[1] * on->place.y -
                   room->lo[2] * on->place.z;
    return (size_t)(on->place.component * slot->components * store_type_bytes(slot->type)) +
           2 * STORE_BEYOND;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void enter(store_copies *all, store_device *on)
{
    on->all = all;
    on->next = all->first;
    if (on->next) on->next->link = &on->next;
    on->link = &all->first;
    all->first = on;
}

void store_device_free(chain_slot *slot)
{
    store_device *on = slot->on_device;
    if (!on) return;
    if (on->next) on->next->link = on->link;
    *on->link = on->next;
    device_release(on->device, on->memory);
    free(on);
    slot->on_device = NULL;
}

grid_box store_device_memory(const chain_slot *slot)
{
    return slot->array ? slot->array->box : chain_slot_memory(slot);
}

int64_t store_device_bytes(const chain_slot *slot, const grid_box *room)
{
    grid_box memory = store_device_memory(slot);
    store_device on = {.room = grid_box_hull(&memory, room)};
    return (int64_t)store_device_lay_out(&on, slot);
}

bool store_device_holds(const chain_slot *slot, const grid_box *room)
{
    return slot->on_device && grid_box_contains(&slot->on_device->room, room);
}

bool store_device_make(store_copies *copies, chain_slot *slot, const grid_box *room)
{
    grid_box memory = store_device_memory(slot), all = grid_box_hull(&memory, room);
    if (slot->on_device) all = grid_box_hull(&all, &slot->on_device->room);
    if (!store_device_bring_home(slot)) return false;
    store_device_free(slot);
    store_device *on = calloc(1, sizeof *on);
    if (!on) return false;
    on->filled = -1;
    on->device = copies->device;
    on->slot = slot;
    on->room = all;
    on->bytes = store_device_lay_out(on, slot);
    on->memory = device_allocate(on->device, on->bytes);
    if (!on->memory) {
        free(on);
        return false;
    }
    slot->on_device = on;
    enter(copies, on);
    return true;
}

/* ---- values ---------------------------------------------------------------------------------- */

device_box store_device_box(const chain_slot *slot, const grid_box *box, int component)
{
    const store_device *on = slot->on_device;
    int64_t bytes = store_type_bytes(slot->type);
    int64_t at = on->place.at + component * on->place.component + box->lo[0] +
                 box->lo[1] * on->place.y + box->lo[2] * on->place.z;
    size_t row = (size_t)((box->hi[0] - box->lo[0]) * bytes);
    size_t rows = (size_t)(box->hi[1] - box->lo[1]);
    return (device_box){.row = row,
                        .rows = rows,
                        .planes = (size_t)(box->hi[2] - box->lo[2]),
                        .at = (size_t)(at * bytes),
                        .row_pitch = (size_t)(on->place.y * bytes),
                        .plane_pitch = (size_t)(on->place.z * bytes),
                        .host_row_pitch = row,
                        .host_plane_pitch = row * rows};
}

/* Copies a component of an array whose rows are contiguous. */
static bool copy_plain(const chain_slot *slot, const grid_box *box, int component, bool to_device)
{
    const store_array *a = slot->array;
    int64_t bytes = store_type_bytes(slot->type);
    device_box rows = store_device_box(slot, box, component);
    rows.host_row_pitch = (size_t)(a->pitch_y * bytes);
    rows.host_plane_pitch = (size_t)(a->pitch_z * bytes);
    void *first = store_address(a, component, box->lo);
    return to_device ? device_put(slot->on_device->device, slot->on_device->memory, first, &rows)
                     : device_get(slot->on_device->device, slot->on_device->memory, first, &rows);
}

/* Copies some planes by way of memory in which they lie without gaps. */
static bool copy_packed(const chain_slot *slot, const grid_box *box, int component, bool to_device,
                        void *packed)
{
    store_device *on = slot->on_device;
    store_array one = store_components(slot->array, component, 1);
    device_box rows = store_device_box(slot, box, component);
    if (to_device) {
        store_pack(&one, box, packed);
        return device_put(on->device, on->memory, packed, &rows);
    }
    if (!device_get(on->device, on->memory, packed, &rows)) return false;
    store_unpack(&one, box, packed);
    return true;
}

bool store_device_is_plain(const store_array *a)
{
    return a->pitch_x == 1 && a->block == 1 && a->pitch_y > 0 && a->pitch_z > 0;
}

static bool copy_component(const chain_slot *slot, const grid_box *box, int component,
                           bool to_device)
{
    const store_array *a = slot->array;
    if (store_device_is_plain(a)) return copy_plain(slot, box, component, to_device);
    int64_t plane =
        (box->hi[0] - box->lo[0]) * (box->hi[1] - box->lo[1]) * store_type_bytes(slot->type);
    int64_t planes = larger(PIECE / larger(plane, 1), 1);
    void *packed = malloc((size_t)(planes * plane + 1));
    bool done = packed;
    grid_box part = *box;
    for (int64_t z = box->lo[2]; z < box->hi[2] && done; z = part.hi[2]) {
        part.lo[2] = z;
        part.hi[2] = smaller(z + planes, box->hi[2]);
        done = copy_packed(slot, &part, component, to_device, packed);
    }
    free(packed);
    return done;
}

static bool copy_box(const chain_slot *slot, const grid_box *box, bool to_device)
{
    bool done = true;
    for (int c = 0; c < slot->components && done && !grid_box_is_empty(box); c++)
        done = copy_component(slot, box, c, to_device);
    return done;
}

bool store_device_take(chain_slot *slot, const grid_box *inside)
{
    store_device *on = slot->on_device;
    grid_box all = store_device_memory(slot), needed = grid_box_intersect(inside, &all);
    if (on->ring || (on->valid && grid_box_contains(&on->own, &needed))) return true;
    if (!store_device_bring_home(slot)) return false;
    if (slot->poisoned && !store_slot_array(slot)) return false;
    on->valid = slot->array ? copy_box(slot, &all, true)
                            : device_set(on->device, on->memory, 0, 0, on->bytes);
    store_device_changed(slot);
    on->newer = false;
    on->own = all;
    return on->valid;
}

void store_device_changed(chain_slot *slot)
{
    slot->on_device->changes++;
    slot->on_device->newer = true;
}

bool store_device_bring_home(chain_slot *slot)
{
    store_device *on = slot->on_device;
    if (!on || on->ring || !on->newer || !on->valid) return true;
    if (!store_slot_array(slot) || !copy_box(slot, &on->own, false)) return false;
    on->newer = false;
    return true;
}

bool store_device_hide(chain_slot *slot, const grid_box *inside)
{
    grid_box all = store_device_memory(slot);
    if (slot->on_device->ring || grid_box_contains(inside, &all) ||
        grid_box_contains(inside, &slot->on_device->own))
        return true;
    if (!store_slot_array(slot) || !store_device_bring_home(slot)) return false;
    slot->on_device->own = grid_box_intersect(inside, &all);
    return true;
}

bool store_device_get_box(chain_slot *slot, const grid_box *box)
{
    const store_device *on = slot->on_device;
    if (!on || !on->newer || !on->valid) return true;
    grid_box part = grid_box_intersect(box, &on->own);
    return copy_box(slot, &part, false);
}

bool store_device_put_box(chain_slot *slot, const grid_box *box)
{
    store_device *on = slot->on_device;
    if (!on || !on->valid) return true;
    grid_box part = grid_box_intersect(box, &on->own);
    on->changes++;
    return copy_box(slot, &part, true);
}

/* ---- packed values ----------------------------------------------------------------------------
 */

bool store_device_has(const chain_slot *slot, const grid_box *box, bool alone)
{
    const store_device *on = slot->on_device;
    return on && !on->ring && on->valid && (on->newer || !alone) &&
           grid_box_contains(&on->own, box);
}

/* Packs a component, or unpacks it. */
static bool pack_component(const chain_slot *slot, const grid_box *box, int component, bool packs,
                           const store_packed *packed)
{
    const store_device *on = slot->on_device;
    const device_box rows = store_device_box(slot, box, component);
    const size_t at = (size_t)component * rows.row * rows.rows * rows.planes;
    if (packed->there)
        return packs ? device_pack(on->device, on->memory, packed->there, packed->at + at, &rows)
                     : device_unpack(on->device, on->memory, packed->there, packed->at + at, &rows);
    return packs ? device_get_later(on->device, DEVICE_WORK, on->memory, packed->here + at, &rows)
                 : device_put_later(on->device, DEVICE_WORK, on->memory, packed->here + at, &rows);
}

bool store_device_pack(const chain_slot *slot, const grid_box *box, const store_packed *to)
{
    bool done = true;
    for (int c = 0; c < slot->components && done; c++)
        done = pack_component(slot, box, c, true, to);
    return done;
}

bool store_device_unpack(chain_slot *slot, const grid_box *box, const store_packed *from)
{
    bool done = true;
    slot->on_device->changes++;
    for (int c = 0; c < slot->components && done; c++)
        done = pack_component(slot, box, c, false, from);
    return done;
}

void store_device_forget(chain_slot *slot)
{
    if (slot->on_device) slot->on_device->valid = slot->on_device->newer = false;
    if (slot->part) store_device_forget(&slot->part->slot);
}
