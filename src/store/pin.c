/* Arrays whose planes move between this machine and a device. A driver copies pinned memory as fast
 * as the bus allows, and other memory by way of its own. Pinning takes as long as some copies do,
 * so it is done once for each array. */
#include "store/pin.h"

/* What an array takes of memory; false for memory of the program that has no addresses. */
static bool find_bytes(const store_array *a, char **first, size_t *bytes)
{
    uintptr_t low, high;
    *first = a->memory;
    *bytes = a->bytes;
    if (a->bytes) return true;
    if (!store_wrap_span(a, &low, &high)) return false;
    *first = (char *)a->data - ((uintptr_t)a->data - low);
    *bytes = (size_t)(high - low);
    return true;
}

void store_array_pin(store_array *a, device *d)
{
    char *first;
    size_t bytes;
    if (a->pins || a->file || !find_bytes(a, &first, &bytes)) return;
    a->pins = d;
    a->pinned = device_pin(d, first, bytes);
}

void store_array_unpin(store_array *a)
{
    char *first;
    size_t bytes;
    if (a->pinned && find_bytes(a, &first, &bytes)) device_unpin(a->pins, first);
    a->pinned = false;
    a->pins = NULL;
}
