/* Kernels for a device: compiled when they are first needed, kept in the cache folder. */
#include "exec/on_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---------------------------------------------------------------------------------- */

static device_kernel *find_loaded(const struct exec_device *d, uint64_t key)
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

device_kernel *device_making_find(const device_loop *l, device_making *made)
{
    device_kernel *kernel = find_loaded(l->d, made->key);
    text basis = {0};
    if (kernel || made->source.failed) return kernel;
    text_add(&basis, "%s\n%s\n%s", KATA_VERSION, device_compiler(l->d->device),
             text_get(&made->source));
    if (!basis.failed) hash_hex(basis.data, basis.length, made->hash);
    if (!basis.failed &&
        jit_binary_read(l->context->jit, made->hash, &made->binary.bytes, &made->binary.count))
        kernel = load(l, made); /* what another driver has kept may not load */
    forget_binary(made);
    made->source.failed = basis.failed;
    text_free(&basis);
    return kernel;
}

device_kernel *device_making_end(const device_loop *l, device_making *made)
{
    device_kernel *kernel = made->binary.bytes ? load(l, made) : NULL;
    if (kernel)
        jit_binary_write(l->context->jit, made->hash, made->binary.bytes, made->binary.count);
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

/* The kernel: loaded, from the cache, or compiled now; and frees what it is made of. */
static device_kernel *make(const device_loop *l, device_making *made)
{
    device_kernel *kernel = device_making_find(l, made);
    if (!kernel && made->source.failed) {
        message_no_memory(l->m);
    } else if (!kernel) {
        if (device_compile(l->d->device, text_get(&made->source), &made->binary, &made->log))
            kernel = device_making_end(l, made);
        if (!kernel) report(l, made);
    }
    device_making_free(made);
    return kernel;
}

/* ---- loops ----------------------------------------------------------------------------------- */

bool device_is_apart(const chain_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    for (int p = 0; p < kernel->param_count; p++)
        for (int q = 0; q < p; q++)
            if (ir_param_is_field(&kernel->params[p]) && ir_param_is_field(&kernel->params[q]) &&
                loop->bindings[p].slot == loop->bindings[q].slot)
                return false;
    return true;
}

/* The largest number that is reckoned with in the memory of a component. */
static int64_t last_element(const store_device *on)
{
    const abi_place *place = &on->place;
    return larger(place->component, larger(on->room.hi[1] * place->y, on->room.hi[2] * place->z));
}

bool device_is_wide(const chain_loop *loop)
{
    enum { MOST = 1 << 30 };
    bool wide = false;
    for (int d = 0; d < 3; d++) wide = wide || loop->shape.size[d] >= MOST;
    for (int p = 0; p < loop->kernel->param_count; p++) {
        if (!ir_param_is_field(&loop->kernel->params[p])) continue;
        const chain_slot *slot = loop->bindings[p].slot;
        grid_box memory = chain_slot_memory(slot);
        wide = wide ||
               (slot->on_device ? last_element(slot->on_device) : grid_box_points(&memory)) >= MOST;
    }
    return wide;
}

static void begin_as(const device_loop *l, const codegen_loop *as, codegen_shape *shape,
                     device_making *out)
{
    *shape = device_shape_of(l, as, device_is_wide(l->loop));
    shape->far = device_is_far(l);
    codegen_name(as, out->name);
    const int64_t made[] = {shape->vector, shape->chunk, shape->along, shape->wide, shape->far};
    out->key = hash_bytes(made, sizeof made, hash_bytes(out->name, strlen(out->name), as->apart));
    if (!find_loaded(l->d, out->key)) codegen_device_text(&out->source, as, shape, l->d->language);
}

bool device_begin_kernel(const device_loop *l, codegen_shape *shape, device_making *out)
{
    const ir_kernel *kernel = l->loop->kernel;
    enum { MOST = 64 };
    kata_type few[MOST], *storage = few;
    *out = (device_making){.key = 0};
    if (kernel->param_count > MOST) storage = calloc((size_t)kernel->param_count, sizeof *storage);
    for (int p = 0; p < kernel->param_count && storage; p++)
        storage[p] =
            ir_param_is_field(&kernel->params[p]) ? l->loop->bindings[p].slot->type : KATA_F64;
    if (!storage) return false;
    codegen_loop as = {.kernel = kernel,
                       .storage = storage,
                       .colored = l->loop->colors > 1,
                       .apart = device_is_apart(l->loop),
                       .without = l->context->without};
    begin_as(l, &as, shape, out);
    if (storage != few) free(storage);
    return true;
}

device_kernel *device_kernel_of(const device_loop *l, codegen_shape *shape)
{
    device_making made;
    if (device_begin_kernel(l, shape, &made)) return make(l, &made);
    message_no_memory(l->m);
    return NULL;
}

/* ---- what runs beside loops ------------------------------------------------------------------ */

void device_begin_tree(const device_loop *l, const ir_param *param, device_making *out)
{
    *out = (device_making){.name = CODEGEN_TREE_NAME};
    out->key = hash_bytes(CODEGEN_TREE_NAME, strlen(CODEGEN_TREE_NAME),
                          (uint64_t)param->type * 16 + (uint64_t)ir_reduction_op(param));
    if (!find_loaded(l->d, out->key)) codegen_tree_text(&out->source, param, l->d->language);
}

device_kernel *device_tree_kernel(const device_loop *l, const ir_param *param)
{
    device_making made;
    device_begin_tree(l, param, &made);
    return make(l, &made);
}

void device_begin_fill(const device_loop *l, kata_type storage, const char *name,
                       device_making *out)
{
    *out = (device_making){.key = hash_bytes(name, strlen(name), (uint64_t)storage)};
    snprintf(out->name, sizeof out->name, "%s", name);
    if (!find_loaded(l->d, out->key)) codegen_fill_text(&out->source, storage, l->d->language);
}

device_kernel *device_fill_kernel(const device_loop *l, kata_type storage, const char *name)
{
    device_making made;
    device_begin_fill(l, storage, name, &made);
    return make(l, &made);
}

device_kernel *device_copy_kernel(const device_loop *l, int bytes)
{
    device_making made = {.name = CODEGEN_COPY_NAME};
    made.key = hash_bytes(CODEGEN_COPY_NAME, strlen(CODEGEN_COPY_NAME), (uint64_t)bytes);
    if (!find_loaded(l->d, made.key)) codegen_copy_text(&made.source, bytes, l->d->language);
    return make(l, &made);
}

void device_functions_free(struct exec_device *d)
{
    for (size_t i = 0; i < d->function_count; i++) device_unload(d->device, d->functions[i].module);
    free(d->functions);
}
