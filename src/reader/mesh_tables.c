/* Tables of neighbours in netCDF-4 files, which are HDF5 files.
 *
 * By the UGRID conventions (UGRID 1.0) a variable with cf_role "mesh_topology" has attributes that
 * name the tables; each table may say where numbers begin (start_index) and what an empty slot
 * holds (_FillValue), and the topology which dimension counts elements. The grid files of ICON have
 * tables of fixed names, slots first, that count from 1; 0 and less are empty slots. */
#include "reader/reader_hdf5.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 512 };

typedef struct table_name {
    const char *table, *attribute, *dimension; /* of UGRID */
    const char *variable;                      /* of ICON */
} table_name;

static const table_name names[] = {
    {"cell_cells", "face_face_connectivity", "face_dimension", "neighbor_cell_index"},
    {"cell_edges", "face_edge_connectivity", "face_dimension", "edge_of_cell"},
    {"cell_vertices", "face_node_connectivity", "face_dimension", "vertex_of_cell"},
    {"edge_cells", "edge_face_connectivity", "edge_dimension", "adjacent_cell_of_edge"},
    {"edge_edges", "edge_edge_connectivity", "edge_dimension", NULL},
    {"edge_vertices", "edge_node_connectivity", "edge_dimension", "edge_vertices"},
    {"vertex_cells", "node_face_connectivity", NULL, "cells_of_vertex"},
    {"vertex_edges", "node_edge_connectivity", NULL, "edges_of_vertex"},
    {"vertex_vertices", "node_node_connectivity", NULL, "vertices_of_vertex"},
    {"vertices", "node_coordinates", NULL, "vlon"}};

/* ---- attributes ------------------------------------------------------------------------------ */

/* Reads text of fixed or any length, cut where it is longer than there is room. */
static bool read_text(hid_t attribute, hid_t type, char out[LONGEST])
{
    char *any = NULL;
    hid_t memory = H5Tcopy(H5T_C_S1);
    bool varies = H5Tis_variable_str(type) > 0, read = false;
    H5Tset_size(memory, varies ? H5T_VARIABLE : LONGEST);
    H5Tset_cset(memory, H5Tget_cset(type));
    memset(out, 0, LONGEST);
    if (varies && H5Aread(attribute, memory, &any) >= 0 && any) {
        snprintf(out, LONGEST, "%s", any);
        H5free_memory(any);
        read = true;
    }
    if (!varies) read = H5Aread(attribute, memory, out) >= 0;
    out[LONGEST - 1] = 0;
    H5Tclose(memory);
    return read;
}

/* Calls for one value, text or (where `number` is given) a whole number; false where there is none.
 */
static bool read_attribute(hid_t object, const char *name, char out[LONGEST], int64_t *number)
{
    if (H5Aexists(object, name) <= 0) return false;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0) return false;
    hid_t space = H5Aget_space(attribute), type = H5Aget_type(attribute);
    bool one = space >= 0 && type >= 0 && H5Sget_simple_extent_npoints(space) == 1, read = false;
    H5T_class_t class = one ? H5Tget_class(type) : H5T_NO_CLASS;
    if (number && class == H5T_INTEGER) read = H5Aread(attribute, H5T_NATIVE_INT64, number) >= 0;
    if (out && class == H5T_STRING) read = read_text(attribute, type, out);
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    H5Aclose(attribute);
    return read;
}

static bool has_number(hid_t object, const char *name, int64_t *number)
{
    return read_attribute(object, name, NULL, number);
}

/* ---- the topology ---------------------------------------------------------------------------- */

typedef struct topology {
    reader *r;
    char name[LONGEST]; /* of its variable; "": there is none */
} topology;

static herr_t look_at(hid_t group, const char *name, const H5L_info_t *link, void *data)
{
    topology *t = data;
    char role[LONGEST];
    if (link->type != H5L_TYPE_HARD || strlen(name) >= LONGEST - 1) return 0;
    hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    if (object < 0) return 0;
    bool is = H5Iget_type(object) == H5I_DATASET && read_attribute(object, "cf_role", role, NULL) &&
              !strcmp(role, "mesh_topology");
    H5Oclose(object);
    if (is) snprintf(t->name, sizeof t->name, "%s", name);
    return is;
}

static bool find_topology(reader *r, topology *t)
{
    hsize_t next = 0;
    *t = (topology){.r = r};
    return H5Literate(r->file, H5_INDEX_NAME, H5_ITER_INC, &next, look_at, t) >= 0 ||
           reader_fail(r, "HDF5 cannot list its variables");
}

