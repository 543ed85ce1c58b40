/* What the environment switches on to find errors: applications that run at once, values that show
 * that they were never set, compiled kernels that lead to the lines of the kernel file. */
/* Labels: hostile */
#include "kata/kata.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char kernels[] = "kernel one(out double u) { u = 1; }\n"
                              "kernel edges(in double u, in int n, out double v, out int m)\n"
                              "{\n"
                              "    double sum = u[-1,0]*u[0,1];\n"
                              "    v = ix > 0 && iy < ny - 1 ? sum + u[-1,1] : u;\n"
                              "    m = n[1,0];\n"
                              "}\n";

static void keep_message(void *data, kata_status status, const char *message)
{
    (void)status;
    snprintf(data, 512, "%s", message);
}

/* ---- eager ----------------------------------------------------------------------------------- */

static int64_t loops_done_after_one_application(void)
{
    kata_work work;
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_2d(k, 4, 3);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_module *m = kata_module_from_text(k, "k.kata", kernels);
    kata_apply(kata_kernel_find(m, "one"), kata_all(g), u);
    kata_work_done(k, &work);
    assert_int_equal(kata_close(k), KATA_OK);
    return work.loops;
}

static void test_eager_applications_run_at_once(void **state)
{
    (void)state;
    assert_int_equal(loops_done_after_one_application(), 0);
    setenv("KATA_EAGER", "1", 1);
    assert_int_equal(loops_done_after_one_application(), 1);
    setenv("KATA_EAGER", "0", 1);
    assert_int_equal(loops_done_after_one_application(), 0);
    unsetenv("KATA_EAGER");
}

static void test_a_switch_is_0_or_1(void **state)
{
    (void)state;
    static const char *const names[] = {"KATA_EAGER", "KATA_POISON", "KATA_DEBUG_LINES"};
    for (int i = 0; i < 3; i++) {
        char message[512] = "", expected[256];
        setenv(names[i], "yes", 1);
        assert_null(kata_open(&(kata_options){.handler = keep_message, .handler_data = message}));
        snprintf(expected, sizeof expected,
                 "error: the environment variable %s is 'yes', not 0 or 1", names[i]);
        assert_string_equal(message, expected);
        unsetenv(names[i]);
    }
}

/* What is said when a context is opened with a variable, and whether it opens. */
static bool opens_with(const char *name, const char *value, char said[512])
{
    said[0] = '\0';
    setenv(name, value, 1);
    kata *k = kata_open(&(kata_options){.handler = keep_message, .handler_data = said});
    unsetenv(name);
    if (k) assert_int_equal(kata_close(k), KATA_OK);
    return k;
}

static void test_a_misspelt_variable_is_said(void **state)
{
    (void)state;
    char said[512];
    assert_true(opens_with("KATA_EXECUTER", "reference", said));
    assert_string_equal(said, "warning: the environment variable KATA_EXECUTER has no effect\n"
                              "  did you mean KATA_EXECUTOR?");
    assert_true(opens_with("KATA_MINE", "1", said)); /* of the program */
    assert_string_equal(said, "");
    assert_true(opens_with("KATA_MEMORY", "64K", said));
    assert_string_equal(said, "");
}

static void test_a_file_for_what_is_not_asked_for_is_said(void **state)
{
    (void)state;
    char said[512];
    assert_true(opens_with("KATA_EXPLAIN_FILE", "plans.txt", said));
    assert_string_equal(said, "warning: the environment variable KATA_EXPLAIN_FILE has no effect "
                              "without KATA_EXPLAIN\n  set KATA_EXPLAIN, too, as in "
                              "KATA_EXPLAIN=text");
    assert_true(opens_with("KATA_TRACE_FILE", "trace.txt", said));
    assert_string_equal(said, "warning: the environment variable KATA_TRACE_FILE has no effect "
                              "without KATA_TRACE\n  set KATA_TRACE, too, as in "
                              "KATA_TRACE=u@12,7");
}

