/* Compiled texts come out of the cache whole, or are compiled anew, or fail with a message that
 * helps; whatever state folder, compiler and process are in. */
/* Labels: compiler */
#include "jit/jit_private.h"
#include "jit_world.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

typedef int answer_function(void);

static const char text_42[] = "int answer(void) { return 42; }\n";

static void keep(void *data, kata_status status, const char *message)
{
    if (status) text_add(data, "%s", message);
}

/* A folder of its own for each test, in *state. */
static int set_up(void **state)
{
    const char *folder = environment_get("KATA_CACHE_DIR");
    char *path = NULL;
    if (asprintf(&path, "%s/jit-XXXXXX", folder ? folder : "/tmp") < 0 || !mkdtemp(path)) return -1;
    *state = path;
    return 0;
}

static int tear_down(void **state)
{
    remove_folder(*state);
    free(*state);
    return 0;
}

static int call(void *library)
{
    void *symbol = jit_symbol(library, "answer");
    answer_function *answer;
    assert_non_null(symbol);
    memcpy(&answer, &symbol, sizeof symbol);
    return answer();
}

/* Compiles a text with a compiler and cache, NULL for the default, and calls it; the message of an
 * error goes to *message. Returns -1 then. */
static int answer_with(const char *compiler, const char *cache, const char *c_text, text *message)
{
    messages m = {.handler = keep, .handler_data = message};
    jit *j;
    void *library;
    assert_int_equal(jit_open(compiler, cache, &m, &j), KATA_OK);
    text copy = {0};
    jit_job *job;
    text_add(&copy, "%s", c_text);
    kata_status status = jit_start(j, &copy, &(jit_function){.name = ""}, 0, JIT_SOON, &m, &job);
    if (status == KATA_OK) status = jit_finish(j, job, &m, &library);
    int answer = status == KATA_OK ? call(library) : -1;
    if (status != KATA_OK) assert_int_equal(status, KATA_ERROR_COMPILER);
    jit_close(j);
    message_free(&m);
    return answer;
}

static int answer_in(const char *cache) { return answer_with(NULL, cache, text_42, NULL); }

/* ---- the cache ------------------------------------------------------------------------------- */

/* A compiler that is slow, and counts its calls in a file. */
static const char *write_counting_compiler(char *folder, char counter[4096])
{
    char script[8192];
    snprintf(counter, 4096, "%s/calls", folder);
    snprintf(script, sizeof script, "echo x >>'%s'; sleep 0.1; exec cc \"$@\"", counter);
    return write_script(folder, script);
}

static void expect_calls(const char *counter, size_t count)
{
    char *calls;
    size_t size;
    assert_int_equal(file_read(counter, 100, &calls, &size), 0);
    assert_int_equal(size, 2 * count);
    free(calls);
}

static void finds_what_it_compiled(void **state)
{
    char counter[4096];
    const char *compiler = write_counting_compiler(*state, counter);
    for (int i = 0; i < 3; i++) assert_int_equal(answer_with(compiler, *state, text_42, NULL), 42);
    const char *text_07 = "int answer(void) { return  7; }\n"; /* of the same length */
    assert_int_equal(answer_with(compiler, *state, text_07, NULL), 7);
    expect_calls(counter, 2); /* two texts */
}

static void compiles_damaged_files_anew(void **state)
{
    static const char *const endings[] = {".so", ".sum", ".c"};
    char path[4096];
    assert_int_equal(answer_in(*state), 42);
    for (size_t i = 0; i < COUNT_OF(endings); i++)
        for (int damage = 0; damage < 4; damage++) {
            assert_true(file_in(*state, endings[i], path)[0]);
            struct stat status;
            assert_int_equal(stat(path, &status), 0);
            int fd = open(path, O_RDWR | O_CLOEXEC);
            assert_true(fd >= 0);
            if (damage == 0) assert_int_equal(ftruncate(fd, status.st_size / 2), 0);
            if (damage == 1) assert_int_equal(ftruncate(fd, 0), 0);
            if (damage == 2) assert_int_equal(pwrite(fd, "\1\2\3", 3, status.st_size / 2), 3);
            if (damage == 3) assert_int_equal(unlink(path), 0);
            close(fd);
            assert_int_equal(answer_in(*state), 42);
            if (endings[i][1] == 'c' && damage == 3) return; /* not needed, not made again */
        }
}

static void replaces_names_it_cannot_use(void **state)
{
    char path[4096];
    assert_int_equal(answer_in(*state), 42);
    assert_true(file_in(*state, ".sum", path)[0]);
    unlink(path);
    assert_true(file_in(*state, ".c", path)[0]);
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(answer_in(*state), 42);
    rmdir(path);
}

