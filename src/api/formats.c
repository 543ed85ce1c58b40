/* Files of data: the formats, told from the ends of names. */
#include "api/files.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static const struct format {
    const char *ending;
    kata_status (*save)(kata_field *field, const kata_save_options *options);
    kata_status (*load)(kata_field *field, const char *path);
    kata_status (*shape)(kata *k, const char *path, int components, kata_shape *shape);
} formats[] = {{".png", api_png_save, api_png_load, api_png_shape},
               {".npy", api_npy_save, api_npy_load, api_npy_shape},
               {".vtkhdf", api_vtkhdf_save, api_vtkhdf_load, api_vtkhdf_shape}};

/* "FILE:/DATASET" */
static const struct format hdf5 = {"", NULL, api_hdf5_load, api_hdf5_shape};

static bool ends_with(const char *path, const char *ending)
{
    size_t a = strlen(path), b = strlen(ending);
    return a > b && !strcasecmp(path + a - b, ending);
}

/* NULL when there is none. */
static const struct format *find(const char *path)
{
    for (size_t i = 0; i < COUNT_OF(formats); i++)
        if (ends_with(path, formats[i].ending)) return &formats[i];
    return NULL;
}

/* The same for reading. */
static const struct format *find_for_reading(kata *k, const char *call, const char *path)
{
    const struct format *format = strstr(path, ":/") ? &hdf5 : find(path);
    if (!format)
        api_fail(k, KATA_ERROR_ARGUMENT,
                 "%s: cannot tell the format of '%s'; known endings are .png, .npy and .vtkhdf, "
                 "and FILE.h5:/DATASET",
                 call, path);
    return format;
}

static kata_status load(kata_field *field, const char *path)
{
    if (!field) return api_null("kata_load", "the field");
    kata *k = field->k;
    if (!path) return api_fail(k, KATA_ERROR_ARGUMENT, "kata_load: the path is NULL");
    if (k->messages.status || api_check_unmapped(field, "kata_load")) return k->messages.status;
    if (api_check_host(field, "kata_load")) return k->messages.status;
    const struct format *format = find_for_reading(k, "kata_load", path);
    kata_status status = format ? format->load(field, path) : k->messages.status;
    api_note_error(k);
    return status;
}

kata_status kata_load(kata_field *field, const char *path)
{
    api_environment own;
    api_enter(&own);
    kata_status status = load(field, path);
    api_leave(&own);
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

static kata_status save(kata_field *field, const kata_save_options *options)
{
    if (!field) return api_null("kata_save", "the field");
    kata *k = field->k;
    if (!options || !options->path)
        return api_fail(k, KATA_ERROR_ARGUMENT, "kata_save: the path is NULL");
    if (k->messages.status) return k->messages.status;
    bool given = options->low != 0 || options->high != 0;
    if (!isfinite(options->low) || !isfinite(options->high) ||
        (given && options->low >= options->high))
        return api_fail(k, KATA_ERROR_ARGUMENT, "kata_save: low is %g, which is not below high, %g",
                        options->low, options->high);
    if (!isfinite(options->spacing) || options->spacing < 0)
        return api_fail(k, KATA_ERROR_ARGUMENT, "kata_save: spacing is %g", options->spacing);
    const struct format *format = find(options->path);
    if (!format)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "kata_save: cannot tell the format of '%s'; known endings are .png, .npy "
                        "and .vtkhdf",
                        options->path);
    kata_status status = format->save(field, options);
    api_note_error(k);
    return status;
}

kata_status kata_save_with(kata_field *field, const kata_save_options *options)
{
    api_environment own;
    api_enter(&own);
    kata_status status = save(field, options);
    api_leave(&own);
    return status;
}
