/* CUDA devices: which there are, opening and closing. */
#include "device/cuda_private.h"

#include <stdlib.h>

enum { LARGEST_ARGUMENTS = 4096, LARGEST_GRID_YZ = 65535, OLDEST_DEVICE = 60 };

static int attribute(const cuda_api *api, int device, int which)
{
    int value = 0;
    return api->device_attribute(&value, which, device) == CUDA_OK ? value : 0;
}

static int count(text *why)
{
    int found = 0;
    const cuda_api *api = cuda_driver(why);
    if (api && (api->device_count(&found) != CUDA_OK || found < 1)) {
        found = 0;
        text_add(why, "the CUDA driver finds no device");
    }
    return found;
}

static bool has_device(const cuda_api *api, int number, int *device, text *why)
{
    if (api && api->device_get(device, number) == CUDA_OK) return true;
    if (api) text_add(why, "the CUDA driver has no device %d", number);
    return false;
}

/* What a group may share, and of it without asking. */
static void describe_shared(const cuda_api *api, int device, device_facts *facts)
{
    facts->local_in_text = attribute(api, device, CUDA_SHARED_BYTES);
    facts->local = larger(facts->local_in_text, attribute(api, device, CUDA_SHARED_BYTES_AT_MOST));
}

static bool describe(int number, device_facts *facts, text *why)
{
    int device;
    size_t bytes = 0;
    const cuda_api *api = cuda_driver(why);
    if (!has_device(api, number, &device, why)) return false;
    int major = attribute(api, device, CUDA_MAJOR), minor = attribute(api, device, CUDA_MINOR);
    int version = cuda_driver_version();
    *facts = (device_facts){.language = DEVICE_CUDA,
                            .cache = attribute(api, device, CUDA_CACHE_BYTES),
                            .units = attribute(api, device, CUDA_MULTIPROCESSORS),
                            .most_threads = attribute(api, device, CUDA_MOST_THREADS),
                            .most_groups = {INT32_MAX, LARGEST_GRID_YZ, LARGEST_GRID_YZ},
                            .arguments = LARGEST_ARGUMENTS,
                            .halves = true,
                            .shares_memory = attribute(api, device, CUDA_INTEGRATED) != 0};
    api->device_name(facts->name, sizeof facts->name, device);
    api->device_memory(&bytes, device);
    facts->memory = facts->largest = (int64_t)bytes;
    facts->turn = cuda_turn(api, device);
    describe_shared(api, device, facts);
    snprintf(facts->platform, sizeof facts->platform, "CUDA %d.%d", version / 1000,
             version % 1000 / 10);
    snprintf(facts->target, sizeof facts->target, "sm_%d%d", major, minor);
    if (10 * major + minor >= OLDEST_DEVICE) return true;
    text_add(why, "%s is too old: its compute capability is %d.%d, and 6.0 is needed", facts->name,
             major, minor);
    return false;
}

/* One of those that can be used, or the reason why the first cannot. */
static int choose(int turn, int *turns, text *why)
{
    enum { MOST = 64 };
    text ignored = {0};
    device_facts facts;
    int suitable[MOST], found = 0, all = count(&ignored);
    for (int i = 0; i < all && found < MOST; i++)
        if (describe(i, &facts, i ? &ignored : why)) suitable[found++] = i;
    text_free(&ignored);
    *turns = found;
    return found ? suitable[turn % found] : -1;
}

/* ---- opening --------------------------------------------------------------------------------- */

static void close_device(device *d)
{
    cuda_device *own = d->own;
    const cuda_api *api = own->api;
    if (own->context && api->context_set(own->context) == CUDA_OK) {
        cuda_batch_free(d);
        if (own->piece) api->host_release(own->piece);
        for (int i = 0; i < DEVICE_QUEUES; i++) {
            if (own->event[i]) api->event_destroy(own->event[i]);
            if (own->stream[i]) api->stream_destroy(own->stream[i]);
        }
    }
    if (own->context) {
        api->context_set(NULL);
        api->context_release(own->device);
    }
    text_free(&own->no_nvrtc);
    free(own->pointers);
    free(own);
    d->own = NULL;
}

static bool open_queues(device *d, cuda_device *own)
{
    const cuda_api *api = own->api;
    if (!cuda_check(d, "cuDevicePrimaryCtxRetain",
                    api->context_retain(&own->context, own->device)) ||
        !cuda_enter(d))
        return false;
    for (int i = 0; i < DEVICE_QUEUES; i++)
        if (!cuda_check(d, "cuStreamCreate",
                        api->stream_create(&own->stream[i], CUDA_STREAM_NON_BLOCKING)) ||
            !cuda_check(d, "cuEventCreate",
                        api->event_create(&own->event[i], CUDA_EVENT_WITHOUT_TIME)))
            return false;
    return true;
}

/* Kernels that are compiled already need no compiler. */
static void look_for_compiler(device *d, cuda_device *own)
{
    int major = 0, minor = 0, version = cuda_driver_version();
    own->nvrtc = cuda_nvrtc(version, &own->no_nvrtc);
    if (own->nvrtc) own->nvrtc->version(&major, &minor);
    snprintf(d->compiler, sizeof d->compiler, "NVRTC %d.%d, driver %d, %s", major, minor, version,
             d->facts.target);
}

static bool open_device(device *d, int number, text *why)
{
    cuda_device *own = calloc(1, sizeof *own);
    if (!own) {
        text_add(why, "out of memory");
        return false;
    }
    d->own = own;
    own->api = cuda_driver(why);
    bool opened = has_device(own->api, number, &own->device, why);
    if (opened && !open_queues(d, own)) {
        text_add(why, "%s", device_error(d));
        opened = false;
    }
    if (!opened) {
        close_device(d);
        return false;
    }
    own->major = attribute(own->api, own->device, CUDA_MAJOR);
    own->minor = attribute(own->api, own->device, CUDA_MINOR);
    look_for_compiler(d, own);
    return true;
}

static bool compile(device *d, const char *source, device_binary *binary, text *log)
{
    const cuda_device *own = d->own;
    if (!own->nvrtc) {
        text_add(log, "%s", text_get(&own->no_nvrtc));
        return device_fail(d, DEVICE_FAILED, "%s", text_get(&own->no_nvrtc));
    }
    return cuda_compile_text(own->nvrtc, own->major, own->minor, source, binary, log) ||
           device_fail(d, DEVICE_FAILED, "NVRTC does not compile a text");
}

static void forget(device *d, void *kernel)
{
    (void)d; /* functions go with their module */
    (void)kernel;
}

const device_calls device_cuda = {.word = "cuda",
                                  .count = count,
                                  .describe = describe,
                                  .choose = choose,
                                  .open = open_device,
                                  .close = close_device,
                                  .allocate = cuda_allocate,
                                  .release = cuda_release,
                                  .allocate_here = cuda_allocate_here,
                                  .allocate_rings = cuda_allocate_rings,
                                  .event_new = cuda_event_new,
                                  .event_free = cuda_event_free,
                                  .note = cuda_note,
                                  .order_behind = cuda_order_behind,
                                  .pinned = cuda_pinned,
                                  .release_pinned = cuda_release_pinned,
                                  .pin = cuda_pin,
                                  .unpin = cuda_unpin,
                                  .order = cuda_order,
                                  .wait = cuda_wait,
                                  .move = cuda_move,
                                  .set = cuda_set,
                                  .copy = cuda_copy_bytes,
                                  .compile = compile,
                                  .load = cuda_load_module,
                                  .unload = cuda_unload_module,
                                  .find = cuda_find_function,
                                  .forget = forget,
                                  .run = cuda_launch};
