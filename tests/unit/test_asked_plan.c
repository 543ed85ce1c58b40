/* The plan that a program asks for, by an option or the environment: what cannot be one is refused,
 * and what cannot be used is said. */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void keep_message(void *data, kata_status status, const char *message)
{
    (void)status;
    snprintf(data, 1024, "%s", message);
}

static void check_refused(const char *option, const char *environment, const char *first_line)
{
    char message[1024] = "";
    if (environment) setenv("KATA_PLAN", environment, 1);
    assert_null(kata_open(
        &(kata_options){.plan = option, .handler = keep_message, .handler_data = message}));
    unsetenv("KATA_PLAN");
    message[strcspn(message, "\n")] = '\0';
    assert_string_equal(message, first_line);
}

static void test_what_is_no_plan_is_refused_where_it_comes_from(void **state)
{
    (void)state;
    check_refused("skewed q=1", NULL,
                  "error: the plan is 'skewed q=1', in which 'q=1' means nothing");
    check_refused("", NULL, "error: the plan is '': a method is missing");
    check_refused("y=1", "loops", "error: the plan is 'y=1', in which 'y=1' means nothing");
    check_refused(
        NULL, "y=1",
        "error: the environment variable KATA_PLAN is 'y=1', in which 'y=1' means nothing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_no_plan_is_refused_where_it_comes_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
