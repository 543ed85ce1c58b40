/* Signals of errors, caught while a kernel runs: on a stack of their own, for that of a thread may
 * be full. Where others wait for them, these get those that are not a kernel's. */
#include "cuda_shim.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>

enum { COUNT = 4, STACK = 65536 };
static const int signals[COUNT] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
static struct sigaction before[COUNT];

static _Thread_local struct guard {
    sigjmp_buf out;
    int signal;
    void *address;
} * guard;

static void caught(int signal, siginfo_t *information, void *context)
{
    (void)context;
    if (guard) {
        guard->signal = signal;
        guard->address = signal == SIGSEGV || signal == SIGBUS ? information->si_addr : NULL;
        siglongjmp(guard->out, 1);
    }
    /* Another thread's: it happens again, and goes to whom it went before. */
    for (int i = 0; i < COUNT; i++) {
        if (signals[i] == signal) sigaction(signal, &before[i], NULL);
    }
}

static void listen(void)
{
    struct sigaction action = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < COUNT; i++) sigaction(signals[i], &action, &before[i]);
}

bool shim_guarded(void (*body)(void *data), void *data, int *signal, void **address)
{
    static unsigned char memory[STACK];
    const stack_t own = {.ss_sp = memory, .ss_size = sizeof memory};
    stack_t old;
    struct guard here = {.signal = 0};
    sigaltstack(&own, &old);
    guard = &here;
    listen();
    if (sigsetjmp(here.out, 1) == 0) body(data);
    for (int i = 0; i < COUNT; i++) sigaction(signals[i], &before[i], NULL);
    guard = NULL;
    sigaltstack(&old, NULL);
    *signal = here.signal;
    *address = here.address;
    return here.signal == 0;
}
