/* PoCL reads its library of functions anew for each context, which takes it half a second. So all
 * devices of a test have one context, which stays. Those of test_device have contexts of their own.
 */
#ifndef KEPT_CONTEXT_H
#define KEPT_CONTEXT_H

#include "device/opencl_private.h"

#include <stdint.h>
#include <stdlib.h>

static const opencl_api *kept_api; /* the functions of OpenCL; NULL: no context is kept */
static opencl_api kept_plain;
static void *kept_context, *kept_device;
static _Atomic int kept_uses;

static inline void *kept_create(const intptr_t *properties, uint32_t count, void *const *devices,
                                void (*notify)(const char *, const void *, size_t, void *),
                                void *data, int32_t *result)
{
    if (!kept_context) {
        kept_context = kept_plain.context_create(properties, count, devices, notify, data, result);
        kept_device = devices[0];
    }
    if (devices[0] != kept_device)
        return kept_plain.context_create(properties, count, devices, notify, data, result);
    if (kept_context) {
        kept_uses++;
        *result = CL_OK;
    }
    return kept_context;
}

static inline int32_t kept_release(void *context)
{
    if (context != kept_context) return kept_plain.context_release(context);
    if (--kept_uses < 0) abort();
    return CL_OK;
}

/* At the end: each device has released the context. */
static inline void kept_check(void)
{
    if (kept_uses != 0) abort();
}

/* Keeps the first context from now on. To be called by one thread. */
static inline void keep_context(void)
{
    text why = {0};
    const opencl_api *api = kept_api ? NULL : opencl_loader(&why);
    text_free(&why);
    if (!api) return;
    kept_api = api;
    atexit(kept_check);
    kept_plain = *api;
    ((opencl_api *)api)->context_create = kept_create; /* the table is no constant */
    ((opencl_api *)api)->context_release = kept_release;
}

#endif
