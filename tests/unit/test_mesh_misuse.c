/* Fields, ranges and kernels on meshes: each misuse has its own message. */
/* Labels: hostile */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char kernels[] =
    "kernel pass(in double f on vertex, inout double g on vertex) on vertex\n"
    "{\n"
    "    for (v : vertices) g += f[v];\n"
    "}\n"
    "kernel above(in double f on vertex, inout double g on vertex) on vertex\n"
    "{\n"
    "    for (v : vertices) g += f[v][0,0,1];\n"
    "}\n"
    "kernel color(in double f on vertex, out double g on vertex) on vertex\n"
    "{\n"
    "    g = f + ic;\n"
    "}\n"
    "kernel in_order(in double f on vertex, out double g on vertex) on vertex forward(z)\n"
    "{\n"
    "    g = f;\n"
    "    interval [1, nz) { for (v : vertices) g += g[v][0,0,-1]; }\n"
    "}\n"
    "kernel to_cells(in double f on vertex, out double g on vertex) on vertex\n"
    "{\n"
    "    g = 0;\n"
    "    for (c : cells) for (e : edges[c]) g += f;\n"
    "}\n"
    "kernel points(in double f, out double g)\n"
    "{\n"
    "    g = f;\n"
    "}\n";

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g, *other, *torus;
    kata_field *f, *h, *far, *near;
    char message[4096];
} world;

static void receive(void *data, kata_status status, const char *message)
{
    world *w = data;
    assert_int_not_equal(status, KATA_OK);
    snprintf(w->message, sizeof w->message, "%s", message);
}

/* A ring of 6 vertices and edges. */
static kata_grid *ring_of(kata *k, int nz)
{
    static const int32_t ends[6][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}};
    return kata_grid_mesh(k, 0, .edges = 6, .vertices = 6, .nz = nz, .edge_vertices = {ends[0], 2});
}

static kata_grid *ring(kata *k) { return ring_of(k, 4); }

static kata_field *vertices(kata_grid *g, const char *name)
{
    return kata_field_new(g, name, KATA_F64, .on = KATA_VERTICES);
}

static void open_world(world *w)
{
    *w = (world){0};
    w->k = kata_open(&(kata_options){.handler = receive, .handler_data = w, .no_warnings = true});
    w->g = ring(w->k);
    w->other = ring(w->k);
    w->torus = kata_grid_icosahedral(w->k, 3, 3, 4);
    w->m = kata_module_from_text(w->k, "k.kata", kernels);
    w->f = vertices(w->g, "f");
    w->h = vertices(w->g, "h");
    w->far = vertices(w->other, "far");
    w->near = vertices(w->torus, "near");
    assert_true(kata_ok(w->k));
}

static void apply(world *w, const char *name, kata_range range, kata_field *a, kata_field *b)
{
    kata_apply_args(kata_here(kata_kernel_find(w->m, name), "main.c", 17), &range, 2,
                    (kata_arg[]){kata_arg_field(a, 0), kata_arg_field(b, 0)});
}

static void in_place(world *w) { apply(w, "pass", kata_all(w->g), w->f, w->f); }
static void beyond_the_top(world *w) { apply(w, "above", kata_all(w->g), w->f, w->h); }
static void a_colour(world *w) { apply(w, "color", kata_all(w->g), w->f, w->h); }
static void written_at_neighbours(world *w) { apply(w, "in_order", kata_all(w->g), w->f, w->h); }
static void unknown_cells(world *w) { apply(w, "to_cells", kata_all(w->g), w->f, w->h); }
static void another_mesh(world *w) { apply(w, "pass", kata_all(w->g), w->far, w->h); }
static void a_grid(world *w) { apply(w, "pass", kata_all(w->torus), w->f, w->near); }
static void at_points(world *w) { apply(w, "points", kata_all(w->g), w->f, w->h); }
static void colours(world *w) { apply(w, "pass", kata_color(kata_all(w->g), 2, 0), w->f, w->h); }
static void needed(world *w) { apply(w, "pass", kata_needed(w->g), w->f, w->h); }
static void too_many(world *w)
{
    double values[30];
    kata_get(w->f, kata_box_3d(w->g, 2, 7, 0, 1, 0, 4), values, 20);
}
static void on_nothing(world *w) { kata_field_new(w->g, "c", KATA_F64); }
static void of_faces(world *w)
{
    kata_field_new(w->g, "c", KATA_F64, .on = KATA_EDGES, .staggered = KATA_X);
}
static void cells(world *w) { kata_field_new(w->g, "c", KATA_F64, .on = KATA_CELLS); }
static void pairs(world *w)
{
    kata_field_new(w->g, "c", KATA_F64, .on = KATA_EDGES, .each = KATA_EDGES);
}
static void a_side(world *w) { kata_boundary_set(w->f, KATA_X_LOW, KATA_CLAMP, 0); }
static void no_geometry(world *w)
{
    double values[6];
    kata_grid_geometry(w->g, KATA_EDGES, KATA_LENGTH, values, 6);
}
static void no_tables(world *w) { kata_grid_mesh(w->k, 20, .vertices = 12); }
static void wide_edges(world *w)
{
    static const int32_t ends[3] = {0, 1, 2};
    kata_grid_mesh(w->k, 0, .edges = 1, .vertices = 3, .edge_vertices = {ends, 3});
}
static void no_count(world *w)
{
    static const int32_t corners[3] = {0, 1, 2};
    kata_grid_mesh(w->k, 1, .cell_vertices = {corners, 3});
}

