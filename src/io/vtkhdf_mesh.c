/* Meshes to VTKHDF: an UnstructuredGrid of one moment, with values of its cells and its points. The
 * mesh is written as the arrays are: HDF5 sets space aside, and plain writes fill it. */
#include "io/write_hdf5.h"

#include <stdlib.h>
#include <string.h>

enum { POSITIONS, CORNERS, OFFSETS, TYPES, PARTS };

typedef struct mesh_file {
    const io_mesh *mesh;
    double time;
    int count; /* arrays, behind the parts of the mesh */
    const io_points *arrays;
    const size_t *points_of;
    const io_source *source;
} mesh_file;

/* ---- the frame ------------------------------------------------------------------------------- */

/* A dataset with one number, as VTK has one for each piece of a mesh. */
static bool say_count(hid_t group, const char *name, int64_t count)
{
    const hsize_t one = 1;
    if (io_hdf5_reserve(group, name, KATA_I64, 1, &one) == HADDR_UNDEF) return false;
    hid_t set = H5Dopen2(group, name, H5P_DEFAULT);
    if (set < 0) return false;
    bool good = H5Dwrite(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &count) >= 0;
    return H5Dclose(set) >= 0 && good;
}

static bool make_parts(hid_t group, const mesh_file *f, haddr_t *positions)
{
    const int64_t version[2] = {1, 0};
    const io_mesh *mesh = f->mesh;
    bool good = io_hdf5_integers(group, "Version", 2, version) &&
                io_hdf5_text(group, "Type", "UnstructuredGrid") &&
                say_count(group, "NumberOfPoints", mesh->points) &&
                say_count(group, "NumberOfCells", mesh->cells) &&
                say_count(group, "NumberOfConnectivityIds", mesh->corners);
    for (int i = 0; i < PARTS && good; i++) {
        const hsize_t points[2] = {(hsize_t)mesh->points, 3}, all = f->points_of[i];
        positions[i] = io_hdf5_reserve(group, f->arrays[i].name, f->arrays[i].type,
                                       i == POSITIONS ? 2 : 1, i == POSITIONS ? points : &all);
        good = positions[i] != HADDR_UNDEF;
    }
    return good;
}

static bool make_array(hid_t file, const io_points *p, size_t points, haddr_t *position)
{
    char path[IO_LONGEST_PATH];
    const hsize_t size[2] = {points, (hsize_t)p->components};
    io_vtkhdf_path(path, "VTKHDF", p, "");
    *position = io_hdf5_reserve(file, path, p->type, p->components > 1 ? 2 : 1, size);
    return *position != HADDR_UNDEF && io_vtkhdf_units(file, path, p->units);
}

static bool make_frame(const void *data, hid_t file, haddr_t *positions)
{
    const mesh_file *f = data;
    hid_t group = H5Gcreate2(file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0) return false;
    bool good = make_parts(group, f, positions) &&
                io_vtkhdf_data_groups(group, f->count - PARTS, f->arrays + PARTS);
    good = H5Gclose(group) >= 0 && good;
    for (int i = PARTS; i < f->count && good; i++)
        good = make_array(file, &f->arrays[i], f->points_of[i], &positions[i]);
    return good && (f->time == 0 || io_vtkhdf_time(file, f->time));
}

/* ---- values ---------------------------------------------------------------------------------- */

static int64_t take(void *data, int i, int64_t first, const void **values)
{
    const mesh_file *f = data;
    const io_mesh *mesh = f->mesh;
    if (i >= PARTS) return f->source->take(f->source->data, i - PARTS, first, values);
    if (i == POSITIONS) *values = mesh->position + first;
    if (i == CORNERS) *values = mesh->connectivity + first;
    if (i == OFFSETS) *values = mesh->offsets + first;
    if (i == TYPES) *values = mesh->types + first;
    return (int64_t)f->points_of[i] - first;
}

kata_status io_vtkhdf_write_mesh(const char *path, const io_mesh *mesh, double time, int count,
                                 const io_points *arrays, const io_source *source, messages *m)
{
    enum { MOST = PARTS + IO_MOST_ARRAYS };
    io_points all[MOST] = {{"Points", KATA_F64, 1, NULL, false},
                           {"Connectivity", KATA_I64, 1, NULL, false},
                           {"Offsets", KATA_I64, 1, NULL, false},
                           {"Types", KATA_U8, 1, NULL, false}};
    size_t points[MOST] = {(size_t)(3 * mesh->points), (size_t)mesh->corners,
                           (size_t)mesh->cells + 1, (size_t)mesh->cells};
    for (int i = 0; i < count; i++) {
        all[PARTS + i] = arrays[i];
        points[PARTS + i] = (size_t)(arrays[i].of_cells ? mesh->cells : mesh->points);
    }
    mesh_file f = {mesh, time, PARTS + count, all, points, source};
    const io_source own = {&f, take};
    const io_frame frame = {
        .data = &f, .make = make_frame, .count = f.count, .arrays = all, .points_of = points};
    return io_write_frame(path, &frame, &own, m);
}
