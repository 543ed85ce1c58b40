/* Each misuse of where fields have values gives its own message, exactly the text of
 * tests/misuse/NAME.txt, once, and its status. */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "misuse_texts.h"

static const char kernels[] = "kernel slope(in double u, out double v)\n"
                              "{\n"
                              "    v = u - u[-1,0];\n"
                              "}\n"
                              "kernel far(in double u, out double v)\n"
                              "{\n"
                              "    v = u[-3,0];\n"
                              "}\n"
                              "kernel set(out double u)\n"
                              "{\n"
                              "    u = ix;\n"
                              "}\n"
                              "kernel down(in double u, out double p along y)\n"
                              "{\n"
                              "    if (ix == 0) p = u;\n"
                              "}\n"
                              "kernel scale(in double p along y, inout double u)\n"
                              "{\n"
                              "    u = p*u;\n"
                              "}\n"
                              "kernel some(in double u, out double v)\n"
                              "{\n"
                              "    if (u > 0) v = u;\n"
                              "}\n"
                              "kernel safe(in double u, out double v)\n"
                              "{\n"
                              "    assert(u > 0);\n"
                              "    v = u;\n"
                              "}\n"
                              "kernel total(sum double s)\n"
                              "{\n"
                              "    s += ix;\n"
                              "}\n";

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g;
    kata_field *cell, *face, *deep, *tall; /* deep has two ghosts, tall extends along y */
    kata_field *brief;                     /* temporary */
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
    w->g = kata_grid_2d(w->k, 8, 6);
    w->m = kata_module_from_text(w->k, "k.kata", kernels);
    w->cell = kata_field_new(w->g, "c", KATA_F64);
    w->face = kata_field_new(w->g, "f", KATA_F64, .staggered = KATA_X);
    w->tall = kata_field_new(w->g, "t", KATA_F64, .along = KATA_Y);
    w->brief = kata_field_new(w->g, "b", KATA_F64, .temporary = true);
    w->deep = kata_field_new(w->g, "d", KATA_F64, .ghosts = 2);
}

/* A kernel as if applied at main.c:17, to up to two fields. */
static kata_status apply(world *w, const char *name, kata_range range, kata_field *a, kata_field *b)
{
    kata_arg args[2] = {kata_arg_field(a, 0), kata_arg_field(b, 0)};
    return kata_apply_args(kata_here(kata_kernel_find(w->m, name), "main.c", 17), &range, b ? 2 : 1,
                           args);
}

/* ---- staggered fields ------------------------------------------------------------------------ */

static kata_status cell_at_last_face(world *w)
{
    kata_boundary_set(w->cell, KATA_X_LOW, KATA_CLAMP, 0);
    return apply(w, "slope", kata_on(w->face), w->cell, w->face);
}

static kata_status last_face_of_periodic(world *w)
{
    kata_boundary_set(w->face, KATA_X_LOW, KATA_PERIODIC, 0);
    kata_boundary_set(w->face, KATA_X_HIGH, KATA_PERIODIC, 0);
    return apply(w, "set", kata_box_2d(w->g, 0, 9, 0, 6), w->face, NULL);
}

static kata_status faces_of_cells(world *w)
{
    return apply(w, "set", kata_on(w->face), w->cell, NULL);
}

static kata_status get_faces_of_cells(world *w)
{
    double x[54];
    return kata_get(w->cell, kata_on(w->face), x, 54);
}

static kata_status swap_staggered(world *w) { return kata_swap(w->cell, w->face); }

static kata_status staggered_beyond_rank(world *w)
{
    return kata_field_new(w->g, "w", KATA_F64, .staggered = KATA_X | KATA_Z) ? KATA_OK
                                                                             : kata_error(w->k);
}

/* ---- fields of lower rank -------------------------------------------------------------------- */

static kata_status several_points_write(world *w)
{
    return apply(w, "down", kata_all(w->g), w->cell, w->tall);
}

static kata_status field_for_along(world *w)
{
    return apply(w, "scale", kata_all(w->g), w->deep, w->cell);
}

