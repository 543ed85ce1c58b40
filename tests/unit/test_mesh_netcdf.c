/* Fields on meshes in netCDF-4 files: a mesh that is read again has the same tables, coordinates
 * and values, and a program computes the same bits on it; axes have names; and what has no place
 * there. */
/* Labels: hostile slow */
#include "kata/kata.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hdf5.h>
#include <hdf5_hl.h>
#include <cmocka.h>

enum { MOST = 1 << 14, KINDS = 3, CELLS = 5, VERTICES = 9, WIDEST = 5 };
static const char path[] = "mesh.nc";
static char folder[] = "/tmp/kata_mesh_netcdf_XXXXXX";

static int make_folder(void **unused)
{
    (void)unused;
    return !mkdtemp(folder) || chdir(folder);
}

static int remove_folder(void **unused)
{
    (void)unused;
    return chdir("/") || rmdir(folder);
}

static void assert_near(double a, double b, double by)
{
    if (!(fabs(a - b) <= by)) fail_msg("%.17g is not %.17g", a, b);
}

/* ---- meshes ---------------------------------------------------------------------------------- */

/* Two squares over a triangle, a pentagon and a triangle: cells of three, four and five corners. */
static const int32_t corners[CELLS][WIDEST] = {
    {0, 1, 4, 3, -1}, {1, 2, 5, 4, -1}, {3, 4, 6, -1, -1}, {4, 5, 8, 7, 6}, {3, 6, 7, -1, -1}};
static const double corner_x[VERTICES] = {0, 1, 2, 0, 1, 2, 0.5, 1, 2};
static const double corner_y[VERTICES] = {0, 0, 0, 1, 1, 1, 2, 2.5, 2};

static kata_grid *mixed(kata *k, int nz, kata_order order)
{
    return kata_grid_mesh(k, CELLS, .vertices = VERTICES, .cell_vertices = {corners[0], WIDEST},
                          .nz = nz, .order = order);
}

/* The sphere by its tables alone, so that its elements may lie elsewhere. */
static kata_grid *sphere_by_tables(kata *k, int nz, kata_order order)
{
    kata_grid *g = kata_grid_sphere(k, 2, 1, 1);
    return kata_grid_mesh(k, kata_grid_count(g, KATA_CELLS),
                          .edges = kata_grid_count(g, KATA_EDGES),
                          .vertices = kata_grid_count(g, KATA_VERTICES), .nz = nz, .order = order,
                          .cell_vertices = kata_grid_neighbours(g, KATA_CELLS, KATA_VERTICES),
                          .cell_edges = kata_grid_neighbours(g, KATA_CELLS, KATA_EDGES),
                          .edge_vertices = kata_grid_neighbours(g, KATA_EDGES, KATA_VERTICES),
                          .vertex_edges = kata_grid_neighbours(g, KATA_VERTICES, KATA_EDGES),
                          .vertex_cells = kata_grid_neighbours(g, KATA_VERTICES, KATA_CELLS));
}

