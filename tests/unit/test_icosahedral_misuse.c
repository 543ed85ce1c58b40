/* Fields, grids and kernels on cells, edges and vertices: each misuse has its own message. */
/* Labels: hostile */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "misuse_texts.h"

static const char kernels[] =
    "kernel div(in double u on edge, out double d on cell) on cell\n"
    "{\n"
    "    double s = 0;\n"
    "    for (e : edges) s += orientation(e)*u[e];\n"
    "    d = s;\n"
    "}\n"
    "kernel weigh(in double w on cell : edges, out double d on cell) on cell\n"
    "{\n"
    "    d = 0;\n"
    "    for (e : edges) d += w[e];\n"
    "}\n"
    "kernel scale(in double p along z, out double q along z)\n"
    "{\n"
    "    q = 2*p;\n"
    "}\n"
    "kernel tracers(in double q[2] on cell, out double d on cell) on cell\n"
    "{\n"
    "    d = q[0] + q[1];\n"
    "}\n";

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g, *box;
    kata_field *edges, *cells, *pairs, *two, *profile, *u; /* u at the points of the box */
    char message[4096];
    int messages;
} world;

static void receive(void *data, kata_status status, const char *message)
{
    world *w = data;
    assert_int_not_equal(status, KATA_OK);
    snprintf(w->message, sizeof w->message, "%s", message);
    w->messages++;
}

static void open_world(world *w)
{
    *w = (world){0};
    w->k = kata_open(&(kata_options){.handler = receive, .handler_data = w, .no_warnings = true});
    w->g = kata_grid_icosahedral(w->k, 8, 6, 4);
    w->box = kata_grid_3d(w->k, 8, 6, 4);
    w->m = kata_module_from_text(w->k, "k.kata", kernels);
    w->edges = kata_field_new(w->g, "e", KATA_F64, .on = KATA_EDGES, .boundary = KATA_PERIODIC);
    w->cells = kata_field_new(w->g, "c", KATA_F64, .on = KATA_CELLS);
    w->pairs = kata_field_new(w->g, "p", KATA_F64, .on = KATA_CELLS, .each = KATA_VERTICES);
    w->two = kata_field_new(w->g, "t", KATA_F64, .on = KATA_CELLS, .components = 3);
    w->profile = kata_field_new(w->g, "z", KATA_F64, .along = KATA_Z);
    w->u = kata_field_new(w->box, "u", KATA_F64);
}

/* As if applied at main.c:17. */
static kata_status apply(world *w, const char *name, kata_range range, kata_field *a, kata_field *b)
{
    return kata_apply_args(kata_here(kata_kernel_find(w->m, name), "main.c", 17), &range, 2,
                           (kata_arg[]){kata_arg_field(a, 0), kata_arg_field(b, 0)});
}

static kata_status made(world *w, const kata_field *f)
{
    assert_null(f);
    return kata_error(w->k);
}

static kata_status cells_for_edges(world *w)
{
    return apply(w, "div", kata_all(w->g), w->cells, w->cells);
}

static kata_status points_for_edges(world *w)
{
    return apply(w, "div", kata_all(w->g), w->u, w->cells);
}

static kata_status edges_for_profile(world *w)
{
    return apply(w, "scale", kata_box_3d(w->g, 0, 1, 0, 1, 0, 4), w->edges, w->profile);
}

static kata_status vertices_for_edges_of_cells(world *w)
{
    return apply(w, "weigh", kata_all(w->g), w->pairs, w->cells);
}

static kata_status components_on_cells(world *w)
{
    return apply(w, "tracers", kata_all(w->g), w->two, w->cells);
}

static kata_status cells_of_a_box(world *w)
{
    return apply(w, "div", kata_all(w->box), w->edges, w->cells);
}

static kata_status neighbour_outside(world *w)
{
    kata_boundary_set(w->edges, KATA_X_LOW, KATA_NONE, 0);
    kata_boundary_set(w->edges, KATA_X_HIGH, KATA_NONE, 0);
    return apply(w, "div", kata_all(w->g), w->edges, w->cells);
}

static kata_status swap_of_locations(world *w) { return kata_swap(w->edges, w->two); }

static kata_status copy_to_other_location(world *w)
{
    return kata_copy_with(w->two, (kata_range[1]){kata_all(w->g)}, w->edges,
                          &(kata_copy_options){.size = sizeof(kata_copy_options),
                                               .file = "main.c",
                                               .line = 17,
                                               .from_range = kata_all(w->g)});
}

static kata_status field_on_nothing(world *w)
{
    return made(w, kata_field_new(w->g, "f", KATA_F64, .boundary = KATA_CLAMP));
}

static kata_status field_on_cells_of_a_box(world *w)
{
    return made(w, kata_field_new(w->box, "f", KATA_F64, .on = KATA_CELLS));
}

static kata_status field_of_each_without_on(world *w)
{
    return made(w, kata_field_new(w->g, "f", KATA_F64, .each = KATA_CELLS, .along = KATA_Z));
}

static kata_status field_on_number_four(world *w)
{
    return made(w, kata_field_new(w->g, "f", KATA_F64, .on = (kata_location)4));
}

