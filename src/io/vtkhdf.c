/* Files of one moment: VTKHDF images with several arrays, and HDF5 files with a dataset for each
 * array. */
#include "io/write_hdf5.h"

#include <stdlib.h>

/* ---- images ---------------------------------------------------------------------------------- */

typedef struct image {
    const io_vtkhdf_layout *layout;
    double time;
    int count;
    const io_points *arrays;
} image;

bool io_vtkhdf_units(hid_t file, const char *path, const char *units)
{
    if (!units) return true;
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    if (set < 0) return false;
    bool good = io_hdf5_text(set, "units", units);
    return H5Dclose(set) >= 0 && good;
}

bool io_vtkhdf_time(hid_t file, double time)
{
    const hsize_t one = 1;
    hid_t group = H5Gcreate2(file, "VTKHDF/FieldData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0) return false;
    bool good = io_hdf5_reserve(group, "TimeValue", KATA_F64, 1, &one) != HADDR_UNDEF;
    hid_t set = good ? H5Dopen2(group, "TimeValue", H5P_DEFAULT) : H5I_INVALID_HID;
    good = set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &time) >= 0;
    if (set >= 0) good = H5Dclose(set) >= 0 && good;
    return H5Gclose(group) >= 0 && good;
}

static bool make_image(const void *data, hid_t file, haddr_t *positions)
{
    const image *im = data;
    bool good = io_vtkhdf_groups(file, im->layout, im->count, im->arrays);
    for (int i = 0; i < im->count && good; i++) {
        const io_points *p = &im->arrays[i];
        char path[IO_LONGEST_PATH];
        hsize_t size[5];
        int axes = io_vtkhdf_axes(im->layout, p, 0, size);
        io_vtkhdf_path(path, "VTKHDF", p, "");
        positions[i] = io_hdf5_reserve(file, path, p->type, axes, size);
        good = positions[i] != HADDR_UNDEF && io_vtkhdf_units(file, path, p->units);
    }
    /* VTK before 9.3 reads no file that has such data. */
    return good && (im->time == 0 || io_vtkhdf_time(file, im->time));
}

kata_status io_vtkhdf_write(const char *path, const io_lattice *lattice, double time, int count,
                            const io_points *arrays, const io_source *source, messages *m)
{
    kata_status status = io_vtkhdf_check(path, lattice, m);
    if (status) return status;
    io_vtkhdf_layout layout = io_vtkhdf_layout_of(lattice);
    size_t points[IO_MOST_ARRAYS];
    for (int i = 0; i < count; i++) points[i] = io_vtkhdf_size_of(&layout, &arrays[i])->count;
    const image im = {&layout, time, count, arrays};
    const io_frame frame = {
        .data = &im, .make = make_image, .count = count, .arrays = arrays, .points_of = points};
    return io_write_frame(path, &frame, source, m);
}

/* ---- datasets -------------------------------------------------------------------------------- */

typedef struct datasets {
    int count;
    const io_named_array *arrays;
} datasets;

/* As attributes: what is said of an array. */
static bool tell(hid_t file, const io_named_array *array)
{
    const io_about *a = array->about;
    if (!a) return true;
    hid_t set = H5Dopen2(file, array->name, H5P_DEFAULT);
    if (set < 0) return false;
    bool good = io_hdf5_doubles(set, "time", 0, &a->time) &&
                io_hdf5_doubles(set, "origin", a->rank, a->origin) &&
                io_hdf5_doubles(set, "spacing", a->rank, a->spacing) &&
                io_hdf5_text(set, "units", a->units);
    return H5Dclose(set) >= 0 && good;
}

static bool make_datasets(const void *data, hid_t file, haddr_t *positions)
{
    const datasets *d = data;
    for (int i = 0; i < d->count; i++) {
        const io_array *a = &d->arrays[i].array;
        hsize_t size[IO_MOST_AXES];
        for (int axis = 0; axis < a->axes; axis++) size[axis] = (hsize_t)a->size[axis];
        positions[i] = io_hdf5_reserve(file, d->arrays[i].name, a->type, a->axes, size);
        if (positions[i] == HADDR_UNDEF || !tell(file, &d->arrays[i])) return false;
    }
    return true;
}

kata_status io_hdf5_write(const char *path, int count, const io_named_array *arrays,
                          const io_source *source, const io_keeping *keeping, messages *m)
{
    io_points *points = calloc((size_t)count, sizeof *points);
    size_t *counts = calloc((size_t)count, sizeof *counts);
    const datasets d = {count, arrays};
    for (int i = 0; i < count && points && counts; i++) {
        points[i] = (io_points){arrays[i].name, arrays[i].array.type, 1, NULL, false};
        counts[i] = (size_t)io_array_count(&arrays[i].array);
    }
    const io_frame frame = {.data = &d,
                            .make = make_datasets,
                            .count = count,
                            .arrays = points,
                            .points_of = counts,
                            .keeping = keeping};
    kata_status status =
        points && counts ? io_write_frame(path, &frame, source, m) : message_no_memory(m);
    free(points);
    free(counts);
    return status;
}
