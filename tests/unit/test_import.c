/* Kernel files that import others: the files that a path may lead to, files that are read once, and
 * texts with their imports behind their end. Other messages are fixtures of tests/language. */
#include "base/base.h"
#include "lang/lang.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Each test starts in an empty folder. */
static char start[4096];
static char folder[] = "import-XXXXXX";

static int enter_empty_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "import-XXXXXX");
    return !getcwd(start, sizeof start) || !mkdtemp(folder) || chdir(folder);
}

static int leave_folder(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return chdir(start) || system(command);
}

static void write_file(const char *path, const char *text)
{
    assert_int_equal(file_write(path, text, strlen(text)), 0);
}

static void keep_message(void *data, kata_status status, const char *message)
{
    (void)status;
    snprintf(data, 4096, "%s", message);
}

static char message[4096];

static kata *open_quietly(void)
{
    message[0] = 0;
    return kata_open(&(kata_options){.handler = keep_message, .handler_data = message});
}

static void expect_load(const char *path, const char *expected)
{
    kata *k = open_quietly();
    kata_module *m = kata_module_load(k, path);
    assert_string_equal(message, expected);
    assert_int_equal(m == NULL, *expected != 0);
    kata_close(k);
}

static void expect_refusal(const char *what, const char *why)
{
    char program[200], expected[1000];
    snprintf(program, sizeof program, "import \"%s\";\n", what);
    write_file("main.kata", program);
    snprintf(expected, sizeof expected,
             "main.kata:1:8: error: cannot import '%s': %s\n    import \"%s\";\n           ^", what,
             why, what);
    expect_load("main.kata", expected);
}

/* ---- what a path may lead to ----------------------------------------------------------------- */

static const char helper[] = "static double twice(double x)\n{\n    return 2*x;\n}\n";

static void test_links_and_what_is_no_plain_file_are_refused(void **state)
{
    (void)state;
    assert_int_equal(mkdir("inside", 0700), 0);
    assert_int_equal(mkdir("folder.kata", 0700), 0);
    write_file("inside/helper.kata", helper);
    write_file("secret.txt", "password\n");
    assert_int_equal(symlink("inside/helper.kata", "link.kata"), 0);
    assert_int_equal(symlink("inside", "linked"), 0);
    assert_int_equal(symlink("secret.txt", "secret.kata"), 0);
    assert_int_equal(symlink("/dev/zero", "zero.kata"), 0);
    assert_int_equal(symlink("nowhere", "lost.kata"), 0);
    assert_int_equal(mkfifo("pipe.kata", 0600), 0);
    expect_refusal("link.kata", "it is reached by a symbolic link");
    expect_refusal("linked/helper.kata", "it is reached by a symbolic link");
    expect_refusal("secret.kata", "it is reached by a symbolic link");
    expect_refusal("zero.kata", "it is reached by a symbolic link");
    expect_refusal("lost.kata", "it is reached by a symbolic link");
    expect_refusal("pipe.kata", "it is not an ordinary file");
    expect_refusal("folder.kata", "Is a directory");
    expect_refusal("inside/helper.kata/x.kata", "Not a directory");
    write_file("main.kata",
               "import \"inside/helper.kata\";\nimport \".//inside/./helper.kata\";\n");
    expect_load("main.kata", "");
}

static void test_long_names_are_refused(void **state)
{
    (void)state;
    char name[300];
    memset(name, 'a', sizeof name);
    strcpy(name + 280, ".kata");
    text program = {0};
    text_add(&program, "import \"%s\";\n", name);
    write_file("main.kata", text_get(&program));
    kata *k = open_quietly();
    assert_null(kata_module_load(k, "main.kata"));
    assert_non_null(strstr(message, ".kata': File name too long"));
    kata_close(k);
    text_free(&program);
}

static void test_paths_start_at_the_importing_file(void **state)
{
    (void)state;
    assert_int_equal(mkdir("a", 0700), 0);
    assert_int_equal(mkdir("a/b", 0700), 0);
    write_file("a/main.kata", "import \"b/one.kata\";\nkernel f(in double u, out double v)\n"
                              "{\n    v = twice(u) + w;\n}\n");
    write_file("a/b/one.kata", "import \"two.kata\";\n");
    write_file("a/b/two.kata", helper);
    expect_load("a/main.kata", "a/main.kata:4:20: error: unknown name 'w'\n"
                               "        v = twice(u) + w;\n"
                               "                       ^");
    write_file("a/b/two.kata", "static double twice(double x) { return y; }\n");
    kata *k = open_quietly();
    assert_null(kata_module_load(k, "a/main.kata"));
    assert_non_null(strstr(message, "a/b/two.kata:1:40: error: unknown name 'y'"));
    assert_non_null(strstr(message, "a/b/one.kata:1:8: note: imported here"));
    assert_non_null(strstr(message, "a/main.kata:1:8: note: imported here"));
    kata_close(k);
}

