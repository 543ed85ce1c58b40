/* Kernels on a mesh: the operators of an icosahedral torus have the same bits on the same torus
 * given as a mesh, and read from a file, for few levels and many, with each executor and number of
 * threads; with the name of a device as argument, on it. */
/* Labels: hostile threads */
#include "device_kinds.h"
#include "mesh_torus.h"

static const char kernels[] =
    "static double mean(in double f on cell) on cell\n"
    "{\n"
    "    double s = 0;\n"
    "    for (n : cells) s += f[n];\n"
    "    return s/3;\n"
    "}\n"
    "kernel on_cells(in double c on cell, in double e on edge, in double v on vertex,\n"
    "                in double w on cell : edges, in double p along z, out double r on cell) on "
    "cell\n"
    "{\n"
    "    double s = 0;\n"
    "    for (int k, n : edges) s += orientation(n)*e[n]*w[n] + k;\n"
    "    for (n : cells) s = s/3 + c[n];\n"
    "    for (int k, n : vertices) s -= (k + 1)*v[n];\n"
    "    for (n : edges)\n"
    "        for (int k, m : cells[n]) s += (2*k - 1)*e[n]*c[m];\n"
    "    for (n : cells) s += iz + 1 < nz ? 0.25*c[n][0,0,1] : 0.5*c[n];\n"
    "    r = s + p*mean(c) + 0.001*iz;\n"
    "}\n"
    "kernel on_edges(in double c on cell, in double e on edge, in double v on vertex,\n"
    "                in double w on edge : cells, in double p along z, out double r on edge) on "
    "edge\n"
    "{\n"
    "    double s = 0;\n"
    "    for (n : cells) s -= orientation(n)*c[n]*w[n];\n"
    "    for (int k, n : vertices) s += orientation(n)*v[n]*(k + 3);\n"
    "    for (n : edges) s = 0.5*s + e[n];\n"
    "    for (n : vertices)\n"
    "        for (m : edges[n]) s += 0.125*orientation(m)*e[m];\n"
    "    r = s*p;\n"
    "}\n"
    "kernel on_vertices(in double c on cell, in double e on edge, in double v on vertex,\n"
    "                   in double w on vertex : edges, in double p along z, out double r on "
    "vertex)\n"
    "    on vertex\n"
    "{\n"
    "    double s = p;\n"
    "    for (n : edges) s += orientation(n)*e[n]*w[n];\n"
    "    for (n : cells) s = s*0.75 + c[n];\n"
    "    for (n : vertices) {\n"
    "        if (v[n] < 0) s += 0.5;\n"
    "        s += v[n]*v[n];\n"
    "    }\n"
    "    r = s;\n"
    "}\n"
    "kernel settle(in double c on cell, in double e on edge, out double r on cell) on cell "
    "backward(z)\n"
    "{\n"
    "    double s = 0;\n"
    "    for (n : edges) s += e[n];\n"
    "    interval [nz-1, nz) { r = s; }\n"
    "    interval [0, nz-1) { r = 0.5*r[0,0,1] + s*c; }\n"
    "}\n"
    "kernel largest(in double v on vertex, in double e on edge, max double most, min double "
    "least)\n"
    "    on vertex\n"
    "{\n"
    "    for (n : edges) most = max(most, e[n]*v);\n"
    "    least = min(least, v);\n"
    "}\n";

enum {
    N = 5,
    MOST_Z = 9,
    ROOM = 3 * N * N * MOST_Z * 8,
    KERNELS = 4,
    RESULTS = KERNELS * ROOM + 2
};

static const char *const names[KERNELS] = {"on_cells", "on_edges", "on_vertices", "settle"};
static const kata_location computed[KERNELS] = {KATA_CELLS, KATA_EDGES, KATA_VERTICES, KATA_CELLS};
static const kata_location each[KERNELS] = {KATA_EDGES, KATA_CELLS, KATA_EDGES, 0};

typedef struct world {
    kata *k;
    kata_grid *grid;
    bool mesh;
    int nz;
} world;

/* A field, the same on both grids. */
static kata_field *field(const world *w, const char *name, kata_location on, kata_location of,
                         int seed)
{
    static double mesh[ROOM], grid[ROOM];
    int values = of ? ir_relation_of(on, of)->count : 1,
        count = ir_colors(on) * N * N * w->nz * values;
    kata_field *f =
        kata_field_new(w->grid, name, KATA_F64, .on = on, .each = of, .boundary = KATA_PERIODIC);
    for (int i = 0; i < count; i++)
        mesh[i] = (double)((i * 7919 + seed * 104729) % 2003) / 1001 - 1;
    torus_reorder(N, w->nz, on, values, mesh, grid);
    kata_put(f, kata_on(f), w->mesh ? mesh : grid, count);
    return f;
}

