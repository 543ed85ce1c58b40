/* VTKHDF ImageData: which data of points or cells there are, how many of these the image has, and
 * which step of a series is the last. */
#include "reader/reader_hdf5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IMAGE "/VTKHDF"
#define STEPS IMAGE "/Steps"
#define POINTS IMAGE "/PointData"
#define CELLS IMAGE "/CellData"

/* ---- steps ----------------------------------------------------------------------------------- */

static bool exists(const reader *r, const char *path)
{
    return H5Lexists(r->file, path, H5P_DEFAULT) > 0;
}

/* Whether a type is of integers, which convert to int64_t without reaching beyond it. */
static bool is_integer(hid_t type) { return H5Tget_class(type) == H5T_INTEGER; }

/* The number of steps; 0 where the attribute is missing or strange. */
static int64_t count_steps(const reader *r)
{
    int64_t count = 0;
    hid_t attribute = H5Aopen_by_name(r->file, STEPS, "NSteps", H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0) return 0;
    hid_t space = H5Aget_space(attribute), type = H5Aget_type(attribute);
    bool read = space >= 0 && type >= 0 && is_integer(type) &&
                H5Sget_simple_extent_npoints(space) == 1 &&
                H5Aread(attribute, H5T_NATIVE_INT64, &count) >= 0;
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    H5Aclose(attribute);
    return read && count > 0 ? count : 0;
}

/* Whether data of that name are those of cells. Without a name, or where none has it, they are
 * those of points, if there are any. */
static bool are_of_cells(const reader *r, const char *name)
{
    enum { LONGEST = 300 };
    char path[LONGEST];
    if (!exists(r, IMAGE) || !exists(r, CELLS)) return false;
    if (!exists(r, POINTS)) return true;
    if (!name || strlen(name) > LONGEST - sizeof POINTS "/" || strchr(name, '/')) return false;
    snprintf(path, sizeof path, POINTS "/%s", name);
    if (exists(r, path)) return false;
    snprintf(path, sizeof path, CELLS "/%s", name);
    return exists(r, path);
}

/* Opens the data with their steps left out of account. */
bool reader_open_image(reader *r, const char *name)
{
    r->of_cells = are_of_cells(r, name);
    if (!reader_open_member(r, r->of_cells ? CELLS : POINTS, name)) return false;
    if (!exists(r, STEPS)) return true;
    int64_t steps = count_steps(r);
    hsize_t size[H5S_MAX_RANK];
    int axes = H5Sget_simple_extent_ndims(r->space);
    if (axes < 1 || H5Sget_simple_extent_dims(r->space, size, NULL) < 0 || steps < 1 || !size[0])
        return reader_fail(r, "it has steps, but none of these data");
    r->step = (int64_t)(size[0] < (hsize_t)steps ? size[0] : (hsize_t)steps) - 1;
    return true;
}

/* ---- components ------------------------------------------------------------------------------ */

static bool read_extent(const reader *r, int64_t extent[6])
{
    hid_t attribute = H5Aopen_by_name(r->file, IMAGE, "WholeExtent", H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0) return false;
    hid_t space = H5Aget_space(attribute), type = H5Aget_type(attribute);
    bool read = space >= 0 && type >= 0 && is_integer(type) &&
                H5Sget_simple_extent_npoints(space) == 6 &&
                H5Aread(attribute, H5T_NATIVE_INT64, extent) >= 0;
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    H5Aclose(attribute);
    return read;
}

/* Points of the image, or its cells; 0 when the attribute is missing or strange. */
static int64_t points_of_extent(const reader *r)
{
    int64_t extent[6], points = 1;
    if (!read_extent(r, extent)) return 0;
    for (int d = 0; d < 3; d++) {
        int64_t size;
        if (__builtin_sub_overflow(extent[2 * d + 1], extent[2 * d], &size) || size < 0 ||
            size >= INT32_MAX)
            return 0;
        if (!r->of_cells || size == 0) size++;
        if (__builtin_mul_overflow(points, size, &points)) return 0;
    }
    return points;
}

bool reader_take_components(reader *r, reader_reply *reply)
{
    int64_t points = points_of_extent(r), count = 1;
    int64_t last = reply->axes ? reply->size[reply->axes - 1] : 1;
    for (int i = 0; i < reply->axes; i++) count *= reply->size[i];
    if (points == count)
        reply->components = 1;
    else if (points > 0 && last <= INT32_MAX && count % points == 0 && count / points == last)
        reply->components = (int32_t)last;
    else
        return reader_fail(r, "its data do not fit its extent");
    return true;
}
