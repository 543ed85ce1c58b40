/* The default floating-point environment, in which all conversions are made whatever rounding the
 * program has chosen. Loading an environment takes as long as queueing a kernel: it is left as it
 * is where it is the default one, as it mostly is. Inline, for the same reason. */
#ifndef API_ROUNDING_H
#define API_ROUNDING_H

#include <fenv.h>
#include <stdbool.h>

typedef struct api_environment {
    bool is_default; /* but for the flags, which are all that is restored then */
    unsigned flags;
    fenv_t own;
} api_environment;

/* api_enter sets the default environment, and keeps the program's in *own for api_leave to restore.
 */
#if defined(__x86_64__)

enum { API_SSE_FLAGS = 0x3f, API_SSE_DEFAULT = 0x1f80, API_X87_DEFAULT = 0x37f };

static inline void api_enter(api_environment *own)
{
    unsigned short x87;
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    own->flags = __builtin_ia32_stmxcsr();
    own->is_default = (own->flags & ~API_SSE_FLAGS) == API_SSE_DEFAULT && x87 == API_X87_DEFAULT;
    if (own->is_default) return;
    fegetenv(&own->own);
    fesetenv(FE_DFL_ENV);
}

static inline void api_leave(const api_environment *own)
{
    if (!own->is_default)
        fesetenv(&own->own);
    else if (__builtin_ia32_stmxcsr() != own->flags)
        __builtin_ia32_ldmxcsr(own->flags);
}

#else

static inline void api_enter(api_environment *own)
{
    fegetenv(&own->own);
    fesetenv(FE_DFL_ENV);
}

static inline void api_leave(const api_environment *own) { fesetenv(&own->own); }

#endif

#endif
