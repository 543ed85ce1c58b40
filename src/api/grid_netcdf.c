/* Fields on grids to netCDF-4 by the CF conventions: axes have names, x, y and z, and variables of
 * these names tell where points lie. Faces lie elsewhere: their axes are x_face, y_face, z_face. */
#include "api/files.h"

#include <stdio.h>
#include <string.h>

enum {
    MOST_AXES = 2 * 3, /* of points and of faces */
    MOST_DIMENSIONS = MOST_AXES + IO_MOST_ARRAYS,
    LONGEST = 32,
    PIECE = 1024
};

/* Where the points of an axis lie. */
typedef struct points {
    double origin, spacing;
    const kata_field *field; /* the first one that has the axis */
    double piece[PIECE];
} points;

/* Coordinates first, then fields. */
typedef struct netcdf_file {
    char *path;
    io_netcdf content;
    int axes; /* dimensions and variables that are axes: the same first ones */
    io_dimension dimensions[MOST_DIMENSIONS];
    io_variable variables[MOST_AXES + IO_MOST_ARRAYS];
    char names[MOST_DIMENSIONS][LONGEST];
    points points[MOST_AXES];
    const io_source *fields; /* while it is written */
} netcdf_file;

static const char *const axis_names[2][3] = {{"x", "y", "z"}, {"x_face", "y_face", "z_face"}};
static const char components[] = "components_";

/* ---- what is refused ------------------------------------------------------------------------- */

/* Names of axes, whether the file has them or not. */
static bool is_of_axis(const char *name)
{
    for (int i = 0; i < MOST_AXES; i++)
        if (!strcmp(name, axis_names[i / 3][i % 3])) return true;
    const char *number = name + strlen(components);
    return !strncmp(name, components, strlen(components)) && *number &&
           !number[strspn(number, "0123456789")];
}

static kata_status check_field(const api_field_list *list, const char *path,
                               const kata_field *field)
{
    kata *k = list->field[0]->k;
    if (field->grid->mesh)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "%s: '%s' begins with '%s', which is on a grid, and '%s' is on a mesh; "
                        "fields on a mesh go to another file",
                        list->call, path, list->field[0]->name, field->name);
    if (field->slot->on)
        return api_fail(k, KATA_ERROR_ARGUMENT,
                        "%s: '%s' has axes x and y, and '%s' is on the %s of an icosahedral grid, "
                        "which has none: .h5 takes it",
                        list->call, path, field->name, ir_location_name(field->slot->on, true));
    if (!is_of_axis(field->name)) return KATA_OK;
    return api_fail(k, KATA_ERROR_ARGUMENT,
                    "%s: '%s' needs the name '%s' for an axis, as x, y, z, x_face, y_face, z_face "
                    "and components_N; give the field another one",
                    list->call, path, field->name);
}

static kata_status check_fields(const api_field_list *list, const kata_save_options *options)
{
    kata_status status = KATA_OK;
    if (options->positions)
        return api_fail(list->field[0]->k, KATA_ERROR_ARGUMENT,
                        "%s: .positions is for fields on a mesh, and '%s' is on a grid", list->call,
                        list->field[0]->name);
    for (int i = 0; i < list->count && !status; i++)
        status = check_field(list, options->path, list->field[i]);
    return status;
}

static kata_status refuse_size(const api_field_list *list, const kata_field *field, int64_t size,
                               const kata_field *other, const io_dimension *d)
{
    return api_fail(field->k, KATA_ERROR_ARGUMENT,
                    "%s: field '%s' has %lld points along %s, and '%s' has %lld; in a netCDF file "
                    "an axis has one size: '%s' goes to another file, or all to .h5",
                    list->call, field->name, (long long)size, d->name, other->name,
                    (long long)d->size, field->name);
}

/* ---- axes ------------------------------------------------------------------------------------ */

/* Its number; -1: there is none. */
static int find(const netcdf_file *f, const char *name)
{
    int i = f->content.dimension_count - 1;
    while (i >= 0 && strcmp(f->names[i], name) != 0) i--;
    return i;
}

