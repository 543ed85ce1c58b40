/* Why loops run on the CPU. */
#include "exec/on_device.h"

#include <stdio.h>
#include <string.h>

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
