/* CUDA's driver, loaded and started once for the process. */
#include "device/cuda_private.h"

#include <pthread.h>

enum { OLDEST_DRIVER = 11020 }; /* for NVRTC that makes code for a device, not only PTX */

static const char *const names[] = {"libcuda.so.1", NULL};

#define ROW(member, function, arguments) {.name = function, .offset = offsetof(cuda_api, member)},
#define ROW_OF_SOME(member, function, arguments)                                                   \
    {.name = function, .offset = offsetof(cuda_api, member), .may_lack = true},
static const device_symbol symbols[] = {CUDA_FUNCTIONS(ROW) CUDA_GRAPH_FUNCTIONS(ROW_OF_SOME)};
#undef ROW
#undef ROW_OF_SOME

static const device_library library = {
    .variable = "KATA_CUDA",
    .names = names,
    .what = "CUDA driver",
    .advice = "install NVIDIA's driver, or set KATA_CUDA to the path of its libcuda.so.1",
    .symbols = symbols,
    .symbol_count = COUNT_OF(symbols)};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cuda_api driver;
static int version; /* 0: not loaded yet */

/* Starts a driver, before it is known whether it works. */
static bool starts(const void *table, text *why, int64_t data)
{
    (void)data;
    const cuda_api *api = table;
    const char *name = NULL, *words = NULL;
    int found = 0, result = api->driver_version(&found);
    if (result == CUDA_OK && found < OLDEST_DRIVER) {
        text_add(why, "it is for CUDA %d.%d, and 11.2 or later is needed: update the driver",
                 found / 1000, found % 1000 / 10);
        return false;
    }
    if (result == CUDA_OK) result = api->init(0);
    if (result == CUDA_OK) {
        version = found;
        return true;
    }
    api->error_name(result, &name);
    api->error_words(result, &words);
    if (result == CUDA_NO_DEVICE)
        text_add(why, "it finds no device");
    else
        text_add(why, "it does not start: %s (%d): %s", name ? name : "an error", result,
                 words ? words : "unknown");
    return false;
}

const cuda_api *cuda_driver(text *why)
{
    pthread_mutex_lock(&lock);
    bool loaded = version || device_library_load(&library, &driver, starts, 0, why);
    pthread_mutex_unlock(&lock);
    return loaded ? &driver : NULL;
}

int cuda_driver_version(void) { return version; }
