/* The fields of a loop on a device. */
#include "exec/on_device.h"

#include <stdlib.h>

/* A copy reads and writes what is stored, also where rules hide it. */
static kata_status bring_field(const device_loop *l, int p)
{
    const chain_binding *b = &l->loop->bindings[p];
    const grid_box *touched = &l->ready->touched[p];
    grid_box inside = l->loop->copy ? *touched : chain_binding_inside(b);
    if (!store_device_holds(b->slot, touched) && !store_device_make(l->d->device, b->slot, touched))
        return device_failed(l, "has no memory for a field of");
    if (!store_device_take(b->slot, &inside)) return device_failed(l, "did not take a field of");
    device_around around = {touched, l->ready->parts[p], l->ready->parts_key[p]};
    return l->loop->copy ? KATA_OK : device_fill(l, p, &around);
}

kata_status device_bring_fields(const device_loop *l)
{
    kata_status status = KATA_OK;
    for (int p = 0; p < l->loop->kernel->param_count && !status; p++)
        if (l->ready->firsts >> p & 1) status = bring_field(l, p);
    return status;
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* Sums need all that lies around a field. */
static bool sums_around(const chain_binding *b)
{
    bool sums = false;
    for (int side = 0; side < 6; side++) sums = sums || b->boundary->side[side].rule == KATA_LINEAR;
    return sums;
}

/* Fills around a field what the level touches of it. */
static kata_status fill_level(const device_loop *l, int p)
{
    static const grid_box none = {{0, 0, 0}, {0, 0, 0}};
    const chain_loop *loop = l->loop;
    int components = loop->bindings[p].slot->components;
    grid_box touched = none, *parts = calloc((size_t)components, sizeof *parts);
    if (!parts) return message_no_memory(l->m);
    for (int q = 0; q < loop->kernel->param_count; q++)
        if (ir_param_is_field(&loop->kernel->params[q]) &&
            loop->bindings[q].slot == loop->bindings[p].slot)
            touched = device_widen(loop, q, touched);
    device_touched_parts(loop, p, parts);
    device_around around = {&touched, parts, device_parts_key(parts, components)};
    kata_status status = device_fill(l, p, &around);
    free(parts);
    return status;
}

kata_status device_fill_level(const device_loop *l)
{
    kata_status status = KATA_OK;
    for (int p = 0; p < l->loop->kernel->param_count && !status; p++) {
        if (!(l->ready->firsts >> p & 1)) continue;
        device_around all = {&l->ready->touched[p], l->ready->parts[p], l->ready->parts_key[p]};
        status = sums_around(&l->loop->bindings[p]) ? device_fill(l, p, &all) : fill_level(l, p);
    }
    return status;
}

kata_status device_bring_home(const device_loop *l)
{
    const ir_kernel *kernel = l->loop->kernel;
    for (int p = 0; p < kernel->param_count; p++) {
        chain_slot *slot = l->loop->bindings[p].slot;
        if (!slot || !slot->on_device) continue;
        if (!store_device_bring_home(slot)) return device_failed(l, "gave no values of a field of");
        if (kernel->params[p].kind != IR_PARAM_IN) store_device_forget(slot);
    }
    return KATA_OK;
}
