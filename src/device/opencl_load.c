/* The loader of OpenCL drivers, loaded once for the process. */
#include "device/opencl_private.h"

#include <pthread.h>

static const char *const names[] = {"libOpenCL.so.1", NULL};

#define ROW(member, function, result, arguments)                                                   \
    {.name = function, .offset = offsetof(opencl_api, member)},
static const device_symbol symbols[] = {OPENCL_FUNCTIONS(ROW)};
#undef ROW

static const device_library library = {
    .names = names,
    .what = "OpenCL",
    .advice = "install the device's OpenCL driver (Debian: pocl-opencl-icd computes on the CPU)",
    .symbols = symbols,
    .symbol_count = COUNT_OF(symbols)};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static opencl_api loader;
static bool is_loaded;

const opencl_api *opencl_loader(text *why)
{
    pthread_mutex_lock(&lock);
    if (!is_loaded) is_loaded = device_library_load(&library, &loader, NULL, 0, why);
    bool loaded = is_loaded;
    pthread_mutex_unlock(&lock);
    return loaded ? &loader : NULL;
}
