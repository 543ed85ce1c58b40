/* Kernels for a device: compiled when they are first needed, kept in the cache folder. */
#include "exec/on_device.h"

#include <stdlib.h>
#include <string.h>

static device_kernel *find(const struct exec_device *d, uint64_t key)
{
    for (size_t i = 0; i < d->function_count; i++)
        if (d->functions[i].key == key) return d->functions[i].kernel;
    return NULL;
}

static device_kernel *keep(const device_loop *l, uint64_t key, const char *name,
                           const device_binary *binary)
{
    struct exec_device *d = l->d;
    void *functions = d->functions;
    if (!vector_reserve(&functions, &d->function_room, d->function_count + 1,
                        sizeof *d->functions)) {
        message_no_memory(l->m);
        return NULL;
    }
    d->functions = functions;
    device_module *module = device_load(d->device, binary);
    device_kernel *kernel = module ? device_find_kernel(d->device, module, name) : NULL;
    if (kernel)
        d->functions[d->function_count++] = (device_function){key, module, kernel};
    else if (module)
        device_unload(d->device, module);
    return kernel;
}

static void report(const device_loop *l, const char *source, const text *log)
{
    message_begin(l->m, KATA_ERROR_COMPILER,
                  "the compiler of the device '%s' failed for kernel '%s'",
                  device_facts_of(l->d->device)->name, l->loop->kernel->name);
    message_line(l->m, "%.2000s", log->length ? text_get(log) : device_error(l->d->device));
    (void)source;
    message_send(l->m);
}

/* Compiles a text, or takes its binary from the cache. */
static device_kernel *make(const device_loop *l, uint64_t key, const char *name, const text *source)
{
    text basis = {0}, log = {0};
    char hash[33];
    device_binary binary = {NULL, 0};
    device_kernel *kernel = NULL;
    text_add(&basis, "%s\n%s\n%s", KATA_VERSION, device_compiler(l->d->device), text_get(source));
    if (basis.failed || source->failed) {
        message_no_memory(l->m);
        text_free(&basis);
        return NULL;
    }
    hash_hex(basis.data, basis.length, hash);
    if (jit_binary_read(l->context->jit, hash, &binary.bytes, &binary.count))
        kernel = keep(l, key, name, &binary); /* what another driver has kept may not load */
    free(binary.bytes);
    binary = (device_binary){NULL, 0};
    if (!kernel && !l->m->status) {
        if (device_compile(l->d->device, text_get(source), &binary, &log)) {
            kernel = keep(l, key, name, &binary);
            jit_binary_write(l->context->jit, hash, binary.bytes, binary.count);
        }
        if (!kernel && !l->m->status) report(l, text_get(source), &log);
    }
    free(binary.bytes);
    text_free(&basis);
    text_free(&log);
    return kernel;
}

/* Whether no two parameters are given one field. */
static bool are_apart(const chain_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    for (int p = 0; p < kernel->param_count; p++)
        for (int q = 0; q < p; q++)
            if (ir_param_is_field(&kernel->params[p]) && ir_param_is_field(&kernel->params[q]) &&
                loop->bindings[p].slot == loop->bindings[q].slot)
                return false;
    return true;
}

bool device_is_wide(const chain_loop *loop)
{
    enum { MOST = 1 << 30 };
    bool wide = false;
    for (int d = 0; d < 3; d++) wide = wide || loop->shape.size[d] >= MOST;
    for (int p = 0; p < loop->kernel->param_count; p++) {
        if (!ir_param_is_field(&loop->kernel->params[p])) continue;
        const store_device *on = loop->bindings[p].slot->on_device;
        wide = wide || on->place.component >= MOST || on->room.hi[2] * on->place.z >= MOST ||
               on->room.hi[1] * on->place.y >= MOST;
    }
    return wide;
}

static device_kernel *find_kernel(const device_loop *l, codegen_loop *as, codegen_shape *shape)
{
    char name[64];
    *shape = device_shape_of(l, as, device_is_wide(l->loop));
    codegen_name(as, name);
    uint64_t key = hash_bytes(name, strlen(name), as->apart);
    const int64_t made[] = {shape->vector, shape->chunk, shape->along, shape->wide};
    key = hash_bytes(made, sizeof made, key);
    device_kernel *found = find(l->d, key);
    if (found) return found;
    text source = {0};
    codegen_device_text(&source, as, shape, l->d->language);
    found = make(l, key, name, &source);
    text_free(&source);
    return found;
}

device_kernel *device_kernel_of(const device_loop *l, codegen_shape *shape)
{
    const ir_kernel *kernel = l->loop->kernel;
    enum { MOST = 64 };
    kata_type few[MOST], *storage = few;
    if (kernel->param_count > MOST) storage = calloc((size_t)kernel->param_count, sizeof *storage);
    for (int p = 0; p < kernel->param_count && storage; p++)
        storage[p] =
            ir_param_is_field(&kernel->params[p]) ? l->loop->bindings[p].slot->type : KATA_F64;
    if (!storage) {
        message_no_memory(l->m);
        return NULL;
    }
    codegen_loop as = {.kernel = kernel,
                       .storage = storage,
                       .colored = l->loop->colors > 1,
                       .apart = are_apart(l->loop),
                       .without = l->context->without};
    device_kernel *found = find_kernel(l, &as, shape);
    if (storage != few) free(storage);
    return found;
}

device_kernel *device_tree_kernel(const device_loop *l, const ir_param *param)
{
    uint64_t key = hash_bytes(CODEGEN_TREE_NAME, strlen(CODEGEN_TREE_NAME),
                              (uint64_t)param->type * 16 + (uint64_t)ir_reduction_op(param));
    device_kernel *found = find(l->d, key);
    if (found) return found;
    text source = {0};
    codegen_tree_text(&source, param, l->d->language);
    found = make(l, key, CODEGEN_TREE_NAME, &source);
    text_free(&source);
    return found;
}

device_kernel *device_fill_kernel(const device_loop *l, kata_type storage, const char *name)
{
    uint64_t key = hash_bytes(name, strlen(name), (uint64_t)storage);
    device_kernel *found = find(l->d, key);
    if (found) return found;
    text source = {0};
    codegen_fill_text(&source, storage, l->d->language);
    found = make(l, key, name, &source);
    text_free(&source);
    return found;
}

void device_functions_free(struct exec_device *d)
{
    for (size_t i = 0; i < d->function_count; i++) device_unload(d->device, d->functions[i].module);
    free(d->functions);
}
