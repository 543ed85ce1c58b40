/* The process that reads an HDF5 file. It is started by posix_spawn, for a fork of a program with
 * threads may do almost nothing before it executes another program. It has the file, a pipe to
 * answer, no other descriptors and almost no environment, and confines itself (reader/confine.c).
 *
 * What it says is judged by what arrives: a whole reply, and as many bytes of values as were asked
 * for. How it ended only explains why something is missing; a host that ignores SIGCHLD, or waits
 * for all its children, takes that away. */
#include "io/read_hdf5.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- starting -------------------------------------------------------------------------------- */

/* A copy of a descriptor that is none of the three standard ones, which the child replaces; closes
 * the original. -1 on failure. */
static int move_up(int file)
{
    int moved = fcntl(file, F_DUPFD_CLOEXEC, 3);
    close(file);
    return moved;
}

static bool open_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC)) return false;
    ends[0] = move_up(ends[0]);
    ends[1] = move_up(ends[1]);
    if (ends[0] >= 0 && ends[1] >= 0) return true;
    if (ends[0] >= 0) close(ends[0]);
    if (ends[1] >= 0) close(ends[1]);
    return false;
}

static int set_signals(posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawnattr_setsigmask(attributes, &none);
    if (!error) error = posix_spawnattr_setsigdefault(attributes, &all);
    if (!error)
        error =
            posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    return error;
}

static int set_files(posix_spawn_file_actions_t *files, int in, int out)
{
    int error = posix_spawn_file_actions_adddup2(files, in, 0);
    if (!error) error = posix_spawn_file_actions_adddup2(files, out, 1);
    if (!error) error = posix_spawn_file_actions_addopen(files, 2, "/dev/null", O_WRONLY, 0);
    return error;
}