static kata_status along_for_field(world *w)
{
    return apply(w, "slope", kata_all(w->g), w->tall, w->cell);
}

static kata_status along_for_other(world *w)
{
    kata_field *x = kata_field_new(w->g, "x", KATA_F64, .along = KATA_X);
    return apply(w, "scale", kata_all(w->g), x, w->cell);
}

static kata_status put_all_along(world *w)
{
    double x[48] = {0};
    return kata_put(w->tall, kata_all(w->g), x, 48);
}

static kata_status swap_along(world *w) { return kata_swap(w->cell, w->tall); }

static kata_status side_of_along(world *w)
{
    return kata_boundary_set(w->tall, KATA_X_LOW, KATA_CLAMP, 0);
}

static kata_status staggered_not_along(world *w)
{
    kata_field *f = kata_field_new(w->g, "w", KATA_F64, .along = KATA_Y, .staggered = KATA_X);
    return f ? KATA_OK : kata_error(w->k);
}

static kata_status along_no_dimension(world *w)
{
    return kata_field_new(w->g, "w", KATA_F64, .along = 9) ? KATA_OK : kata_error(w->k);
}

/* ---- ghosts ---------------------------------------------------------------------------------- */

static kata_status ghosts_too_deep(world *w)
{
    return apply(w, "set", kata_ghost(w->deep, KATA_Y_HIGH, 3), w->deep, NULL);
}

static kata_status ghosts_under_rule(world *w)
{
    kata_boundary_set(w->deep, KATA_X_LOW, KATA_CLAMP, 0);
    return apply(w, "set", kata_ghost(w->deep, KATA_X_LOW, 1), w->deep, NULL);
}

static kata_status read_beyond_ghosts(world *w)
{
    return apply(w, "far", kata_all(w->g), w->deep, w->cell);
}

static kata_status swap_ghosts(world *w) { return kata_swap(w->cell, w->deep); }

static kata_status too_many_ghosts(world *w)
{
    return kata_field_new(w->g, "w", KATA_F64, .ghosts = 1025) ? KATA_OK : kata_error(w->k);
}

static kata_status reduce_beyond_grid(world *w)
{
    kata_arg args[1] = {kata_arg_scalar(kata_scalar_new(w->k, "s", KATA_F64), 0)};
    kata_range range = kata_box_2d(w->g, -1, 8, 0, 6);
    return kata_apply_args(kata_here(kata_kernel_find(w->m, "total"), "main.c", 17), &range, 1,
                           args);
}

static kata_status range_far_outside(world *w)
{
    return apply(w, "set", kata_box_2d(w->g, 0, 8, 0, (int64_t)1 << 60), w->cell, NULL);
}

/* The values are counted, to set so many to NaN. */
static kata_status get_far_outside(world *w)
{
    double values[2] = {1, 1};
    kata_field *f = kata_field_new(w->g, "f", KATA_F64, .components = 3);
    kata_range range = kata_box_2d(w->g, 0, INT64_MAX, -1, 6);
    kata_status status = kata_get_values(f, &range, KATA_F64, values, 1);
    assert_true(values[0] != values[0] && values[1] == 1);
    return status;
}

/* ---- temporary fields ------------------------------------------------------------------------ */

static kata_status temporary_not_written(world *w)
{
    apply(w, "set", kata_box_2d(w->g, 0, 8, 1, 6), w->brief, NULL);
    return apply(w, "slope", kata_box_2d(w->g, 1, 8, 0, 6), w->brief, w->cell);
}

static kata_status temporary_of_last_step(world *w)
{
    apply(w, "set", kata_all(w->g), w->brief, NULL);
    kata_step(w->k);
    return apply(w, "slope", kata_box_2d(w->g, 1, 8, 0, 6), w->brief, w->cell);
}

static kata_status temporary_in_parts(world *w)
{
    return apply(w, "some", kata_all(w->g), w->cell, w->brief);
}

