/* What kernels a loop needs on a device. */
#include "exec/device_tune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

bool device_is_wide(const chain_loop *loop)
{
    enum { MOST = 1 << 30 };
    bool wide = false;
    for (int d = 0; d < 3; d++) wide = wide || loop->shape.size[d] >= MOST;
    for (int p = 0; p < loop->kernel->param_count; p++) {
        if (!ir_param_is_field(&loop->kernel->params[p])) continue;
        const chain_slot *slot = loop->bindings[p].slot;
        const store_device *on = slot->on_device;
        grid_box memory = store_device_memory(slot);
        if (!on) wide = wide || grid_box_points(&memory) >= MOST;
        if (on)
            wide = wide || on->place.component >= MOST || on->room.hi[2] * on->place.z >= MOST ||
                   on->room.hi[1] * on->place.y >= MOST;
    }
    return wide;
}

static bool begin_as(const device_loop *l, const codegen_loop *as, int way, device_making *out)
{
    bool wide = device_is_wide(l->loop);
    const struct device_tune *t = l->ready->tune;
    if (!t || t->wide != wide) t = device_tune_of(l, as, wide);
    if (!t) return false;
    const codegen_shape *shape = &t->ways[way < 0 ? t->best : way].shape;
    bool bricks = codegen_device_reduces(as);
    const int64_t made[] = {shape->vector,
                            shape->chunk,
                            shape->chunk > 1 ? shape->along : 0,
                            wide,
                            shape->far,
                            bricks || shape->tall ? shape->threads[0] : 0,
                            bricks || shape->tall ? shape->threads[1] : 0,
                            shape->tall};
    memcpy(out->name, t->name, sizeof out->name);
    out->key = hash_bytes(made, sizeof made, hash_bytes(out->name, strlen(out->name), as->apart));
    if (!device_find_loaded(l->d, out->key))
        codegen_device_text(&out->source, as, shape, l->d->language);
    return true;
}

bool device_begin_kernel(const device_loop *l, int way, device_making *out)
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
                       .without = l->context->without,
                       .wraps = {0, l->ready->wraps[1], l->ready->wraps[2]}};
    bool begun = begin_as(l, &as, way, out);
    if (storage != few) free(storage);
    return begun;
}

/* ---- what runs beside loops ------------------------------------------------------------------ */

void device_begin_tree(const device_loop *l, const ir_param *param, device_making *out)
{
    *out = (device_making){.name = CODEGEN_TREE_NAME};
    const int64_t of[] = {(int64_t)param->type, (int64_t)ir_reduction_op(param)};
    out->key = hash_bytes(of, sizeof of, hash_bytes(out->name, strlen(out->name), 0));
    if (!device_find_loaded(l->d, out->key)) codegen_tree_text(&out->source, param, l->d->language);
}

device_kernel *device_tree_kernel(const device_loop *l, const ir_param *param)
{
    device_making made;
    device_begin_tree(l, param, &made);
    return device_make(l, &made, true);
}

void device_begin_fill(const device_loop *l, kata_type storage, const char *name,
                       device_making *out)
{
    *out = (device_making){.key = hash_bytes(name, strlen(name), (uint64_t)storage)};
    snprintf(out->name, sizeof out->name, "%s", name);
    if (!device_find_loaded(l->d, out->key))
        codegen_fill_text(&out->source, storage, l->d->language);
}

device_kernel *device_fill_kernel(const device_loop *l, kata_type storage, const char *name)
{
    device_making made;
    device_begin_fill(l, storage, name, &made);
    return device_make(l, &made, true);
}

device_kernel *device_column_kernel(const device_loop *l, int param, const char *name)
{
    const ir_param *p = &l->loop->kernel->params[param];
    kata_type storage = ir_param_is_column_reduction(p) ? l->loop->bindings[param].slot->type
                                                        : ir_storage_of_type(p->type);
    device_making made = {.key = 0};
    const int64_t of[] = {(int64_t)p->type, (int64_t)p->kind, (int64_t)storage};
    made.key = hash_bytes(of, sizeof of, hash_bytes(name, strlen(name), 0));
    snprintf(made.name, sizeof made.name, "%s", name);
    if (!device_find_loaded(l->d, made.key))
        codegen_column_text(&made.source, p, storage, l->d->language);
    return device_make(l, &made, true);
}

device_kernel *device_copy_kernel(const device_loop *l, int bytes)
{
    device_making made = {.name = CODEGEN_COPY_NAME};
    made.key = hash_bytes(CODEGEN_COPY_NAME, strlen(CODEGEN_COPY_NAME), (uint64_t)bytes);
    if (!device_find_loaded(l->d, made.key)) codegen_copy_text(&made.source, bytes, l->d->language);
    return device_make(l, &made, true);
}
