/* Memory and queues of a CUDA device. A queue is a stream; what one waits for in another is an
 * event. */
#include "device/cuda_private.h"

#include <string.h>

bool cuda_allocate(device *d, device_memory *memory, size_t bytes)
{
    const cuda_api *api = cuda_enter(d);
    return api && cuda_check(d, "cuMemAlloc", api->allocate(&memory->address, bytes));
}

void cuda_release(device *d, device_memory *memory)
{
    const cuda_api *api = cuda_enter(d);
    if (memory->turn)
        cuda_release_rings(d, memory);
    else if (api && memory->host)
        api->host_release(memory->host);
    else if (api)
        api->release(memory->address);
}

/* Pinned memory has the same addresses everywhere. */
bool cuda_allocate_here(device *d, device_memory *memory)
{
    const cuda_api *api = cuda_enter(d);
    const unsigned flags = CUDA_HOST_PORTABLE | CUDA_HOST_MAPPED;
    if (!api || api->host_allocate(&memory->host, memory->bytes, flags) != CUDA_OK) return false;
    memory->address = (uintptr_t)memory->host;
    return true;
}

void *cuda_pinned(device *d, size_t bytes)
{
    const cuda_api *api = cuda_enter(d);
    void *memory = NULL;
    if (!api ||
        !cuda_check(d, "cuMemHostAlloc", api->host_allocate(&memory, bytes, CUDA_HOST_PORTABLE)))
        return NULL;
    return memory;
}

void cuda_release_pinned(device *d, void *memory)
{
    const cuda_api *api = cuda_enter(d);
    if (api) api->host_release(memory);
}

/* Refused where pages belong to memory that is pinned already, or are of a file. */
bool cuda_pin(device *d, void *memory, size_t bytes)
{
    const cuda_api *api = cuda_enter(d);
    return api && api->host_register(memory, bytes, CUDA_HOST_PORTABLE) == CUDA_OK;
}

void cuda_unpin(device *d, void *memory)
{
    const cuda_api *api = cuda_enter(d);
    if (api) api->host_unregister(memory);
}

/* ---- queues ---------------------------------------------------------------------------------- */

bool cuda_order(device *d, int queue, int before)
{
    const cuda_device *own = d->own;
    const cuda_api *api = cuda_enter(d);
    return api &&
           cuda_check(d, "cuEventRecord",
                      api->event_record(own->event[before], own->stream[before])) &&
           cuda_check(d, "cuStreamWaitEvent",
                      api->stream_wait_event(own->stream[queue], own->event[before], 0));
}

void *cuda_event_new(device *d)
{
    const cuda_api *api = cuda_enter(d);
    void *event = NULL;
    bool made =
        api && cuda_check(d, "cuEventCreate", api->event_create(&event, CUDA_EVENT_WITHOUT_TIME));
    return made ? event : NULL;
}

void cuda_event_free(device *d, void *event)
{
    const cuda_api *api = cuda_enter(d);
    if (api) api->event_destroy(event);
}

bool cuda_note(device *d, void *event, int queue)
{
    const cuda_device *own = d->own;
    const cuda_api *api = cuda_enter(d);
    return api && cuda_check(d, "cuEventRecord", api->event_record(event, own->stream[queue]));
}

bool cuda_order_behind(device *d, int queue, void *event)
{
    const cuda_device *own = d->own;
    const cuda_api *api = cuda_enter(d);
    return api &&
           cuda_check(d, "cuStreamWaitEvent", api->stream_wait_event(own->stream[queue], event, 0));
}

bool cuda_wait(device *d, int queue)
{
    const cuda_device *own = d->own;
    const cuda_api *api = cuda_enter(d);
    if (queue == DEVICE_WORK) cuda_batch_waited(d);
    return api && cuda_check(d, "cuStreamSynchronize", api->stream_wait(own->stream[queue]));
}

/* ---- copies ---------------------------------------------------------------------------------- */

static bool move_line(device *d, const cuda_api *api, const device_move *move)
{
    void *stream = ((cuda_device *)d->own)->stream[move->queue];
    uint64_t address = move->memory->address + move->box.at, other = (uintptr_t)move->host;
    if (move->within)
        return cuda_check(d, "cuMemcpyDtoDAsync",
                          api->copy(move->out ? other : address, move->out ? address : other,
                                    move->box.row, stream));
    if (move->out)
        return cuda_check(d, "cuMemcpyDtoHAsync",
                          api->get(move->host, address, move->box.row, stream));
    return cuda_check(d, "cuMemcpyHtoDAsync", api->put(address, move->host, move->box.row, stream));
}

