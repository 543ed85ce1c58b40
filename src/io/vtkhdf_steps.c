/* A VTKHDF image with steps ("Temporal Data" of the specification):
 *
 *   /VTKHDF/PointData/NAME           [step][z][y][x], as without steps behind the first axis
 *   /VTKHDF/Steps                    attribute NSteps
 *   /VTKHDF/Steps/Values             [step], the times
 *   /VTKHDF/Steps/PointDataOffsets/NAME   [step], the index of each step in its array: the same
 *
 * An array grows along its first axis. A chunk holds one step, or a part of one where that is
 * larger than chunks may be; HDF5 sets its space aside when the array is extended. */
#include "io/vtkhdf_steps.h"

#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 256 }; /* in a chunk */

#define OFFSETS "PointDataOffsets"

static size_t row_bytes(const io_vtkhdf_layout *l, const io_points *p)
{
    return l->points / (size_t)l->size[0] * (size_t)p->components *
           (size_t)store_type_bytes(p->type);
}

/* Indices of the slowest dimension in a chunk. */
static hsize_t chunk_rows(const io_vtkhdf_layout *l, const io_points *p)
{
    const size_t most = (size_t)HOSTILE(1 << 30, 1 << 9);
    hsize_t rows = most / row_bytes(l, p);
    return rows < 1 ? 1 : rows < l->size[0] ? rows : l->size[0];
}

bool io_steps_fit(const io_vtkhdf_layout *l, const io_points *p)
{
    return row_bytes(l, p) <= UINT32_MAX;
}

/* ---- making ---------------------------------------------------------------------------------- */

/* A dataset of no steps yet. Axis 0 is the one that grows. */
static bool make_growing(hid_t group, const char *name, hid_t type, int axes, hsize_t *size,
                         const hsize_t *chunk, H5D_alloc_time_t allocate)
{
    hsize_t most[5];
    for (int i = 0; i < axes; i++) most[i] = i ? size[i] : H5S_UNLIMITED;
    size[0] = 0;
    hid_t space = H5Screate_simple(axes, size, most), set = H5I_INVALID_HID;
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    if (space >= 0 && properties >= 0 && H5Pset_chunk(properties, axes, chunk) >= 0 &&
        H5Pset_alloc_time(properties, allocate) >= 0 &&
        H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER) >= 0 &&
        H5Pset_obj_track_times(properties, false) >= 0)
        set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    if (space >= 0) H5Sclose(space);
    if (properties >= 0) H5Pclose(properties);
    return set >= 0 && H5Dclose(set) >= 0;
}

static bool make_array(hid_t group, const io_vtkhdf_layout *l, const io_points *p)
{
    hsize_t size[5] = {0}, chunk[5];
    int axes = io_vtkhdf_axes(l, p, 1, size);
    memcpy(chunk, size, sizeof chunk);
    chunk[0] = 1;
    if (chunk[1] == l->size[0]) chunk[1] = chunk_rows(l, p);
    return make_growing(group, p->name, io_hdf5_type(p->type), axes, size, chunk,
                        H5D_ALLOC_TIME_EARLY);
}

static bool make_list(hid_t group, const char *name, hid_t type)
{
    hsize_t size = 0, chunk = TIMES;
    return make_growing(group, name, type, 1, &size, &chunk, H5D_ALLOC_TIME_INCR);
}

