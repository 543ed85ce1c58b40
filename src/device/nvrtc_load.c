/* NVRTC, the compiler of CUDA C++ as a library, loaded once for the process. */
#include "device/cuda_private.h"

#include <pthread.h>

#define FOLDER "/usr/local/cuda/lib64/"
static const char *const names[] = {
    "libnvrtc.so",           "libnvrtc.so.13",          "libnvrtc.so.12",
    "libnvrtc.so.11.2",      FOLDER "libnvrtc.so",      FOLDER "libnvrtc.so.13",
    FOLDER "libnvrtc.so.12", FOLDER "libnvrtc.so.11.2", NULL};

#define ROW(member, function, arguments) {.name = function, .offset = offsetof(nvrtc_api, member)},
static const device_symbol symbols[] = {
    NVRTC_FUNCTIONS(ROW){.name = "nvrtcGetErrorString", .offset = offsetof(nvrtc_api, words)}};
#undef ROW

static const device_library library = {
    .variable = "KATA_NVRTC",
    .names = names,
    .what = "NVRTC",
    .advice =
        "install it (Debian: libnvrtc11.2; NVIDIA: cuda-nvrtc), or set KATA_NVRTC to the path "
        "of its libnvrtc.so",
    .symbols = symbols,
    .symbol_count = COUNT_OF(symbols)};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static nvrtc_api compiler;
static bool is_loaded;

/* Code of a later CUDA than the driver's need not run. */
static bool suits(const void *table, text *why, int64_t driver_version)
{
    const nvrtc_api *api = table;
    int major = 0, minor = 0;
    if (api->version(&major, &minor) != NVRTC_OK) {
        text_add(why, "it does not say its version");
        return false;
    }
    if (!driver_version || major <= driver_version / 1000) return true;
    text_add(why,
             "it is of CUDA %d.%d, and the driver is for CUDA %d.%d: update the driver, or "
             "install an older NVRTC",
             major, minor, (int)driver_version / 1000, (int)driver_version % 1000 / 10);
    return false;
}

const nvrtc_api *cuda_nvrtc(int driver_version, text *why)
{
    pthread_mutex_lock(&lock);
    bool suited = is_loaded ? suits(&compiler, why, driver_version)
                            : device_library_load(&library, &compiler, suits, driver_version, why);
    is_loaded |= suited;
    pthread_mutex_unlock(&lock);
    return suited ? &compiler : NULL;
}
