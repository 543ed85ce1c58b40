/* OpenCL devices: opening and closing. */
#include "device/opencl_private.h"

#include <stdlib.h>

static void close_device(device *d)
{
    opencl_device *own = d->own;
    while (own->pinned) opencl_release_pinned(d, own->pinned->memory);
    for (int i = 0; i < DEVICE_QUEUES; i++)
        if (own->queue[i]) own->api->queue_release(own->queue[i]);
    if (own->context) own->api->context_release(own->context);
    free(own);
    d->own = NULL;
}

static bool open_queues(device *d, opencl_device *own)
{
    int32_t result = CL_OK;
    own->context = own->api->context_create(NULL, 1, &own->device, NULL, NULL, &result);
    if (!opencl_check(d, "clCreateContext", result)) return false;
    for (int i = 0; i < DEVICE_QUEUES; i++) {
        own->queue[i] = own->api->queue_create(own->context, own->device, 0, &result);
        if (!opencl_check(d, "clCreateCommandQueue", result)) return false;
    }
    return true;
}

static void name_compiler(device *d, const opencl_listed *found)
{
    const opencl_api *api = ((opencl_device *)d->own)->api;
    char platform[128], version[128];
    opencl_ask_platform(api, found->platform, CL_PLATFORM_VERSION, platform, sizeof platform);
    opencl_ask_device(api, found->device, CL_DEVICE_VERSION, version, sizeof version);
    snprintf(d->compiler, sizeof d->compiler, "%s, %s, %s, %s", platform, d->facts.name, version,
             d->facts.target);
}

static bool open_device(device *d, int number, text *why)
{
    opencl_listed found;
    const opencl_api *api = opencl_loader(why);
    if (!api || !opencl_find(api, number, &found, why)) return false;
    opencl_device *own = calloc(1, sizeof *own);
    if (!own) {
        text_add(why, "out of memory");
        return false;
    }
    d->own = own;
    own->api = api;
    own->device = found.device;
    if (!open_queues(d, own)) {
        text_add(why, "%s", device_error(d));
        close_device(d);
        return false;
    }
    name_compiler(d, &found);
    return true;
}

const device_calls device_opencl = {.word = "opencl",
                                    .count = opencl_count,
                                    .describe = opencl_describe,
                                    .choose = opencl_choose,
                                    .open = open_device,
                                    .close = close_device,
                                    .allocate = opencl_allocate,
                                    .release = opencl_release,
                                    .pinned = opencl_pinned,
                                    .release_pinned = opencl_release_pinned,
                                    .order = opencl_order,
                                    .wait = opencl_wait,
                                    .move = opencl_move,
                                    .set = opencl_set,
                                    .copy = opencl_copy,
                                    .compile = opencl_compile,
                                    .load = opencl_load,
                                    .unload = opencl_unload,
                                    .find = opencl_find_kernel,
                                    .forget = opencl_forget,
                                    .run = opencl_run};
