/* Meshes with rows of different lengths: GridTools' nabla with its values; what is derived of
 * tables; and each fault of a table with its own message. */
/* Labels: hostile threads */
#include "kata/kata.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance)) fail_msg("%.12g, not %.12g", found, expected);
}

/* ---- GridTools' mesh of triangles on nx times ny vertices -------------------------------------
 */

enum { NX = 12, NY = 9, V = NX * NY, EX = (NX - 1) * NY, EY = NX * (NY - 1) };
enum { E = EX + EY + (NX - 1) * (NY - 1), NZ = 10 };

static int edge_x(int i, int j) { return i >= 0 && i < NX - 1 ? i + (NX - 1) * j : -1; }
static int edge_y(int i, int j) { return j >= 0 && j < NY - 1 ? EX + i + NX * j : -1; }
static int diagonal(int i, int j)
{
    bool there = i >= 0 && i < NX - 1 && j >= 0 && j < NY - 1;
    return there ? EX + EY + i + (NX - 1) * j : -1;
}

static void make_tables(int32_t vertex_edges[V][6], int32_t edge_vertices[E][2])
{
    memset(vertex_edges, -1, sizeof(int32_t[V][6]));
    for (int v = 0; v < V; v++) {
        int i = v % NX, j = v / NX, count = 0;
        const int edges[] = {edge_x(i - 1, j), edge_x(i, j),       edge_y(i, j - 1),
                             edge_y(i, j),     diagonal(i, j - 1), diagonal(i - 1, j)};
        for (int k = 0; k < 6; k++)
            if (edges[k] >= 0) vertex_edges[v][count++] = edges[k];
        const int ends[3][3] = {
            {edge_x(i, j), v, v + 1}, {edge_y(i, j), v, v + NX}, {diagonal(i, j), v + 1, v + NX}};
        for (int k = 0; k < 3; k++)
            for (int end = 0; end < 2 && ends[k][0] >= 0; end++)
                edge_vertices[ends[k][0]][end] = ends[k][1 + end];
    }
}

static const char nabla[] =
    "kernel average(in double pp on vertex, in double s[2] on edge, out double z[2] on edge)\n"
    "    on edge\n"
    "{\n"
    "    double sum = 0;\n"
    "    for (v : vertices) sum += pp[v];\n"
    "    for (int c = 0; c < 2; c++) z[c] = sum/2*s[c];\n"
    "}\n"
    "kernel gradient(in double z[2] on edge, in double sign on vertex : edges along xy,\n"
    "                in double vol on vertex along xy, out double n[2] on vertex) on vertex\n"
    "{\n"
    "    double sum[2] = {0, 0};\n"
    "    for (e : edges)\n"
    "        for (int c = 0; c < 2; c++) sum[c] += z[c][e]*sign[e];\n"
    "    for (int c = 0; c < 2; c++) n[c] = sum[c]/vol;\n"
    "}\n"
    "kernel count(in int one on edge, out int n on vertex) on vertex\n"
    "{\n"
    "    n = 0;\n"
    "    for (int k, e : edges) n += one[e] + 10*k;\n"
    "}\n";

typedef struct world {
    kata *k;
    kata_grid *grid;
    kata_module *module;
    int32_t vertex_edges[V][6], edge_vertices[E][2];
} world;

static world begin(const kata_options *options, int nz)
{
    world w = {.k = kata_open(options)};
    make_tables(w.vertex_edges, w.edge_vertices);
    w.grid = kata_grid_mesh(w.k, 0, .edges = E, .vertices = V, .nz = nz,
                            .vertex_edges = {w.vertex_edges[0], 6},
                            .edge_vertices = {w.edge_vertices[0], 2});
    w.module = kata_module_from_text(w.k, "k.kata", nabla);
    assert_true(kata_ok(w.k));
    return w;
}