static int add_dimension(netcdf_file *f, const char *name, int64_t size)
{
    const int i = f->content.dimension_count++;
    snprintf(f->names[i], LONGEST, "%s", name);
    f->dimensions[i] = (io_dimension){f->names[i], size};
    return i;
}

/* The axes of a field that the file does not have yet; reports another size. */
static kata_status add_axes(netcdf_file *f, const api_field_list *list, const kata_field *field,
                            const io_about *about)
{
    static const char *const letters[3] = {"X", "Y", "Z"};
    const grid_box all = chain_slot_points(field->slot, &field->boundary);
    for (int d = 0, next = 0; d < field->slot->shape.rank; d++) {
        if (field->slot->absent_axis[d]) continue;
        const char *name = axis_names[field->slot->staggered[d]][d];
        const int at = find(f, name), n = next++;
        if (at >= 0 && f->dimensions[at].size != all.hi[d])
            return refuse_size(list, field, all.hi[d], f->points[at].field, &f->dimensions[at]);
        if (at >= 0) continue;
        const int i = add_dimension(f, name, all.hi[d]);
        io_variable *v = &f->variables[i];
        *v = (io_variable){.name = f->names[i], .type = KATA_F64, .axes = 1, .dimension = {i}};
        io_variable_say(v, "axis", letters[d]);
        f->points[i].origin = about->origin[n];
        f->points[i].spacing = about->spacing[n];
        f->points[i].field = field;
    }
    return KATA_OK;
}

/* ---- fields ---------------------------------------------------------------------------------- */

static int components_of(netcdf_file *f, int count)
{
    char name[LONGEST];
    snprintf(name, sizeof name, "%s%d", components, count);
    const int i = find(f, name);
    return i < 0 ? add_dimension(f, name, count) : i;
}

/* After all axes. */
static void add_field(netcdf_file *f, const api_field_list *list, int i, double time)
{
    const kata_field *field = list->field[i];
    const chain_slot *slot = field->slot;
    const int count = api_components_of(list, i);
    io_variable *v = &f->variables[f->axes + i];
    *v = (io_variable){.name = field->name, .type = list->type[i]};
    if (count > 1) v->dimension[v->axes++] = components_of(f, count);
    for (int d = slot->shape.rank - 1; d >= 0; d--)
        if (!slot->absent_axis[d])
            v->dimension[v->axes++] = find(f, axis_names[slot->staggered[d]][d]);
    io_variable_say(v, "units", field->units);
    io_variable_say_double(v, "time", time);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Coordinates by pieces, and what the source of the fields has. */
static int64_t take(void *data, int i, int64_t first, const void **values)
{
    netcdf_file *f = data;
    if (i >= f->axes) return f->fields->take(f->fields->data, i - f->axes, first, values);
    points *p = &f->points[i];
    const int64_t left = f->dimensions[i].size - first, count = left < PIECE ? left : PIECE;
    for (int64_t n = 0; n < count; n++) p->piece[n] = p->origin + (double)(first + n) * p->spacing;
    *values = p->piece;
    return count;
}

static kata_status write_file(void *data, const io_source *source, messages *m)
{
    netcdf_file *f = data;
    const io_source all = {f, take};
    f->fields = source;
    return io_netcdf_write(f->path, &f->content, &all, m);
}

kata_status api_grid_netcdf_make(api_field_list *list, const kata_save_options *options,
                                 io_output *output)
{
    kata *k = list->field[0]->k;
    kata_status status = check_fields(list, options);
    netcdf_file *f = status ? NULL : api_output_data(k, sizeof *f, options->path);
    if (!f) return k->messages.status;
    for (int i = 0; i < list->count && !status; i++) {
        const io_about about = api_about_of(list->field[i], options);
        status = add_axes(f, list, list->field[i], &about);
    }
    if (status) {
        api_output_data_free(f);
        return status;
    }
    f->axes = f->content.dimension_count;
    for (int i = 0; i < list->count; i++) add_field(f, list, i, options->time);
    f->content.conventions = "CF-1.8";
    f->content.dimensions = f->dimensions;
    f->content.variables = f->variables;
    f->content.variable_count = f->axes + list->count;
    *output = (io_output){f, write_file, api_output_data_free};
    return KATA_OK;
}