static bool move_planes(device *d, const cuda_api *api, const device_move *move)
{
    const device_box *box = &move->box;
    void *stream = ((cuda_device *)d->own)->stream[move->queue];
    cuda_copy_side there = {.where = CUDA_ON_DEVICE,
                            .address = move->memory->address + box->at,
                            .pitch = box->row_pitch,
                            .height = box->plane_pitch / box->row_pitch};
    cuda_copy_side here = {.where = move->within ? CUDA_ON_DEVICE : CUDA_ON_HOST,
                           .host = move->within ? NULL : move->host,
                           .address = move->within ? (uintptr_t)move->host : 0,
                           .pitch = box->host_row_pitch,
                           .height = box->host_plane_pitch / box->host_row_pitch};
    cuda_copy copy = {.from = move->out ? there : here,
                      .to = move->out ? here : there,
                      .width = box->row,
                      .height = box->rows,
                      .depth = box->planes};
    return cuda_check(d, "cuMemcpy3DAsync", api->copy_box(&copy, stream));
}

/* A line, or planes to and from pinned memory. */
static bool move_plainly(device *d, const device_move *move)
{
    const cuda_api *api = cuda_enter(d);
    bool is_line = move->box.rows == 1 && move->box.planes == 1;
    return api && (is_line ? move_line(d, api, move) : move_planes(d, api, move));
}

/* ---- staged copies ---------------------------------------------------------------------------
 *
 * The driver stages lines of memory that is not pinned by itself. Planes of rows go through a
 * pinned piece here, so that what crosses the bus is one block. */

/* Cuts off the first part of a box whose bytes have room in a piece: planes, rows, or of a row.
 * What remains of it is at the next place: one of z, y and x goes on, and returns the others to 0
 * at its end. */
typedef struct place {
    size_t x, y, z;
} place;

static device_move next_part(const device_move *all, place *p)
{
    device_move part = *all;
    device_box *b = &part.box;
    const size_t rows = all->box.rows, row = all->box.row;
    b->at += p->z * b->plane_pitch + p->y * b->row_pitch + p->x;
    part.host += p->z * b->host_plane_pitch + p->y * b->host_row_pitch + p->x;
    b->planes = b->rows = 1;
    if (p->x == 0 && p->y == 0 && rows * row <= CUDA_PIECE) {
        b->planes = (size_t)smaller((int64_t)(all->box.planes - p->z),
                                    (int64_t)(CUDA_PIECE / (rows * row)));
        b->rows = rows;
        p->z += b->planes;
    } else if (p->x == 0 && row <= CUDA_PIECE) {
        b->rows = (size_t)smaller((int64_t)(rows - p->y), (int64_t)(CUDA_PIECE / row));
        p->y += b->rows;
    } else {
        b->row = (size_t)smaller((int64_t)(row - p->x), CUDA_PIECE);
        p->x += b->row;
    }
    p->y += p->x == row;
    p->x %= row;
    p->z += p->y == rows;
    p->y %= rows;
    return part;
}

/* Copies between this machine's rows and the piece, in which they follow one another. */
static void pack(const device_move *part, char *piece)
{
    const device_box *b = &part->box;
    for (size_t z = 0; z < b->planes; z++)
        for (size_t y = 0; y < b->rows; y++, piece += b->row) {
            char *host = part->host + z * b->host_plane_pitch + y * b->host_row_pitch;
            memcpy(part->out ? host : piece, part->out ? piece : host, b->row);
        }
}

static bool move_staged(device *d, const device_move *move)
{
    cuda_device *own = d->own;
    if (!own->piece && !(own->piece = cuda_pinned(d, CUDA_PIECE))) return false;
    for (place p = {0}; p.z < move->box.planes;) {
        device_move part = next_part(move, &p), packed = part;
        packed.host = own->piece;
        packed.box.host_row_pitch = part.box.row;
        packed.box.host_plane_pitch = part.box.rows * part.box.row;
        if (!move->out) pack(&part, own->piece);
        if (!move_plainly(d, &packed) || !cuda_wait(d, move->queue)) return false;
        if (move->out) pack(&part, own->piece);
    }
    return true;
}

bool cuda_move(device *d, const device_move *move)
{
    bool is_line = move->box.rows == 1 && move->box.planes == 1;
    return move->waits && !is_line ? move_staged(d, move) : move_plainly(d, move);
}

bool cuda_set(device *d, device_memory *to, size_t at, int value, size_t bytes)
{
    const cuda_device *own = d->own;
    const cuda_api *api = cuda_enter(d);
    return api && cuda_check(d, "cuMemsetD8Async",
                             api->set(to->address + at, (unsigned char)value, bytes,
                                      own->stream[DEVICE_WORK]));
}

bool cuda_copy_bytes(device *d, device_memory *to, size_t to_at, const device_memory *from,
                     size_t from_at, size_t bytes)
{
    const cuda_device *own = d->own;
    const cuda_api *api = cuda_enter(d);
    return api && cuda_check(d, "cuMemcpyDtoDAsync",
                             api->copy(to->address + to_at, from->address + from_at, bytes,
                                       own->stream[DEVICE_WORK]));
}
