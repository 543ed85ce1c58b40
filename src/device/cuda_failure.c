/* What results of CUDA's driver mean. */
#include "device/cuda_private.h"

/* Results after which the context, and with it all memory, is of no use. */
static bool is_loss(int result)
{
    static const int losses[] = {
        4 /* deinitialized */,   46 /* unavailable */,        214 /* ECC */,
        220 /* NVLink */,        226 /* contained */,         700 /* address */,
        702 /* timeout */,       709 /* context destroyed */, 710 /* assert */,
        714 /* stack */,         715 /* instruction */,       716 /* misaligned */,
        717 /* address space */, 718 /* program counter */,   719 /* launch failed */,
        721 /* tensor memory */, 810 /* MPS client ended */,  999 /* unknown */};
    for (size_t i = 0; i < COUNT_OF(losses); i++)
        if (losses[i] == result) return true;
    return false;
}

bool cuda_check(device *d, const char *function, int result)
{
    const cuda_api *api = ((cuda_device *)d->own)->api;
    const char *name = NULL, *words = NULL;
    if (result == CUDA_OK) return true;
    if (result == CUDA_OUT_OF_MEMORY) return device_fail(d, DEVICE_FULL, "out of memory");
    bool crowded = result == CUDA_LAUNCH_OUT_OF_RESOURCES;
    api->error_name(result, &name);
    api->error_words(result, &words);
    return device_fail(d,
                       is_loss(result) ? DEVICE_LOST
                       : crowded       ? DEVICE_CROWDED
                                       : DEVICE_FAILED,
                       "%s (%d) of %s: %s", name ? name : "an error", result, function,
                       words ? words : "unknown");
}
