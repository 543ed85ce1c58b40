/* What is said when a device fails. */
#include "exec/home.h"
#include "exec/on_device.h"

#include <stdio.h>

static kata_status failed(const device *d, const char *doing, const char *kernel, messages *m)
{
    const device_facts *facts = device_facts_of(d);
    kata_status status = device_is_full(d) ? KATA_ERROR_MEMORY : KATA_ERROR_DEVICE;
    message_begin(m, status, "the device '%s' %s kernel '%s': %s", facts->name, doing, kernel,
                  device_error(d));
    if (device_is_full(d))
        message_line(m,
                     "its memory has %.1f GB, of which fields take %.1f GB; use a smaller grid or "
                     "narrower types, or run on the CPU: unset KATA_DEVICE",
                     (double)facts->memory / 1e9, (double)device_used(d) / 1e9);
    return message_send(m);
}

kata_status device_failed(const device_loop *l, const char *doing)
{
    return failed(l->d->device, doing, l->loop->kernel->name, l->m);
}

kata_status exec_wait_for_device(exec_context *context, messages *m)
{
    struct exec_device *d = context->device;
    char kernel[sizeof d->running];
    if (!d) return KATA_OK;
    snprintf(kernel, sizeof kernel, "%s", d->running);
    d->running[0] = '\0';
    if (device_wait(d->device, DEVICE_WORK)) return KATA_OK;
    if (!m) return KATA_ERROR_DEVICE;
    if (!*kernel) return exec_not_moved(context, m);
    return failed(d->device, "failed in a chain that ends with", kernel, m);
}
