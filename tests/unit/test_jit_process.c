/* A compiler has its limits from its first instruction on, nothing of the process that called it,
 * and ends with that process, as do the programs that it started. What it needed too much of is
 * remembered. */
/* Labels: compiler slow */
#include "jit/jit_private.h"
#include "jit_world.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

static char *const no_environment[] = {NULL};

static int set_up(void **state)
{
    char *path = strdup("/tmp/kata_process_XXXXXX");
    *state = path;
    return path && mkdtemp(path) ? 0 : -1;
}

static int tear_down(void **state)
{
    remove_folder(*state);
    free(*state);
    return 0;
}

static jit_process usual(void)
{
    return (jit_process){.environment = no_environment,
                         .folder = -1,
                         .seconds = 10,
                         .wait_seconds = 60,
                         .megabytes = 1000};
}

/* Runs a command of the shell; what it prints goes to *output. */
static jit_end shell(const char *command, const jit_process *process, text *output)
{
    const char *const argv[] = {"/bin/sh", "-c", command, NULL};
    jit_end end = {0};
    assert_int_equal(jit_process_run(argv, process, output, &end), 0);
    return end;
}

static void expect_output(const char *command, const jit_process *process, const char *expected)
{
    text output = {0};
    assert_int_equal(shell(command, process, &output).exit_code, 0);
    assert_string_equal(text_get(&output), expected);
    text_free(&output);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void limits_hold_from_the_start(void **state)
{
    (void)state;
    const jit_process process = usual();
    expect_output("ulimit -t; ulimit -v; ulimit -c; (ulimit -t)", &process, "10\n1024000\n0\n10\n");
}

static void a_lower_limit_of_the_process_stays(void **state)
{
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        const jit_process process = usual();
        setrlimit(RLIMIT_CPU, &(struct rlimit){5, 6});
        expect_output("ulimit -t", &process, "5\n");
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void who_computes_for_ever_is_ended(void **state)
{
    (void)state;
    jit_process process = usual();
    process.seconds = 1;
    text output = {0};
    jit_end end = shell("while :; do :; done", &process, &output);
    assert_int_equal(end.exit_code, 128 + SIGXCPU);
    assert_true(end.out_of_time);
    end = shell("trap '' XCPU; while :; do :; done", &process, &output);
    assert_int_equal(end.exit_code, 128 + SIGKILL);
    assert_true(end.out_of_time);
    end = shell("/bin/sh -c 'while :; do :; done'; exit 1", &process, &output); /* its child */
    assert_int_equal(end.exit_code, 1);
    assert_true(end.out_of_time);
    text_free(&output);
}

static void who_waits_for_ever_is_ended(void **state)
{
    (void)state;
    jit_process process = usual();
    process.wait_seconds = 1;
    text output = {0};
    jit_end end = shell("sleep 100", &process, &output);
    assert_int_equal(end.exit_code, 128 + SIGKILL);
    assert_true(end.out_of_time);
    end = shell("exit 3", &process, &output);
    assert_int_equal(end.exit_code, 3);
    assert_false(end.out_of_time);
    text_free(&output);
}

/* ---- what it has ----------------------------------------------------------------------------- */

static void nothing_is_inherited(void **state)
{
    int files[40];
    for (size_t i = 0; i < COUNT_OF(files); i++) files[i] = open("/dev/null", O_RDONLY);
    jit_process process = usual();
    process.folder = open(*state, O_RDONLY | O_DIRECTORY);
    process.temporary = "there";
    text expected = {0};
    char *here = realpath(*state, NULL);
    text_add(&expected, " there\n%s\n", here);
    expect_output("for f in /proc/$$/fd/*; do case $f in */[0-3]) ;; *) [ -e $f ] && echo $f;; "
                  "esac; done; read line; echo \"$line\" $TMPDIR; pwd -P",
                  &process, text_get(&expected));
    text_free(&expected);
    free(here);
    assert_int_equal(close(process.folder), 0);
    for (size_t i = 0; i < COUNT_OF(files); i++) close(files[i]);
}

static void ignored_signals_are_not_ignored_by_it(void **state)
{
    (void)state;
    const jit_process process = usual();
    text output = {0};
    void (*before)(int) = signal(SIGTERM, SIG_IGN);
    jit_end end = shell("kill -TERM $$; sleep 1", &process, &output);
    signal(SIGTERM, before);
    assert_int_equal(end.exit_code, 128 + SIGTERM);
    text_free(&output);
}

static void a_program_that_is_none_is_reported(void **state)
{
    char path[200];
    const jit_process process = usual();
    text output = {0};
    jit_end end = {0};
    snprintf(path, sizeof path, "%s/none", (char *)*state);
    const char *const argv[] = {path, NULL};
    assert_int_equal(jit_process_run(argv, &process, &output, &end), ENOENT);
    assert_int_equal(file_write(path, "nothing", 7), 0);
    assert_int_equal(jit_process_run(argv, &process, &output, &end), EACCES);
    assert_true(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD); /* nobody is left */
}

/* ---- its end --------------------------------------------------------------------------------- */

/* Waits until a file with the numbers of two processes is there. */
static void read_numbers(const char *path, int numbers[2])
{
    for (int i = 0; i < 3000; i++) {
        FILE *file = fopen(path, "r");
        int count = file ? fscanf(file, "%d %d", &numbers[0], &numbers[1]) : 0;
        if (file) fclose(file);
        if (count == 2) return;
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    fail_msg("no numbers in %s", path);
}

/* Whether a process ends within a minute. One that nobody has waited for yet has ended. */
static bool ends(int number)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/stat", number);
    for (int i = 0; i < 6000; i++) {
        FILE *file = fopen(path, "r");
        if (!file) return true;
        bool read = fgets(line, sizeof line, file) != NULL;
        fclose(file);
        const char *state = read ? strrchr(line, ')') : NULL;
        if (!state || state[2] == 'Z' || state[2] == 'X') return true;
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    return false;
}

/* A driver and what it started: their numbers go to a file. */
static void name_both(char command[512], const char *file)
{
    snprintf(command, 512, "sleep 1000 & echo $$ $! >'%s.new'; mv '%s.new' '%s'; wait", file, file,
             file);
}

static void all_end_with_a_killed_process(void **state)
{
    static const int signals[] = {SIGKILL, SIGTERM};
    for (size_t i = 0; i < COUNT_OF(signals); i++) {
        char file[100], command[512];
        int numbers[2];
        snprintf(file, sizeof file, "%s/numbers%zu", (char *)*state, i);
        name_both(command, file);
        pid_t pid = fork();
        if (pid == 0) {
            const jit_process process = {.environment = environ,
                                         .folder = -1,
                                         .seconds = 100,
                                         .wait_seconds = 1000,
                                         .megabytes = 1000};
            text output = {0};
            shell(command, &process, &output);
            _exit(0);
        }
        read_numbers(file, numbers);
        assert_false(kill(numbers[0], 0) || kill(numbers[1], 0));
        kill(pid, signals[i]);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        assert_true(ends(numbers[0]));
        assert_true(ends(numbers[1]));
    }
}

static void what_it_leaves_running_ends_with_it(void **state)
{
    char file[100], command[512];
    int numbers[2];
    jit_process process = usual();
    process.environment = environ;
    snprintf(file, sizeof file, "%s/numbers", (char *)*state);
    snprintf(command, sizeof command, "sleep 1000 & echo $$ $! >'%s'; exit 4", file);
    text output = {0};
    assert_int_equal(shell(command, &process, &output).exit_code, 4);
    text_free(&output);
    read_numbers(file, numbers);
    assert_true(ends(numbers[1]));
}

/* ---- what is remembered ---------------------------------------------------------------------- */

static void keep(void *data, kata_status status, const char *message)
{
    if (status) text_add(data, "%s", message);
}

static void compile_in(jit *j, messages *m)
{
    text c_text = {0};
    jit_job *job;
    void *library;
    text_add(&c_text, "int answer;\n");
    assert_int_equal(jit_start(j, &c_text, &(jit_function){.name = ""}, 0, JIT_SOON, m, &job),
                     KATA_OK);
    assert_int_equal(jit_finish(j, job, m, &library), KATA_ERROR_COMPILER);
    message_clear(m);
}

/* A compiler that is out of memory is called once, for this process and for later ones; and again
 * when the file that says so is removed. */
static void who_needs_too_much_is_not_called_again(void **state)
{
    char script[300], path[4096], calls[200];
    text message = {0};
    messages m = {.handler = keep, .handler_data = &message};
    snprintf(calls, sizeof calls, "%s/calls", (char *)*state);
    snprintf(script, sizeof script, "echo x >>'%s'; echo 'cc1: out of memory' >&2; exit 1", calls);
    const char *compiler = write_script(*state, script);
    for (int i = 0; i < 2; i++) {
        jit *j;
        assert_int_equal(jit_open(compiler, *state, &m, &j), KATA_OK);
        compile_in(j, &m);
        compile_in(j, &m);
        jit_close(j);
    }
    assert_non_null(
        strstr(text_get(&message), "error: the C compiler needs too much time or memory"));
    assert_non_null(strstr(text_get(&message), "cc1: out of memory"));
    assert_non_null(strstr(text_get(&message), "it needed more than the 2048 MB that it may use"));
    assert_non_null(
        strstr(text_get(&message), ".limit, which has to be removed for another attempt"));
    struct stat status;
    assert_int_equal(stat(calls, &status), 0);
    assert_int_equal(status.st_size, 2);
    assert_true(file_in(*state, ".limit", path)[0]);
    assert_int_equal(unlink(path), 0);
    jit *j;
    assert_int_equal(jit_open(compiler, *state, &m, &j), KATA_OK);
    compile_in(j, &m);
    jit_close(j);
    assert_int_equal(stat(calls, &status), 0);
    assert_int_equal(status.st_size, 4);
    text_free(&message);
    message_free(&m);
}

/* ---- what is left behind --------------------------------------------------------------------- */

/* Compiles in a process that is killed meanwhile; returns when it has ended. */
static void kill_while_compiling(const char *cache, const char *started)
{
    char script[300];
    struct stat status;
    snprintf(script, sizeof script, "echo x >\"$TMPDIR/junk\"; echo x >'%s'; sleep 1000", started);
    const char *compiler = write_script("/tmp", script);
    pid_t pid = fork();
    if (pid == 0) {
        messages m = {0};
        jit *j;
        if (jit_open(compiler, cache, &m, &j) == KATA_OK) compile_in(j, &m);
        _exit(0);
    }
    for (int i = 0; i < 3000 && stat(started, &status); i++)
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    kill(pid, SIGTERM);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    unlink(started);
    unlink(compiler);
}

static void compile_nothing(const char *compiler, const char *cache)
{
    text message = {0};
    messages m = {.handler = keep, .handler_data = &message};
    jit *j;
    assert_int_equal(jit_open(compiler, cache, &m, &j), KATA_OK);
    compile_in(j, &m);
    jit_close(j);
    text_free(&message);
    message_free(&m);
}

/* The next process that compiles in the same folder finds them, at once; folders in use stay. */
static void folders_of_killed_processes_are_removed(void **state)
{
    char cache[200], started[200];
    const char *temporary = *state;
    snprintf(cache, sizeof cache, "%s/cache", temporary);
    snprintf(started, sizeof started, "%s/started", temporary);
    assert_int_equal(setenv("TMPDIR", temporary, 1), 0);
    kill_while_compiling(cache, started);
    assert_int_equal(count_in(cache, FILE_DRAFT_PREFIX), 1);
    kill_while_compiling("/dev/null", started);
    assert_int_equal(count_in(temporary, "katagami-"), 1);
    jit_scratch used;
    int root = 0;
    assert_true(jit_scratch_make_temporary(temporary, &root, &used));
    compile_nothing("/bin/false", cache);
    assert_int_equal(count_in(cache, FILE_DRAFT_PREFIX), 0);
    assert_int_equal(count_in(temporary, "katagami-"), 1);
    jit_scratch_remove_temporary(&used);
    assert_int_equal(count_in(temporary, "katagami-"), 0);
    unsetenv("TMPDIR");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(limits_hold_from_the_start),
        TEST(a_lower_limit_of_the_process_stays),
        TEST(who_computes_for_ever_is_ended),
        TEST(who_waits_for_ever_is_ended),
        TEST(nothing_is_inherited),
        TEST(ignored_signals_are_not_ignored_by_it),
        TEST(a_program_that_is_none_is_reported),
        TEST(all_end_with_a_killed_process),
        TEST(what_it_leaves_running_ends_with_it),
        TEST(who_needs_too_much_is_not_called_again),
        TEST(folders_of_killed_processes_are_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
