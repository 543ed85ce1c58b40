/* Fields on meshes in VTKHDF files: cells with their corners, where these lie, and values on them,
 * on few levels and on many; edges as lines; and what has no place there. Maps of spheres. */
/* Labels: hostile */
#include "kata/kata.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hdf5.h>
#include <cmocka.h>

enum { MOST = 4096, LINE = 3, TRIANGLE = 5, POLYGON = 7, QUAD = 9 };
static const char path[] = "mesh.vtkhdf";
static char folder[] = "/tmp/kata_mesh_save_XXXXXX";

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

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct picture {
    int points, cells, corners;
    double position[MOST][3];
    int64_t connectivity[MOST], offsets[MOST];
    uint8_t types[MOST];
    double of_cells[MOST], of_points[MOST];
} picture;

static picture seen;

/* All values of a dataset, which are `most` at most; returns how many there are, -1 where there is
 * none. */
static int read_set(hid_t file, const char *name, hid_t type, int most, void *values)
{
    if (H5Lexists(file, name, H5P_DEFAULT) <= 0) return -1;
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
    const int count = (int)H5Sget_simple_extent_npoints(space);
    assert_true(count <= most);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    H5Dclose(set);
    return count;
}

static int read_count(hid_t file, const char *name)
{
    int64_t count = -1;
    assert_int_equal(read_set(file, name, H5T_NATIVE_INT64, 1, &count), 1);
    return (int)count;
}

/* The file with values on cells, or edges, and on vertices, where these have names. */
static void read_picture(const char *on_cells, const char *on_points)
{
    char name[80];
    memset(&seen, 0, sizeof seen);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    seen.points = read_count(file, "VTKHDF/NumberOfPoints");
    seen.cells = read_count(file, "VTKHDF/NumberOfCells");
    seen.corners = read_count(file, "VTKHDF/NumberOfConnectivityIds");
    assert_int_equal(read_set(file, "VTKHDF/Points", H5T_NATIVE_DOUBLE, 3 * MOST, seen.position),
                     3 * seen.points);
    assert_int_equal(
        read_set(file, "VTKHDF/Connectivity", H5T_NATIVE_INT64, MOST, seen.connectivity),
        seen.corners);
    assert_int_equal(read_set(file, "VTKHDF/Offsets", H5T_NATIVE_INT64, MOST, seen.offsets),
                     seen.cells + 1);
    assert_int_equal(read_set(file, "VTKHDF/Types", H5T_NATIVE_UINT8, MOST, seen.types),
                     seen.cells);
    assert_int_equal(seen.offsets[seen.cells], seen.corners);
    snprintf(name, sizeof name, "VTKHDF/CellData/%s", on_cells ? on_cells : "-");
    assert_int_equal(read_set(file, name, H5T_NATIVE_DOUBLE, MOST, seen.of_cells),
                     on_cells ? seen.cells : -1);
    snprintf(name, sizeof name, "VTKHDF/PointData/%s", on_points ? on_points : "-");
    assert_int_equal(read_set(file, name, H5T_NATIVE_DOUBLE, MOST, seen.of_points),
                     on_points ? seen.points : -1);
    H5Fclose(file);
    remove(path);
}

/* ---- programs -------------------------------------------------------------------------------- */

/* A field whose values tell element and level. */
static kata_field *numbered(kata_grid *g, const char *name, kata_location on, int levels)
{
    static double values[MOST];
    const int n = (int)kata_grid_count(g, on);
    kata_field *f = kata_field_new(g, name, KATA_F64, .on = on);
    for (int i = 0; i < n * levels; i++) values[i] = 100 * (i % n) + i / n;
    kata_put(f, kata_all(g), values, n * levels);
    return f;
}

