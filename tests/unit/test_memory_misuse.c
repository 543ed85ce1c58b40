/* Each misuse of memory that the program owns or is lent gives its own message, exactly. */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NX = 8, NY = 6, ROOM = 1000 };

typedef struct world {
    kata *k;
    kata_grid *g;
    double *a; /* of ROOM elements */
    char message[2000];
    int messages;
} world;

static void receive(void *data, kata_status status, const char *message)
{
    world *w = data;
    (void)status;
    snprintf(w->message, sizeof w->message, "%s", message);
    w->messages++;
}

static void no_memory(world *w) { kata_field_wrap(w->g, "u", KATA_F64, (double *)NULL); }

static void no_options(world *w) { kata_field_wrap_with(w->g, "u", -1, NULL); }

static void odd_address(world *w)
{
    kata_field_wrap(w->g, "u", KATA_F64, (void *)((char *)w->a + 4));
}

static void other_element(world *w) { kata_field_wrap(w->g, "u", KATA_F32, w->a); }

static void no_such_type(world *w) { kata_field_wrap(w->g, "u", (kata_type)99, w->a); }

static void no_such_rule(world *w)
{
    kata_field_wrap(w->g, "u", KATA_F64, w->a, .boundary = (kata_rule)99);
}

static void too_many_components(world *w)
{
    kata_field_wrap(w->g, "u", KATA_F64, w->a, .components = 1025);
}

static void bad_name(world *w) { kata_field_wrap(w->g, "two words", KATA_F64, w->a); }

static void short_rows(world *w) { kata_field_wrap(w->g, "u", KATA_F64, w->a, .stride = {1, 7}); }

static void short_points(world *w)
{
    kata_field_wrap(w->g, "u", KATA_F64, w->a, .stride = {2}, .components = 3,
                    .component_stride = 1);
}

static void short_components(world *w)
{
    kata_field_wrap(w->g, "u", KATA_F64, w->a, .components = 3, .component_stride = -40);
}

static void long_stride(world *w)
{
    kata_field_wrap(w->g, "u", KATA_F64, w->a, .stride = {1, INT64_MAX / 4});
}

static void longest_stride(world *w)
{
    kata_field_wrap(w->g, "u", KATA_F64, w->a, .stride = {INT64_MIN});
}

static void same_memory_twice(world *w)
{
    kata_field_wrap(w->g, "u", KATA_F64, w->a);
    kata_field_wrap(w->g, "v", KATA_F64, w->a + 47);
}

static void map_as_other_type(world *w)
{
    float *p;
    kata_mapping at;
    kata_map(kata_field_new(w->g, "u", KATA_F64), &p, &at);
}

static void map_of_halves(world *w)
{
    double *p;
    kata_mapping at;
    kata_map(kata_field_new(w->g, "u", KATA_BF16), &p, &at);
}

static void map_to_nowhere(world *w)
{
    double *p;
    kata_field *u = kata_field_new(w->g, "u", KATA_F64);
    kata_map(u, &p, NULL);
}

static void map_of_discarded(world *w)
{
    double *p;
    kata_mapping at;
    kata_field *u = kata_field_new(w->g, "u", KATA_F64);
    kata_discard(u);
    kata_map(u, &p, &at);
}

static void map_of_blocks(world *w)
{
    double *p;
    kata_mapping at;
    kata_map(kata_field_new(w->g, "u", KATA_F64, .components = 2, .layout = KATA_BLOCKS), &p, &at);
}

static void kernel_on_mapped(world *w)
{
    double *p;
    kata_mapping at;
    kata_module *m =
        kata_module_from_text(w->k, "k.kata", "kernel same(in double u, out double v) { v = u; }");
    kata_field *u = kata_field_new(w->g, "u", KATA_F64), *v = kata_field_like(u, "v");
    kata_map(u, &p, &at);
    kata_arg args[] = {kata_arg_field(u, 0), kata_arg_field(v, 0)};
    kata_range all = kata_all(w->g);
    kata_apply_args(kata_here(kata_kernel_find(m, "same"), "main.c", 17), &all, 2, args);
}

static void unmap_twice(world *w)
{
    double *p;
    kata_mapping at;
    kata_field *u = kata_field_new(w->g, "u", KATA_F64);
    kata_map(u, &p, &at);
    kata_unmap(u);
    kata_unmap(u);
}

static void no_such_layout(world *w)
{
    kata_field_new(w->g, "u", KATA_F64, .layout = (kata_layout)3);
}

