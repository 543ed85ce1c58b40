/* With the linker option --wrap=malloc, calls of malloc become calls of __wrap_malloc, and
 * __real_malloc is the original. */
#include "allocation_fail.h"

#include <dirent.h>
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static _Atomic int64_t left; /* allocations until the one that fails; 0: none fails */
static _Atomic bool failed;
static const char *_Atomic which = "none";

bool allocation_fail_at(int64_t n)
{
    atomic_store(&left, n);
    return atomic_exchange(&failed, false);
}

const char *allocation_failed(void) { return which; }

static bool fails(const char *name)
{
    int64_t now = atomic_load(&left);
    if (now == 0 || atomic_fetch_sub(&left, 1) != 1) return false;
    which = name;
    atomic_store(&failed, true);
    errno = ENOMEM;
    return true;
}

#define REPLACE(type, failure, name, parameters, arguments)                                        \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters { return fails(#name) ? failure : __real_##name arguments; }

REPLACE(void *, NULL, malloc, (size_t size), (size))
REPLACE(void *, NULL, calloc, (size_t count, size_t size), (count, size))
REPLACE(void *, NULL, realloc, (void *old, size_t size), (old, size))
REPLACE(void *, NULL, aligned_alloc, (size_t alignment, size_t size), (alignment, size))
REPLACE(void *, MAP_FAILED, mmap,
        (void *at, size_t size, int protection, int flags, int file, off_t offset),
        (at, size, protection, flags, file, offset))
REPLACE(char *, NULL, strdup, (const char *text), (text))
REPLACE(char *, NULL, realpath, (const char *path, char *out), (path, out))
REPLACE(locale_t, (locale_t)0, newlocale, (int mask, const char *name, locale_t base),
        (mask, name, base))
REPLACE(FILE *, NULL, fopen, (const char *path, const char *mode), (path, mode))
REPLACE(FILE *, NULL, fdopen, (int file, const char *mode), (file, mode))
REPLACE(DIR *, NULL, opendir, (const char *path), (path))
REPLACE(int, ENOMEM, pthread_create,
        (pthread_t * thread, const pthread_attr_t *how, void *(*run)(void *), void *data),
        (thread, how, run, data))
