/* Memory of the device, and memory of the host that is pinned.
 *
 * An allocation lies at the end of pages of its own, beginning at a multiple of 256 bytes. Behind
 * it are a few bytes that are looked at afterwards, then, as before it, a page that nobody may
 * touch. */
#include "cuda_shim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    PAGE = 4096,
    ALIGN = 256,
    JUNK = 0xff,
    MOST_CLOSED = 64,   /* so many allocations are opened, closed and looked at in little time */
    MOST_GUARDED = 4096 /* the system has some 65,000 pieces of memory for a process */
};

typedef struct allocation {
    struct allocation *next;
    unsigned char *pages, *begin, *end; /* end: of what was asked for, in the last page */
    size_t page_bytes;
    bool is_host;
    bool is_guarded; /* by pages that nobody may touch */
} allocation;

static allocation *allocations;
static size_t used;                        /* bytes of device memory */
static int allocation_count, device_count; /* of all, of device memory */
static bool is_open;

CUDA_SHIM_API cuMemAlloc_v2(CUdeviceptr *at, size_t bytes);
CUDA_SHIM_API cuMemFree_v2(CUdeviceptr at);
CUDA_SHIM_API cuMemHostAlloc(void **at, size_t bytes, unsigned flags);
CUDA_SHIM_API cuMemFreeHost(void *at);
CUDA_SHIM_API cuMemGetInfo_v2(size_t *free_bytes, size_t *total);

int64_t shim_memory_total(void) { return shim_number("KATA_SHIM_MEMORY", (int64_t)4 << 30); }

/* ---- allocating ------------------------------------------------------------------------------ */

static size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

/* Pages with another one before them and behind, guarded unless there are very many. */
static unsigned char *take_pages(size_t bytes, bool is_guarded)
{
    const size_t all = bytes + (size_t)2 * PAGE;
    if (!is_guarded) {
        unsigned char *plain = aligned_alloc(PAGE, all);
        return plain ? plain + PAGE : NULL;
    }
    unsigned char *pages =
        mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) return NULL;
    if (mprotect(pages + PAGE, bytes, PROT_READ | PROT_WRITE) == 0) return pages + PAGE;
    munmap(pages, all);
    return NULL;
}

/* Whether the host may touch memory of the device, as an MPI library that knows CUDA seems to. */
static bool for_all(void) { return shim_number("KATA_SHIM_OPEN", 0) != 0; }

static CUresult allocate(size_t bytes, bool is_host, allocation **made)
{
    allocation *a = calloc(1, sizeof *a);
    if (!a) return CUDA_ERROR_OUT_OF_MEMORY;
    a->is_host = is_host;
    a->is_guarded = allocation_count < MOST_GUARDED;
    a->page_bytes = round_up(bytes, PAGE);
    a->pages = take_pages(a->page_bytes, a->is_guarded);
    if (!a->pages) {
        free(a);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    a->begin = a->pages + (a->page_bytes - bytes) / ALIGN * ALIGN;
    a->end = a->begin + bytes;
    memset(a->pages, JUNK, a->page_bytes);
    if (!is_host && !is_open && !for_all() && a->is_guarded)
        mprotect(a->pages, a->page_bytes, PROT_NONE);
    a->next = allocations;
    allocations = a;
    allocation_count++;
    *made = a;
    return CUDA_SUCCESS;
}

/* The link to the allocation that begins at an address; NULL when there is none of this kind. */
static allocation **find(const void *begin, bool is_host)
{
    for (allocation **a = &allocations; *a; a = &(*a)->next) {
        if ((*a)->begin == begin && (*a)->is_host == is_host) return a;
    }
    return NULL;
}

/* Whether nobody has written to the bytes of its pages that are not of an allocation. */
static bool is_whole(const allocation *a)
{
    static unsigned char junk[PAGE];
    if (junk[0] != JUNK) memset(junk, JUNK, sizeof junk);
    const size_t before = (size_t)(a->begin - a->pages);
    const bool first = memcmp(a->pages, junk, before) == 0;
    if (first && memcmp(a->end, junk, a->page_bytes - before - (size_t)(a->end - a->begin)) == 0)
        return true;
    fprintf(stderr, "CUDA shim: something was written %s an allocation of %zu bytes\n",
            first ? "behind" : "before", (size_t)(a->end - a->begin));
    return false;
}

static CUresult release(allocation **link)
{
    if (!link) return CUDA_ERROR_INVALID_VALUE;
    allocation *a = *link;
    allocation_count--;
    if (!a->is_host) {
        used -= (size_t)(a->end - a->begin);
        device_count--;
    }
    *link = a->next;
    if (a->is_guarded)
        munmap(a->pages - PAGE, a->page_bytes + (size_t)2 * PAGE);
    else
        free(a->pages - PAGE);
    free(a);
    return CUDA_SUCCESS;
}

bool shim_memory_take(size_t bytes)
{
    const size_t total = (size_t)shim_memory_total();
    if (bytes > total || used > total - bytes) return false;
    used += bytes;
    return true;
}

void shim_memory_give(size_t bytes) { used -= bytes; }

bool shim_memory_is_open(void) { return is_open; }

CUresult cuMemAlloc_v2(CUdeviceptr *at, size_t bytes)
{
    CUresult result = shim_enter();
    if (result) return result;
    allocation *made = NULL;
    if (!at || bytes == 0)
        result = CUDA_ERROR_INVALID_VALUE;
    else if (!shim_memory_take(bytes))
        result = CUDA_ERROR_OUT_OF_MEMORY;
    else if ((result = allocate(bytes, false, &made)))
        shim_memory_give(bytes);
    if (!result) {
        device_count++;
        *at = (CUdeviceptr)(uintptr_t)made->begin;
    }
    return shim_leave(result);
}

CUresult cuMemFree_v2(CUdeviceptr at)
{
    CUresult result = shim_enter();
    if (result) return result;
    shim_finish_all();
    shim_memory_open();
    allocation **link = find((void *)(uintptr_t)at, false); // NOLINT
    if (link && !is_whole(*link)) shim_lose(CUDA_ERROR_ILLEGAL_ADDRESS);
    if (at) result = release(link);
    shim_memory_close();
    return shim_leave(result);
}

CUresult cuMemHostAlloc(void **at, size_t bytes, unsigned flags)
{
    CUresult result = shim_enter();
    if (result) return result;
    allocation *made = NULL;
    if (!at || bytes == 0 || flags > 7)
        result = CUDA_ERROR_INVALID_VALUE;
    else
        result = allocate(bytes, true, &made);
    if (!result) *at = made->begin;
    return shim_leave(result);
}

CUresult cuMemFreeHost(void *at)
{
    CUresult result = shim_enter();
    if (result) return result;
    shim_finish_all();
    allocation **link = find(at, true);
    if (link && !is_whole(*link)) shim_lose(CUDA_ERROR_ILLEGAL_ADDRESS);
    return shim_leave(release(link));
}

CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
    const CUresult result = shim_enter();
    if (result) return result;
    if (!free_bytes || !total) return shim_leave(CUDA_ERROR_INVALID_VALUE);
    *total = (size_t)shim_memory_total();
    *free_bytes = *total - used;
    return shim_leave(CUDA_SUCCESS);
}