static void assert_same_tables(kata_grid *a, kata_grid *b)
{
    for (int i = 0; i < KINDS * KINDS; i++) {
        const kata_location from = (kata_location)(KATA_CELLS + i / KINDS);
        const kata_location to = (kata_location)(KATA_CELLS + i % KINDS);
        const kata_neighbours p = kata_grid_neighbours(a, from, to),
                              q = kata_grid_neighbours(b, from, to);
        const size_t n = (size_t)kata_grid_count(a, from);
        assert_int_equal(kata_grid_count(b, from), n);
        assert_int_equal(p.width, q.width);
        assert_memory_equal(p.table, q.table, n * (size_t)p.width * sizeof *p.table);
    }
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* A value that tells component, level and element. */
static double value_at(int component, int level, int element)
{
    return 100000 * component + 1000 * level + element;
}

static kata_field *numbered(kata_grid *g, const char *name, kata_location on, int components,
                            int levels)
{
    static double values[MOST];
    const int n = (int)kata_grid_count(g, on), all = n * levels * components;
    kata_field *f = kata_field_new(g, name, KATA_F64, .on = on, .components = components);
    assert_true(all <= MOST);
    for (int i = 0; i < all; i++) values[i] = value_at(i / n / levels, i / n % levels, i % n);
    assert_int_equal(kata_put(f, kata_all(g), values, all), KATA_OK);
    return f;
}

static void assert_numbered(kata_field *f, kata_grid *g, kata_location on, int components,
                            int levels)
{
    static double values[MOST];
    const int n = (int)kata_grid_count(g, on), all = n * levels * components;
    assert_int_equal(kata_get(f, kata_all(g), values, all), KATA_OK);
    for (int i = 0; i < all; i++)
        assert_true(values[i] == value_at(i / n / levels, i / n % levels, i % n));
}

/* Where vertices lie: x, y and, of three components, z; the same on all levels. */
static kata_field *positions(kata_grid *g, int components)
{
    double at[3 * VERTICES];
    for (int i = 0; i < VERTICES; i++) {
        at[i] = corner_x[i];
        at[VERTICES + i] = corner_y[i];
        at[2 * VERTICES + i] = corner_x[i] * corner_y[i];
    }
    kata_field *f = kata_field_new(g, "at", KATA_F64, .on = KATA_VERTICES, .along = KATA_X | KATA_Y,
                                   .components = components, .units = "km");
    assert_int_equal(kata_put(f, kata_on(f), at, components * VERTICES), KATA_OK);
    return f;
}

/* ---- files ----------------------------------------------------------------------------------- */

static int read_values(const char *name, double *values)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), set, space;
    assert_true(file >= 0);
    set = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(set >= 0);
    space = H5Dget_space(set);
    const int count = (int)H5Sget_simple_extent_npoints(space);
    assert_true(count <= MOST &&
                H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
    return count;
}

static herr_t add_name(hid_t set, unsigned axis, hid_t scale, void *data)
{
    char name[64], *all = data;
    (void)set, (void)axis;
    H5Iget_name(scale, name, sizeof name);
    strcat(strcat(all, name + 1), " ");
    return 0;
}

/* The names of a variable's axes. */
static void expect_axes(const char *variable, const char *axes)
{
    char found[400] = "";
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t set = H5Dopen2(file, variable, H5P_DEFAULT), space = H5Dget_space(set);
    for (int i = 0; i < H5Sget_simple_extent_ndims(space); i++)
        assert_true(H5DSiterate_scales(set, (unsigned)i, NULL, add_name, found) >= 0);
    assert_string_equal(found, axes);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
}

static void expect_text(const char *variable, const char *attribute, const char *expected)
{
    char found[200] = "";
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t object = H5Oopen(file, variable, H5P_DEFAULT);
    if (!expected)
        assert_int_equal(H5Aexists(object, attribute), 0);
    else {
        hid_t a = H5Aopen(object, attribute, H5P_DEFAULT), type = H5Aget_type(a);
        assert_true(H5Tget_size(type) < sizeof found && H5Aread(a, type, found) >= 0);
        assert_string_equal(found, expected);
        H5Tclose(type);
        H5Aclose(a);
    }
    H5Oclose(object);
    H5Fclose(file);
}

/* ---- meshes that are read again -------------------------------------------------------------- */

/* Cells, edges and vertices in one file, and back on the mesh that is read. */
static void expect_round_trip(kata *k, kata_grid *g, kata_field *at, int levels)
{
    kata_field *h = numbered(g, "h", KATA_CELLS, 1, levels);
    kata_field *u = numbered(g, "u", KATA_EDGES, 2, levels);
    kata_field *q = numbered(g, "q", KATA_VERTICES, 1, levels);
    assert_int_equal(kata_save(h, path, .with = {u, q}, .positions = at), KATA_OK);
    kata_grid *again = kata_grid_mesh_load(k, path, levels);
    assert_non_null(again);
    assert_same_tables(g, again);
    kata_field *h2 = kata_field_new(again, "h", KATA_F64, .on = KATA_CELLS);
    kata_field *u2 = kata_field_new(again, "other", KATA_F64, .on = KATA_EDGES, .components = 2);
    kata_field *q2 = kata_field_new(again, "q", KATA_F64, .on = KATA_VERTICES);
    assert_int_equal(kata_load(h2, path), KATA_OK);
    assert_int_equal(kata_load(u2, "mesh.nc:/u"), KATA_OK);
    assert_int_equal(kata_load(q2, path), KATA_OK);
    assert_numbered(h2, again, KATA_CELLS, 1, levels);
    assert_numbered(u2, again, KATA_EDGES, 2, levels);
    assert_numbered(q2, again, KATA_VERTICES, 1, levels);
}

