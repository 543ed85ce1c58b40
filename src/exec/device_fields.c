/* The fields of a loop on a device. */
#include "exec/on_device.h"

#include "analysis/analysis.h"

/* Widens a box to the indices that a loop's points touch of a field parameter. */
static grid_box widen(const chain_loop *loop, int param, grid_box all)
{
    const ir_kernel *kernel = loop->kernel;
    const ir_param *p = &kernel->params[param];
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *a = &kernel->accesses[i];
        if (a->param != param) continue;
        grid_box box = analysis_touched(p, a->offset, a->offset, &loop->box);
        all = grid_box_hull(&all, &box);
    }
    for (int i = 0; i < kernel->store_count; i++) {
        const ir_store *s = &kernel->stores[i];
        if (s->param != param) continue;
        grid_box box = analysis_touched(p, s->offset, s->offset, &loop->box);
        all = grid_box_hull(&all, &box);
    }
    return all;
}

grid_box device_touched(const chain_loop *loop, int param)
{
    grid_box all = chain_slot_memory(loop->bindings[param].slot);
    return loop->copy ? all : widen(loop, param, all);
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

/* A copy reads and writes what is stored, also where rules hide it. */
static kata_status bring_field(const device_loop *l, int p)
{
    const chain_binding *b = &l->loop->bindings[p];
    const grid_box *touched = &l->ready->touched[p];
    grid_box inside = l->loop->copy ? *touched : chain_binding_inside(b);
    if (!store_device_holds(b->slot, touched) && !store_device_make(l->d->device, b->slot, touched))
        return device_failed(l, "has no memory for a field of");
    if (!store_device_take(b->slot, &inside)) return device_failed(l, "did not take a field of");
    return l->loop->copy ? KATA_OK : device_fill(l, p, touched);
}

kata_status device_bring_fields(const device_loop *l)
{
    kata_status status = KATA_OK;
    for (int p = 0; p < l->loop->kernel->param_count && !status; p++)
        if (l->ready->firsts >> p & 1) status = bring_field(l, p);
    return status;
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* What a loop touches of the field of a parameter, also by others. Sums need all around it. */
static grid_box touched_by_level(const device_loop *l, int param)
{
    static const grid_box none = {{0, 0, 0}, {0, 0, 0}};
    const chain_loop *loop = l->loop;
    grid_box all = none;
    for (int side = 0; side < 6; side++)
        if (loop->bindings[param].boundary->side[side].rule == KATA_LINEAR)
            return l->ready->touched[param];
    for (int p = 0; p < loop->kernel->param_count; p++)
        if (ir_param_is_field(&loop->kernel->params[p]) &&
            loop->bindings[p].slot == loop->bindings[param].slot)
            all = widen(loop, p, all);
    return all;
}

kata_status device_fill_level(const device_loop *l)
{
    kata_status status = KATA_OK;
    for (int p = 0; p < l->loop->kernel->param_count && !status; p++) {
        if (!(l->ready->firsts >> p & 1)) continue;
        grid_box touched = touched_by_level(l, p);
        status = device_fill(l, p, &touched);
    }
    return status;
}
