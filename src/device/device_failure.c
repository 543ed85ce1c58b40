/* What went wrong with a device. The first error after which it cannot be used stays. */
#include "device/device_private.h"

bool device_fail(device *d, device_failure kind, const char *format, ...)
{
    if (d->lost) return false;
    va_list list;
    va_start(list, format);
    text_clear(&d->error);
    text_add_list(&d->error, format, list);
    va_end(list);
    d->full = kind == DEVICE_FULL;
    d->lost = kind == DEVICE_LOST;
    d->crowded = kind == DEVICE_CROWDED;
    return false;
}

const char *device_error(const device *d)
{
    return d->error.failed ? "out of memory" : text_get(&d->error);
}

bool device_is_full(const device *d) { return d->full; }
bool device_is_lost(const device *d) { return d->lost; }
bool device_is_crowded(const device *d) { return d->crowded; }