/* Few levels, and as many as lie side by side; elements in other places than their numbers say. */
static void a_mesh_is_read_as_it_was(void **unused)
{
    static const int levels[] = {1, 3, 9};
    (void)unused;
    for (int i = 0; i < 3; i++)
        for (int order = KATA_ORDER_FOUND; order <= KATA_ORDER_NEAR; order++) {
            kata *k = kata_open(NULL);
            kata_grid *g = mixed(k, levels[i], (kata_order)order);
            expect_round_trip(k, g, positions(g, 2 + i % 2), levels[i]);
            if (order == KATA_ORDER_FOUND)
                expect_round_trip(k, kata_grid_sphere(k, 2, 1, levels[i]), NULL, levels[i]);
            assert_int_equal(kata_close(k), KATA_OK);
        }
    remove(path);
}

static void expect_same_again(kata *k, kata_grid *g)
{
    kata_field *at = kata_field_new(g, "at", KATA_F64, .on = KATA_VERTICES, .components = 2);
    assert_int_equal(kata_fill(at, kata_all(g), 1), KATA_OK);
    assert_int_equal(kata_save(numbered(g, "h", KATA_CELLS, 1, 1), path, .positions = at), KATA_OK);
    kata_grid *again = kata_grid_mesh_load(k, path, 1);
    assert_non_null(again);
    assert_same_tables(g, again);
    assert_int_equal(kata_close(k), KATA_OK);
}

/* Two squares: of the cells at each vertex alone, of each edge's vertices and cells, and of both.
 * No row of the cells goes around them. */
static void rows_that_ascend_are_made_again(void **unused)
{
    static const int32_t at_vertex[6][2] = {{0, -1}, {0, 1}, {1, -1}, {0, -1}, {0, 1}, {1, -1}};
    static const int32_t ends[7][2] = {{0, 1}, {3, 4}, {1, 2}, {4, 5}, {0, 3}, {1, 4}, {2, 5}};
    static const int32_t cells[7][2] = {{0, -1}, {0, -1}, {1, -1}, {1, -1},
                                        {0, -1}, {0, 1},  {1, -1}};
    (void)unused;
    for (int i = 0; i < 8; i++) {
        const bool of_vertex = i & 1, of_edge = i & 2, with_cells = i & 4;
        if (!of_vertex && !(of_edge && with_cells)) continue;
        kata *k = kata_open(NULL);
        kata_grid *g =
            kata_grid_mesh(k, 2, .vertices = 6, .edges = of_edge || with_cells ? 7 : 0,
                           .vertex_cells = {of_vertex ? at_vertex[0] : NULL, of_vertex ? 2 : 0},
                           .edge_vertices = {of_edge ? ends[0] : NULL, of_edge ? 2 : 0},
                           .edge_cells = {with_cells ? cells[0] : NULL, with_cells ? 2 : 0});
        assert_int_equal(kata_grid_count(g, KATA_EDGES), of_edge || with_cells ? 7 : 0);
        expect_same_again(k, g);
    }
    remove(path);
}

/* Two triangles, of which edges tell all: the vertices of each in a sense of its own. */
static void triangles_of_edges_are_made_again(void **unused)
{
    static const int32_t ends[5][2] = {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}};
    static const int32_t cells[5][2] = {{0, -1}, {0, -1}, {0, 1}, {1, -1}, {1, -1}};
    static const int32_t at_vertex[4][2] = {{0, -1}, {0, 1}, {0, 1}, {1, -1}};
    (void)unused;
    for (int i = 0; i < 2; i++) {
        kata *k = kata_open(NULL);
        kata_grid *g = kata_grid_mesh(k, 2, .edges = 5, .vertices = 4,
                                      .edge_vertices = {ends[0], 2}, .edge_cells = {cells[0], 2},
                                      .vertex_cells = {i ? at_vertex[0] : NULL, i ? 2 : 0});
        const kata_neighbours corner = kata_grid_neighbours(g, KATA_CELLS, KATA_VERTICES);
        assert_int_equal(corner.width, 3);
        expect_same_again(k, g);
    }
    remove(path);
}

static void ignore(void *data, kata_status status, const char *message)
{
    (void)status;
    snprintf(data, 200, "%s", message);
}

