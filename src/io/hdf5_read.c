/* Values out of HDF5 files. HDF5 parses the file; what it says of a dataset's size is compared with
 * what is expected before anything is allocated or read. Its printing of errors is off for the time
 * of a call. */
#include "io/io.h"

#include <errno.h>
#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define POINT_DATA "/VTKHDF/PointData"

/* An open dataset. */
typedef struct opened {
    hid_t file, set, space, type;
    char reason[160]; /* of a failure */
    H5E_auto2_t print;
    void *print_data;
} opened;

static bool wrong(opened *o, const char *reason)
{
    if (!o->reason[0]) snprintf(o->reason, sizeof o->reason, "%s", reason);
    return false;
}

static opened be_quiet(void)
{
    opened o = {H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, "", NULL, NULL};
    H5Eget_auto2(H5E_DEFAULT, &o.print, &o.print_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return o;
}

static kata_status finish(opened *o, const char *path, messages *m)
{
    if (o->type >= 0) H5Tclose(o->type);
    if (o->space >= 0) H5Sclose(o->space);
    if (o->set >= 0) H5Dclose(o->set);
    if (o->file >= 0) H5Fclose(o->file);
    H5Eset_auto2(H5E_DEFAULT, o->print, o->print_data);
    if (!o->reason[0]) return KATA_OK;
    return message_fail(m, KATA_ERROR_FILE, "cannot read %s: %s", path, o->reason);
}

static bool open_file(opened *o, const char *path)
{
    if (access(path, R_OK)) return wrong(o, strerror(errno));
    o->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    return o->file >= 0 || wrong(o, "it is not an HDF5 file, or is damaged");
}

static bool open_dataset(opened *o, const char *name)
{
    o->set = H5Dopen2(o->file, name, H5P_DEFAULT);
    if (o->set < 0) {
        snprintf(o->reason, sizeof o->reason, "it has no dataset %.100s", name);
        return false;
    }
    o->space = H5Dget_space(o->set);
    o->type = H5Dget_type(o->set);
    return (o->space >= 0 && o->type >= 0) || wrong(o, "HDF5 cannot tell a dataset's shape");
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static bool take_type(opened *o, kata_type *type)
{
    size_t bytes = H5Tget_size(o->type);
    H5T_class_t class = H5Tget_class(o->type);
    bool is_signed = class == H5T_INTEGER && H5Tget_sign(o->type) == H5T_SGN_2;
    if (class == H5T_FLOAT)
        *type = bytes <= 4 ? KATA_F32 : KATA_F64;
    else if (class == H5T_INTEGER && bytes == 1 && !is_signed)
        *type = KATA_U8;
    else if (class == H5T_INTEGER && (bytes < 4 || (bytes == 4 && is_signed)))
        *type = KATA_I32;
    else if (class == H5T_INTEGER && (bytes < 8 || (bytes == 8 && is_signed)))
        *type = KATA_I64;
    else
        return wrong(o, "the dataset is not made of numbers, or of unsigned ones of 64 bits");
    return true;
}

static bool take_shape(opened *o, io_array *a)
{
    hsize_t size[H5S_MAX_RANK], count = 1;
    int axes = H5Sis_simple(o->space) > 0 ? H5Sget_simple_extent_ndims(o->space) : -1;
    if (axes < 0 || axes > IO_MOST_AXES) return wrong(o, "the dataset has more than 8 axes");
    if (!take_type(o, &a->type) || H5Sget_simple_extent_dims(o->space, size, NULL) < 0)
        return wrong(o, "HDF5 cannot tell a dataset's shape");
    a->axes = axes;
    for (int i = 0; i < axes; i++) {
        if (__builtin_mul_overflow(count, size[i], &count) || count >= (hsize_t)1 << 48)
            return wrong(o, "the dataset has 2^48 values or more");
        a->size[i] = (int64_t)size[i];
    }
    return true;
}

kata_status io_hdf5_shape(const char *path, const char *dataset, io_array *a, messages *m)
{
    opened o = be_quiet();
    io_array found;
    if (open_file(&o, path) && open_dataset(&o, dataset) && take_shape(&o, &found)) *a = found;
    return finish(&o, path, m);
}

/* ---- values ---------------------------------------------------------------------------------- */

static hid_t memory_type(kata_type type)
{
    switch (type) {
    case KATA_F64: return H5T_NATIVE_DOUBLE;
    case KATA_F32: return H5T_NATIVE_FLOAT;
    case KATA_I64: return H5T_NATIVE_INT64;
    case KATA_I32: return H5T_NATIVE_INT32;
    case KATA_U8: return H5T_NATIVE_UINT8;
    default: return H5I_INVALID_HID;
    }
}

static bool read_values(opened *o, const io_array *expected, void *values)
{
    io_array found = {0};
    if (!take_shape(o, &found)) return false;
    if (found.axes != expected->axes ||
        memcmp(found.size, expected->size, (size_t)found.axes * sizeof *found.size) != 0)
        return wrong(o, "it has changed while it was read");
    hid_t type = memory_type(expected->type);
    return H5Dread(o->set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0 ||
           wrong(o, "HDF5 cannot read the dataset's values");
}

kata_status io_hdf5_read(const char *path, const char *dataset, const io_array *expected,
                         void *values, messages *m)
{
    opened o = be_quiet();
    if (open_file(&o, path) && open_dataset(&o, dataset)) read_values(&o, expected, values);
    return finish(&o, path, m);
}

/* ---- VTKHDF ---------------------------------------------------------------------------------- */

static herr_t take_name(hid_t group, const char *name, const H5L_info_t *info, void *data)
{
    (void)group;
    (void)info;
    text *names = data;
    text_add(names, "%s%s", names->length ? ", " : "", name);
    return 0;
}

/* Writes the path of the dataset of this name, or of the only one, to *dataset. */
static bool choose_dataset(opened *o, const char *name, text *dataset)
{
    hsize_t at = 0, count = 0;
    H5G_info_t info;
    text names = {0};
    hid_t group = H5Gopen2(o->file, POINT_DATA, H5P_DEFAULT);
    if (group < 0) return wrong(o, "it has no group " POINT_DATA);
    if (H5Gget_info(group, &info) >= 0) count = info.nlinks;
    if (count <= 64) H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &at, take_name, &names);
    if (name && H5Lexists(group, name, H5P_DEFAULT) > 0)
        text_add(dataset, POINT_DATA "/%s", name);
    else if (count == 1)
        text_add(dataset, POINT_DATA "/%s", text_get(&names));
    else
        snprintf(o->reason, sizeof o->reason, "it has no point data '%s'; it has %.100s",
                 name ? name : "", count ? text_get(&names) : "none");
    if (names.failed || dataset->failed) wrong(o, "memory is out");
    text_free(&names);
    H5Gclose(group);
    return !o->reason[0];
}

/* Points of the image; 0 when the attribute is missing or strange. */
static int64_t points_of_extent(const opened *o)
{
    int64_t extent[6], points = 1;
    hid_t attribute = H5Aopen_by_name(o->file, "/VTKHDF", "WholeExtent", H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0) return 0;
    hid_t space = H5Aget_space(attribute);
    bool good = space >= 0 && H5Sget_simple_extent_npoints(space) == 6 &&
                H5Aread(attribute, H5T_NATIVE_INT64, extent) >= 0;
    if (space >= 0) H5Sclose(space);
    H5Aclose(attribute);
    for (int d = 0; d < 3 && good; d++) {
        int64_t size;
        good = !__builtin_sub_overflow(extent[2 * d + 1], extent[2 * d], &size) && size >= 0 &&
               size < INT32_MAX && !__builtin_mul_overflow(points, size + 1, &points);
    }
    return good ? points : 0;
}

static bool take_components(opened *o, const io_array *a, int *components)
{
    int64_t points = points_of_extent(o), count = io_array_count(a);
    int64_t last = a->axes ? a->size[a->axes - 1] : 1;
    if (points == count)
        *components = 1;
    else if (points > 0 && last <= INT32_MAX && count % points == 0 && count / points == last)
        *components = (int)last;
    else
        return wrong(o, "its point data do not fit its extent");
    return true;
}

kata_status io_vtkhdf_shape(const char *path, const char *name, text *dataset, io_array *a,
                            int *components, messages *m)
{
    opened o = be_quiet();
    if (open_file(&o, path) && choose_dataset(&o, name, dataset) &&
        open_dataset(&o, text_get(dataset)) && take_shape(&o, a))
        take_components(&o, a, components);
    return finish(&o, path, m);
}
