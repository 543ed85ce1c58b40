/* Kernels applied to points where they may not be: reads without a value, values touched twice. */
#include "misuse.h"

/* ---- reading outside the domain -------------------------------------------------------------- */

static kata_status read_outside(world *w) { return heat(w, kata_all(w->g)); }

static kata_status read_outside_box(world *w) { return heat(w, kata_box_2d(w->g, 1, 8, 1, 5)); }

static kata_status read_outside_one_side(world *w)
{
    for (int side = KATA_X_LOW; side < KATA_Y_HIGH; side++)
        kata_boundary_set(w->u, (kata_side)side, KATA_CLAMP, 0);
    return heat(w, kata_all(w->g));
}

static kata_status half_periodic(world *w)
{
    for (int side = KATA_X_LOW; side <= KATA_Y_HIGH; side++)
        kata_boundary_set(w->u, (kata_side)side, KATA_CLAMP, 0);
    kata_boundary_set(w->u, KATA_X_LOW, KATA_PERIODIC, 0);
    return heat(w, kata_all(w->g));
}

static kata_status node_of_one_point(world *w)
{
    kata_grid *g = kata_grid_2d(w->k, 1, 6);
    w->u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_REFLECT_NODE);
    w->v = kata_field_like(w->u, "v");
    return heat(w, kata_all(g));
}

static void sum_points(kata_field *u, int depth, int count)
{
    static const double weights[16];
    for (int side = KATA_X_LOW; side <= KATA_Y_HIGH; side++)
        kata_boundary_linear(u, (kata_side)side, depth, count, weights);
}

static kata_status linear_of_more_points(world *w)
{
    sum_points(w->u, 1, 7);
    return heat(w, kata_all(w->g));
}

static kata_status linear_too_deep(world *w)
{
    kata_grid *g = kata_grid_1d(w->k, 5);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *v = kata_field_like(u, "v");
    double weights[4] = {-1, 2, -3, 4};
    kata_boundary_linear(u, KATA_X_HIGH, 2, 1, weights);
    return APPLY(w, "line", kata_all(g), field(u), field(v));
}

/* At the side the sum has the point itself, a point of the other color, and one of its own. */
static kata_status linear_on_own_color(world *w)
{
    sum_points(w->u, 1, 3);
    return APPLY(w, "in_place", kata_color(kata_all(w->g), 2, 0), field(w->u));
}

static kata_status thinner_than_reach(world *w)
{
    kata_grid *g = kata_grid_1d(w->k, 2);
    kata_field *u = kata_field_new(g, "u", KATA_F64), *v = kata_field_like(u, "v");
    kata_boundary_set(u, KATA_X_HIGH, KATA_REFLECT_FACE, 0);
    return APPLY(w, "line", kata_box_1d(g, 1, 2), field(u), field(v));
}

/* ---- two points touching one value ----------------------------------------------------------- */

static kata_status read_what_is_written(world *w)
{
    return APPLY(w, "in_place", kata_inner(w->g, 1), field(w->u));
}

static kata_status one_field_twice(world *w)
{
    return APPLY(w, "heat", kata_inner(w->g, 1), field(w->u), field(w->u), number(0.1));
}

static kata_status written_twice(world *w)
{
    return APPLY(w, "two", kata_all(w->g), field(w->u), field(w->u));
}

static kata_status scalar_written_twice(world *w)
{
    kata_scalar *s = kata_scalar_new(w->k, "s", KATA_F64);
    return APPLY(w, "total", kata_all(w->g), field(w->u), kata_arg_scalar(s, 0),
                 kata_arg_scalar(s, 0));
}

static kata_status red_black_on_odd_period(world *w)
{
    kata_grid *g = kata_grid_2d(w->k, 5, 6);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_PERIODIC);
    return APPLY(w, "in_place", kata_color(kata_all(g), 2, 0), field(u));
}

static kata_status no_such_color(world *w) { return heat(w, kata_color(kata_all(w->g), 2, 2)); }

static kata_status no_colors(world *w) { return heat(w, kata_color(kata_all(w->g), 0, 0)); }

static kata_status colored_twice(world *w)
{
    return heat(w, kata_color(kata_color(kata_all(w->g), 2, 0), 3, 0));
}

static kata_status copy_of_a_color(world *w)
{
    double values[48];
    return kata_get(w->u, kata_color(kata_all(w->g), 2, 0), values, 48);
}

/* ---- discarded values ------------------------------------------------------------------------ */

static kata_status read_discarded(world *w)
{
    kata_discard(w->u);
    return heat(w, kata_inner(w->g, 1));
}

static kata_status get_discarded(world *w)
{
    double values[48];
    kata_discard(w->u);
    return kata_get(w->u, kata_all(w->g), values, 48);
}

static kata_status save_discarded(world *w)
{
    kata_discard(w->u);
    return kata_save(w->u, "u.png");
}

static kata_status read_partly_written(world *w)
{
    kata_discard(w->v);
    heat(w, kata_inner(w->g, 1));
    return APPLY(w, "heat", kata_inner(w->g, 1), field(w->v), field(w->u), number(0.1));
}

/* ---- checks at points --------------------------------------------------------------------------
 */

static kata_status index_outside_table(world *w)
{
    double table[3] = {1, 2, 3};
    APPLY(w, "pick", kata_all(w->g), field(w->u), field(w->v), KATA_ARG(table));
    return kata_flush(w->k);
}

static kata_status failed_assert(world *w)
{
    APPLY(w, "safe", kata_all(w->g), field(w->u), KATA_ARG(2.5));
    return kata_flush(w->k);
}

/* ---- all of them --------------------------------------------------------------------------- */

const misuse misuse_points[] = {
    CASE(read_outside, APPLICATION),
    CASE(read_outside_box, APPLICATION),
    CASE(read_outside_one_side, APPLICATION),
    CASE(half_periodic, APPLICATION),
    CASE(node_of_one_point, APPLICATION),
    CASE(linear_of_more_points, APPLICATION),
    CASE(linear_too_deep, APPLICATION),
    CASE(linear_on_own_color, APPLICATION),
    CASE(thinner_than_reach, APPLICATION),
    CASE(read_what_is_written, APPLICATION),
    CASE(one_field_twice, APPLICATION),
    CASE(written_twice, APPLICATION),
    CASE(scalar_written_twice, APPLICATION),
    CASE(red_black_on_odd_period, APPLICATION),
    CASE(no_such_color, ARGUMENT),
    CASE(no_colors, ARGUMENT),
    CASE(colored_twice, ARGUMENT),
    CASE(copy_of_a_color, ARGUMENT),
    CASE(read_discarded, APPLICATION),
    CASE(get_discarded, ARGUMENT),
    CASE(save_discarded, ARGUMENT),
    CASE(read_partly_written, APPLICATION),
    CASE(index_outside_table, ASSERT),
    CASE(failed_assert, ASSERT),
    {0},
};