/* Elements that no table tells of would be others, or none, when the file is read. */
static void elements_without_tables_are_refused(void **unused)
{
    static const int32_t square[2][4] = {{0, 1, 4, 3}, {1, 2, 5, 4}}, end[1][2] = {{0, 1}};
    (void)unused;
    for (int i = 0; i < 2; i++) {
        char said[200] = "";
        kata *k = kata_open(&(kata_options){.handler = ignore, .handler_data = said});
        kata_grid *g =
            i ? kata_grid_mesh(k, 2, .edges = 1, .vertices = 6, .edge_vertices = {end[0], 2})
              : kata_grid_mesh(k, 2, .edges = 5, .vertices = 6, .cell_vertices = {square[0], 4});
        kata_field *at = kata_field_new(g, "at", KATA_F64, .on = KATA_VERTICES, .components = 2);
        assert_int_equal(kata_save(at, path, .positions = at), KATA_ERROR_ARGUMENT);
        assert_string_equal(
            said, i ? "error: kata_save: the mesh has 2 cells and no table of their neighbours, "
                      "without which a .nc file cannot keep them"
                    : "error: kata_save: the mesh has 5 edges and no table of their neighbours, "
                      "without which a .nc file cannot keep them");
        assert_int_equal(kata_close(k), KATA_ERROR_ARGUMENT);
    }
}

/* ---- what other programs find ---------------------------------------------------------------- */

static void axes_have_names(void **unused)
{
    static const int counts[] = {1, 2, 9}; /* the last of them side by side */
    static double values[MOST];
    (void)unused;
    for (int run = 0; run < 3; run++) {
        const int levels = counts[run];
        kata *k = kata_open(NULL);
        kata_grid *g = mixed(k, levels, KATA_ORDER_NEAR);
        kata_field *u = numbered(g, "u", KATA_CELLS, 2, levels);
        assert_int_equal(kata_save(u, path, .positions = positions(g, 2)), KATA_OK);
        expect_axes("u", levels == 1   ? "mesh_components_2 mesh_faces "
                         : levels == 2 ? "mesh_components_2 mesh_layers_2 mesh_faces "
                                       : "mesh_components_2 mesh_faces mesh_layers_9 ");
        expect_axes("mesh_face_nodes", "mesh_faces mesh_slots_5 ");
        expect_axes("mesh_node_x", "mesh_nodes ");
        expect_axes("mesh", "");
        assert_int_equal(read_values("u", values), 2 * levels * CELLS);
        for (int i = 0; i < 2 * levels * CELLS; i++) {
            const int j = i % (levels * CELLS), level = levels == 9 ? j % levels : j / CELLS;
            assert_true(values[i] == value_at(i / (levels * CELLS), level,
                                              levels == 9 ? j / levels : j % CELLS));
        }
        assert_int_equal(kata_close(k), KATA_OK);
    }
    remove(path);
}

static void a_topology_names_its_tables(void **unused)
{
    static double values[MOST];
    (void)unused;
    kata *k = kata_open(NULL);
    kata_grid *g = mixed(k, 1, KATA_ORDER_FOUND);
    kata_field *h =
        kata_field_new(g, "h", KATA_F16, .on = KATA_EDGES, .units = "m", .along = KATA_X | KATA_Y);
    assert_int_equal(kata_fill(h, kata_on(h), 0.5), KATA_OK);
    assert_int_equal(
        kata_save(h, path, .positions = positions(g, 3), .origin = {10, 20, 30}, .time = 60),
        KATA_OK);
    expect_text("/", "Conventions", "CF-1.8 UGRID-1.0");
    expect_text("mesh", "cf_role", "mesh_topology");
    expect_text("mesh", "node_coordinates", "mesh_node_x mesh_node_y");
    expect_text("mesh", "face_node_connectivity", "mesh_face_nodes");
    expect_text("mesh", "edge_face_connectivity", "mesh_edge_faces");
    expect_text("mesh", "edge_dimension", "mesh_edges");
    expect_text("mesh_edge_faces", "cf_role", "edge_face_connectivity");
    expect_text("mesh_node_z", "units", "km");
    expect_text("h", "mesh", "mesh");
    expect_text("h", "location", "edge");
    expect_text("h", "units", "m");
    assert_int_equal(read_values("h", values), kata_grid_count(g, KATA_EDGES));
    assert_true(values[3] == 0.5);
    assert_int_equal(read_values("mesh_node_y", values), VERTICES);
    for (int i = 0; i < VERTICES; i++) assert_true(values[i] == corner_y[i] + 20);
    assert_int_equal(read_values("mesh_node_z", values), VERTICES);
    for (int i = 0; i < VERTICES; i++) assert_true(values[i] == corner_x[i] * corner_y[i] + 30);
    assert_int_equal(kata_close(k), KATA_OK);
    remove(path);
}