/* nabla[c][z][v] */
static void run_nabla(const kata_options *options, double *out)
{
    static double pp[NZ][V], s[2][NZ][E], sign[6][V], vol[V];
    world w = begin(options, NZ);
    for (int v = 0; v < V; v++) {
        const int signs[] = {0, 1, v % 2, 1, (v + 1) % 2, 0};
        for (int z = 0; z < NZ; z++) pp[z][v] = (v + z) % 19;
        for (int k = 0; k < 6; k++) sign[k][v] = signs[k];
        vol[v] = v % 13 + 1;
    }
    for (int i = 0; i < NZ * E; i++) {
        s[0][i / E][i % E] = (i % E + i / E) % 17;
        s[1][i / E][i % E] = (i % E + i / E) % 7;
    }
    kata_field *p = kata_field_new(w.grid, "pp", KATA_F64, .on = KATA_VERTICES);
    kata_field *q = kata_field_new(w.grid, "s", KATA_F64, .on = KATA_EDGES, .components = 2);
    kata_field *g = kata_field_new(w.grid, "sign", KATA_F64, .on = KATA_VERTICES,
                                   .each = KATA_EDGES, .along = KATA_X | KATA_Y);
    kata_field *o =
        kata_field_new(w.grid, "vol", KATA_F64, .on = KATA_VERTICES, .along = KATA_X | KATA_Y);
    kata_field *z = kata_field_new(w.grid, "z", KATA_F64, .on = KATA_EDGES, .components = 2);
    kata_field *n = kata_field_new(w.grid, "n", KATA_F64, .on = KATA_VERTICES, .components = 2);
    kata_put(p, kata_on(p), pp[0], V * NZ);
    kata_put(q, kata_on(q), s[0][0], 2 * NZ * E);
    kata_put(g, kata_on(g), sign[0], 6 * V);
    kata_put(o, kata_on(o), vol, V);
    kata_apply(kata_kernel_find(w.module, "average"), kata_all(w.grid), p, q, z);
    kata_apply(kata_kernel_find(w.module, "gradient"), kata_all(w.grid), z, g, o, n);
    assert_int_equal(kata_get(n, kata_on(n), out, 2 * NZ * V), KATA_OK);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static void nabla_has_the_values_of_gridtools(void **unused)
{
    static double n[2][NZ][V], other[2][NZ][V];
    double sum[2] = {0, 0};
    (void)unused;
    run_nabla(&(kata_options){.threads = 2}, n[0][0]);
    for (int c = 0; c < 2; c++)
        for (int i = 0; i < NZ * V; i++) sum[c] += n[c][i / V][i % V];
    assert_near(n[0][0][0], 84, 1e-12);
    assert_near(n[1][0][0], 6, 1e-12);
    assert_near(n[0][0][50], 319.0 / 12, 1e-12);
    assert_near(n[1][0][50], 53.0 / 6, 1e-12);
    assert_near(n[0][7][50], 83.0 / 12, 1e-12);
    assert_near(n[1][7][50], 19.0 / 6, 1e-12);
    assert_near(n[0][3][107], 22.5, 1e-12);
    assert_near(n[1][3][107], 2.25, 1e-12);
    assert_near(sum[0], 58666.58403402, 1e-7);
    assert_near(sum[1], 20707.78547564, 1e-7);
    run_nabla(&(kata_options){.executor = "reference"}, other[0][0]);
    assert_memory_equal(n, other, sizeof n);
    run_nabla(&(kata_options){.executor = "plan"}, other[0][0]);
    assert_memory_equal(n, other, sizeof n);
}

static void empty_slots_are_passed_over(void **unused)
{
    static int32_t ones[E], n[V];
    (void)unused;
    for (int levels = 1; levels <= 9; levels += 8) {
        world w = begin(&(kata_options){.threads = 1}, levels);
        kata_field *one = kata_field_new(w.grid, "one", KATA_I32, .on = KATA_EDGES);
        kata_field *counted = kata_field_new(w.grid, "n", KATA_I32, .on = KATA_VERTICES);
        for (int e = 0; e < E; e++) ones[e] = 1;
        for (int z = 0; z < levels; z++)
            kata_put(one, kata_box_3d(w.grid, 0, E, 0, 1, z, z + 1), ones, E);
        kata_apply(kata_kernel_find(w.module, "count"), kata_all(w.grid), one, counted);
        kata_get(counted, kata_box_3d(w.grid, 0, V, 0, 1, levels - 1, levels), n, V);
        for (int v = 0; v < V; v++) {
            int expected = 0;
            for (int k = 0; k < 6; k++) expected += w.vertex_edges[v][k] < 0 ? 0 : 1 + 10 * k;
            assert_int_equal(n[v], expected);
        }
        assert_int_equal(kata_close(w.k), KATA_OK);
    }
}

/* Through files, through copies, and by the strides of a mapping. */
static void values_are_found_again(void **unused)
{
    static double given[2 * 9 * E], found[2 * 9 * E], *mapped;
    kata_mapping map;
    (void)unused;
    for (int levels = 1; levels <= 9; levels += 4) {
        const int count = 2 * levels * E;
        world w = begin(&(kata_options){.threads = 1}, levels);
        kata_field *f = kata_field_new(w.grid, "f", KATA_F64, .on = KATA_EDGES, .components = 2);
        kata_field *g = kata_field_like(f, "g"), *h = kata_field_like(f, "h");
        for (int i = 0; i < count; i++) given[i] = i;
        kata_put(f, kata_on(f), given, count);
        kata_save(f, "mesh.npy");
        kata_load(g, "mesh.npy");
        kata_copy(h, kata_on(h), g, kata_on(g));
        kata_get(h, kata_on(h), found, count);
        assert_memory_equal(found, given, sizeof *given * (size_t)count);
        kata_map(h, &mapped, &map);
        assert_int_equal(map.size[0], E);
        assert_int_equal(map.size[2], levels);
        assert_true(mapped[7 * map.stride[0] + (levels - 1) * map.stride[2]] ==
                    given[(levels - 1) * E + 7]);
        kata_unmap(h);
        assert_int_equal(kata_close(w.k), KATA_OK);
    }
}

/* ---- what is derived ------------------------------------------------------------------------- */

/* A square of two triangles beside a square:  3 --- 4 --- 5
 *                                             | \ 1 |  2  |
 *                                             | 0 \ |     |
 *                                             0 --- 1 --- 2   */
static const int32_t mixed[3][4] = {{0, 1, 3, -1}, {1, 4, 3, -1}, {1, 2, 5, 4}};

static void assert_row(const kata_grid *g, kata_location of, kata_location to, int element,
                       int width, const int32_t *expected)
{
    kata_neighbours n = kata_grid_neighbours(g, of, to);
    assert_int_equal(n.width, width);
    assert_memory_equal(n.table + element * width, expected, sizeof *expected * (size_t)width);
}

static void tables_are_derived_of_cells(void **unused)
{
    (void)unused;
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_mesh(k, 3, .vertices = 6, .cell_vertices = {mixed[0], 4});
    assert_non_null(g);
    assert_int_equal(kata_grid_count(g, KATA_EDGES), 8);
    assert_int_equal(kata_grid_count(g, KATA_VERTICES) - kata_grid_count(g, KATA_EDGES) + 3, 1);
    assert_row(g, KATA_CELLS, KATA_EDGES, 0, 4, (int32_t[]){0, 1, 2, -1});
    assert_row(g, KATA_CELLS, KATA_EDGES, 1, 4, (int32_t[]){3, 4, 1, -1});
    assert_row(g, KATA_CELLS, KATA_EDGES, 2, 4, (int32_t[]){5, 6, 7, 3});
    assert_row(g, KATA_CELLS, KATA_CELLS, 1, 4, (int32_t[]){2, -1, 0, -1});
    assert_row(g, KATA_EDGES, KATA_VERTICES, 1, 2, (int32_t[]){1, 3});
    assert_row(g, KATA_EDGES, KATA_CELLS, 1, 2, (int32_t[]){0, 1});
    assert_row(g, KATA_EDGES, KATA_CELLS, 3, 2, (int32_t[]){1, 2});
    assert_row(g, KATA_EDGES, KATA_CELLS, 5, 2, (int32_t[]){2, -1});
    assert_row(g, KATA_EDGES, KATA_EDGES, 1, 6, (int32_t[]){0, 2, 3, 4, -1, -1});
    assert_row(g, KATA_VERTICES, KATA_EDGES, 1, 4, (int32_t[]){0, 1, 3, 5});
    assert_row(g, KATA_VERTICES, KATA_VERTICES, 1, 4, (int32_t[]){0, 3, 4, 2});
    assert_row(g, KATA_VERTICES, KATA_CELLS, 1, 3, (int32_t[]){0, 1, 2});
    assert_int_equal(kata_close(k), KATA_OK);
}

/* Edges that are given keep their numbers, and cells find their vertices. */
static void cells_are_derived_of_edges(void **unused)
{
    static const int32_t edges[8][2] = {{4, 5}, {3, 4}, {0, 3}, {5, 2},
                                        {2, 1}, {1, 0}, {3, 1}, {1, 4}};
    static const int32_t cells[3][4] = {{5, 6, 2, -1}, {7, 1, 6, -1}, {4, 3, 0, 7}};
    (void)unused;
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_mesh(k, 3, .edges = 8, .vertices = 6, .edge_vertices = {edges[0], 2},
                                  .cell_vertices = {mixed[0], 4});
    assert_row(g, KATA_CELLS, KATA_EDGES, 0, 4, cells[0]);
    assert_row(g, KATA_CELLS, KATA_EDGES, 2, 4, cells[2]);
    assert_row(g, KATA_EDGES, KATA_CELLS, 6, 2, (int32_t[]){1, 0}); /* 1 lies to its left */
    g = kata_grid_mesh(k, 3, .edges = 8, .vertices = 6, .edge_vertices = {edges[0], 2},
                       .cell_edges = {cells[0], 4});
    for (int c = 0; c < 3; c++) assert_row(g, KATA_CELLS, KATA_VERTICES, c, 4, mixed[c]);
    assert_int_equal(kata_close(k), KATA_OK);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static char message[4096];

static void receive(void *data, kata_status status, const char *text)
{
    (void)data, (void)status;
    snprintf(message, sizeof message, "%s", text);
}

static void assert_refused(int row, int slot, int32_t value, const char *expected)
{
    int32_t table[3][4];
    memcpy(table, mixed, sizeof table);
    table[row][slot] = value;
    kata *k = kata_open(&(kata_options){.handler = receive});
    assert_null(kata_grid_mesh(k, 3, .vertices = 6, .cell_vertices = {table[0], 4}));
    assert_string_equal(message, expected);
    kata_close(k);
}

static void entries_are_checked(void **unused)
{
    (void)unused;
    assert_refused(
        1, 1, 6,
        "error: kata_grid_mesh: cell_vertices, cell 1, slot 1: there is no vertex 6: the "
        "mesh has 6, from 0 on");
    assert_refused(2, 3, -2,
                   "error: kata_grid_mesh: cell_vertices, cell 2, slot 3: -2 is no vertex: they "
                   "count from 0, and -1 is none");
    assert_refused(0, 2, 1,
                   "error: kata_grid_mesh: cell_vertices, cell 0, slot 2: vertex 1 is there "
                   "already, in slot 1");
    assert_refused(2, 1, -1,
                   "error: kata_grid_mesh: cell_vertices, cell 2, slot 1: there is none, but in a "
                   "slot behind it: -1 stands at the end");
    assert_refused(0, 2, -1,
                   "error: kata_grid_mesh: cell_vertices, cell 0, slot 2: a cell has three "
                   "vertices or more");
}

static void cells_go_around_alike(void **unused)
{
    static const int32_t turned[3][4] = {{0, 1, 3, -1}, {1, 3, 4, -1}, {1, 2, 5, 4}};
    (void)unused;
    kata *k = kata_open(&(kata_options){.handler = receive});
    assert_null(kata_grid_mesh(k, 3, .vertices = 6, .cell_vertices = {turned[0], 4}));
    assert_string_equal(message,
                        "error: kata_grid_mesh: cell_vertices, cell 1, slot 0: its vertices run "
                        "along edge 1 the same way as those of cell 0: one of the two goes around "
                        "clockwise, the other does not");
    kata_close(k);
}

static void tables_say_the_same(void **unused)
{
    static int32_t vertex_edges[V][6], edge_vertices[E][2];
    (void)unused;
    make_tables(vertex_edges, edge_vertices);
    vertex_edges[20][2] = 3;
    kata *k = kata_open(&(kata_options){.handler = receive});
    assert_null(kata_grid_mesh(k, 0, .edges = E, .vertices = V,
                               .vertex_edges = {vertex_edges[0], 6},
                               .edge_vertices = {edge_vertices[0], 2}));
    assert_string_equal(message, "error: kata_grid_mesh: edge_vertices, edge 107, slot 1: edge 107 "
                                 "is not in the row of vertex 20 in vertex_edges");
    kata_close(k);
    k = kata_open(&(kata_options){.handler = receive});
    edge_vertices[9][1] = -1;
    assert_null(
        kata_grid_mesh(k, 0, .edges = E, .vertices = V, .edge_vertices = {edge_vertices[0], 2}));
    assert_string_equal(message,
                        "error: kata_grid_mesh: edge_vertices, edge 9, slot 1: an edge has "
                        "two vertices");
    kata_close(k);
}

static void three_cells_share_no_edge(void **unused)
{
    static const int32_t fan[3][3] = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}};
    (void)unused;
    kata *k = kata_open(&(kata_options){.handler = receive});
    assert_null(kata_grid_mesh(k, 3, .vertices = 5, .cell_vertices = {fan[0], 3}));
    assert_string_equal(message, "error: kata_grid_mesh: edge_cells, edge 0, slot 0: it would have "
                                 "3 neighbours; 2 are most");
    kata_close(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nabla_has_the_values_of_gridtools),
        cmocka_unit_test(empty_slots_are_passed_over),
        cmocka_unit_test(values_are_found_again),
        cmocka_unit_test(tables_are_derived_of_cells),
        cmocka_unit_test(cells_are_derived_of_edges),
        cmocka_unit_test(entries_are_checked),
        cmocka_unit_test(cells_go_around_alike),
        cmocka_unit_test(tables_say_the_same),
        cmocka_unit_test(three_cells_share_no_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
