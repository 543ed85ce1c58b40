/* Files of data: the formats, told from the ends of names. */
#include "api/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct format {
    const char *ending;
    bool several;  /* fields go to one file */
    bool together; /* components of a point lie together there */
    kata_status (*save)(api_field_list *list, const kata_save_options *options);
    kata_status (*load)(const kata_field *field, const char *path, api_loaded *out);
    kata_status (*shape)(kata *k, const char *path, int components, kata_shape *shape);
} formats[] = {{".png", false, false, api_png_save, api_png_load, api_png_shape},
               {".npy", false, false, api_npy_save, api_npy_load, api_npy_shape},
               {".vtkhdf", true, true, api_vtkhdf_save, api_vtkhdf_load, api_vtkhdf_shape},
               {".h5", true, false, api_hdf5_save, api_hdf5_load, api_hdf5_shape},
               {".hdf5", true, false, api_hdf5_save, api_hdf5_load, api_hdf5_shape}};

/* "FILE:/DATASET" */
static const struct format dataset = {"", false, false, NULL, api_hdf5_load, api_hdf5_shape};

/* NULL when there is none. */
static const struct format *find(const char *path)
{
    for (size_t i = 0; i < COUNT_OF(formats); i++)
        if (api_ends_with(path, formats[i].ending)) return &formats[i];
    return NULL;
}

/* The same for reading. */
static const struct format *find_for_reading(kata *k, const char *call, const char *path)
{
    const struct format *format = api_dataset_in(path) ? &dataset : find(path);
    if (!format)
        api_fail(k, KATA_ERROR_ARGUMENT,
                 "%s: cannot tell the format of '%s'; known endings are .png, .npy, .vtkhdf and "
                 ".h5, and FILE.h5:/DATASET",
                 call, path);
    return format;
}

static kata_status load_alone(const struct format *format, kata_field *field, const char *path)
{
    kata_range all = kata_on(field);
    grid_box box = api_range_box(&all);
    api_loaded loaded = {.values = NULL};
    kata_status status = format->load(field, path, &loaded);
    if (!status)
        status = kata_put_values(field, &all, loaded.type, loaded.values,
                                 grid_box_points(&box) * field->slot->components);
    free(loaded.values);
    return status;
}

/* The first rank reads, and sends the others their values. */
static kata_status load_on_ranks(const struct format *format, kata_field *field, const char *path)
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
    status = exec_agree(&k->exec, status, &k->messages);
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
    const struct format *format = find_for_reading(k, "kata_load", path);
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
    const struct format *format = find_for_reading(k, "kata_file_shape", path);
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
    if (k->messages.status) return k->messages.status;
    kata_status status = io_png_size(path, width, height, &k->messages);
    api_note_error(k);
    return status;
}

/* ---- saving ---------------------------------------------------------------------------------- */

static kata_status check_colours(kata *k, const char *call, const kata_save_options *options)
{
    bool given = options->low != 0 || options->high != 0;
    bool finite = isfinite(options->low) && isfinite(options->high);
    if (finite && (!given || options->low < options->high)) return KATA_OK;
    return api_fail(k, KATA_ERROR_ARGUMENT, "%s: low is %g, which is not below high, %g", call,
                    options->low, options->high);
}

static kata_status check_geometry(kata *k, const char *call, const kata_save_options *options)
{
    const double spacing[3] = {options->spacing, options->spacing_y, options->spacing_z};
    static const char *const names[3] = {"spacing", "spacing_y", "spacing_z"};
    for (int d = 0; d < 3; d++) {
        if (!isfinite(spacing[d]) || spacing[d] < 0)
            return api_fail(k, KATA_ERROR_ARGUMENT, "%s: %s is %g", call, names[d], spacing[d]);
        if (!isfinite(options->origin[d]))
            return api_fail(k, KATA_ERROR_ARGUMENT, "%s: origin[%d] is %g", call, d,
                            options->origin[d]);
    }
    return KATA_OK;
}

kata_status api_read_saving(kata_field *field, const api_options *kind,
                            const kata_save_options *given, kata_save_options *options)
{
    kata *k = field->k;
    *options = (kata_save_options){.size = 0};
    kata_status status = given ? api_options_read(k, kind, given, options) : KATA_OK;
    if (!status && !options->path) {
        api_fail(k, KATA_ERROR_ARGUMENT, "%s: the path is NULL", kind->call);
        return KATA_ERROR_ARGUMENT;
    }
    if (!status) status = check_colours(k, kind->call, options);
    return status ? status : check_geometry(k, kind->call, options);
}

/* The format of a file to be written; NULL, reported, where there is none for what goes to it. */
static const struct format *find_for_writing(kata *k, const kata_save_options *options)
{
    const struct format *format = find(options->path);
    if (!format)
        api_fail(k, KATA_ERROR_ARGUMENT,
                 "kata_save: cannot tell the format of '%s'; known endings are .png, .npy, .vtkhdf "
                 "and .h5",
                 options->path);
    for (size_t i = 0; format && !format->several && i < COUNT_OF(options->with); i++)
        if (options->with[i]) {
            api_fail(k, KATA_ERROR_ARGUMENT,
                     "kata_save: '%s' holds one field; several go to .vtkhdf and .h5",
                     options->path);
            return NULL;
        }
    return format;
}

/* On several ranks the first one writes, and the others send it values. */
static kata_status save_as(const struct format *format, kata_field *field,
                           const kata_save_options *options)
{
    kata *k = field->k;
    api_field_list list;
    kata_status status = api_field_list_of(field, "kata_save", options, &list);
    list.together = format->together;
    if (!status) status = api_begin_values(&list);
    if (status) return status;
    if (exec_rank(&k->exec) == 0) status = format->save(&list, options);
    api_end_values(&list);
    return exec_agree(&k->exec, status, &k->messages);
}

static kata_status save(kata_field *field, const kata_save_options *given)
{
    static const api_options kind = API_OPTIONS(
        "kata_save", kata_save_options, "kata_save(field, \"u.png\", .low = 0, .high = 1)", with);
    kata_save_options copy;
    if (!field) return api_null("kata_save", "the field");
    kata *k = field->k;
    const kata_save_options *options = &copy;
    kata_status status = api_read_saving(field, &kind, given, &copy);
    if (status) return status;
    const struct format *format = find_for_writing(k, options);
    status = format ? save_as(format, field, options) : k->messages.status;
    api_note_error(k);
    return status;
}

kata_status kata_save_with(kata_field *field, const kata_save_options *options)
{
    rounding_environment own;
    rounding_enter(&own);
    kata_status status = save(field, options);
    rounding_leave(&own);
    return status;
}