static void a_sphere_has_degrees(void **unused)
{
    static double east[MOST], north[MOST], at[3 * MOST];
    const double degree = acos(-1) / 180;
    (void)unused;
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_sphere(k, 2, 2, 1);
    const int n = (int)kata_grid_count(g, KATA_VERTICES);
    assert_int_equal(kata_save(numbered(g, "h", KATA_CELLS, 1, 1), path), KATA_OK);
    kata_grid_geometry(g, KATA_VERTICES, KATA_POSITION, at, 3 * n);
    expect_text("mesh_node_lon", "units", "degrees_east");
    expect_text("mesh_node_lat", "standard_name", "latitude");
    assert_int_equal(read_values("mesh_node_lon", east), n);
    assert_int_equal(read_values("mesh_node_lat", north), n);
    for (int i = 0; i < n; i++) {
        assert_near(cos(east[i] * degree) * cos(north[i] * degree), at[i], 1e-15);
        assert_near(sin(east[i] * degree) * cos(north[i] * degree), at[n + i], 1e-15);
        assert_near(sin(north[i] * degree), at[2 * n + i], 1e-15);
    }
    assert_int_equal(kata_close(k), KATA_OK);
    remove(path);
}

/* ---- programs -------------------------------------------------------------------------------- */

static const char operators[] =
    "kernel gradient(in double h on cell, inout double u on edge) on edge\n"
    "{\n"
    "    for (c : cells) u -= 0.01*orientation(c)*h[c];\n"
    "}\n"
    "kernel divergence(in double u on edge, inout double h on cell, sum double mass) on cell\n"
    "{\n"
    "    for (e : edges) h -= 0.01*orientation(e)*u[e];\n"
    "    mass += h;\n"
    "}\n"
    "kernel curl(in double u on edge, out double q on vertex) on vertex\n"
    "{\n"
    "    double sum = 0;\n"
    "    for (e : edges) sum += orientation(e)*u[e];\n"
    "    q = sum;\n"
    "}\n";

typedef struct result {
    double h[MOST], q[MOST], mass;
} result;

/* Waves on a mesh: the same sums on any that has the same tables. */
static void run(kata *k, kata_grid *g, int levels, result *out)
{
    kata_module *m = kata_module_from_text(k, "operators.kata", operators);
    kata_field *h = numbered(g, "h", KATA_CELLS, 1, levels);
    kata_field *u = numbered(g, "u", KATA_EDGES, 1, levels);
    kata_field *q = kata_field_new(g, "q", KATA_F64, .on = KATA_VERTICES);
    kata_scalar *mass = kata_scalar_new(k, "mass", KATA_F64);
    for (int step = 0; step < 5; step++) {
        kata_apply(kata_kernel_find(m, "gradient"), kata_all(g), h, u);
        kata_apply(kata_kernel_find(m, "divergence"), kata_all(g), u, h, mass);
    }
    kata_apply(kata_kernel_find(m, "curl"), kata_all(g), u, q);
    memset(out, 0, sizeof *out);
    kata_get(h, kata_all(g), out->h, kata_grid_count(g, KATA_CELLS) * levels);
    kata_get(q, kata_all(g), out->q, kata_grid_count(g, KATA_VERTICES) * levels);
    kata_scalar_get(mass, &out->mass);
    assert_true(kata_ok(k));
}

/* Sums over all elements add them as they lie in memory. */
static void assert_same(const result *a, const result *b)
{
    assert_memory_equal(a->h, b->h, sizeof a->h);
    assert_memory_equal(a->q, b->q, sizeof a->q);
    assert_near(a->mass, b->mass, 1e-13 * fabs(a->mass));
}

