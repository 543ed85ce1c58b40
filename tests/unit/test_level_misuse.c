/* Misuse of kernels whose levels run in order: each has exactly the text of tests/misuse/NAME.txt.
 * With KATA_FIXTURES_UPDATE=1 the texts are written instead of compared. */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char kernels[] = "kernel columns(inout double u) forward(z) { u += 1; }\n"
                              "kernel split(inout double u, int low, int high) backward(y)\n"
                              "{\n"
                              "    interval [0, low) { u += 1; }\n"
                              "    interval [high+1, ny) { u += 2; }\n"
                              "}\n"
                              "kernel ends(inout double u) forward(y)\n"
                              "{\n"
                              "    interval [0, 1) { u = 0; }\n"
                              "    interval [ny-1, ny) { u = 1; }\n"
                              "}\n"
                              "kernel beside(inout double u) forward(y) { u = u[-1,0] + u[0,0]; }\n"
                              "kernel before(inout double u) forward(y) { u = u[1,-1]; }\n"
                              "kernel rising(in double u, inout double v) backward(y)\n"
                              "{\n"
                              "    assert(u < 13, \"too high\");\n"
                              "    v = 1;\n"
                              "}\n"
                              "kernel across(inout double u) forward(x, y)\n"
                              "{\n"
                              "    u = u[-1,0,0] + u[0,-1,1];\n"
                              "}\n"
                              "kernel upright(inout double u) forward(x) backward(z) { u += 1; }\n"
                              "kernel corner(inout double u) backward(x, y)\n"
                              "{\n"
                              "    assert(u < 13, \"too high\");\n"
                              "    u = u[1,1];\n"
                              "}\n"
                              "kernel set(out double u) { u = ix + 8*iy; }\n";

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g;
    kata_field *u, *v;
    char message[4096];
} world;

static void receive(void *data, kata_status status, const char *message)
{
    world *w = data;
    if (status != KATA_OK) snprintf(w->message, sizeof w->message, "%s", message);
}

static const kata_kernel *find(world *w, const char *name)
{
    return kata_here(kata_kernel_find(w->m, name), "main.c", 17);
}

#define APPLY(w, name, range, ...)                                                                 \
    kata_apply_args(find(w, name), (kata_range[1]){range},                                         \
                    (int)(sizeof((kata_arg[]){__VA_ARGS__}) / sizeof(kata_arg)),                   \
                    (kata_arg[]){__VA_ARGS__})

static kata_arg field(kata_field *f) { return kata_arg_field(f, 0); }
static kata_arg whole(int64_t x) { return kata_arg_integer(x, 0); }

static kata_status level_of_other_rank(world *w)
{
    return APPLY(w, "columns", kata_all(w->g), field(w->u));
}

static kata_status level_once(world *w)
{
    kata_scalar *s = kata_scalar_new(w->k, "s", KATA_F64);
    return APPLY(w, "columns", kata_once(w->k), kata_arg_scalar(s, 0));
}

static kata_status level_of_scalar(world *w)
{
    kata_scalar *s = kata_scalar_new(w->k, "middle", KATA_I32);
    return APPLY(w, "split", kata_all(w->g), field(w->u), whole(1), kata_arg_scalar(s, 0));
}

static kata_status level_twice(world *w)
{
    return APPLY(w, "split", kata_all(w->g), field(w->u), whole(4), whole(2));
}

static kata_status level_twice_on_thin_grid(world *w)
{
    kata_grid *g = kata_grid_2d(w->k, 5, 1);
    return APPLY(w, "ends", kata_all(g), field(kata_field_new(g, "u", KATA_F64)));
}

static kata_status level_read_beside(world *w)
{
    return APPLY(w, "beside", kata_inner(w->g, 1), field(w->u));
}

static kata_status level_by_rule(world *w)
{
    kata_boundary_set(w->u, KATA_Y_LOW, KATA_CLAMP, 0);
    return APPLY(w, "before", kata_box_2d(w->g, 0, 7, 0, 6), field(w->u));
}

static kata_status level_of_failed_assert(world *w)
{
    APPLY(w, "set", kata_all(w->g), field(w->u));
    APPLY(w, "rising", kata_box_2d(w->g, 2, 8, 0, 4), field(w->u), field(w->v));
    return kata_flush(w->k);
}

static kata_status wave_read_across(world *w)
{
    kata_grid *g = kata_grid_3d(w->k, 8, 6, 4);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    return APPLY(w, "across", kata_inner(g, 1), field(u));
}

static kata_status wave_of_other_rank(world *w)
{
    return APPLY(w, "upright", kata_all(w->g), field(w->u));
}

static kata_status wave_beyond_grid(world *w)
{
    return APPLY(w, "corner", kata_all(w->g), field(w->u));
}

/* The first point from the last corner of the range on, (6,4), is too high. */
static kata_status wave_of_failed_assert(world *w)
{
    APPLY(w, "set", kata_all(w->g), field(w->u));
    APPLY(w, "corner", kata_box_2d(w->g, 0, 7, 0, 5), field(w->u));
    return kata_flush(w->k);
}

static const struct {
    const char *name;
    kata_status (*commit)(world *w);
    kata_status status;
} cases[] = {
#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name, KATA_ERROR_APPLICATION                                                        \
    }
    CASE(level_of_other_rank),
    CASE(level_once),
    CASE(level_of_scalar),
    CASE(level_twice),
    CASE(level_twice_on_thin_grid),
    CASE(level_read_beside),
    CASE(level_by_rule),
    CASE(wave_read_across),
    CASE(wave_of_other_rank),
    CASE(wave_beyond_grid),
    {"wave_of_failed_assert", wave_of_failed_assert, KATA_ERROR_ASSERT},
    {"level_of_failed_assert", level_of_failed_assert, KATA_ERROR_ASSERT},
};

static void expect_text(const char *name, const char *message)
{
    char path[4096], expected[4096] = "";
    const char *root = getenv("KATA_SOURCE");
    bool update = getenv("KATA_FIXTURES_UPDATE") != NULL;
    snprintf(path, sizeof path, "%s/tests/misuse/%s.txt", root ? root : ".", name);
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

static void open_world(world *w, const char *executor)
{
    *w = (world){0};
    w->k = kata_open(
        &(kata_options){.executor = executor, .handler = receive, .handler_data = w, .threads = 2});
    w->m = kata_module_from_text(w->k, "k.kata", kernels);
    w->g = kata_grid_2d(w->k, 8, 6);
    w->u = kata_field_new(w->g, "u", KATA_F64);
    w->v = kata_field_new(w->g, "v", KATA_F64);
    assert_true(kata_ok(w->k));
}

static void each_misuse_has_its_message(void **state)
{
    (void)state;
    static const char *const executors[2] = {"reference", "cpu"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int e = 0; e < 2; e++) {
            world w;
            open_world(&w, executors[e]);
            assert_int_equal(cases[i].commit(&w), cases[i].status);
            expect_text(cases[i].name, w.message);
            kata_close(w.k);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_misuse_has_its_message)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
