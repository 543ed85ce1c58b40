/* Columns as HDF5: a dataset [row] for the times and for each column, [row][element] where it has
 * several elements. They grow along their first axis; HDF5 writes their values. */
#include "io/number_rows.h"
#include "io/write_hdf5.h"

#include <errno.h>
#include <stdlib.h>

enum { CHUNK = 1 << 14 }; /* bytes of a chunk, about */

static hid_t make_dataset(hid_t file, const char *name, int axes, int elements)
{
    const hsize_t rows = (hsize_t)larger(CHUNK / (8 * elements), 1);
    const hsize_t size[2] = {0, (hsize_t)elements}, most[2] = {H5S_UNLIMITED, (hsize_t)elements};
    const hsize_t chunk[2] = {rows, (hsize_t)elements};
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE), set = H5I_INVALID_HID;
    hid_t space = H5Screate_simple(axes, size, most);
    if (properties >= 0 && space >= 0 && H5Pset_chunk(properties, axes, chunk) >= 0 &&
        H5Pset_obj_track_times(properties, false) >= 0) /* same values, same bytes */
        set = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    if (space >= 0) H5Sclose(space);
    if (properties >= 0) H5Pclose(properties);
    return set;
}

static bool make_column(hid_t file, const io_column *column)
{
    hid_t set = make_dataset(file, column->name, column->is_array ? 2 : 1, column->elements);
    bool good = set >= 0 && io_hdf5_text(set, "units", column->units);
    return set >= 0 && H5Dclose(set) >= 0 && good;
}

static bool make_all(hid_t file, const io_columns *c)
{
    static const io_column time = {"time", NULL, 1, false};
    bool good = make_column(file, &time);
    for (int i = 0; i < c->count && good; i++) good = make_column(file, &c->columns[i]);
    return good;
}

/* Gives a dataset more rows, or (values: NULL) as many as there were. */
static bool set_rows(hid_t file, const char *name, int axes, int elements, int64_t rows,
                     int64_t more, const double *values)
{
    const hsize_t size[2] = {(hsize_t)(rows + more), (hsize_t)elements};
    const hsize_t first[2] = {(hsize_t)rows, 0}, count[2] = {(hsize_t)more, (hsize_t)elements};
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    if (set < 0) return false;
    bool good = H5Dset_extent(set, size) >= 0;
    if (good && values) {
        hid_t space = H5Dget_space(set), memory = H5Screate_simple(axes, count, NULL);
        good = space >= 0 && memory >= 0 &&
               H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL) >= 0 &&
               H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
        if (memory >= 0) H5Sclose(memory);
        if (space >= 0) H5Sclose(space);
    }
    return H5Dclose(set) >= 0 && good;
}

/* Values of a column, from number `first` of each row on, one row after another. */
static void gather(const io_columns *c, const double *rows, int64_t count, int first, int elements,
                   double *values)
{
    for (int64_t i = 0; i < count; i++)
        for (int j = 0; j < elements; j++) *values++ = rows[i * c->width + first + j];
}

static bool add_rows(hid_t file, const io_columns *c, const double *rows, int64_t count,
                     double *values)
{
    int first = 1;
    gather(c, rows, count, 0, 1, values);
    bool good = set_rows(file, "time", 1, 1, c->rows, count, values);
    for (int i = 0; i < c->count && good; i++) {
        const io_column *column = &c->columns[i];
        gather(c, rows, count, first, column->elements, values);
        good = set_rows(file, column->name, column->is_array ? 2 : 1, column->elements, c->rows,
                        count, values);
        first += column->elements;
    }
    return good;
}

static void shrink(hid_t file, const io_columns *c)
{
    set_rows(file, "time", 1, 1, c->rows, 0, NULL);
    for (int i = 0; i < c->count; i++)
        set_rows(file, c->columns[i].name, c->columns[i].is_array ? 2 : 1, c->columns[i].elements,
                 c->rows, 0, NULL);
}

/* Adds rows to a file that HDF5 has opened; closes it. */
static int add_to(hid_t file, const io_columns *c, const double *rows, int64_t count)
{
    if (file < 0) return EIO;
    double *values = calloc((size_t)count, (size_t)c->width * sizeof *values);
    int error = !values ? ENOMEM : add_rows(file, c, rows, count, values) ? 0 : EIO;
    if (error) shrink(file, c);
    free(values);
    return H5Fclose(file) < 0 && !error ? EIO : error;
}

static size_t space_of(const io_columns *c, int64_t count)
{
    enum { FRAME = 1 << 12 }; /* what HDF5 writes of a column */
    return (size_t)count * (size_t)c->width * sizeof(double) +
           (size_t)(c->count + 1) * (FRAME + CHUNK) + (size_t)c->width * sizeof(double);
}

static int begin(io_columns *c, const double *rows, int64_t count, text *reason)
{
    file_draft draft;
    int error = io_grow_begin(&draft, c->path, &c->file);
    if (error) return error;
    error = io_reserve(c->file, space_of(c, count));
    if (!error) {
        io_quiet quiet = io_quiet_begin(reason);
        hid_t file = H5Fcreate(text_get(&draft.name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        if (file < 0 || !make_all(file, c)) error = EIO;
        if (error && file >= 0) H5Fclose(file);
        if (!error) error = add_to(file, c, rows, count);
        io_quiet_end(&quiet);
    }
    return io_grow_end(&draft, &c->file, error);
}

int io_columns_hdf5(io_columns *c, const double *rows, int64_t count, text *reason)
{
    if (c->file < 0) return begin(c, rows, count, reason);
    int error = io_reserve(c->file, space_of(c, count));
    if (error) return error;
    io_quiet quiet = io_quiet_begin(reason);
    error = add_to(io_hdf5_reopen(c->file), c, rows, count);
    io_quiet_end(&quiet);
    return error;
}
