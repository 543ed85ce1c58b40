/* The executor of chains on a device: loop by loop, on fields in its memory. Loops that it cannot
 * run, it gives to the executor "cpu", and moves the values of their fields there and back. */
#include "exec/device_tune.h"
#include "exec/home.h"

#include <stdio.h>

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
    /* another rank has failed: perhaps in a loop behind one of which a check fails here */
    const bool settles = !status || context->failure.elsewhere;
    const kata_status settled = settles ? device_settle(&last) : KATA_OK;
    if (settled) status = settled;
    device_forget_reductions(d);
    device_forget_checks(d);
    device_forget_contributions(d);
    exec_local_free(&d->host);
    snprintf(d->running, sizeof d->running, "%s", last.loop->kernel->name);
    /* of a rank, other loops go on */
    const kata_status waited =
        c->goes_on && !status ? KATA_OK : exec_wait_for_device(context, status ? NULL : m);
    if (!status) status = waited;
    return status ? status : end_wrapped(context, c, m);
}

const exec_executor exec_on_device = {"device", run_on_device};

/* ---- explaining ------------------------------------------------------------------------------ */

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
    exec_messages_explain(context, out);
    device_tune_explain(d, out);
    explain_streams(d, out);
    for (int i = 0; i < d->reason_count; i++)
        text_add(out, "#   kernel '%s' ran on the CPU %lld times: %s\n", d->reasons[i].kernel,
                 (long long)d->reasons[i].loops, d->reasons[i].why);
}
