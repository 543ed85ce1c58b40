/* Fields to and from files of arrays: NPY and HDF5, axes from the slowest to the fastest. */
#include "api/api.h"

#include "io/io.h"

#include <stdlib.h>
#include <string.h>

kata_type api_file_type(kata_type type)
{
    bool narrow = ir_storages[type].coded && ir_type_is_floating(ir_type_of_storage(type));
    return narrow ? KATA_F32 : type;
}

/* The array of a field's values: components (where there are several), z, y, x, those that it has.
 */
static io_array array_of(const kata_field *field)
{
    const chain_slot *slot = field->slot;
    grid_box points = chain_slot_points(slot, &field->boundary);
    io_array a = {.type = api_file_type(slot->type)};
    if (slot->components > 1) a.size[a.axes++] = slot->components;
    for (int d = slot->shape.rank - 1; d >= 0; d--)
        if (!slot->absent_axis[d]) a.size[a.axes++] = points.hi[d];
    return a;
}

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

/* ---- loading --------------------------------------------------------------------------------- */

static kata_status check_fit(const kata_field *field, const char *path, const io_array *in_file,
                             const io_array *wanted)
{
    kata *k = field->k;
    bool same = in_file->axes == wanted->axes;
    for (int i = 0; i < wanted->axes && same; i++) same = in_file->size[i] == wanted->size[i];
    text has = {0}, wants = {0};
    io_array_print(&has, in_file);
    io_array_print(&wants, wanted);
    if (!same)
        api_fail(k, KATA_ERROR_ARGUMENT, "%s: the array is %s, and field '%s' takes %s", path,
                 text_get(&has), field->name, text_get(&wants));
    text_free(&has);
    text_free(&wants);
    kata_type own = field->slot->type;
    if (same && !store_converts(own, in_file->type))
        api_fail(k, KATA_ERROR_ARGUMENT, "%s: the array holds %s, and field '%s' %s", path,
                 store_type_name(in_file->type), field->name, store_type_name(own));
    return k->messages.status;
}

/* HDF5 reads bytes as wider integers where the field has these. */
static void widen(const kata_field *field, io_array *in_file)
{
    kata_type own = field->slot->type;
    if (in_file->type == KATA_U8 && (own == KATA_I32 || own == KATA_I64)) in_file->type = own;
}

/* From (points, components) to (components, points), in elements of `size` bytes. */
static void separate(char *to, const char *from, int64_t points, int components, size_t size)
{
    for (int c = 0; c < components; c++)
        for (int64_t i = 0; i < points; i++) {
            memcpy(to, from + (size_t)(i * components + c) * size, size);
            to += size;
        }
}

/* Puts values of the file's type, components last, into a field; frees them. */
static kata_status put_image(kata_field *field, kata_type type, void *values)
{
    kata_range all = kata_on(field);
    int components = field->slot->components;
    int64_t points = grid_box_points(&(grid_box){{0, 0, 0}, {all.hi[0], all.hi[1], all.hi[2]}});
    size_t size = (size_t)store_type_bytes(type);
    void *apart = components > 1 ? calloc((size_t)(points * components), size) : NULL;
    if (apart) separate(apart, values, points, components, size);
    kata_status status =
        components > 1 && !apart
            ? api_no_memory(field->k)
            : kata_put_values(field, &all, type, apart ? apart : values, points * components);
    free(apart);
    free(values);
    return status;
}

static void *room_for(kata *k, const io_array *a)
{
    void *values = calloc((size_t)io_array_count(a), (size_t)store_type_bytes(a->type));
    if (!values) api_no_memory(k);
    return values;
}

static kata_status put_array(kata_field *field, const io_array *a, const void *values)
{
    kata_range all = kata_on(field);
    return kata_put_values(field, &all, a->type, values, io_array_count(a));
}

kata_status api_npy_load(kata_field *field, const char *path)
{
    kata *k = field->k;
    io_array in_file, wanted = array_of(field);
    kata_status status = io_npy_shape(path, &in_file, &k->messages);
    if (!status) status = check_fit(field, path, &in_file, &wanted);
    if (status) return status;
    void *values = room_for(k, &in_file);
    status = values ? io_npy_read(path, &in_file, values, &k->messages) : k->messages.status;
    if (!status) status = put_array(field, &in_file, values);
    free(values);
    return status;
}

/* Cuts "FILE:/DATASET" in two; NULL (reported) when memory is out. */
static const char *split(kata *k, const char *path, text *file)
{
    const char *colon = strstr(path, ":/");
    text_add(file, "%.*s", (int)(colon - path), path);
    if (!file->failed) return colon + 1;
    api_no_memory(k);
    return NULL;
}