/* Each cell of the file is the one that its value tells, and so is each point. */
static void check_sphere(kata_grid *g, kata_location on, double thickness)
{
    const kata_neighbours n = kata_grid_neighbours(g, on, KATA_VERTICES);
    const int vertices = (int)kata_grid_count(g, KATA_VERTICES);
    static double at[MOST];
    assert_int_equal(kata_grid_geometry(g, KATA_VERTICES, KATA_POSITION, at, 3 * vertices),
                     KATA_OK);
    for (int c = 0; c < seen.cells; c++) {
        const int element = (int)seen.of_cells[c] / 100, level = (int)seen.of_cells[c] % 100;
        assert_int_equal(seen.types[c], n.width == 2 ? LINE : TRIANGLE);
        assert_int_equal(seen.offsets[c + 1] - seen.offsets[c], n.width);
        for (int k = 0; k < n.width; k++) {
            const int64_t corner = seen.connectivity[seen.offsets[c] + k];
            const int vertex = n.table[element * n.width + k];
            assert_int_equal((int)seen.of_points[corner], 100 * vertex + level);
            for (int d = 0; d < 3; d++)
                assert_near(seen.position[corner][d],
                            at[d * vertices + vertex] * (1 + thickness * level), 1e-14);
        }
    }
}

static void a_sphere_has_cells_of_all_levels(void **unused)
{
    (void)unused;
    static const int levels[] = {1, 2, 9};
    for (int i = 0; i < 3; i++) {
        kata *k = kata_open(NULL);
        kata_grid *g = kata_grid_sphere(k, 1, 1, levels[i]);
        kata_field *d = numbered(g, "d", KATA_CELLS, levels[i]);
        kata_field *h = numbered(g, "h", KATA_VERTICES, levels[i]);
        assert_int_equal(kata_save(d, path, .with = {h}, .spacing_z = 0.125), KATA_OK);
        read_picture("d", "h");
        assert_int_equal(seen.cells, 80 * levels[i]);
        assert_int_equal(seen.points, 42 * levels[i]);
        check_sphere(g, KATA_CELLS, 0.125);
        assert_int_equal(kata_close(k), KATA_OK);
    }
}

/* Positions that have levels say where each level lies; a series has a file for each step. */
static void levels_have_positions_of_their_own(void **unused)
{
    (void)unused;
    enum { LEVELS = 3, VERTICES = 42 };
    static double at[3 * VERTICES], all[3 * LEVELS * VERTICES];
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_sphere(k, 1, 1, LEVELS);
    kata_field *d = numbered(g, "d", KATA_CELLS, LEVELS);
    kata_field *h = numbered(g, "h", KATA_VERTICES, LEVELS);
    kata_field *x = kata_field_new(g, "x", KATA_F64, .on = KATA_VERTICES, .components = 3);
    kata_grid_geometry(g, KATA_VERTICES, KATA_POSITION, at, 3 * VERTICES);
    for (int i = 0; i < 3 * LEVELS * VERTICES; i++) {
        const int c = i / (LEVELS * VERTICES), level = i / VERTICES % LEVELS;
        all[i] = at[c * VERTICES + i % VERTICES] * (1 + 0.5 * level);
    }
    kata_put(x, kata_all(g), all, 3 * LEVELS * VERTICES);
    kata_series *s = kata_series_new(d, "mesh-#.vtkhdf", .with = {h}, .positions = x);
    assert_int_equal(kata_series_add(s, 0), KATA_OK);
    assert_int_equal(kata_output_wait(k), KATA_OK);
    assert_int_equal(rename("mesh-0.vtkhdf", path), 0);
    read_picture("d", "h");
    assert_int_equal(seen.cells, 80 * LEVELS);
    check_sphere(g, KATA_CELLS, 0.5);
    assert_int_equal(kata_close(k), KATA_OK);
}

