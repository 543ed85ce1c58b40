/* Levels that run in order, their intervals, and the columns across them. */
#include "analysis/analysis.h"

int64_t analysis_bound_value(const chain_loop *loop, const ir_bound *bound)
{
    int64_t base = 0;
    if (bound->base == IR_BOUND_SIZE) base = loop->shape.size[loop->kernel->ordered];
    if (bound->base == IR_BOUND_PARAM) base = loop->bindings[bound->param].number.i32;
    return base + bound->shift;
}

analysis_span analysis_levels(const chain_loop *loop, const ir_interval *interval)
{
    int64_t size = loop->shape.size[loop->kernel->ordered];
    return (analysis_span){larger(0, analysis_bound_value(loop, &interval->lo)),
                           smaller(size, analysis_bound_value(loop, &interval->hi))};
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Whether a read finds no value that another column writes. */
static bool is_in_column(const chain_loop *loop, const ir_access *access)
{
    const ir_kernel *kernel = loop->kernel;
    bool beside = false;
    for (int d = 0; d < 3; d++) beside = beside || (d != kernel->ordered && access->offset[d]);
    for (int i = 0; i < kernel->store_count; i++) {
        const ir_store *s = &kernel->stores[i];
        bool same =
            ir_param_same_mapping(&kernel->params[access->param], &kernel->params[s->param]);
        if (loop->bindings[s->param].slot == loop->bindings[access->param].slot &&
            s->component == access->component && (beside || !same))
            return false;
    }
    return true;
}

static bool stays_inside(const chain_loop *loop, const ir_access *access, const grid_box *need)
{
    int d = loop->kernel->ordered;
    const ir_param *param = &loop->kernel->params[access->param];
    grid_box box = analysis_touched(param, access->offset, access->offset, need);
    grid_box inside = chain_binding_inside(&loop->bindings[access->param]);
    return grid_box_is_empty(need) || (box.lo[d] >= inside.lo[d] && box.hi[d] <= inside.hi[d]);
}

bool analysis_stays_on_levels(const chain_loop *loop)
{
    arena memory = {0};
    const grid_box *needs = analysis_needs(loop, &memory);
    bool inside = needs;
    for (int i = 0; i < loop->kernel->access_count && inside; i++)
        inside = stays_inside(loop, &loop->kernel->accesses[i], &needs[i]);
    arena_free(&memory);
    return inside;
}

bool analysis_has_columns(const chain_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    if (!kernel->direction || ir_orders_several(kernel) || loop->colors > 1) return false;
    for (int i = 0; i < kernel->access_count; i++)
        if (!is_in_column(loop, &kernel->accesses[i])) return false;
    return analysis_stays_on_levels(loop);
}
