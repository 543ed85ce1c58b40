/* Running a program and reading what it prints. In a host that has SIGCHLD ignored the kernel
 * discards exit codes. */
#include "jit/jit_private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
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

/* ---- pipes ----------------------------------------------------------------------------------- */

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
    return error; /* those that are open are closed by close_pipe */
}

static void close_pipe(int ends[2])
{
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0) close(ends[i]);
}

/* ---- waiting --------------------------------------------------------------------------------- */

enum { LOOK_MS = 20, STOP_MS = 2 }; /* between looks at a program that prints nothing */

/* A program that runs. */
typedef struct child {
    pid_t pid;
    int in; /* descriptor: what it prints */
    const jit_process *process;
    double started;
    bool late; /* it was killed for the time that it took */
} child;

/* Sets how a program has ended; the kernel may have told nothing. A limit of time ends a program by
 * SIGXCPU, or a program that it started, which drivers and shells report in these words. */
static void set_end(const child *c, bool known, int status, const text *output, jit_end *end)
{
    end->exit_code = !known              ? JIT_EXIT_UNKNOWN
                     : WIFEXITED(status) ? WEXITSTATUS(status)
                                         : 128 + WTERMSIG(status);
    bool said = strstr(text_get(output), "CPU time limit exceeded") != NULL;
    bool by_signal = end->exit_code == 128 + SIGXCPU || end->exit_code == 128 + SIGKILL;
    bool long_enough = clock_seconds() - c->started >= c->process->seconds;
    end->out_of_time = c->late || (end->exit_code != 0 && (said || (by_signal && long_enough)));
}

/* Whether the program has ended; then how, if that is known. What it leaves running in its group is
 * killed before its number is free for another. */
static bool has_ended(const child *c, int *status, bool *known)
{
    siginfo_t info = {0};
    bool looked = waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
    if (looked && !info.si_pid) return false;
    if (looked) kill(-c->pid, SIGKILL);
    *known = looked && waitpid(c->pid, status, 0) == c->pid;
    return true;
}

/* Reads what is there and keeps the beginning; false at the end. */
static bool collect(int in, text *output, size_t *collected)
{
    char buffer[4096];
    ssize_t got = read(in, buffer, sizeof buffer);
    if (got <= 0) return got < 0 && errno == EINTR;
    size_t room = MOST_OUTPUT - *collected, taken = (size_t)got < room ? (size_t)got : room;
    text_add(output, "%.*s", (int)taken, buffer);
    *collected += taken;
    return true;
}

static bool can_read(int in, int milliseconds)
{
    struct pollfd file = {.fd = in, .events = POLLIN};
    return poll(&file, 1, milliseconds) > 0;
}

/* Kills the program's group where that is due. */
static void watch(child *c)
{
    const jit_process *p = c->process;
    bool late = clock_seconds() - c->started > p->wait_seconds;
    if (late || (p->stop && atomic_load(p->stop))) kill(-c->pid, SIGKILL);
    c->late = c->late || late;
}

/* Until the program has ended, which may be before the pipe does: what it left running holds an end
 * of it. The program never waits for a reader. */
static void follow(child *c, text *output, jit_end *end)
{
    size_t collected = 0;
    int wait = c->process->stop ? STOP_MS : LOOK_MS;
    bool open = true, known = false;
    int status = 0;
    do {
        if (open && can_read(c->in, wait)) open = collect(c->in, output, &collected);
        if (!open) poll(NULL, 0, 1);
        watch(c);
    } while (!has_ended(c, &status, &known));
    while (open && collected < MOST_OUTPUT && can_read(c->in, 0))
        open = collect(c->in, output, &collected);
    set_end(c, known, status, output, end);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Runs the program with its pipes; those of its ends that it alone is to have are closed here. */
static int run(const char *const *argv, char *const *environment, const jit_process *process,
               text *output, jit_end *end)
{
    int out[2] = {-1, -1}, lifeline[2] = {-1, -1}, error = open_pipe(out);
    if (!error) error = open_pipe(lifeline);
    child c = {.in = out[0], .process = process, .started = clock_seconds()};
    const jit_launch launch = {argv, environment, process, out[1], lifeline[0]};
    if (!error) error = jit_launch_start(&launch, &c.pid);
    for (int i = 0; i < 2; i++) {
        int *mine = i ? &lifeline[0] : &out[1];
        if (*mine >= 0) close(*mine);
        *mine = -1;
    }
    if (!error) follow(&c, output, end);
    close_pipe(out);
    close_pipe(lifeline);
    return error;
}

int jit_process_run(const char *const *argv, const jit_process *process, text *output, jit_end *end)
{
    text temporary = {0};
    if (process->temporary) text_add(&temporary, "TMPDIR=%s", process->temporary);
    char **environment =
        temporary.failed ? NULL : make_environment(process->environment, temporary.data);
    int error = environment ? run(argv, environment, process, output, end) : ENOMEM;
    free(environment);
    text_free(&temporary);
    return error;
}
