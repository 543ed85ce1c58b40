/* The limit of the size of files (ulimit -f). A file that would grow beyond it raises SIGXFSZ in
 * the thread that writes, which would end the process. The signal is blocked, and the write returns
 * EFBIG. */
#include "base/base.h"

#include <errno.h>
#include <sys/resource.h>
#include <time.h>

static bool is_pending(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
}

static void make_set(sigset_t *limit)
{
    sigemptyset(limit);
    sigaddset(limit, SIGXFSZ);
}

void file_limit_hold(file_limit *l)
{
    sigset_t limit;
    make_set(&limit);
    l->was_pending = is_pending();
    pthread_sigmask(SIG_BLOCK, &limit, &l->signals);
}

void file_limit_release(const file_limit *l)
{
    static const struct timespec now;
    const int error = errno;
    sigset_t limit;
    make_set(&limit);
    if (!l->was_pending && is_pending()) sigtimedwait(&limit, NULL, &now);
    pthread_sigmask(SIG_SETMASK, &l->signals, NULL);
    errno = error;
}

int64_t file_limit_bytes(void)
{
    struct rlimit most;
    if (getrlimit(RLIMIT_FSIZE, &most) || most.rlim_cur > INT64_MAX) return INT64_MAX;
    return (int64_t)most.rlim_cur;
}
