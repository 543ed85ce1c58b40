/* What is given to kernels and does not fit them. */
#include "misuse.h"

#include <math.h>

static const char scalar_kernels[] = "kernel halve(in double m, out double dt)\n"
                                     "{\n"
                                     "    dt = m/2;\n"
                                     "}\n"
                                     "kernel near(in double m, out double dt)\n"
                                     "{\n"
                                     "    dt = m[1];\n"
                                     "}\n"
                                     "kernel count3(in double u, sum double r[3])\n"
                                     "{\n"
                                     "    r[0] += u;\n"
                                     "}\n";

/* ---- scalars and fields ---------------------------------------------------------------------- */

/* A scalar, and the kernels of scalars. */
static kata_arg scalar(world *w, const char *name)
{
    w->m = kata_module_from_text(w->k, "s.kata", scalar_kernels);
    return kata_arg_scalar(kata_scalar_new(w->k, name, KATA_F64), 0);
}

static kata_status once_with_field(world *w)
{
    kata_arg s = scalar(w, "s");
    return APPLY(w, "halve", kata_once(w->k), field(w->u), s);
}

static kata_status once_with_neighbours(world *w)
{
    kata_arg s = scalar(w, "s"), t = scalar(w, "t");
    return APPLY(w, "near", kata_once(w->k), s, t);
}

static kata_status scalar_read_as_field(world *w)
{
    kata_arg s = scalar(w, "s");
    return APPLY(w, "halve", kata_all(w->g), s, field(w->u));
}

static kata_status scalar_written_as_field(world *w)
{
    kata_arg s = scalar(w, "s");
    return APPLY(w, "halve", kata_all(w->g), field(w->u), s);
}

static kata_status scalar_of_other_length(world *w)
{
    scalar(w, "s");
    kata_arg r = kata_arg_scalar(kata_scalar_array_new(w->k, "r", KATA_F64, 2), 0);
    return APPLY(w, "count3", kata_all(w->g), field(w->u), r);
}

static kata_status scalar_array_for_number(world *w)
{
    kata_arg r = kata_arg_scalar(kata_scalar_array_new(w->k, "r", KATA_F64, 2), 0);
    return APPLY(w, "heat", kata_inner(w->g, 1), field(w->u), field(w->v), r);
}

static kata_status scalar_array_read_as_one(world *w)
{
    double x;
    return kata_scalar_get(kata_scalar_array_new(w->k, "r", KATA_F64, 2), &x);
}

static kata_status scalar_array_of_none(world *w)
{
    kata_scalar_array_new(w->k, "r", KATA_F64, 0);
    return kata_error(w->k);
}

static kata_status log_of_other_length(world *w)
{
    double values[3];
    kata_scalar *s = kata_scalar_new(w->k, "s", KATA_F64),
                *t = kata_scalar_new(w->k, "t", KATA_F64);
    kata_scalar_log(s, 10);
    APPLY(w, "total", kata_all(w->g), field(w->u), kata_arg_scalar(s, 0), kata_arg_scalar(t, 0));
    return kata_scalar_log_get(s, values, 3);
}

static kata_status log_of_less_than_none(world *w)
{
    return kata_scalar_log(kata_scalar_new(w->k, "s", KATA_F64), -1);
}

static kata_status once_of_null(world *w)
{
    kata_arg s = scalar(w, "s"), t = scalar(w, "t");
    return APPLY(w, "halve", kata_once(NULL), s, t);
}

/* ---- what does not match --------------------------------------------------------------------- */

static kata_status other_grid(world *w)
{
    w->v = kata_field_new(kata_grid_2d(w->k, 8, 7), "v", KATA_F64);
    return heat(w, kata_inner(w->g, 1));
}

static kata_status other_rank(world *w)
{
    kata_field *p = kata_field_new(kata_grid_3d(w->k, 4, 4, 4), "p", KATA_F64);
    w->u = p;
    return APPLY(w, "heat", kata_all(kata_grid_3d(w->k, 4, 4, 4)), field(p), field(p), number(1));
}

static kata_status other_components(world *w)
{
    return APPLY(w, "flow", kata_all(w->g), field(w->u), field(w->v));
}

static kata_status other_type(world *w)
{
    return APPLY(w, "count", kata_all(w->g), field(w->u), whole(3));
}

