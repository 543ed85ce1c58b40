/* A program may have set a locale whose numbers have a comma: texts that the library reads and
 * writes have a point. */
#include "files_world.h"

#include "base/base.h"
#include "machine/machine.h"

#include <ctype.h>
#include <locale.h>

static char folder[] = "/tmp/kata_locale_XXXXXX";

/* The system may have no such locale, and no means to make it. */
static int make_locale(void **state)
{
    (void)state;
    if (!mkdtemp(folder) || chdir(folder)) return -1;
    if (system("localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 >localedef.txt 2>&1") == -1) return -1;
    setenv("LOCPATH", folder, 1);
    setlocale(LC_ALL, "de_DE.UTF-8");
    return 0;
}

static int remove_locale(void **state)
{
    (void)state;
    char command[100];
    setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return chdir("/") || system(command);
}

static bool has_commas(void)
{
    char number[20];
    snprintf(number, sizeof number, "%.1f", 0.5);
    return !strcmp(number, "0,5");
}

static void texts_have_points(void **state)
{
    (void)state;
    if (!has_commas()) skip();
    text t = {0};
    text_add(&t, "%g %.3f", 0.5, 1e3);
    assert_string_equal(text_get(&t), "0.5 1000.000");
    text_free(&t);
    char *end;
    assert_true(parse_real("1.5e3x", &end) == 1500 && *end == 'x');
    assert_true(has_commas()); /* the program's locale stays */
}

static void machines_are_read(void **state)
{
    (void)state;
    static const char *const names[] = {"mppa256", "sw26010", "ipu"};
    if (!has_commas()) skip();
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        machine_emulated m;
        text why = {0};
        assert_true(machine_emulated_find(names[i], &m, &why));
        text_free(&why);
    }
}

/* Whether a digit, a comma and a digit follow one another, elsewhere than in a list of points, as
 * "1.5,2.25". */
static bool has_comma_in_number(const char *words)
{
    for (const char *at = strchr(words, ','); at; at = strchr(at + 1, ','))
        if (at > words && isdigit((unsigned char)at[-1]) && isdigit((unsigned char)at[1]) &&
            at[1 + strspn(at + 1, "0123456789")] != '.')
            return true;
    return false;
}

/* Runs a program with two variables, of which one names a file, and reads that. What a process
 * writes again has a number behind its name. */
static void check(const char *name, const char *other, const char *value)
{
    world w;
    char *words;
    size_t size;
    setenv(name, "written", 1);
    if (other) setenv(other, value, 1);
    open_world(&w);
    kata_grid *g = kata_grid_2d(w.k, 40, 40);
    kata_field *u = kata_field_new(g, "u", KATA_F64);
    kata_module *m =
        kata_module_from_text(w.k, "add", "kernel add(inout double u) { u += 0.25*(ix + 1); }");
    kata_apply(kata_kernel_find(m, "add"), kata_all(g), u);
    kata_flush(w.k);
    close_world(&w);
    unsetenv(name);
    if (other) unsetenv(other);
    assert_int_equal(system("mv written* all"), 0);
    assert_int_equal(file_read("all", 1 << 24, &words, &size), 0);
    assert_non_null(strchr(words, '.'));
    assert_false(has_comma_in_number(words));
    free(words);
}

static void files_have_points(void **state)
{
    (void)state;
    static const char *const forms[] = {"text", "json", "x", "roofline"};
    if (!has_commas()) skip();
    check("KATA_TIMELINE", NULL, NULL);
    check("KATA_TRACE_FILE", "KATA_TRACE", "u@3,4");
    setenv("KATA_EXPLAIN_QUICK", "1", 1);
    for (size_t i = 0; i < COUNT_OF(forms); i++)
        check("KATA_EXPLAIN_FILE", "KATA_EXPLAIN", forms[i]);
    unsetenv("KATA_EXPLAIN_QUICK");
}

static void variables_are_read(void **state)
{
    (void)state;
    if (!has_commas()) skip();
    setenv("KATA_NETWORK", "latency=2.5e-6 loops=1.68", 1);
    check("KATA_EXPLAIN_FILE", "KATA_EXPLAIN", "scaling");
    unsetenv("KATA_NETWORK");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_have_points),
        cmocka_unit_test(machines_are_read),
        cmocka_unit_test(files_have_points),
        cmocka_unit_test(variables_are_read),
    };
    return cmocka_run_group_tests(tests, make_locale, remove_locale);
}
