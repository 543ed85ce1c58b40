/* kata_map and kata_unmap: lend a field's memory to the program; or, where elements of a mesh do
 * not lie at their numbers, a copy in which they do. */
#include "api/api.h"

#include <stdlib.h>
#include <string.h>

static const char call[] = "kata_map";

/* Copies the values of a traced point before the program writes; the context frees the copy. */
static void note_before(kata_field *field)
{
    ir_value *before = api_trace_before(field);
    size_t bytes = (size_t)field->slot->components * sizeof *before;
    field->before = before ? arena_alloc(&field->k->memory, bytes) : NULL;
    if (field->before) memcpy(field->before, before, bytes);
    free(before);
}

static kata_status check(kata_field *field, int element, const void *pointer,
                         const kata_mapping *mapping)
{
    kata *k = field->k;
    if (k->messages.status) return k->messages.status;
    if (!pointer || !mapping)
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: the %s is NULL", call,
                        pointer ? "mapping" : "pointer");
    grid_box points = chain_slot_points(field->slot, &field->boundary);
    kata_status status = api_check_value(field, call, &points);
    if (!status) status = api_check_element(k, call, field->name, field->slot->type, element);
    if (!status && store_slot_rows(field->slot) == CODEGEN_BLOCKED)
        status = api_fail(k, KATA_ERROR_ARGUMENT,
                          "%s: field '%s' has the layout KATA_BLOCKS, which strides cannot "
                          "describe; copy its values with kata_get and kata_put, or make it with "
                          "another layout",
                          call, field->name);
    return status;
}

static kata_mapping mapping_of(const kata_field *field)
{
    const store_array *shown = api_shown(field->slot), *a = shown ? shown : field->slot->array;
    grid_box points = chain_slot_points(field->slot, &field->boundary);
    if (shown) points = shown->box;
    if (field->lent && field->lent->array) a = field->lent->array;
    kata_mapping mapping = (kata_mapping){.values = a->data,
                                          .type = a->type,
                                          .components = a->components,
                                          .size = {points.hi[0], points.hi[1], points.hi[2]},
                                          .stride = {a->pitch_x, a->pitch_y, a->pitch_z},
                                          .component_stride = a->pitch_component};
    const kata_mapping given = mapping;
    for (int d = 0; d < 3 && field->grid->mesh; d++) {
        mapping.size[d] = given.size[field->grid->mesh->as.axis[d]];
        mapping.stride[d] = given.stride[field->grid->mesh->as.axis[d]];
    }
    return mapping;
}

/* Copies all values from an array to another of the same indices. */
static kata_status copy_numbers(kata *k, const store_array *from, store_array *to)
{
    size_t values = (size_t)grid_box_points(&from->box) * (size_t)from->components;
    void *room = malloc(values * (size_t)store_type_bytes(from->type) + 1);
    if (!room) return api_no_memory(k);
    store_read(from, &from->box, from->components, from->type, room);
    store_write(to, &to->box, from->type, room);
    free(room);
    return KATA_OK;
}

static kata_status lend_copy(kata_field *field)
{
    kata *k = field->k;
    chain_slot like = {.shape = field->slot->shape,
                       .type = field->slot->type,
                       .components = field->slot->components,
                       .layout = field->slot->layout};
    memcpy(like.absent_axis, field->slot->absent_axis, sizeof like.absent_axis);
    memcpy(like.staggered, field->slot->staggered, sizeof like.staggered);
    memcpy(like.ghosts, field->slot->ghosts, sizeof like.ghosts);
    if (!field->lent) field->lent = api_slot_new(k, &like);
    if (!field->lent) return k->messages.status;
    kata_status status = store_make_array(field->lent, field->name, &k->messages);
    return status ? status : copy_numbers(k, field->slot->array, field->lent->array);
}

/* Ends the loan. */
static kata_status take_back(kata_field *field)
{
    chain_slot *lent = field->lent;
    if (!lent || !lent->array) return KATA_OK;
    kata_status status = KATA_OK;
    if (field->written) status = copy_numbers(field->k, lent->array, field->slot->array);
    store_array_free(lent->array);
    lent->array = NULL;
    return status;
}

/* Puts a field's values where the mapping says. */
static kata_status prepare(kata_field *field)
{
    kata *k = field->k;
    if (api_shown(field->slot)) return api_show_all(k);
    kata_status status = api_make_whole(k, field->slot);
    if (!status) status = store_make_array(field->slot, field->name, &k->messages);
    return status || !field->slot->array->place ? status : lend_copy(field);
}

kata_status kata_map_element(kata_field *field, int element, bool writable, void *pointer,
                             kata_mapping *mapping)
{
    kata_mapping found = {0};
    kata_status status =
        field ? check(field, element, pointer, mapping) : api_null(call, "the field");
    if (!status) status = api_flush(field->k, call);
    if (!status) status = prepare(field);
    if (field) api_note_error(field->k);
    if (!status) {
        found = mapping_of(field);
        field->mapped = true;
        field->written = writable;
        if (writable) note_before(field);
    }
    if (pointer) memcpy(pointer, &found.values, sizeof found.values);
    if (mapping) *mapping = found;
    return status;
}

static void note_after(kata_field *field)
{
    if (!field->written) return;
    kata *k = field->k;
    field->slot->version++;
    const grid_box points = chain_slot_points(field->slot, &field->boundary);
    if (api_shown(field->slot))
        api_take_shown(k, field->slot);
    else
        exec_note_values(&k->exec, field->slot, &points);
    if (field->before)
        observe_trace_call(k->exec.trace, "kata_unmap", field->name, field->slot, field->before);
    if (k->record) observe_record_put(k->record, field->name, field->slot);
}

kata_status kata_unmap(kata_field *field)
{
    if (!field) return api_null("kata_unmap", "the field");
    kata *k = field->k;
    if (!field->mapped)
        return api_fail(k, KATA_ERROR_ARGUMENT, "kata_unmap: field '%s' is not mapped",
                        field->name);
    field->mapped = false;
    if (take_back(field)) return k->messages.status;
    note_after(field);
    return k->messages.status;
}