/* What an attribute of the topology says; false where it is not there. */
static bool says(const topology *t, const char *attribute, char out[LONGEST])
{
    hid_t object = H5Oopen(t->r->file, t->name, H5P_DEFAULT);
    bool read = object >= 0 && read_attribute(object, attribute, out, NULL);
    if (object >= 0) H5Oclose(object);
    return read;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static bool open_variable(reader *r, const char *name)
{
    char path[LONGEST + 1];
    snprintf(path, sizeof path, "/%s", name);
    return reader_open_dataset(r, path);
}

/* The length of a dimension, which netCDF-4 keeps as a dataset of that name; -1: it has none. */
static int64_t dimension_length(const reader *r, const char *name)
{
    hsize_t size[H5S_MAX_RANK];
    if (strchr(name, '/') || H5Lexists(r->file, name, H5P_DEFAULT) <= 0) return -1;
    reader of = {r->file, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, -1, NULL, false};
    char reason[sizeof((reader_reply *)0)->reason] = "";
    of.reason = reason;
    bool one = open_variable(&of, name) && H5Sget_simple_extent_ndims(of.space) == 1 &&
               H5Sget_simple_extent_dims(of.space, size, NULL) >= 0;
    if (of.type >= 0) H5Tclose(of.type);
    if (of.space >= 0) H5Sclose(of.space);
    if (of.set >= 0) H5Dclose(of.set);
    return one ? (int64_t)size[0] : -1;
}

/* Whether what netCDF-4 says of a table's axes (DIMENSION_LIST: references to the datasets of
 * dimensions, of each axis) names a dimension for its second axis, and not for its first. */
static bool names_second(const reader *r, const char *dimension)
{
    hvl_t lists[2] = {{0, NULL}, {0, NULL}};
    bool named[2] = {false, false};
    hid_t attribute = H5Aexists(r->set, "DIMENSION_LIST") > 0
                          ? H5Aopen(r->set, "DIMENSION_LIST", H5P_DEFAULT)
                          : H5I_INVALID_HID;
    if (attribute < 0) return false;
    hid_t space = H5Aget_space(attribute), type = H5Tvlen_create(H5T_STD_REF_OBJ);
    bool read = space >= 0 && H5Sget_simple_extent_npoints(space) == 2 &&
                H5Aread(attribute, type, lists) >= 0;
    for (int axis = 0; axis < 2 && read; axis++) {
        char name[LONGEST] = "";
        hid_t object = lists[axis].len == 1
                           ? H5Rdereference2(r->set, H5P_DEFAULT, H5R_OBJECT, lists[axis].p)
                           : H5I_INVALID_HID;
        if (object >= 0 && H5Iget_name(object, name, sizeof name) > 0)
            named[axis] = !strcmp(name + 1, dimension);
        if (object >= 0) H5Oclose(object);
    }
    if (read) H5Dvlen_reclaim(type, space, H5P_DEFAULT, lists);
    H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    H5Aclose(attribute);
    return named[1] && !named[0];
}

static bool find_order(const topology *t, const table_name *n, reader_table *table)
{
    reader *r = t->r;
    char dimension[LONGEST];
    hsize_t size[H5S_MAX_RANK];
    if (!n->dimension || !says(t, n->dimension, dimension)) return true;
    int64_t length = dimension_length(r, dimension);
    if (length < 0) return reader_fail(r, "it has no dimension '%.64s'", dimension);
    bool flat = H5Sget_simple_extent_ndims(r->space) == 2 &&
                H5Sget_simple_extent_dims(r->space, size, NULL) >= 0;
    if (!flat) return true;
    const bool first = (int64_t)size[0] == length, second = (int64_t)size[1] == length;
    if (first && !(second && names_second(r, dimension))) return true;
    table->slots_first = second;
    return table->slots_first || reader_fail(r, "no axis of '%.64s' is the dimension '%.64s'",
                                             table->variable, dimension);
}

static bool open_ugrid(const topology *t, const table_name *n, reader_table *table)
{
    reader *r = t->r;
    char variable[LONGEST];
    table->absent = !n->attribute || !says(t, n->attribute, variable);
    if (table->absent) return true;
    variable[strcspn(variable, " ")] = 0;
    snprintf(table->variable, sizeof table->variable, "%.63s", variable);
    if (strchr(variable, '/') || !open_variable(r, variable))
        return reader_fail(r, "it has no variable '%.64s', which %s names", variable, n->attribute);
    has_number(r->set, "start_index", &table->start);
    table->has_fill = has_number(r->set, "_FillValue", &table->fill);
    return find_order(t, n, table);
}

static bool open_icon(reader *r, const table_name *n, reader_table *table)
{
    table->absent = !n->variable || H5Lexists(r->file, n->variable, H5P_DEFAULT) <= 0;
    if (table->absent) return true;
    snprintf(table->variable, sizeof table->variable, "%s", n->variable);
    table->slots_first = table->below = 1;
    table->start = 1;
    return open_variable(r, n->variable);
}

bool reader_open_table(reader *r, const char *name, reader_table *table)
{
    topology t;
    size_t i = 0;
    while (i < COUNT_OF(names) && strcmp(names[i].table, name) != 0) i++;
    if (i == COUNT_OF(names)) return reader_fail(r, "a mesh has no table '%.64s'", name);
    if (!find_topology(r, &t)) return false;
    return t.name[0] ? open_ugrid(&t, &names[i], table) : open_icon(r, &names[i], table);
}
