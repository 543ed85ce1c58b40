/* What only the files that write HDF5 share. HDF5 writes the frame of a file: everything but the
 * values, and sets space aside for these. Plain writes fill the space, and report plain errors.
 * (When HDF5 1.10 fails to close a file, the file stays open and the program crashes at exit. So
 * whatever is likely to fail is tried before HDF5 is called.) */
#ifndef IO_WRITE_HDF5_H
#define IO_WRITE_HDF5_H

#include "io/io.h"

#include <hdf5.h>

/* ---- write_values.c -------------------------------------------------------------------------- */

/* Values are stored in the byte order of this machine; HDF5 converts when another reads them. */
hid_t io_hdf5_type(kata_type type);
/* A contiguous dataset with space set aside for its values: where in the file, HADDR_UNDEF on
 * failure. */
haddr_t io_hdf5_reserve(hid_t group, const char *name, kata_type type, int axes,
                        const hsize_t *size);
/* Writes `count` points from `first` on, components of a point together. `values` holds `points`
 * points in plain order. Returns 0 or an errno value. */
int io_write_points(int file, off_t position, const io_points *p, const void *values, size_t points,
                    size_t first, size_t count);

/* ---- write_frame.c --------------------------------------------------------------------------- */

/* While one is begun, HDF5 prints no errors; the first reason goes to a text. */
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
    size_t points; /* of each array; 0: as many as `points_of` says */
    const size_t *points_of;
    const io_keeping *keeping; /* NULL: as for io_hdf5_write */
} io_frame;

/* Writes all of the file, which appears whole or not at all. */
kata_status io_write_frame(const char *path, const io_frame *frame, const io_source *source,
                           messages *m);
/* "cannot write PATH: REASON", for a reason of HDF5 (where there is one) or an errno value; of
 * ECANCELED, which a source returns, nothing is reported again. */
kata_status io_cannot_write(const char *path, int error, const text *reason, messages *m);

/* ---- vtkhdf_frame.c -------------------------------------------------------------------------- */

/* The image in a file: slowest dimension first. */
typedef struct io_vtkhdf_layout {
    const io_lattice *lattice;
    int rank; /* dimensions of the points */
    hsize_t size[3];
    size_t points;
    bool turned; /* y of the image is z of the grid */
} io_vtkhdf_layout;

io_vtkhdf_layout io_vtkhdf_layout_of(const io_lattice *lattice);
/* The axes of an array, from the slowest on, after the first `skipped`; returns their number. */
int io_vtkhdf_axes(const io_vtkhdf_layout *l, const io_points *p, int skipped, hsize_t size[5]);
/* An attribute of `count` values, one value without dimensions if it is 0. */
bool io_vtkhdf_integers(hid_t group, const char *name, int count, const int64_t *values);
/* Makes the group VTKHDF with the attributes of an image, and PointData in it. */
bool io_vtkhdf_groups(hid_t file, const io_vtkhdf_layout *l, hid_t *root, hid_t *point_data);
kata_status io_vtkhdf_check(const char *path, const io_lattice *lattice, messages *m);

#endif