static void get(const world *w, kata_field *f, kata_location on, double *out)
{
    static double mesh[ROOM];
    int count = ir_colors(on) * N * N * w->nz;
    assert_int_equal(kata_get(f, kata_on(f), w->mesh ? mesh : out, count), KATA_OK);
    if (w->mesh) torus_reorder(N, w->nz, on, 1, mesh, out);
}

static bool brief;       /* as on several ranks */
static const char *kind; /* of device; NULL: the processor */

/* Tests that run at once have files of their own. */
static const char *file_name(void)
{
    static char name[40];
    snprintf(name, sizeof name, "torus-of-%s.nc", brief ? "ranks" : kind ? kind : "processor");
    return name;
}

/* The mesh, written to a file and read from it. */
static kata_grid *mesh_of_file(kata *k, int nz)
{
    kata_grid *g = torus_mesh(k, N, nz);
    kata_field *at = kata_field_new(g, "at", KATA_F64, .on = KATA_VERTICES, .components = 2,
                                    .along = KATA_X | KATA_Y);
    kata_field *f = kata_field_new(g, "f", KATA_U8, .on = KATA_CELLS);
    kata_fill(at, kata_on(at), 0.0);
    kata_fill(f, kata_on(f), 1);
    assert_int_equal(kata_save(f, file_name(), .positions = at), KATA_OK);
    kata_grid *again = kata_grid_mesh_load(k, file_name(), nz);
    assert_non_null(again);
    return again;
}

typedef enum origin { GRID, MESH, MESH_OF_FILE } origin;

/* All results, in the order of the icosahedral grid. */
static void run(origin of, int nz, const kata_options *options, double *results)
{
    static double profile[MOST_Z];
    world w = {.k = kata_open(options), .mesh = of != GRID, .nz = nz};
    w.grid = of == MESH   ? torus_mesh(w.k, N, nz)
             : of == GRID ? kata_grid_icosahedral(w.k, N, N, nz)
                          : mesh_of_file(w.k, nz);
    kata_module *m = kata_module_from_text(w.k, "k.kata", kernels);
    kata_field *c = field(&w, "c", KATA_CELLS, 0, 1), *e = field(&w, "e", KATA_EDGES, 0, 2);
    kata_field *v = field(&w, "v", KATA_VERTICES, 0, 3), *r[KERNELS];
    kata_field *p = kata_field_new(w.grid, "p", KATA_F64, .along = KATA_Z);
    kata_scalar *most = kata_scalar_new(w.k, "most", KATA_F64);
    kata_scalar *least = kata_scalar_new(w.k, "least", KATA_F64);
    for (int z = 0; z < nz; z++) profile[z] = 1.5 + z;
    kata_put(p, kata_on(p), profile, nz);
    memset(results, 0, sizeof(double) * RESULTS);
    for (int i = 0; i < KERNELS; i++) {
        char name[3] = {'r', (char)('0' + i)};
        r[i] = kata_field_new(w.grid, name, KATA_F64, .on = computed[i], .boundary = KATA_PERIODIC);
        kata_field *weights = each[i] ? field(&w, "w", computed[i], each[i], 4 + i) : NULL;
        if (weights)
            kata_apply(kata_kernel_find(m, names[i]), kata_all(w.grid), c, e, v, weights, p, r[i]);
        else
            kata_apply(kata_kernel_find(m, names[i]), kata_all(w.grid), r[0], r[1], r[i]);
    }
    kata_apply(kata_kernel_find(m, "largest"), kata_all(w.grid), v, e, most, least);
    for (int i = 0; i < KERNELS; i++) get(&w, r[i], computed[i], results + i * ROOM);
    kata_scalar_get(most, &results[KERNELS * ROOM]);
    kata_scalar_get(least, &results[KERNELS * ROOM + 1]);
    if (of == MESH_OF_FILE && kata_rank(w.k) == 0) remove(file_name()); /* all have read it */
    assert_int_equal(kata_close(w.k), KATA_OK);
}

static const kata_options on_processor[] = {{.threads = 3},
                                            {.executor = "reference"},
                                            {.executor = "plan"},
                                            {.threads = 1},
                                            {.threads = 2, .plan = "tiled cache=2000"},
                                            {.threads = 2, .plan = "skewed z=2"}};
/* With room for all fields, or for some. */
static const kata_options on_device[] = {{.threads = 2}, {.device_memory = 40000}};

static void compare(int nz, int way, const double *got, const double *expected)
{
    for (int j = 0; j < RESULTS; j++)
        if (memcmp(&got[j], &expected[j], sizeof *got))
            fail_msg("%d levels, way %d, result %d of kernel %d: %g, not %g", nz, way, j % ROOM,
                     j / ROOM, got[j], expected[j]);
}