static bool make_steps(hid_t root, int count, const io_points *arrays)
{
    int64_t none = 0;
    hid_t steps = H5Gcreate2(root, "Steps", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (steps < 0) return false;
    bool good =
        io_vtkhdf_integers(steps, "NSteps", 0, &none) && make_list(steps, "Values", H5T_IEEE_F64LE);
    hid_t offsets = H5Gcreate2(steps, OFFSETS, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    good = good && offsets >= 0;
    for (int i = 0; i < count && good; i++)
        good = make_list(offsets, arrays[i].name, H5T_STD_I64LE);
    if (offsets >= 0) good = H5Gclose(offsets) >= 0 && good;
    return H5Gclose(steps) >= 0 && good;
}

bool io_steps_make(hid_t file, const io_vtkhdf_layout *l, int count, const io_points *arrays)
{
    hid_t root, point_data;
    bool good = io_vtkhdf_groups(file, l, &root, &point_data);
    for (int i = 0; i < count && good; i++) good = make_array(point_data, l, &arrays[i]);
    good = good && make_steps(root, count, arrays);
    if (point_data >= 0) good = H5Gclose(point_data) >= 0 && good;
    if (root >= 0) good = H5Gclose(root) >= 0 && good;
    return good;
}

/* ---- growing --------------------------------------------------------------------------------- */

/* Gives the dataset at a path this many steps. */
static hid_t open_extended(hid_t file, const char *path, int64_t steps)
{
    hsize_t size[5];
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    if (set < 0) return set;
    hid_t space = H5Dget_space(set);
    bool good = space >= 0 && H5Sget_simple_extent_ndims(space) <= 5 &&
                H5Sget_simple_extent_dims(space, size, NULL) >= 0;
    if (space >= 0) H5Sclose(space);
    size[0] = (hsize_t)steps;
    if (good && H5Dset_extent(set, size) >= 0) return set;
    H5Dclose(set);
    return H5I_INVALID_HID;
}

static bool extend(hid_t file, const char *path, int64_t steps)
{
    hid_t set = open_extended(file, path, steps);
    return set >= 0 && H5Dclose(set) >= 0;
}

/* Sets the last entry of a list that it lengthens. */
static bool append(hid_t file, const char *path, int64_t steps, hid_t type, const void *value)
{
    hsize_t last = (hsize_t)steps - 1, one = 1;
    hid_t set = open_extended(file, path, steps);
    if (set < 0) return false;
    hid_t all = H5Dget_space(set), memory = H5Screate_simple(1, &one, NULL);
    bool good = all >= 0 && memory >= 0 &&
                H5Sselect_hyperslab(all, H5S_SELECT_SET, &last, NULL, &one, NULL) >= 0 &&
                H5Dwrite(set, type, memory, all, H5P_DEFAULT, value) >= 0;
    if (memory >= 0) H5Sclose(memory);
    if (all >= 0) H5Sclose(all);
    return H5Dclose(set) >= 0 && good;
}

static bool set_count(hid_t file, int64_t steps)
{
    hid_t group = H5Gopen2(file, "/VTKHDF/Steps", H5P_DEFAULT), attribute = H5I_INVALID_HID;
    if (group >= 0) attribute = H5Aopen(group, "NSteps", H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT64, &steps) >= 0;
    if (attribute >= 0) good = H5Aclose(attribute) >= 0 && good;
    if (group >= 0) good = H5Gclose(group) >= 0 && good;
    return good;
}

static void array_path(char path[96], const char *group, const char *name)
{
    snprintf(path, 96, "/VTKHDF/%s/%s", group, name);
}

/* Writes points of a step, `first` to before `end`, to the chunks that hold them. Returns 0 or an
 * errno value; EIO also for what HDF5 cannot do. */
static int write_chunks(int descriptor, hid_t set, const io_vtkhdf_layout *l, const io_points *p,
                        int64_t step, size_t first, size_t end, const void *values)
{
    size_t row = l->points / (size_t)l->size[0], chunk = (size_t)chunk_rows(l, p) * row;
    size_t bytes = (size_t)p->components * (size_t)store_type_bytes(p->type);
    int error = 0;
    for (size_t at = first; at < end && !error;) {
        size_t begin = at / chunk * chunk, here = (begin + chunk < end ? begin + chunk : end) - at;
        hsize_t start[5] = {(hsize_t)step, begin / row}, size;
        unsigned mask;
        haddr_t position;
        if (H5Dget_chunk_info_by_coord(set, start, &mask, &position, &size) < 0 ||
            position == HADDR_UNDEF)
            return EIO;
        error = io_write_points(descriptor, (off_t)(position + (at - begin) * bytes), p, values,
                                end - first, at - first, here);
        at += here;
    }
    return error;
}

static int write_step(int descriptor, hid_t set, const io_vtkhdf_layout *l, const io_points *p,
                      int64_t step, int array, const io_source *source)
{
    int64_t points = (int64_t)l->points, count = 0;
    int error = 0;
    for (int64_t first = 0; first < points && !error; first += count) {
        const void *values;
        count = source->take(source->data, array, first, &values);
        if (!count) return ECANCELED;
        error = write_chunks(descriptor, set, l, p, step, (size_t)first, (size_t)(first + count),
                             values);
    }
    return error;
}

/* Extends one array, and writes its values to the space that this sets aside. */
static int grow_array(int descriptor, hid_t file, const io_vtkhdf_layout *l, const io_points *p,
                      int64_t step, int array, const io_source *source)
{
    char path[96];
    array_path(path, "PointData", p->name);
    hid_t set = open_extended(file, path, step + 1);
    if (set < 0) return EIO;
    /* The file is now as long as its space: HDF5 cuts what lies behind. */
    int error = H5Fflush(file, H5F_SCOPE_LOCAL) < 0 ? EIO : 0;
    if (!error) error = write_step(descriptor, set, l, p, step, array, source);
    if (H5Dclose(set) < 0 && !error) error = EIO;
    return error;
}

int io_steps_grow(int descriptor, hid_t file, const io_vtkhdf_layout *l, int count,
                  const io_points *arrays, int64_t step, double time, const io_source *source)
{
    int error = 0;
    for (int i = 0; i < count && !error; i++) {
        char path[96];
        error = grow_array(descriptor, file, l, &arrays[i], step, i, source);
        array_path(path, "Steps/" OFFSETS, arrays[i].name);
        if (!error && !append(file, path, step + 1, H5T_NATIVE_INT64, &step)) error = EIO;
    }
    if (error) return error;
    bool good = append(file, "/VTKHDF/Steps/Values", step + 1, H5T_NATIVE_DOUBLE, &time) &&
                set_count(file, step + 1);
    return good ? 0 : EIO;
}

void io_steps_shrink(hid_t file, int count, const io_points *arrays, int64_t steps)
{
    char path[96];
    set_count(file, steps);
    extend(file, "/VTKHDF/Steps/Values", steps);
    for (int i = 0; i < count; i++) {
        array_path(path, "PointData", arrays[i].name);
        extend(file, path, steps);
        array_path(path, "Steps/" OFFSETS, arrays[i].name);
        extend(file, path, steps);
    }
}
