/* Running a program and reading what it prints.
 *
 * The program inherits no signal handling: with SIGCHLD ignored, as some hosts have it, a compiler
 * driver could not wait for its own children. In such a host the kernel discards the exit code of
 * ours too. */
#include "jit/jit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MOST_OUTPUT = 16 << 10 };

/* ---- environment ----------------------------------------------------------------------------- */

static bool is_variable(const char *entry, const char *name)
{
    size_t length = strlen(name);
    return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

/* The environment with messages in English and temporary files in a folder: an array to be freed.
 * `temporary` is the entry "TMPDIR=...", or NULL. */
static char **make_environment(char *const *from, char *temporary)
{
    static char language[] = "LC_ALL=C";
    size_t count = 0, used = 0;
    while (from[count]) count++;
    char **result = calloc(count + 3, sizeof *result);
    if (!result) return NULL;
    for (size_t i = 0; i < count; i++) {
        bool replaced =
            is_variable(from[i], "LC_ALL") || (temporary && is_variable(from[i], "TMPDIR"));
        if (!replaced) result[used++] = from[i];
    }
    result[used++] = language;
    result[used] = temporary;
    return result;
}

char **jit_environment_copy(arena *memory)
{
    size_t count = 0;
    while (environ && environ[count]) count++;
    char **copy = arena_array(memory, count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++)
        if (!(copy[i] = arena_copy_text(memory, environ[i], strlen(environ[i])))) return NULL;
    return copy;
}

/* ---- starting -------------------------------------------------------------------------------- */

/* A pipe whose ends are none of the three standard files, which may be closed. */
static int open_pipe(int ends[2])
{
    int low[2];
    if (pipe2(low, O_CLOEXEC)) return errno;
    int error = 0;
    for (int i = 0; i < 2; i++) {
        ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 3);
        if (ends[i] < 0) error = errno;
    }
    close(low[0]);
    close(low[1]);
    if (error && ends[0] >= 0) close(ends[0]);
    if (error && ends[1] >= 0) close(ends[1]);
    return error;
}

static int set_attributes(posix_spawnattr_t *attributes, bool group)
{
    static const int signals[] = {SIGCHLD, SIGPIPE, SIGINT,  SIGQUIT,
                                  SIGHUP,  SIGTERM, SIGALRM, SIGXFSZ};
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    for (size_t i = 0; i < COUNT_OF(signals); i++) sigaddset(&defaults, signals[i]);
    int error = posix_spawnattr_setsigmask(attributes, &none);
    if (!error) error = posix_spawnattr_setsigdefault(attributes, &defaults);
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (group) flags |= POSIX_SPAWN_SETPGROUP; /* of its own: 0 is the default */
    if (!error) error = posix_spawnattr_setflags(attributes, flags);
    return error;
}

static int set_files(posix_spawn_file_actions_t *files, int out)
{
    int error = posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0);
    if (!error) error = posix_spawn_file_actions_adddup2(files, out, 1);
    if (!error) error = posix_spawn_file_actions_adddup2(files, out, 2);
    return error;
}

static int start(const char *const *argv, char *const *environment, bool group, int out, pid_t *pid)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t files;
    int error = posix_spawnattr_init(&attributes);
    if (error) return error;
    error = posix_spawn_file_actions_init(&files);
    if (!error) {
        error = set_attributes(&attributes, group);
        if (!error) error = set_files(&files, out);
        if (!error)
            error = posix_spawn(pid, argv[0], &files, &attributes, (char *const *)(uintptr_t)argv,
                                environment);
        posix_spawn_file_actions_destroy(&files);
    }
    posix_spawnattr_destroy(&attributes);
    return error;
}

/* ---- waiting --------------------------------------------------------------------------------- */

enum { LOOK_MS = 20, STOP_MS = 2 }; /* between looks at a program that prints nothing */

/* Whether the program has ended; then its exit code. */
static bool has_ended(pid_t pid, int *exit_code)
{
    int status;
    pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR)) return false;
    if (ended < 0)
        *exit_code = JIT_EXIT_UNKNOWN;
    else
        *exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
}

/* Reads what is there and keeps the beginning; false at the end. */
static bool collect(int in, text *output, size_t *kept)
{
    char buffer[4096];
    ssize_t got = read(in, buffer, sizeof buffer);
    if (got <= 0) return got < 0 && errno == EINTR;
    size_t room = MOST_OUTPUT - *kept, taken = (size_t)got < room ? (size_t)got : room;
    text_add(output, "%.*s", (int)taken, buffer);
    *kept += taken;
    return true;
}

static bool can_read(int in, int milliseconds)
{
    struct pollfd file = {.fd = in, .events = POLLIN};
    return poll(&file, 1, milliseconds) > 0;
}

/* Until the program has ended, which may be before the pipe does: what it left running holds an end
 * of it. The program never waits for a reader. */
static int follow(pid_t pid, int in, const _Atomic bool *stop, text *output)
{
    size_t kept = 0;
    int exit_code, wait = stop ? STOP_MS : LOOK_MS;
    bool open = true;
    do {
        if (open && can_read(in, wait)) open = collect(in, output, &kept);
        if (!open) poll(NULL, 0, 1);
        if (stop && atomic_load(stop)) kill(-pid, SIGKILL);
    } while (!has_ended(pid, &exit_code));
    while (open && kept < MOST_OUTPUT && can_read(in, 0)) open = collect(in, output, &kept);
    return exit_code;
}

/* Limits the processor time of a program just started and of those that it starts. */
static void limit_time(pid_t pid, int seconds)
{
    struct rlimit limit;
    if (prlimit(pid, RLIMIT_CPU, NULL, &limit) || limit.rlim_cur <= (rlim_t)seconds) return;
    limit.rlim_cur = (rlim_t)seconds;
    prlimit(pid, RLIMIT_CPU, &limit, NULL);
}

int jit_process_run(const char *const *argv, const jit_process *how, text *output, int *exit_code)
{
    text temporary = {0};
    if (how->folder) text_add(&temporary, "TMPDIR=%s", how->folder);
    char **environment =
        temporary.failed ? NULL : make_environment(how->environment, temporary.data);
    int ends[2] = {-1, -1}, error = environment ? open_pipe(ends) : ENOMEM;
    if (!error) {
        pid_t pid;
        error = start(argv, environment, how->stop, ends[1], &pid);
        close(ends[1]);
        if (!error) {
            limit_time(pid, how->seconds);
            *exit_code = follow(pid, ends[0], how->stop, output);
        }
        close(ends[0]);
    }
    free(environment);
    text_free(&temporary);
    return error;
}
