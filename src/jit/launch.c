/* Starting a program that has its limits from its first instruction on, and that does not outlive
 * this process.
 *
 * The child shares the memory of its parent until it becomes the program (as with posix_spawn,
 * which cannot set limits): a process with a large memory is not copied. Until then it makes system
 * calls only, on a stack of its own, while the thread that started it waits and all signals are
 * blocked.
 *
 * A child ends with its parent by PR_SET_PDEATHSIG. The programs that it starts in turn do not: a
 * compiler's driver would leave the compiler proper behind. They have in common the end of a pipe
 * that they inherit, the lifeline, whose other end this process alone has. When it closes, which
 * the kernel sees to however a process ends, the kernel sends SIGKILL to the process group, as
 * F_SETOWN, F_SETSIG and O_ASYNC ask for. */
#include "jit/jit_private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK_BYTES = 64 << 10, LIFELINE = 3, NOT_STARTED = 127 };

/* What parent and child share. */
typedef struct birth {
    const jit_launch *launch;
    pid_t parent;
    int error; /* why the child did not become the program */
} birth;

/* ---- the child ------------------------------------------------------------------------------- */

static int limit(int resource, rlim_t most, rlim_t reserve)
{
    struct rlimit now;
    if (getrlimit(resource, &now)) return errno;
    rlim_t hard = now.rlim_max == RLIM_INFINITY || most + reserve < now.rlim_max ? most + reserve
                                                                                 : now.rlim_max;
    rlim_t soft = most < hard ? most : hard;
    if (now.rlim_cur != RLIM_INFINITY && now.rlim_cur < soft) soft = now.rlim_cur;
    return setrlimit(resource, &(struct rlimit){soft, hard}) ? errno : 0;
}

/* A program that its time limit does not end (SIGXCPU can be ignored) is killed a second later. */
static int set_limits(const jit_process *p)
{
    int error = limit(RLIMIT_CPU, (rlim_t)p->seconds, 1);
    if (!error) error = limit(RLIMIT_AS, (rlim_t)p->megabytes << 20, 0);
    return error ? error : limit(RLIMIT_CORE, 0, 0);
}

/* A program of low priority leaves the cores to threads that compute, and has about a tenth of a
 * core where all of them are busy. */
static void set_priority(const jit_process *p)
{
    enum { LOWER = 10 };
    if (p->low_priority) setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + LOWER);
}

/* So that it, and what it starts, ends when the parent does. What fails here is not there on every
 * system, and the limits hold all the same. */
static bool tie_to_parent(const birth *b)
{
    struct pollfd parent = {.fd = LIFELINE};
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (fcntl(LIFELINE, F_SETOWN, -getpid()) == 0 && fcntl(LIFELINE, F_SETSIG, SIGKILL) == 0)
        fcntl(LIFELINE, F_SETFL, O_ASYNC);
    return getppid() == b->parent && poll(&parent, 1, 0) == 0; /* it may have ended before that */
}

static void close_from(unsigned first)
{
    enum { MOST_OPEN = 1 << 16 };
    struct rlimit open = {MOST_OPEN, MOST_OPEN};
    if (close_range(first, ~0U, 0) == 0) return;
    getrlimit(RLIMIT_NOFILE, &open);
    for (unsigned i = first; i < open.rlim_cur && i < MOST_OPEN; i++) close((int)i);
}

/* Nothing to read, the pipe to print to, and the lifeline. `out` and `lifeline` are above the three
 * standard files, and `out` is in its place before the lifeline may take its number. */
static int set_files(const jit_launch *l)
{
    if (l->process->folder >= 0 && fchdir(l->process->folder)) return errno;
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing < 0) return errno;
    if (dup2(l->out, 1) < 0 || dup2(l->out, 2) < 0) return errno;
    if (nothing != 0 && dup2(nothing, 0) < 0) return errno;
    if (l->lifeline == LIFELINE ? fcntl(LIFELINE, F_SETFD, 0) : dup2(l->lifeline, LIFELINE) < 0)
        return errno;
    close_from(LIFELINE + 1);
    return 0;
}

/* Handlers of the parent would run in its memory; with SIGCHLD ignored, as some hosts have it, a
 * compiler's driver could not wait for its own children. */
static void reset_signals(void)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t none;
    for (int i = 1; i < NSIG; i++) sigaction(i, &usual, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static int become(void *data)
{
    birth *b = data;
    const jit_launch *l = b->launch;
    b->error = set_files(l);
    if (!b->error) b->error = set_limits(l->process);
    if (!b->error && !tie_to_parent(b)) b->error = ECANCELED;
    set_priority(l->process);
    if (!b->error) {
        reset_signals();
        execve(l->argv[0], (char *const *)(uintptr_t)l->argv, l->environment);
        b->error = errno;
    }
    _exit(NOT_STARTED);
}

/* ---- the parent ------------------------------------------------------------------------------ */

/* The thread sanitizer would take what the child does for work of this thread, and the address
 * sanitizer would remember the child's stack when its memory serves for something else: with them
 * the child has a copy of the memory. */
#ifndef __has_feature /* gcc 12 */
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__) ||                               \
    __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
enum { SHARED = 0 };
#else
enum { SHARED = CLONE_VM };
#endif

/* Memory that both see: what is told, and the child's stack. */
typedef struct nursery {
    birth told;
    _Alignas(64) char stack[STACK_BYTES];
} nursery;

/* Until the child has become the program, or has failed. */
static int give_birth(const jit_launch *launch, pid_t *pid)
{
    nursery *n = mmap(NULL, sizeof *n, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (n == MAP_FAILED) return ENOMEM;
    n->told = (birth){.launch = launch, .parent = getpid()};
    *pid = clone(become, n->stack + STACK_BYTES, SHARED | CLONE_VFORK | SIGCHLD, &n->told);
    int error = *pid < 0 ? errno : n->told.error;
    if (*pid >= 0 && error) waitpid(*pid, NULL, 0);
    munmap(n, sizeof *n);
    return error;
}

int jit_launch_start(const jit_launch *launch, pid_t *pid)
{
    sigset_t all, before;
    int cancelling;
    sigfillset(&all);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = give_birth(launch, pid);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_setcancelstate(cancelling, NULL);
    return error;
}
