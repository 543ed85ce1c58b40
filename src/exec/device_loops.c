/* Loops on a device, one after another; those that it cannot run, the executor "cpu" runs, and the
 * values of their fields move there and back. */
#include "exec/device_tune.h"
#include "exec/on_files.h"

#include <stdlib.h>

static kata_status add_host_loop(struct exec_device *d, const chain_loop *loop, int number,
                                 messages *m)
{
    chain_binding *own = exec_local_add(&d->host, loop, number, &loop->box, loop->parted);
    return own && exec_local_bound(&d->host) ? KATA_OK : message_no_memory(m);
}

/* Of fields in files planes may move to memory, whether or not they move to the device. */
static kata_status run_at_home(exec_context *context, chain *c, messages *m)
{
    bool *far = calloc(c->slot_count + 1, sizeof *far);
    if (!far) return message_no_memory(m);
    for (size_t i = 0; i < c->slot_count; i++) {
        far[i] = c->slots[i]->far;
        store_slot_place(c->slots[i]);
    }
    kata_status status = exec_files_run_own(context, c, m);
    for (size_t i = 0; i < c->slot_count; i++) c->slots[i]->far = far[i];
    free(far);
    return status;
}

kata_status device_run_on_host(exec_context *context, chain *c, messages *m)
{
    struct exec_device *d = context->device;
    kata_status status = KATA_OK;
    if (!c->count) return KATA_OK;
    status = device_settle(&(device_loop){context, d, &c->loops[0], m, NULL});
    for (size_t i = 0; i < c->count && !status; i++)
        status = device_bring_home(&(device_loop){context, d, &c->loops[i], m, NULL});
    return status ? status : run_at_home(context, c, m);
}

void device_note_failure(exec_context *context, const exec_local *local, const chain *c)
{
    const int number = exec_local_number(local, context->failure.loop);
    if (number >= 0) context->failure.loop = &c->loops[number];
}

static kata_status run_host_loops(exec_context *context, const chain *c, messages *m)
{
    exec_local *host = &context->device->host;
    if (!host->chain.count) return KATA_OK;
    kata_status status = device_run_on_host(context, &host->chain, m);
    device_note_failure(context, host, c);
    exec_local_clear(host);
    return status;
}

/* Runs the loop number i, or some from there on at once. */
static kata_status run_next(const device_loop *l, const chain *c, size_t *i)
{
    size_t ran = l->loop->at_once ? 1 : 0;
    kata_status status = ran ? device_run_glued(l) : device_run_section(l, c, *i, &ran);
    if (!status && !ran) {
        status = device_run_one(l);
        ran = 1;
    }
    *i += ran;
    return status;
}

kata_status device_run_loops(exec_context *context, const chain *c, messages *m)
{
    struct exec_device *d = context->device;
    kata_status status = KATA_OK;
    device_compile_ahead(context, c, m);
    for (size_t i = 0; i < c->count && !status;) {
        const device_loop l = {context, d, &c->loops[i], m, device_ready_of(d, &c->loops[i])};
        if (!l.ready) return message_no_memory(m);
        if (l.ready->why) {
            device_note_reason(d, l.loop, l.ready->why);
            status = add_host_loop(d, l.loop, (int)i++, m);
            continue;
        }
        status = run_host_loops(context, c, m);
        if (!status) status = run_next(&l, c, &i);
    }
    return status ? status : run_host_loops(context, c, m);
}