static kata_status temporary_in_colors(world *w)
{
    return apply(w, "set", kata_color(kata_all(w->g), 2, 0), w->brief, NULL);
}

static kata_status get_temporary(world *w)
{
    double x[48];
    return kata_get(w->brief, kata_all(w->g), x, 48);
}

static kata_status put_temporary(world *w)
{
    double x[48] = {0};
    return kata_put(w->brief, kata_all(w->g), x, 48);
}

static kata_status save_temporary(world *w) { return kata_save(w->brief, "b.npy"); }

static kata_status load_temporary(world *w) { return kata_load(w->brief, "b.npy"); }

static kata_status swap_temporary(world *w) { return kata_swap(w->cell, w->brief); }

static kata_status needed_of_lasting(world *w)
{
    return apply(w, "slope", kata_needed(w->g), w->brief, w->cell);
}

static kata_status needed_of_assert(world *w)
{
    return apply(w, "safe", kata_needed(w->g), w->cell, w->brief);
}

static kata_status needed_of_reduction(world *w)
{
    kata_arg args[1] = {kata_arg_scalar(kata_scalar_new(w->k, "s", KATA_F64), 0)};
    kata_range range = kata_needed(w->g);
    return kata_apply_args(kata_here(kata_kernel_find(w->m, "total"), "main.c", 17), &range, 1,
                           args);
}

static kata_status get_needed(world *w)
{
    double x[48];
    return kata_get(w->cell, kata_needed(w->g), x, 48);
}

static const struct {
    const char *name;
    kata_status (*commit)(world *);
    kata_status status;
} cases[] = {
#define CASE(name, status)                                                                         \
    {                                                                                              \
#name, name, KATA_ERROR_##status                                                           \
    }
    CASE(cell_at_last_face, APPLICATION),
    CASE(last_face_of_periodic, APPLICATION),
    CASE(faces_of_cells, APPLICATION),
    CASE(get_faces_of_cells, ARGUMENT),
    CASE(swap_staggered, ARGUMENT),
    CASE(staggered_beyond_rank, ARGUMENT),
    CASE(several_points_write, APPLICATION),
    CASE(field_for_along, APPLICATION),
    CASE(along_for_field, APPLICATION),
    CASE(along_for_other, APPLICATION),
    CASE(put_all_along, ARGUMENT),
    CASE(swap_along, ARGUMENT),
    CASE(side_of_along, ARGUMENT),
    CASE(staggered_not_along, ARGUMENT),
    CASE(along_no_dimension, ARGUMENT),
    CASE(ghosts_too_deep, APPLICATION),
    CASE(ghosts_under_rule, APPLICATION),
    CASE(read_beyond_ghosts, APPLICATION),
    CASE(swap_ghosts, ARGUMENT),
    CASE(too_many_ghosts, ARGUMENT),
    CASE(reduce_beyond_grid, APPLICATION),
    CASE(range_far_outside, ARGUMENT),
    CASE(get_far_outside, ARGUMENT),
    CASE(temporary_not_written, APPLICATION),
    CASE(temporary_of_last_step, APPLICATION),
    CASE(temporary_in_parts, APPLICATION),
    CASE(temporary_in_colors, APPLICATION),
    CASE(get_temporary, ARGUMENT),
    CASE(put_temporary, ARGUMENT),
    CASE(save_temporary, ARGUMENT),
    CASE(load_temporary, ARGUMENT),
    CASE(swap_temporary, ARGUMENT),
    CASE(needed_of_lasting, APPLICATION),
    CASE(needed_of_assert, APPLICATION),
    CASE(needed_of_reduction, APPLICATION),
    CASE(get_needed, ARGUMENT),
};

static void test_each_misuse_has_its_message(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world w;
        open_world(&w);
        assert_int_equal(cases[i].commit(&w), cases[i].status);
        assert_int_equal(w.messages, 1);
        expect_text(cases[i].name, w.message);
        assert_int_equal(kata_close(w.k), cases[i].status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_misuse_has_its_message)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