static void programs_compute_the_same_bits(void **unused)
{
    static result first, other;
    (void)unused;
    for (int levels = 1; levels <= 10; levels += 9)
        for (int i = 0; i < 6; i++) {
            kata *k = kata_open(&(kata_options){.threads = i % 2 ? 3 : 1});
            kata_grid *g = sphere_by_tables(k, levels, (kata_order)(i / 2));
            kata_grid *sphere = kata_grid_sphere(k, 2, 1, levels);
            if (!i) run(k, sphere, levels, &first);
            run(k, g, levels, &other);
            assert_same(&first, &other);
            kata_save(
                kata_field_new(sphere, "f", KATA_U8, .on = KATA_CELLS, .along = KATA_X | KATA_Y),
                path);
            run(k, kata_grid_mesh_load(k, path, levels), levels, &other);
            assert_same(&first, &other);
            assert_int_equal(kata_close(k), KATA_OK);
        }
    remove(path);
}

/* ---- series, and what is refused ------------------------------------------------------------- */

static void a_series_has_a_file_for_each_step(void **unused)
{
    (void)unused;
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_sphere(k, 1, 0, 2);
    kata_series *s = kata_series_new(numbered(g, "h", KATA_CELLS, 1, 2), "mesh-#.nc");
    kata_series_add(s, 0);
    assert_int_equal(kata_series_add(s, 1), KATA_OK);
    assert_int_equal(kata_output_wait(k), KATA_OK);
    kata_grid *again = kata_grid_mesh_load(k, "mesh-1.nc", 2);
    assert_non_null(again);
    assert_same_tables(g, again);
    assert_int_equal(kata_close(k), KATA_OK);
    assert_int_equal(remove("mesh-0.nc") || remove("mesh-1.nc"), 0);
}

static void expect(kata *k, const char *words)
{
    if (!strstr(kata_error_message(k), words)) fail_msg("%s", kata_error_message(k));
    assert_int_not_equal(access(path, F_OK), 0);
    kata_error_clear(k);
}

static void others_are_refused(void **unused)
{
    (void)unused;
    kata *k = kata_open(NULL);
    kata_grid *g = mixed(k, 3, KATA_ORDER_FOUND), *sphere = kata_grid_sphere(k, 1, 0, 3);
    kata_field *d = numbered(g, "d", KATA_CELLS, 1, 3), *at = positions(g, 2);
    kata_save(d, path);
    expect(k, "where do the vertices lie? Give .positions");
    kata_save(d, path, .positions = d);
    expect(k, "'d' is not on the vertices of the mesh");
    kata_save(d, path, .positions = numbered(g, "high", KATA_VERTICES, 2, 3));
    expect(k, "'high' has other levels");
    kata_save(d, path, .positions = at, .with = {numbered(sphere, "other", KATA_CELLS, 1, 3)});
    expect(k, "'other' is of another grid");
    kata_save(kata_field_new(g, "pairs", KATA_F64, .on = KATA_CELLS, .each = KATA_EDGES), path,
              .positions = at);
    expect(k, "'pairs' has no value on each cell, edge or vertex");
    kata_save(numbered(g, "mesh", KATA_CELLS, 1, 3), path, .positions = at);
    expect(k, "needs the name 'mesh' for the mesh itself");
    kata_save(numbered(g, "mesh_face_nodes", KATA_CELLS, 1, 3), path, .positions = at);
    expect(k, "names that begin with mesh_; give the field another one");
    kata_save(d, path, .positions = at, .cells = true);
    expect(k, "has no place for .cells");
    assert_null(kata_series_new(d, path, .positions = at));
    expect(k, "is one file; a series goes to");
    kata_save(numbered(g, "meshes", KATA_CELLS, 1, 3), path, .positions = at);
    assert_int_equal(kata_close(k), KATA_OK);
    assert_int_equal(remove(path), 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(a_mesh_is_read_as_it_was),
                                              cmocka_unit_test(rows_that_ascend_are_made_again),
                                              cmocka_unit_test(triangles_of_edges_are_made_again),
                                              cmocka_unit_test(elements_without_tables_are_refused),
                                              cmocka_unit_test(axes_have_names),
                                              cmocka_unit_test(a_topology_names_its_tables),
                                              cmocka_unit_test(a_sphere_has_degrees),
                                              cmocka_unit_test(programs_compute_the_same_bits),
                                              cmocka_unit_test(a_series_has_a_file_for_each_step),
                                              cmocka_unit_test(others_are_refused)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
