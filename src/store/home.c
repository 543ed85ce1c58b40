/* Where the values of fields and scalars live between loops: in arrays that are made when they are
 * first needed. Until then all values of a slot are equal: zero, or poison. */
#include "store/pool.h"

#include <stdio.h>
#include <string.h>

codegen_rows store_slot_rows(const chain_slot *slot)
{
    const store_array *a = slot->array;
    if (slot->components > 1 && (a ? a->block > 1 : slot->layout == KATA_BLOCKS))
        return CODEGEN_BLOCKED;
    if (a ? a->pitch_x == 1 : slot->components == 1 || slot->layout == KATA_ARRAYS)
        return CODEGEN_CONTIGUOUS;
    return !a || a->pitch_x == slot->components ? CODEGEN_TOGETHER : CODEGEN_STRIDED;
}

/* The indices of a slot, and those around it that kernels are expected to read, where they may be
 * filled and are not many. */
static grid_box expected_room(const chain_slot *slot)
{
    enum { MOST_PARTS = 2, FEW = 4096 }; /* as much as 1/MOST_PARTS of the values, or few */
    grid_box box = chain_slot_memory(slot), room = box;
    bool plain = slot->pool && !slot->is_scalar && store_slot_rows(slot) == CODEGEN_CONTIGUOUS;
    for (int d = 0; d < slot->shape.rank && plain; d++) {
        plain = !slot->ghosts[d];
        if (!slot->absent_axis[d]) store_pool_widen(slot->pool, slot->components, d, &room);
    }
    double values = (double)grid_box_points(&box), all = 1;
    for (int d = 0; d < 3; d++) all *= (double)(room.hi[d] - room.lo[d]);
    return plain && all <= values + values / MOST_PARTS + FEW ? room : box;
}

void store_slot_place(chain_slot *slot)
{
    slot->far = slot->array && (slot->array->file || slot->array->nowhere);
}

store_array *store_slot_array_with(chain_slot *slot, const grid_box *room, bool zero)
{
    if (slot->array) return slot->array;
    grid_box expected = expected_room(slot);
    store_array like = {.type = slot->type, .components = slot->components, .pool = slot->pool};
    like.box = chain_slot_memory(slot);
    like.room = grid_box_hull(&expected, room);
    if (slot->mesh && slot->on) like.place = slot->mesh->places[slot->on - KATA_CELLS].place;
    if (like.place) like.placed = slot->mesh->along;
    slot->array = store_array_make_at(&like, slot->layout, zero && !slot->poisoned, slot->home);
    if (slot->array && zero && slot->poisoned) store_poison(slot->array);
    if (slot->array) slot->poisoned = false;
    store_slot_place(slot);
    return slot->array;
}

store_array *store_slot_array(chain_slot *slot)
{
    if (slot->array) return slot->array; /* the usual case */
    grid_box room = chain_slot_memory(slot);
    return store_slot_array_with(slot, &room, true);
}

/* Gives a slot an array of the same values in memory, or in a file. */
static bool move_to(chain_slot *slot, chain_home home)
{
    store_array *old = slot->array;
    store_array *to = store_array_make_at(old, store_array_layout(old), false, home);
    if (!to) return false;
    store_assign(to, old);
    to->around = 0;
    store_array_free(old);
    slot->array = to;
    store_slot_place(slot);
    return true;
}

bool store_slot_send_away(chain_slot *slot, bool always)
{
    const store_array *a = slot->array;
    bool own = a && a->bytes && !a->file && !a->nowhere && !slot->is_scalar;
    if (!own || !(always || (!a->kept && store_pool_sends_away(a->pool, a->bytes)))) return true;
    return move_to(slot, CHAIN_IN_FILE);
}

bool store_slot_keep(chain_slot *slot)
{
    store_array *a = slot->array;
    if (a && a->file) return move_to(slot, CHAIN_IN_MEMORY);
    if (a) a->kept = true;
    return a;
}

int64_t store_slot_bytes(const chain_slot *slot)
{
    const grid_box all = chain_slot_memory(slot);
    if (slot->array) return (int64_t)slot->array->bytes;
    return grid_box_points(&all) * slot->components * store_type_bytes(slot->type);
}

int64_t store_slot_plane_bytes(const chain_slot *slot)
{
    const grid_box all = chain_slot_memory(slot);
    const int d = store_ring_dimension(slot);
    return store_slot_bytes(slot) / larger(all.hi[d] - all.lo[d], 1);
}

ir_value store_scalar(const chain_slot *slot, int element)
{
    ir_value value = {0};
    const store_array *a = slot->array;
    size_t size = (size_t)store_type_bytes(slot->type);
    if (a) memcpy(&value, (const char *)a->data + element * a->pitch_component * (int)size, size);
    if (!a && slot->poisoned) store_poison_values(slot->type, &value, 1);
    return value;
}

bool store_scalar_set(chain_slot *slot, int element, ir_value value)
{
    const store_array *a = store_slot_array(slot);
    size_t size = (size_t)store_type_bytes(slot->type);
    if (a) memcpy((char *)a->data + element * a->pitch_component * (int)size, &value, size);
    return a != NULL;
}

void store_log(const chain_loop *loop)
{
    for (int p = 0; p < loop->kernel->param_count; p++) {
        const chain_binding *b = &loop->bindings[p];
        if (!b->log) continue;
        ir_value *entry = b->log->values + b->entry % b->log->room * b->slot->components;
        for (int i = 0; i < b->slot->components; i++) entry[i] = store_scalar(b->slot, i);
    }
}

/* A size in the unit that fits: "24 bytes", "1.5 kB", "2.0 GB". */
static void print_size(char out[32], double bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB"};
    size_t unit = 0;
    for (; bytes >= 1000 && unit + 1 < COUNT_OF(units); unit++) bytes /= 1000;
    snprintf(out, 32, unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

const char *store_no_disk(const chain_slot *slot, const char **folder)
{
    return slot->pool ? store_pool_why(slot->pool, folder) : NULL;
}

kata_status store_no_memory(const chain_slot *slot, const char *name, messages *m)
{
    grid_box all = chain_slot_memory(slot);
    double bytes = (double)grid_box_points(&all) * slot->components * store_type_bytes(slot->type);
    char size[32];
    print_size(size, bytes);
    const char *folder, *why = store_no_disk(slot, &folder);
    if (why)
        return message_fail(m, KATA_ERROR_FILE,
                            "field '%s' needs %s on the disk of the folder '%s': %s", name, size,
                            folder, why);
    return message_fail(m, KATA_ERROR_MEMORY, "out of memory: field '%s' needs %s", name, size);
}

kata_status store_make_array(chain_slot *slot, const char *name, messages *m)
{
    return store_slot_array(slot) ? KATA_OK : store_no_memory(slot, name, m);
}

kata_status store_make_arrays(const chain_loop *loop, messages *m)
{
    kata_status status = KATA_OK;
    for (int p = 0; p < loop->kernel->param_count && status == KATA_OK; p++) {
        const chain_binding *b = &loop->bindings[p];
        if (ir_param_takes_field(&loop->kernel->params[p]))
            status = store_make_array(b->slot, b->name, m);
    }
    return status;
}