/* What asks for something that is missing is said, and what is wrong in it, too. */
static void test_a_variable_without_effect_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value, *wrong, *needed;
    } variables[] = {{"KATA_SPILL_RATE", "200M", "fast", "KATA_MEMORY"},
                     {"KATA_SPILL", "/tmp", NULL, "KATA_MEMORY"},
                     {"KATA_NETWORK", "latency=2e-6", "latency=none", "KATA_EXPLAIN"},
                     {"KATA_RECORD_FULL", "1", "yes", "KATA_RECORD"},
                     {"KATA_EXPLAIN_QUICK", "1", "yes", "KATA_EXPLAIN"},
                     {"KATA_DEVICE_SHAPE", "x=32", NULL, "KATA_DEVICE"},
                     {"KATA_DEVICE_MPI", "on", NULL, "KATA_DEVICE"},
                     {"KATA_RANKS_NOTE", "30", "soon", NULL}};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        char said[512], expected[256] = "";
        assert_true(opens_with(variables[i].name, variables[i].value, said));
        if (variables[i].needed)
            snprintf(expected, sizeof expected,
                     "warning: the environment variable %s has no effect without %s\n",
                     variables[i].name, variables[i].needed);
        assert_memory_equal(said, expected, strlen(expected) + !*expected);
        if (!variables[i].wrong) continue;
        assert_false(opens_with(variables[i].name, variables[i].wrong, said));
        assert_non_null(strstr(said, variables[i].name));
    }
}

/* Not when the search has ended. */
static void test_a_file_that_cannot_be_written_is_said_at_once(void **state)
{
    (void)state;
    char said[512];
    assert_false(opens_with("KATA_TUNE", "nowhere/plans.txt", said));
    assert_string_equal(said, "error: the environment variable KATA_TUNE names nowhere/plans.txt, "
                              "which cannot be written: No such file or directory");
    assert_true(opens_with("KATA_TUNE", "/dev/null", said));
}

