/* Values into the space that HDF5 has set aside for them. */
#include "io/growing.h"
#include "io/write_hdf5.h"

#include "reader/reader.h"
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

hid_t io_hdf5_type(kata_type type)
{
    switch (type) {
#define TYPE(type, in_memory)                                                                      \
    case type: return in_memory;
        READER_TYPES(TYPE)
#undef TYPE
    default: return H5I_INVALID_HID;
    }
}

/* Without locks: readers may have the file open. */
hid_t io_hdf5_reopen(int file)
{
    char path[40];
    hid_t properties = H5Pcreate(H5P_FILE_ACCESS);
    if (properties < 0) return properties;
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(properties, false, true);
#endif
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    hid_t opened = H5Fopen(path, H5F_ACC_RDWR, properties);
    H5Pclose(properties);
    return opened;
}

haddr_t io_hdf5_reserve(hid_t group, const char *name, kata_type type, int axes,
                        const hsize_t *size)
{
    haddr_t position = HADDR_UNDEF;
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE), set = H5I_INVALID_HID;
    hid_t space = H5Screate_simple(axes, size, NULL);
    if (properties >= 0 && space >= 0 && H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY) >= 0 &&
        H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER) >= 0 &&
        H5Pset_obj_track_times(properties, false) >= 0) /* same values, same bytes */
        set = H5Dcreate2(group, name, io_hdf5_type(type), space, H5P_DEFAULT, properties,
                         H5P_DEFAULT);
    if (set >= 0) position = H5Dget_offset(set);
    if (set >= 0 && H5Dclose(set) < 0) position = HADDR_UNDEF;
    if (space >= 0) H5Sclose(space);
    if (properties >= 0) H5Pclose(properties);
    return position;
}

/* Copies `count` points from `first` on, components together. */
static void interleave(char *to, const io_points *p, const char *values, size_t all, size_t first,
                       size_t count)
{
    size_t size = (size_t)store_type_bytes(p->type), components = (size_t)p->components;
    for (size_t c = 0; c < components; c++) {
        const char *from = values + (c * all + first) * size;
        for (size_t i = 0; i < count; i++)
            memcpy(to + (i * components + c) * size, from + i * size, size);
    }
}

/* Interleaves and writes pieces of at most about 1 MiB. */
static int write_components(int file, off_t position, const io_points *p, const char *values,
                            size_t points, size_t first, size_t count)
{
    size_t point = (size_t)p->components * (size_t)store_type_bytes(p->type);
    size_t most = ((size_t)1 << 20) / point + 1, end = first + count;
    if (most > count) most = count + 1;
    char *piece = malloc(most * point);
    int error = piece ? 0 : ENOMEM;
    while (!error && first < end) {
        size_t here = end - first < most ? end - first : most;
        interleave(piece, p, values, points, first, here);
        error = io_write_at(file, position, piece, here * point);
        first += here;
        position += (off_t)(here * point);
    }
    free(piece);
    return error;
}

int io_write_points(int file, off_t position, const io_points *p, const void *values, size_t points,
                    size_t first, size_t count)
{
    if (p->components > 1) return write_components(file, position, p, values, points, first, count);
    size_t size = (size_t)store_type_bytes(p->type);
    return io_write_at(file, position, (const char *)values + first * size, count * size);
}
