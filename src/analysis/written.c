/* The indices that loops surely write: a box without all indices that they may not write. */
#include "analysis/analysis.h"

bool analysis_writes_whole(const chain_loop *loop, int param)
{
    const ir_kernel *kernel = loop->kernel;
    if (ir_param_is_column_reduction(&kernel->params[param]))
        return !kernel->params[param].accumulates;
    if (!ir_param_is_written_field(&kernel->params[param]) || loop->colors > 1) return false;
    int written = 0;
    for (int i = 0; i < kernel->store_count; i++)
        written += kernel->stores[i].param == param && !kernel->stores[i].condition;
    return written == loop->bindings[param].slot->components *
                          ir_param_children_in(&kernel->params[param], loop->shape.rank);
}

/* The indices that a store surely writes; of a finer field, together with the stores to the other
 * children. Writes that periodic sides bring back count if they cover the whole dimension. */
static grid_box written_by(const chain_loop *loop, const ir_store *store)
{
    const chain_binding *binding = &loop->bindings[store->param];
    const ir_param *param = &loop->kernel->params[store->param];
    grid_box inside = chain_binding_inside(binding);
    int32_t first[3], last[3];
    for (int d = 0; d < 3; d++) {
        first[d] = param->finer[d] ? 0 : store->offset[d];
        last[d] = param->finer[d] ? param->finer[d] - 1 : store->offset[d];
    }
    grid_box box = analysis_touched(param, first, last, &loop->box);
    for (int d = 0; d < 3; d++) {
        bool leaves = box.lo[d] < inside.lo[d] || box.hi[d] > inside.hi[d];
        bool all = box.hi[d] - box.lo[d] >= inside.hi[d] - inside.lo[d];
        if (!leaves || !all || !grid_boundary_is_periodic(binding->boundary, d)) continue;
        box.lo[d] = inside.lo[d];
        box.hi[d] = inside.hi[d];
    }
    return grid_box_intersect(&box, &inside);
}

grid_box analysis_surely_written(const chain_loop *loop, int p)
{
    const ir_kernel *kernel = loop->kernel;
    grid_box written = chain_binding_inside(&loop->bindings[p]);
    for (int i = 0; i < kernel->store_count; i++) {
        if (kernel->stores[i].param != p) continue;
        grid_box box = written_by(loop, &kernel->stores[i]);
        written = grid_box_intersect(&written, &box);
    }
    return written;
}

bool analysis_writes_all(const chain_loop *loop, int param)
{
    if (!analysis_writes_whole(loop, param)) return false;
    const chain_binding *binding = &loop->bindings[param];
    grid_box all = chain_slot_points(binding->slot, binding->boundary);
    grid_box written = analysis_surely_written(loop, param);
    return grid_box_contains(&written, &all);
}
