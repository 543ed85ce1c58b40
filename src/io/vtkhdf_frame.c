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
 * is written as a plane whose second dimension points along z. Where the extent is flat along x,
 * the reader takes a dimension of one for that of components, so that several components come
 * without it. */
#include "io/write_hdf5.h"

#include <string.h>

io_vtkhdf_layout io_vtkhdf_layout_of(const io_lattice *lattice)
{
    io_vtkhdf_layout l = {.lattice = lattice, .points = 1};
    const int64_t *n = lattice->size;
    l.turned = n[1] == 1 && n[2] > 1;
    int64_t size[3] = {n[0], n[l.turned ? 2 : 1], n[l.turned ? 1 : 2]};
    l.rank = size[2] > 1 ? 3 : size[1] > 1 ? 2 : 1;
    for (int d = 0; d < l.rank; d++) {
        l.size[l.rank - 1 - d] = (hsize_t)size[d];
        l.points *= (size_t)size[d];
    }
    return l;
}

int io_vtkhdf_axes(const io_vtkhdf_layout *l, const io_points *p, int skipped, hsize_t size[5])
{
    int axes = skipped;
    bool flat = l->rank + skipped > 1 && l->size[l->rank - 1] == 1 && p->components > 1;
    for (int d = 0; d < l->rank - flat; d++) size[axes++] = l->size[d];
    if (p->components > 1) size[axes++] = (hsize_t)p->components;
    return axes;
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* Writes `count` values of a type in memory as an attribute of a type in the file. */
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

bool io_vtkhdf_integers(hid_t group, const char *name, int count, const int64_t *values)
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

static bool write_attributes(hid_t group, const io_vtkhdf_layout *l)
{
    static const double straight[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const double turned[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0};
    const double *s = l->lattice->spacing;
    int64_t version[2] = {2, 0}, extent[6] = {0};
    for (int d = 0; d < l->rank; d++) extent[2 * d + 1] = (int64_t)l->size[l->rank - 1 - d] - 1;
    double spacing[3] = {s[0], s[l->turned ? 2 : 1], s[l->turned ? 1 : 2]};
    return io_vtkhdf_integers(group, "Version", 2, version) &&
           write_text(group, "Type", "ImageData") &&
           io_vtkhdf_integers(group, "WholeExtent", 6, extent) &&
           write_doubles(group, "Origin", 3, l->lattice->origin) &&
           write_doubles(group, "Spacing", 3, spacing) &&
           write_doubles(group, "Direction", 9, l->turned ? turned : straight);
}

bool io_vtkhdf_groups(hid_t file, const io_vtkhdf_layout *l, hid_t *root, hid_t *point_data)
{
    *point_data = H5I_INVALID_HID;
    *root = H5Gcreate2(file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (*root < 0 || !write_attributes(*root, l)) return false;
    *point_data = H5Gcreate2(*root, "PointData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    return *point_data >= 0;
}

kata_status io_vtkhdf_check(const char *path, const io_lattice *lattice, messages *m)
{
    for (int d = 0; d < 3; d++)
        if (lattice->size[d] < 1 || lattice->size[d] > INT32_MAX)
            return message_fail(m, KATA_ERROR_ARGUMENT,
                                "cannot write %s: VTK takes 1 to %d points a side, not %lld", path,
                                INT32_MAX, (long long)lattice->size[d]);
    return KATA_OK;
}
