/* The fields of a loop on a device. */
#include "exec/on_device.h"

#include "analysis/analysis.h"

static void widen(grid_box *all, bool *some, const ir_param *p, const int32_t offset[3],
                  const grid_box *points)
{
    grid_box box = analysis_touched(p, offset, offset, points);
    *all = *some ? grid_box_hull(all, &box) : box;
    *some = true;
}

bool device_accessed(const chain_loop *loop, int param, grid_box *all)
{
    const ir_kernel *kernel = loop->kernel;
    const ir_param *p = &kernel->params[param];
    bool some = false;
    for (int i = 0; i < kernel->access_count; i++)
        if (kernel->accesses[i].param == param)
            widen(all, &some, p, kernel->accesses[i].offset, &loop->box);
    for (int i = 0; i < kernel->store_count; i++)
        if (kernel->stores[i].param == param)
            widen(all, &some, p, kernel->stores[i].offset, &loop->box);
    return some;
}

grid_box device_touched(const chain_loop *loop, int param)
{
    const chain_slot *slot = loop->bindings[param].slot;
    grid_box box, all = chain_slot_memory(slot);
    if (!device_accessed(loop, param, &box)) return all;
    return slot->on_device && slot->on_device->ring ? box : grid_box_hull(&all, &box);
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

/* Makes a copy; those that were used longest ago go home where memory is out. */
static bool make_copy(const device_loop *l, chain_slot *slot, const grid_box *touched)
{
    bool made = store_device_make(&l->d->copies, slot, touched);
    while (!made && device_is_full(l->d->device) && device_send_home_oldest(l->d))
        made = store_device_make(&l->d->copies, slot, touched);
    return made;
}

/* Of the planes that a loop may read, those are filled that it needs. */
static kata_status fill_ring(const device_loop *l, int p, const grid_box *touched)
{
    const chain_slot *slot = l->loop->bindings[p].slot;
    grid_box box = grid_box_intersect(touched, &slot->on_device->own);
    if (!store_device_holds(slot, touched))
        return message_fail(l->m, KATA_ERROR_INTERNAL,
                            "planes on a device are not those that kernel '%s' reads; please report "
                            "this as a defect of Katagami",
                            l->loop->kernel->name);
    return device_fill(l, p, &box);
}

static kata_status bring_field(const device_loop *l, int p)
{
    const chain_binding *b = &l->loop->bindings[p];
    const grid_box *touched = &l->ready->touched[p];
    grid_box inside = chain_binding_inside(b);
    if (b->slot->on_device && b->slot->on_device->ring) return fill_ring(l, p, touched);
    if (!store_device_holds(b->slot, touched) && !make_copy(l, b->slot, touched))
        return device_failed(l, "has no memory for a field of");
    b->slot->on_device->used = l->d->clock;
    if (!store_device_take(b->slot, &inside)) return device_failed(l, "did not take a field of");
    return device_fill(l, p, touched);
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
