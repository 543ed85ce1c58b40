/* The values of a field, for files. */
#include "api/files.h"

#include <stdlib.h>

kata_type api_file_type(kata_type type)
{
    bool narrow = ir_storages[type].coded && ir_type_is_floating(ir_type_of_storage(type));
    return narrow ? KATA_F32 : type;
}

void *api_values_of(kata_field *field, const char *call, kata_type type)
{
    chain_slot *slot = field->slot;
    grid_box all = chain_slot_points(slot, &field->boundary);
    if (api_check_value(field, call, &all) || api_flush(field->k, call)) return NULL;
    size_t count = (size_t)(grid_box_points(&all) * slot->components);
    void *values = calloc(count, (size_t)store_type_bytes(type));
    if (!values) api_no_memory(field->k);
    if (values && api_read_field(field->k, slot, &all, type, values)) {
        free(values);
        return NULL;
    }
    return values;
}