static void a_mesh_has_the_bits_of_the_grid(void **unused)
{
    static double expected[RESULTS], got[RESULTS];
    static const int levels[] = {1, 3, 9};
    const kata_options *ways = kind ? on_device : on_processor;
    const size_t count = brief || kind ? 2 : COUNT_OF(on_processor);
    (void)unused;
    for (size_t z = brief ? 2 : 0; z < COUNT_OF(levels); z++) {
        run(GRID, levels[z], &(kata_options){.executor = "reference"}, expected);
        for (size_t i = 0; i < count; i++) {
            kata_options options = ways[i];
            options.no_warnings = true;
            if (kind) options.device = kind;
            run(i % 2 ? MESH : MESH_OF_FILE, levels[z], &options, got);
            compare(levels[z], (int)i, got, expected);
        }
    }
}

/* What a cell finds below the lowest level, of values 1, 2, ... */
static const struct {
    kata_rule rule;
    double below;
} mirrors[] = {{KATA_REFLECT_FACE, 1},
               {KATA_REFLECT_NODE, 2},
               {KATA_ANTISYMMETRIC_FACE, -1},
               {KATA_ANTISYMMETRIC_NODE, -2}};

/* The field with the values: Katagami's own, or on the memory of the program. */
static kata_field *levels_of(kata_grid *g, kata_rule rule, bool wrapped, double *values, int count)
{
    if (wrapped)
        return kata_field_wrap(g, "c", KATA_F64, values, .stride = {1, 0, 2 * N * N},
                               .on = KATA_CELLS, .boundary = rule);
    kata_field *c = kata_field_new(g, "c", KATA_F64, .on = KATA_CELLS, .boundary = rule);
    kata_put(c, kata_on(c), values, count);
    return c;
}

static void expect_below(int nz, kata_rule rule, bool wrapped, double expected)
{
    static const char below[] =
        "kernel below(in double c on cell, out double r on cell) on cell { r = c[0,0,-1]; }\n";
    static double values[2 * N * N * MOST_Z], got[2 * N * N * MOST_Z];
    const int level = 2 * N * N, count = level * nz;
    kata *k = kata_open(&(kata_options){.executor = "reference"});
    kata_grid *g = torus_mesh(k, N, nz);
    kata_module *m = kata_module_from_text(k, "below.kata", below);
    kata_field *r = kata_field_new(g, "r", KATA_F64, .on = KATA_CELLS);
    for (int e = 0; e < count; e++) values[e] = 1 + e / level;
    kata_apply(kata_kernel_find(m, "below"), kata_all(g),
               levels_of(g, rule, wrapped, values, count), r);
    kata_get(r, kata_on(r), got, count);
    assert_true(got[0] == expected && got[level] == 1);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void sides_of_z_mirror(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof mirrors / sizeof *mirrors; i++)
        for (int way = 0; way < 4; way++)
            expect_below(way & 1 ? 3 : MOST_Z, mirrors[i].rule, way & 2, mirrors[i].below);
}

/* Levels beyond the sides of z, on few levels and many. */
static void a_mesh_has_ghosts_along_z(void **unused)
{
    static double got[2 * N * N * (MOST_Z + 4)];
    const int level = 2 * N * N;
    (void)unused;
    for (int nz = 3; nz <= MOST_Z; nz += MOST_Z - 3) {
        kata *k = kata_open(&(kata_options){.executor = "reference"});
        kata_grid *g = torus_mesh(k, N, nz);
        kata_field *c = kata_field_new(g, "c", KATA_F64, .on = KATA_CELLS, .ghosts = 2);
        kata_fill(c, kata_on(c), 1);
        kata_fill(c, kata_ghost(c, KATA_Z_LOW, 2), 2);
        kata_fill(c, kata_ghost(c, KATA_Z_HIGH, 1), 3);
        kata_get(c, kata_box_3d(g, 0, level, 0, 1, -2, nz + 2), got, level * (nz + 4));
        assert_int_equal(kata_error(k), KATA_OK);
        for (int z = 0; z < nz + 4; z++)
            assert_true(got[z * level + 7] == (z < 2 ? 2 : z < nz + 2 ? 1 : z == nz + 2 ? 3 : 0));
        assert_int_equal(kata_get(c, kata_ghost(c, KATA_X_LOW, 1), got, nz), KATA_ERROR_ARGUMENT);
        kata_close(k);
    }
}

int main(int argc, char **argv)
{
    brief = argc > 1 && !strcmp(argv[1], "brief");
    const struct CMUnitTest all[] = {
        cmocka_unit_test(a_mesh_has_the_bits_of_the_grid),
        cmocka_unit_test(sides_of_z_mirror),
        cmocka_unit_test(a_mesh_has_ghosts_along_z),
    };
    const struct CMUnitTest some[] = {cmocka_unit_test(a_mesh_has_the_bits_of_the_grid)};
    if (argc < 2 || brief) return cmocka_run_group_tests(all, NULL, NULL);
    device_use_shim();
    return DEVICE_RUN_TESTS(argv[1], kind, some);
}
