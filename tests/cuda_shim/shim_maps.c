/* Memory that is mapped where the program says: ranges of addresses, pieces of memory, and where
 * these are mapped. A piece is a file without a name, so that it can lie in several places. It
 * stays until it is released and mapped nowhere. A mapping is one block for copies, and those that
 * follow one another are not. */
#include "cuda_shim.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, JUNK = 0xff, DEVICE = 1, PINNED = 1, READ_AND_WRITE = 3 };

typedef struct piece {
    int file, uses; /* the handle, and mappings */
    size_t bytes;
} piece;

typedef struct range {
    struct range *next;
    CUdeviceptr at;
    size_t bytes;
    piece *piece; /* NULL: it is reserved */
    bool allowed;
} range;

static range *ranges;

CUDA_SHIM_API cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *prop,
                                            int option);
CUDA_SHIM_API cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                          const CUmemAllocationProp *prop, unsigned long long flags);
CUDA_SHIM_API cuMemRelease(CUmemGenericAllocationHandle handle);
CUDA_SHIM_API cuMemAddressReserve(CUdeviceptr *at, size_t bytes, size_t align, CUdeviceptr wish,
                                  unsigned long long flags);
CUDA_SHIM_API cuMemAddressFree(CUdeviceptr at, size_t bytes);
CUDA_SHIM_API cuMemMap(CUdeviceptr at, size_t bytes, size_t offset,
                       CUmemGenericAllocationHandle handle, unsigned long long flags);
CUDA_SHIM_API cuMemUnmap(CUdeviceptr at, size_t bytes);
CUDA_SHIM_API cuMemSetAccess(CUdeviceptr at, size_t bytes, const CUmemAccessDesc *access,
                             size_t count);

int64_t shim_piece_bytes(void) { return shim_number("KATA_SHIM_PIECE", PAGE); }

static void *pointer(CUdeviceptr at) { return (void *)(uintptr_t)at; } // NOLINT

/* ---- ranges ---------------------------------------------------------------------------------- */

static bool add(CUdeviceptr at, size_t bytes, piece *p)
{
    range *r = malloc(sizeof *r);
    if (!r) return false;
    *r = (range){ranges, at, bytes, p, false};
    ranges = r;
    return true;
}

/* The link to a mapping, or to what is reserved, that begins at an address. */
static range **find(CUdeviceptr at, size_t bytes, bool mapped)
{
    for (range **r = &ranges; *r; r = &(*r)->next) {
        if ((*r)->at == at && (*r)->bytes == bytes && !(*r)->piece == !mapped) return r;
    }
    return NULL;
}

/* Whether bytes are of one that is reserved; and whether some are mapped. */
static bool is_reserved(CUdeviceptr at, size_t bytes, bool *mapped)
{
    bool reserved = false;
    *mapped = false;
    for (const range *r = ranges; r; r = r->next) {
        if (r->piece)
            *mapped = *mapped || (at < r->at + r->bytes && r->at < at + bytes);
        else
            reserved = reserved || (at >= r->at && at + bytes <= r->at + r->bytes);
    }
    return reserved;
}

static void drop(range **link)
{
    range *r = *link;
    *link = r->next;
    free(r);
}