/* ---- who may touch it ------------------------------------------------------------------------ */

static void protect(int protection)
{
    for (const allocation *a = allocations; a; a = a->next) {
        if (!a->is_host && a->is_guarded) mprotect(a->pages, a->page_bytes, protection);
    }
    shim_maps_protect(protection);
}

void shim_memory_open(void)
{
    if (!is_open) protect(PROT_READ | PROT_WRITE);
    is_open = true;
}

void shim_memory_close(void)
{
    if (device_count > MOST_CLOSED || for_all()) return;
    protect(PROT_NONE);
    is_open = false;
}

bool shim_memory_has(CUdeviceptr at, size_t bytes)
{
    for (const allocation *a = allocations; a; a = a->next) {
        const uintptr_t begin = (uintptr_t)a->begin, end = (uintptr_t)a->end;
        if (!a->is_host && at >= begin && at <= end && bytes <= end - at) return true;
    }
    return shim_maps_have(at, bytes);
}

bool shim_memory_pins(uintptr_t begin, uintptr_t end)
{
    for (const allocation *a = allocations; a; a = a->next) {
        if (a->is_host && begin >= (uintptr_t)a->begin && end <= (uintptr_t)a->end) return true;
    }
    return false;
}

void shim_memory_describe(const void *address, char words[200])
{
    const unsigned char *p = address;
    snprintf(words, 200, "%p, where no allocation is", address);
    for (const allocation *a = allocations; a; a = a->next) {
        const char *kind = a->is_host ? "pinned host" : "device";
        const size_t bytes = (size_t)(a->end - a->begin);
        if (p >= a->begin && p < a->end)
            snprintf(words, 200, "byte %zd of an allocation of %zu bytes of %s memory",
                     p - a->begin, bytes, kind);
        else if (p >= a->pages - PAGE && p < a->begin)
            snprintf(words, 200, "%zd bytes before an allocation of %zu bytes of %s memory",
                     a->begin - p, bytes, kind);
        else if (p >= a->end && p < a->pages + a->page_bytes + PAGE)
            snprintf(words, 200,
                     "%zd bytes behind the end of an allocation of %zu bytes of %s memory",
                     p - a->end, bytes, kind);
    }
}

bool shim_memory_is_whole(void)
{
    bool whole = true;
    int left = MOST_CLOSED; /* others are looked at when they are released */
    for (const allocation *a = allocations; a && left > 0; a = a->next) {
        if (a->is_host) continue;
        if (!is_whole(a)) whole = false;
        left--;
    }
    return whole;
}
