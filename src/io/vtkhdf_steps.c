/* A VTKHDF image with steps ("Temporal Data" of the specification):
 *
 *   /VTKHDF/PointData/NAME           [step][z][y][x], as without steps behind the first axis
 *   /VTKHDF/Steps                    attribute NSteps
 *   /VTKHDF/Steps/Values             [step], the times
 *   /VTKHDF/Steps/PointDataOffsets/NAME   [step], the index of each step in its array: the same;
 *                                    CellDataOffsets likewise
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

#define OFFSETS "Offsets"
#define TIME_VALUES "VTKHDF/Steps/Values"

static size_t row_points(const io_vtkhdf_layout *l, const io_points *p)
{
    const io_vtkhdf_size *of = io_vtkhdf_size_of(l, p);
    return of->count / (size_t)of->size[0];
}

static size_t point_bytes(const io_points *p)
{
    return (size_t)p->components * (size_t)store_type_bytes(p->type);
}

/* Indices of the slowest dimension in a chunk. */
static hsize_t chunk_rows(const io_vtkhdf_layout *l, const io_points *p)
{
    const size_t most = (size_t)HOSTILE(1 << 30, 1 << 9);
    hsize_t rows = most / (row_points(l, p) * point_bytes(p));
    hsize_t all = io_vtkhdf_size_of(l, p)->size[0];
    return rows < 1 ? 1 : rows < all ? rows : all;
}

size_t io_steps_chunks(const io_vtkhdf_layout *l, const io_points *p)
{
    hsize_t rows = chunk_rows(l, p), all = io_vtkhdf_size_of(l, p)->size[0];
    return (size_t)((all + rows - 1) / rows);
}

bool io_steps_fit(const io_vtkhdf_layout *l, const io_points *p)
{
    return row_points(l, p) * point_bytes(p) <= UINT32_MAX;
}

/* ---- making ---------------------------------------------------------------------------------- */