/* Positions without levels hold for all: levels lie above one another. */
static void positions_without_levels_are_those_of_all(void **unused)
{
    (void)unused;
    enum { LEVELS = 3, VERTICES = 42 };
    static double at[3 * VERTICES];
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_sphere(k, 1, 1, LEVELS);
    kata_field *d = numbered(g, "d", KATA_CELLS, LEVELS);
    kata_field *h = numbered(g, "h", KATA_VERTICES, LEVELS);
    kata_field *x = kata_field_new(g, "x", KATA_F64, .on = KATA_VERTICES, .components = 3,
                                   .along = KATA_X | KATA_Y);
    kata_grid_geometry(g, KATA_VERTICES, KATA_POSITION, at, 3 * VERTICES);
    kata_put(x, kata_on(x), at, 3 * VERTICES);
    assert_int_equal(kata_save(d, path, .with = {h}, .positions = x, .spacing_z = 0.5), KATA_OK);
    read_picture("d", "h");
    assert_int_equal(seen.points, VERTICES * LEVELS);
    for (int i = 0; i < seen.points; i++) {
        const int vertex = (int)seen.of_points[i] / 100, level = (int)seen.of_points[i] % 100;
        for (int c = 0; c < 3; c++)
            assert_near(seen.position[i][c], at[c * VERTICES + vertex] + (c == 2 ? 0.5 * level : 0),
                        1e-15);
    }
    assert_int_equal(kata_close(k), KATA_OK);
}

static void edges_are_lines(void **unused)
{
    (void)unused;
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_sphere(k, 1, 0, 2);
    assert_int_equal(kata_save(numbered(g, "u", KATA_EDGES, 2), path), KATA_OK);
    read_picture("u", NULL);
    assert_int_equal(seen.cells, 60);
    assert_int_equal(seen.types[59], LINE);
    assert_int_equal(kata_save(numbered(g, "h", KATA_VERTICES, 2), path, .origin = {5, 6, 7}),
                     KATA_OK);
    read_picture(NULL, "h");
    assert_int_equal(seen.types[0], TRIANGLE);
    double far = 0;
    for (int d = 0; d < 3; d++) far += pow(seen.position[0][d] - 5 - d, 2);
    assert_near(far, 1, 1e-14);
    assert_int_equal(kata_close(k), KATA_OK);
}

/* A pentagon, a square and a triangle in a row. */
static kata_grid *row_of_three(kata *k)
{
    static const int32_t corners[3][5] = {{0, 1, 2, 3, 4}, {1, 5, 6, 2, -1}, {5, 7, 6, -1, -1}};
    return kata_grid_mesh(k, 3, .vertices = 8, .cell_vertices = {corners[0], 5});
}

static void cells_have_any_number_of_corners(void **unused)
{
    (void)unused;
    static const double at[2][8] = {{0, 1, 1, 0, -1, 2, 2, 3}, {0, 0, 1, 1, 0.5, 0, 1, 0.5}};
    static const int types[] = {POLYGON, QUAD, TRIANGLE};
    kata *k = kata_open(NULL);
    kata_grid *g = row_of_three(k);
    kata_field *d = numbered(g, "d", KATA_CELLS, 1);
    kata_field *x = kata_field_new(g, "x", KATA_F32, .on = KATA_VERTICES, .components = 2);
    kata_put(x, kata_all(g), at[0], 16);
    assert_int_equal(kata_save(d, path, .positions = x, .time = 2), KATA_OK);
    read_picture("d", NULL);
    assert_int_equal(seen.corners, 12);
    for (int c = 0; c < 3; c++) {
        assert_int_equal(seen.types[c], types[(int)seen.of_cells[c] / 100]);
        assert_int_equal(seen.offsets[c + 1] - seen.offsets[c], 5 - (int)seen.of_cells[c] / 100);
    }
    for (int i = 0; i < 8; i++) {
        assert_near(seen.position[i][0], at[0][i], 0);
        assert_near(seen.position[i][1], at[1][i], 0);
        assert_near(seen.position[i][2], 0, 0);
    }
    assert_int_equal(kata_close(k), KATA_OK);
}

/* ---- maps ------------------------------------------------------------------------------------ */

enum { WIDTH = 720, HEIGHT = 360 };

