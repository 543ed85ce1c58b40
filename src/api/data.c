/* kata_get and kata_put copy values. They run the queue first where it writes what is got, or uses
 * what is put. A put to a small field does not, unless they write values that it leaves: the field
 * gets a slot of its own, and queued loops keep the old one. */
#include "api/api.h"

#include <stdlib.h>

/* The number of values in a range, which may be anything: INT64_MAX where there are more. */
static int64_t range_values(const kata_field *field, const kata_range *range, grid_box *box)
{
    int64_t values = field->slot->components, extent;
    bool over = false;
    *box = api_field_box(field, range);
    if (grid_box_is_empty(box)) return 0;
    for (int d = 0; d < 3 && !over; d++)
        over = __builtin_sub_overflow(box->hi[d], box->lo[d], &extent) ||
               __builtin_mul_overflow(values, extent, &values);
    return over ? INT64_MAX : values;
}

static bool is_of_grid(const kata_field *field, const kata_grid *grid)
{
    grid_shape made_for = chain_slot_grid(field->slot);
    if (field->grid->mesh || grid->mesh) return field->grid == grid;
    return grid_shape_equal(&grid->shape, &made_for);
}

static kata_status check_box(const kata_field *field, const char *call, const kata_range *range)
{
    if (!is_of_grid(field, range->grid))
        return api_fail(field->k, KATA_ERROR_ARGUMENT,
                        "%s: the range is of another grid than field '%s'", call, field->name);
    grid_box box = api_field_box(field, range);
    grid_box inside = chain_slot_inside(field->slot, &field->boundary);
    if (grid_box_contains(&inside, &box)) return KATA_OK;
    if (field->grid->mesh) box = api_mesh_shown(field->grid, &box);
    if (field->grid->mesh) inside = api_mesh_shown(field->grid, &inside);
    text given = {0}, has = {0};
    grid_box_print(&given, &box, range->rank);
    grid_box_print(&has, &inside, range->rank);
    api_fail(field->k, KATA_ERROR_ARGUMENT,
             "%s: the range %s reaches outside field '%s', which has %s", call, text_get(&given),
             field->name, text_get(&has));
    text_free(&given);
    text_free(&has);
    return KATA_ERROR_ARGUMENT;
}

kata_status api_check_points(const kata_field *field, const char *call, const kata_range *range)
{
    kata *k = field->k;
    kata_status status = api_check_range(k, call, range);
    if (status) return status;
    if (range->needed)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "%s: kata_needed is for kernels; all points of a field are kata_on(%s)",
                        call, field->name);
    if (range->colors > 1)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "%s: a coloured range is for kernels; values are copied by whole boxes",
                        call);
    return check_box(field, call, range);
}

static kata_status check_copy(kata_field *field, const char *call, const kata_range *range,
                              kata_type type, const void *values, int64_t count, grid_box *box)
{
    kata *k = field->k;
    if (k->messages.status) return k->messages.status;
    kata_range unmarked = range ? *range : (kata_range){0};
    unmarked.local = false;
    kata_status status = api_check_points(field, call, range ? &unmarked : NULL);
    if (status) return status;
    kata_type own = field->slot->type;
    if (!api_type_is_valid(type) || !store_converts(own, type))
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "%s: field '%s' holds %s; its values cannot be copied as %s", call,
                        field->name, store_type_name(own),
                        api_type_is_valid(type) ? store_type_name(type) : "another type");
    int64_t needed = range_values(field, range, box);
    if (count != needed)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "%s: the range of field '%s' has %lld values, and count is %lld%s", call,
                        field->name, (long long)needed, (long long)count,
                        needed && count == needed * store_type_bytes(type)
                            ? ": it is a number of values, not of bytes"
                            : "");
    status = api_check_unmapped(field, call);
    if (status) return status;
    if (!values && needed) return api_fail(k, KATA_ERROR_ARGUMENT, "%s: values is NULL", call);
    return KATA_OK;
}

/* The number of values to set after an error of kata_get: at most as many as the range has, because
 * `count` may be wrong. */
static int64_t poisoned(const kata_field *field, const kata_range *range, int64_t count)
{
    grid_box box;
    int64_t values = field && range ? range_values(field, range, &box) : 1;
    return count < values ? count : values;
}

/* Values of a mesh that its arrays have in another order. */
static kata_status get_in_order(kata_field *field, const grid_box *box, kata_type type,
                                void *values)
{
    kata *k = field->k;
    size_t bytes = (size_t)store_type_bytes(type);
    size_t count = (size_t)(grid_box_points(box) * field->slot->components);
    void *room = malloc(count * bytes + 1);
    if (!room) return api_no_memory(k);
    kata_status status = api_read_field(k, field->slot, box, type, room);
    if (!status)
        api_mesh_reorder(field->grid, box, field->slot->components, bytes, room, values, true);
    free(room);
    return status;
}

static kata_status get_box(kata_field *field, const grid_box *box, kata_type type, void *values)
{
    kata *k = field->k;
    kata_status status = KATA_OK;
    if (api_slot_is_awaited(k, field->slot)) status = api_flush(k, "kata_get");
    if (status || !field->grid->mesh || api_mesh_is_plain(field->grid))
        return status ? status : api_read_field(k, field->slot, box, type, values);
    return get_in_order(field, box, type, values);
}

