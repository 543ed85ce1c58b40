/* Fields as arrays, axes from the slowest to the fastest, and NPY files of them. */
#include "api/files.h"

#include <stdlib.h>
#include <string.h>

static io_array array_of(const kata_field *field, int components)
{
    const chain_slot *slot = field->slot;
    grid_box points = chain_slot_points(slot, &field->boundary);
    io_array a = {.type = api_file_type(slot->type)};
    if (components > 1) a.size[a.axes++] = components;
    for (int d = slot->shape.rank - 1; d >= 0; d--)
        if (!slot->absent_axis[d]) a.size[a.axes++] = points.hi[d];
    return a;
}

io_array api_array_of(const kata_field *field) { return array_of(field, field->slot->components); }

io_array api_listed_array(const api_field_list *list, int i)
{
    return array_of(list->field[i], api_components_of(list, i));
}

/* ---- loading --------------------------------------------------------------------------------- */

/* An array without its axes of one element. */
static io_array squeezed_of(const io_array *a)
{
    io_array out = {.type = a->type};
    for (int i = 0; i < a->axes; i++)
        if (a->size[i] != 1) out.size[out.axes++] = a->size[i];
    return out;
}

/* Fields of a mesh have axes of one index, which variables of its file lack. */
static bool is_alike(const kata_field *field, const io_array *in_file, const io_array *wanted)
{
    const bool mesh = field->grid->mesh;
    const io_array a = mesh ? squeezed_of(in_file) : *in_file;
    const io_array b = mesh ? squeezed_of(wanted) : *wanted;
    bool same = a.axes == b.axes;
    for (int i = 0; i < b.axes && same; i++) same = a.size[i] == b.size[i];
    return same;
}

kata_status api_check_fit(const kata_field *field, const char *path, const io_array *in_file,
                          const io_array *wanted)
{
    kata *k = field->k;
    bool same = is_alike(field, in_file, wanted);
    text has = {0}, wants = {0};
    io_array_print(&has, in_file);
    io_array_print(&wants, wanted);
    if (!same)
        api_fail(k, KATA_ERROR_ARGUMENT, "%s: the array is %s, and field '%s' takes %s", path,
                 text_get(&has), field->name, text_get(&wants));
    text_free(&has);
    text_free(&wants);
    kata_type own = field->slot->type;
    if (same && !store_converts(own, in_file->type)) {
        message_begin(&k->messages, KATA_ERROR_ARGUMENT,
                      "%s: the array holds %s, and field '%s' %s", path,
                      store_type_name(in_file->type), field->name, store_type_name(own));
        message_line(&k->messages, "convert the array before, or declare the field as %s",
                     store_type_name(in_file->type));
        message_send(&k->messages);
    }
    return k->messages.status;
}

void api_widen(const kata_field *field, io_array *in_file)
{
    kata_type own = field->slot->type;
    if (io_widens(in_file->type, own)) in_file->type = own;
}

kata_status api_npy_load(const kata_field *field, const char *path, api_loading *out)
{
    kata *k = field->k;
    io_array in_file, wanted = api_array_of(field);
    kata_status status = io_npy_shape(path, &in_file, &k->messages);
    if (status) return status;
    api_widen(field, &in_file);
    status = api_check_fit(field, path, &in_file, &wanted);
    if (status) return status;
    out->type = in_file.type;
    return io_npy_open(path, &in_file, &out->values, &k->messages);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* The field of axes first .. first+count-1, slowest first. */
kata_status api_shape_of(kata *k, const char *path, const io_array *a, int first, int count,
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

static kata_status check_some(kata *k, const char *path, const io_array *a)
{
    text shown = {0};
    bool some = true;
    for (int i = 0; i < a->axes; i++) some &= a->size[i] > 0;
    io_array_print(&shown, a);
    if (!some)
        api_fail(k, KATA_ERROR_FILE, "%s: the array is %s, and has no values", path,
                 text_get(&shown));
    text_free(&shown);
    return k->messages.status;
}

/* Of an array whose first axis may be that of components. */
kata_status api_array_shape(kata *k, const char *path, const io_array *a, int components,
                            kata_shape *shape)
{
    if (check_some(k, path, a)) return k->messages.status;
    if (components == 0) components = a->axes == 4 && a->size[0] <= INT32_MAX ? (int)a->size[0] : 1;
    bool leading = components > 1 || a->axes == 4;
    if (!leading) return api_shape_of(k, path, a, 0, a->axes, components, shape);
    if (a->axes > 0 && a->size[0] == components)
        return api_shape_of(k, path, a, 1, a->axes - 1, components, shape);
    return api_fail(k, KATA_ERROR_FILE, "%s: the array has %lld components, not %d", path,
                    (long long)(a->axes ? a->size[0] : 0), components);
}

kata_status api_npy_shape(kata *k, const char *path, int components, kata_shape *shape)
{
    io_array a;
    kata_status status = io_npy_shape(path, &a, &k->messages);
    return status ? status : api_array_shape(k, path, &a, components, shape);
}

/* ---- saving ---------------------------------------------------------------------------------- */

typedef struct npy_file {
    char *path;
    io_array array;
} npy_file;

static kata_status write_npy(void *data, const io_source *source, messages *m)
{
    const npy_file *f = data;
    return io_npy_write(f->path, &f->array, source, m);
}

kata_status api_npy_make(api_field_list *list, const kata_save_options *options, io_output *output)
{
    kata *k = list->field[0]->k;
    npy_file *f = api_output_data(k, sizeof *f, options->path);
    if (!f) return k->messages.status;
    f->array = api_listed_array(list, 0);
    *output = (io_output){f, write_npy, api_output_data_free};
    return KATA_OK;
}