/* The cosine of the angle between the middle of a pixel and an element. */
static double nearness(const double *at, int64_t n, int64_t i, int x, int y)
{
    const double east = ((x + 0.5) / 2 - 180) * M_PI / 180,
                 north = (90 - (y + 0.5) / 2) * M_PI / 180;
    return cos(north) * (cos(east) * at[i] + sin(east) * at[n + i]) + sin(north) * at[2 * n + i];
}

/* Each element has a colour of its own; that of a pixel is that of the element nearest to it. */
static void expect_map(kata *k, kata_grid *sphere, kata_location on)
{
    static uint8_t colours[3 * 200], seen_colours[3 * WIDTH * HEIGHT];
    static double at[3 * 200];
    const int n = (int)kata_grid_count(sphere, on);
    kata_field *f = kata_field_new(sphere, "f", KATA_U8, .on = on, .components = 3);
    kata_grid *picture = kata_grid_2d(k, WIDTH, HEIGHT);
    kata_field *found = kata_field_new(picture, "found", KATA_U8, .components = 3);
    for (int i = 0; i < 3 * n; i++) colours[i] = (uint8_t)(i < n ? i : 7 * i % 251);
    assert_int_equal(kata_grid_geometry(sphere, on, KATA_POSITION, at, 3 * n), KATA_OK);
    kata_put(f, kata_on(f), colours, 3 * n);
    assert_int_equal(kata_save(f, "map.png"), KATA_OK);
    assert_int_equal(kata_load(found, "map.png"), KATA_OK);
    kata_get(found, kata_all(picture), seen_colours, 3 * WIDTH * HEIGHT);
    assert_int_equal(unlink("map.png"), 0);
    for (int p = 0; p < WIDTH * HEIGHT; p += 13) {
        const int i = seen_colours[p], x = p % WIDTH, y = p / WIDTH;
        double nearest = -1;
        for (int j = 0; j < n; j++) nearest = fmax(nearest, nearness(at, n, j, x, y));
        assert_true(i < n);
        assert_near(nearness(at, n, i, x, y), nearest, 1e-12);
        for (int c = 0; c < 3; c++)
            assert_int_equal(seen_colours[c * WIDTH * HEIGHT + p], colours[c * n + i]);
    }
}

static void maps_show_what_is_nearest(void **unused)
{
    (void)unused;
    kata *k = kata_open(NULL);
    kata_grid *sphere = kata_grid_sphere(k, 1, 1, 1);
    expect_map(k, sphere, KATA_CELLS);
    expect_map(k, sphere, KATA_EDGES);
    expect_map(k, sphere, KATA_VERTICES);
    assert_int_equal(kata_close(k), KATA_OK);
}

