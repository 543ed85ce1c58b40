/* The devices of the machine, and their measured rates. */
#include "telling.h"

enum { MOST_DEVICES = 64 };

static void tell_as_object(const kata_device *d)
{
    printf("{\"name\": ");
    json_text(stdout, d->name);
    printf(", \"model\": ");
    json_text(stdout, d->model);
    printf(", \"platform\": ");
    json_text(stdout, d->platform);
    printf(", \"memory_bytes\": %lld, \"units\": %d}", (long long)d->memory, d->units);
}

static void tell_as_line(const kata_device *d)
{
    printf("%s: %s, %s, %d units, ", d->name, d->model, d->platform, d->units);
    tell_amount(d->memory);
}

void tell_devices(telling *t, kata *k)
{
    kata_device list[MOST_DEVICES];
    int count = kata_devices_get(k, list, MOST_DEVICES);
    if (t->json) {
        tell_begin(t, "", "devices");
        putchar('[');
        for (int i = 0; i < count; i++) {
            if (i) printf(", ");
            tell_as_object(&list[i]);
        }
        putchar(']');
        return;
    }
    if (!count) tell(t, "devices", "", "");
    for (int i = 0; i < count; i++) {
        tell_begin(t, i ? "" : "devices", "");
        tell_as_line(&list[i]);
        tell_end(t);
    }
}

/* ---- ceilings -------------------------------------------------------------------------------- */

static void tell_measured(const telling *t, const char *name, const kata_device_ceilings *c)
{
    if (t->json)
        printf("\"%s\": {", name);
    else
        printf("\n%-26s %9s %8s\n", name, "best", "median");
    tell_rate(t, "copy on the device", "copy", &c->copy, "GB/s");
    if (t->json) printf(", ");
    tell_rate(t, "to the device", "put", &c->put, "GB/s");
    if (t->json) printf(", ");
    tell_rate(t, "from the device", "get", &c->get, "GB/s");
    if (t->json)
        printf(", \"seconds\": %.3g}", c->seconds);
    else
        printf("measured in %.2g s\n", c->seconds);
}

void tell_device_ceilings(telling *t, kata *k)
{
    kata_device list[MOST_DEVICES];
    int count = kata_devices_get(k, list, MOST_DEVICES);
    const char *before = "";
    if (t->json) printf(", \"device_ceilings\": {");
    for (int i = 0; i < count; i++) {
        kata_device_ceilings measured;
        if (kata_device_ceilings_measure(k, list[i].name, &measured)) {
            kata_error_clear(k);
            continue;
        }
        printf("%s", before);
        tell_measured(t, list[i].name, &measured);
        if (t->json) before = ", ";
        fflush(stdout);
    }
    if (t->json) putchar('}');
}
