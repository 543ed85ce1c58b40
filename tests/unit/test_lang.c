/* The front end where fixtures do not reach: limits, the caller's environment, memory and reports.
 */
/* Labels: slow */
#include "lang/lang.h"

#include <fenv.h>
#include <locale.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int reports;

static void count_reports(void *data, kata_status status, const char *message)
{
    (void)data, (void)status, (void)message;
    reports++;
}

/* Compiles a text; a module must be freed by the caller. `message` may be NULL. */
static kata_status compile(const char *program, size_t length, lang_module **module, text *message)
{
    messages m = {.handler = count_reports};
    *module = NULL;
    kata_status status = lang_compile("test.kata", program, length, NULL, &m, module);
    if (message) text_add(message, "%s", text_get(&m.body));
    message_free(&m);
    return status;
}

static kata_status status_of(const text *program)
{
    lang_module *module;
    kata_status status = compile(text_get(program), program->length, &module, NULL);
    lang_module_free(module);
    return status;
}

static lang_module *compile_well(const char *program)
{
    lang_module *module;
    assert_int_equal(compile(program, strlen(program), &module, NULL), KATA_OK);
    return module;
}

/* ---- limits ---------------------------------------------------------------------------------- */

enum { DEEP = 100000 };

static void test_deep_nesting_is_refused(void **state)
{
    (void)state;
    static const char *const openers[] = {"(",
                                          "-",
                                          "!",
                                          "{",
                                          "if (u > 0) ",
                                          "(float)",
                                          "sqrt(",
                                          "u[",
                                          "1 + (",
                                          "u ? ",
                                          "u ? 1 : ",
                                          "for (v = 0; v < 1; v++) ",
                                          "if (u) ; else "};
    for (size_t i = 0; i < COUNT_OF(openers); i++)
        for (int statement = 0; statement < 2; statement++) {
            text program = {0};
            text_add(&program, "kernel f(in double u, out double v)\n{\n    %s",
                     statement ? "" : "v = ");
            for (int n = 0; n < DEEP; n++) text_add(&program, "%s", openers[i]);
            kata_status status = status_of(&program);
            assert_true(status == KATA_ERROR_LIMIT || status == KATA_ERROR_KERNEL);
            text_free(&program);
        }
}

static void test_long_chains_are_refused(void **state)
{
    (void)state;
    static const char *const links[] = {" + u", "*u", " && u", "[1]", " - (u)"};
    for (size_t i = 0; i < COUNT_OF(links); i++) {
        text program = {0};
        text_add(&program, "kernel f(in double u, out double v)\n{\n    v = u");
        for (int n = 0; n < DEEP; n++) text_add(&program, "%s", links[i]);
        text_add(&program, ";\n}\n");
        assert_int_not_equal(status_of(&program), KATA_OK);
        text_free(&program);
    }
}

static void test_too_much_text_is_refused(void **state)
{
    (void)state;
    text message = {0};
    lang_module *module;
    size_t length = LANG_MAX_TEXT + 1;
    char *blanks = malloc(length);
    assert_non_null(blanks);
    memset(blanks, ' ', length);
    assert_int_equal(compile(blanks, length, &module, &message), KATA_ERROR_LIMIT);
    assert_string_equal(
        text_get(&message),
        "error: test.kata: the text has 4194305 bytes, more than the 4194304 allowed");
    assert_int_equal(compile(blanks, length - 1, &module, NULL), KATA_OK);
    lang_module_free(module);
    text_free(&message);
    free(blanks);
}

static void test_large_files_are_refused_by_what_they_contain(void **state)
{
    (void)state;
    text sums = {0}, names = {0};
    while (sums.length < LANG_MAX_TEXT - 100)
        text_add(&sums, "const double c%zu = 1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1;\n",
                 sums.length);
    assert_int_equal(status_of(&sums), KATA_ERROR_LIMIT);
    while (names.length < LANG_MAX_TEXT - 100)
        text_add(&names, "const int name%zu = 1;\n", names.length);
    assert_int_equal(status_of(&names), KATA_OK);
    text_free(&sums);
    text_free(&names);
}

static void test_inlining_is_limited_over_all_kernels(void **state)
{
    (void)state;
    text program = {0};
    text_add(&program, "static double h0(double x) { return x; }\n");
    for (int i = 1; i <= 14; i++)
        text_add(&program, "static double h%d(double x) { return h%d(x) + h%d(x); }\n", i, i - 1,
                 i - 1);
    for (int i = 0; i < 1000; i++)
        text_add(&program, "kernel k%d(in double u, out double v) { v = h14(u); }\n", i);
    assert_int_equal(status_of(&program), KATA_ERROR_LIMIT);
    text_free(&program);
}

