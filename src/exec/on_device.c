/* The executor of chains on a device: loop by loop, on fields in its memory. Loops that it cannot
 * run, it gives to the executor "cpu", and moves the values of their fields there and back. */
#include "exec/device_tune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The program may look into its memory, and change it, when a chain has run. */
static kata_status end_wrapped(exec_context *context, const chain *c, messages *m)
{
    const chain_loop *last = &c->loops[c->count - 1];
    for (size_t i = 0; i < c->slot_count; i++) {
        chain_slot *slot = c->slots[i];
        if (!slot->on_device || !slot->array || slot->array->bytes) continue;
        if (!store_device_bring_home(slot))
            return device_failed(&(device_loop){context, context->device, last, m, NULL},
                                 "gave no values of a field of");
        store_device_forget(slot);
    }
    return KATA_OK;
}

static kata_status run_on_device(exec_context *context, chain *c, messages *m)
{
    struct exec_device *d = context->device;
    exec_local_begin(&d->host, c);
    const bool fits = device_bytes_of(d, c) <= d->limit;
    kata_status status = fits ? device_run_loops(context, c, m) : device_run_larger(context, c, m);
    const device_loop last = {context, d, &c->loops[c->count - 1], m, NULL};
    if (!status) status = device_end_checks(context, m);
    if (!status) status = device_fetch_reductions(&last);
    device_forget_reductions(d);
    device_forget_checks(d);
    device_forget_contributions(d);
    exec_local_free(&d->host);
    bool waited = device_wait(d->device, DEVICE_WORK);
    if (!status && !waited) status = device_failed(&last, "failed in a chain that ends with");
    return status ? status : end_wrapped(context, c, m);
}

const exec_executor exec_on_device = {"device", run_on_device};

kata_status exec_bring_home(exec_context *context, chain_slot *slot, messages *m)
{
    if (!slot->on_device || store_device_bring_home(slot)) return KATA_OK;
    const device *d = context->device->device;
    return message_fail(m, device_is_lost(d) ? KATA_ERROR_DEVICE : KATA_ERROR_MEMORY,
                        "the device '%s' gave no values of a field: %s", device_facts_of(d)->name,
                        device_error(d));
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Of a device that is used by others, too, and for more than fields. */
static int64_t usual_limit(const device_facts *facts)
{
    enum { PART = 16 };
    return facts->memory - facts->memory / PART;
}

kata_status exec_device_open(exec_context *context, const char *name, int64_t bytes, messages *m)
{
    device *opened = device_open(name, m);
    if (!opened) return m->status ? m->status : KATA_ERROR_DEVICE;
    struct exec_device *d = context->device = calloc(1, sizeof *d);
    if (!d) {
        device_close(opened);
        return message_no_memory(m);
    }
    d->device = d->copies.device = opened;
    d->limit = bytes ? smaller(bytes, device_facts_of(opened)->memory)
                     : usual_limit(device_facts_of(opened));
    device_limit(opened, d->limit);
    stream_setup(&d->streams, context, &device_stream);
    bool cuda = device_facts_of(opened)->language == DEVICE_CUDA;
    d->language = cuda ? CODEGEN_CUDA : CODEGEN_OPENCL;
    return device_read_shape(&d->asked, m);
}

/* Fields have left the device before. */
void exec_device_close(exec_context *context)
{
    struct exec_device *d = context->device;
    if (!d) return;
    device_beside_close(d);
    device_tune_free(d);
    text_free(&d->shapes);
    device_partials_free(d);
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

/* How chains were streamed, and why loops were not. */
static void explain_streams(const struct exec_device *d, text *out)
{
    const exec_streams *s = &d->streams;
    if (s->streamed)
        text_add(out,
                 "#   larger than its memory: %lld chains streamed, the longest in tiles of %lld "
                 "planes, %lld loops deep; moved in %.3g GB, out %.3g GB\n",
                 (long long)s->streamed, (long long)s->request.tile[2], (long long)s->request.depth,
                 (double)d->moved[0] / 1e9, (double)d->moved[1] / 1e9);
    for (int i = 0; i < s->reason_count; i++)
        text_add(out, "#   not streamed: '%s', %lld loops: %s\n", s->reasons[i].kernel,
                 (long long)s->reasons[i].loops, s->reasons[i].why);
}

void exec_device_explain(const exec_context *context, bool json, text *out)
{
    const struct exec_device *d = context->device;
    if (!d || json || !(d->loops || d->host_loops)) return;
    const device_facts *facts = device_facts_of(d->device);
    text_add(out, "# on the device '%s': %lld loops; on the CPU: %lld\n", facts->name,
             (long long)d->loops, (long long)d->host_loops);
    text_add(out, "#   memory of the device: %.4g MB now, %.4g MB at most\n",
             (double)device_used(d->device) / 1e6, (double)device_peak(d->device) / 1e6);
    device_tune_explain(d, out);
    explain_streams(d, out);
    for (int i = 0; i < d->reason_count; i++)
        text_add(out, "#   kernel '%s' ran on the CPU %lld times: %s\n", d->reasons[i].kernel,
                 (long long)d->reasons[i].loops, d->reasons[i].why);
}
