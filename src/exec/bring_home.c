/* Values of fields come from a device, and go there. */
#include "exec/home.h"

#include "exec/on_device.h"

kata_status exec_not_moved(const exec_context *context, messages *m)
{
    const device *d = context->device->device;
    return message_fail(m, device_is_lost(d) ? KATA_ERROR_DEVICE : KATA_ERROR_MEMORY,
                        "the device '%s' gave no values of a field: %s", device_facts_of(d)->name,
                        device_error(d));
}

kata_status exec_bring_home(exec_context *context, chain_slot *slot, messages *m)
{
    const bool done = store_device_bring_home(slot) &&
                      (!slot->part || store_device_bring_home(&slot->part->slot));
    return done ? KATA_OK : exec_not_moved(context, m);
}

kata_status exec_move_box(exec_context *context, chain_slot *slot, const grid_box *box, bool home,
                          messages *m)
{
    const bool done = home ? store_device_get_box(slot, box) : store_device_put_box(slot, box);
    return done ? KATA_OK : exec_not_moved(context, m);
}

void exec_lose(chain_slot *slot)
{
    store_device_forget(slot);
    slot->poisoned = true;
    if (slot->array) store_poison(slot->array);
    if (slot->part && slot->part->slot.array) store_poison(slot->part->slot.array);
}
