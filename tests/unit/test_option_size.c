/* Structures of options of programs that were compiled with another kata.h: shorter ones of the
 * past, longer ones of the future, and ones whose size nobody has set. */
#include "api_world.h"

#include "api/api.h"

static const char copying[] = "kernel copy(in double u, out double v) { v = u[1]; }\n";

typedef struct fixture {
    kata *k;
    kata_grid *g;
    char message[1024];
} fixture;

static void keep(void *data, kata_status status, const char *message)
{
    fixture *f = data;
    (void)status;
    snprintf(f->message, sizeof f->message, "%s", message);
}

static void open_fixture(fixture *f)
{
    *f = (fixture){0};
    f->k = kata_open(&(kata_options){.handler = keep, .handler_data = f});
    f->g = kata_grid_1d(f->k, 8);
}

/* A structure of a program that knows the first members only; what lies behind it is other memory.
 */
static void test_members_that_an_older_program_lacks_are_zero(void **state)
{
    (void)state;
    const api_options kind = {.call = "kata_field_new",
                              .type = "kata_field_options",
                              .example = "",
                              .size = sizeof(kata_field_options),
                              .unnamed = offsetof(kata_field_options, unnamed),
                              .least = API_END(kata_field_options, boundary)};
    fixture f;
    open_fixture(&f);
    kata_field_options o, read, expected = {.size = sizeof o, .type = KATA_F64, .components = 2};
    expected.boundary = KATA_CLAMP;
    memset(&o, 0x5a, sizeof o);
    o.size = offsetof(kata_field_options, boundary_value);
    o.type = KATA_F64;
    o.unnamed = NULL;
    o.components = 2;
    o.boundary = KATA_CLAMP;
    assert_int_equal(api_options_read(f.k, &kind, &o, &read), KATA_OK);
    assert_int_equal(read.type, KATA_F64);
    assert_int_equal(read.components, 2);
    assert_int_equal(read.boundary, KATA_CLAMP);
    assert_memory_equal(&read.boundary_value, &expected.boundary_value,
                        sizeof read - offsetof(kata_field_options, boundary_value));
    o.size = offsetof(kata_field_options, components);
    assert_int_equal(api_options_read(f.k, &kind, &o, &read), KATA_ERROR_ARGUMENT);
    assert_int_equal(kata_close(f.k), KATA_ERROR_ARGUMENT);
}

typedef struct later_options {
    kata_field_options now;
    int64_t later[3];
} later_options;

static void test_a_later_program_may_leave_later_members_unset(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f);
    later_options o = {.now = {.size = sizeof o, .type = KATA_F32, .components = 3}};
    kata_field *u = kata_field_new_with(f.g, "u", &o.now);
    float values[24];
    assert_int_equal(kata_get(u, kata_on(u), values, 24), KATA_OK);
    assert_int_equal(kata_close(f.k), KATA_OK);
}

static void test_a_later_program_that_sets_them_is_refused(void **state)
{
    (void)state;
    fixture f;
    char expected[1024];
    open_fixture(&f);
    later_options o = {.now = {.size = sizeof o}, .later = {0, 0, 1}};
    assert_null(kata_field_new_with(f.g, "u", &o.now));
    snprintf(expected, sizeof expected,
             "error: kata_field_new: the program sets options that version %s of Katagami does not "
             "have\n"
             "  kata_field_options has %zu bytes in the program, and %zu in the library\n"
             "  run the program with the version that it was compiled with",
             kata_version(), sizeof o, sizeof o.now);
    assert_string_equal(f.message, expected);
    assert_int_equal(kata_close(f.k), KATA_ERROR_ARGUMENT);
}

/* Commits a misuse in a context of its own and looks at the message. */
#define REFUSED(call, text)                                                                        \
    {                                                                                              \
        fixture f;                                                                                 \
        open_fixture(&f);                                                                          \
        kata_field *u = kata_field_new(f.g, "u", KATA_F64);                                        \
        kata_module *m =                                                                           \
            kata_module_from_text(f.k, "text", "kernel set(out double u) { u = 1; }");             \
        (void)u;                                                                                   \
        (void)m;                                                                                   \
        (void)(call);                                                                              \
        assert_string_equal(f.message, "error: " text);                                            \
        kata_close(f.k);                                                                           \
    }
#define SIZE_OF(type, size)                                                                        \
    "the size in " type " is " size "\n  it is the first member; set it: .size = sizeof(" type ")"
