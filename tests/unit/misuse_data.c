/* Values, names, files and memory. */
#include "misuse.h"

#include <math.h>

static const char bytes[] = "kernel bytes(out uchar n, uchar by) { n = by; }\n";
static const char shorts[] =
    "kernel shorts(out short n, short by, ushort w[2]) { n = by + w[1]; }\n";

/* ---- values, names, files -------------------------------------------------------------------- */

static kata_status wrong_count(world *w)
{
    double values[10];
    return kata_get(w->u, kata_all(w->g), values, 10);
}

static kata_status count_in_bytes(world *w)
{
    double values[48];
    return kata_get(w->u, kata_all(w->g), values, sizeof values);
}

static kata_status get_as_integer(world *w)
{
    int values[48];
    return kata_get(w->u, kata_all(w->g), values, 48);
}

static kata_status bad_name(world *w)
{
    kata_field_new(w->g, "two words", KATA_F64);
    return kata_error(w->k);
}

static kata_status no_points(world *w)
{
    kata_grid_2d(w->k, 8, 0);
    return kata_error(w->k);
}

static kata_status side_beyond_rank(world *w)
{
    return kata_boundary_set(w->u, KATA_Z_LOW, KATA_CLAMP, 0);
}

static kata_status no_such_file(world *w)
{
    kata_module_load(w->k, "nowhere.kata");
    return kata_error(w->k);
}

static kata_status too_large_for_uchar(world *w)
{
    w->m = kata_module_from_text(w->k, "bytes.kata", bytes);
    kata_field *n = kata_field_new(w->g, "n", KATA_U8);
    return APPLY(w, "bytes", kata_all(w->g), field(n), whole(256));
}

static kata_status too_small_for_short(world *w)
{
    static const uint16_t weights[2] = {1, 2};
    w->m = kata_module_from_text(w->k, "shorts.kata", shorts);
    kata_field *n = kata_field_new(w->g, "n", KATA_I16);
    return APPLY(w, "shorts", kata_all(w->g), field(n), whole(-32769),
                 kata_table_of(KATA_U16, weights, 2));
}

static kata_status negative_for_ushort(world *w)
{
    static const int weights[2] = {1, -2};
    w->m = kata_module_from_text(w->k, "shorts.kata", shorts);
    kata_field *n = kata_field_new(w->g, "n", KATA_I16);
    return APPLY(w, "shorts", kata_all(w->g), field(n), whole(1),
                 kata_table_of(KATA_I32, weights, 2));
}

static kata_status ushort_for_short(world *w)
{
    static const uint16_t weights[2] = {1, 2};
    w->m = kata_module_from_text(w->k, "shorts.kata", shorts);
    kata_field *n = kata_field_new(w->g, "n", KATA_U16);
    return APPLY(w, "shorts", kata_all(w->g), field(n), whole(1),
                 kata_table_of(KATA_U16, weights, 2));
}

static kata_status int_for_uchar(world *w)
{
    w->m = kata_module_from_text(w->k, "bytes.kata", bytes);
    kata_field *n = kata_field_new(w->g, "n", KATA_I32);
    return APPLY(w, "bytes", kata_all(w->g), field(n), whole(1));
}

static kata_status scalar_for_uchar(world *w)
{
    w->m = kata_module_from_text(w->k, "bytes.kata", bytes);
    kata_field *n = kata_field_new(w->g, "n", KATA_U8);
    kata_scalar *s = kata_scalar_new(w->k, "s", KATA_I32);
    return APPLY(w, "bytes", kata_all(w->g), field(n), kata_arg_scalar(s, 0));
}

static kata_status byte_scalar(world *w)
{
    kata_scalar_new(w->k, "s", KATA_U8);
    return kata_error(w->k);
}

static kata_status picture_of_integers(world *w)
{
    return kata_save(kata_field_new(w->g, "n", KATA_I32), "n.png");
}

static kata_status byte_for_double(world *w)
{
    w->u = kata_field_new(w->g, "u", KATA_U8);
    return APPLY(w, "heat", kata_inner(w->g, 1), field(w->u), field(w->v), number(0.1));
}

static kata_status get_bytes(world *w)
{
    uint8_t values[48];
    return kata_get(w->u, kata_all(w->g), values, 48);
}

static kata_status unknown_ending(world *w) { return kata_save(w->u, "u.jpg"); }

static kata_status picture_of_3d(world *w)
{
    kata_grid *g = kata_grid_3d(w->k, 2, 2, 2);
    return kata_save(kata_field_new(g, "p", KATA_F64), "p.png");
}

/* ---- memory ---------------------------------------------------------------------------------- */

static kata_field *beyond_all(world *w)
{
    return kata_field_new(kata_grid_2d(w->k, (int64_t)1 << 40, 100), "vast", KATA_F64);
}