static const struct {
    void (*misuse)(world *w);
    const char *message;
} cases[] = {
    {no_memory, "kata_field_wrap: the memory of field 'u' is NULL"},
    {no_options, "kata_field_wrap: the options are NULL"},
    {odd_address, "kata_field_wrap: the memory of field 'u' is not at a multiple of 8 bytes, the "
                  "size of f64"},
    {other_element, "kata_field_wrap: field 'u' holds f32, which is stored as float; the pointer "
                    "is to double"},
    {no_such_type, "kata_field_wrap: there is no type 99"},
    {no_such_rule, "kata_field_wrap: there is no boundary rule 99"},
    {too_many_components, "kata_field_wrap: components is 1025, not 1 to 1024"},
    {bad_name, "kata_field_wrap: the name is 'two words'; it must be a C identifier of at most 64 "
               "letters"},
    {short_rows, "kata_field_wrap: the stride of field 'u' along y is 7, but shorter strides span "
                 "8 elements: values would share memory or lie among one another"},
    {short_points, "kata_field_wrap: the stride of field 'u' along x is 2, but shorter strides "
                   "span 3 elements: values would share memory or lie among one another"},
    {short_components, "kata_field_wrap: the stride of field 'u' of components is -40, but shorter "
                       "strides span 48 elements: values would share memory or lie among one "
                       "another"},
    {long_stride, "kata_field_wrap: the strides of field 'u' lead out of memory"},
    {longest_stride, "kata_field_wrap: the strides of field 'u' lead out of memory"},
    {same_memory_twice,
     "kata_field_wrap: some of the memory of field 'v' is that of another field"},
    {map_as_other_type,
     "kata_map: field 'u' holds f64, which is stored as double; the pointer is to float"},
    {map_of_halves,
     "kata_map: field 'u' holds bf16, which is stored as uint16_t; the pointer is to double"},
    {map_to_nowhere, "kata_map: the mapping is NULL"},
    {map_of_discarded, "kata_map: the value of field 'u' was discarded; it cannot be read before "
                       "all of it is written again"},
    {map_of_blocks, "kata_map: field 'u' has the layout KATA_BLOCKS, which strides cannot "
                    "describe; copy its values with kata_get and kata_put, or make it with another "
                    "layout"},
    {kernel_on_mapped, "main.c:17: argument 1 of kernel 'same' is field 'u', which is mapped\n"
                       "  call kata_unmap before kernels use it again\n"
                       "k.kata:1:23: note: parameter 'u' is declared here\n"
                       "    kernel same(in double u, out double v) { v = u; }\n"
                       "                          ^"},
    {unmap_twice, "kata_unmap: field 'u' is not mapped"},
    {no_such_layout, "kata_field_new: there is no layout 3"},
};

static void test_each_misuse_has_its_message(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[2000];
        snprintf(expected, sizeof expected, "error: %s", cases[i].message);
        world w = {.a = calloc(ROOM, sizeof(double))};
        assert_non_null(w.a);
        w.k = kata_open(&(kata_options){.handler = receive, .handler_data = &w});
        w.g = kata_grid_2d(w.k, NX, NY);
        cases[i].misuse(&w);
        assert_string_equal(w.message, expected);
        assert_int_equal(w.messages, 1);
        assert_int_equal(kata_close(w.k), KATA_ERROR_ARGUMENT);
        free(w.a);
    }
}

/* What cannot be used is NULL, and NULL is reported. */
static void test_nothing_is_set_on_error(void **state)
{
    (void)state;
    world w = {0};
    double here, *p = &here;
    kata_mapping at = {.components = 3};
    assert_null(kata_field_wrap(NULL, "u", KATA_F64, &here));
    assert_int_equal(kata_map(NULL, &p, &at), KATA_ERROR_ARGUMENT);
    assert_null(p);
    assert_int_equal(at.components, 0);
    assert_int_equal(kata_unmap(NULL), KATA_ERROR_ARGUMENT);
    w.k = kata_open(&(kata_options){.handler = receive, .handler_data = &w});
    w.g = kata_grid_1d(w.k, 3);
    kata_field *u = kata_field_new(w.g, "u", KATA_F64);
    kata_grid_1d(w.k, 0);
    p = &here;
    assert_int_equal(kata_map(u, &p, &at), KATA_ERROR_ARGUMENT);
    assert_null(p);
    assert_int_equal(w.messages, 1);
    kata_close(w.k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_misuse_has_its_message),
        cmocka_unit_test(test_nothing_is_set_on_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
