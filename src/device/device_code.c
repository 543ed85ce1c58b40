/* Kernels of a device: compiled, loaded, found by name and run. A module owns its kernels. */
#include "device/device_private.h"

#include <stdlib.h>
#include <string.h>

struct device_kernel {
    void *own; /* of the language */
    struct device_kernel *next;
    char name[];
};

struct device_module {
    void *own;
    device_kernel *kernels;
};

bool device_compile(device *d, const char *source, device_binary *binary, text *log)
{
    device_binary plain = {0};
    if (d->lost || !d->calls->compile(d, source, &plain, log)) return false;
    bool sealed = device_seal(plain.bytes, plain.count, binary);
    free(plain.bytes);
    return sealed || device_fail(d, DEVICE_FULL, "out of memory");
}

bool device_compile_beside(const device *d, const char *source, device_binary *binary, text *log)
{
    device own = {.calls = d->calls, .facts = d->facts, .own = d->own, .lost = d->lost};
    /* its error is its own */
    bool compiled = device_compile(&own, source, binary, log);
    if (!compiled && !log->length) text_add(log, "%s", device_error(&own));
    text_free(&own.error);
    return compiled;
}

device_module *device_load(device *d, const device_binary *binary)
{
    device_binary plain;
    if (d->lost) return NULL;
    if (!device_unseal(binary, &plain)) {
        device_fail(d, DEVICE_FAILED, "a compiled kernel is spoilt");
        return NULL;
    }
    device_module *module = calloc(1, sizeof *module);
    if (!module) device_fail(d, DEVICE_FULL, "out of memory");
    if (module && d->calls->load(d, &plain, &module->own)) return module;
    free(module);
    return NULL;
}

void device_unload(device *d, device_module *module)
{
    if (!module) return;
    for (device_kernel *kernel = module->kernels, *next; kernel; kernel = next) {
        next = kernel->next;
        d->calls->forget(d, kernel->own);
        free(kernel);
    }
    d->calls->unload(d, module->own);
    free(module);
}

static device_kernel *new_kernel(device *d, device_module *module, const char *name)
{
    size_t length = strlen(name) + 1;
    device_kernel *kernel = malloc(sizeof *kernel + length);
    if (!kernel) {
        device_fail(d, DEVICE_FULL, "out of memory");
        return NULL;
    }
    memcpy(kernel->name, name, length);
    if (!d->calls->find(d, module->own, name, &kernel->own)) {
        free(kernel);
        return NULL;
    }
    kernel->next = module->kernels;
    module->kernels = kernel;
    return kernel;
}

device_kernel *device_find_kernel(device *d, device_module *module, const char *name)
{
    if (d->lost) return NULL;
    for (device_kernel *kernel = module->kernels; kernel; kernel = kernel->next)
        if (strcmp(kernel->name, name) == 0) return kernel;
    return new_kernel(d, module, name);
}

/* Whether the device can run so many groups of so many threads. */
static bool is_possible(device *d, const device_launch *launch)
{
    int64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        if (launch->groups[i] < 0 || launch->groups[i] > d->facts.most_groups[i])
            return device_fail(d, DEVICE_FAILED, "%lld groups along %c; the device takes %lld",
                               (long long)launch->groups[i], 'x' + i,
                               (long long)d->facts.most_groups[i]);
        if (launch->threads[i] < 1 || launch->threads[i] > d->facts.most_threads)
            return device_fail(d, DEVICE_CROWDED, "a group of %d threads along %c",
                               launch->threads[i], 'x' + i);
        threads *= launch->threads[i];
    }
    return threads <= d->facts.most_threads ||
           device_fail(d, DEVICE_CROWDED, "groups of %lld threads; the device takes %d",
                       (long long)threads, d->facts.most_threads);
}

bool device_run(device *d, device_kernel *kernel, const device_launch *launch)
{
    if (d->lost || !is_possible(d, launch)) return false;
    if (!launch->groups[0] || !launch->groups[1] || !launch->groups[2]) return true;
    return d->calls->run(d, kernel->own, launch);
}
