/* VTKHDF files: VTK's ImageData in HDF5. What is written, and why (VTK File Formats, "VTKHDF
 * format", and vtkHDFReader up to VTK 9.7):
 *
 *   /VTKHDF          attributes Version, Type (ASCII of its exact length), WholeExtent (inclusive),
 *                    Origin, Spacing, Direction (a 3 by 3 matrix by rows; column d is the direction
 *                    of the image's dimension d)
 *   /VTKHDF/PointData/NAME   the values as [z][y][x], or [z][y][x][component]; CellData likewise
 *   /VTKHDF/FieldData/TimeValue   [1], the time, where all is of one moment: the name by which
 *                    other files of VTK have it
 *
 * VTK has no place for units. They are an attribute `units` of an array, as in netCDF.
 *
 * vtkHDFReader takes one dimension from the array for z and one for y where the extent is flat
 * there, and never looks at a dimension behind: a plane must be [y][x] and a line [x], although
 * vtkHDFWriter writes three. A box that is flat along y but not along z is not readable as such; it
 * is written as a plane whose second dimension points along z. Where the extent is flat along x,
 * the reader takes a dimension of one for that of components, so that several components come
 * without it. */
#include "io/write_hdf5.h"

#include <stdio.h>
#include <string.h>

io_vtkhdf_layout io_vtkhdf_layout_of(const io_lattice *lattice)
{
    io_vtkhdf_layout l = {.lattice = lattice, .points.count = 1, .cells.count = 1};
    const int64_t *n = lattice->size;
    l.turned = n[1] == 1 && n[2] > 1;
    int64_t size[3] = {n[0], n[l.turned ? 2 : 1], n[l.turned ? 1 : 2]};
    l.rank = size[2] > 1 ? 3 : size[1] > 1 ? 2 : 1;
    for (int d = 0; d < l.rank; d++) {
        const hsize_t points = (hsize_t)size[d], cells = points > 1 ? points - 1 : 1;
        l.points.size[l.rank - 1 - d] = points;
        l.cells.size[l.rank - 1 - d] = cells;
        l.points.count *= (size_t)points;
        l.cells.count *= (size_t)cells;
    }
    return l;
}

const io_vtkhdf_size *io_vtkhdf_size_of(const io_vtkhdf_layout *l, const io_points *p)
{
    return p->of_cells ? &l->cells : &l->points;
}

int io_vtkhdf_axes(const io_vtkhdf_layout *l, const io_points *p, int skipped, hsize_t size[5])
{
    const io_vtkhdf_size *of = io_vtkhdf_size_of(l, p);
    int axes = skipped;
    bool flat = l->rank + skipped > 1 && l->points.size[l->rank - 1] == 1 && p->components > 1;
    for (int d = 0; d < l->rank - flat; d++) size[axes++] = of->size[d];
    if (p->components > 1) size[axes++] = (hsize_t)p->components;
    return axes;
}

static const char *data_of(const io_points *p) { return p->of_cells ? "CellData" : "PointData"; }

void io_vtkhdf_path(char path[IO_LONGEST_PATH], const char *before, const io_points *p,
                    const char *behind)
{
    snprintf(path, IO_LONGEST_PATH, "%s/%s%s/%s", before, data_of(p), behind, p->name);
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

bool io_hdf5_doubles(hid_t object, const char *name, int count, const double *values)
{
    return write_attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count, values);
}

bool io_hdf5_integers(hid_t object, const char *name, int count, const int64_t *values)
{
    return write_attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, count, values);
}

bool io_hdf5_small(hid_t object, const char *name, int32_t value)
{
    return write_attribute(object, name, H5T_STD_I32LE, H5T_NATIVE_INT32, 1, &value);
}

bool io_hdf5_text(hid_t object, const char *name, const char *value)
{
    if (!value) return true;
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type < 0) return false;
    bool good = H5Tset_size(type, strlen(value)) >= 0 &&
                H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
                write_attribute(object, name, type, type, 0, value);
    return H5Tclose(type) >= 0 && good;
}

static bool write_attributes(hid_t group, const io_vtkhdf_layout *l)
{
    static const double straight[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const double turned[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0};
    const double *s = l->lattice->spacing;
    int64_t version[2] = {2, 0}, extent[6] = {0};
    for (int d = 0; d < l->rank; d++)
        extent[2 * d + 1] = (int64_t)l->points.size[l->rank - 1 - d] - 1;
    double spacing[3] = {s[0], s[l->turned ? 2 : 1], s[l->turned ? 1 : 2]};
    return io_hdf5_integers(group, "Version", 2, version) &&
           io_hdf5_text(group, "Type", "ImageData") &&
           io_hdf5_integers(group, "WholeExtent", 6, extent) &&
           io_hdf5_doubles(group, "Origin", 3, l->lattice->origin) &&
           io_hdf5_doubles(group, "Spacing", 3, spacing) &&
           io_hdf5_doubles(group, "Direction", 9, l->turned ? turned : straight);
}

static bool make_group(hid_t root, const char *name)
{
    hid_t group = H5Gcreate2(root, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    return group >= 0 && H5Gclose(group) >= 0;
}

bool io_vtkhdf_data_groups(hid_t group, int count, const io_points *arrays)
{
    const io_points *first[2] = {NULL, NULL};
    bool good = true;
    for (int i = 0; i < count; i++)
        if (!first[arrays[i].of_cells]) first[arrays[i].of_cells] = &arrays[i];
    for (int i = 0; i < 2 && good; i++) good = !first[i] || make_group(group, data_of(first[i]));
    return good;
}

bool io_vtkhdf_groups(hid_t file, const io_vtkhdf_layout *l, int count, const io_points *arrays)
{
    hid_t root = H5Gcreate2(file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (root < 0) return false;
    bool good = write_attributes(root, l) && io_vtkhdf_data_groups(root, count, arrays);
    return H5Gclose(root) >= 0 && good;
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
