/* Stacks take turns on one thread of the processor.
 *
 * swapcontext also sets the mask of signals, which is the same on all of them: calls of the system
 * at each turn, most of what kernels that wait took. So it only leads to where a stack begins. The
 * functions are apart from those that call them, which hold all registers for lost that any
 * function may change. */
#include "cuda_shim.h"

#include <stdlib.h>

#ifdef __x86_64__

static __attribute__((noinline, noreturn)) void go_on(shim_turn *to)
{
    __builtin_longjmp(to->place, 1);
}

/* Does not return, or clang would give up the frame of the stack that is left before it calls this.
 */
static __attribute__((noinline, noreturn)) void go_to_begin(const ucontext_t *to)
{
    setcontext(to);
    abort();
}

static __attribute__((noinline)) void leave(shim_turn *own, shim_turn *next)
{
    if (__builtin_setjmp(own->place)) return;
    if (next->has_begun) go_on(next);
    next->has_begun = true;
    go_to_begin(&next->context);
}

void shim_turn_change(shim_turn *own, shim_turn *next)
{
    own->has_begun = true;
    leave(own, next);
}

#else

void shim_turn_change(shim_turn *own, shim_turn *next)
{
    swapcontext(&own->context, &next->context);
}

#endif

void shim_turn_begin(shim_turn *t, unsigned char *stack, size_t size, void (*run)(void))
{
    getcontext(&t->context);
    t->context.uc_stack = (stack_t){.ss_sp = stack, .ss_size = size};
    t->context.uc_link = NULL;
    makecontext(&t->context, run, 0);
    t->has_begun = false;
}
