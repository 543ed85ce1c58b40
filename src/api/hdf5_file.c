/* Fields from HDF5: datasets by their paths, the only dataset of a file, and VTKHDF images. */
#include "api/files.h"

#include <string.h>

/* ---- datasets -------------------------------------------------------------------------------- */

/* Cuts "FILE:/DATASET" in two; without a dataset it is the one called `name`, or the only one. The
 * path of the file goes to *file, which the result points into. */
static kata_status find_dataset(kata *k, const char *path, const char *name, text *file,
                                io_dataset *d)
{
    const char *colon = api_dataset_in(path);
    text_add(file, "%.*s", (int)(colon ? (size_t)(colon - path) : strlen(path)), path);
    *d = (io_dataset){.path = text_get(file),
                      .name = colon ? colon + 1 : name,
                      .kind = colon ? IO_DATASET : IO_ONLY_DATASET};
    return file->failed ? api_no_memory(k) : KATA_OK;
}

static kata_status load_dataset(const kata_field *field, const char *path, const io_dataset *d,
                                api_loading *out)
{
    kata *k = field->k;
    int components;
    io_array in_file, wanted = api_array_of(field);
    kata_status status = io_hdf5_shape(d, &in_file, &components, &k->messages);
    if (status) return status;
    api_widen(field, &in_file);
    status = api_check_fit(field, path, &in_file, &wanted);
    if (status) return status;
    out->type = in_file.type;
    return io_hdf5_open(d, &in_file, &out->values, &k->messages);
}

kata_status api_hdf5_load(const kata_field *field, const char *path, api_loading *out)
{
    text file = {0};
    io_dataset d;
    kata_status status = find_dataset(field->k, path, field->name, &file, &d);
    if (!status) status = load_dataset(field, path, &d, out);
    text_free(&file);
    return status;
}

kata_status api_hdf5_shape(kata *k, const char *path, int components, kata_shape *shape)
{
    io_array a;
    int found;
    text file = {0};
    io_dataset d;
    kata_status status = find_dataset(k, path, NULL, &file, &d);
    if (!status) status = io_hdf5_shape(&d, &a, &found, &k->messages);
    text_free(&file);
    return status ? status : api_array_shape(k, path, &a, components, shape);
}

/* ---- images ---------------------------------------------------------------------------------- */

/* The array in a VTKHDF file: without axes of one, components last. */
static io_array without_ones(const io_array *from)
{
    io_array a = {.type = from->type};
    for (int i = 0; i < from->axes; i++)
        if (from->size[i] != 1) a.size[a.axes++] = from->size[i];
    return a;
}

static io_array image_of(const kata_field *field)
{
    const chain_slot *slot = field->slot;
    grid_box points = chain_slot_points(slot, &field->boundary);
    io_array a = {.type = slot->type};
    for (int d = slot->shape.rank - 1; d >= 0; d--) a.size[a.axes++] = points.hi[d];
    a.size[a.axes++] = slot->components;
    return without_ones(&a);
}

kata_status api_vtkhdf_load(const kata_field *field, const char *path, api_loading *out)
{
    kata *k = field->k;
    const io_dataset d = {path, field->name, IO_POINT_DATA};
    int components;
    io_array in_file, wanted = image_of(field);
    kata_status status = io_hdf5_shape(&d, &in_file, &components, &k->messages);
    if (status) return status;
    api_widen(field, &in_file);
    io_array squeezed = without_ones(&in_file);
    status = api_check_fit(field, path, &squeezed, &wanted);
    if (status) return status;
    out->type = in_file.type;
    return io_hdf5_open(&d, &in_file, &out->values, &k->messages);
}

kata_status api_vtkhdf_shape(kata *k, const char *path, int components, kata_shape *shape)
{
    io_array a;
    int found;
    const io_dataset d = {path, NULL, IO_POINT_DATA};
    kata_status status = io_hdf5_shape(&d, &a, &found, &k->messages);
    if (status) return status;
    if (components && components != found)
        return api_fail(k, KATA_ERROR_FILE, "%s: the array has %d components, not %d", path, found,
                        components);
    return api_shape_of(k, path, &a, 0, found > 1 ? a.axes - 1 : a.axes, found, shape);
}
