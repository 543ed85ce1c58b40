/* Memory and queues of an OpenCL device. */
#include "device/opencl_private.h"

#include <stdlib.h>

/* ---- memory ---------------------------------------------------------------------------------- */

/* A buffer takes no memory before it is used: moving nothing there shows whether there is any. */
static bool settle(device *d, void *buffer)
{
    const opencl_device *own = d->own;
    void *queue = own->queue[DEVICE_IN];
    int32_t result =
        own->api->migrate(queue, 1, &buffer, CL_MIGRATE_WITHOUT_CONTENT, 0, NULL, NULL);
    if (result == CL_OUT_OF_RESOURCES) return device_fail(d, DEVICE_FULL, "out of memory");
    return opencl_check(d, "clEnqueueMigrateMemObjects", result);
}

bool opencl_allocate(device *d, device_memory *memory, size_t bytes)
{
    const opencl_device *own = d->own;
    int32_t result = CL_OK;
    void *buffer =
        own->api->buffer_create(own->context, CL_MEMORY_READ_WRITE, bytes, NULL, &result);
    if (!opencl_check(d, "clCreateBuffer", result)) return false;
    if (!settle(d, buffer)) {
        own->api->buffer_release(buffer);
        return false;
    }
    memory->buffer = buffer;
    return true;
}

void opencl_release(device *d, device_memory *memory)
{
    const opencl_device *own = d->own;
    own->api->buffer_release(memory->buffer);
}

/* ---- pinned memory --------------------------------------------------------------------------- */

static bool make_pinned(device *d, opencl_pinned_memory *p, size_t bytes)
{
    const opencl_device *own = d->own;
    const opencl_api *api = own->api;
    int32_t result = CL_OK;
    p->buffer = api->buffer_create(own->context, CL_MEMORY_READ_WRITE | CL_MEMORY_OF_HOST, bytes,
                                   NULL, &result);
    if (!opencl_check(d, "clCreateBuffer", result)) return false;
    p->memory = api->map(own->queue[DEVICE_IN], p->buffer, 1, CL_MAP_TO_READ_AND_WRITE, 0, bytes, 0,
                         NULL, NULL, &result);
    if (opencl_check(d, "clEnqueueMapBuffer", result)) return true;
    api->buffer_release(p->buffer);
    return false;
}

void *opencl_pinned(device *d, size_t bytes)
{
    opencl_device *own = d->own;
    opencl_pinned_memory *p = calloc(1, sizeof *p);
    if (!p) {
        device_fail(d, DEVICE_FULL, "out of memory");
        return NULL;
    }
    if (!make_pinned(d, p, bytes)) {
        free(p);
        return NULL;
    }
    p->next = own->pinned;
    own->pinned = p;
    return p->memory;
}

void opencl_release_pinned(device *d, void *memory)
{
    opencl_device *own = d->own;
    opencl_pinned_memory **link = &own->pinned, *p;
    while (*link && (*link)->memory != memory) link = &(*link)->next;
    if (!(p = *link)) return;
    *link = p->next;
    own->api->unmap(own->queue[DEVICE_IN], p->buffer, p->memory, 0, NULL, NULL);
    own->api->finish(own->queue[DEVICE_IN]);
    own->api->buffer_release(p->buffer);
    free(p);
}

/* ---- queues ---------------------------------------------------------------------------------- */

bool opencl_order(device *d, int queue, int before)
{
    const opencl_device *own = d->own;
    const opencl_api *api = own->api;
    void *event = NULL;
    if (!opencl_check(d, "clEnqueueMarkerWithWaitList",
                      api->marker(own->queue[before], 0, NULL, &event)))
        return false;
    bool ordered = opencl_check(d, "clFlush", api->flush(own->queue[before])) &&
                   opencl_check(d, "clEnqueueBarrierWithWaitList",
                                api->barrier(own->queue[queue], 1, &event, NULL));
    api->event_release(event);
    return ordered;
}

bool opencl_wait(device *d, int queue)
{
    const opencl_device *own = d->own;
    return opencl_check(d, "clFinish", own->api->finish(own->queue[queue]));
}

/* ---- copies ---------------------------------------------------------------------------------- */

static bool move_line(device *d, const device_move *move)
{
    const opencl_device *own = d->own;
    const device_box *box = &move->box;
    void *queue = own->queue[move->queue], *buffer = move->memory->buffer;
    if (move->out)
        return opencl_check(
            d, "clEnqueueReadBuffer",
            own->api->get(queue, buffer, 0, box->at, box->row, move->host, 0, NULL, NULL));
    return opencl_check(
        d, "clEnqueueWriteBuffer",
        own->api->put(queue, buffer, 0, box->at, box->row, move->host, 0, NULL, NULL));
}

static bool move_planes(device *d, const device_move *move)
{
    const opencl_device *own = d->own;
    const device_box *b = &move->box;
    void *queue = own->queue[move->queue], *buffer = move->memory->buffer;
    size_t rest = b->at % b->plane_pitch;
    size_t at[3] = {rest % b->row_pitch, rest / b->row_pitch, b->at / b->plane_pitch};
    size_t host_at[3] = {0}, size[3] = {b->row, b->rows, b->planes};
    if (move->out)
        return opencl_check(d, "clEnqueueReadBufferRect",
                            own->api->get_box(queue, buffer, 0, at, host_at, size, b->row_pitch,
                                              b->plane_pitch, b->host_row_pitch,
                                              b->host_plane_pitch, move->host, 0, NULL, NULL));
    return opencl_check(d, "clEnqueueWriteBufferRect",
                        own->api->put_box(queue, buffer, 0, at, host_at, size, b->row_pitch,
                                          b->plane_pitch, b->host_row_pitch, b->host_plane_pitch,
                                          move->host, 0, NULL, NULL));
}

bool opencl_move(device *d, const device_move *move)
{
    const opencl_device *own = d->own;
    bool is_line = move->box.rows == 1 && move->box.planes == 1;
    return (is_line ? move_line(d, move) : move_planes(d, move)) &&
           opencl_check(d, "clFlush", own->api->flush(own->queue[move->queue]));
}

bool opencl_set(device *d, device_memory *to, size_t at, int value, size_t bytes)
{
    const opencl_device *own = d->own;
    unsigned char byte = (unsigned char)value;
    return opencl_check(
        d, "clEnqueueFillBuffer",
        own->api->fill(own->queue[DEVICE_WORK], to->buffer, &byte, 1, at, bytes, 0, NULL, NULL));
}

bool opencl_copy(device *d, device_memory *to, size_t to_at, const device_memory *from,
                 size_t from_at, size_t bytes)
{
    const opencl_device *own = d->own;
    return opencl_check(d, "clEnqueueCopyBuffer",
                        own->api->copy(own->queue[DEVICE_WORK], from->buffer, to->buffer, from_at,
                                       to_at, bytes, 0, NULL, NULL));
}