static kata_status other_scalar_type(world *w)
{
    kata_scalar *s = kata_scalar_new(w->k, "s", KATA_F32);
    kata_scalar *t = kata_scalar_new(w->k, "t", KATA_F64);
    return APPLY(w, "total", kata_all(w->g), field(w->u), kata_arg_scalar(s, 0),
                 kata_arg_scalar(t, 0));
}

static kata_status swap_different(world *w)
{
    return kata_swap(w->u, kata_field_new(w->g, "f", KATA_F32));
}

static kata_status rotate_different(world *w)
{
    return kata_rotate(w->u, w->v, kata_field_new(w->g, "f", KATA_F32));
}

static kata_status rotate_one_twice(world *w) { return kata_rotate(w->u, w->v, w->v); }

/* ---- arguments ------------------------------------------------------------------------------- */

static kata_status too_few(world *w)
{
    return APPLY(w, "heat", kata_inner(w->g, 1), field(w->u), field(w->v));
}

static kata_status number_for_field(world *w)
{
    return APPLY(w, "heat", kata_inner(w->g, 1), field(w->u), number(0.1), field(w->v));
}

static kata_status field_for_number(world *w)
{
    return APPLY(w, "heat", kata_inner(w->g, 1), field(w->u), field(w->v), field(w->v));
}

static kata_status null_field(world *w)
{
    return APPLY(w, "heat", kata_inner(w->g, 1), field(w->u), field(NULL), number(0.1));
}

static kata_status floating_for_int(world *w)
{
    kata_field *n = kata_field_new(w->g, "n", KATA_I32);
    return APPLY(w, "count", kata_all(w->g), field(n), number(0.5));
}

static kata_status apply_scaled(world *w, kata_arg factor, kata_arg table)
{
    static const char text[] = "kernel scaled(out float u, float by, float c[2])\n"
                               "{\n"
                               "    u = by*c[0] + c[1];\n"
                               "}\n";
    w->m = kata_module_from_text(w->k, "k.kata", text);
    kata_field *u = kata_field_new(w->g, "f", KATA_F32);
    return APPLY(w, "scaled", kata_all(w->g), field(u), factor, table);
}

static kata_status too_large_for_float(world *w)
{
    return apply_scaled(w, number(1e40), kata_table_of(KATA_F64, (double[]){1, 2}, 2));
}

static kata_status table_too_large_for_float(world *w)
{
    return apply_scaled(w, number(1), kata_table_of(KATA_F64, (double[]){INFINITY, -1e39}, 2));
}

static kata_status too_large_for_int(world *w)
{
    kata_field *n = kata_field_new(w->g, "n", KATA_I32);
    return APPLY(w, "count", kata_all(w->g), field(n), whole(3000000000));
}

static kata_status short_table(world *w)
{
    double table[2] = {1, 2};
    return APPLY(w, "weigh", kata_all(w->g), field(w->u), field(w->v), KATA_ARG(table));
}

static kata_status pointer_for_table(world *w)
{
    double table[3] = {1, 2, 3}, *pointer = table;
    return APPLY(w, "weigh", kata_all(w->g), field(w->u), field(w->v), KATA_ARG(pointer));
}

static kata_status pointer_for_scalar(world *w)
{
    double s = 0, t = 0;
    return APPLY(w, "total", kata_all(w->g), field(w->u), KATA_ARG(&s), KATA_ARG(&t));
}

static kata_status null_range(world *w)
{
    return APPLY(w, "heat", kata_all(NULL), field(w->u), field(w->v), number(0.1));
}

static kata_status range_outside(world *w) { return heat(w, kata_box_2d(w->g, 1, 9, 1, 5)); }

static kata_status reversed_range(world *w) { return heat(w, kata_box_2d(w->g, 7, 1, 1, 5)); }

/* What is const is read only, here and by the kernel. */
static kata_status const_field_written(world *w)
{
    const kata_field *u = w->u, *v = w->v;
    kata_arg input = kata_arg_const_field(u, 0), output = kata_arg_const_field(v, 0);
    return APPLY(w, "heat", kata_inner(w->g, 1), input, output, number(0.1));
}

static kata_status const_scalar_summed(world *w)
{
    const kata_scalar *s = kata_scalar_new(w->k, "s", KATA_F64);
    kata_arg t = kata_arg_scalar(kata_scalar_new(w->k, "t", KATA_F64), 0);
    return APPLY(w, "total", kata_all(w->g), field(w->u), t, kata_arg_const_scalar(s, 0));
}

