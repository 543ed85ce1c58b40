/* netCDF-4 files of one moment. They are HDF5 files whose axes have names: "NetCDF-4 Format" in the
 * NetCDF Users' Guide says how. A dimension is a dataset that is a dimension scale of HDF5; where a
 * variable has its name, that one, and otherwise one without values, whose name in HDF5 says that
 * it is no variable. */
#include "io/write_hdf5.h"

#include "store/store.h"

#include <hdf5_hl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct netcdf_file {
    const io_netcdf *content;
    const io_source *source;
    io_points *arrays; /* the variables */
    size_t *points_of;
    int *taken; /* of each variable: its number among those of the source */
} netcdf_file;

/* ---- attributes ------------------------------------------------------------------------------ */

static void add(io_variable *v, io_attribute a) { v->attributes[v->attribute_count++] = a; }

void io_variable_say(io_variable *v, const char *name, const char *value)
{
    if (value) add(v, (io_attribute){IO_TEXT, name, value, 0});
}

void io_variable_say_int(io_variable *v, const char *name, int value)
{
    add(v, (io_attribute){IO_INT, name, NULL, value});
}

void io_variable_say_double(io_variable *v, const char *name, double value)
{
    add(v, (io_attribute){IO_DOUBLE, name, NULL, value});
}

/* ---- dimensions ------------------------------------------------------------------------------ */

static const io_variable *variable_of(const io_netcdf *n, const char *name)
{
    for (const io_variable *v = n->variables; v < n->variables + n->variable_count; v++)
        if (!strcmp(v->name, name)) return v;
    return NULL;
}

/* Without values, which no reader looks at: HDF5 sets no space aside for them. */
static bool make_dimension(hid_t file, const io_dimension *d)
{
    char says[100];
    const hsize_t size = (hsize_t)d->size;
    snprintf(says, sizeof says, "This is a netCDF dimension but not a netCDF variable.%10lld",
             (long long)d->size);
    hid_t space = H5Screate_simple(1, &size, NULL), set = H5I_INVALID_HID;
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    if (space >= 0 && properties >= 0 &&
        H5Pset_obj_track_times(properties, false) >= 0) /* same values, same bytes */
        set =
            H5Dcreate2(file, d->name, H5T_IEEE_F32BE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    bool good = set >= 0 && H5DSset_scale(set, says) >= 0;
    if (set >= 0) good = H5Dclose(set) >= 0 && good;
    if (space >= 0) H5Sclose(space);
    if (properties >= 0) H5Pclose(properties);
    return good;
}

static bool make_dimensions(hid_t file, const io_netcdf *n)
{
    bool good = true;
    for (int i = 0; i < n->dimension_count && good; i++)
        good = variable_of(n, n->dimensions[i].name) || make_dimension(file, &n->dimensions[i]);
    return good;
}

/* Names the axes of a variable. One that has the name of its axis is the scale itself. */
static bool name_axes(hid_t file, const io_netcdf *n, const io_variable *v)
{
    hid_t set = H5Dopen2(file, v->name, H5P_DEFAULT);
    bool good = set >= 0;
    for (int axis = 0; axis < v->axes && good; axis++) {
        const char *name = n->dimensions[v->dimension[axis]].name;
        if (!strcmp(name, v->name)) continue;
        hid_t scale = H5Dopen2(file, name, H5P_DEFAULT);
        good = scale >= 0 && H5DSattach_scale(set, scale, (unsigned)axis) >= 0;
        if (scale >= 0) good = H5Dclose(scale) >= 0 && good;
    }
    if (set >= 0) good = H5Dclose(set) >= 0 && good;
    return good;
}

/* ---- variables ------------------------------------------------------------------------------- */

/* netCDF wants _FillValue to be of the variable's type; all whole numbers here are int. */
static bool say(hid_t object, const io_attribute *a)
{
    switch (a->kind) {
    case IO_TEXT: return io_hdf5_text(object, a->name, a->text);
    case IO_INT: return io_hdf5_small(object, a->name, (int32_t)a->number);
    case IO_DOUBLE: return io_hdf5_doubles(object, a->name, 0, &a->number);
    }
    return false;
}

static bool make_variable(hid_t file, const io_netcdf *n, const io_variable *v, haddr_t *position)
{
    hsize_t size[IO_MOST_AXES];
    for (int axis = 0; axis < v->axes; axis++)
        size[axis] = (hsize_t)n->dimensions[v->dimension[axis]].size;
    *position = io_hdf5_reserve(file, v->name, v->type, v->axes, size);
    hid_t set = *position == HADDR_UNDEF ? H5I_INVALID_HID : H5Dopen2(file, v->name, H5P_DEFAULT);
    bool good = set >= 0;
    for (int i = 0; i < v->attribute_count && good; i++) good = say(set, &v->attributes[i]);
    if (good && v->axes == 1 && !strcmp(n->dimensions[v->dimension[0]].name, v->name))
        good = H5DSset_scale(set, v->name) >= 0;
    if (set >= 0) good = H5Dclose(set) >= 0 && good;
    return good;
}

static bool make_frame(const void *data, hid_t file, haddr_t *positions)
{
    const io_netcdf *n = ((const netcdf_file *)data)->content;
    bool good = io_hdf5_text(file, "Conventions", n->conventions) && make_dimensions(file, n);
    for (int i = 0; i < n->variable_count && good; i++)
        good = make_variable(file, n, &n->variables[i], &positions[i]);
    for (int i = 0; i < n->variable_count && good; i++) good = name_axes(file, n, &n->variables[i]);
    return good;
}

/* ---- values ---------------------------------------------------------------------------------- */

static int64_t take(void *data, int i, int64_t first, const void **values)
{
    const netcdf_file *f = data;
    const io_variable *v = &f->content->variables[i];
    if (!v->values) return f->source->take(f->source->data, f->taken[i], first, values);
    *values = (const char *)v->values + first * store_type_bytes(v->type);
    return (int64_t)f->points_of[i] - first;
}

static kata_status write_file(const char *path, netcdf_file *f, messages *m)
{
    const io_netcdf *n = f->content;
    for (int i = 0, next = 0; i < n->variable_count; i++) {
        const io_variable *v = &n->variables[i];
        f->arrays[i] = (io_points){v->name, v->type, 1, NULL, false};
        f->taken[i] = v->values ? 0 : next++;
        f->points_of[i] = 1;
        for (int axis = 0; axis < v->axes; axis++)
            f->points_of[i] *= (size_t)n->dimensions[v->dimension[axis]].size;
    }
    const io_source own = {f, take};
    const io_frame frame = {.data = f,
                            .make = make_frame,
                            .count = n->variable_count,
                            .arrays = f->arrays,
                            .points_of = f->points_of};
    return io_write_frame(path, &frame, &own, m);
}

kata_status io_netcdf_write(const char *path, const io_netcdf *content, const io_source *source,
                            messages *m)
{
    const size_t count = (size_t)content->variable_count;
    netcdf_file f = {content, source, calloc(count, sizeof *f.arrays),
                     calloc(count, sizeof *f.points_of), calloc(count, sizeof *f.taken)};
    kata_status status =
        f.arrays && f.points_of && f.taken ? write_file(path, &f, m) : message_no_memory(m);
    free(f.arrays);
    free(f.points_of);
    free(f.taken);
    return status;
}
