/* Functions come out of the cache whatever stands beside them in a file and whoever compiled them
 * where there is no compiler; and are compiled anew where anything about their entry is wrong. */
/* Labels: compiler */
#include "jit/jit.h"
#include "jit_world.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

typedef int answer_function(void);

static void keep(void *data, kata_status status, const char *message)
{
    (void)status;
    if (data) text_add(data, "%s\n", message);
}

static int set_up(void **state)
{
    char *path = strdup("/tmp/kata_function_XXXXXX");
    *state = path;
    return path && mkdtemp(path) ? 0 : -1;
}

static int tear_down(void **state)
{
    remove_folder(*state);
    free(*state);
    return 0;
}

/* The function that returns a number. */
static jit_function function(int number, text *c_text)
{
    jit_function f = {.effort = JIT_FULL};
    char own[64];
    snprintf(f.name, sizeof f.name, "answer_%d", number);
    int length = snprintf(own, sizeof own, "int %s(void) { return %d; }\n", f.name, number);
    hash_hex(own, (size_t)length, f.text);
    if (c_text) text_add(c_text, "%s", own);
    return f;
}

static int call(void *code)
{
    answer_function *answer;
    memcpy(&answer, &code, sizeof code);
    return answer();
}

/* Compiles functions first to first + count - 1 as one file. */
static bool compile_for(const char *compiler, const char *cache, int first, int count,
                        jit_effort effort, text *message)
{
    messages m = {.handler = keep, .handler_data = message};
    text c_text = {0};
    jit_function functions[8];
    jit *j;
    jit_job *job;
    void *library = NULL;
    bool good = jit_open(compiler, cache, &m, &j) == KATA_OK;
    for (int i = 0; i < count; i++) {
        functions[i] = function(first + i, &c_text);
        functions[i].effort = effort;
    }
    good = good && jit_start(j, &c_text, functions, (size_t)count, JIT_SOON, &m, &job) == KATA_OK &&
           jit_finish(j, job, &m, &library) == KATA_OK;
    for (int i = 0; i < count && good; i++)
        good = call(jit_symbol(library, functions[i].name)) == first + i;
    jit_close(j);
    message_free(&m);
    return good;
}

static bool compile(const char *compiler, const char *cache, int first, int count, text *message)
{
    return compile_for(compiler, cache, first, count, JIT_FULL, message);
}

/* Whether a function is in the cache. */
static bool finds_for(const char *compiler, const char *cache, int number, jit_effort effort)
{
    messages m = {0};
    jit_function f = function(number, NULL);
    f.effort = effort;
    jit *j;
    void *code = NULL;
    assert_int_equal(jit_open(compiler, cache, &m, &j), KATA_OK);
    assert_int_equal(jit_find(j, &f, &code), KATA_OK);
    bool found = code && call(code) == number;
    jit_close(j);
    return found;
}

static bool finds(const char *compiler, const char *cache, int number)
{
    return finds_for(compiler, cache, number, JIT_FULL);
}

/* A plain function is also found where it was compiled with all passes; others are not found where
 * they were compiled with fewer. */
static void whatever_effort_they_were_worth(void **state)
{
    assert_true(compile(NULL, *state, 1, 1, NULL));
    assert_true(finds_for(NULL, *state, 1, JIT_LIGHT));
    assert_false(finds_for(NULL, *state, 1, JIT_BRIEF));
    assert_true(finds_for("/no/such/cc", *state, 1, JIT_LIGHT));
    assert_true(compile_for(NULL, *state, 2, 1, JIT_LIGHT, NULL));
    assert_true(finds_for(NULL, *state, 2, JIT_LIGHT));
    assert_false(finds(NULL, *state, 2));
}

static void whatever_stands_beside_them(void **state)
{
    assert_true(compile(NULL, *state, 1, 3, NULL));
    for (int i = 1; i <= 3; i++) assert_true(finds(NULL, *state, i));
    assert_false(finds(NULL, *state, 4));
    assert_true(compile(NULL, *state, 3, 2, NULL)); /* one of them again */
    for (int i = 1; i <= 4; i++) assert_true(finds(NULL, *state, i));
}

/* A compiler trusts what it has made itself; where there is none, anything serves. */
static void whoever_compiled_them_where_there_is_no_compiler(void **state)
{
    char script[128];
    const char *lines = "#!/bin/sh\nexec cc \"$@\"\n";
    snprintf(script, sizeof script, "%s/cc.sh", (const char *)*state);
    assert_int_equal(file_write(script, lines, strlen(lines)), 0);
    assert_int_equal(chmod(script, 0700), 0);
    assert_true(compile(script, *state, 1, 2, NULL));
    assert_true(finds(script, *state, 2));
    assert_false(finds(NULL, *state, 2));
    assert_true(finds("/no/such/cc", *state, 2));
    assert_false(finds("/no/such/cc", *state, 3));
}

