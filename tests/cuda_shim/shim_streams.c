/* Streams: what is queued in them, when it happens; events; copies.
 *
 * Tickets count what was queued in a stream. An event notes a ticket, and who waits for the event
 * waits for it, so that events may go before their stream gets there. */
#include "cuda_shim.h"

#include <fenv.h>
#include <stdlib.h>
#include <string.h>

typedef struct item {
    struct item *next;
    CUresult (*run)(void *data);
    CUstream stream; /* `run` NULL: what is waited for */
    uint64_t ticket;
    _Alignas(16) unsigned char data[];
} item;

struct shim_stream {
    struct shim_stream *next;
    item *first, **end;
    uint64_t queued, done;
};

struct shim_event {
    CUstream stream;
    uint64_t ticket;
};

static struct shim_stream usual = {.end = &usual.first}; /* the stream NULL */
static struct shim_stream *streams = &usual;

CUDA_SHIM_API cuStreamCreate(CUstream *stream, unsigned flags);
CUDA_SHIM_API cuStreamDestroy_v2(CUstream stream);
CUDA_SHIM_API cuStreamSynchronize(CUstream stream);
CUDA_SHIM_API cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags);
CUDA_SHIM_API cuCtxSynchronize(void);
CUDA_SHIM_API cuEventCreate(CUevent *event, unsigned flags);
CUDA_SHIM_API cuEventRecord(CUevent event, CUstream stream);
CUDA_SHIM_API cuEventSynchronize(CUevent event);
CUDA_SHIM_API cuEventDestroy_v2(CUevent event);
CUDA_SHIM_API cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream);
CUDA_SHIM_API cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream);
CUDA_SHIM_API cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
CUDA_SHIM_API cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream);
CUDA_SHIM_API cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream);

static CUstream stream_of(CUstream stream) { return stream ? stream : &usual; }

static bool is_stream(const struct shim_stream *stream)
{
    for (const struct shim_stream *s = streams; s; s = s->next) {
        if (s == stream) return true;
    }
    return false;
}

/* ---- what happens ---------------------------------------------------------------------------- */

static item *take_first(CUstream stream)
{
    item *i = stream->first;
    stream->first = i->next;
    if (!i->next) stream->end = &stream->first;
    return i;
}

static void end_item(CUstream stream, item *i)
{
    const CUresult result = !i->run || shim_is_lost() ? CUDA_SUCCESS : i->run(i->data);
    if (result) shim_lose(result);
    stream->done++;
    free(i);
}

/* Whatever waits for nothing that is still to come happens. */
static void run_ahead(void)
{
    for (struct shim_stream *s = streams; s; s = s->next) {
        while (s->first && (s->first->run || s->first->stream->done >= s->first->ticket))
            end_item(s, take_first(s));
    }
}

static void run_until(CUstream stream, uint64_t ticket, bool ahead)
{
    while (stream->done < ticket && stream->first) {
        item *i = stream->first;
        if (!i->run && i->stream->done < i->ticket)
            run_until(i->stream, i->ticket, ahead);
        else
            end_item(stream, take_first(stream));
        if (ahead) run_ahead();
    }
}

/* The floating-point environment is that of the device, not that of who calls. */
static void finish(CUstream stream, uint64_t ticket)
{
    if (stream->done >= ticket) return;
    fenv_t environment;
    feholdexcept(&environment);
    fesetenv(FE_DFL_ENV);
    shim_memory_open();
    run_until(stream, ticket, shim_number("KATA_SHIM_AHEAD", 0));
    if (!shim_memory_is_whole()) shim_lose(CUDA_ERROR_ILLEGAL_ADDRESS);
    shim_memory_close();
    fesetenv(&environment);
}

void shim_finish_all(void)
{
    for (struct shim_stream *s = streams; s; s = s->next) finish(s, s->queued);
}

bool shim_has_work(void)
{
    bool some = false;
    for (const struct shim_stream *s = streams; s; s = s->next) some = some || s->first;
    return some;
}

static CUresult add(CUstream stream, const item *model, const void *data, size_t bytes)
{
    item *i = malloc(sizeof *i + bytes);
    if (!i) return CUDA_ERROR_OUT_OF_MEMORY;
    *i = *model;
    if (bytes > 0) memcpy(i->data, data, bytes);
    *stream->end = i;
    stream->end = &i->next;
    stream->queued++;
    if (shim_number("KATA_SHIM_EAGER", 0)) finish(stream, stream->queued);
    return CUDA_SUCCESS;
}

CUresult shim_queue(CUstream stream, const shim_work *work)
{
    stream = stream_of(stream);
    if (!is_stream(stream)) return CUDA_ERROR_INVALID_HANDLE;
    return add(stream, &(item){.run = work->run}, work->data, work->bytes);
}