static void test_words_for_ranks_are_checked_on_one_rank(void **state)
{
    (void)state;
    char said[512];
    assert_false(opens_with("KATA_RANKS", "y=2 rubbish", said));
    assert_string_equal(
        said, "error: the environment variable KATA_RANKS is 'y=2 rubbish', not words "
              "such as 'y=2 z=4 every=8 small': ranks along y and z, or a partition of "
              "the grid ('halves', 'rectangles', 'rectangles=2,3', 'tensor' or 'morton'); loops "
              "between two exchanges at most; and that small grids are dealt out, too");
    static const char *const wrong[] = {"halves y=2",     "halves tensor", "halves=2", "mortons",
                                        "rectangles=2,",  "rectangles=",   "half",     "=2",
                                        "rectangles=2,0", "rectangles=-1", "y=",       "x=2"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(opens_with("KATA_RANKS", wrong[i], said));
    assert_true(opens_with("KATA_RANKS", "rectangles=2,3 small", said)); /* for the next mpirun */
    assert_true(opens_with("KATA_RANKS", "y=2 every=8 small", said));
    assert_string_equal(said, "");
}

/* ---- poison ---------------------------------------------------------------------------------- */

static void check_poison(const char *executor)
{
    enum { POINTS = 12 };
    double values[POINTS];
    int integers[POINTS];
    kata *k = kata_open(&(kata_options){.executor = executor});
    kata_grid *g = kata_grid_2d(k, 4, 3);
    kata_field *u = kata_field_new(g, "u", KATA_F64), *n = kata_field_new(g, "n", KATA_I32);
    kata_field *x = kata_field_new(g, "x", KATA_F32, .components = 2);
    kata_module *m = kata_module_from_text(k, "k.kata", kernels);
    kata_get(n, kata_all(g), integers, POINTS);
    for (int i = 0; i < POINTS; i++) assert_int_equal(integers[i], 0x5a5a5a5a);
    double pairs[2 * POINTS];
    kata_get(x, kata_all(g), pairs, 2 * POINTS);
    for (int i = 0; i < 2 * POINTS; i++) assert_true(isnan(pairs[i]));
    /* what the kernel leaves out shows */
    kata_apply(kata_kernel_find(m, "one"), kata_inner(g, 1), u);
    kata_get(u, kata_all(g), values, POINTS);
    for (int i = 0; i < POINTS; i++) assert_int_equal(isnan(values[i]), i != 5 && i != 6);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void test_new_fields_start_poisoned(void **state)
{
    (void)state;
    setenv("KATA_POISON", "1", 1);
    check_poison("cpu");
    check_poison("reference");
    unsetenv("KATA_POISON");
}

/* Values around edges are set before they are read: results are those without poison. */
static void run_edges(double *v, int *w)
{
    double values[12];
    int integers[12];
    for (int i = 0; i < 12; i++) {
        values[i] = i + 1;
        integers[i] = i;
    }
    kata *k = kata_open(NULL);
    kata_grid *g = kata_grid_2d(k, 4, 3);
    kata_field *u = kata_field_new(g, "u", KATA_F64), *r = kata_field_like(u, "r");
    kata_field *n = kata_field_new(g, "n", KATA_I32, .boundary = KATA_ANTISYMMETRIC_FACE);
    kata_field *m = kata_field_like(n, "m");
    kata_module *module = kata_module_from_text(k, "k.kata", kernels);
    kata_put(u, kata_all(g), values, 12);
    kata_put(n, kata_all(g), integers, 12);
    kata_apply(kata_kernel_find(module, "edges"), kata_all(g), u, n, r, m);
    kata_get(r, kata_all(g), v, 12);
    kata_get(m, kata_all(g), w, 12);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void test_poison_changes_no_result_of_what_was_set(void **state)
{
    (void)state;
    double plain[12], poisoned[12];
    int plain_integers[12], poisoned_integers[12];
    run_edges(plain, plain_integers);
    setenv("KATA_POISON", "1", 1);
    run_edges(poisoned, poisoned_integers);
    unsetenv("KATA_POISON");
    assert_memory_equal(plain, poisoned, sizeof plain);
    assert_memory_equal(plain_integers, poisoned_integers, sizeof plain_integers);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static bool cache_contains(const char *folder, const char *words)
{
    bool found = false;
    DIR *all = opendir(folder);
    assert_non_null(all);
    for (struct dirent *entry; (entry = readdir(all));) {
        char path[600], line[400];
        size_t length = strlen(entry->d_name);
        if (length < 2 || strcmp(entry->d_name + length - 2, ".c") != 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = fopen(path, "r");
        while (file && fgets(line, sizeof line, file)) found |= strstr(line, words) != NULL;
        if (file) fclose(file);
    }
    closedir(all);
    return found;
}

static void remove_folder(const char *folder)
{
    DIR *all = opendir(folder);
    assert_non_null(all);
    for (struct dirent *entry; (entry = readdir(all));) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            assert_int_equal(remove(path), 0);
    }
    closedir(all);
    assert_int_equal(rmdir(folder), 0);
}

static void test_compiled_kernels_lead_to_the_lines_of_the_kernel_file(void **state)
{
    (void)state;
    char folder[] = "/tmp/kata_lines_XXXXXX", *cache_before = strdup(getenv("KATA_CACHE_DIR"));
    double values[12];
    int integers[12];
    assert_non_null(mkdtemp(folder));
    setenv("KATA_CACHE_DIR", folder, 1);
    run_edges(values, integers);
    assert_false(cache_contains(folder, "#line"));
    setenv("KATA_DEBUG_LINES", "1", 1);
    run_edges(values, integers);
    unsetenv("KATA_DEBUG_LINES");
    assert_true(cache_contains(folder, "#line 4 \"k.kata\""));
    assert_true(cache_contains(folder, "#line 5 \"k.kata\""));
    assert_true(cache_contains(folder, "#line 6 \"k.kata\""));
    setenv("KATA_CACHE_DIR", cache_before, 1);
    free(cache_before);
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eager_applications_run_at_once),
        cmocka_unit_test(test_a_switch_is_0_or_1),
        cmocka_unit_test(test_a_misspelt_variable_is_said),
        cmocka_unit_test(test_a_file_for_what_is_not_asked_for_is_said),
        cmocka_unit_test(test_a_variable_without_effect_is_said),
        cmocka_unit_test(test_a_file_that_cannot_be_written_is_said_at_once),
        cmocka_unit_test(test_words_for_ranks_are_checked_on_one_rank),
        cmocka_unit_test(test_new_fields_start_poisoned),
        cmocka_unit_test(test_poison_changes_no_result_of_what_was_set),
        cmocka_unit_test(test_compiled_kernels_lead_to_the_lines_of_the_kernel_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