/* A dataset of no steps yet. Axis 0 is the one that grows. */
static hid_t make_growing(hid_t file, const char *path, hid_t type, int axes, hsize_t *size,
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
        set = H5Dcreate2(file, path, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    if (space >= 0) H5Sclose(space);
    if (properties >= 0) H5Pclose(properties);
    return set;
}

static bool make_array(hid_t file, const io_vtkhdf_layout *l, const io_points *p)
{
    char path[IO_LONGEST_PATH];
    hsize_t size[5] = {0}, chunk[5];
    int axes = io_vtkhdf_axes(l, p, 1, size);
    memcpy(chunk, size, sizeof chunk);
    chunk[0] = 1;
    if (chunk[1] == io_vtkhdf_size_of(l, p)->size[0]) chunk[1] = chunk_rows(l, p);
    io_vtkhdf_path(path, "VTKHDF", p, "");
    hid_t set =
        make_growing(file, path, io_hdf5_type(p->type), axes, size, chunk, H5D_ALLOC_TIME_EARLY);
    bool good = set >= 0 && io_hdf5_text(set, "units", p->units);
    return set >= 0 && H5Dclose(set) >= 0 && good;
}

static bool make_list(hid_t file, const char *path, hid_t type)
{
    hsize_t size = 0, chunk = TIMES;
    hid_t set = make_growing(file, path, type, 1, &size, &chunk, H5D_ALLOC_TIME_INCR);
    return set >= 0 && H5Dclose(set) >= 0;
}

static bool make_group(hid_t file, const char *path)
{
    hid_t group = H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    return group >= 0 && H5Gclose(group) >= 0;
}

/* The steps of an array; of the first one that is of cells, or of points, also their group. */
static bool make_offsets(hid_t file, int i, const io_points *arrays)
{
    char path[IO_LONGEST_PATH];
    bool met = false;
    for (int j = 0; j < i; j++) met = met || arrays[j].of_cells == arrays[i].of_cells;
    const char *group =
        arrays[i].of_cells ? "VTKHDF/Steps/CellData" OFFSETS : "VTKHDF/Steps/PointData" OFFSETS;
    io_vtkhdf_path(path, "VTKHDF/Steps", &arrays[i], OFFSETS);
    return (met || make_group(file, group)) && make_list(file, path, H5T_STD_I64LE);
}

static bool make_steps(hid_t file, int count, const io_points *arrays)
{
    int64_t none = 0;
    hid_t steps = H5Gcreate2(file, "VTKHDF/Steps", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (steps < 0) return false;
    bool good = io_hdf5_integers(steps, "NSteps", 0, &none);
    good = H5Gclose(steps) >= 0 && good && make_list(file, TIME_VALUES, H5T_IEEE_F64LE);
    for (int i = 0; i < count && good; i++) good = make_offsets(file, i, arrays);
    return good;
}

bool io_steps_make(hid_t file, const io_vtkhdf_layout *l, int count, const io_points *arrays)
{
    bool good = io_vtkhdf_groups(file, l, count, arrays);
    for (int i = 0; i < count && good; i++) good = make_array(file, l, &arrays[i]);
    return good && make_steps(file, count, arrays);
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

/* Where the chunks of the last step lie in the file. */
static bool find_chunks(hid_t set, const io_vtkhdf_layout *l, const io_points *p, int64_t step,
                        haddr_t *positions)
{
    const hsize_t rows = chunk_rows(l, p);
    for (size_t i = 0, count = io_steps_chunks(l, p); i < count; i++) {
        hsize_t start[5] = {(hsize_t)step, (hsize_t)i * rows}, size;
        unsigned mask;
        if (H5Dget_chunk_info_by_coord(set, start, &mask, &positions[i], &size) < 0 ||
            positions[i] == HADDR_UNDEF)
            return false;
    }
    return true;
}

bool io_steps_extend(hid_t file, const io_vtkhdf_layout *l, int count, const io_points *arrays,
                     int64_t step, haddr_t *positions)
{
    bool good = true;
    for (int i = 0; i < count && good; i++) {
        char path[IO_LONGEST_PATH];
        io_vtkhdf_path(path, "VTKHDF", &arrays[i], "");
        hid_t set = open_extended(file, path, step + 1);
        good = set >= 0 && find_chunks(set, l, &arrays[i], step, positions);
        if (set >= 0) good = H5Dclose(set) >= 0 && good;
        positions += io_steps_chunks(l, &arrays[i]);
    }
    return good;
}

/* Writes points of a step, `first` to before `end`, to the chunks that hold them. Returns 0 or an
 * errno value. */
static int write_chunks(int descriptor, const haddr_t *positions, size_t chunk, const io_points *p,
                        size_t first, size_t end, const void *values)
{
    int error = 0;
    for (size_t at = first; at < end && !error;) {
        size_t i = at / chunk, begin = i * chunk;
        size_t here = (begin + chunk < end ? begin + chunk : end) - at;
        off_t position = (off_t)(positions[i] + (at - begin) * point_bytes(p));
        error = io_write_points(descriptor, position, p, values, end - first, at - first, here);
        at += here;
    }
    return error;
}

static int write_array(int descriptor, const haddr_t *positions, const io_vtkhdf_layout *l,
                       const io_points *p, int array, const io_source *source)
{
    const size_t chunk = (size_t)chunk_rows(l, p) * row_points(l, p);
    int64_t points = (int64_t)io_vtkhdf_size_of(l, p)->count, count = 0;
    int error = 0;
    for (int64_t first = 0; first < points && !error; first += count) {
        const void *values;
        count = source->take(source->data, array, first, &values);
        if (!count) return ECANCELED;
        error = write_chunks(descriptor, positions, chunk, p, (size_t)first,
                             (size_t)(first + count), values);
    }
    return error;
}

int io_steps_write(int descriptor, const haddr_t *positions, const io_vtkhdf_layout *l, int count,
                   const io_points *arrays, const io_source *source)
{
    int error = 0;
    for (int i = 0; i < count && !error; i++) {
        error = write_array(descriptor, positions, l, &arrays[i], i, source);
        positions += io_steps_chunks(l, &arrays[i]);
    }
    return error;
}

bool io_steps_enter(hid_t file, int count, const io_points *arrays, int64_t step, double time)
{
    bool good = true;
    for (int i = 0; i < count && good; i++) {
        char path[IO_LONGEST_PATH];
        io_vtkhdf_path(path, "VTKHDF/Steps", &arrays[i], OFFSETS);
        good = append(file, path, step + 1, H5T_NATIVE_INT64, &step);
    }
    return good && append(file, TIME_VALUES, step + 1, H5T_NATIVE_DOUBLE, &time) &&
           set_count(file, step + 1);
}

void io_steps_shrink(hid_t file, int count, const io_points *arrays, int64_t steps)
{
    char path[IO_LONGEST_PATH];
    set_count(file, steps);
    extend(file, TIME_VALUES, steps);
    for (int i = 0; i < count; i++) {
        io_vtkhdf_path(path, "VTKHDF", &arrays[i], "");
        extend(file, path, steps);
        io_vtkhdf_path(path, "VTKHDF/Steps", &arrays[i], OFFSETS);
        extend(file, path, steps);
    }
}
