/* Modules and kernels of a CUDA device. */
#include "device/cuda_private.h"

bool cuda_load_module(device *d, const device_binary *binary, void **module)
{
    const cuda_api *api = cuda_enter(d);
    return api && cuda_check(d, "cuModuleLoadDataEx",
                             api->module_load(module, binary->bytes, 0, NULL, NULL));
}

void cuda_unload_module(device *d, void *module)
{
    const cuda_api *api = cuda_enter(d);
    cuda_batch_forget(d);
    if (api) api->module_unload(module);
}

bool cuda_find_function(device *d, void *module, const char *name, void **function)
{
    const cuda_api *api = cuda_enter(d);
    if (!api) return false;
    int result = api->module_function(function, module, name);
    if (result == CUDA_NOT_FOUND)
        return device_fail(d, DEVICE_FAILED, "a compiled text has no kernel %s", name);
    return cuda_check(d, "cuModuleGetFunction", result);
}

/* Fills own->pointers; the arguments stay where they are. */
static bool point_at_arguments(device *d, const device_launch *launch)
{
    cuda_device *own = d->own;
    size_t count = (size_t)launch->argument_count;
    if (!vector_reserve((void **)&own->pointers, &own->pointer_room, count, sizeof(void *)))
        return device_fail(d, DEVICE_FULL, "out of memory");
    for (size_t i = 0; i < count; i++) {
        const device_argument *a = &launch->arguments[i];
        own->pointers[i] = a->memory ? (void *)&a->memory->address : (void *)a->value;
    }
    return true;
}

/* Shared memory of a launch and what the text declares may together be more than every kernel may
 * have without asking. */
static bool ask_for_shared(device *d, const cuda_api *api, void *function, size_t bytes)
{
    if (bytes > (size_t)d->facts.local)
        return device_fail(d, DEVICE_FAILED, "a group shares %zu bytes; the device has %lld", bytes,
                           (long long)d->facts.local);
    return !bytes ||
           cuda_check(d, "cuFuncSetAttribute",
                      api->function_set(function, CUDA_FUNCTION_SHARED_BYTES, (int)bytes));
}

bool cuda_launch(device *d, void *function, const device_launch *launch)
{
    const cuda_device *own = d->own;
    if (cuda_batch_takes(d, function, launch)) return cuda_batch_send_full(d);
    const cuda_api *api = cuda_enter(d);
    const int64_t *groups = launch->groups;
    const int *threads = launch->threads;
    if (!api || !point_at_arguments(d, launch) || !ask_for_shared(d, api, function, launch->local))
        return false;
    const bool started = cuda_check(
        d, "cuLaunchKernel",
        api->launch(function, (unsigned)groups[0], (unsigned)groups[1], (unsigned)groups[2],
                    (unsigned)threads[0], (unsigned)threads[1], (unsigned)threads[2],
                    (unsigned)launch->local, own->stream[DEVICE_WORK], own->pointers, NULL));
    if (started) cuda_batch_started(d, function, launch);
    return started;
}