#define NAME_EACH "\n  name each option: "

static void test_a_size_that_nobody_has_set_is_refused(void **state)
{
    (void)state;
    static double values[8];
    REFUSED(kata_field_new_with(f.g, "u", &(kata_field_options){.type = KATA_F64}),
            "kata_field_new: " SIZE_OF("kata_field_options", "0"))
    REFUSED(kata_field_wrap_with(f.g, "u", -1, &(kata_wrap_options){.memory = values}),
            "kata_field_wrap: " SIZE_OF("kata_wrap_options", "0"))
    REFUSED(kata_boundary_linear_with(u, KATA_X_LOW, &(kata_linear_options){.depth = 1}),
            "kata_boundary_linear: " SIZE_OF("kata_linear_options", "0"))
    REFUSED(kata_save_with(u, &(kata_save_options){.path = "u.npy"}),
            "kata_save: " SIZE_OF("kata_save_options", "0"))
    REFUSED(kata_module_load_with(f.k, &(kata_module_options){.source = "a.kata"}),
            "kata_module_load: " SIZE_OF("kata_module_options", "0"))
    REFUSED(kata_module_from_text_with(f.k, "text", &(kata_module_options){.source = copying}),
            "kata_module_from_text: " SIZE_OF("kata_module_options", "0"))
    REFUSED(kata_module_compile_with(m, &(kata_compile_options){.size = 7}),
            "kata_module_compile: " SIZE_OF("kata_compile_options", "7") NAME_EACH
            "kata_module_compile(module, \"step\", .types = \"u=f32\")")
    REFUSED(kata_module_compile_with(m, &(kata_compile_options){.size = 12, .kernel = "set"}),
            "kata_module_compile: " SIZE_OF("kata_compile_options", "12") NAME_EACH
            "kata_module_compile(module, \"step\", .types = \"u=f32\")")
    REFUSED(kata_field_new_with(f.g, "u", &(kata_field_options){.size = 4097}),
            "kata_field_new: " SIZE_OF("kata_field_options", "4097") NAME_EACH
            "kata_field_new(grid, \"u\", KATA_F64, .boundary = KATA_CLAMP)")
    REFUSED(kata_field_new_with(f.g, "u", &(kata_field_options){.size = 8, .type = KATA_F64}),
            "kata_field_new: " SIZE_OF("kata_field_options", "8") NAME_EACH
            "kata_field_new(grid, \"u\", KATA_F64, .boundary = KATA_CLAMP)")
}

/* An int where the size belongs: kata_open(&(kata_options){4}). Also if it could be a size, it is
 * none that the structure ever had. Such a structure says nothing that can be believed, not even
 * where messages go. */
static void test_a_context_with_a_wrong_size_is_not_opened(void **state)
{
    (void)state;
    static const size_t sizes[] = {4, 8, 16, sizeof(kata_options) - 8};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        fixture f = {0};
        kata_options o = {sizes[i], .handler = keep, .handler_data = &f};
        assert_null(kata_open(&o));
        assert_string_equal(f.message, "");
    }
}

static void test_an_option_without_a_name_is_refused(void **state)
{
    (void)state;
    union {
        uintptr_t number;
        const struct kata_option_without_a_name *option;
    } given = {KATA_PERIODIC};
    kata_field_options o = {.size = sizeof o, .type = KATA_F64, .unnamed = given.option};
    kata_save_options s = {.size = sizeof s, .path = "u.png", .unnamed = given.option};
    REFUSED(kata_field_new_with(f.g, "v", &o),
            "kata_field_new: an option is given without its name\n"
            "  name each option: kata_field_new(grid, \"u\", KATA_F64, .boundary = KATA_CLAMP)")
    REFUSED(kata_save_with(u, &s),
            "kata_save: an option is given without its name\n"
            "  name each option: kata_save(field, \"u.png\", .low = 0, .high = 1)")
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_that_an_older_program_lacks_are_zero),
        cmocka_unit_test(test_a_later_program_may_leave_later_members_unset),
        cmocka_unit_test(test_a_later_program_that_sets_them_is_refused),
        cmocka_unit_test(test_a_size_that_nobody_has_set_is_refused),
        cmocka_unit_test(test_a_context_with_a_wrong_size_is_not_opened),
        cmocka_unit_test(test_an_option_without_a_name_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
