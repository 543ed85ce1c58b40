/* The device, its context, and whether it is lost. */
#include "cuda_shim.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shim_context {
    int retained;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct shim_context contexts[64]; /* of the devices */
static _Thread_local CUcontext current;
static bool initialized;
static CUresult lost; /* why */

CUDA_SHIM_API cuInit(unsigned flags);
CUDA_SHIM_API cuDriverGetVersion(int *version);
CUDA_SHIM_API cuDeviceGetCount(int *count);
CUDA_SHIM_API cuDeviceGet(CUdevice *device, int number);
CUDA_SHIM_API cuDeviceGetName(char *name, int room, CUdevice device);
CUDA_SHIM_API cuDeviceGetAttribute(int *value, int attribute, CUdevice device);
CUDA_SHIM_API cuDeviceTotalMem_v2(size_t *bytes, CUdevice device);
CUDA_SHIM_API cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUDA_SHIM_API cuDevicePrimaryCtxRelease_v2(CUdevice device);
CUDA_SHIM_API cuCtxSetCurrent(CUcontext context);
CUDA_SHIM_API cuCtxGetCurrent(CUcontext *context);
CUDA_SHIM_API cuGetErrorName(CUresult result, const char **name);
CUDA_SHIM_API cuGetErrorString(CUresult result, const char **words);

int64_t shim_number(const char *variable, int64_t otherwise)
{
    const char *value = getenv(variable);
    if (!value || !*value) return otherwise;
    char *end;
    const long long number = strtoll(value, &end, 10);
    if (*end == '\0') return number;
    fprintf(stderr, "CUDA shim: %s is no number: %s\n", variable, value);
    abort();
}

/* ---- calls ----------------------------------------------------------------------------------- */

CUresult shim_enter(void)
{
    if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (!current || current->retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
    pthread_mutex_lock(&lock);
    if (!lost) return CUDA_SUCCESS;
    pthread_mutex_unlock(&lock);
    return lost;
}

CUresult shim_leave(CUresult result)
{
    const CUresult why = lost;
    pthread_mutex_unlock(&lock);
    return why ? why : result;
}

void shim_lose(CUresult why)
{
    if (!lost) lost = why;
}

bool shim_is_lost(void) { return lost != CUDA_SUCCESS; }

/* ---- devices --------------------------------------------------------------------------------- */

static int device_count(void)
{
    const int64_t count = shim_number("KATA_SHIM_DEVICES", 1);
    const int64_t most = sizeof contexts / sizeof *contexts;
    return (int)(count < 0 ? 0 : count > most ? most : count);
}

CUresult cuInit(unsigned flags)
{
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (device_count() == 0) return CUDA_ERROR_NO_DEVICE;
    initialized = true;
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
    if (!version) return CUDA_ERROR_INVALID_VALUE;
    *version = (int)shim_number("KATA_SHIM_DRIVER", 12040);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
    if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    *count = device_count();
    return CUDA_SUCCESS;
}

static CUresult check_device(CUdevice device, const void *out)
{
    if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (device < 0 || device >= device_count()) return CUDA_ERROR_INVALID_DEVICE;
    return out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGet(CUdevice *device, int number)
{
    const CUresult result = check_device(number, device);
    if (!result) *device = number;
    return result;
}

CUresult cuDeviceGetName(char *name, int room, CUdevice device)
{
    const CUresult result = check_device(device, name);
    if (!result) snprintf(name, (size_t)room, "CUDA shim");
    return result;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    const CUresult result = check_device(device, bytes);
    if (!result) *bytes = (size_t)shim_memory_total();
    return result;
}

/* The number of an attribute is its place in CUDA's documentation. */
static const struct {
    int attribute, value;
} attributes[] = {
    {1, 1024},        /* threads of a block */
    {2, 1024},        /* along x, y, z */
    {3, 1024},        /**/
    {4, 64},          /**/
    {5, 2147483647},  /* blocks along x, y, z */
    {6, 65535},       /**/
    {7, 65535},       /**/
    {8, 49152},       /* shared memory of a block */
    {9, 65536},       /* constant memory */
    {10, SHIM_WARP},  /* threads of a warp */
    {11, 2147483647}, /* pitch of copies */
    {12, 65536},      /* registers of a block */
    {13, 1000000},    /* kHz */
    {15, 1},          /* copies and kernels at once */
    {16, 4},          /* multiprocessors */
    {18, 0},          /* integrated */
    {31, 1},          /* kernels at once */
    {36, 1000000},    /* kHz of memory */
    {37, 64},         /* bits of its bus */
    {38, 1048576},    /* bytes of the last-level cache */
    {39, 2048},       /* threads of a multiprocessor */
    {40, 2},          /* engines that copy */
    {41, 1},          /* one space of addresses */
    {75, 9},          /* compute capability */
    {76, 0},          /**/
    {81, 233472},     /* shared memory of a multiprocessor */
    {82, 65536},      /* registers of a multiprocessor */
    {95, 0},          /* cooperative launches */
    {97, SHIM_LOCAL}, /* shared memory of a block that asks for it */
    {102, 1},         /* memory that is mapped where the program says */
};

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device)
{
    const CUresult result = check_device(device, value);
    if (result) return result;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        if (attributes[i].attribute != attribute) continue;
        *value = attributes[i].value;
        return CUDA_SUCCESS;
    }
    fprintf(stderr, "CUDA shim: attribute %d is not known here\n", attribute);
    return CUDA_ERROR_INVALID_VALUE;
}

/* ---- contexts -------------------------------------------------------------------------------- */

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    const CUresult result = check_device(device, context);
    if (result) return result;
    if (lost) return lost;
    pthread_mutex_lock(&lock);
    contexts[device].retained++;
    pthread_mutex_unlock(&lock);
    *context = &contexts[device];
    return CUDA_SUCCESS;
}

static bool is_retained(void)
{
    bool some = false;
    for (size_t i = 0; i < sizeof contexts / sizeof *contexts; i++)
        some = some || contexts[i].retained > 0;
    return some;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    CUresult result = check_device(device, &device);
    if (result) return result;
    pthread_mutex_lock(&lock);
    if (contexts[device].retained == 0)
        result = CUDA_ERROR_INVALID_CONTEXT;
    else if (--contexts[device].retained == 0) {
        shim_finish_all();
        if (!is_retained()) shim_pins_end();
    }
    pthread_mutex_unlock(&lock);
    return result;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (context && (context < contexts || context >= contexts + device_count()))
        return CUDA_ERROR_INVALID_CONTEXT;
    current = context;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (!context) return CUDA_ERROR_INVALID_VALUE;
    *context = current;
    return CUDA_SUCCESS;
}

/* ---- names of results ------------------------------------------------------------------------ */

static const struct {
    CUresult result;
    const char *name, *words;
} results[] = {
#define X(name, number, words) {name, #name, words},
    CUDA_SHIM_RESULTS(X)
#undef X
};

static CUresult find_result(CUresult result, bool words, const char **found)
{
    if (!found) return CUDA_ERROR_INVALID_VALUE;
    *found = NULL;
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        if (results[i].result == result) *found = words ? results[i].words : results[i].name;
    }
    return *found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorName(CUresult result, const char **name)
{
    return find_result(result, false, name);
}

CUresult cuGetErrorString(CUresult result, const char **words)
{
    return find_result(result, true, words);
}