kata_status api_hdf5_load(kata_field *field, const char *path)
{
    kata *k = field->k;
    text file = {0};
    const char *dataset = split(k, path, &file);
    io_array in_file, wanted = array_of(field);
    void *values = NULL;
    if (!dataset) return k->messages.status;
    kata_status status = io_hdf5_shape(text_get(&file), dataset, &in_file, &k->messages);
    if (!status) widen(field, &in_file);
    if (!status) status = check_fit(field, path, &in_file, &wanted);
    if (!status && !(values = room_for(k, &in_file))) status = k->messages.status;
    if (!status) status = io_hdf5_read(text_get(&file), dataset, &in_file, values, &k->messages);
    if (!status) status = put_array(field, &in_file, values);
    free(values);
    text_free(&file);
    return status;
}

kata_status api_vtkhdf_load(kata_field *field, const char *path)
{
    kata *k = field->k;
    text dataset = {0};
    int components;
    io_array in_file, wanted = image_of(field);
    void *values = NULL;
    kata_status status =
        io_vtkhdf_shape(path, field->name, &dataset, &in_file, &components, &k->messages);
    if (!status) widen(field, &in_file);
    io_array squeezed = status ? in_file : without_ones(&in_file);
    if (!status) status = check_fit(field, path, &squeezed, &wanted);
    if (!status && !(values = room_for(k, &in_file))) status = k->messages.status;
    if (!status) status = io_hdf5_read(path, text_get(&dataset), &in_file, values, &k->messages);
    if (!status)
        status = put_image(field, in_file.type, values);
    else
        free(values);
    text_free(&dataset);
    return status;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* The field of axes first .. first+count-1, slowest first. */
static kata_status shape_of(kata *k, const char *path, const io_array *a, int first, int count,
                            int components, kata_shape *shape)
{
    if (count < 1 || count > 3)
        return api_fail(k, KATA_ERROR_FILE,
                        "%s: the array has %d ax%cs; a field has 1 to 3, and one more where it has "
                        "several components",
                        path, a->axes, a->axes == 1 ? 'i' : 'e');
    *shape = (kata_shape){count, {1, 1, 1}, components, a->type};
    for (int d = 0; d < count; d++) shape->size[d] = a->size[first + count - 1 - d];
    return KATA_OK;
}

/* Of an array whose first axis may be that of components. */
static kata_status array_shape(kata *k, const char *path, const io_array *a, int components,
                               kata_shape *shape)
{
    if (components == 0) components = a->axes == 4 && a->size[0] <= INT32_MAX ? (int)a->size[0] : 1;
    bool leading = components > 1 || a->axes == 4;
    if (!leading) return shape_of(k, path, a, 0, a->axes, components, shape);
    if (a->axes > 0 && a->size[0] == components)
        return shape_of(k, path, a, 1, a->axes - 1, components, shape);
    return api_fail(k, KATA_ERROR_FILE, "%s: the array has %lld components, not %d", path,
                    (long long)(a->axes ? a->size[0] : 0), components);
}

kata_status api_npy_shape(kata *k, const char *path, int components, kata_shape *shape)
{
    io_array a;
    kata_status status = io_npy_shape(path, &a, &k->messages);
    return status ? status : array_shape(k, path, &a, components, shape);
}

kata_status api_hdf5_shape(kata *k, const char *path, int components, kata_shape *shape)
{
    io_array a;
    text file = {0};
    const char *dataset = split(k, path, &file);
    if (!dataset) return k->messages.status;
    kata_status status = io_hdf5_shape(text_get(&file), dataset, &a, &k->messages);
    text_free(&file);
    return status ? status : array_shape(k, path, &a, components, shape);
}

kata_status api_vtkhdf_shape(kata *k, const char *path, int components, kata_shape *shape)
{
    io_array a;
    int found;
    text dataset = {0};
    kata_status status = io_vtkhdf_shape(path, NULL, &dataset, &a, &found, &k->messages);
    text_free(&dataset);
    if (status) return status;
    if (components && components != found)
        return api_fail(k, KATA_ERROR_FILE, "%s: the array has %d components, not %d", path, found,
                        components);
    return shape_of(k, path, &a, 0, found > 1 ? a.axes - 1 : a.axes, found, shape);
}

/* ---- saving ---------------------------------------------------------------------------------- */

kata_status api_npy_save(kata_field *field, const kata_save_options *options)
{
    io_array a = array_of(field);
    void *values = api_values_of(field, a.type);
    if (!values) return field->k->messages.status;
    kata_status status = io_npy_write(options->path, &a, values, &field->k->messages);
    free(values);
    return status;
}