/* ---- streams --------------------------------------------------------------------------------- */

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    const CUresult result = shim_enter();
    if (result) return result;
    if (!stream || flags > 1) return shim_leave(CUDA_ERROR_INVALID_VALUE);
    struct shim_stream *made = calloc(1, sizeof *made);
    if (!made) return shim_leave(CUDA_ERROR_OUT_OF_MEMORY);
    made->end = &made->first;
    made->next = usual.next;
    usual.next = made;
    *stream = made;
    return shim_leave(CUDA_SUCCESS);
}

CUresult cuStreamDestroy_v2(CUstream stream)
{
    const CUresult result = shim_enter();
    if (result) return result;
    struct shim_stream **link = &streams;
    while (*link && *link != stream) link = &(*link)->next;
    if (!*link || stream == &usual) return shim_leave(CUDA_ERROR_INVALID_HANDLE);
    shim_finish_all(); /* others may wait for it */
    *link = stream->next;
    free(stream);
    return shim_leave(CUDA_SUCCESS);
}

CUresult cuStreamSynchronize(CUstream stream)
{
    const CUresult result = shim_enter();
    if (result) return result;
    stream = stream_of(stream);
    if (!is_stream(stream)) return shim_leave(CUDA_ERROR_INVALID_HANDLE);
    finish(stream, stream->queued);
    return shim_leave(CUDA_SUCCESS);
}

CUresult cuCtxSynchronize(void)
{
    const CUresult result = shim_enter();
    if (result) return result;
    shim_finish_all();
    return shim_leave(CUDA_SUCCESS);
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    const CUresult result = shim_enter();
    if (result) return result;
    stream = stream_of(stream);
    if (!event || !is_stream(stream)) return shim_leave(CUDA_ERROR_INVALID_HANDLE);
    if (flags != 0) return shim_leave(CUDA_ERROR_INVALID_VALUE);
    if (!event->stream || !is_stream(event->stream)) return shim_leave(CUDA_SUCCESS);
    return shim_leave(
        add(stream, &(item){.stream = event->stream, .ticket = event->ticket}, NULL, 0));
}

/* ---- events ---------------------------------------------------------------------------------- */

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    const CUresult result = shim_enter();
    if (result) return result;
    if (!event || flags > 7) return shim_leave(CUDA_ERROR_INVALID_VALUE);
    *event = calloc(1, sizeof **event);
    return shim_leave(*event ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    const CUresult result = shim_enter();
    if (result) return result;
    stream = stream_of(stream);
    if (!event || !is_stream(stream)) return shim_leave(CUDA_ERROR_INVALID_HANDLE);
    *event = (struct shim_event){stream, stream->queued};
    return shim_leave(CUDA_SUCCESS);
}

CUresult cuEventSynchronize(CUevent event)
{
    const CUresult result = shim_enter();
    if (result) return result;
    if (!event) return shim_leave(CUDA_ERROR_INVALID_HANDLE);
    if (event->stream && is_stream(event->stream)) finish(event->stream, event->ticket);
    return shim_leave(CUDA_SUCCESS);
}

CUresult cuEventDestroy_v2(CUevent event)
{
    const CUresult result = shim_enter();
    if (!event) return result ? result : shim_leave(CUDA_ERROR_INVALID_HANDLE);
    free(event);
    return result ? result : shim_leave(CUDA_SUCCESS);
}

/* ---- copies ---------------------------------------------------------------------------------- */

static CUresult run_copy(void *data)
{
    const CUDA_MEMCPY3D *c = data;
    const bool from_host = c->srcMemoryType == CU_MEMORYTYPE_HOST;
    const bool to_host = c->dstMemoryType == CU_MEMORYTYPE_HOST;
    const unsigned char *from =
        from_host ? c->srcHost : (const void *)(uintptr_t)c->srcDevice;         // NOLINT
    unsigned char *to = to_host ? c->dstHost : (void *)(uintptr_t)c->dstDevice; // NOLINT
    for (size_t z = 0; z < c->Depth; z++) {
        for (size_t y = 0; y < c->Height; y++) {
            const size_t from_row = (c->srcZ + z) * c->srcHeight + c->srcY + y;
            const size_t to_row = (c->dstZ + z) * c->dstHeight + c->dstY + y;
            const size_t from_at = c->srcXInBytes + from_row * c->srcPitch;
            const size_t to_at = c->dstXInBytes + to_row * c->dstPitch;
            memmove(to + to_at, from + from_at, c->WidthInBytes);
        }
    }
    return CUDA_SUCCESS;
}

/* The bytes of the host that a copy reads or writes; none, of one between memories of the device.
 */
