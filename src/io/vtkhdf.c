/* Files of one moment: VTKHDF images with several arrays, and HDF5 files with a dataset for each
 * array. */
#include "io/write_hdf5.h"

#include <stdlib.h>

/* ---- images ---------------------------------------------------------------------------------- */

typedef struct image {
    const io_vtkhdf_layout *layout;
    int count;
    const io_points *arrays;
} image;

static bool make_image(const void *data, hid_t file, haddr_t *positions)
{
    const image *im = data;
    hid_t root, point_data;
    bool good = io_vtkhdf_groups(file, im->layout, &root, &point_data);
    for (int i = 0; i < im->count && good; i++) {
        hsize_t size[5];
        int axes = io_vtkhdf_axes(im->layout, &im->arrays[i], 0, size);
        positions[i] =
            io_hdf5_reserve(point_data, im->arrays[i].name, im->arrays[i].type, axes, size);
        good = positions[i] != HADDR_UNDEF;
    }
    if (point_data >= 0) good = H5Gclose(point_data) >= 0 && good;
    if (root >= 0) good = H5Gclose(root) >= 0 && good;
    return good;
}

kata_status io_vtkhdf_write(const char *path, const io_lattice *lattice, int count,
                            const io_points *arrays, const io_source *source, messages *m)
{
    kata_status status = io_vtkhdf_check(path, lattice, m);
    if (status) return status;
    io_vtkhdf_layout layout = io_vtkhdf_layout_of(lattice);
    const image im = {&layout, count, arrays};
    const io_frame frame = {
        .data = &im, .make = make_image, .count = count, .arrays = arrays, .points = layout.points};
    return io_write_frame(path, &frame, source, m);
}

/* ---- datasets -------------------------------------------------------------------------------- */

typedef struct datasets {
    int count;
    const io_named_array *arrays;
} datasets;

static bool make_datasets(const void *data, hid_t file, haddr_t *positions)
{
    const datasets *d = data;
    for (int i = 0; i < d->count; i++) {
        const io_array *a = &d->arrays[i].array;
        hsize_t size[IO_MOST_AXES];
        for (int axis = 0; axis < a->axes; axis++) size[axis] = (hsize_t)a->size[axis];
        positions[i] = io_hdf5_reserve(file, d->arrays[i].name, a->type, a->axes, size);
        if (positions[i] == HADDR_UNDEF) return false;
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
        points[i] = (io_points){arrays[i].name, arrays[i].array.type, 1};
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
