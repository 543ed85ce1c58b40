/* The indices that a loop touches on a device. */
#include "exec/on_device.h"

#include "analysis/analysis.h"

grid_box device_widen(const chain_loop *loop, int param, grid_box all)
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

bool device_accessed(const chain_loop *loop, int param, grid_box *all)
{
    static const grid_box none = {{0, 0, 0}, {0, 0, 0}};
    *all = device_widen(loop, param, none);
    return !grid_box_is_empty(all);
}

grid_box device_touched(const chain_loop *loop, int param)
{
    const chain_slot *slot = loop->bindings[param].slot;
    grid_box box, all = store_device_memory(slot);
    if (loop->copy) return all;
    device_accessed(loop, param, &box);
    return slot->on_device && slot->on_device->ring ? box : grid_box_hull(&all, &box);
}

grid_box device_wrapped(const chain_loop *loop, int param, const grid_box *box,
                        const uint64_t wraps[3])
{
    grid_box wrapped = *box;
    for (int d = 0; d < 3; d++) {
        const bool leaves = box->lo[d] < 0 || box->hi[d] > loop->shape.size[d];
        if (!leaves || !(wraps[d] >> param & 1)) continue;
        wrapped.lo[d] = 0;
        wrapped.hi[d] = loop->shape.size[d];
    }
    return wrapped;
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

/* Widens what is touched of a component; an empty box is of nothing yet. */
static void add_part(grid_box *all, const grid_box *box)
{
    *all = grid_box_is_empty(all) ? *box : grid_box_hull(all, box);
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