static kata_status get_values(kata_field *field, const kata_range *range, kata_type type,
                              void *values, int64_t count)
{
    grid_box box;
    kata_status status = field ? check_copy(field, "kata_get", range, type, values, count, &box)
                               : api_null("kata_get", "the field");
    if (!status) status = api_check_value(field, "kata_get", &box);
    if (!status)
        status = range->local ? api_get_own(field, &box, type, values)
                              : get_box(field, &box, type, values);
    if (status) api_set_poison(type, values, poisoned(field, range, count));
    return status;
}

kata_status kata_get_values(kata_field *field, const kata_range *range, kata_type type,
                            void *values, int64_t count)
{
    rounding_environment own;
    rounding_enter(&own);
    kata_status status = get_values(field, range, type, values, count);
    rounding_leave(&own);
    return status;
}

static bool holds_all(const chain_slot *slot, const grid_box *box)
{
    grid_box all = chain_slot_memory(slot);
    return grid_box_contains(box, &all);
}

static int64_t bytes_of(const chain_slot *slot)
{
    grid_box all = chain_slot_memory(slot);
    return grid_box_points(&all) * slot->components * store_type_bytes(slot->type);
}

/* Whether a put can go to another slot: a small field's, and the values that are not put are known.
 * The bytes of such puts are bounded. */
static bool can_renew(const kata_field *field, const grid_box *box)
{
    enum { EACH = 64 << 10, TOGETHER = 1 << 20 };
    const chain_slot *slot = field->slot;
    bool own = (!slot->array || slot->array->bytes) && !api_shown(slot);
    int64_t bytes = bytes_of(slot);
    return own && !slot->temporary && !slot->tracked && bytes <= EACH &&
           (int64_t)field->k->put_bytes + bytes <= TOGETHER &&
           (holds_all(slot, box) || !api_slot_is_awaited(field->k, slot));
}

/* Gives a field another slot, with the values that are not put. */
static kata_status renew(kata_field *field, const grid_box *box)
{
    kata *k = field->k;
    chain_slot *old = field->slot;
    chain_slot *slot = api_slot_renew(k, old);
    if (!slot) return k->messages.status;
    field->slot = slot;
    k->put_bytes += (size_t)bytes_of(slot);
    if (holds_all(slot, box)) return KATA_OK;
    slot->poisoned = old->poisoned;
    if (api_make_whole(k, old)) return k->messages.status;
    if (old->array) slot->array = store_array_copy(old->array);
    return slot->array || !old->array ? KATA_OK : api_no_memory(k);
}

/* Sees to it that a put does not change what queued loops use. Records and traces show puts between
 * the loops that they lie between. */
static kata_status prepare_put(kata_field *field, const grid_box *box)
{
    kata *k = field->k;
    if (k->record || k->exec.trace) return api_flush(k, "kata_put");
    if (!api_slot_is_queued(k, field->slot)) return KATA_OK;
    return can_renew(field, box) ? renew(field, box) : api_flush(k, "kata_put");
}

/* False when memory is out. */
static bool write_values(kata_field *field, const grid_box *box, kata_type type, const void *values)
{
    if (!field->grid->mesh || api_mesh_is_plain(field->grid)) {
        store_write(field->slot->array, box, type, values);
        return true;
    }
    size_t bytes = (size_t)store_type_bytes(type);
    void *room = malloc((size_t)(grid_box_points(box) * field->slot->components) * bytes + 1);
    if (!room) return false;
    api_mesh_reorder(field->grid, box, field->slot->components, bytes, values, room, false);
    store_write(field->slot->array, box, type, room);
    free(room);
    return true;
}

kata_status api_begin_put(kata_field *field, const grid_box *box)
{
    kata *k = field->k;
    kata_status status = prepare_put(field, box);
    if (!status) status = api_make_whole(k, field->slot);
    if (status) return status;
    status = store_make_array(field->slot, field->name, &k->messages);
    api_note_error(k);
    return status;
}

kata_status api_note_put(kata_field *field, const grid_box *box)
{
    chain_slot *slot = field->slot;
    const grid_box all = chain_slot_points(slot, &field->boundary);
    slot->version++;
    if (grid_box_contains(box, &all)) slot->discarded = false;
    return chain_slot_note(slot, box) ? KATA_OK : api_no_memory(field->k);
}

kata_status api_end_put(kata_field *field, const char *call, const grid_box *box, ir_value *before)
{
    kata *k = field->k;
    kata_status status = api_note_put(field, box);
    api_trace_after(field, call, before);
    if (k->record) observe_record_put(k->record, field->name, field->slot);
    return status;
}

static kata_status put_values(kata_field *field, const kata_range *range, kata_type type,
                              const void *values, int64_t count)
{
    if (!field) return api_null("kata_put", "the field");
    grid_box box;
    kata_status status = check_copy(field, "kata_put", range, type, values, count, &box);
    if (!status) status = api_check_host(field, "kata_put");
    if (!status && range->local) return api_put_own(field, &box, type, values);
    if (!status && field->slot->tracked) /* which of its points are set is known by box */
        status = api_mesh_part(range, field->slot->on, "kata_put to some elements of a mesh");
    if (!status) status = api_begin_put(field, &box);
    if (status) return status;
    exec_note_put(&field->k->exec, values, (size_t)count * (size_t)store_type_bytes(type));
    ir_value *before = api_trace_before(field);
    if (!write_values(field, &box, type, values)) return api_no_memory(field->k);
    return api_end_put(field, "kata_put", &box, before);
}

kata_status kata_put_values(kata_field *field, const kata_range *range, kata_type type,
                            const void *values, int64_t count)
{
    rounding_environment own;
    rounding_enter(&own);
    kata_status status = put_values(field, range, type, values, count);
    rounding_leave(&own);
    return status;
}
