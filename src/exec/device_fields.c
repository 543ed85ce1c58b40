/* The fields of a loop on a device. */
#include "exec/device_rings.h"

#include <stdlib.h>
#include <string.h>

/* Makes a copy. Where memory is out, what is kept for reductions goes, and then fields go home,
 * those first that were used longest ago. */
static bool make_copy(const device_loop *l, chain_slot *slot, const grid_box *touched)
{
    bool made = store_device_make(&l->d->copies, slot, touched);
    if (!made && device_is_full(l->d->device)) {
        device_make_room(l->d);
        made = store_device_make(&l->d->copies, slot, touched);
    }
    while (!made && device_is_full(l->d->device) && device_send_home_oldest(l->d))
        made = store_device_make(&l->d->copies, slot, touched);
    return made;
}

/* A ring has its planes already. */
static kata_status bring_ring(const device_loop *l, int p)
{
    if (store_device_holds(l->loop->bindings[p].slot, &l->ready->touched[p])) return KATA_OK;
    return message_fail(l->m, KATA_ERROR_INTERNAL,
                        "planes on a device are not those that kernel '%s' reads; please report "
                        "this as a defect of Katagami",
                        l->loop->kernel->name);
}

/* A copy reads and writes what is stored, also where rules hide it. */
static kata_status bring_copy(const device_loop *l, int p)
{
    const chain_binding *b = &l->loop->bindings[p];
    const grid_box *touched = &l->ready->touched[p];
    grid_box inside = l->loop->copy ? *touched : chain_binding_inside(b);
    if (!store_device_holds(b->slot, touched) && !make_copy(l, b->slot, touched))
        return device_failed(l, "has no memory for a field of");
    b->slot->on_device->used = l->d->clock;
    return store_device_take(b->slot, &inside) ? KATA_OK
                                               : device_failed(l, "did not take a field of");
}

static kata_status bring_field(const device_loop *l, int p)
{
    const chain_binding *b = &l->loop->bindings[p];
    const grid_box *touched = &l->ready->touched[p];
    const store_device *on = b->slot->on_device;
    kata_status status = on && on->ring ? bring_ring(l, p) : bring_copy(l, p);
    if (status || l->loop->copy || l->loop->sparse) return status; /* they read nothing around */
    device_around around = {touched, l->ready->parts[p], l->ready->parts_key[p]};
    return device_fill(l, p, &around);
}

/* The field of a reduction is not read while the loop runs. */
static kata_status bring_result(const device_loop *l, int p)
{
    const chain_binding *b = &l->loop->bindings[p];
    const grid_box memory = store_device_memory(b->slot), inside = chain_binding_inside(b);
    if (!store_device_holds(b->slot, &memory) && !make_copy(l, b->slot, &memory))
        return device_failed(l, "has no memory for a field of");
    b->slot->on_device->used = l->d->clock;
    return store_device_take(b->slot, &inside) ? KATA_OK
                                               : device_failed(l, "did not take a field of");
}

kata_status device_bring_fields(const device_loop *l)
{
    kata_status status = KATA_OK;
    l->d->clock++; /* none of this loop's fields leaves */
    for (int p = 0; p < l->loop->kernel->param_count; p++)
        if (l->ready->firsts >> p & 1 && l->loop->bindings[p].slot->on_device)
            l->loop->bindings[p].slot->on_device->used = l->d->clock;
    for (int p = 0; p < l->loop->kernel->param_count && !status; p++)
        if (ir_param_is_column_reduction(&l->loop->kernel->params[p])) status = bring_result(l, p);
    for (int p = 0; p < l->loop->kernel->param_count && !status; p++)
        if (l->ready->firsts >> p & 1) status = bring_field(l, p);
    return status;
}

/* ---- levels ---------------------------------------------------------------------------------- */

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
        const bool sums = device_sums_around(&l->loop->bindings[p]); /* of all around the field */
        status = sums ? device_fill(l, p, &all) : fill_level(l, p);
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
