/* What only the files of this folder share: an HDF5 file being read. */
#ifndef READER_READER_HDF5_H
#define READER_READER_HDF5_H

#include "reader/reader.h"

#include <hdf5.h>

typedef struct reader {
    hid_t file, set, space, type; /* H5I_INVALID_HID where not open */
    int64_t step;                 /* the index on the first axis that is read; -1: all */
    char *reason;                 /* of the reply */
    bool of_cells;                /* data of an image */
} reader;

/* ---- reason.c -------------------------------------------------------------------------------- */

/* Notes the reason of a failure, unless there is one already, with signs that terminals obey
 * replaced. Returns false. */
bool reader_fail(reader *r, const char *format, ...) PRINTF_LIKE(2, 3);

/* ---- file_driver.c --------------------------------------------------------------------------- */

/* Opens an HDF5 file by its descriptor, whatever names it contains; H5I_INVALID_HID on failure. */
hid_t reader_open_file(int file);

/* ---- link_path.c ----------------------------------------------------------------------------- */

/* Opens the dataset at a path. Every part of it must be a hard link. */
bool reader_open_dataset(reader *r, const char *path);
/* Opens the dataset called `name` in a group, or the only one there that is no scale of others. */
bool reader_open_member(reader *r, const char *group, const char *name);

/* ---- image.c --------------------------------------------------------------------------------- */

/* Opens the data of points or cells in a VTKHDF file, and sets r->step where it has steps. */
bool reader_open_image(reader *r, const char *name);
/* Finds the components of the image in a reply with its shape. */
bool reader_take_components(reader *r, reader_reply *reply);

/* ---- mesh_tables.c --------------------------------------------------------------------------- */

/* Opens a table of a mesh, and says how it is read. Where there is none the table is absent. */
bool reader_open_table(reader *r, const char *name, reader_table *table);

/* ---- dataset.c ------------------------------------------------------------------------------- */

/* Refuses a dataset whose values lie elsewhere or need what libhdf5 would load. */
bool reader_check_storage(reader *r);
/* The type and shape of the dataset, of one step without the axis of steps. `file` is the file. */
bool reader_take_shape(reader *r, reader_reply *reply, int file);

/* ---- values.c -------------------------------------------------------------------------------- */

/* The values of a dataset that are read, and how far. */
typedef struct reader_values {
    reader *r;
    hid_t type;      /* in memory */
    size_t bytes;    /* of a value there */
    int axes, first; /* of the dataset; the first that is not of steps */
    int cut;         /* the axis that is cut; axes: none */
    hsize_t size[H5S_MAX_RANK], at[H5S_MAX_RANK]; /* the next index along each axis */
    hsize_t thick, part;                          /* of a part: indices along the cut, values */
    hsize_t left;                                 /* values that are not read yet */
    void *values;                                 /* of the latest part */
    size_t count;                                 /* its bytes */
} reader_values;

/* Before parts are read of a dataset whose shape is known. False, with a reason, on failure. */
bool reader_values_begin(reader *r, const reader_request *request, reader_values *v);
/* Reads the next part, of which there is one while v->left > 0. */
bool reader_values_next(reader_values *v);
void reader_values_end(reader_values *v);

#endif
