/* The cpu executor finds each of many functions by its name, in time that does not grow with their
 * number. */
/* Labels: hostile */
#include "exec/cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static cpu_function number(int i)
{
    cpu_function f = {.run = NULL};
    snprintf(f.id.name, sizeof f.id.name, "kata_%d", i);
    return f;
}

static void each_is_found_by_its_name(void **state)
{
    enum { COUNT = 200000 }; /* which took minutes to find one by one */
    (void)state;
    struct exec_cpu all = {0};
    assert_null(cpu_functions_find(&all, "kata_0"));
    for (int i = 0; i < COUNT; i++) {
        cpu_function f = number(i);
        assert_null(cpu_functions_find(&all, f.id.name));
        assert_true(cpu_functions_add(&all, &f));
    }
    assert_int_equal(all.function_count, COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_ptr_equal(cpu_functions_find(&all, number(i).id.name), &all.functions[i]);
    cpu_functions_free(&all);
    assert_null(cpu_functions_find(&all, "kata_0"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_is_found_by_its_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