static void find_host(const CUDA_MEMCPY3D *c, uintptr_t *begin, uintptr_t *end)
{
    const bool from = c->srcMemoryType == CU_MEMORYTYPE_HOST;
    const size_t pitch = from ? c->srcPitch : c->dstPitch;
    const size_t height = from ? c->srcHeight : c->dstHeight;
    const size_t row = from ? c->srcZ * height + c->srcY : c->dstZ * height + c->dstY;
    const size_t rows = (c->Depth - 1) * height + c->Height - 1;
    *begin = *end = 0;
    if (!from && c->dstMemoryType != CU_MEMORYTYPE_HOST) return;
    if (c->WidthInBytes == 0 || c->Height == 0 || c->Depth == 0) return;
    *begin = (uintptr_t)(from ? c->srcHost : c->dstHost) + row * pitch;
    *begin += from ? c->srcXInBytes : c->dstXInBytes;
    *end = *begin + rows * pitch + c->WidthInBytes;
}

bool shim_is_copied(uintptr_t begin, uintptr_t end)
{
    for (const struct shim_stream *s = streams; s; s = s->next) {
        for (const item *i = s->first; i; i = i->next) {
            uintptr_t low, high;
            if (i->run != run_copy) continue;
            find_host((const CUDA_MEMCPY3D *)(const void *)i->data, &low, &high);
            if (low < end && begin < high) return true;
        }
    }
    return false;
}

/* Whether a side of a copy is there; of host memory nothing is known. */
static bool has_side(unsigned type, CUdeviceptr device, size_t first, size_t bytes)
{
    return type == CU_MEMORYTYPE_HOST ||
           (type == CU_MEMORYTYPE_DEVICE && shim_memory_has(device + first, bytes));
}

static bool is_possible(const CUDA_MEMCPY3D *c)
{
    if (c->WidthInBytes == 0 || c->Height == 0 || c->Depth == 0) return true;
    const bool rows = c->Height > 1 || c->Depth > 1;
    if (rows && (c->srcPitch < c->srcXInBytes + c->WidthInBytes ||
                 c->dstPitch < c->dstXInBytes + c->WidthInBytes))
        return false;
    if (c->Depth > 1 && (c->srcHeight < c->Height || c->dstHeight < c->Height)) return false;
    const size_t from_row = c->srcZ * c->srcHeight + c->srcY,
                 to_row = c->dstZ * c->dstHeight + c->dstY;
    const size_t from_rows = (c->Depth - 1) * c->srcHeight + c->Height - 1;
    const size_t to_rows = (c->Depth - 1) * c->dstHeight + c->Height - 1;
    return has_side(c->srcMemoryType, c->srcDevice, c->srcXInBytes + from_row * c->srcPitch,
                    from_rows * c->srcPitch + c->WidthInBytes) &&
           has_side(c->dstMemoryType, c->dstDevice, c->dstXInBytes + to_row * c->dstPitch,
                    to_rows * c->dstPitch + c->WidthInBytes);
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream)
{
    CUresult result = shim_enter();
    if (result) return result;
    if (!copy || copy->srcLOD || copy->dstLOD || !is_possible(copy))
        return shim_leave(CUDA_ERROR_INVALID_VALUE);
    uintptr_t begin, end;
    find_host(copy, &begin, &end);
    const shim_host host = begin < end ? shim_host_of(begin, end) : SHIM_PINNED;
    if (host == SHIM_MIXED) return shim_leave(CUDA_ERROR_INVALID_VALUE);
    result = shim_queue(stream, &(shim_work){run_copy, copy, sizeof *copy});
    stream = stream_of(stream);
    if (!result && host == SHIM_PAGEABLE) finish(stream, stream->queued);
    return shim_leave(result);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    return cuMemcpy3DAsync_v2(&(CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_HOST,
                                               .srcHost = from,
                                               .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                               .dstDevice = to,
                                               .WidthInBytes = bytes,
                                               .Height = 1,
                                               .Depth = 1},
                              stream);
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return cuMemcpy3DAsync_v2(&(CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                               .srcDevice = from,
                                               .dstMemoryType = CU_MEMORYTYPE_HOST,
                                               .dstHost = to,
                                               .WidthInBytes = bytes,
                                               .Height = 1,
                                               .Depth = 1},
                              stream);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return cuMemcpy3DAsync_v2(&(CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                               .srcDevice = from,
                                               .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                               .dstDevice = to,
                                               .WidthInBytes = bytes,
                                               .Height = 1,
                                               .Depth = 1},
                              stream);
}

typedef struct filling {
    CUdeviceptr to;
    size_t bytes;
    unsigned char value;
} filling;

static CUresult run_filling(void *data)
{
    const filling *f = data;
    memset((void *)(uintptr_t)f->to, f->value, f->bytes); // NOLINT
    return CUDA_SUCCESS;
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream)
{
    const CUresult result = shim_enter();
    if (result) return result;
    if (!shim_memory_has(to, bytes)) return shim_leave(CUDA_ERROR_INVALID_VALUE);
    const filling f = {to, bytes, value};
    return shim_leave(shim_queue(stream, &(shim_work){run_filling, &f, sizeof f}));
}
