/* Fields to HDF5: VTKHDF images of one moment or a series of steps, and plain datasets. */
#include "api/files.h"

#include <stdlib.h>
#include <string.h>

/* ---- the fields of a file -------------------------------------------------------------------- */

static kata_status check_with(const api_field_list *list, const char *call, const kata_field *field)
{
    kata *k = list->field[0]->k;
    if (field->k != k)
        return api_fail(k, KATA_ERROR_ARGUMENT, "%s: field '%s' is of another context", call,
                        field->name);
    for (int i = 0; i < list->count; i++)
        if (!strcmp(list->field[i]->name, field->name))
            return api_fail(k, KATA_ERROR_ARGUMENT,
                            "%s: two fields are called '%s'; in a file each has a name of its own",
                            call, field->name);
    return KATA_OK;
}

kata_status api_field_list_of(kata_field *field, const char *call, const kata_save_options *options,
                              api_field_list *list)
{
    *list = (api_field_list){.call = call, .count = 1, .field = {field}};
    list->type[0] = api_file_type(field->slot->type);
    for (size_t i = 0; i < COUNT_OF(options->with); i++) {
        if (!options->with[i]) continue;
        kata_status status = check_with(list, call, options->with[i]);
        if (status) return status;
        list->type[list->count] = api_file_type(options->with[i]->slot->type);
        list->field[list->count++] = options->with[i];
    }
    return KATA_OK;
}

/* ---- images ---------------------------------------------------------------------------------- */

/* A cell of the grid has its point at its middle, so that the first face lies half a cell before
 * the first cell. */
static io_lattice lattice_of(const kata_field *field, const kata_save_options *options)
{
    const chain_slot *slot = field->slot;
    grid_box all = chain_slot_points(slot, &field->boundary);
    double x = options->spacing == 0 ? 1 : options->spacing;
    double given[3] = {x, options->spacing_y, options->spacing_z};
    io_lattice lattice;
    for (int d = 0; d < 3; d++) {
        lattice.size[d] = all.hi[d];
        lattice.spacing[d] = given[d] == 0 ? x : given[d];
        lattice.origin[d] = options->origin[d] - (slot->staggered[d] ? lattice.spacing[d] / 2 : 0);
    }
    return lattice;
}

static bool same_points(const kata_field *a, const kata_field *b)
{
    grid_box p = chain_slot_points(a->slot, &a->boundary);
    grid_box q = chain_slot_points(b->slot, &b->boundary);
    return !memcmp(&p, &q, sizeof p) &&
           !memcmp(a->slot->staggered, b->slot->staggered, sizeof a->slot->staggered);
}

kata_status api_image_of(const api_field_list *list, const kata_save_options *options,
                         io_lattice *lattice, io_points *arrays)
{
    kata_field *first = list->field[0];
    for (int i = 0; i < list->count; i++) {
        const kata_field *field = list->field[i];
        if (!same_points(first, field))
            return api_fail(
                first->k, KATA_ERROR_ARGUMENT,
                "%s: field '%s' has other points than '%s'; an image has all its values "
                "at the same points, so that fields of other sizes, or staggered "
                "otherwise, go to other files",
                list->call, field->name, first->name);
        arrays[i] = (io_points){field->name, list->type[i], field->slot->components};
    }
    *lattice = lattice_of(first, options);
    return KATA_OK;
}

kata_status api_vtkhdf_save(api_field_list *list, const kata_save_options *options)
{
    io_lattice lattice;
    io_points arrays[IO_MOST_ARRAYS];
    kata_status status = api_image_of(list, options, &lattice, arrays);
    if (status) return status;
    const io_source source = api_source(list);
    return io_vtkhdf_write(options->path, &lattice, list->count, arrays, &source,
                           &list->field[0]->k->messages);
}

/* ---- datasets -------------------------------------------------------------------------------- */

kata_status api_hdf5_save(api_field_list *list, const kata_save_options *options)
{
    io_named_array arrays[IO_MOST_ARRAYS];
    for (int i = 0; i < list->count; i++)
        arrays[i] = (io_named_array){list->field[i]->name, api_array_of(list->field[i])};
    const io_source source = api_source(list);
    return io_hdf5_write(options->path, list->count, arrays, &source, NULL,
                         &list->field[0]->k->messages);
}