static kata_status beyond_memory(world *w)
{
    kata_field *vast = beyond_all(w);
    w->g = kata_grid_2d(w->k, (int64_t)1 << 40, 100);
    kata_range few = kata_box_2d(w->g, 0, 1, 0, 1);
    APPLY(w, "two", few, field(vast), field(kata_field_like(vast, "vaster")));
    return kata_flush(w->k);
}

static kata_status put_beyond_memory(world *w)
{
    double x = 1;
    kata_field *vast = beyond_all(w);
    w->g = kata_grid_2d(w->k, (int64_t)1 << 40, 100);
    return kata_put(vast, kata_box_2d(w->g, 0, 1, 0, 1), &x, 1);
}

static kata_status null_arguments(world *w)
{
    kata_range all = kata_all(w->g);
    return kata_apply_args(find(w, "heat"), &all, 3, NULL);
}

static kata_status text_too_long(world *w)
{
    FILE *file = fopen("long.kata", "w");
    for (int i = 0; file && i < (5 << 20); i++) fputc('\n', file);
    if (file) fclose(file);
    kata_module_load(w->k, "long.kata");
    remove("long.kata");
    return kata_error(w->k);
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* A copy as if written at main.c:17. */
static kata_status copy(kata_field *to, kata_range to_range, const kata_field *from,
                        kata_copy_options options)
{
    options.size = sizeof options;
    options.file = "main.c";
    options.line = 17;
    return kata_copy_with(to, &to_range, from, &options);
}

static kata_status copy_of_other_shape(world *w)
{
    return copy(w->u, kata_box_2d(w->g, 0, 3, 0, 2), w->v,
                (kata_copy_options){.from_range = kata_box_2d(w->g, 0, 2, 0, 2), .axes = {2, 1}});
}

static kata_status copy_of_other_type(world *w)
{
    kata_field *f = kata_field_new(w->g, "f", KATA_F32);
    return copy(w->u, kata_all(w->g), f, (kata_copy_options){.from_range = kata_all(w->g)});
}

static kata_status copy_of_axis_twice(world *w)
{
    return copy(w->u, kata_all(w->g), w->v,
                (kata_copy_options){.from_range = kata_all(w->g), .axes = {2, -2}});
}

static kata_status copy_onto_itself(world *w)
{
    return copy(w->u, kata_box_2d(w->g, 0, 3, 0, 2), w->u,
                (kata_copy_options){.from_range = kata_box_2d(w->g, 2, 5, 1, 3)});
}

static kata_status copy_of_ghosts_without(world *w)
{
    return copy(w->u, kata_ghost(w->u, KATA_X_HIGH, 1), w->v,
                (kata_copy_options){.from_range = kata_face(w->g, KATA_X_LOW, 1)});
}

static kata_status coarsened_unevenly(world *w)
{
    return kata_grid_coarsen(w->g, 7, 1, 1) ? KATA_OK : kata_error(w->k);
}

/* ---- fills ----------------------------------------------------------------------------------- */

/* A fill as if written at main.c:17. */
static kata_status fill(const world *w, kata_field *field, kata_arg value)
{
    kata_range all = kata_all(w->g);
    return kata_fill_with(field, &all, &value, "main.c", 17);
}

static kata_status fill_of_profile(world *w)
{
    return fill(w, kata_field_new(w->g, "profile", KATA_F64, .along = KATA_X),
                kata_arg_integer(1, 0));
}

static kata_status fill_of_far_profile(world *w)
{
    kata_field *p = kata_field_new(w->g, "profile", KATA_F64, .along = KATA_X);
    kata_range far = kata_box_2d(w->g, 0, 8, INT64_MIN, INT64_MAX);
    kata_arg one = kata_arg_integer(1, 0);
    return kata_fill_with(p, &far, &one, "main.c", 17);
}

static kata_status fill_too_large_for_short(world *w)
{
    return fill(w, kata_field_new(w->g, "depth", KATA_I16), kata_arg_integer(100000, 0));
}

static kata_status fill_negative_in_byte(world *w)
{
    return fill(w, kata_field_new(w->g, "grey", KATA_U8), kata_arg_integer(-1, 0));
}

static kata_status fill_of_other_kind(world *w) { return fill(w, w->u, kata_arg_field(w->v, 0)); }

static kata_status fill_backwards(world *w)
{
    kata_range none = kata_box_2d(w->g, 4, 2, 0, 4);
    kata_arg value = kata_arg_integer(1, 0);
    return kata_fill_with(w->u, &none, &value, "main.c", 17);
}

static kata_status scalar_set_to_half(world *w)
{
    return kata_scalar_set(kata_scalar_new(w->k, "n", KATA_I32), 0.5);
}

static kata_status scalar_set_beyond(world *w)
{
    return kata_scalar_set(kata_scalar_new(w->k, "n", KATA_I64), 0x1p63);
}

static kata_status scalar_set_to_infinity(world *w)
{
    return kata_scalar_set(kata_scalar_new(w->k, "s", KATA_F32), 1e39);
}

static kata_status fill_of_mapped(world *w)
{
    double *values;
    kata_mapping at;
    kata_map(w->u, &values, &at);
    return fill(w, w->u, kata_arg_integer(1, 0));
}

/* ---- steps until ----------------------------------------------------------------------------- */

/* Steps as if asked for at main.c:17. */
static kata_status until(const world *w, kata_scalar *scalar, kata_until_options options)
{
    options.size = sizeof options;
    options.file = "main.c";
    options.line = 17;
    kata_until u = kata_until_with(scalar, &options);
    while (kata_until_next(&u)) {
    }
    return kata_error(w->k);
}

static kata_status until_looked_at_never(world *w)
{
    kata_scalar *s = kata_scalar_new(w->k, "change", KATA_F64);
    return until(w, s, (kata_until_options){.limit = 1e-8, .most = 100});
}

static kata_status until_less_than_no_steps(world *w)
{
    kata_scalar *s = kata_scalar_new(w->k, "change", KATA_F64);
    return until(w, s, (kata_until_options){.limit = 1e-8, .most = -1, .every = 10});
}

static kata_status until_below_nan(world *w)
{
    kata_scalar *s = kata_scalar_new(w->k, "change", KATA_F64);
    return until(w, s, (kata_until_options){.limit = NAN, .most = 100, .every = 10});
}

static kata_status until_array_above(world *w)
{
    kata_scalar *s = kata_scalar_array_new(w->k, "momentum", KATA_F64, 3);
    return until(w, s, (kata_until_options){.above = true, .most = 100, .every = 10});
}

static kata_status until_never_written(world *w)
{
    kata_scalar *s = kata_scalar_new(w->k, "change", KATA_F64);
    kata_scalar_set(s, 3);
    return until(w, s, (kata_until_options){.limit = 4, .most = 100, .every = 1});
}

/* ---- all of them --------------------------------------------------------------------------- */

const misuse misuse_data[] = {
    CASE(byte_for_double, APPLICATION),
    CASE(byte_scalar, ARGUMENT),
    CASE(too_large_for_uchar, ARGUMENT),
    CASE(too_small_for_short, ARGUMENT),
    CASE(negative_for_ushort, ARGUMENT),
    CASE(ushort_for_short, APPLICATION),
    CASE(int_for_uchar, APPLICATION),
    CASE(scalar_for_uchar, APPLICATION),
    CASE(picture_of_integers, ARGUMENT),
    CASE(get_bytes, ARGUMENT),
    CASE(wrong_count, ARGUMENT),
    CASE(count_in_bytes, ARGUMENT),
    CASE(get_as_integer, ARGUMENT),
    CASE(bad_name, ARGUMENT),
    CASE(no_points, ARGUMENT),
    CASE(side_beyond_rank, ARGUMENT),
    CASE(no_such_file, FILE),
    CASE(unknown_ending, ARGUMENT),
    CASE(picture_of_3d, ARGUMENT),
    CASE(beyond_memory, MEMORY),
    CASE(put_beyond_memory, MEMORY),
    CASE(null_arguments, ARGUMENT),
    CASE(text_too_long, LIMIT),
    CASE(copy_of_other_shape, ARGUMENT),
    CASE(copy_of_other_type, ARGUMENT),
    CASE(copy_of_axis_twice, ARGUMENT),
    CASE(copy_onto_itself, ARGUMENT),
    CASE(copy_of_ghosts_without, ARGUMENT),
    CASE(coarsened_unevenly, ARGUMENT),
    CASE(fill_of_profile, ARGUMENT),
    CASE(fill_of_far_profile, ARGUMENT),
    CASE(fill_too_large_for_short, ARGUMENT),
    CASE(fill_negative_in_byte, ARGUMENT),
    CASE(fill_of_other_kind, ARGUMENT),
    CASE(fill_of_mapped, ARGUMENT),
    CASE(fill_backwards, ARGUMENT),
    CASE(scalar_set_to_half, ARGUMENT),
    CASE(scalar_set_beyond, ARGUMENT),
    CASE(scalar_set_to_infinity, ARGUMENT),
    CASE(until_looked_at_never, ARGUMENT),
    CASE(until_less_than_no_steps, ARGUMENT),
    CASE(until_below_nan, ARGUMENT),
    CASE(until_array_above, ARGUMENT),
    CASE(until_never_written, ARGUMENT),
    {0},
};
