/* Memory in which planes take turns goes from section to section, and from chain to chain. What the
 * section before has queued there may still be worked on: rings of the same fields go on behind it.
 * Where something else needs memory of the device, it goes. */
#include "exec/device_rings.h"

store_turns *device_spare_take(struct exec_device *d, const chain_slot *field, int64_t bytes,
                               int64_t most)
{
    size_t found = d->spare_count;
    for (size_t i = 0; i < d->spare_count; i++) {
        const store_suits suits = store_turns_suit(d->spare[i], field, bytes);
        if (store_turns_bytes(d->spare[i]) > most) continue;
        if (suits == STORE_OWN || (suits && found == d->spare_count)) found = i;
    }
    if (found == d->spare_count) return NULL;
    store_turns *taken = d->spare[found];
    d->spare[found] = d->spare[--d->spare_count];
    return taken;
}

bool device_spare_keep(struct exec_device *d, store_turns *turns)
{
    void *all = d->spare;
    if (!vector_reserve(&all, &d->spare_room, d->spare_count + 1, sizeof *d->spare)) return false;
    d->spare = all;
    d->spare[d->spare_count++] = turns;
    return true;
}

bool device_spare_settle(struct exec_device *d, bool free)
{
    bool waits = free && d->spare_count, done = true;
    for (size_t i = 0; i < d->spare_count; i++) waits = store_turns_settle(d->spare[i]) || waits;
    for (int queue = 0; queue < DEVICE_QUEUES && waits; queue++)
        done = device_wait(d->device, queue) && done;
    while (free && d->spare_count) store_turns_free(d->spare[--d->spare_count]);
    return done;
}

int64_t device_spare_bytes(const struct exec_device *d)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < d->spare_count; i++) bytes += store_turns_bytes(d->spare[i]);
    return bytes;
}
