/* What a handler receives about a kernel text: one message, with all its errors or all its
 * warnings.
 */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct report {
    int count;
    kata_status status;
    char message[1000];
} report;

static void keep(void *data, kata_status status, const char *message)
{
    report *r = data;
    r->count++;
    r->status = status;
    snprintf(r->message, sizeof r->message, "%s", message);
}

static kata *open_with(report *r, bool no_warnings)
{
    kata_options options = {.handler = keep, .handler_data = r, .no_warnings = no_warnings};
    *r = (report){0};
    return kata_open(&options);
}

static const char careless[] = "kernel f(in double u, out double v, double c) { v = u; }\n"
                               "kernel g(in double u, out double v) { double x = 1; v = u; }\n";

static void test_errors_come_in_one_message_with_the_status_of_the_first(void **state)
{
    (void)state;
    report r;
    kata *k = open_with(&r, false);
    assert_null(kata_module_from_text(k, "two.kata",
                                      "kernel f(in double u, out double v, int n) { v = a; }\n"
                                      "kernel g(in double u, out double v) { v = b; }\n"));
    assert_int_equal(r.count, 1);
    assert_int_equal(r.status, KATA_ERROR_KERNEL);
    assert_string_equal(r.message, "two.kata:1:50: error: unknown name 'a'\n"
                                   "    kernel f(in double u, out double v, int n) { v = a; }\n"
                                   "                                                     ^\n"
                                   "two.kata:2:43: error: unknown name 'b'\n"
                                   "    kernel g(in double u, out double v) { v = b; }\n"
                                   "                                              ^\n"
                                   "2 errors in two.kata");
    assert_string_equal(kata_error_message(k), r.message);
    assert_int_equal(kata_close(k), KATA_ERROR_KERNEL);
}

static void test_warnings_come_in_one_message_and_leave_the_context_alone(void **state)
{
    (void)state;
    report r;
    kata *k = open_with(&r, false);
    assert_non_null(kata_module_from_text(k, "careless.kata", careless));
    assert_int_equal(r.count, 1);
    assert_int_equal(r.status, KATA_OK);
    assert_non_null(strstr(r.message, "careless.kata:1:44: warning: parameter 'c' is not used\n"));
    assert_non_null(strstr(r.message, "careless.kata:2:46: warning: 'x' is not used\n"));
    assert_non_null(strstr(r.message, "\n2 warnings in careless.kata"));
    assert_true(kata_ok(k));
    assert_string_equal(kata_error_message(k), "");

    assert_non_null(kata_module_from_text(k, "good.kata", "kernel f(out double v) { v = 1; }"));
    assert_int_equal(r.count, 1);
    assert_null(kata_module_from_text(k, "bad.kata", "kernel f(out double v) { v = w; }"));
    assert_int_equal(r.count, 2);
    assert_null(strstr(r.message, "careless"));
    assert_int_equal(kata_close(k), KATA_ERROR_KERNEL);
}

static void test_warnings_can_be_silenced(void **state)
{
    (void)state;
    report r;
    kata *k = open_with(&r, true);
    assert_non_null(kata_module_from_text(k, "careless.kata", careless));
    assert_int_equal(r.count, 0);
    assert_int_equal(kata_close(k), KATA_OK);

    setenv("KATA_WARNINGS", "0", 1);
    k = open_with(&r, false);
    assert_non_null(kata_module_from_text(k, "careless.kata", careless));
    assert_int_equal(r.count, 0);
    assert_int_equal(kata_close(k), KATA_OK);

    setenv("KATA_WARNINGS", "no", 1);
    assert_null(open_with(&r, false));
    assert_string_equal(r.message,
                        "error: the environment variable KATA_WARNINGS is 'no', not 0 or 1");
    unsetenv("KATA_WARNINGS");
}

static void test_a_limit_ends_the_compilation(void **state)
{
    (void)state;
    report r;
    kata *k = open_with(&r, false);
    char *text = calloc(1, 4000);
    assert_non_null(text);
    strcpy(text, "kernel f(out double v) { v = a; v = ");
    memset(text + strlen(text), '(', 2000);
    strcat(text, ";\n}\nkernel g(out double v) { v = b; }\n");
    assert_null(kata_module_from_text(k, "deep.kata", text));
    assert_int_equal(r.status, KATA_ERROR_LIMIT);
    assert_null(strstr(r.message, "unknown name"));
    kata_close(k);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors_come_in_one_message_with_the_status_of_the_first),
        cmocka_unit_test(test_warnings_come_in_one_message_and_leave_the_context_alone),
        cmocka_unit_test(test_warnings_can_be_silenced),
        cmocka_unit_test(test_a_limit_ends_the_compilation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
