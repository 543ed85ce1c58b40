/* Files that are read: arrays of values, and meshes. */
#ifndef IO_READING_H
#define IO_READING_H

#include "io/io.h"

/* ---- reading.c ------------------------------------------------------------------------------- */

/* The values of an array in a file, the last axis fastest, from the first to the last. What opens
 * them leaves this as it is on failure. */
typedef struct io_reading {
    void *data;
    /* Copies the next ones. After an error nothing but the end follows. */
    kata_status (*next)(void *data, int64_t count, void *values, messages *m);
    void (*end)(void *data);
} io_reading;

/* Values of `size` bytes that are all in memory, malloc'd, which it frees; also where it fails. */
kata_status io_reading_of(io_reading *r, void *values, size_t size, messages *m);

/* ---- npy.c, npy_header.c --------------------------------------------------------------------- */

/* NumPy's files (NEP 1), format versions 1 and 2, of floating-point numbers of 2, 4 and 8 bytes,
 * integers (unsigned ones of up to 4 bytes) and bool, in either order of bytes, in C or Fortran
 * order. Integers that are none of ours take the next larger type, bool is u8. A header that tells
 * more or less than the file holds is refused. */
kata_status io_npy_shape(const char *path, io_array *a, messages *m);
/* Opens the values of a file that must have this shape and type, or where the type is narrow, as a
 * wider integer (io_widens). Values in Fortran order are all in memory meanwhile. */
kata_status io_npy_open(const char *path, const io_array *expected, io_reading *values,
                        messages *m);

/* ---- mesh_file.c ----------------------------------------------------------------------------- */

/* The tables of a mesh in a netCDF-4 file by the UGRID conventions, or with the variables of an
 * ICON grid file: what it has of them, in `memory`, with elements counted from 0 and -1 in empty
 * slots. Entries that are no elements are faults, told by the variable, the element and the slot.
 */
kata_status io_mesh_read(const char *path, grid_mesh *mesh, arena *memory, messages *m);

/* ---- hdf5_read.c ----------------------------------------------------------------------------- */

/* Which dataset of an HDF5 file. */
typedef struct io_dataset {
    const char *path; /* of the file */
    const char *name; /* may be NULL where it need not be given */
    enum {
        IO_DATASET,      /* the name is the dataset's path in the file, from '/' */
        IO_ONLY_DATASET, /* the dataset of this name in the root group, or the only one there */
        IO_POINT_DATA    /* the same in the data of a VTKHDF ImageData file; the last step */
    } kind;
} io_dataset;

/* A dataset of floating-point numbers (f64, or f32 up to 4 bytes) or integers (u8, u16, i16, else
 * i32 where they fit, else i64; unsigned ones of 64 bits are refused), values converted by HDF5. A
 * process of its own reads it: a file that makes libhdf5 crash, or asks for more memory, time or
 * other files than it should, is an error. *components is 1, but for point data: there the last
 * axis is one of components where there are more values than points. */
kata_status io_hdf5_shape(const io_dataset *d, io_array *a, int *components, messages *m);
/* Opens the values of a dataset that must have this shape, as expected->type, which may be a wider
 * integer type. */
kata_status io_hdf5_open(const io_dataset *d, const io_array *expected, io_reading *values,
                         messages *m);

#endif
