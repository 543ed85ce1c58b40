/* Files of data: the formats, told from the ends of names. */
#include "api/files.h"

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

const api_format *api_format_for_reading(kata *k, const char *call, const char *path)
{
    const api_format *format = api_dataset_in(path) ? &dataset : api_format_of(path);
    if (!format)
        api_fail(k, KATA_ERROR_ARGUMENT,
                 "%s: cannot tell the format of '%s'; known endings are .png, .npy, .vtkhdf, "
                 ".nc and .h5, and FILE.h5:/DATASET",
                 call, path);
    return format;
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
    const api_format *format = api_format_for_reading(k, "kata_file_shape", path);
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
