/* Opens and closes the device of a context. */
#include "exec/device_points.h"
#include "exec/device_rings.h"
#include "exec/device_tile_sums.h"
#include "exec/device_tune.h"
#include "exec/home.h"
#include "exec/ranks.h"

#include <stdlib.h>

/* Of a device that is used by other ranks, too, and for more than fields. */
static int64_t usual_limit(const exec_context *context, const device *d)
{
    enum { PART = 16 };
    const int64_t memory = device_facts_of(d)->memory;
    const int sharing = -floor_divide(-exec_node_ranks(context), device_turns(d));
    return (memory - memory / PART) / sharing;
}

kata_status exec_device_open(exec_context *context, const char *name, int64_t bytes, messages *m)
{
    device *opened = device_open(name, ranks_node_rank(context), m);
    if (!opened) return m->status ? m->status : KATA_ERROR_DEVICE;
    struct exec_device *d = context->device = calloc(1, sizeof *d);
    if (!d) {
        device_close(opened);
        return message_no_memory(m);
    }
    d->device = d->copies.device = opened;
    d->limit =
        bytes ? smaller(bytes, device_facts_of(opened)->memory) : usual_limit(context, opened);
    device_limit(opened, d->limit);
    stream_setup(&d->streams, context, &device_stream);
    bool cuda = device_facts_of(opened)->language == DEVICE_CUDA;
    d->language = cuda ? CODEGEN_CUDA : CODEGEN_OPENCL;
    kata_status status = device_read_shape(&d->asked, m);
    return status ? status : exec_read_device_mpi(context, m);
}

/* Fields have left the device before. */
void exec_device_close(exec_context *context)
{
    struct exec_device *d = context->device;
    if (!d) return;
    device_beside_close(d);
    device_tune_free(d);
    text_free(&d->shapes);
    device_tile_sums_free(d);
    device_partials_free(d);
    device_points_release(d, true);
    device_spare_settle(d, true);
    free(d->spare);
    free(d->spans);
    exec_messages_free(d, true);
    device_release(d->device, d->flags);
    device_release(d->device, d->far);
    device_tables_free(d);
    device_functions_free(d);
    arena_free(&d->memory);
    free(d->given);
    device_close(d->device);
    free(d);
    context->device = NULL;
}