static void makes_a_private_folder(void **state)
{
    char deep[4096], above[4096];
    struct stat status;
    snprintf(above, sizeof above, "%s/a", (char *)*state);
    snprintf(deep, sizeof deep, "%s/a/b", (char *)*state);
    assert_int_equal(answer_in(deep), 42);
    assert_int_equal(stat(deep, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    assert_int_equal(count_in(deep, ""), 3);
    remove_folder(deep);
    rmdir(above);
}

static void distrusts_folders_of_others(void **state)
{
    messages m = {0};
    jit *j;
    assert_int_equal(chmod(*state, 0777), 0);
    assert_int_equal(jit_open(NULL, *state, &m, &j), KATA_OK);
    assert_string_equal(jit_cache(j), "");
    jit_close(j);
    assert_int_equal(answer_in(*state), 42);
    assert_int_equal(count_in(*state, ""), 0);
    assert_int_equal(chmod(*state, 0700), 0);
}

static void does_without_a_cache(void **state)
{
    assert_int_equal(setenv("TMPDIR", *state, 1), 0);
    assert_int_equal(answer_in("/proc/nothing/here"), 42);
    assert_int_equal(answer_in("/dev/null"), 42);
    assert_int_equal(count_in(*state, "katagami-"), 0); /* removed again */
    unsetenv("TMPDIR");
}

static void does_without_a_home(void **state)
{
    (void)state;
    char *cache = getenv("KATA_CACHE_DIR"), *cache_before = cache ? strdup(cache) : NULL;
    char *home = getenv("HOME"), *home_before = home ? strdup(home) : NULL;
    unsetenv("KATA_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    assert_int_equal(answer_in(NULL), 42);
    setenv("HOME", "/proc", 1);
    assert_int_equal(answer_in(NULL), 42);
    setenv("HOME", "home", 1); /* a path from somewhere: no folder is made below this one */
    assert_int_equal(answer_in(NULL), 42);
    assert_int_not_equal(access("home", F_OK), 0);
    if (cache_before) setenv("KATA_CACHE_DIR", cache_before, 1);
    if (home_before) setenv("HOME", home_before, 1);
    free(cache_before);
    free(home_before);
}

/* Files end at 100 bytes, as on a full disk: nothing can be compiled, which is said. */
static void says_when_nothing_can_be_written(void **state)
{
    pid_t pid = fork();
    if (pid == 0) {
        text message = {0};
        struct rlimit limit = {100, 100};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        int answer = answer_with(NULL, *state, text_42, &message);
        _exit(answer == -1 &&
                      strstr(text_get(&message), "compiled kernels cannot be written anywhere")
                  ? 0
                  : 1);
    }
    int status;
    assert_true(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(answer_in(*state), 42); /* and nothing stays damaged */
}

static void one_of_many_processes_compiles(void **state)
{
    pid_t children[6];
    char counter[4096];
    const char *compiler = write_counting_compiler(*state, counter);
    for (size_t i = 0; i < COUNT_OF(children); i++) {
        children[i] = fork();
        if (children[i] == 0) _exit(answer_with(compiler, *state, text_42, NULL) == 42 ? 0 : 1);
    }
    for (size_t i = 0; i < COUNT_OF(children); i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_equal(answer_with(compiler, *state, text_42, NULL), 42);
    assert_int_equal(count_in(*state, ""), 3 + 2); /* a library; the compiler and its counter */
    expect_calls(counter, 1);
}

/* ---- the compiler ---------------------------------------------------------------------------- */

/* A process that was forked while another text was compiled has that turn's file, too. It does not
 * keep the turn: others would wait as long as it lives. */
static void a_fork_keeps_no_turn(void **state)
{
    jit_folder folder = {.file = open(*state, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    int turn = jit_turn_take(&folder, "key", NULL);
    pid_t child = fork();
    if (child == 0)
        for (;;) pause();
    assert_true(turn >= 0 && child > 0);
    jit_turn_end(turn);
    double begin = clock_seconds();
    jit_turn_end(jit_turn_take(&folder, "key", NULL));
    double waited = clock_seconds() - begin;
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(folder.file);
    assert_true(waited < JIT_MOST_TURN_SECONDS / 2);
}

static void says_that_the_compiler_is_missing(void **state)
{
    text message = {0};
    assert_int_equal(answer_with("/no/such/cc", *state, text_42, &message), -1);
    assert_string_equal(
        text_get(&message),
        "error: the C compiler '/no/such/cc' cannot be run\n"
        "  install one, name one in KATA_CC, or set KATA_EXECUTOR=reference\n"
        "  or bring a cache folder that `kata compile` has filled on such a machine");
    text_clear(&message);
    char *path = strdup(getenv("PATH"));
    setenv("PATH", *state, 1);
    assert_int_equal(answer_with(NULL, *state, text_42, &message), -1);
    setenv("PATH", path, 1);
    assert_non_null(strstr(text_get(&message), "no C compiler found: neither cc, gcc nor clang"));
    free(path);
    text_free(&message);
}

static void shows_what_the_compiler_says(void **state)
{
    text message = {0};
    assert_int_equal(answer_with(NULL, *state, "int answer(void) { return wrong; }\n", &message),
                     -1);
    assert_non_null(strstr(text_get(&message), "undeclared"));
    assert_non_null(strstr(text_get(&message), "it ended with exit code 1"));
    assert_non_null(strstr(text_get(&message), "the text is "));
    text_free(&message);
}

/* A program that prints much more than a pipe holds is read to its end; the message is short. */
static void survives_a_talkative_compiler(void **state)
{
    text message = {0};
    const char *compiler =
        write_script(*state, "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done; "
                             "kill -9 $$");
    assert_int_equal(answer_with(compiler, *state, text_42, &message), -1);
    assert_non_null(strstr(text_get(&message), "line 19"));
    assert_null(strstr(text_get(&message), "line 20"));
    assert_true(message.length < 4000);
    text_free(&message);
}

static void does_without_flags_that_are_refused(void **state)
{
    const char *compiler = write_script(
        *state, "for a; do case $a in -march=*) echo bad flag >&2; exit 1;; esac; done; "
                "exec cc \"$@\"");
    for (int i = 0; i < 2; i++) assert_int_equal(answer_with(compiler, *state, text_42, NULL), 42);
}

static void describes_the_compiler(void **state)
{
    messages m = {0};
    jit *j;
    const char *compiler = write_script(*state, "echo 'my compiler 1.0'; echo more");
    assert_int_equal(jit_open(compiler, *state, &m, &j), KATA_OK);
    assert_non_null(strstr(jit_compiler(j), "cc.sh: my compiler 1.0"));
    assert_null(strstr(jit_compiler(j), "more"));
    jit_close(j);
}

/* With the flags for this CPU, and without; each with flags that gcc alone knows, and without. */
static void calls_a_failing_compiler_four_times(void **state)
{
    char counter[4096], script[8192], *calls;
    size_t size;
    text message = {0};
    snprintf(counter, sizeof counter, "%s/calls", (char *)*state);
    snprintf(script, sizeof script, "echo x >>'%s'; exit 1", counter);
    assert_int_equal(answer_with(write_script(*state, script), *state, text_42, &message), -1);
    text_free(&message);
    assert_int_equal(file_read(counter, 100, &calls, &size), 0);
    assert_int_equal(size, 2 * 4);
    free(calls);
}

static void says_that_the_compiler_wrote_nothing(void **state)
{
    text message = {0};
    assert_int_equal(answer_with(write_script(*state, "exit 0"), *state, text_42, &message), -1);
    assert_non_null(strstr(text_get(&message), "it wrote nothing"));
    text_free(&message);
}

/* What goes to the object file, whose name follows -o. */
#define FIND_OBJECT "while [ \"$1\" != -o ]; do shift; done; "

static void expect_made(char *folder, const char *body, const char *words)
{
    text message = {0};
    char script[1000], path[4096];
    snprintf(script, sizeof script, FIND_OBJECT "%s", body);
    assert_int_equal(answer_with(write_script(folder, script), folder, text_42, &message), -1);
    assert_non_null(strstr(text_get(&message), "the C compiler failed"));
    assert_non_null(strstr(text_get(&message), words));
    assert_false(file_in(folder, ".so", path)[0]);
    assert_false(file_in(folder, ".sum", path)[0]);
    text_free(&message);
}

/* It is the compiler's fault, not the folder's. */
static void says_that_the_compiler_made_no_library(void **state)
{
    static const char no_library[] = "what it made is no library for this machine";
    expect_made(*state, "echo hello >\"$2\"", no_library);
    expect_made(*state, "cp /bin/sh \"$2\"", no_library);
    expect_made(*state, "printf '\\177ELF\\001\\001\\001' >\"$2\"; cat /bin/sh >>\"$2\"",
                no_library);
    expect_made(*state, "mkdir \"$2\"", "it wrote nothing");
    expect_made(*state, "ln -s /etc/passwd \"$2\"", "it wrote nothing");
    expect_made(*state, "mkfifo \"$2\"", "it wrote nothing");
}

/* What a compiler leaves running in the background is not waited for. */
static void waits_for_the_compiler_only(void **state)
{
    const char *compiler = write_script(*state, "sleep 200 & exec cc \"$@\"");
    alarm(150);
    assert_int_equal(answer_with(compiler, *state, text_42, NULL), 42);
    alarm(0);
}

/* ---- trimming -------------------------------------------------------------------------------- */

static void put_file(const char *folder, const char *name, size_t size, int age)
{
    static const char zeros[1000];
    char path[4096];
    struct timespec times[2] = {{.tv_sec = time(NULL) - age}, {.tv_sec = time(NULL) - age}};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(file_write(path, zeros, size), 0);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void trim(const char *path, int64_t limit)
{
    jit_folder folder = {0};
    text why = {0};
    assert_true(jit_folder_find(path, &folder, &why));
    jit_trim(&folder, limit);
    jit_folder_close(&folder);
    text_free(&why);
}

#define KEY "0123456789abcdef0123456789abcde"

static void trims_what_was_used_longest_ago(void **state)
{
    char path[4096];
    for (int age = 0; age < 9; age++) {
        snprintf(path, sizeof path, KEY "%d.so", age);
        put_file(*state, path, 1000, age * 10);
    }
    put_file(*state, "own.so", 1000, 9999); /* not named as jit names files */
    trim(*state, 9000);
    assert_int_equal(count_in(*state, ""), 10);
    trim(*state, 8000);
    assert_int_equal(count_in(*state, ""), 7);
    snprintf(path, sizeof path, "%s/" KEY "5.so", (char *)*state);
    assert_int_equal(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s/" KEY "6.so", (char *)*state);
    assert_int_equal(access(path, F_OK), -1);
}

static void removes_what_was_interrupted(void **state)
{
    char folder[4096], path[8192];
    struct timespec times[2] = {{.tv_sec = time(NULL) - 9999}, {.tv_sec = time(NULL) - 9999}};
    put_file(*state, FILE_DRAFT_PREFIX "old", 10, 9999);
    put_file(*state, FILE_DRAFT_PREFIX "new", 10, 10);
    snprintf(folder, sizeof folder, "%s/" FILE_DRAFT_PREFIX "work", (char *)*state);
    assert_int_equal(mkdir(folder, 0700), 0);
    put_file(folder, "object.so", 10, 9999);
    assert_int_equal(utimensat(AT_FDCWD, folder, times, 0), 0);
    trim(*state, 1000);
    assert_int_equal(access(folder, F_OK), -1);
    snprintf(path, sizeof path, "%s/" FILE_DRAFT_PREFIX "old", (char *)*state);
    assert_int_equal(access(path, F_OK), -1);
    snprintf(path, sizeof path, "%s/" FILE_DRAFT_PREFIX "new", (char *)*state);
    assert_int_equal(access(path, F_OK), 0);
}

static void does_not_wait_for_pipes(void **state)
{
    static const char *const endings[] = {".sum", ".so"};
    char path[4096];
    for (size_t i = 0; i < COUNT_OF(endings); i++) {
        assert_int_equal(answer_in(*state), 42);
        assert_true(file_in(*state, endings[i], path)[0]);
        unlink(path);
        assert_int_equal(mkfifo(path, 0600), 0);
        alarm(60);
        assert_int_equal(answer_in(*state), 42);
        alarm(0);
        unlink(path);
    }
}

/* ---- the process ----------------------------------------------------------------------------- */

static void leaves_the_process_as_it_was(void **state)
{
    assert_int_equal(answer_in(*state), 42);
    int before = count_in("/proc/self/fd", "");
    remove_folder(*state);
    assert_int_equal(answer_in(*state), 42);
    assert_int_equal(count_in("/proc/self/fd", ""), before);
    assert_true(waitpid(-1, NULL, WNOHANG) < 0); /* no child is left */
}

static void needs_neither_sigchld_nor_standard_files(void **state)
{
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGCHLD, SIG_IGN);
        for (int fd = 0; fd < 3; fd++) close(fd);
        _exit(answer_in(*state) == 42 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(needs_neither_sigchld_nor_standard_files), /* it forks: before there are threads */
        TEST(a_fork_keeps_no_turn),
        TEST(finds_what_it_compiled),
        TEST(compiles_damaged_files_anew),
        TEST(replaces_names_it_cannot_use),
        TEST(makes_a_private_folder),
        TEST(distrusts_folders_of_others),
        TEST(does_without_a_cache),
        TEST(does_without_a_home),
        TEST(says_when_nothing_can_be_written),
        TEST(one_of_many_processes_compiles),
        TEST(says_that_the_compiler_is_missing),
        TEST(shows_what_the_compiler_says),
        TEST(survives_a_talkative_compiler),
        TEST(does_without_flags_that_are_refused),
        TEST(describes_the_compiler),
        TEST(calls_a_failing_compiler_four_times),
        TEST(says_that_the_compiler_wrote_nothing),
        TEST(says_that_the_compiler_made_no_library),
        TEST(waits_for_the_compiler_only),
        TEST(trims_what_was_used_longest_ago),
        TEST(removes_what_was_interrupted),
        TEST(does_not_wait_for_pipes),
        TEST(leaves_the_process_as_it_was),
    };
    unsetenv("KATA_CC");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
