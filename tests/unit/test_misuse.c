/* Each misuse of the interface gives its own message, exactly the text of tests/misuse/NAME.txt,
 * once, and its status. With KATA_FIXTURES_UPDATE=1 the texts are written instead of compared. */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char kernels[] = "kernel heat(in double u, out double v, double c)\n"
                              "{\n"
                              "    v = u + c*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1] - 4*u);\n"
                              "}\n"
                              "kernel in_place(inout double u)\n"
                              "{\n"
                              "    u = u[-1,0];\n"
                              "}\n"
                              "kernel line(in double u, out double v)\n"
                              "{\n"
                              "    v = u[3];\n"
                              "}\n"
                              "kernel two(out double a, out double b)\n"
                              "{\n"
                              "    a = 1; b = 2;\n"
                              "}\n"
                              "kernel count(out int n, int by)\n"
                              "{\n"
                              "    n = by;\n"
                              "}\n"
                              "kernel weigh(in double u, out double v, double w[3])\n"
                              "{\n"
                              "    v = w[0]*u + w[1] + w[2];\n"
                              "}\n"
                              "kernel total(in double u, sum double s, sum double t)\n"
                              "{\n"
                              "    s += u; t += 2*u;\n"
                              "}\n"
                              "kernel flow(in double f[9], out double rho)\n"
                              "{\n"
                              "    rho = f[0] + f[8];\n"
                              "}\n"
                              "kernel pick(in double u, out double v, double w[3])\n"
                              "{\n"
                              "    v = w[(int)u + ix];\n"
                              "}\n"
                              "kernel safe(in double u, double limit)\n"
                              "{\n"
                              "    assert(u + ix < limit, \"it grows\");\n"
                              "}\n";
static const char bytes[] = "kernel bytes(out uchar n, uchar by) { n = by; }\n";

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

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g;
    kata_field *u, *v;
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
    w->k = kata_open(&(kata_options){.handler = receive, .handler_data = w});
    w->m = kata_module_from_text(w->k, "k.kata", kernels);
    w->g = kata_grid_2d(w->k, 8, 6);
    w->u = kata_field_new(w->g, "u", KATA_F64);
    w->v = kata_field_new(w->g, "v", KATA_F64);
    assert_true(kata_ok(w->k));
}

/* A kernel as if applied at main.c:17. */
static kata_kernel *find(world *w, const char *name)
{
    return kata_here(kata_kernel_find(w->m, name), "main.c", 17);
}

static kata_arg field(kata_field *f) { return kata_arg_field(f, 0); }
static kata_arg number(double x) { return kata_arg_floating(x, 0); }
static kata_arg whole(int64_t x) { return kata_arg_integer(x, 0); }

#define APPLY(w, name, range, ...)                                                                 \
    kata_apply_args(find(w, name), (kata_range[1]){range},                                         \
                    (int)(sizeof((kata_arg[]){__VA_ARGS__}) / sizeof(kata_arg)),                   \
                    (kata_arg[]){__VA_ARGS__})

static kata_status heat(world *w, kata_range range)
{
    return APPLY(w, "heat", range, field(w->u), field(w->v), number(0.1));
}

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

static kata_status copy_of_a_color(world *w)
{
    double values[48];
    return kata_get(w->u, kata_color(kata_all(w->g), 2, 0), values, 48);
}

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

static kata_status null_range(world *w)
{
    return APPLY(w, "heat", kata_all(NULL), field(w->u), field(w->v), number(0.1));
}

static kata_status range_outside(world *w) { return heat(w, kata_box_2d(w->g, 1, 9, 1, 5)); }

static kata_status reversed_range(world *w) { return heat(w, kata_box_2d(w->g, 7, 1, 1, 5)); }

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
    return kata_save(kata_field_new(w->g, "n", KATA_U8), "n.png");
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

/* ---- the table ------------------------------------------------------------------------------- */

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

