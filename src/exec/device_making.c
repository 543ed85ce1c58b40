/* Kernels for a device: compiled when they are first needed, kept in the cache folder. Of several
 * processes that need one at once, as the ranks of a node do, one compiles it: OpenCL's compilers
 * may have caches of their own, and PoCL's process ends where two make the same text at once. */
#include "exec/on_device.h"

#include <stdlib.h>

device_kernel *device_find_loaded(const struct exec_device *d, uint64_t key)
{
    for (size_t i = 0; i < d->function_count; i++)
        if (d->functions[i].key == key) return d->functions[i].kernel;
    return NULL;
}

static device_kernel *load(const device_loop *l, const device_making *made)
{
    struct exec_device *d = l->d;
    void *functions = d->functions;
    if (!vector_reserve(&functions, &d->function_room, d->function_count + 1, sizeof *d->functions))
        return NULL;
    d->functions = functions;
    device_module *module = device_load(d->device, &made->binary);
    device_kernel *kernel = module ? device_find_kernel(d->device, module, made->name) : NULL;
    if (kernel)
        d->functions[d->function_count++] = (device_function){made->key, module, kernel};
    else if (module)
        device_unload(d->device, module);
    return kernel;
}

static void forget_binary(device_making *made)
{
    free(made->binary.bytes);
    made->binary = (device_binary){NULL, 0};
}

void device_making_free(device_making *made)
{
    forget_binary(made);
    text_free(&made->source);
    text_free(&made->log);
}

static bool read_binary(device_making *made)
{
    return jit_binary_read(made->jit, made->hash, &made->binary.bytes, &made->binary.count);
}

device_kernel *device_making_find(const device_loop *l, device_making *made)
{
    device_kernel *kernel = device_find_loaded(l->d, made->key);
    text basis = {0};
    if (kernel || made->source.failed) return kernel;
    text_add(&basis, "%s\n%s\n%s", KATA_VERSION, device_compiler(l->d->device),
             text_get(&made->source));
    if (!basis.failed) hash_hex(basis.data, basis.length, made->hash);
    made->jit = l->context->jit;
    if (!basis.failed && read_binary(made)) kernel = load(l, made);
    made->refused = made->binary.bytes && !kernel; /* what another driver has kept may not load */
    forget_binary(made);
    made->source.failed = basis.failed;
    text_free(&basis);
    return kernel;
}

bool device_making_compile(const device *d, device_making *made, const _Atomic bool *stop)
{
    int turn = jit_binary_turn(made->jit, made->hash, stop);
    bool compiled = !made->refused && read_binary(made);
    if (!compiled) {
        compiled = device_compile_beside(d, text_get(&made->source), &made->binary, &made->log);
        made->unkept = compiled && !jit_binary_write(made->jit, made->hash, made->binary.bytes,
                                                     made->binary.count);
    }
    jit_turn_end(turn);
    return compiled;
}

device_kernel *device_making_end(const device_loop *l, device_making *made)
{
    device_kernel *kernel = made->binary.bytes ? load(l, made) : NULL;
    if (kernel && made->unkept) jit_binary_unkept(made->jit, l->m);
    return kernel;
}

static void report(const device_loop *l, const device_making *made)
{
    message_begin(l->m, KATA_ERROR_COMPILER,
                  "the compiler of the device '%s' failed for kernel '%s'",
                  device_facts_of(l->d->device)->name, l->loop->kernel->name);
    message_line(l->m, "%.2000s",
                 made->log.length ? text_get(&made->log) : device_error(l->d->device));
    message_send(l->m);
}

device_kernel *device_make(const device_loop *l, device_making *made, bool reports)
{
    device_kernel *kernel = device_making_find(l, made);
    if (!kernel && made->source.failed) {
        if (reports) message_no_memory(l->m);
    } else if (!kernel) {
        if (device_making_compile(l->d->device, made, NULL)) kernel = device_making_end(l, made);
        if (!kernel && reports) report(l, made);
    }
    device_making_free(made);
    return kernel;
}

void device_functions_free(struct exec_device *d)
{
    for (size_t i = 0; i < d->function_count; i++) device_unload(d->device, d->functions[i].module);
    free(d->functions);
}
