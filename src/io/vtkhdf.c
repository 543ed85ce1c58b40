/* VTKHDF files: VTK's ImageData in HDF5. What is written, and why (VTK File Formats, "VTKHDF
 * format", and vtkHDFReader up to VTK 9.7):
 *
 *   /VTKHDF          attributes Version, Type (ASCII of its exact length), WholeExtent (inclusive),
 *                    Origin, Spacing, Direction (a 3 by 3 matrix by rows; column d is the direction
 *                    of the image's dimension d)
 *   /VTKHDF/PointData/NAME   the values as [z][y][x], or [z][y][x][component]
 *
 * vtkHDFReader takes one dimension from the array for z and one for y where the extent is flat
 * there, and never looks at a dimension behind: a plane must be [y][x] and a line [x], although
 * vtkHDFWriter writes three. A box that is flat along y but not along z is not readable as such; it
 * is written as a plane whose second dimension points along z.
 *
 * HDF5 writes the frame: everything but the values, for which it sets space aside. They are put
 * there by plain writes, whose errors are plain. (HDF5 1.10 keeps a file open that it failed to
 * close, and crashes at exit; so what is likely to fail is tried before HDF5 is called.) Its
 * printing of errors is replaced for the time of the call by keeping the innermost of them for the
 * message.
 *
 * HDF5 is first called when there is a file to fill. */
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The array in the file: slowest dimension first, component last. */
typedef struct layout {
    int rank, dimensions; /* of the points; with the components */
    hsize_t size[4];
    hsize_t points;
    bool turned; /* y of the image is z of the grid */
} layout;

static layout layout_of(const io_points *p)
{
    layout l = {.points = 1};
    l.turned = p->size[1] == 1 && p->size[2] > 1;
    int64_t size[3] = {p->size[0], p->size[l.turned ? 2 : 1], p->size[l.turned ? 1 : 2]};
    l.rank = size[2] > 1 ? 3 : size[1] > 1 ? 2 : 1;
    for (int d = 0; d < l.rank; d++) {
        l.size[l.rank - 1 - d] = (hsize_t)size[d];
        l.points *= (hsize_t)size[d];
    }
    l.dimensions = l.rank;
    if (p->components > 1) l.size[l.dimensions++] = (hsize_t)p->components;
    return l;
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* Writes `count` values (one value without dimensions if it is 0) of a type in memory as an
 * attribute of a type in the file. */
static bool write_attribute(hid_t group, const char *name, hid_t file_type, hid_t type, int count,
                            const void *values)
{
    hsize_t size = (hsize_t)count;
    hid_t space = count ? H5Screate_simple(1, &size, NULL) : H5Screate(H5S_SCALAR);
    if (space < 0) return false;
    hid_t attribute = H5Acreate2(group, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, type, values) >= 0;
    if (attribute >= 0) good = H5Aclose(attribute) >= 0 && good;
    return H5Sclose(space) >= 0 && good;
}

static bool write_doubles(hid_t group, const char *name, int count, const double *values)
{
    return write_attribute(group, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count, values);
}

static bool write_integers(hid_t group, const char *name, int count, const int64_t *values)
{
    return write_attribute(group, name, H5T_STD_I64LE, H5T_NATIVE_INT64, count, values);
}

static bool write_text(hid_t group, const char *name, const char *value)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type < 0) return false;
    bool good = H5Tset_size(type, strlen(value)) >= 0 &&
                H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
                write_attribute(group, name, type, type, 0, value);
    return H5Tclose(type) >= 0 && good;
}