static int spawn_with(const char *const *argv, int in, int out, char *const *environment,
                      posix_spawnattr_t *attributes, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    int error = posix_spawn_file_actions_init(&files);
    if (error) return error;
    error = set_signals(attributes);
    if (!error) error = set_files(&files, in, out);
    if (!error)
        error = posix_spawn(pid, argv[0], &files, attributes, (char *const *)(uintptr_t)argv,
                            environment);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/* Nothing of the environment but where libraries are. */
static int spawn(const char *const *argv, int in, int out, pid_t *pid)
{
    posix_spawnattr_t attributes;
    text libraries = {0};
    const char *folders = environment_get("LD_LIBRARY_PATH");
    if (folders) text_add(&libraries, "LD_LIBRARY_PATH=%s", folders);
    char *const environment[] = {libraries.data, NULL};
    int error = libraries.failed ? ENOMEM : posix_spawnattr_init(&attributes);
    if (!error) {
        error = spawn_with(argv, in, out, environment, &attributes, pid);
        posix_spawnattr_destroy(&attributes);
    }
    text_free(&libraries);
    return error;
}

static int start(const char *program, const reader_request *request, int in, int out, pid_t *pid)
{
    char kind[12], type[12], bytes[24];
    snprintf(kind, sizeof kind, "%d", (int)request->kind);
    snprintf(type, sizeof type, "%d", (int)request->type);
    snprintf(bytes, sizeof bytes, "%lld", (long long)request->bytes);
    const char *const argv[] = {program, kind, request->name, type, bytes, NULL};
    return spawn(argv, in, out, pid);
}

/* ---- listening ------------------------------------------------------------------------------- */

/* Waits until something can be read, or for a while; returns as poll does. */
static int wait_for(io_reader *p)
{
    struct pollfd file = {.fd = p->in, .events = POLLIN};
    const double before = clock_seconds();
    const int ready = poll(&file, 1, p->left < 1000 ? (int)(p->left * 1000) + 1 : 1000000);
    p->left -= clock_seconds() - before;
    return ready;
}

/* Reads `size` bytes; false when the pipe ends before, or time does. */
static bool receive(io_reader *p, void *to, size_t size)
{
    while (size > 0) {
        if (p->left <= 0) return false;
        int ready = wait_for(p);
        if (ready < 0 && errno != EINTR) return false;
        if (ready <= 0) continue;
        ssize_t got = read(p->in, to, size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        to = (char *)to + got;
        size -= (size_t)got;
    }
    return true;
}

static bool is_shape(const reader_reply *reply)
{
    int64_t count = 1;
    if (!reader_knows(reply->type) || reply->axes < 0 || reply->axes > READER_MOST_AXES ||
        reply->components < 1)
        return false;
    for (int i = 0; i < reply->axes; i++)
        if (reply->size[i] < 0 || __builtin_mul_overflow(count, reply->size[i], &count) ||
            count >= (int64_t)1 << 48)
            return false;
    return true;
}

/* Terminates texts, and leaves in them what any terminal may be given. */
static void clean(reader_reply *reply)
{
    reply->reason[sizeof reply->reason - 1] = 0;
    reply->table.variable[sizeof reply->table.variable - 1] = 0;
    char *const texts[] = {reply->reason, reply->table.variable};
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        for (char *c = texts[i]; *c; c++)
            if (*c < ' ' || *c > '~') *c = '?';
}

static bool take_reply(io_reader *p, reader_reply *reply)
{
    reader_reply got;
    if (!receive(p, &got, sizeof got) || got.mark != READER_MARK) return false;
    clean(&got);
    if (!got.reason[0] && !is_shape(&got)) return false;
    *reply = got;
    return true;
}

/* Why a process left no whole answer. */
static const char *explain(int status)
{
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
        return "to read it takes too long, or too much memory; it may be made to do so";
    if (WIFSIGNALED(status)) return "HDF5 crashes on it, so it is damaged or made to do so";
    if (WIFEXITED(status) && WEXITSTATUS(status) == READER_CUT)
        return "HDF5 cannot read the dataset's values";
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return "the program " READER_PROGRAM " cannot be started";
    return "the process that reads HDF5 files ended too early";
}

/* Collects a process that has answered or should be ending: one that is not is killed. */
static int collect(pid_t pid)
{
    enum { LOOKS = 100, LOOK_MS = 10 };
    int status = 0;
    for (int i = 0; i < LOOKS; i++) {
        pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid) return status;
        if (ended < 0 && errno != EINTR) return 0;
        poll(NULL, 0, i < 10 ? 1 : LOOK_MS);
    }
    kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return status;
}

/* Ends a process, and says why it left no whole answer. */
static bool fail(io_reader *p, const char **reason)
{
    close(p->in);
    p->in = -1;
    *reason = explain(collect(p->pid));
    return false;
}

bool io_reader_start(io_reader *p, const char *program, int file, const reader_request *request,
                     reader_reply *reply, const char **reason)
{
    enum { SECONDS = 120, BYTES_PER_SECOND = 1 << 20 };
    int ends[2];
    *reply = (reader_reply){0};
    *p = (io_reader){.in = -1};
    if (!open_pipe(ends)) {
        *reason = strerror(errno);
        return false;
    }
    int error = start(program, request, file, ends[1], &p->pid);
    close(ends[1]);
    p->in = ends[0];
    p->left = SECONDS + (double)request->bytes / BYTES_PER_SECOND;
    if (!error && !take_reply(p, reply)) return fail(p, reason);
    *reason = error == ENOMEM ? NULL : error ? strerror(error) : reply->reason;
    if (!error && !reply->reason[0]) return true;
    if (!error) collect(p->pid);
    close(p->in);
    return false;
}

bool io_reader_take(io_reader *p, void *values, size_t bytes, const char **reason)
{
    return receive(p, values, bytes) || fail(p, reason);
}

void io_reader_end(io_reader *p)
{
    if (p->in < 0) return;
    close(p->in);
    collect(p->pid);
}