static kata_status grid_for_range(world *w)
{
    return kata_apply_args(find(w, "heat"), (kata_range[1]){{.grid = w->g}}, 3,
                           (kata_arg[]){field(w->u), field(w->v), number(0.1)});
}

static kata_status range_of_other_rank(world *w) { return heat(w, kata_box_1d(w->g, 1, 5)); }

static kata_status misspelt_kernel(world *w)
{
    kata_kernel_find(w->m, "haet");
    return kata_error(w->k);
}

static kata_status no_such_kernel(world *w)
{
    kata_kernel_find(w->m, "advect");
    return kata_error(w->k);
}

/* ---- values of boundary rules -----------------------------------------------------------------
 */

static kata_status boundary_beyond_float(world *w)
{
    kata_field_new(w->g, "f", KATA_F32, .boundary = KATA_CONSTANT, .boundary_value = 1e40);
    return kata_error(w->k);
}

static kata_status boundary_beyond_half(world *w)
{
    kata_field *f = kata_field_new(w->g, "f", KATA_F16, .boundary = KATA_CLAMP,
                                   .boundary_value = 1e40); /* not a value of this rule */
    return kata_boundary_set(f, KATA_X_LOW, KATA_ANTISYMMETRIC_FACE, -70000);
}

static kata_status linear_beyond_float(world *w)
{
    static const double weights[2] = {1, 1};
    kata_field *f = kata_field_new(w->g, "f", KATA_F16);
    kata_boundary_set(f, KATA_X_HIGH, KATA_CONSTANT, INFINITY);
    kata_boundary_linear(f, KATA_X_LOW, 1, 1, weights, .value = 70000);
    return kata_boundary_linear(f, KATA_X_LOW, 1, 1, weights, .value = 1e39);
}

static kata_status wrapped_boundary_beyond_float(world *w)
{
    static float values[64];
    kata_field_wrap(w->g, "f", KATA_F32, values, .boundary = KATA_CONSTANT,
                    .boundary_value = -1e40);
    return kata_error(w->k);
}

/* ---- all of them --------------------------------------------------------------------------- */

const misuse misuse_arguments[] = {
    CASE(once_with_field, APPLICATION),
    CASE(once_with_neighbours, APPLICATION),
    CASE(scalar_read_as_field, APPLICATION),
    CASE(scalar_written_as_field, APPLICATION),
    CASE(once_of_null, ARGUMENT),
    CASE(log_of_other_length, ARGUMENT),
    CASE(log_of_less_than_none, ARGUMENT),
    CASE(scalar_of_other_length, APPLICATION),
    CASE(scalar_array_for_number, APPLICATION),
    CASE(scalar_array_read_as_one, ARGUMENT),
    CASE(scalar_array_of_none, ARGUMENT),
    CASE(other_grid, APPLICATION),
    CASE(other_rank, APPLICATION),
    CASE(other_components, APPLICATION),
    CASE(other_type, APPLICATION),
    CASE(other_scalar_type, APPLICATION),
    CASE(swap_different, ARGUMENT),
    CASE(rotate_different, ARGUMENT),
    CASE(rotate_one_twice, ARGUMENT),
    CASE(too_few, ARGUMENT),
    CASE(number_for_field, ARGUMENT),
    CASE(field_for_number, ARGUMENT),
    CASE(null_field, ARGUMENT),
    CASE(floating_for_int, ARGUMENT),
    CASE(too_large_for_int, ARGUMENT),
    CASE(too_large_for_float, ARGUMENT),
    CASE(table_too_large_for_float, ARGUMENT),
    CASE(short_table, ARGUMENT),
    CASE(pointer_for_table, ARGUMENT),
    CASE(pointer_for_scalar, ARGUMENT),
    CASE(null_range, ARGUMENT),
    CASE(range_outside, APPLICATION),
    CASE(reversed_range, ARGUMENT),
    CASE(const_field_written, ARGUMENT),
    CASE(const_scalar_summed, ARGUMENT),
    CASE(grid_for_range, ARGUMENT),
    CASE(range_of_other_rank, ARGUMENT),
    CASE(misspelt_kernel, ARGUMENT),
    CASE(no_such_kernel, ARGUMENT),
    CASE(boundary_beyond_float, ARGUMENT),
    CASE(boundary_beyond_half, ARGUMENT),
    CASE(linear_beyond_float, ARGUMENT),
    CASE(wrapped_boundary_beyond_float, ARGUMENT),
    {0},
};
