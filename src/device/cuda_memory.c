/* Memory and queues of a CUDA device. A queue is a stream; what one waits for in another is an
 * event. */
#include "device/cuda_private.h"

bool cuda_allocate(device *d, device_memory *memory, size_t bytes)
{
    const cuda_api *api = cuda_enter(d);
    return api && cuda_check(d, "cuMemAlloc", api->allocate(&memory->address, bytes));
}

void cuda_release(device *d, device_memory *memory)
{
    const cuda_api *api = cuda_enter(d);
    if (api) api->release(memory->address);
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

bool cuda_wait(device *d, int queue)
{
    const cuda_device *own = d->own;
    const cuda_api *api = cuda_enter(d);
    return api && cuda_check(d, "cuStreamSynchronize", api->stream_wait(own->stream[queue]));
}

/* ---- copies ---------------------------------------------------------------------------------- */

static bool move_line(device *d, const cuda_api *api, const device_move *move)
{
    void *stream = ((cuda_device *)d->own)->stream[move->queue];
    uint64_t address = move->memory->address + move->box.at;
    if (move->out)
        return cuda_check(d, "cuMemcpyDtoHAsync",
                          api->get(move->host, address, move->box.row, stream));
    return cuda_check(d, "cuMemcpyHtoDAsync", api->put(address, move->host, move->box.row, stream));
}

bool cuda_move(device *d, const device_move *move)
{
    const cuda_device *own = d->own;
    const device_box *box = &move->box;
    const cuda_api *api = cuda_enter(d);
    if (!api) return false;
    if (box->rows == 1 && box->planes == 1) return move_line(d, api, move);
    cuda_copy_side there = {.where = CUDA_ON_DEVICE,
                            .address = move->memory->address + box->at,
                            .pitch = box->row_pitch,
                            .height = box->plane_pitch / box->row_pitch};
    cuda_copy_side here = {.where = CUDA_ON_HOST,
                           .host = move->host,
                           .pitch = box->host_row_pitch,
                           .height = box->host_plane_pitch / box->host_row_pitch};
    cuda_copy copy = {.from = move->out ? there : here,
                      .to = move->out ? here : there,
                      .width = box->row,
                      .height = box->rows,
                      .depth = box->planes};
    return cuda_check(d, "cuMemcpy3DAsync", api->copy_box(&copy, own->stream[move->queue]));
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
