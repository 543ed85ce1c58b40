/* A cache folder that was asked for and cannot be used: said once, and compiled kernels lie
 * elsewhere meanwhile. */
#include "kata/kata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char said[2000];
static int times;

static void keep(void *data, kata_status status, const char *message)
{
    (void)data;
    assert_int_equal(status, KATA_OK);
    snprintf(said, sizeof said, "%s", message);
    times++;
}

static kata *open_with(const char *cache, bool no_warnings)
{
    said[0] = 0;
    times = 0;
    return kata_open(&(kata_options){
        .cache = cache, .handler = keep, .no_warnings = no_warnings, .executor = "cpu"});
}

static void compile_in(kata *k, const char *number)
{
    char program[100];
    double value = 0;
    snprintf(program, sizeof program, "kernel one(out double u) { u = %s; }", number);
    kata_grid *g = kata_grid_1d(k, 1);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_apply(kata_kernel_find(kata_module_from_text(k, "k", program), "one"), kata_all(g), u);
    assert_int_equal(kata_get(u, kata_all(g), &value, 1), KATA_OK);
    assert_true(value == strtod(number, NULL));
}

static void expect_warning(const char *folder, const char *why)
{
    char expected[1000];
    snprintf(expected, sizeof expected,
             "warning: the cache folder '%s' cannot be used: %s\n  compiled kernels are in "
             "/tmp/katagami-",
             folder, why);
    assert_memory_equal(said, expected, strlen(expected));
    const char *rest = said + strlen(expected) + 6;
    assert_string_equal(rest, " until the context is closed; set KATA_CACHE_DIR to a folder of "
                              "your own");
    assert_int_equal(times, 1);
}

static char shared[] = "/tmp/kata_shared_XXXXXX";

static int make_shared(void **state)
{
    (void)state;
    unsetenv("TMPDIR");
    return !mkdtemp(shared) || chmod(shared, 0777);
}

static int remove_shared(void **state)
{
    (void)state;
    return rmdir(shared);
}

static void an_unusable_folder_is_said_once(void **state)
{
    (void)state;
    kata *k = open_with(shared, false);
    assert_int_equal(times, 0); /* nothing was compiled yet */
    compile_in(k, "1.25");
    expect_warning(shared, "others may write to it");
    compile_in(k, "2.25");
    assert_int_equal(times, 1);
    assert_int_equal(kata_close(k), KATA_OK);
    k = open_with("/dev/null", false);
    compile_in(k, "1.25");
    expect_warning("/dev/null", "it is not a folder");
    kata_close(k);
    k = open_with("/proc/nothing/here", false);
    compile_in(k, "1.25");
    expect_warning("/proc/nothing/here", "No such file or directory");
    kata_close(k);
}

static void the_environment_s_folder_too(void **state)
{
    (void)state;
    char *before = strdup(getenv("KATA_CACHE_DIR"));
    assert_non_null(before);
    setenv("KATA_CACHE_DIR", shared, 1);
    kata *k = open_with(NULL, false);
    setenv("KATA_CACHE_DIR", before, 1);
    free(before);
    compile_in(k, "1.25");
    expect_warning(shared, "others may write to it");
    kata_close(k);
}

static void nothing_is_said_where_no_warnings_are_wanted(void **state)
{
    (void)state;
    kata *k = open_with(shared, true);
    compile_in(k, "1.25");
    assert_int_equal(times, 0);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void a_folder_that_serves_is_no_matter(void **state)
{
    (void)state;
    kata *k = open_with(NULL, false);
    compile_in(k, "1.25");
    assert_int_equal(times, 0);
    assert_int_equal(kata_close(k), KATA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unusable_folder_is_said_once),
        cmocka_unit_test(the_environment_s_folder_too),
        cmocka_unit_test(nothing_is_said_where_no_warnings_are_wanted),
        cmocka_unit_test(a_folder_that_serves_is_no_matter),
    };
    return cmocka_run_group_tests(tests, make_shared, remove_shared);
}