#define CASE(name, status)                                                                         \
    {                                                                                              \
#name, name, KATA_ERROR_##status                                                           \
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

static const struct misuse {
    const char *name;
    kata_status (*commit)(world *w);
    kata_status status;
} cases[] = {
    CASE(read_outside, APPLICATION),
    CASE(read_outside_box, APPLICATION),
    CASE(read_outside_one_side, APPLICATION),
    CASE(half_periodic, APPLICATION),
    CASE(node_of_one_point, APPLICATION),
    CASE(thinner_than_reach, APPLICATION),
    CASE(read_what_is_written, APPLICATION),
    CASE(one_field_twice, APPLICATION),
    CASE(written_twice, APPLICATION),
    CASE(scalar_written_twice, APPLICATION),
    CASE(red_black_on_odd_period, APPLICATION),
    CASE(no_such_color, ARGUMENT),
    CASE(copy_of_a_color, ARGUMENT),
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
    CASE(byte_for_double, APPLICATION),
    CASE(byte_scalar, ARGUMENT),
    CASE(too_large_for_uchar, ARGUMENT),
    CASE(int_for_uchar, APPLICATION),
    CASE(scalar_for_uchar, APPLICATION),
    CASE(picture_of_integers, ARGUMENT),
    CASE(get_bytes, ARGUMENT),
    CASE(other_scalar_type, APPLICATION),
    CASE(swap_different, ARGUMENT),
    CASE(rotate_different, ARGUMENT),
    CASE(rotate_one_twice, ARGUMENT),
    CASE(read_discarded, APPLICATION),
    CASE(get_discarded, ARGUMENT),
    CASE(save_discarded, ARGUMENT),
    CASE(read_partly_written, APPLICATION),
    CASE(too_few, ARGUMENT),
    CASE(number_for_field, ARGUMENT),
    CASE(field_for_number, ARGUMENT),
    CASE(null_field, ARGUMENT),
    CASE(floating_for_int, ARGUMENT),
    CASE(too_large_for_int, ARGUMENT),
    CASE(short_table, ARGUMENT),
    CASE(pointer_for_table, ARGUMENT),
    CASE(null_range, ARGUMENT),
    CASE(range_outside, ARGUMENT),
    CASE(reversed_range, ARGUMENT),
    CASE(grid_for_range, ARGUMENT),
    CASE(range_of_other_rank, ARGUMENT),
    CASE(misspelt_kernel, ARGUMENT),
    CASE(no_such_kernel, ARGUMENT),
    CASE(wrong_count, ARGUMENT),
    CASE(count_in_bytes, ARGUMENT),
    CASE(get_as_integer, ARGUMENT),
    CASE(bad_name, ARGUMENT),
    CASE(no_points, ARGUMENT),
    CASE(side_beyond_rank, ARGUMENT),
    CASE(no_such_file, FILE),
    CASE(unknown_ending, ARGUMENT),
    CASE(picture_of_3d, ARGUMENT),
    CASE(index_outside_table, ASSERT),
    CASE(failed_assert, ASSERT),
    CASE(beyond_memory, MEMORY),
    CASE(put_beyond_memory, MEMORY),
    CASE(null_arguments, ARGUMENT),
    CASE(text_too_long, LIMIT),
};

static void expect_text(const char *name, const char *message)
{
    char path[1024], expected[4096] = "";
    snprintf(path, sizeof path, "%s/tests/misuse/%s.txt", getenv("KATA_SOURCE"), name);
    bool update = getenv("KATA_FIXTURES_UPDATE") != NULL;
    FILE *file = fopen(path, update ? "w" : "r");
    assert_non_null(file);
    if (update)
        fprintf(file, "%s\n", message);
    else
        expected[fread(expected, 1, sizeof expected - 1, file)] = '\0';
    fclose(file);
    if (update) return;
    size_t length = strlen(expected);
    if (length && expected[length - 1] == '\n') expected[length - 1] = '\0';
    assert_string_equal(message, expected);
}

static void test_each_misuse_has_its_message(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world w;
        open_world(&w);
        assert_int_equal(cases[i].commit(&w), cases[i].status);
        assert_int_equal(w.messages, 1);
        assert_int_equal(kata_error(w.k), cases[i].status);
        assert_string_equal(kata_error_message(w.k), w.message);
        expect_text(cases[i].name, w.message);
        assert_int_equal(kata_close(w.k), cases[i].status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_misuse_has_its_message)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
