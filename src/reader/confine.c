/* A process that gives up what it does not need, before it looks at a stranger's file. Limits of
 * the system bound memory, time, files and processes; a limit that is lowered stays lowered. On the
 * machines listed below, a filter lets through the system calls for memory, for the clock, and for
 * reading and writing files that are open already. Any other system call fails. */
#include "reader/reader.h"

#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#endif

static bool limit(int resource, int64_t most)
{
    struct rlimit now;
    if (getrlimit((__rlimit_resource_t)resource, &now)) return false;
    rlim_t lower = now.rlim_max < (rlim_t)most ? now.rlim_max : (rlim_t)most;
    now = (struct rlimit){.rlim_cur = lower, .rlim_max = lower};
    return setrlimit((__rlimit_resource_t)resource, &now) == 0;
}

static void close_others(void)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, 3, ~0u, 0) == 0) return;
#endif
    long most = sysconf(_SC_OPEN_MAX);
    for (int file = 3; file < most && file < 1 << 16; file++) close(file);
}

/* The values once as they are and once converted, and what libhdf5 needs for itself. */
static bool set_limits(int64_t bytes)
{
    enum { SECONDS = 10, BYTES_PER_SECOND = 8 << 20 };
    const int64_t own = (int64_t)1 << 30;
    return limit(RLIMIT_AS, own + 3 * bytes) &&
           limit(RLIMIT_CPU, SECONDS + bytes / BYTES_PER_SECOND) && limit(RLIMIT_CORE, 0) &&
           limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_NPROC, 0) && limit(RLIMIT_NOFILE, 0);
}

/* ---- the filter of system calls -------------------------------------------------------------- */

#if defined(__linux__) && defined(__x86_64__)
#define THIS_MACHINE AUDIT_ARCH_X86_64
#elif defined(__linux__) && defined(__aarch64__)
#define THIS_MACHINE AUDIT_ARCH_AARCH64
#endif

#ifdef THIS_MACHINE

#define LOAD(member)                                                                               \
    {                                                                                              \
        BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, member)                      \
    }
#define RETURN(value)                                                                              \
    {                                                                                              \
        BPF_RET | BPF_K, 0, 0, value                                                               \
    }
/* Goes on `equal` or `other` instructions later. */
#define COMPARE(value, equal, other)                                                               \
    {                                                                                              \
        BPF_JMP | BPF_JEQ | BPF_K, equal, other, value                                             \
    }
#define ALLOW(call) COMPARE(SYS_##call, 0, 1), RETURN(SECCOMP_RET_ALLOW)

static bool filter_calls(void)
{
    enum { FAILS = 1 /* EPERM */ };
    static struct sock_filter steps[] = {
        LOAD(arch),
        COMPARE(THIS_MACHINE, 1, 0),
        RETURN(SECCOMP_RET_KILL),
        LOAD(nr),
        ALLOW(read),
        ALLOW(pread64),
        ALLOW(write),
        ALLOW(lseek),
        ALLOW(fstat),
        ALLOW(brk),
        ALLOW(mmap),
        ALLOW(munmap),
        ALLOW(mremap),
        ALLOW(madvise),
        ALLOW(futex),
        ALLOW(rt_sigreturn),
        ALLOW(clock_gettime),
        ALLOW(exit_group),
        ALLOW(newfstatat),
        RETURN(SECCOMP_RET_ERRNO | FAILS),
    };
    const struct sock_fprog program = {.len = COUNT_OF(steps), .filter = steps};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#else

static bool filter_calls(void) { return true; }

#endif

bool reader_confine(int64_t bytes)
{
    close_others();
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return false;
#endif
    if (!set_limits(bytes)) return false;
    filter_calls(); /* a kernel may be built without; the limits hold all the same */
    return true;
}
