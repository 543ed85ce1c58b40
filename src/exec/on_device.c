/* The executor of chains on a device: loop by loop, on fields in its memory. Loops that it cannot
 * run, it gives to the executor "cpu", and moves the values of their fields there and back. */
#include "exec/device_tune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- loops on the CPU ------------------------------------------------------------------------ */

void device_note_reason(struct exec_device *d, const chain_loop *loop, const char *why)
{
    int i = 0;
    d->host_loops++;
    while (i < d->reason_count && (strcmp(d->reasons[i].why, why) != 0 ||
                                   strcmp(d->reasons[i].kernel, loop->kernel->name) != 0))
        i++;
    if (i == DEVICE_REASONS) return;
    device_reason *r = &d->reasons[i];
    if (i == d->reason_count) {
        d->reason_count++;
        snprintf(r->kernel, sizeof r->kernel, "%s", loop->kernel->name);
        snprintf(r->why, sizeof r->why, "%s", why);
    }
    r->loops++;
}

static kata_status add_host_loop(struct exec_device *d, const chain_loop *loop, int number,
                                 messages *m)
{
    chain_binding *own = exec_local_add(&d->host, loop, number, &loop->box, 0);
    return own && exec_local_bound(&d->host) ? KATA_OK : message_no_memory(m);
}

kata_status device_run_on_host(exec_context *context, chain *c, messages *m)
{
    struct exec_device *d = context->device;
    kata_status status = KATA_OK;
    status = device_end_checks(context, m);
    if (d->waiting_count && !status)
        status = device_fetch_reductions(&(device_loop){context, d, &c->loops[0], m, NULL});
    for (size_t i = 0; i < c->count && !status; i++)
        status = device_bring_home(&(device_loop){context, d, &c->loops[i], m, NULL});
    return status ? status : exec_cpu.run(context, c, m);
}

static kata_status run_host_loops(exec_context *context, messages *m)
{
    exec_local *host = &context->device->host;
    if (!host->chain.count) return KATA_OK;
    kata_status status = device_run_on_host(context, &host->chain, m);
    exec_local_clear(host);
    return status;
}

/* ---- a chain --------------------------------------------------------------------------------- */

static kata_status run_loop(exec_context *context, const chain_loop *loop, device_ready *ready,
                            messages *m)
{
    kata_status status = KATA_OK;
    double start = observe_meter_now(context->meter);
    const device_loop l = {context, context->device, loop, m, ready};
    l.d->loops++;
    if (device_has_checked(l.d, loop)) status = device_end_checks(context, m);
    if (!status && device_awaits(l.d, loop)) status = device_fetch_reductions(&l);
    if (!status && !grid_box_is_empty(&loop->box)) status = device_bring_fields(&l);
    if (!status) status = device_run_loop(&l);
    if (!status && context->meter && !device_wait(l.d->device, DEVICE_WORK))
        status = device_failed(&l, "failed in");
    if (!status)
        observe_meter_note(context->meter, loop, observe_meter_now(context->meter) - start);
    return status;
}

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

kata_status device_run_loops(exec_context *context, const chain *c, messages *m)
{
    struct exec_device *d = context->device;
    kata_status status = KATA_OK;
    device_compile_ahead(context, c, m);
    for (size_t i = 0; i < c->count && !status; i++) {
        device_ready *ready = device_ready_of(d, &c->loops[i]);
        if (!ready) return message_no_memory(m);
        if (ready->why) {
            device_note_reason(d, &c->loops[i], ready->why);
            status = add_host_loop(d, &c->loops[i], (int)i, m);
            continue;
        }
        status = run_host_loops(context, m);
        if (!status) status = run_loop(context, &c->loops[i], ready, m);
    }
    return status ? status : run_host_loops(context, m);
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
    text_add(out, "#   memory of the device: %.1f MB now, %.1f MB at most\n",
             (double)device_used(d->device) / 1e6, (double)device_peak(d->device) / 1e6);
    device_tune_explain(d, out);
    explain_streams(d, out);
    for (int i = 0; i < d->reason_count; i++)
        text_add(out, "#   kernel '%s' ran on the CPU %lld times: %s\n", d->reasons[i].kernel,
                 (long long)d->reasons[i].loops, d->reasons[i].why);
}
