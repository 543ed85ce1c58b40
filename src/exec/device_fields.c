/* The fields of a loop on a device. */
#include "exec/on_device.h"

#include "analysis/analysis.h"

#include <stdlib.h>

/* Widens a box to some indices; an empty box is of nothing yet. */
static void add_part(grid_box *all, const grid_box *box)
{
    *all = grid_box_is_empty(all) ? *box : grid_box_hull(all, box);
}

bool device_accessed(const chain_loop *loop, int param, grid_box *all)
{
    const ir_kernel *kernel = loop->kernel;
    const ir_param *p = &kernel->params[param];
    *all = (grid_box){{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *a = &kernel->accesses[i];
        if (a->param != param) continue;
        grid_box box = analysis_touched(p, a->offset, a->offset, &loop->box);
        add_part(all, &box);
    }
    for (int i = 0; i < kernel->store_count; i++) {
        const ir_store *s = &kernel->stores[i];
        if (s->param != param) continue;
        grid_box box = analysis_touched(p, s->offset, s->offset, &loop->box);
        add_part(all, &box);
    }
    return !grid_box_is_empty(all);
}

grid_box device_touched(const chain_loop *loop, int param)
{
    const chain_slot *slot = loop->bindings[param].slot;
    grid_box box, all = chain_slot_memory(slot);
    if (loop->copy || !device_accessed(loop, param, &box)) return all;
    return slot->on_device && slot->on_device->ring ? box : grid_box_hull(&all, &box);
}

grid_box device_wrapped(const chain_loop *loop, const grid_box *box)
{
    grid_box row = *box;
    if (row.lo[0] >= 0 && row.hi[0] <= loop->shape.size[0]) return row;
    row.lo[0] = 0;
    row.hi[0] = loop->shape.size[0];
    return row;
}

/* The first parameter that is given the same field. */
static int first_of(const chain_loop *loop, int param)
{
    int first = 0;
    while (!ir_param_is_field(&loop->kernel->params[first]) ||
           loop->bindings[first].slot != loop->bindings[param].slot)
        first++;
    return first;
}

/* What all parameters touch that are given the field. */
static grid_box touched_by_all(const chain_loop *loop, int param)
{
    grid_box all = device_touched(loop, param);
    for (int p = param + 1; p < loop->kernel->param_count; p++) {
        bool same = ir_param_is_field(&loop->kernel->params[p]) &&
                    loop->bindings[p].slot == loop->bindings[param].slot;
        grid_box box = same ? device_touched(loop, p) : all;
        all = grid_box_hull(&all, &box);
    }
    return all;
}

bool device_touched_first(const chain_loop *loop, int param, grid_box *touched)
{
    if (!ir_param_is_field(&loop->kernel->params[param]) || first_of(loop, param) != param)
        return false;
    *touched = touched_by_all(loop, param);
    return true;
}

void device_touched_parts(const chain_loop *loop, int param, grid_box *parts)
{
    const ir_kernel *kernel = loop->kernel;
    const chain_slot *slot = loop->bindings[param].slot;
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *a = &kernel->accesses[i];
        if (loop->bindings[a->param].slot != slot) continue;
        grid_box box =
            analysis_touched(&kernel->params[a->param], a->offset, a->offset, &loop->box);
        add_part(&parts[a->component], &box);
    }
    for (int i = 0; i < kernel->store_count; i++) {
        const ir_store *s = &kernel->stores[i];
        if (loop->bindings[s->param].slot != slot) continue;
        grid_box box =
            analysis_touched(&kernel->params[s->param], s->offset, s->offset, &loop->box);
        add_part(&parts[s->component], &box);
    }
}

uint64_t device_parts_key(const grid_box *parts, int components)
{
    return hash_bytes(parts, (size_t)components * sizeof *parts, (uint64_t)components);
}

/* Makes a copy; those that were used longest ago go home where memory is out. */
static bool make_copy(const device_loop *l, chain_slot *slot, const grid_box *touched)
{
    bool made = store_device_make(&l->d->copies, slot, touched);
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
    if (status || l->loop->copy) return status;
    device_around around = {touched, l->ready->parts[p], l->ready->parts_key[p]};
    return device_fill(l, p, &around);
}

kata_status device_bring_fields(const device_loop *l)
{
    kata_status status = KATA_OK;
    l->d->clock++; /* none of this loop's fields leaves */
    for (int p = 0; p < l->loop->kernel->param_count; p++)
        if (l->ready->firsts >> p & 1 && l->loop->bindings[p].slot->on_device)
            l->loop->bindings[p].slot->on_device->used = l->d->clock;
    for (int p = 0; p < l->loop->kernel->param_count && !status; p++)
        if (l->ready->firsts >> p & 1) status = bring_field(l, p);
    return status;
}

/* Copies the fields of a loop that runs on the CPU next, and says which it changes. */
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

/* ---- levels ---------------------------------------------------------------------------------- */

/* Sums need all that lies around a field. */
static bool sums_around(const chain_binding *b)
{
    bool sums = false;
    for (int side = 0; side < 6; side++) sums = sums || b->boundary->side[side].rule == KATA_LINEAR;
    return sums;
}

static void widen(const chain_loop *loop, int param, grid_box *all)
{
    grid_box box;
    if (device_accessed(loop, param, &box)) *all = grid_box_hull(all, &box);
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
            widen(loop, q, &touched);
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
