/* Files of data: the formats, told from the ends of names. */
#include "api/files.h"

#include <stdlib.h>
#include <string.h>

static const api_format formats[] = {
    {".png", API_COLOURS, api_png_make, api_png_load, api_png_shape},
    {".npy", 0, api_npy_make, api_npy_load, api_npy_shape},
    {".vtkhdf", API_SEVERAL | API_TOGETHER | API_PLACES | API_CELLS | API_POSITIONS,
     api_vtkhdf_make, api_vtkhdf_load, api_vtkhdf_shape},
    {".nc", API_SEVERAL | API_PLACES | API_POSITIONS, api_netcdf_make, api_hdf5_load,
     api_hdf5_shape},
    {".h5", API_SEVERAL | API_PLACES, api_hdf5_make, api_hdf5_load, api_hdf5_shape},
    {".hdf5", API_SEVERAL | API_PLACES, api_hdf5_make, api_hdf5_load, api_hdf5_shape},
    {".apng", API_COLOURS | API_FRAMES, api_png_make, api_png_load, api_png_shape}};

/* "FILE:/DATASET" */
static const api_format dataset = {"", 0, NULL, api_hdf5_load, api_hdf5_shape};

const api_format *api_format_of(const char *path)
{
    for (size_t i = 0; i < COUNT_OF(formats); i++)
        if (api_ends_with(path, formats[i].ending)) return &formats[i];
    return NULL;
}

/* The same for reading. */
static const api_format *find_for_reading(kata *k, const char *call, const char *path)
{
    const api_format *format = api_dataset_in(path) ? &dataset : api_format_of(path);
    if (!format)
        api_fail(k, KATA_ERROR_ARGUMENT,
                 "%s: cannot tell the format of '%s'; known endings are .png, .npy, .vtkhdf, "
                 ".nc and .h5, and FILE.h5:/DATASET",
                 call, path);
    return format;
}

/* Files of meshes have values as arrays do; programs put them in their own order. */
static kata_status order_as_put(const kata_field *field, const grid_box *box, api_loaded *loaded)
{
    if (!field->grid->mesh || api_mesh_is_plain(field->grid)) return KATA_OK;
    const size_t bytes = (size_t)store_type_bytes(loaded->type);
    const int components = field->slot->components;
    void *ordered = malloc((size_t)(grid_box_points(box) * components) * bytes + 1);
    if (!ordered) return api_no_memory(field->k);
    api_mesh_reorder(field->grid, box, components, bytes, loaded->values, ordered, true);
    free(loaded->values);
    loaded->values = ordered;
    return KATA_OK;
}

static kata_status load_alone(const api_format *format, kata_field *field, const char *path)
{
    kata_range all = kata_on(field);
    grid_box box = api_field_box(field, &all);
    api_loaded loaded = {.values = NULL};
    kata_status status = format->load(field, path, &loaded);
    if (!status) status = order_as_put(field, &box, &loaded);
    if (!status)
        status = kata_put_values(field, &all, loaded.type, loaded.values,
                                 grid_box_points(&box) * field->slot->components);
    free(loaded.values);
    return status;
}

/* The first rank reads, and sends the others their values. */
static kata_status load_on_ranks(const api_format *format, kata_field *field, const char *path)
{
    kata *k = field->k;
    chain_slot *slot = field->slot;
    grid_box box = chain_slot_points(slot, &field->boundary);
    api_loaded loaded = {.type = slot->type};
    kata_status status = api_flush(k, "kata_load");
    uint64_t hash = hash_bytes(field->name, strlen(field->name), 0);
    if (!status) status = exec_meet(&k->exec, "kata_load", hash, &k->messages);
    if (status) return status;
    if (exec_rank(&k->exec) == 0) status = format->load(field, path, &loaded);
    status = exec_agree(&k->exec, "kata_load", status, &k->messages);
    if (!status)
        status =
            exec_deal(&k->exec, slot, api_deals(k), &box, loaded.type, loaded.values, &k->messages);
    free(loaded.values);
    if (status) return status;
    slot->version++;
    slot->discarded = false;
    return chain_slot_note(slot, &box) ? KATA_OK : api_no_memory(k);
}

static kata_status load(kata_field *field, const char *path)
{
    if (!field) return api_null("kata_load", "the field");
    kata *k = field->k;
    if (!path) return api_fail(k, KATA_ERROR_ARGUMENT, "kata_load: the path is NULL");
    if (k->messages.status || api_check_unmapped(field, "kata_load")) return k->messages.status;
    if (api_check_host(field, "kata_load")) return k->messages.status;
    if (api_output_wait(k)) return k->messages.status;
    const api_format *format = find_for_reading(k, "kata_load", path);
    kata_status status = k->messages.status;
    if (format)
        status = exec_ranks_count(&k->exec) > 1 ? load_on_ranks(format, field, path)
                                                : load_alone(format, field, path);
    api_note_error(k);
    return status;
}

kata_status kata_load(kata_field *field, const char *path)
{
    rounding_environment own;
    rounding_enter(&own);
    kata_status status = load(field, path);
    rounding_leave(&own);
    return status;
}

kata_status kata_file_shape(kata *k, const char *path, int components, kata_shape *shape)
{
    if (!k) return api_null("kata_file_shape", "the context");
    if (k->messages.status) return k->messages.status;
    if (!path || !shape)
        return api_fail(k, KATA_ERROR_ARGUMENT, "kata_file_shape: %s is NULL",
                        path ? "the result" : "the path");
    if (components < 0 || components > IR_MAX_LENGTH)
        return api_fail(k, KATA_ERROR_ARGUMENT, "kata_file_shape: components is %d, not 0 to %d",
                        components, IR_MAX_LENGTH);
    if (api_output_wait(k)) return k->messages.status;
    const api_format *format = find_for_reading(k, "kata_file_shape", path);
    kata_status status = format ? format->shape(k, path, components, shape) : k->messages.status;
    api_note_error(k);
    return status;
}

kata_status kata_png_size(kata *k, const char *path, int64_t *width, int64_t *height)
{
    if (!k) return api_null("kata_png_size", "the context");
    if (!path || !width || !height)
        return api_fail(k, KATA_ERROR_ARGUMENT, "kata_png_size: %s is NULL",
                        path ? "a result" : "the path");
    if (k->messages.status || api_output_wait(k)) return k->messages.status;
    kata_status status = io_png_size(path, width, height, &k->messages);
    api_note_error(k);
    return status;
}
