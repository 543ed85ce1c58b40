/* Meshes from netCDF-4 files: by the UGRID conventions, however these say that tables are written,
 * and with the variables of ICON grid files. Damaged files are refused with their variable, element
 * and slot. */
/* Labels: hostile slow */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hdf5.h>
#include <cmocka.h>

enum { CELLS = 20, EDGES = 30, VERTICES = 12, WIDEST = 6, MOST = 32, KINDS = 3 };
enum { CELL, EDGE, VERTEX };

static char folder[] = "/tmp/kata_mesh_files_XXXXXX";
static const int counts[KINDS] = {CELLS, EDGES, VERTICES};

/* ---- an icosahedron -------------------------------------------------------------------------- */

typedef struct table {
    int rows, width;
    int64_t of[MOST * WIDEST]; /* from 0; -1: empty */
} table;

static table tables[KINDS][KINDS];

static int make_tables(void **unused)
{
    (void)unused;
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_sphere(k, 1, 0, 1);
    for (int i = 0; i < KINDS * KINDS; i++) {
        kata_neighbours n =
            kata_grid_neighbours(g, (kata_location)(i / KINDS + 1), (kata_location)(i % KINDS + 1));
        table *t = &tables[i / KINDS][i % KINDS];
        *t = (table){counts[i / KINDS], n.width, {0}};
        for (int e = 0; e < t->rows * t->width; e++) t->of[e] = n.table[e];
    }
    return kata_close(k) || !mkdtemp(folder) || chdir(folder);
}

static int remove_folder(void **unused)
{
    (void)unused;
    remove("mesh.nc");
    return chdir("/") || rmdir(folder);
}

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct name {
    int from, to;
    const char *attribute, *ugrid, *icon;
} name;

static const name names[] = {
    {CELL, VERTEX, "face_node_connectivity", "face_nodes", "vertex_of_cell"},
    {CELL, EDGE, "face_edge_connectivity", "face_edges", "edge_of_cell"},
    {CELL, CELL, "face_face_connectivity", "face_links", "neighbor_cell_index"},
    {EDGE, VERTEX, "edge_node_connectivity", "edge_nodes", "edge_vertices"},
    {EDGE, CELL, "edge_face_connectivity", "edge_faces", "adjacent_cell_of_edge"},
    {VERTEX, CELL, NULL, NULL, "cells_of_vertex"},
    {VERTEX, EDGE, NULL, NULL, "edges_of_vertex"},
    {VERTEX, VERTEX, NULL, NULL, "vertices_of_vertex"}};
enum { NAMES = sizeof names / sizeof *names };

typedef enum kind {
    NOTHING,
    ENTRY,
    START,
    NO_FILL,
    GONE,
    FLOATS,
    AXES,
    ROWS,
    CUT,
    SWAP,
    ROLE,
    DIMENSION,
    TEXT,
    COORDINATES
} kind;

/* How a file is written, and what is wrong with it: of table `at`, entry `slot` of `row`. */
typedef struct way {
    bool icon, slots_first, longs, fixed_text;
    int start, fill, last; /* tables up to number `last` */
    kind wrong;
    int at, row, slot;
    int64_t value;
    const char *message;
} way;

static void add_text(hid_t object, const char *attribute, const char *text, bool fixed)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, fixed ? strlen(text) : H5T_VARIABLE);
    hid_t a = H5Acreate2(object, attribute, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(a, type, fixed ? (const void *)text : (const void *)&text) >= 0);
    H5Aclose(a);
    H5Sclose(space);
    H5Tclose(type);
}

static void add_number(hid_t object, const char *attribute, int64_t value)
{
    hsize_t one = 1;
    hid_t space = H5Screate_simple(1, &one, NULL);
    hid_t type = value == (int32_t)value ? H5T_STD_I32LE : H5T_STD_I64LE;
    hid_t a = H5Acreate2(object, attribute, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(a, H5T_NATIVE_INT64, &value) >= 0);
    H5Aclose(a);
    H5Sclose(space);
}