static kata_status staggered_on_cells(world *w)
{
    return made(w, kata_field_new(w->g, "f", KATA_F64, .on = KATA_CELLS, .staggered = KATA_X));
}

static kata_status edges_along_z(world *w)
{
    return made(w, kata_field_new(w->g, "f", KATA_F64, .on = KATA_EDGES, .along = KATA_Z));
}

static kata_status mirrored_cells(world *w)
{
    return made(
        w, kata_field_new(w->g, "f", KATA_F64, .on = KATA_CELLS, .boundary = KATA_REFLECT_FACE));
}

static kata_status mirrored_side_of_edges(world *w)
{
    return kata_boundary_set(w->edges, KATA_Y_LOW, KATA_ANTISYMMETRIC_NODE, 1);
}

static kata_status values_on_edges_of_edges(world *w)
{
    return made(w, kata_field_new(w->g, "f", KATA_F64, .on = KATA_EDGES, .each = KATA_EDGES,
                                  .components = 100));
}

static kata_status wrapped_on_nothing(world *w)
{
    static double memory[8 * 6 * 4];
    return made(w, kata_field_wrap(w->g, "f", KATA_F64, memory, .components = 1));
}

static kata_status points_between_cells(world *w)
{
    const double at[3] = {1, 1, 1};
    assert_null(kata_points_new(w->g, "p", at, 1));
    return kata_error(w->k);
}

static kata_status coarser_icosahedral(world *w)
{
    assert_null(kata_grid_coarsen(w->g, 2, 2, 1));
    return kata_error(w->k);
}

#define CASE(name, status)                                                                         \
    {                                                                                              \
#name, name, KATA_ERROR_##status                                                           \
    }

static const struct {
    const char *name;
    kata_status (*run)(world *w);
    kata_status status;
} cases[] = {
    CASE(cells_for_edges, APPLICATION),      CASE(points_for_edges, APPLICATION),
    CASE(edges_for_profile, APPLICATION),    CASE(vertices_for_edges_of_cells, APPLICATION),
    CASE(components_on_cells, APPLICATION),  CASE(cells_of_a_box, APPLICATION),
    CASE(neighbour_outside, APPLICATION),    CASE(swap_of_locations, ARGUMENT),
    CASE(copy_to_other_location, ARGUMENT),  CASE(field_on_nothing, ARGUMENT),
    CASE(field_on_cells_of_a_box, ARGUMENT), CASE(field_of_each_without_on, ARGUMENT),
    CASE(field_on_number_four, ARGUMENT),    CASE(staggered_on_cells, ARGUMENT),
    CASE(edges_along_z, ARGUMENT),           CASE(mirrored_cells, ARGUMENT),
    CASE(mirrored_side_of_edges, ARGUMENT),  CASE(values_on_edges_of_edges, ARGUMENT),
    CASE(wrapped_on_nothing, ARGUMENT),      CASE(coarser_icosahedral, ARGUMENT),
    CASE(points_between_cells, ARGUMENT),
};

static void test_each_misuse_has_its_message(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world w;
        open_world(&w);
        assert_int_equal(cases[i].run(&w), cases[i].status);
        assert_int_equal(w.messages, 1);
        expect_text(cases[i].name, w.message);
        kata_close(w.k);
    }
}

/* What is alike to the eye of a kernel at points is so on cells: copies, fills, swaps, mirrors in
 * z. */
static void test_what_is_right(void **state)
{
    (void)state;
    world w;
    open_world(&w);
    assert_int_equal(kata_kernel_on(kata_kernel_find(w.m, "div")), KATA_CELLS);
    assert_int_equal(kata_kernel_on(kata_kernel_find(w.m, "scale")), KATA_NOWHERE);
    kata_field *other = kata_field_like(w.cells, "o"), *pairs = kata_field_like(w.pairs, "q");
    assert_int_equal(kata_fill(w.cells, kata_all(w.g), 3), KATA_OK);
    assert_int_equal(kata_copy(other, kata_all(w.g), w.cells, kata_all(w.g)), KATA_OK);
    assert_int_equal(kata_swap(other, w.cells), KATA_OK);
    assert_int_equal(kata_swap(pairs, w.pairs), KATA_OK);
    assert_int_equal(kata_boundary_set(w.edges, KATA_Z_LOW, KATA_REFLECT_FACE, 0), KATA_OK);
    assert_int_equal(apply(&w, "div", kata_all(w.g), w.edges, w.cells), KATA_OK);
    assert_int_equal(
        apply(&w, "scale", kata_on(w.profile), w.profile, kata_field_like(w.profile, "y")),
        KATA_OK);
    double values[8 * 6 * 4 * 2];
    assert_int_equal(kata_get(other, kata_all(w.g), values, 8 * 6 * 4 * 2), KATA_OK);
    assert_true(values[0] == 3 && values[8 * 6 * 4 * 2 - 1] == 3);
    assert_int_equal(w.messages, 0);
    assert_int_equal(kata_close(w.k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_misuse_has_its_message),
        cmocka_unit_test(test_what_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