/* One component has colours by its values, y upwards; a film has a picture for each step. */
static void maps_have_north_on_top(void **unused)
{
    static double z[1000], seen_colours[3 * WIDTH * HEIGHT];
    (void)unused;
    kata *k = kata_open(NULL);
    kata_grid *sphere = kata_grid_sphere(k, 2, 2, 1), *picture = kata_grid_2d(k, WIDTH, HEIGHT);
    kata_field *f = kata_field_new(sphere, "f", KATA_F32, .on = KATA_VERTICES);
    kata_field *found = kata_field_new(picture, "found", KATA_F64, .components = 3);
    const int n = (int)kata_grid_count(sphere, KATA_VERTICES);
    double *at = malloc((size_t)n * 3 * sizeof *at);
    assert_int_equal(kata_grid_geometry(sphere, KATA_VERTICES, KATA_POSITION, at, 3 * n), KATA_OK);
    for (int i = 0; i < n; i++) z[i] = at[2 * n + i];
    free(at);
    kata_put(f, kata_on(f), z, n);
    assert_int_equal(kata_save(f, "map.png"), KATA_OK);
    assert_int_equal(kata_load(found, "map.png"), KATA_OK);
    kata_get(found, kata_all(picture), seen_colours, 3 * WIDTH * HEIGHT);
    assert_true(seen_colours[WIDTH / 2] > 0.9);                        /* yellow: red, */
    assert_true(seen_colours[WIDTH * HEIGHT + WIDTH / 2] > 0.8);       /* and green */
    assert_true(seen_colours[WIDTH * (HEIGHT - 1) + WIDTH / 2] < 0.3); /* violet */
    assert_int_equal(unlink("map.png"), 0);
    kata_series *film = kata_series_new(f, "film.apng");
    assert_non_null(film);
    assert_int_equal(kata_series_add(film, 0), KATA_OK);
    assert_int_equal(kata_close(k), KATA_OK);
    assert_int_equal(unlink("film.apng"), 0);
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
    kata_grid *g = row_of_three(k), *flat = kata_grid_2d(k, 4, 4);
    kata_field *d = numbered(g, "d", KATA_CELLS, 1), *e = numbered(g, "e", KATA_EDGES, 1);
    kata_field *plain = kata_field_new(flat, "p", KATA_F64);
    kata_field *x = kata_field_new(g, "x", KATA_F64, .on = KATA_VERTICES, .components = 2);
    kata_field *far = kata_field_new(g, "far", KATA_F64, .on = KATA_VERTICES, .components = 4);
    kata_save(d, path);
    expect(k, "where do the vertices lie? Give .positions");
    static const int32_t square[4][1] = {{0}, {0}, {0}, {0}};
    kata_grid *loose = kata_grid_mesh(k, 1, .vertices = 4, .vertex_cells = {square[0], 1});
    kata_save(numbered(loose, "l", KATA_CELLS, 1), path,
              .positions =
                  kata_field_new(loose, "at", KATA_F64, .on = KATA_VERTICES, .components = 2));
    expect(
        k,
        "it is not known in which order the vertices of cells go around them; make the mesh with "
        ".cell_vertices");
    kata_save(d, path, .positions = e);
    expect(k, "'e' is not on the vertices of the mesh");
    kata_save(d, path, .positions = far);
    expect(k, "'far' has not two or three components");
    kata_save(d, path, .positions = x, .with = {e});
    expect(k, "'e' lies on other elements");
    kata_save(d, path, .positions = x, .with = {plain});
    expect(k, "'p' is of another grid");
    kata_save(d, path, .positions = x, .cells = true);
    expect(k, ".cells is for images");
    kata_save(plain, path, .positions = x);
    expect(k, "'p' is on a grid");
    kata_save(d, "d.npy", .positions = x);
    expect(k, "has no place for .positions");
    kata_save(d, "d.png");
    expect(k, "is a map of a sphere, and the mesh of 'd' is none");
    kata_grid *sphere = kata_grid_sphere(k, 1, 1, 3);
    kata_save(kata_field_new(sphere, "high", KATA_F64, .on = KATA_CELLS), "d.png");
    expect(k, "field 'high' has 3 levels; a map shows a field of one");
    kata_save(kata_field_new(sphere, "pairs", KATA_F64, .on = KATA_CELLS, .each = KATA_EDGES),
              "d.png");
    expect(k, "field 'pairs' has no value on each cell, edge or vertex");
    kata_save(kata_field_new(sphere, "whole", KATA_I32, .on = KATA_CELLS, .along = KATA_X | KATA_Y),
              "d.png");
    expect(k, "a picture is made of 1 to 4 of");
    assert_int_not_equal(access("d.png", F_OK), 0);
    assert_null(kata_series_new(d, path, .positions = x));
    expect(k, "go to a file for each step");
    assert_int_equal(kata_close(k), KATA_OK);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sphere_has_cells_of_all_levels),
        cmocka_unit_test(levels_have_positions_of_their_own),
        cmocka_unit_test(positions_without_levels_are_those_of_all),
        cmocka_unit_test(edges_are_lines),
        cmocka_unit_test(cells_have_any_number_of_corners),
        cmocka_unit_test(maps_show_what_is_nearest),
        cmocka_unit_test(maps_have_north_on_top),
        cmocka_unit_test(others_are_refused)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