/* ---- the caller's environment ---------------------------------------------------------------- */

static double only_constant(const lang_module *module)
{
    const ir_graph *g = &module->kernels[0]->graph;
    for (ir_id id = 1; id < g->count; id++)
        if (g->nodes[id].op == IR_CONST) return g->nodes[id].value.f64;
    return 0;
}

static const char a_third[] = "kernel f(out double v) { v = 0.1 + 1.0/3; }";

static void test_rounding_of_the_program_does_not_matter(void **state)
{
    (void)state;
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        fesetround(modes[i]);
        lang_module *module = compile_well(a_third);
        assert_int_equal(fegetround(), modes[i]);
        fesetround(FE_TONEAREST);
        double constant = only_constant(module);
        lang_module_free(module);
        assert_true(constant == 0.1 + 1.0 / 3);
    }
}

static void test_locale_of_the_program_does_not_matter(void **state)
{
    (void)state;
    static const char *const commas[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "fr_FR"};
    bool found = false;
    for (size_t i = 0; i < COUNT_OF(commas) && !found; i++)
        found = setlocale(LC_NUMERIC, commas[i]);
    if (!found) skip();
    lang_module *module = compile_well("kernel f(out double v) { v = 1.5e0; }");
    setlocale(LC_NUMERIC, "C");
    assert_true(only_constant(module) == 1.5);
    lang_module_free(module);
}

/* ---- text, reports and results --------------------------------------------------------------- */

static void test_text_need_not_end_with_a_zero(void **state)
{
    (void)state;
    static const char program[] = "const int n = 12;";
    for (size_t length = 0; length < sizeof program; length++) {
        char *exact = malloc(length + !length);
        assert_non_null(exact);
        memcpy(exact, program, length);
        lang_module *module;
        kata_status status = compile(exact, length, &module, NULL);
        lang_module_free(module);
        free(exact);
        assert_int_equal(status, length == 0 || length == 17 ? KATA_OK : KATA_ERROR_KERNEL);
    }
}

static void test_an_error_is_reported_once_and_leaves_the_result_alone(void **state)
{
    (void)state;
    static const char program[] = "kernel f(in double u, out double v) { v = x + y; w = z; }";
    messages m = {.handler = count_reports};
    lang_module *before = (lang_module *)&m, *module = before;
    reports = 0;
    assert_int_equal(lang_compile("test.kata", program, strlen(program), NULL, &m, &module),
                     KATA_ERROR_KERNEL);
    assert_ptr_equal(module, before);
    assert_int_equal(reports, 1);
    message_free(&m);
}

static void test_byte_order_mark_and_line_ends_of_windows_are_taken(void **state)
{
    (void)state;
    lang_module *module =
        compile_well("\xEF\xBB\xBFkernel f(out int v)\r\n{\r\n    v = 1;\r\n}\r\n");
    assert_int_equal(module->count, 1);
    lang_module_free(module);
}

static void test_kernels_keep_their_order_and_tree(void **state)
{
    (void)state;
    lang_module *module = compile_well("kernel b(out int v) { v = 1; }\n"
                                       "static int h() { return 2; }\n"
                                       "kernel a(in double u, out double v) { v = u*u + h(); }\n");
    assert_int_equal(module->count, 2);
    assert_string_equal(module->kernels[0]->name, "b");
    assert_string_equal(module->kernels[1]->name, "a");
    const ir_stmt *store = module->kernels[1]->body;
    assert_int_equal(store->kind, IR_STMT_STORE);
    assert_int_equal(store->value->op, IR_FMA);
    assert_int_equal(store->value->arg[0]->kind, IR_EXPR_LOAD);
    assert_int_equal(store->value->arg[2]->arg[0]->kind, IR_EXPR_CALL);
    assert_null(store->next);
    lang_module_free(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deep_nesting_is_refused),
        cmocka_unit_test(test_long_chains_are_refused),
        cmocka_unit_test(test_too_much_text_is_refused),
        cmocka_unit_test(test_large_files_are_refused_by_what_they_contain),
        cmocka_unit_test(test_inlining_is_limited_over_all_kernels),
        cmocka_unit_test(test_rounding_of_the_program_does_not_matter),
        cmocka_unit_test(test_locale_of_the_program_does_not_matter),
        cmocka_unit_test(test_text_need_not_end_with_a_zero),
        cmocka_unit_test(test_an_error_is_reported_once_and_leaves_the_result_alone),
        cmocka_unit_test(test_byte_order_mark_and_line_ends_of_windows_are_taken),
        cmocka_unit_test(test_kernels_keep_their_order_and_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
