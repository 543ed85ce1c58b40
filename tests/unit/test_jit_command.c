/* A compiler may be named with arguments. They reach it, in the right order among the other flags;
 * what is compiled with others is compiled anew; and what cannot be understood is refused. */
/* Labels: compiler */
#include "jit/jit_private.h"
#include "jit_world.h"

#include <stdarg.h>

static int set_up(void **state)
{
    char *path = strdup("/tmp/kata command_XXXXXX"); /* with a blank */
    *state = path;
    return path && mkdtemp(path) ? 0 : -1;
}

static int tear_down(void **state)
{
    remove_folder(*state);
    free(*state);
    return 0;
}

static void keep(void *data, kata_status status, const char *message)
{
    if (status) text_add(data, "%s", message);
}

static kata_status compile_text(const char *compiler, const char *cache, jit_effort effort,
                                const char *program, text *message)
{
    messages m = {.handler = keep, .handler_data = message};
    jit *j;
    jit_job *job;
    void *library;
    text c_text = {0};
    const jit_function function = {.name = "one", .text = "0123", .effort = effort};
    text_add(&c_text, "%s", program);
    assert_int_equal(jit_open(compiler, cache, &m, &j), KATA_OK);
    kata_status status = jit_start(j, &c_text, &function, 1, JIT_SOON, &m, &job);
    if (!status) status = jit_finish(j, job, &m, &library);
    jit_close(j);
    message_free(&m);
    return status;
}

static kata_status compile(const char *compiler, const char *cache, jit_effort effort,
                           text *message)
{
    return compile_text(compiler, cache, effort, "int one(void) { return 1; }\n", message);
}

/* A compiler that adds each of its calls as a line to a file. */
static const char *write_recorder(const char *folder)
{
    char script[500];
    snprintf(
        script, sizeof script,
        "if [ \"$*\" = \"${*%%--version}\" ]; then for a; do printf '[%%s]' \"$a\"; done; echo; fi"
        " >>'%s/calls'\nexec gcc \"$@\"",
        folder);
    return write_script(folder, script);
}

static char *calls_in(const char *folder)
{
    char path[200], *calls = NULL;
    size_t size;
    snprintf(path, sizeof path, "%s/calls", folder);
    assert_int_equal(file_read(path, 1 << 20, &calls, &size), 0);
    return calls;
}

static int count_lines(const char *calls)
{
    int count = 0;
    for (; *calls; calls++) count += *calls == '\n';
    return count;
}

static void arguments_reach_the_compiler(void **state)
{
    char named[400];
    text message = {0};
    snprintf(named, sizeof named, " \"%s\"  -O1 '-DA=b c'\t-DQ=\\\"d\\\\e\\\" \"-DF=it's\" ",
             write_recorder(*state));
    assert_int_equal(compile(named, *state, JIT_FULL, &message), KATA_OK);
    char *calls = calls_in(*state);
    assert_int_equal(count_lines(calls), 1);
    const char *own = strstr(calls, "[-O1][-DA=b c][-DQ=\"d\\e\"][-DF=it's]");
    const char *before = strstr(calls, "[-O3]"), *behind = strstr(calls, "[-ffp-contract=off]");
    assert_true(own && before && behind && before < own && own < behind);
    free(calls);
    text_free(&message);
}

static void other_arguments_are_another_compiler(void **state)
{
    static const char *const arguments[] = {"",         " -O1",           " -O2",
                                            " -O1 -DA", " -O1 '-DA -DB'", " -O1 -DA -DB"};
    char named[400];
    const char *recorder = write_recorder(*state);
    for (int turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < COUNT_OF(arguments); i++) {
            snprintf(named, sizeof named, "'%s'%s", recorder, arguments[i]);
            assert_int_equal(compile(named, *state, JIT_FULL, NULL), KATA_OK);
        }
    char *calls = calls_in(*state);
    assert_int_equal(count_lines(calls), COUNT_OF(arguments));
    free(calls);
}

/* The path of a program is that program, blanks and all. */
static void a_path_may_have_blanks(void **state)
{
    assert_int_equal(compile(write_recorder(*state), *state, JIT_FULL, NULL), KATA_OK);
    char *calls = calls_in(*state);
    assert_int_equal(count_lines(calls), 1);
    free(calls);
}