/* Changes all files of an ending. */
static void spoil(const char *folder, const char *ending, bool truncated)
{
    DIR *d = opendir(folder);
    const struct dirent *entry;
    char path[512];
    while ((entry = readdir(d))) {
        size_t length = strlen(entry->d_name), tail = strlen(ending);
        if (length < tail || strcmp(entry->d_name + length - tail, ending) != 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = fopen(path, "r+");
        assert_non_null(file);
        if (truncated) assert_int_equal(ftruncate(fileno(file), 20), 0);
        fseek(file, 10, SEEK_SET);
        fputc('x', file);
        fclose(file);
    }
    closedir(d);
}

static void damaged_entries_are_made_anew(void **state)
{
    static const char *const endings[] = {".key", ".so", ".sum"};
    for (size_t i = 0; i < 2 * COUNT_OF(endings); i++) {
        assert_true(compile(NULL, *state, 1, 2, NULL));
        spoil(*state, endings[i / 2], i % 2);
        assert_false(finds(NULL, *state, 1));
        assert_true(compile(NULL, *state, 1, 2, NULL));
        assert_true(finds(NULL, *state, 1));
    }
}

static int end_of(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Starting cold on one cache, with files that overlap. */
static void processes_may_race(void **state)
{
    pid_t children[4];
    for (int i = 0; i < 4; i++) {
        children[i] = fork();
        if (children[i] == 0) _exit(compile(NULL, *state, 1 + i / 2, 3, NULL) ? 0 : 1);
    }
    for (int i = 0; i < 4; i++) assert_int_equal(end_of(children[i]), 0);
    for (int i = 1; i <= 4; i++) assert_true(finds(NULL, *state, i));
    assert_true(finds("/no/such/cc", *state, 1));
}

static void several_jobs_at_once(void **state)
{
    enum { JOBS = 7 };
    messages m = {0};
    jit *j;
    jit_job *jobs[JOBS];
    jit_function functions[JOBS];
    assert_int_equal(jit_open(NULL, *state, &m, &j), KATA_OK);
    for (int i = 0; i < JOBS; i++) {
        text c_text = {0};
        functions[i] = function(i, &c_text);
        assert_int_equal(jit_start(j, &c_text, &functions[i], 1, JIT_SOON, &m, &jobs[i]), KATA_OK);
    }
    for (int i = 0; i < JOBS; i += 2) {
        void *library;
        assert_int_equal(jit_finish(j, jobs[i], &m, &library), KATA_OK);
        assert_int_equal(call(jit_symbol(library, functions[i].name)), i);
    }
    for (int i = 1; i < JOBS; i += 2) jit_drop(j, jobs[i]);
    jit_close(j);
}

/* As a user who may read the folder of root, but not write to it: kernels there are used, others
 * are compiled in a temporary folder, of which a program that named the folder is told. */
static int read_only(char *folder)
{
    text said = {0};
    if (setuid(65534) || !finds("/no/such/cc", folder, 1) || !finds("/no/such/cc", folder, 2))
        return 1;
    if (!compile(NULL, folder, 5, 1, &said)) return 2;
    bool told = strstr(text_get(&said), "cannot be used: it belongs to another user") != NULL;
    text_free(&said);
    return told ? 0 : 3;
}

/* A home that cannot be written to: nothing is said, for nobody asked for a cache there. */
static int read_only_home(char *folder)
{
    text said = {0};
    unsetenv("KATA_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", folder, 1);
    if (setuid(65534) || !compile(NULL, NULL, 7, 2, &said)) return 1;
    bool silent = !said.length;
    text_free(&said);
    return silent ? 0 : 2;
}

static void folders_that_are_read_only(void **state)
{
    if (getuid() != 0) skip(); /* only root can become somebody else */
    assert_true(compile(NULL, *state, 1, 2, NULL));
    assert_int_equal(chmod(*state, 0755), 0);
    pid_t child = fork();
    if (child == 0) _exit(read_only(*state));
    assert_int_equal(end_of(child), 0);
    child = fork();
    if (child == 0) _exit(read_only_home(*state));
    assert_int_equal(end_of(child), 0);
    assert_int_equal(chmod(*state, 0777), 0); /* now anybody may have put kernels there */
    assert_false(finds("/no/such/cc", *state, 1));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(whatever_stands_beside_them),
        TEST(whatever_effort_they_were_worth),
        TEST(whoever_compiled_them_where_there_is_no_compiler),
        TEST(damaged_entries_are_made_anew),
        TEST(processes_may_race),
        TEST(several_jobs_at_once),
        TEST(folders_that_are_read_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
