/* The deepest nesting that a kernel may have needs no more stack than docs/language.md says, which
 * is STACK bytes (320 KiB are in use on x86-64). Each construct is nested as deep as is allowed,
 * and loaded, shown, run by the reference executor and written as C on a thread of such a stack. */
#include "codegen/codegen.h"
#include "lang/lang.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STACK = 512 << 10, MOST_DEPTH = 2 * IR_MAX_DEPTH };

static const struct construct {
    const char *before, *open, *middle, *close;
} constructs[] = {
    {"v = ", "(", "u", ")"},
    {"v = ", "- ", "u", ""},
    {"v = ", "!", "u", ""},
    {"v = ", "(float)", "u", ""},
    {"v = ", "sqrt(", "u", ")"},
    {"v = ", "u + (", "u", ")"},
    {"v = ", "min(u, ", "u", ")"},
    {"v = ", "max(", "u", ", u)"},
    {"v = ", "u < (", "u", ")"},
    {"v = ", "u ? ", "u", " : 0"},
    {"v = ", "u ? 1 : ", "u", ""},
    {"v = ", "u + ", "u", ""},
    {"v = ", "u*u + ", "u", ""},
    {"v = ", "u && ", "u", ""},
    {"double w[2] = {1, 2}; v = ", "w[(int)(", "ix", ")%2]"},
    {"v = u; ", "{", "", "}"},
    {"v = u; ", "if (u > 0) ", "v = 1", ""},
    {"v = u; ", "if (u > 0) {} else ", "v = 1", ""},
    {"v = u; ", "if (u > 0) { v = 2; ", "v = 1;", "}"},
    {"v = u; ", "for (int q = 0; q < 1; q++) ", "v += u", ""},
    {"v = u; ", "assert(u < 2); if (u > 0) { ", "", "}"},
};

static void write_nested(text *out, const struct construct *c, int depth)
{
    text_add(out, "kernel f(in double u, out double v)\n{\n    %s", c->before);
    for (int i = 0; i < depth; i++) text_add(out, "%s", c->open);
    text_add(out, "%s", c->middle);
    for (int i = 0; i < depth; i++) text_add(out, "%s", c->close);
    text_add(out, ";\n}\n");
}

/* A chain of helpers, which is as deep. */
static void write_calls(text *out, int depth)
{
    text_add(out, "static double h0(in double u) { return u; }\n");
    for (int i = 1; i <= depth; i++)
        text_add(out, "static double h%d(in double u) { if (u > 1) return 2; return h%d(u); }\n", i,
                 i - 1);
    text_add(out, "kernel f(in double u, out double v)\n{\n    v = h%d(u);\n}\n", depth);
}

/* Operations that each need the one before, in a loop: deep, though nothing is nested. */
static void write_steps(text *out, int depth)
{
    text_add(out, "kernel f(in double u, out double v)\n{\n    double x = u;\n");
    for (int i = 0; i < 8; i++)
        text_add(out, "    for (int q = 0; q < %d; q++) x = x*u + q;\n", depth);
    text_add(out, "    v = x;\n}\n");
}

static void write_program(text *out, size_t kind, int depth)
{
    if (kind < COUNT_OF(constructs))
        write_nested(out, &constructs[kind], depth);
    else if (kind == COUNT_OF(constructs))
        write_calls(out, depth);
    else
        write_steps(out, depth);
}

enum { KINDS = COUNT_OF(constructs) + 2 };

static void ignore(void *data, kata_status status, const char *message)
{
    (void)data, (void)status, (void)message;
}

/* Loads and writes it as C; whether it is allowed. */
static bool is_allowed(size_t kind, int depth)
{
    static const kata_type storage[] = {KATA_F64, KATA_F32};
    text program = {0}, written = {0};
    messages m = {.handler = ignore};
    lang_module *module = NULL;
    write_program(&program, kind, depth);
    bool allowed =
        !program.failed && !lang_compile("k.kata", program.data, program.length, NULL, &m, &module);
    if (allowed) {
        codegen_loop loop = {.kernel = module->kernels[0], .storage = storage, .lines = true};
        codegen_file_text(&written, &loop, 1);
        allowed = written.length > 0;
    }
    lang_module_free(module);
    message_free(&m);
    text_free(&program);
    text_free(&written);
    return allowed;
}

static bool runs(size_t kind, int depth)
{
    text program = {0};
    double result = -1;
    write_program(&program, kind, depth);
    kata *k = kata_open(&(kata_options){.executor = "reference", .handler = ignore});
    kata_grid *g = kata_grid_1d(k, 3);
    kata_field *u = kata_field_new(g, "u", KATA_F64), *v = kata_field_like(u, "v");
    kata_module *m = kata_module_from_text(k, "k.kata", text_get(&program));
    kata_kernel *f = kata_kernel_find(m, "f");
    bool described = kata_kernel_describe(f, KATA_IR) != NULL;
    kata_apply(f, kata_all(g), u, v);
    bool good = described && !kata_get(v, kata_box_1d(g, 0, 1), &result, 1);
    kata_close(k);
    text_free(&program);
    return good;
}

/* The deepest allowed; deeper ones are refused on this stack, too. */
static int deepest(size_t kind)
{
    int low = 1, high = MOST_DEPTH;
    if (is_allowed(kind, high)) return high;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        *(is_allowed(kind, middle) ? &low : &high) = middle;
    }
    return low;
}

static void *try_all(void *failure)
{
    const char **failed = failure;
    for (size_t kind = 0; kind < KINDS && !*failed; kind++) {
        int depth = deepest(kind);
        if (depth < IR_MAX_DEPTH / 8) *failed = "something is refused far below the limit";
        if (!*failed && !runs(kind, depth)) *failed = "something does not run";
        if (*failed) print_error("construct %zu, %d deep\n", kind, depth);
    }
    return NULL;
}

static void deepest_nesting_fits_a_small_stack(void **state)
{
    (void)state;
    const char *sanitized = environment_get("KATA_SANITIZED"), *failed = NULL;
    pthread_attr_t attributes;
    pthread_t thread;
    if (sanitized && *sanitized == '1') skip(); /* sanitizers make frames larger */
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK), 0);
    assert_int_equal(pthread_create(&thread, &attributes, try_all, &failed), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    if (failed) fail_msg("%s", failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deepest_nesting_fits_a_small_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