/* The compiler starts in another folder than the program. */
static void a_path_may_begin_here(void **state)
{
    char *before = getcwd(NULL, 0);
    write_recorder(*state);
    assert_int_equal(chdir(*state), 0);
    assert_int_equal(compile("./cc.sh -O1", "here", JIT_FULL, NULL), KATA_OK);
    assert_int_equal(count_in("here", ""), 5);
    assert_int_equal(chdir(before), 0);
    free(before);
}

/* Neither when it was just compiled nor when it is found in the cache. */
static void code_for_another_processor_is_not_run(void **state)
{
    const char *program = "int one(void) { return 1; }\nconst int abi_needs = 1 << 30;\n";
    for (int turn = 0; turn < 2; turn++) {
        text message = {0};
        assert_int_equal(compile_text("gcc", *state, JIT_FULL, program, &message),
                         KATA_ERROR_COMPILER);
        assert_non_null(strstr(text_get(&message), "instructions that this processor lacks"));
        text_free(&message);
    }
}

static void what_wraps_a_compiler_counts_with_it(void **state)
{
    char compiler[200], wrapper[200], named[420];
    const char *lines = "#!/bin/sh\nexec gcc \"$@\"\n", *more = "#!/bin/sh\n\nexec gcc \"$@\"\n";
    snprintf(compiler, sizeof compiler, "%s/inner", (char *)*state);
    snprintf(wrapper, sizeof wrapper, "%s/outer", (char *)*state);
    snprintf(named, sizeof named, "'%s' '%s'", wrapper, compiler);
    assert_int_equal(file_write(wrapper, "#!/bin/sh\nexec \"$@\"\n", 20), 0);
    assert_int_equal(file_write(compiler, lines, strlen(lines)), 0);
    assert_int_equal(chmod(wrapper, 0700) || chmod(compiler, 0700), 0);
    assert_int_equal(compile(named, *state, JIT_FULL, NULL), KATA_OK);
    assert_int_equal(compile(named, *state, JIT_FULL, NULL), KATA_OK);
    int before = count_in(*state, "");
    assert_int_equal(file_write(compiler, more, strlen(more)), 0); /* another compiler */
    assert_int_equal(compile(named, *state, JIT_FULL, NULL), KATA_OK);
    assert_true(count_in(*state, "") > before);
}

static void expect_refusal(const char *compiler, const char *cache, const char *why)
{
    char expected[300];
    text message = {0};
    assert_int_equal(compile(compiler, cache, JIT_FULL, &message), KATA_ERROR_COMPILER);
    snprintf(expected, sizeof expected, "error: the C compiler '%s' cannot be run%s\n  install",
             compiler, why);
    assert_memory_equal(text_get(&message), expected, strlen(expected));
    text_free(&message);
}

static void what_is_not_understood_is_refused(void **state)
{
    const char *math = ": -Ofast, -ffast-math and what they are made of change results";
    const char *other = ": it is called to make a shared library, and arguments such as -c, -S, -E "
                        "and -o have it make something else";
    static const char *const others[] = {"gcc -c",     "gcc -O1 -S",  "ccache gcc -E",
                                         "gcc -o out", "gcc -static", "gcc --version"};
    char many[300] = "gcc";
    for (int i = 0; i < 60; i++) strcat(many, " -w");
    expect_refusal("gcc '-O1", *state, ": a quote is not closed");
    expect_refusal("gcc \"-O1", *state, ": a quote is not closed");
    expect_refusal("  ", *state, ": it is blank");
    expect_refusal(many, *state, ": it has too many arguments");
    expect_refusal("gcc -Ofast", *state, math);
    expect_refusal("gcc -O1 -ffast-math", *state, math);
    for (size_t i = 0; i < COUNT_OF(others); i++) expect_refusal(others[i], *state, other);
    expect_refusal("no-such-compiler -O1", *state, "");
    expect_refusal("gcc;touch broken", *state, "");
    assert_int_not_equal(access("broken", F_OK), 0);
}

/* Plain functions have fewer passes. Arguments of the compiler may need libraries. */
static void plain_functions_are_compiled_lightly(void **state)
{
    const char *recorder = write_recorder(*state);
    char named[300];
    snprintf(named, sizeof named, "'%s' -DX", recorder);
    assert_int_equal(compile(recorder, *state, JIT_LIGHT, NULL), KATA_OK);
    assert_int_equal(compile(named, *state, JIT_LIGHT, NULL), KATA_OK);
    char *calls = calls_in(*state), *second = strchr(calls, '\n') + 1;
    assert_int_equal(count_lines(calls), 2);
    assert_null(strstr(calls, "[-O3]"));
    assert_non_null(strstr(calls, "[-O1]"));
#if defined(__x86_64__)
    assert_non_null(strstr(calls, "[-nostdlib]"));
#endif
    assert_null(strstr(second, "[-nostdlib]"));
    free(calls);
}

