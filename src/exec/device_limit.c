/* What leaves the memory of a device where something else needs room. */
#include "exec/device_points.h"
#include "exec/device_rings.h"
#include "exec/home.h"

#include <stdlib.h>

int64_t device_table_room(const struct exec_device *d)
{
    enum { PART = 16, LEAST = 1 << 13, MOST = 1 << 20 };
    return larger(LEAST, smaller(d->limit / PART, MOST));
}

/* ---- leaving --------------------------------------------------------------------------------- */

static bool send_home(struct exec_device *d, store_device *on)
{
    if (!store_device_bring_home(on->slot) || !device_wait(d->device, DEVICE_WORK)) return false;
    store_device_free(on->slot);
    return true;
}

bool device_send_home_oldest(struct exec_device *d)
{
    store_device *oldest = NULL;
    for (store_device *on = d->copies.first; on; on = on->next)
        if (on->used != d->clock && (!oldest || on->used < oldest->used)) oldest = on;
    return oldest && send_home(d, oldest);
}

void device_partials_release(struct exec_device *d)
{
    if (d->partials) device_wait(d->device, DEVICE_WORK);
    d->last_partials = NULL;
    for (device_partials **link = &d->partials, *p; (p = *link);) {
        if (p->used) {
            link = &p->next;
            d->last_partials = p;
            continue;
        }
        *link = p->next;
        device_release(d->device, p->memory);
        free(p);
    }
}

void device_tables_forget(struct exec_device *d)
{
    if (d->table_count) device_wait(d->device, DEVICE_WORK);
    for (size_t i = 0; i < d->table_count; i++) device_release(d->device, d->tables[i].memory);
    d->table_count = 0;
    d->table_bytes = 0;
}

void device_points_free(struct exec_device *d, struct device_points *p)
{
    for (int t = 0; t < DEVICE_POINT_TABLES; t++) device_release(d->device, p->table[t]);
    free(p);
}

void device_points_release(struct exec_device *d, bool all)
{
    if (d->points) device_wait(d->device, DEVICE_WORK);
    for (struct device_points **link = &d->points, *p; (p = *link);) {
        if (p->used == d->clock && !all) {
            link = &p->next;
            continue;
        }
        *link = p->next;
        device_points_free(d, p);
    }
}

void device_make_room(struct exec_device *d)
{
    device_partials_release(d);
    device_points_release(d, false);
    device_spare_settle(d, true);
    exec_messages_free(d, false);
}

device_memory *device_take(struct exec_device *d, size_t bytes)
{
    device_memory *memory = device_allocate(d->device, bytes);
    if (!memory && device_is_full(d->device)) {
        device_make_room(d);
        memory = device_allocate(d->device, bytes);
    }
    while (!memory && device_is_full(d->device) && device_send_home_oldest(d))
        memory = device_allocate(d->device, bytes);
    return memory;
}

bool device_send_home_all(struct exec_device *d)
{
    bool done = true;
    while (d->copies.first && done) done = send_home(d, d->copies.first);
    device_partials_release(d);
    device_points_release(d, true);
    device_tables_forget(d);
    return done;
}
