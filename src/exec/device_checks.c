/* Checks on a device: a point that fails sets a flag of its loop. Flags are fetched when the chain
 * ends, or before a loop writes what a checked loop has read. Where one is set, the CPU runs that
 * loop again, from the values that it was given, and finds the first failure as always. */
#include "exec/on_device.h"

kata_status device_begin_checks(const device_loop *l, device_memory **flags, int64_t *flag)
{
    enum { BYTES = DEVICE_FLAGS * sizeof(int32_t) };
    struct exec_device *d = l->d;
    kata_status status = KATA_OK;
    if (d->checked_count == DEVICE_FLAGS) status = device_settle(l);
    if (!status && !d->flags) d->flags = device_take(d, BYTES);
    if (!status && !d->flags) status = device_failed(l, "has no memory for checks of");
    if (!status && !d->checked_count && !device_set(d->device, d->flags, 0, 0, BYTES))
        status = device_failed(l, "did not begin checks of");
    if (status) return status;
    *flags = d->flags;
    *flag = d->checked_count;
    d->checked[d->checked_count++] = l->loop;
    return KATA_OK;
}

/* Whether a loop writes a field, or a scalar, that another one is given. */
static bool writes_given(const chain_loop *loop, const chain_loop *to)
{
    for (int p = 0; p < loop->kernel->param_count; p++) {
        const ir_param *param = &loop->kernel->params[p];
        bool writes = ir_param_is_written_field(param) || ir_param_is_reduction(param);
        for (int q = 0; q < to->kernel->param_count && writes; q++)
            if (loop->bindings[p].slot == to->bindings[q].slot) return true;
    }
    return false;
}

bool device_has_checked(const struct exec_device *d, const chain_loop *loop)
{
    for (int i = 0; i < d->checked_count; i++)
        if (writes_given(loop, d->checked[i])) return true;
    return false;
}

void device_forget_checks(struct exec_device *d) { d->checked_count = 0; }

/* ---- failures -------------------------------------------------------------------------------- */

static kata_status run_again(exec_context *context, const chain_loop *loop, messages *m)
{
    exec_local one;
    const device_loop l = {context, context->device, loop, m, NULL};
    exec_local_begin(&one, &context->device->host.chain);
    bool added = exec_local_add(&one, loop, 0, &loop->box, loop->parted) && exec_local_bound(&one);
    kata_status status = added ? device_bring_home(&l) : message_no_memory(m);
    if (!status) status = exec_cpu.run(context, &one.chain, m);
    if (exec_local_number(&one, context->failure.loop) == 0) context->failure.loop = loop;
    exec_local_free(&one);
    if (status) return status;
    return message_fail(m, KATA_ERROR_DEVICE,
                        "on the device '%s' a check of kernel '%s' fails that holds on the CPU",
                        device_facts_of(context->device->device)->name, loop->kernel->name);
}

/* Fetches the flags. */
static kata_status end_checks(exec_context *context, messages *m)
{
    struct exec_device *d = context->device;
    int32_t flags[DEVICE_FLAGS];
    const int count = d->checked_count;
    device_box box = {.row = (size_t)count * sizeof *flags, .rows = 1, .planes = 1};
    if (!count) return KATA_OK;
    const device_loop first = {context, d, d->checked[0], m, NULL};
    if (!device_get(d->device, d->flags, flags, &box))
        return device_failed(&first, "failed behind");
    d->checked_count = 0;
    for (int i = 0; i < count; i++)
        if (flags[i]) return run_again(context, d->checked[i], m);
    return KATA_OK;
}

kata_status device_settle(const device_loop *l)
{
    kata_status met = device_fetch_reductions(l);
    kata_status checked = end_checks(l->context, l->m);
    return checked ? checked : met;
}