static hid_t add_values(hid_t file, const char *variable, hid_t type, int axes, const hsize_t *size,
                        const int64_t *values)
{
    hid_t space = H5Screate_simple(axes, size, NULL);
    hid_t set = H5Dcreate2(file, variable, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0 &&
                H5Dwrite(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    return set;
}

static void add_dimension(hid_t file, const char *variable, int length)
{
    int64_t zero[MOST] = {0};
    hsize_t size = (hsize_t)length;
    H5Dclose(add_values(file, variable, H5T_STD_I32LE, 1, &size, zero));
}

/* The table with what is wrong, as numbers of the file. */
static table as_written(const way *w, int n)
{
    table t = tables[names[n].from][names[n].to];
    const int start = w->icon ? 1 : w->start;
    bool here = w->at == n;
    int64_t *entry = &t.of[w->row * t.width + w->slot];
    if (here && w->wrong == SWAP) {
        int64_t next = entry[1];
        entry[1] = entry[0];
        entry[0] = next;
    }
    for (int e = 0; e < t.rows * t.width; e++)
        t.of[e] = t.of[e] < 0 ? (w->icon ? -1 : w->fill) : t.of[e] + start;
    if (here && w->wrong == ENTRY) *entry = w->value;
    if (here && w->wrong == ROWS) t.rows--;
    return t;
}

static void write_table(hid_t file, const way *w, int n)
{
    const table t = as_written(w, n);
    const bool turned = w->icon || w->slots_first, here = w->at == n;
    int64_t values[MOST * WIDEST];
    for (int e = 0; e < t.rows * t.width; e++)
        values[turned ? e % t.width * t.rows + e / t.width : e] = t.of[e];
    hsize_t rows = (hsize_t)t.rows, width = (hsize_t)t.width;
    hsize_t size[3] = {turned ? width : rows, turned ? rows : width, 1};
    hid_t type = here && w->wrong == FLOATS ? H5T_IEEE_F64LE
                 : w->longs                 ? H5T_STD_I64LE
                                            : H5T_STD_I32LE;
    hid_t set = add_values(file, w->icon ? names[n].icon : names[n].ugrid, type,
                           here && w->wrong == AXES ? 3 : 2, size, values);
    bool wrong_start = here && w->wrong == START;
    if (!w->icon && (w->start || wrong_start))
        add_number(set, "start_index", wrong_start ? w->value : w->start);
    if (!w->icon && !(here && w->wrong == NO_FILL)) add_number(set, "_FillValue", w->fill);
    H5Dclose(set);
}

static void write_topology(hid_t file, const way *w)
{
    const int64_t zero = 0;
    hid_t set = add_values(file, "Mesh2", H5T_STD_I32LE, 0, NULL, &zero);
    add_text(set, "cf_role", w->wrong == ROLE ? "mesh" : "mesh_topology", w->fixed_text);
    add_number(set, "topology_dimension", 2);
    add_text(set, "node_coordinates", "node_x node_y", w->fixed_text);
    if (w->slots_first) add_text(set, "face_dimension", "nface", w->fixed_text);
    if (w->slots_first) add_text(set, "edge_dimension", "nedge", w->fixed_text);
    for (int n = 0; n <= w->last; n++)
        if (names[n].attribute && w->wrong == TEXT && w->at == n)
            add_number(set, names[n].attribute, 3);
        else if (names[n].attribute)
            add_text(set, names[n].attribute, names[n].ugrid, w->fixed_text);
    H5Dclose(set);
}

static void cut(const way *w)
{
    FILE *file = fopen("mesh.nc", "r+");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long bytes = ftell(file) * w->value / 100;
    fclose(file);
    assert_int_equal(truncate("mesh.nc", bytes), 0);
}

static void write_mesh(const way *w)
{
    hid_t file = H5Fcreate("mesh.nc", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (!w->icon) write_topology(file, w);
    if (w->wrong != COORDINATES) {
        add_dimension(file, w->icon ? "vlon" : "node_x", VERTICES);
    } else {
        H5Dclose(add_values(file, w->icon ? "vlon" : "node_x", H5T_STD_I32LE, 2, (hsize_t[]){2, 6},
                            (int64_t[12]){0}));
    }
    if (w->slots_first) add_dimension(file, "nface", w->wrong == DIMENSION ? 7 : CELLS);
    if (w->slots_first) add_dimension(file, "nedge", EDGES);
    for (int n = 0; n <= w->last; n++)
        if ((w->icon || names[n].attribute) && !(w->wrong == GONE && w->at == n))
            write_table(file, w, n);
    H5Fclose(file);
    if (w->wrong == CUT) cut(w);
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct world {
    kata *k;
    char message[1024];
} world;

static void receive(void *data, kata_status status, const char *message)
{
    world *w = data;
    assert_int_not_equal(status, KATA_OK);
    snprintf(w->message, sizeof w->message, "%s", message);
}

static kata_grid *load(world *w, const way *as)
{
    write_mesh(as);
    *w = (world){0};
    w->k = kata_open(&(kata_options){.handler = receive, .handler_data = w});
    return kata_grid_mesh_load(w->k, "mesh.nc", 2);
}

static void check_table(const kata_grid *g, int n)
{
    const table *t = &tables[names[n].from][names[n].to];
    kata_neighbours found = kata_grid_neighbours(g, (kata_location)(names[n].from + 1),
                                                 (kata_location)(names[n].to + 1));
    assert_int_equal(found.width, t->width);
    for (int e = 0; e < t->rows * t->width; e++) assert_int_equal(found.table[e], t->of[e]);
}

static void tables_are_read_as_they_were_written(void **unused)
{
    (void)unused;
    for (int i = 0; i < 64; i += 3) {
        const int fills[] = {-1, -999, 999999, INT32_MIN};
        way as = {.icon = i & 1,
                  .slots_first = i & 2,
                  .longs = i & 4,
                  .fixed_text = i & 8,
                  .start = i >> 4 & 1,
                  .fill = fills[i % 4],
                  .last = i % NAMES,
                  .at = -1};
        world w;
        kata_grid *g = load(&w, &as);
        if (!g) fail_msg("file %d: %s", i, w.message);
        for (int kind = 0; kind < KINDS; kind++)
            if (kind != EDGE || as.last) /* otherwise they are derived, and numbered anew */
                assert_int_equal(kata_grid_count(g, (kata_location)(kind + 1)), counts[kind]);
        for (int n = 0; n <= as.last; n++)
            if (as.icon || names[n].attribute) check_table(g, n);
        assert_int_equal(kata_close(w.k), KATA_OK);
    }
}

/* ---- damage ---------------------------------------------------------------------------------- */

#include "mesh_file_damages.h"

static void damaged_files_are_refused(void **unused)
{
    (void)unused;
    assert_true(sizeof damages / sizeof *damages >= 60);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        world w;
        kata_grid *g = load(&w, &damages[i]);
        if (g) fail_msg("damage %d is not found: %s", (int)i, damages[i].message);
        if (!strstr(w.message, damages[i].message))
            fail_msg("damage %d: '%s' is not in '%s'", (int)i, damages[i].message, w.message);
        kata_close(w.k);
    }
}

/* What is odd, but means something. */
static void odd_files_are_read(void **unused)
{
    (void)unused;
    static const way odd[] = {
        {U, .wrong = NO_FILL, .at = 0}, /* no slot is empty */
        {U, .wrong = TEXT, .at = 2},    /* a table that is named by a number is not given */
        {U, .wrong = TEXT, .at = 4},
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        world w;
        kata_grid *g = load(&w, &odd[i]);
        if (!g) fail_msg("file %d: %s", (int)i, w.message);
        check_table(g, 0);
        check_table(g, 3);
        assert_int_equal(kata_close(w.k), KATA_OK);
    }
}

/* As netCDF-4 says which dimensions the axes of a variable have. */
static void add_dimensions(hid_t file, hid_t set, const char *const of_axes[2])
{
    const hsize_t axes = 2;
    hobj_ref_t references[2];
    hvl_t lists[2];
    for (int axis = 0; axis < 2; axis++) {
        assert_true(
            H5Rcreate(&references[axis], file, of_axes[axis], H5R_OBJECT, H5I_INVALID_HID) >= 0);
        lists[axis] = (hvl_t){1, &references[axis]};
    }
    hid_t space = H5Screate_simple(1, &axes, NULL), type = H5Tvlen_create(H5T_STD_REF_OBJ);
    hid_t a = H5Acreate2(set, "DIMENSION_LIST", type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(a, type, lists) >= 0);
    H5Aclose(a);
    H5Tclose(type);
    H5Sclose(space);
}

/* As many triangles as corners: what the file says of the axes tells which of them counts faces. */
static void square_tables_are_read_by_their_dimensions(void **unused)
{
    (void)unused;
    static const int32_t corners[3][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}};
    static const char *const axes[2][2] = {{"nface", "corners"}, {"corners", "nface"}};
    for (int turned = 0; turned < 2; turned++) {
        int64_t values[9];
        for (int e = 0; e < 9; e++)
            values[e] = turned ? corners[e % 3][e / 3] : corners[e / 3][e % 3];
        const way as = {.last = -1, .slots_first = true};
        hid_t file = H5Fcreate("mesh.nc", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        write_topology(file, &as);
        hid_t topology = H5Dopen2(file, "Mesh2", H5P_DEFAULT);
        add_text(topology, "face_node_connectivity", "face_nodes", true);
        H5Dclose(topology);
        add_dimension(file, "node_x", 5);
        add_dimension(file, "nface", 3);
        add_dimension(file, "corners", 3);
        hid_t set = add_values(file, "face_nodes", H5T_STD_I32LE, 2, (hsize_t[]){3, 3}, values);
        add_dimensions(file, set, axes[turned]);
        H5Dclose(set);
        H5Fclose(file);
        kata *k = kata_open(NULL);
        kata_grid *g = kata_grid_mesh_load(k, "mesh.nc", 1);
        assert_non_null(g);
        kata_neighbours found = kata_grid_neighbours(g, KATA_CELLS, KATA_VERTICES);
        for (int e = 0; e < 9; e++) assert_int_equal(found.table[e], corners[e / 3][e % 3]);
        assert_int_equal(kata_close(k), KATA_OK);
    }
}

static void other_files_are_refused(void **unused)
{
    (void)unused;
    static const char classic[] = "CDF\001\0\0\0\0";
    world w = {0};
    FILE *file = fopen("mesh.nc", "wb");
    assert_int_equal(fwrite(classic, 1, sizeof classic, file), sizeof classic);
    fclose(file);
    w.k = kata_open(&(kata_options){.handler = receive, .handler_data = &w});
    assert_null(kata_grid_mesh_load(w.k, "mesh.nc", 1));
    assert_non_null(strstr(w.message, "netCDF file of the classic format"));
    kata_error_clear(w.k);
    assert_null(kata_grid_mesh_load(w.k, "missing.nc", 1));
    assert_non_null(strstr(w.message, "cannot read missing.nc"));
    kata_error_clear(w.k);
    assert_null(kata_grid_mesh_load(w.k, "mesh.nc", 0));
    assert_non_null(strstr(w.message, "nz is 0, not 1 to 65536"));
    kata_error_clear(w.k);
    assert_null(kata_grid_mesh_load(w.k, NULL, 1));
    assert_non_null(strstr(w.message, "the path is NULL"));
    kata_close(w.k);
    assert_null(kata_grid_mesh_load(NULL, "mesh.nc", 1));
}

/* A variable of the file, of one axis, is a field. */
static void a_variable_is_loaded(void **unused)
{
    (void)unused;
    const int32_t corners[2][3] = {{0, 1, 2}, {2, 1, 3}};
    const double longitudes[4] = {0.5, 1.5, 2.5, 3.5};
    const hsize_t count = 4;
    double got[4] = {0};
    hid_t file = H5Fcreate("clon.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t set =
        H5Dcreate2(file, "clon", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, longitudes) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_mesh(k, 2, .vertices = 4, .cell_vertices = {corners[0], 3});
    kata_field *u = kata_field_new(g, "u", KATA_F64, .on = KATA_VERTICES);
    assert_int_equal(kata_load(u, "clon.h5:/clon"), KATA_OK);
    assert_int_equal(kata_get(u, kata_on(u), got, 4), KATA_OK);
    assert_memory_equal(got, longitudes, sizeof got);
    assert_int_equal(kata_close(k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_read_as_they_were_written),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(odd_files_are_read),
        cmocka_unit_test(square_tables_are_read_by_their_dimensions),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(a_variable_is_loaded),
    };
    return cmocka_run_group_tests(tests, make_tables, remove_folder);
}