static void test_the_root_may_be_the_folder(void **state)
{
    (void)state;
    kata *k = open_quietly();
    assert_null(kata_module_from_text(k, "t", "import \"no_such.kata\";", .folder = "/"));
    assert_non_null(strstr(message, "cannot import 'no_such.kata': No such file or directory"));
    kata_error_clear(k);
    assert_null(kata_module_from_text(k, "t", "import \"x.kata\";", .folder = "no/folder"));
    assert_non_null(strstr(message, "cannot import 'x.kata': No such file or directory"));
    kata_close(k);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void write_ring(int count, bool closed)
{
    for (int i = 0; i < count; i++) {
        char path[32], program[64];
        snprintf(path, sizeof path, "f%d.kata", i);
        snprintf(program, sizeof program, "import \"f%d.kata\";\n", i + 1 < count ? i + 1 : 0);
        write_file(path, i + 1 < count || closed ? program : "");
    }
}

static void test_imports_in_a_row_are_limited(void **state)
{
    (void)state;
    write_ring(17, false);
    expect_load("f0.kata", "");
    write_ring(18, false);
    kata *k = open_quietly();
    assert_null(kata_module_load(k, "f0.kata"));
    assert_int_equal(kata_error(k), KATA_ERROR_LIMIT);
    assert_non_null(strstr(message, "f16.kata:1:8: error: cannot import 'f17.kata': imports are "
                                    "nested more than 16 deep"));
    kata_close(k);
}

static void test_a_circle_is_shown_whole(void **state)
{
    (void)state;
    write_ring(3, true);
    expect_load("f0.kata", "f2.kata:1:8: error: 'f0.kata' imports itself, by way of 'f2.kata'\n"
                           "    import \"f0.kata\";\n"
                           "           ^\n"
                           "  put what both need into a file of its own\n"
                           "f1.kata:1:8: note: imported here\n"
                           "    import \"f2.kata\";\n"
                           "           ^\n"
                           "f0.kata:1:8: note: imported here\n"
                           "    import \"f1.kata\";\n"
                           "           ^");
}

static void test_text_is_limited_in_all(void **state)
{
    (void)state;
    size_t size = LANG_MAX_TEXT / 2;
    char *blanks = malloc(size + 1);
    assert_non_null(blanks);
    memset(blanks, ' ', size);
    blanks[size] = 0;
    write_file("one.kata", blanks);
    write_file("two.kata", blanks);
    write_file("main.kata", "import \"one.kata\";\nimport \"two.kata\";\n");
    expect_load("main.kata", "main.kata:2:8: error: cannot import 'two.kata': with it there are "
                             "more than 4194304 bytes of text\n"
                             "    import \"two.kata\";\n"
                             "           ^");
    free(blanks);
}

/* ---- texts ----------------------------------------------------------------------------------- */

static const char wave[] = "import \"helper.kata\";\n"
                           "const int R = 3;\n"
                           "kernel f(in double u, out double v)\n"
                           "{\n"
                           "    v = R*twice(u);\n"
                           "}\n";

static void test_a_text_imports_from_the_folder_given(void **state)
{
    (void)state;
    assert_int_equal(mkdir("lib", 0700), 0);
    write_file("lib/helper.kata", helper);
    kata *k = open_quietly();
    assert_non_null(kata_module_from_text(k, "wave", wave, .folder = "lib"));
    assert_non_null(kata_module_from_text(k, "wave", wave, .folder = "lib/"));
    assert_true(kata_ok(k));
    assert_null(kata_module_from_text(k, "wave", wave, .folder = "."));
    assert_string_equal(message, "wave:1:8: error: cannot import 'helper.kata': No such file or "
                                 "directory\n    import \"helper.kata\";\n           ^");
    kata_error_clear(k);
    assert_null(kata_module_from_text(k, "wave", wave));
    assert_string_equal(
        message,
        "wave:1:8: error: cannot import 'helper.kata': this text comes from no file\n"
        "    import \"helper.kata\";\n"
        "           ^\n"
        "  load it from a file, or say where its imports are: .folder of kata_module_options");
    kata_error_clear(k);
    assert_null(kata_module_load(k, "wave.kata", .folder = "lib"));
    assert_string_equal(message, "error: kata_module_load: a folder is given, but wave.kata "
                                 "imports from its own");
    assert_int_equal(kata_close(k), KATA_ERROR_ARGUMENT);
}

static double result_of(kata *k, kata_module *m)
{
    double value = 0;
    kata_grid *g = kata_grid_1d(k, 1);
    kata_field *u = kata_field_new(g, "u", KATA_F64), *v = kata_field_like(u, "v");
    double one = 1;
    kata_put(u, kata_all(g), &one, 1);
    kata_apply(kata_kernel_find(m, "f"), kata_all(g), u, v);
    kata_get(v, kata_all(g), &value, 1);
    return value;
}

static void test_a_whole_text_needs_no_files(void **state)
{
    (void)state;
    write_file("helper.kata", helper);
    write_file("wave.kata", wave);
    kata *k = open_quietly();
    kata_module *m = kata_module_load(k, "wave.kata");
    const char *whole = kata_module_text(m);
    assert_non_null(whole);
    char expected[1000];
    snprintf(expected, sizeof expected, "%s#file \"helper.kata\"\n%s", wave, helper);
    assert_string_equal(whole, expected);
    unlink("helper.kata");
    kata_module *again = kata_module_from_text(k, "wave", whole, .constants = "R=5");
    assert_string_equal(kata_module_text(again), whole);
    assert_true(result_of(k, m) == 6);
    assert_true(result_of(k, again) == 10);
    assert_int_equal(kata_close(k), KATA_OK);
}

static void test_a_text_that_can_be_no_part_is_refused(void **state)
{
    (void)state;
    write_file("main.kata", "import \"part.kata\";\n");
    write_file("part.kata", "/*\n#file \"x.kata\"\n*/\n");
    kata *k = open_quietly();
    kata_module *m = kata_module_load(k, "main.kata");
    assert_non_null(m);
    assert_null(kata_module_text(m));
    assert_string_equal(message, "error: kata_module_text: part.kata has a line that begins with "
                                 "#file \", or a zero byte: it cannot be a part of a text");
    assert_int_equal(kata_close(k), KATA_ERROR_KERNEL);
    assert_null(kata_module_text(NULL));
}

/* ---- imported kernels at work ---------------------------------------------------------------- */

static void test_what_fails_at_a_point_names_the_imported_file(void **state)
{
    (void)state;
    write_file("helper.kata", "static double twice(double x)\n{\n"
                              "    assert(x < 1, \"too much\");\n    return 2*x;\n}\n");
    write_file("wave.kata", wave);
    static const char *const executors[] = {"reference", "cpu"};
    for (int i = 0; i < 2; i++) {
        message[0] = 0;
        kata *k = kata_open(&(kata_options){
            .handler = keep_message, .handler_data = message, .executor = executors[i]});
        kata_module *m = kata_module_load(k, "wave.kata");
        result_of(k, m);
        assert_int_equal(kata_error(k), KATA_ERROR_ASSERT);
        assert_non_null(strstr(message, "helper.kata:3:"));
        assert_non_null(strstr(message, "wave.kata:1:8: note: imported here"));
        kata_close(k);
    }
}

static void test_lines_of_compiled_kernels_lead_to_the_imported_file(void **state)
{
    (void)state;
    write_file("helper.kata", helper);
    write_file("wave.kata", wave);
    setenv("KATA_DEBUG_LINES", "1", 1);
    kata *k = open_quietly();
    kata_module *m = kata_module_load(k, "wave.kata");
    assert_true(result_of(k, m) == 6);
    unsetenv("KATA_DEBUG_LINES");
    assert_int_equal(kata_close(k), KATA_OK);
    assert_int_equal(system("grep -qE '^#line 3 \".*/helper.kata\"' \"$KATA_CACHE_DIR\"/*.c"), 0);
    assert_int_equal(system("grep -qE '^#line 5 \".*/wave.kata\"' \"$KATA_CACHE_DIR\"/*.c"), 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_empty_folder, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_links_and_what_is_no_plain_file_are_refused),
        IN_FOLDER(test_long_names_are_refused),
        IN_FOLDER(test_paths_start_at_the_importing_file),
        IN_FOLDER(test_the_root_may_be_the_folder),
        IN_FOLDER(test_imports_in_a_row_are_limited),
        IN_FOLDER(test_a_circle_is_shown_whole),
        IN_FOLDER(test_text_is_limited_in_all),
        IN_FOLDER(test_a_text_imports_from_the_folder_given),
        IN_FOLDER(test_a_whole_text_needs_no_files),
        IN_FOLDER(test_a_text_that_can_be_no_part_is_refused),
        IN_FOLDER(test_what_fails_at_a_point_names_the_imported_file),
        IN_FOLDER(test_lines_of_compiled_kernels_lead_to_the_imported_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