/* Another compiler, that calls itself neither gcc nor clang. */
static void a_compiler_that_refuses_fewer_passes_has_all(void **state)
{
    const char *picky =
        write_script(*state, "for a; do [ \"$a\" = -ftree-vrp ] && exit 1; done\nexec gcc \"$@\"");
    assert_int_equal(compile(picky, *state, JIT_LIGHT, NULL), KATA_OK);
}

/* A function with all passes, by another compiler that refuses a flag of gcc. */
static void a_compiler_that_refuses_a_flag_of_gcc_is_called_without(void **state)
{
    const char *picky =
        write_script(*state, "for a; do [ \"$a\" = -fno-tree-loop-distribute-patterns ] && exit 1; "
                             "done\nexec gcc \"$@\"");
    assert_int_equal(compile(picky, *state, JIT_FULL, NULL), KATA_OK);
}

/* Functions too large for all passes have flags, and libraries, of their own. */
static void large_functions_are_compiled_briefly(void **state)
{
    const char *recorder = write_recorder(*state);
    for (int i = 0; i < 4; i++)
        assert_int_equal(compile(recorder, *state, i % 2 ? JIT_BRIEF : JIT_FULL, NULL), KATA_OK);
    char *calls = calls_in(*state), *second = strchr(calls, '\n') + 1;
    assert_int_equal(count_lines(calls), 2);
    assert_non_null(strstr(calls, "[-O3]"));
    assert_null(strstr(second, "[-O3]"));
    assert_non_null(strstr(second, "[-O1]"));
    free(calls);
}

static void clang_compiles_with_less_effort_too(void **state)
{
    text path = {0};
    jit_compiler_list(&path);
    for (jit_effort effort = JIT_LIGHT; effort <= JIT_BRIEF; effort++)
        if (strstr(text_get(&path), "clang"))
            assert_int_equal(compile("clang", *state, effort, NULL), KATA_OK);
    text_free(&path);
}

/* A library without the function is not kept, whatever the compiler says of it. */
static void a_function_that_is_missing_is_the_compiler_s_fault(void **state)
{
    static const char other[] = "int other(void) { return 1; }\n";
    text message = {0};
    char path[4096];
    assert_int_equal(compile_text("gcc", *state, JIT_FULL, other, &message), KATA_ERROR_COMPILER);
    assert_non_null(strstr(text_get(&message), "the C compiler failed"));
    assert_non_null(strstr(text_get(&message), "what it made has no function one"));
    assert_false(file_in(*state, ".so", path)[0]);
    text_free(&message);
}

/* That tells its version, for ever. */
static void a_compiler_is_not_waited_for_once_it_is_to_stop(void **state)
{
    static const char *const none[] = {NULL};
    static char *const no_environment[] = {NULL};
    static const _Atomic bool stop = true;
    const jit_command compiler = {.path = write_script(*state, "exec sleep 1000"),
                                  .arguments = none};
    text line = {0};
    jit_compiler_version(&compiler, &(jit_process){.environment = no_environment, .stop = &stop},
                         &line);
    assert_string_equal(text_get(&line), "");
    text_free(&line);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(arguments_reach_the_compiler),
        TEST(other_arguments_are_another_compiler),
        TEST(a_path_may_have_blanks),
        TEST(a_path_may_begin_here),
        TEST(code_for_another_processor_is_not_run),
        TEST(what_wraps_a_compiler_counts_with_it),
        TEST(what_is_not_understood_is_refused),
        TEST(plain_functions_are_compiled_lightly),
        TEST(a_compiler_that_refuses_fewer_passes_has_all),
        TEST(a_compiler_that_refuses_a_flag_of_gcc_is_called_without),
        TEST(large_functions_are_compiled_briefly),
        TEST(clang_compiles_with_less_effort_too),
        TEST(a_function_that_is_missing_is_the_compiler_s_fault),
        TEST(a_compiler_is_not_waited_for_once_it_is_to_stop),
    };
    unsetenv("KATA_CC");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
