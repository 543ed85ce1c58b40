/* What is said of loops on a device: that it has failed, and why some run on the CPU. */
#include "exec/on_device.h"

#include <stdio.h>
#include <string.h>

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
