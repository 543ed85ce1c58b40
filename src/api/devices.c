/* The devices of the machine and their ceilings. */
#include "api/api.h"

#include "device/device.h"

#include <stdlib.h>

int kata_devices_get(kata *k, kata_device *devices, int room)
{
    if (!k) {
        api_null("kata_devices_get", "the context");
        return 0;
    }
    if (k->messages.status || room <= 0) return 0;
    if (!devices) {
        api_fail(k, KATA_ERROR_ARGUMENT, "kata_devices_get: the devices are NULL");
        return 0;
    }
    device_listed *list = calloc((size_t)room, sizeof *list);
    if (!list) {
        api_no_memory(k);
        return 0;
    }
    int count = device_list(list, room);
    for (int i = 0; i < count; i++) {
        const device_facts *facts = &list[i].facts;
        kata_device *to = &devices[i];
        *to = (kata_device){.memory = facts->memory, .units = facts->units};
        snprintf(to->name, sizeof to->name, "%s", list[i].name);
        snprintf(to->model, sizeof to->model, "%s", facts->name);
        snprintf(to->platform, sizeof to->platform, "%s", facts->platform);
    }
    free(list);
    return count;
}

kata_status kata_device_ceilings_measure(kata *k, const char *name, kata_device_ceilings *out)
{
    if (!k) return api_null("kata_device_ceilings_measure", "the context");
    if (!name || !out)
        return api_fail(k, KATA_ERROR_ARGUMENT, "kata_device_ceilings_measure: the %s is NULL",
                        name ? "result" : "name");
    device *d = k->messages.status ? NULL : device_open(name, 0, &k->messages);
    if (d && !device_measure(d, out))
        api_fail(k, device_is_full(d) ? KATA_ERROR_MEMORY : KATA_ERROR_DEVICE,
                 "the device '%s' cannot be measured: %s", name, device_error(d));
    device_close(d);
    return k->messages.status;
}