static bool write_attributes(hid_t group, const layout *l, const io_points *p)
{
    static const double straight[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const double turned[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0};
    int64_t version[2] = {2, 0}, extent[6] = {0};
    for (int d = 0; d < l->rank; d++) extent[2 * d + 1] = (int64_t)l->size[l->rank - 1 - d] - 1;
    double origin[3] = {0}, spacing[3] = {p->spacing, p->spacing, p->spacing};
    return write_integers(group, "Version", 2, version) && write_text(group, "Type", "ImageData") &&
           write_integers(group, "WholeExtent", 6, extent) &&
           write_doubles(group, "Origin", 3, origin) &&
           write_doubles(group, "Spacing", 3, spacing) &&
           write_doubles(group, "Direction", 9, l->turned ? turned : straight);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Values are stored in the byte order of this machine; HDF5 converts when another reads them. */
static hid_t stored_type(kata_type type)
{
    switch (type) {
    case KATA_F64: return H5T_NATIVE_DOUBLE;
    case KATA_F32: return H5T_NATIVE_FLOAT;
    case KATA_I64: return H5T_NATIVE_INT64;
    case KATA_I32: return H5T_NATIVE_INT32;
    case KATA_U8: return H5T_NATIVE_UINT8;
    default: return H5I_INVALID_HID;
    }
}

static size_t size_of(kata_type type)
{
    return type == KATA_F64 || type == KATA_I64 ? 8 : type == KATA_U8 ? 1 : 4;
}

/* Copies `count` points from `first` on, components together. */
static void interleave(char *to, const io_points *p, size_t all, size_t first, size_t count)
{
    size_t size = size_of(p->type), components = (size_t)p->components;
    for (size_t c = 0; c < components; c++) {
        const char *from = (const char *)p->values + (c * all + first) * size;
        for (size_t i = 0; i < count; i++)
            memcpy(to + (i * components + c) * size, from + i * size, size);
    }
}

/* Returns 0 or an errno value. */
static int write_at(int file, off_t at, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t put = pwrite(file, data, size, at);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return errno;
        data += put;
        at += put;
        size -= (size_t)put;
    }
    return 0;
}

/* Interleaves and writes pieces of about 1 MiB. */
static int write_components(int file, off_t at, const io_points *p, size_t points)
{
    size_t point = (size_t)p->components * size_of(p->type), most = ((size_t)1 << 20) / point + 1;
    char *piece = malloc(most * point);
    int error = piece ? 0 : ENOMEM;
    for (size_t first = 0; !error && first < points; first += most) {
        size_t count = points - first < most ? points - first : most;
        interleave(piece, p, points, first, count);
        error = write_at(file, at + (off_t)(first * point), piece, count * point);
    }
    free(piece);
    return error;
}

static int write_values(const char *path, off_t at, const io_points *p, const layout *l)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return errno;
    size_t points = (size_t)l->points;
    int error = p->components > 1 ? write_components(file, at, p, points)
                                  : write_at(file, at, p->values, points * size_of(p->type));
    if (close(file) && !error) error = errno;
    return error;
}

/* ---- the frame ------------------------------------------------------------------------------- */

/* Sets space aside in the file, HADDR_UNDEF on failure. */
static haddr_t reserve_values(hid_t group, const layout *l, const io_points *p)
{
    haddr_t at = HADDR_UNDEF;
    hid_t how = H5Pcreate(H5P_DATASET_CREATE), set = H5I_INVALID_HID;
    hid_t space = H5Screate_simple(l->dimensions, l->size, NULL);
    if (how >= 0 && space >= 0 && H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY) >= 0 &&
        H5Pset_fill_time(how, H5D_FILL_TIME_NEVER) >= 0 &&
        H5Pset_obj_track_times(how, false) >= 0) /* same values, same bytes */
        set =
            H5Dcreate2(group, p->name, stored_type(p->type), space, H5P_DEFAULT, how, H5P_DEFAULT);
    if (set >= 0) at = H5Dget_offset(set);
    if (set >= 0 && H5Dclose(set) < 0) at = HADDR_UNDEF;
    if (space >= 0) H5Sclose(space);
    if (how >= 0) H5Pclose(how);
    return at;
}

