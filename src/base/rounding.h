/* Conversions and kernels use the default floating-point environment, whatever rounding the program
 * has chosen. Loading an environment takes as long as queueing a kernel. So it is only loaded where
 * the program has another one, which is rare, and these functions are inline. */
#ifndef BASE_ROUNDING_H
#define BASE_ROUNDING_H

#include <fenv.h>
#include <stdbool.h>

typedef struct rounding_environment {
    bool is_default; /* except for the flags; then only the flags are restored */
    unsigned flags;
    fenv_t own;
} rounding_environment;

/* rounding_enter stores the program's environment in *own and sets the default one; rounding_leave
 * restores it.
 */
#if defined(__x86_64__)

enum { ROUNDING_SSE_FLAGS = 0x3f, ROUNDING_SSE_DEFAULT = 0x1f80, ROUNDING_X87_DEFAULT = 0x37f };

static inline void rounding_enter(rounding_environment *own)
{
    unsigned short x87;
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    own->flags = __builtin_ia32_stmxcsr();
    own->is_default =
        (own->flags & ~ROUNDING_SSE_FLAGS) == ROUNDING_SSE_DEFAULT && x87 == ROUNDING_X87_DEFAULT;
    if (own->is_default) return;
    fegetenv(&own->own);
    fesetenv(FE_DFL_ENV);
}

static inline void rounding_leave(const rounding_environment *own)
{
    if (!own->is_default)
        fesetenv(&own->own);
    else if (__builtin_ia32_stmxcsr() != own->flags)
        __builtin_ia32_ldmxcsr(own->flags);
}

#else

static inline void rounding_enter(rounding_environment *own)
{
    fegetenv(&own->own);
    fesetenv(FE_DFL_ENV);
}

static inline void rounding_leave(const rounding_environment *own) { fesetenv(&own->own); }

#endif

#endif
