/* Reductions into fields, and values that levels hand on: each misuse has its own message. */
/* Labels: hostile */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "misuse_texts.h"

static const char kernels[] =
    "kernel rows(in double u, sum double t along y)\n"
    "{\n"
    "    t += u;\n"
    "}\n"
    "kernel add(in double u, inout sum double t along y)\n"
    "{\n"
    "    t += u;\n"
    "}\n"
    "kernel both(in double p along y, sum double t along y)\n"
    "{\n"
    "    t += p;\n"
    "}\n"
    "kernel two(in double u, sum double t along y, max double m along y)\n"
    "{\n"
    "    t += u;\n"
    "    m = max(m, u);\n"
    "}\n"
    "kernel carry(in double u, inout double t along y) forward(x)\n"
    "{\n"
    "    t = 0.5*t[0,1] + u;\n"
    "}\n"
    "kernel across(in double u, inout double t along y) forward(y)\n"
    "{\n"
    "    t = t + u;\n"
    "}\n";

typedef struct world {
    kata *k;
    kata_module *m;
    kata_grid *g;
    kata_field *u, *tall, *wide, *brief, *whole; /* tall extends along y, wide along x */
    kata_scalar *s;
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
    w->u = kata_field_new(w->g, "u", KATA_F64, .boundary = KATA_CLAMP);
    w->tall = kata_field_new(w->g, "t", KATA_F64, .along = KATA_Y, .boundary = KATA_CLAMP);
    w->wide = kata_field_new(w->g, "w", KATA_F64, .along = KATA_X);
    w->brief = kata_field_new(w->g, "b", KATA_F64, .along = KATA_Y, .temporary = true);
    w->whole = kata_field_new(w->g, "i", KATA_I32, .along = KATA_Y);
    w->s = kata_scalar_new(w->k, "s", KATA_F64);
}

/* As if applied at main.c:17. */
static kata_status apply(world *w, const char *name, kata_range range, int count,
                         const kata_arg *args)
{
    return kata_apply_args(kata_here(kata_kernel_find(w->m, name), "main.c", 17), &range, count,
                           args);
}

static kata_status apply_two(world *w, const char *name, kata_range range, kata_field *a,
                             kata_field *b)
{
    return apply(w, name, range, 2, (kata_arg[]){kata_arg_field(a, 0), kata_arg_field(b, 0)});
}

static kata_status column_of_other_dimension(world *w)
{
    return apply_two(w, "rows", kata_all(w->g), w->u, w->wide);
}

static kata_status column_of_all_dimensions(world *w)
{
    return apply_two(w, "rows", kata_all(w->g), w->u, w->u);
}

static kata_status column_of_other_type(world *w)
{
    return apply_two(w, "rows", kata_all(w->g), w->u, w->whole);
}

static kata_status column_in_scalar(world *w)
{
    return apply(w, "rows", kata_all(w->g), 2,
                 (kata_arg[]){kata_arg_field(w->u, 0), kata_arg_scalar(w->s, 0)});
}

static kata_status column_is_read(world *w)
{
    return apply_two(w, "both", kata_all(w->g), w->tall, w->tall);
}

static kata_status columns_share_a_field(world *w)
{
    return apply(w, "two", kata_all(w->g), 3,
                 (kata_arg[]){kata_arg_field(w->u, 0), kata_arg_field(w->tall, 0),
                              kata_arg_field(w->tall, 0)});
}

static kata_status column_adds_to_temporary(world *w)
{
    return apply_two(w, "add", kata_all(w->g), w->u, w->brief);
}

static kata_status column_adds_to_discarded(world *w)
{
    kata_discard(w->tall);
    return apply_two(w, "add", kata_all(w->g), w->u, w->tall);
}

static kata_status column_beyond_field(world *w)
{
    return apply_two(w, "rows", kata_box_2d(w->g, 0, 8, 0, 7), w->u, w->tall);
}

static kata_status carried_value_beside(world *w)
{
    return apply_two(w, "carry", kata_all(w->g), w->u, w->tall);
}

static kata_status carried_across_levels(world *w)
{
    return apply_two(w, "across", kata_all(w->g), w->u, w->tall);
}

#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }

static const struct {
    const char *name;
    kata_status (*run)(world *w);
} cases[] = {
    CASE(column_of_other_dimension), CASE(column_of_all_dimensions), CASE(column_of_other_type),
    CASE(column_in_scalar),          CASE(column_is_read),           CASE(columns_share_a_field),
    CASE(column_adds_to_temporary),  CASE(column_adds_to_discarded), CASE(column_beyond_field),
    CASE(carried_value_beside),      CASE(carried_across_levels),
};

static void test_each_misuse_has_its_message(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        world w;
        open_world(&w);
        assert_int_equal(cases[i].run(&w), KATA_ERROR_APPLICATION);
        assert_int_equal(w.messages, 1);
        expect_text(cases[i].name, w.message);
        kata_close(w.k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_misuse_has_its_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
