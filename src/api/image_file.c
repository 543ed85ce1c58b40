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
                              const api_format *format, api_field_list *list)
{
    *list = (api_field_list){.call = call, .count = 1, .field = {field}};
    list->together = format->takes & API_TOGETHER;
    list->type[0] = api_file_type(field->slot->type);
    if (options->component) list->component[0] = options->component - KATA_COMPONENT(0) + 1;
    for (size_t i = 0; i < COUNT_OF(options->with); i++) {
        if (!options->with[i]) continue;
        kata_status status = check_with(list, call, options->with[i]);
        if (status) return status;
        list->type[list->count] = api_file_type(options->with[i]->slot->type);
        list->field[list->count++] = options->with[i];
    }
    return KATA_OK;
}

/* ---- where points lie ------------------------------------------------------------------------ */

static void spacing_of(const kata_save_options *options, double spacing[3])
{
    double x = options->spacing == 0 ? 1 : options->spacing;
    const double given[3] = {x, options->spacing_y, options->spacing_z};
    for (int d = 0; d < 3; d++) spacing[d] = given[d] == 0 ? x : given[d];
}

/* A cell of the grid has its point at its middle, so that the first face lies half a cell before
 * the first cell. */
static double origin_of(const kata_save_options *options, const bool staggered[3], int d)
{
    double spacing[3] = {1, 1, 1};
    spacing_of(options, spacing);
    return options->origin[d] - (staggered[d] ? spacing[d] / 2 : 0);
}

/* ---- images ---------------------------------------------------------------------------------- */

static bool same_points(const kata_field *a, const kata_field *b)
{
    grid_box p = chain_slot_points(a->slot, &a->boundary);
    grid_box q = chain_slot_points(b->slot, &b->boundary);
    return !memcmp(&p, &q, sizeof p) &&
           !memcmp(a->slot->staggered, b->slot->staggered, sizeof a->slot->staggered);
}

/* The dimensions in which a field is staggered, of those that it has: none or all of them, or some.
 */
static enum { CELLS, CORNERS, OTHER } points_of(const kata_field *field)
{
    const chain_slot *slot = field->slot;
    int staggered = 0, rank = slot->shape.rank;
    for (int d = 0; d < rank; d++) {
        if (slot->absent_axis[d]) return OTHER;
        staggered += slot->staggered[d];
    }
    return !staggered ? CELLS : staggered == rank ? CORNERS : OTHER;
}

/* Whether fields are values of the cells of one grid, and of their corners. */
static bool are_cells_and_corners(const api_field_list *list)
{
    const grid_shape cells = chain_slot_grid(list->field[0]->slot);
    for (int i = 0; i < list->count; i++) {
        const kata_field *field = list->field[i];
        const chain_slot *slot = field->slot;
        grid_box box = chain_slot_points(slot, &field->boundary);
        if (points_of(field) == OTHER || slot->shape.rank != cells.rank) return false;
        for (int d = 0; d < cells.rank; d++)
            if (box.hi[d] != cells.size[d] + slot->staggered[d]) return false;
    }
    return true;
}

/* The points that all fields have, or the corners of cells. */
static void make_lattice(const kata_field *field, const kata_save_options *options, bool corners,
                         io_lattice *lattice)
{
    const chain_slot *slot = field->slot;
    grid_box all = chain_slot_points(slot, &field->boundary);
    spacing_of(options, lattice->spacing);
    for (int d = 0; d < 3; d++) {
        bool staggered[3] = {slot->staggered[0], slot->staggered[1], slot->staggered[2]};
        lattice->size[d] = all.hi[d];
        if (corners && d < slot->shape.rank) {
            lattice->size[d] = chain_slot_grid(slot).size[d] + 1;
            staggered[d] = true;
        }
        lattice->origin[d] = origin_of(options, staggered, d);
    }
}