static const struct {
    void (*make)(world *w);
    const char *message;
} misuses[] = {
#include "mesh_misuse_texts.h"
};

static void each_misuse_has_its_message(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof misuses / sizeof *misuses; i++) {
        world w;
        open_world(&w);
        misuses[i].make(&w);
        assert_string_equal(w.message, misuses[i].message);
        kata_close(w.k);
    }
}

/* Wherever levels lie in memory, messages call them z. */
static void messages_call_levels_z(void **unused)
{
    static const char above[] =
        "kernel above(in double f on vertex, out double g on vertex) on vertex { g = f[0,0,1]; }";
    (void)unused;
    for (int nz = 2; nz <= 9; nz += 7) {
        world w;
        char expected[512];
        w.k = kata_open(&(kata_options){.handler = receive, .handler_data = &w});
        w.g = ring_of(w.k, nz);
        w.f = kata_field_new(w.g, "f", KATA_F64, .on = KATA_VERTICES);
        w.h = kata_field_new(w.g, "h", KATA_F64, .on = KATA_VERTICES);
        w.m = kata_module_from_text(w.k, "k.kata", above);
        apply(&w, "above", kata_all(w.g), w.f, w.h);
        snprintf(expected, sizeof expected,
                 "  kernel 'above' applied at main.c:17 to [0, 6) x [0, 1) x [0, %d) of a 6 x 1 x "
                 "%d grid\n"
                 "  point [0, 0, %d] reads [0, 0, %d] of field 'f'\n"
                 "  'f' has no boundary rule at KATA_Z_HIGH\n"
                 "  give 'f' a rule for all sides, as .boundary = KATA_CLAMP, or apply the kernel "
                 "to kata_box_3d(g, 0, 6, 0, 1, 0, %d)",
                 nz, nz, nz - 1, nz, nz - 1);
        assert_non_null(strstr(w.message, "'f' is read at [0,0,1], outside the grid"));
        assert_string_equal(strstr(w.message, "  kernel 'above'"), expected);
        kata_error_clear(w.k);
        apply(&w, "above", kata_box_3d(w.g, 0, 7, 0, 1, 0, 1), w.f, w.h);
        assert_non_null(strstr(w.message, "along x the range is [0, 7), and field 'h' has [0, 6)"));
        kata_error_clear(w.k);
        kata_fill(w.h, kata_box_3d(w.g, 0, 6, 0, 1, 0, nz + 1), 0);
        snprintf(expected, sizeof expected,
                 "along z the range is [0, %d), and field 'h' has [0, %d)", nz + 1, nz);
        assert_non_null(strstr(w.message, expected));
        kata_close(w.k);
    }
}

static void read_text(const char *path, char *out, size_t room)
{
    FILE *from = fopen(path, "r");
    assert_non_null(from);
    out[fread(out, 1, room - 1, from)] = '\0';
    fclose(from);
    remove(path);
}

/* What is traced and recorded of a mesh: points and ranges are the program's. */
static void run_watched(int nz, const char *variable, const char *path, char *out, size_t room)
{
    setenv(variable, strcmp(variable, "KATA_TRACE") ? path : "h@3,0,1", 1);
    kata *k = kata_open(NULL);
    kata_grid *g = ring_of(k, nz);
    kata_fill(vertices(g, "h"), kata_box_3d(g, 3, 4, 0, 1, 1, 2), 5);
    assert_int_equal(kata_flush(k), KATA_OK);
    kata_close(k);
    unsetenv(variable);
    read_text(path, out, room);
}

static void traces_and_records_count_as_programs(void **unused)
{
    char path[] = "/tmp/mesh_watched_XXXXXX", text[4096];
    (void)unused;
    close(mkstemp(path));
    setenv("KATA_TRACE_FILE", path, 1);
    for (int nz = 2; nz <= 9; nz += 7) {
        run_watched(nz, "KATA_TRACE", path, text, sizeof text);
        assert_non_null(strstr(text, "h at [3, 0, 1]: 0 -> 5"));
    }
    unsetenv("KATA_TRACE_FILE");
    run_watched(9, "KATA_RECORD", path, text, sizeof text);
    assert_non_null(strstr(text, "range [3, 4) x [0, 1) x [1, 2)"));
    assert_non_null(strstr(text, " 6 1 9 "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_misuse_has_its_message),
        cmocka_unit_test(messages_call_levels_z),
        cmocka_unit_test(traces_and_records_count_as_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
