/* Memory of the host that is registered: pinned where it lies.
 *
 * Pages belong to one registration. Copies from and to it happen as late as others that are queued;
 * those of memory that is not pinned before the call returns, as a driver stages them. What a
 * program does to registered memory that no driver could notice ends the process here. */
#include "cuda_shim.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096, MOST_FLAGS = 15 };

typedef struct registered {
    struct registered *next;
    uintptr_t begin, end;
} registered;

static registered *all;

CUDA_SHIM_API cuMemHostRegister_v2(void *at, size_t bytes, unsigned flags);
CUDA_SHIM_API cuMemHostUnregister(void *at);

static uintptr_t page_of(uintptr_t address) { return address / PAGE * PAGE; }

static void give_up(const char *what, uintptr_t begin, uintptr_t end)
{
    fprintf(stderr, "CUDA shim: %s: %zu bytes at %p\n", what, (size_t)(end - begin),
            (void *)begin); // NOLINT
    abort();
}

/* Whether the system still has all of its pages. */
static bool is_mapped(uintptr_t begin, uintptr_t end)
{
    const size_t bytes = end - page_of(begin), pages = (bytes + PAGE - 1) / PAGE;
    unsigned char *there = malloc(pages);
    const bool mapped = !there || mincore((void *)page_of(begin), bytes, there) == 0; // NOLINT
    free(there);
    return mapped;
}

CUresult cuMemHostRegister_v2(void *at, size_t bytes, unsigned flags)
{
    const CUresult result = shim_enter();
    if (result) return result;
    const uintptr_t begin = (uintptr_t)at, end = begin + bytes;
    if (!at || bytes == 0 || flags > MOST_FLAGS || !is_mapped(begin, end))
        return shim_leave(CUDA_ERROR_INVALID_VALUE);
    if (shim_number("KATA_SHIM_PAGEABLE", 0)) return shim_leave(CUDA_ERROR_NOT_SUPPORTED);
    for (const registered *r = all; r; r = r->next) {
        if (page_of(begin) < page_of(r->end - 1) + PAGE && page_of(r->begin) < end)
            return shim_leave(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    }
    registered *made = malloc(sizeof *made);
    if (!made) return shim_leave(CUDA_ERROR_OUT_OF_MEMORY);
    *made = (registered){all, begin, end};
    all = made;
    return shim_leave(CUDA_SUCCESS);
}

CUresult cuMemHostUnregister(void *at)
{
    const CUresult result = shim_enter();
    if (result) return result;
    registered **link = &all, *r;
    while (*link && (*link)->begin != (uintptr_t)at) link = &(*link)->next;
    if (!(r = *link)) give_up("unregistered, but not registered", (uintptr_t)at, (uintptr_t)at);
    if (shim_is_copied(r->begin, r->end))
        give_up("unregistered before its copies have happened", r->begin, r->end);
    if (!is_mapped(r->begin, r->end)) give_up("freed while it was registered", r->begin, r->end);
    *link = r->next;
    free(r);
    return shim_leave(CUDA_SUCCESS);
}

shim_host shim_host_of(uintptr_t begin, uintptr_t end)
{
    for (const registered *r = all; r; r = r->next) {
        if (begin >= r->end || r->begin >= end) continue;
        if (!is_mapped(begin, end)) give_up("freed while it was registered", r->begin, r->end);
        return begin >= r->begin && end <= r->end ? SHIM_PINNED : SHIM_MIXED;
    }
    return shim_memory_pins(begin, end) ? SHIM_PINNED : SHIM_PAGEABLE;
}

void shim_pins_end(void)
{
    if (all && !shim_is_lost())
        give_up("still registered when its context goes", all->begin, all->end);
}
