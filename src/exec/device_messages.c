/* Messages of ranks whose values a device has. */
#include "exec/home.h"
#include "exec/on_device.h"
#include "exec/ranks.h"

#include <stdlib.h>
#include <string.h>

typedef struct device_messages {
    bool gives;      /* memory of the device to MPI */
    const char *why; /* or not */
    device_memory *there;
    char *here; /* pinned */
    size_t there_bytes, here_bytes;
    bool queued;        /* copies to them, or from them, that nobody may have waited for */
    int64_t counted[2]; /* that lay here, and there */
} device_messages;

/* ---- which way they take --------------------------------------------------------------------- */

/* Why MPI is not given memory of the device; NULL: it is. */
static const char *why_not(const exec_context *context, const char *asked)
{
    if (device_facts_of(context->device->device)->language != DEVICE_CUDA)
        return "MPI takes memory of CUDA devices alone";
    if (asked) return strcmp(asked, "on") != 0 ? "KATA_DEVICE_MPI is 'off'" : NULL;
    if (comm_takes_cuda(context->ranks->comm)) return NULL;
    return "the MPI library does not say that it takes memory of CUDA devices";
}

kata_status exec_read_device_mpi(exec_context *context, messages *m)
{
    const char *asked = environment_get("KATA_DEVICE_MPI");
    const bool on = asked && !strcmp(asked, "on");
    const device_facts *facts = device_facts_of(context->device->device);
    if (asked && !on && strcmp(asked, "off") != 0)
        return message_fail(m, KATA_ERROR_ARGUMENT,
                            "the environment variable KATA_DEVICE_MPI is '%s', not on or off",
                            asked);
    if (on && facts->language != DEVICE_CUDA)
        return message_fail(m, KATA_ERROR_ARGUMENT,
                            "the environment variable KATA_DEVICE_MPI is 'on', which is for "
                            "devices by CUDA, and '%s' is one by OpenCL: unset it, or set it to "
                            "off",
                            facts->name);
    if (!context->ranks) return KATA_OK;
    device_messages *all = context->device->messages = calloc(1, sizeof *all);
    if (!all) return message_no_memory(m);
    all->why = why_not(context, asked);
    all->gives = !all->why;
    if (all->gives)
        all->why = on ? "KATA_DEVICE_MPI is 'on'" : "the MPI library says that it takes it";
    return KATA_OK;
}

bool exec_gives_mpi_memory(const exec_context *context)
{
    return context->device && context->device->messages->gives;
}

void exec_note_messages(exec_context *context, int64_t there, int64_t here)
{
    if (!context->device) return;
    context->device->messages->counted[0] += here;
    context->device->messages->counted[1] += there;
}

void exec_messages_explain(const exec_context *context, text *out)
{
    const device_messages *all = context->device->messages;
    if (!all) return;
    const exec_messages sent = context->ranks->sent;
    text_add(out,
             "#   messages of ranks: %lld in memory of the device, %lld in this machine's: %s\n",
             (long long)all->counted[1], (long long)all->counted[0], all->why);
    text_add(out,
             "#     %lld exchanges: %.3g s for loops to end and packing, %.3g s sending, %.3g s "
             "unpacking; %.3g s agreeing\n",
             (long long)sent.counted.exchanges, sent.packing, sent.sending, sent.unpacking,
             sent.agreeing);
}

/* ---- where they lie -------------------------------------------------------------------------- */

/* What lies there may still be copied. */
static void settle(struct exec_device *d)
{
    if (d->messages->queued) device_wait(d->device, DEVICE_WORK);
    d->messages->queued = false;
}

void exec_messages_free(struct exec_device *d, bool all)
{
    device_messages *own = d->messages;
    if (!own) return;
    settle(d);
    device_release(d->device, own->there);
    own->there = NULL;
    own->there_bytes = 0;
    if (!all) return;
    device_release_pinned(d->device, own->here);
    free(own);
    d->messages = NULL;
}

char *exec_messages_here(exec_context *context, size_t bytes)
{
    struct exec_device *d = context->device;
    device_messages *own = d ? d->messages : NULL;
    if (!d || own->here_bytes >= bytes) return d ? own->here : NULL;
    settle(d);
    device_release_pinned(d->device, own->here);
    own->here = device_pinned(d->device, bytes);
    own->here_bytes = own->here ? bytes : 0;
    return own->here;
}

device_memory *exec_messages_there(exec_context *context, size_t bytes)
{
    struct exec_device *d = context->device;
    device_messages *own = d->messages;
    if (own->there_bytes >= bytes) return own->there;
    exec_messages_free(d, false);
    own->there = device_allocate(d->device, bytes);
    own->there_bytes = own->there ? bytes : 0;
    return own->there;
}

/* ---- what they hold -------------------------------------------------------------------------- */

kata_status exec_pack(exec_context *context, chain_slot *slot, const grid_box *box,
                      const store_packed *to, messages *m)
{
    context->device->messages->queued = true;
    return store_device_pack(slot, box, to) ? KATA_OK : exec_not_moved(context, m);
}

kata_status exec_unpack(exec_context *context, chain_slot *slot, const grid_box *box,
                        const store_packed *from, messages *m)
{
    context->device->messages->queued = true;
    return store_device_unpack(slot, box, from) ? KATA_OK : exec_not_moved(context, m);
}

kata_status exec_wait_for_packed(exec_context *context, messages *m)
{
    struct exec_device *d = context->device;
    if (!d || !d->messages->queued) return KATA_OK;
    d->messages->queued = false;
    return exec_wait_for_device(context, m);
}