static kata_status refuse_points(const api_field_list *list, const kata_save_options *options)
{
    const kata_field *first = list->field[0], *other = first;
    for (int i = 1; i < list->count && other == first; i++)
        if (!same_points(first, list->field[i])) other = list->field[i];
    if (other != first)
        return api_fail(first->k, KATA_ERROR_ARGUMENT,
                        "%s: field '%s' has other points than '%s'; an image has values at the "
                        "cells of one grid and at their corners, so that fields of other sizes, or "
                        "staggered along some dimensions, go to other files",
                        list->call, other->name, first->name);
    return api_fail(first->k, KATA_ERROR_ARGUMENT,
                    "%s: .cells is for fields that are values of cells, or of their corners "
                    "(staggered along all dimensions); '%s' holds '%s', which is neither",
                    list->call, options->path, first->name);
}

kata_status api_image_of(const api_field_list *list, const kata_save_options *options,
                         io_lattice *lattice, io_points *arrays)
{
    bool same = true, cells = options->cells;
    for (int i = 1; i < list->count; i++)
        same = same && same_points(list->field[0], list->field[i]);
    cells = cells || !same;
    if (cells && !are_cells_and_corners(list)) return refuse_points(list, options);
    for (int i = 0; i < list->count; i++) {
        const kata_field *field = list->field[i];
        arrays[i] = (io_points){field->name, list->type[i], api_components_of(list, i),
                                field->units, cells && points_of(field) == CELLS};
    }
    make_lattice(list->field[0], options, cells, lattice);
    return KATA_OK;
}

typedef struct vtkhdf_file {
    char *path;
    io_lattice lattice;
    double time;
    int count;
    io_points arrays[IO_MOST_ARRAYS];
} vtkhdf_file;

static kata_status write_vtkhdf(void *data, const io_source *source, messages *m)
{
    const vtkhdf_file *f = data;
    return io_vtkhdf_write(f->path, &f->lattice, f->time, f->count, f->arrays, source, m);
}

kata_status api_vtkhdf_make(api_field_list *list, const kata_save_options *options,
                            io_output *output)
{
    kata *k = list->field[0]->k;
    if (list->field[0]->grid->mesh) return api_mesh_make(list, options, output);
    if (options->positions)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "%s: .positions is for fields on a mesh, and '%s' is on a grid", list->call,
                        list->field[0]->name);
    vtkhdf_file *f = api_output_data(k, sizeof *f, options->path);
    if (!f) return k->messages.status;
    f->time = options->time;
    f->count = list->count;
    *output = (io_output){f, write_vtkhdf, api_output_data_free};
    kata_status status = api_image_of(list, options, &f->lattice, f->arrays);
    if (status) api_output_data_free(f);
    return status;
}

/* ---- datasets -------------------------------------------------------------------------------- */

typedef struct hdf5_file {
    char *path;
    int count;
    io_named_array arrays[IO_MOST_ARRAYS];
    io_about about[IO_MOST_ARRAYS];
} hdf5_file;

static kata_status write_hdf5(void *data, const io_source *source, messages *m)
{
    const hdf5_file *f = data;
    return io_hdf5_write(f->path, f->count, f->arrays, source, NULL, m);
}

io_about api_about_of(const kata_field *field, const kata_save_options *options)
{
    io_about a = {.units = field->units, .time = options->time};
    double spacing[3] = {1, 1, 1};
    spacing_of(options, spacing);
    for (int d = 0; d < 3 && d < field->slot->shape.rank; d++) {
        if (field->slot->absent_axis[d]) continue;
        a.origin[a.rank] = origin_of(options, field->slot->staggered, d);
        a.spacing[a.rank++] = spacing[d];
    }
    return a;
}

kata_status api_hdf5_make(api_field_list *list, const kata_save_options *options, io_output *output)
{
    kata *k = list->field[0]->k;
    hdf5_file *f = api_output_data(k, sizeof *f, options->path);
    if (!f) return k->messages.status;
    f->count = list->count;
    for (int i = 0; i < list->count; i++) {
        f->about[i] = api_about_of(list->field[i], options);
        f->arrays[i] =
            (io_named_array){list->field[i]->name, api_listed_array(list, i), &f->about[i]};
    }
    *output = (io_output){f, write_hdf5, api_output_data_free};
    return KATA_OK;
}