static haddr_t write_groups(hid_t file, const layout *l, const io_points *p)
{
    haddr_t at = HADDR_UNDEF;
    hid_t root = H5Gcreate2(file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t data = H5I_INVALID_HID;
    if (root >= 0 && write_attributes(root, l, p))
        data = H5Gcreate2(root, "PointData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (data >= 0) at = reserve_values(data, l, p);
    if (data >= 0 && H5Gclose(data) < 0) at = HADDR_UNDEF;
    if (root >= 0 && H5Gclose(root) < 0) at = HADDR_UNDEF;
    return at;
}

/* Where the values belong in the file, HADDR_UNDEF on failure. */
static haddr_t write_frame(const char *path, const layout *l, const io_points *p)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0) return HADDR_UNDEF;
    haddr_t at = write_groups(file, l, p);
    return H5Fclose(file) < 0 ? HADDR_UNDEF : at;
}

/* Keeps the first description that says something: of what the system said, or else HDF5. */
static herr_t take_reason(unsigned n, const H5E_error2_t *error, void *data)
{
    (void)n;
    text *reason = data;
    if (reason->length || !error->desc) return 0;
    const char *quoted = strstr(error->desc, "error message = '");
    quoted = quoted ? strchr(quoted, '\'') + 1 : NULL;
    if (quoted)
        text_add(reason, "%.*s", (int)strcspn(quoted, "'"), quoted);
    else
        text_add(reason, "%s (HDF5)", error->desc);
    return 0;
}

/* What HDF5 calls, in place of its printing, when a call fails. */
static herr_t on_error(hid_t stack, void *data)
{
    return H5Ewalk2(stack, H5E_WALK_UPWARD, take_reason, data);
}

/* Like write_frame, with the reason of a failure. */
static haddr_t write_frame_quietly(const char *path, const layout *l, const io_points *p,
                                   text *reason)
{
    H5E_auto2_t print = NULL;
    void *data = NULL;
    bool kept = H5Eget_auto2(H5E_DEFAULT, &print, &data) >= 0;
    H5Eset_auto2(H5E_DEFAULT, on_error, reason);
    haddr_t at = write_frame(path, l, p);
    H5Eset_auto2(H5E_DEFAULT, kept ? print : NULL, data);
    return at;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Tries whether a file may have this size, and whether there is space for its frame. Returns 0 or
 * an errno value. */
static int try_space(int file, size_t size)
{
    static const char frame[1 << 16];
    if (ftruncate(file, (off_t)(size + sizeof frame))) return errno;
    return write_at(file, 0, frame, sizeof frame);
}

static kata_status check_size(const char *path, const io_points *p, messages *m)
{
    for (int d = 0; d < 3; d++)
        if (p->size[d] < 1 || p->size[d] > INT32_MAX)
            return message_fail(m, KATA_ERROR_ARGUMENT,
                                "cannot write %s: VTK takes 1 to %d points a side, not %lld", path,
                                INT32_MAX, (long long)p->size[d]);
    return KATA_OK;
}

/* Writes all of a file; 0 or an errno value, or a reason and EIO. */
static int fill(const file_draft *draft, const io_points *p, const layout *l, text *reason)
{
    const char *path = draft->name.data;
    size_t bytes = (size_t)l->points * (size_t)p->components * size_of(p->type);
    int error = try_space(draft->file, bytes);
    if (error) return error;
    haddr_t at = write_frame_quietly(path, l, p, reason);
    return at == HADDR_UNDEF ? EIO : write_values(path, (off_t)at, p, l);
}

kata_status io_vtkhdf_write(const char *path, const io_points *points, messages *m)
{
    kata_status status = check_size(path, points, m);
    if (status) return status;
    text reason = {0};
    file_draft draft;
    layout l = layout_of(points);
    int error = file_draft_begin(&draft, path);
    if (!error) error = file_draft_end(&draft, fill(&draft, points, &l, &reason));
    if (error == ENOMEM)
        status = message_no_memory(m);
    else if (error)
        status = message_fail(m, KATA_ERROR_FILE, "cannot write %s: %s", path,
                              reason.length ? text_get(&reason) : file_reason(error));
    text_free(&reason);
    return status;
}
