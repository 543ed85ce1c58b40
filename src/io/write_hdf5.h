/* What only the files that write HDF5 share. HDF5 writes the frame of a file: everything but the
 * values, and sets space aside for these. Plain writes fill the space, and report plain errors.
 * (When HDF5 1.10 fails to close a file, the file stays open and the program crashes at exit. So
 * whatever is likely to fail is tried before HDF5 is called.) */
#ifndef IO_WRITE_HDF5_H
#define IO_WRITE_HDF5_H

#include "io/io.h"

#include <hdf5.h>

enum { IO_LONGEST_PATH = 128 }; /* of what lies in a file, with a name of up to 64 letters */

/* ---- write_values.c -------------------------------------------------------------------------- */

/* Values are stored in the byte order of this machine; HDF5 converts when another reads them. */
hid_t io_hdf5_type(kata_type type);
/* A file that is open at a descriptor, for reading and writing. */
hid_t io_hdf5_reopen(int file);
/* A contiguous dataset with space set aside for its values: where in the file, HADDR_UNDEF on
 * failure. */
haddr_t io_hdf5_reserve(hid_t group, const char *name, kata_type type, int axes,
                        const hsize_t *size);
/* Writes `count` points from `first` on, components of a point together. `values` holds `points`
 * points in plain order. Returns 0 or an errno value. */
int io_write_points(int file, off_t position, const io_points *p, const void *values, size_t points,
                    size_t first, size_t count);

/* ---- write_frame.c --------------------------------------------------------------------------- */

/* Starts HDF5, if nothing else has. */
void io_hdf5_start(void);
/* While one is begun, this thread is the only one of the process that calls HDF5 here, and HDF5
 * prints no errors; the first reason goes to a text. */
typedef struct io_quiet {
    H5E_auto2_t print;
    void *data;
    bool known; /* what it did before */
} io_quiet;
io_quiet io_quiet_begin(text *reason);
void io_quiet_end(const io_quiet *q);

/* A file that is written in one go. */
typedef struct io_frame {
    const void *data;
    /* Makes everything but the values in an open file; sets positions[i] to where the values of
     * array i belong. False on failure. */
    bool (*make)(const void *data, hid_t file, haddr_t *positions);
    int count; /* arrays */
    const io_points *arrays;
    const size_t *points_of;   /* of each array */
    const io_keeping *keeping; /* NULL: as for io_hdf5_write */
} io_frame;

/* Writes all of the file, which appears whole or not at all. */
kata_status io_write_frame(const char *path, const io_frame *frame, const io_source *source,
                           messages *m);
/* "cannot write PATH: REASON", for a reason of HDF5 (where there is one) or an errno value; of
 * ECANCELED, which a source returns, nothing is reported again. */
kata_status io_cannot_write(const char *path, int error, const text *reason, messages *m);

/* ---- vtkhdf_frame.c -------------------------------------------------------------------------- */

/* Points of an image, or its cells: slowest dimension first. */
typedef struct io_vtkhdf_size {
    hsize_t size[3];
    size_t count;
} io_vtkhdf_size;

/* The image in a file. */
typedef struct io_vtkhdf_layout {
    const io_lattice *lattice;
    int rank; /* dimensions of the points */
    io_vtkhdf_size points, cells;
    bool turned; /* y of the image is z of the grid */
} io_vtkhdf_layout;

io_vtkhdf_layout io_vtkhdf_layout_of(const io_lattice *lattice);
/* That of an array. */
const io_vtkhdf_size *io_vtkhdf_size_of(const io_vtkhdf_layout *l, const io_points *p);
/* The axes of an array, from the slowest on, after the first `skipped`; returns their number. */
int io_vtkhdf_axes(const io_vtkhdf_layout *l, const io_points *p, int skipped, hsize_t size[5]);
/* Where an array lies: "VTKHDF/PointData/u"; with an ending behind the kind of data, as
 * "VTKHDF/Steps/PointDataOffsets/u". */
void io_vtkhdf_path(char path[IO_LONGEST_PATH], const char *before, const io_points *p,
                    const char *behind);
/* An attribute of `count` values, one value without dimensions if it is 0; a text; NULL: none. */
bool io_hdf5_integers(hid_t object, const char *name, int count, const int64_t *values);
bool io_hdf5_small(hid_t object, const char *name, int32_t value); /* one, of 32 bits */
bool io_hdf5_doubles(hid_t object, const char *name, int count, const double *values);
bool io_hdf5_text(hid_t object, const char *name, const char *value);
/* Makes the group VTKHDF with the attributes of an image, and a group in it for each kind of data
 * that there is. */
bool io_vtkhdf_groups(hid_t file, const io_vtkhdf_layout *l, int count, const io_points *arrays);
/* The latter, in the group VTKHDF. */
bool io_vtkhdf_data_groups(hid_t group, int count, const io_points *arrays);
kata_status io_vtkhdf_check(const char *path, const io_lattice *lattice, messages *m);

/* ---- vtkhdf.c -------------------------------------------------------------------------------- */

/* The units of an array, as an attribute; NULL: none. The time of a file, as field data. */
bool io_vtkhdf_units(hid_t file, const char *path, const char *units);
bool io_vtkhdf_time(hid_t file, double time);

#endif