CUresult cuMemAddressReserve(CUdeviceptr *at, size_t bytes, size_t align, CUdeviceptr wish,
                             unsigned long long flags)
{
    const CUresult result = shim_enter();
    if (result) return result;
    const int64_t unit = shim_piece_bytes();
    if (!at || !bytes || !unit || bytes % (size_t)unit || align || wish || flags)
        return shim_leave(CUDA_ERROR_INVALID_VALUE);
    /* a page that nobody may touch lies before it, and one behind */
    unsigned char *pages = mmap(NULL, bytes + (size_t)2 * PAGE, PROT_NONE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) return shim_leave(CUDA_ERROR_OUT_OF_MEMORY);
    *at = (CUdeviceptr)(uintptr_t)(pages + PAGE);
    return shim_leave(add(*at, bytes, NULL) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuMemAddressFree(CUdeviceptr at, size_t bytes)
{
    const CUresult result = shim_enter();
    if (result) return result;
    bool mapped;
    range **link = find(at, bytes, false);
    if (!link || !is_reserved(at, bytes, &mapped) || mapped)
        return shim_leave(CUDA_ERROR_INVALID_VALUE);
    shim_finish_all();
    munmap((unsigned char *)pointer(at) - PAGE, bytes + (size_t)2 * PAGE);
    drop(link);
    return shim_leave(CUDA_SUCCESS);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static bool is_usual(const CUmemAllocationProp *p)
{
    return p && p->type == PINNED && !p->requestedHandleTypes && p->location.type == DEVICE &&
           p->location.id >= 0;
}

CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *prop, int option)
{
    if (!bytes || !is_usual(prop) || option < 0 || option > 1) return CUDA_ERROR_INVALID_VALUE;
    if (!shim_piece_bytes()) return CUDA_ERROR_NOT_SUPPORTED;
    *bytes = (size_t)shim_piece_bytes();
    return CUDA_SUCCESS;
}

static void leave(piece *p)
{
    if (--p->uses) return;
    shim_memory_give(p->bytes);
    close(p->file);
    free(p);
}

static bool make_file(piece *p)
{
    p->file = memfd_create("piece", 0);
    if (p->file < 0 || ftruncate(p->file, (off_t)p->bytes)) return false;
    void *all = mmap(NULL, p->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, p->file, 0);
    if (all == MAP_FAILED) return false;
    memset(all, JUNK, p->bytes);
    munmap(all, p->bytes);
    return true;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                     const CUmemAllocationProp *prop, unsigned long long flags)
{
    const CUresult result = shim_enter();
    if (result) return result;
    const int64_t unit = shim_piece_bytes();
    if (!handle || !is_usual(prop) || flags || !unit || !bytes || bytes % (size_t)unit)
        return shim_leave(CUDA_ERROR_INVALID_VALUE);
    if (!shim_memory_take(bytes)) return shim_leave(CUDA_ERROR_OUT_OF_MEMORY);
    piece *p = calloc(1, sizeof *p);
    if (p) *p = (piece){.file = -1, .uses = 1, .bytes = bytes};
    if (p && make_file(p)) {
        *handle = (uintptr_t)p;
        return shim_leave(CUDA_SUCCESS);
    }
    if (p)
        leave(p);
    else
        shim_memory_give(bytes);
    return shim_leave(CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    const CUresult result = shim_enter();
    if (result) return result;
    leave(pointer(handle));
    return shim_leave(CUDA_SUCCESS);
}

/* ---- mapping --------------------------------------------------------------------------------- */

CUresult cuMemMap(CUdeviceptr at, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags)
{
    const CUresult result = shim_enter();
    if (result) return result;
    piece *p = pointer(handle);
    bool mapped;
    if (!is_reserved(at, bytes, &mapped) || mapped || offset || flags || bytes != p->bytes)
        return shim_leave(CUDA_ERROR_INVALID_VALUE);
    if (mmap(pointer(at), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, p->file, 0) == MAP_FAILED ||
        !add(at, bytes, p))
        return shim_leave(CUDA_ERROR_OUT_OF_MEMORY);
    p->uses++;
    return shim_leave(CUDA_SUCCESS);
}

CUresult cuMemUnmap(CUdeviceptr at, size_t bytes)
{
    const CUresult result = shim_enter();
    if (result) return result;
    range **link = find(at, bytes, true);
    if (!link) return shim_leave(CUDA_ERROR_INVALID_VALUE);
    if (shim_has_work()) {
        shim_lose(CUDA_ERROR_ILLEGAL_ADDRESS); /* a driver does not wait for it */
        return shim_leave(CUDA_ERROR_ILLEGAL_ADDRESS);
    }
    mmap(pointer(at), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
         0);
    leave((*link)->piece);
    drop(link);
    return shim_leave(CUDA_SUCCESS);
}

CUresult cuMemSetAccess(CUdeviceptr at, size_t bytes, const CUmemAccessDesc *access, size_t count)
{
    const CUresult result = shim_enter();
    if (result) return result;
    size_t found = 0;
    const bool right =
        access && count == 1 && access->flags == READ_AND_WRITE && access->location.type == DEVICE;
    for (range *r = ranges; r && right; r = r->next) {
        if (!r->piece || r->at < at || r->at + r->bytes > at + bytes) continue;
        r->allowed = true;
        found += r->bytes;
        if (shim_memory_is_open()) mprotect(pointer(r->at), r->bytes, PROT_READ | PROT_WRITE);
    }
    return shim_leave(right && found == bytes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

bool shim_maps_have(CUdeviceptr at, size_t bytes)
{
    for (const range *r = ranges; r; r = r->next) {
        if (r->allowed && at >= r->at && at + bytes <= r->at + r->bytes) return true;
    }
    return false;
}

void shim_maps_protect(int protection)
{
    for (const range *r = ranges; r; r = r->next) {
        if (r->allowed) mprotect(pointer(r->at), r->bytes, protection);
    }
}
