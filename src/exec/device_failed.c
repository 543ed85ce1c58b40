/* What is said when a device fails. */
#include "exec/on_device.h"

kata_status device_failed(const device_loop *l, const char *doing)
{
    device *d = l->d->device;
    const device_facts *facts = device_facts_of(d);
    kata_status status = device_is_full(d) ? KATA_ERROR_MEMORY : KATA_ERROR_DEVICE;
    message_begin(l->m, status, "the device '%s' %s kernel '%s': %s", facts->name, doing,
                  l->loop->kernel->name, device_error(d));
    if (device_is_full(d))
        message_line(l->m,
                     "its memory has %.1f GB, of which fields take %.1f GB; use a smaller grid or "
                     "narrower types, or run on the CPU: unset KATA_DEVICE",
                     (double)facts->memory / 1e9, (double)device_used(d) / 1e9);
    return message_send(l->m);
}
