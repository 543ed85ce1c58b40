/* The indices that a kernel reads around a point. */
#include "analysis/passing.h"

void analysis_add_offset(const int32_t offset[3], int32_t lo[3], int32_t hi[3])
{
    for (int d = 0; d < 3; d++) {
        if (offset[d] < lo[d]) lo[d] = offset[d];
        if (offset[d] > hi[d]) hi[d] = offset[d];
    }
}

/* Accesses are ordered by parameter and component. */
int analysis_reaches(const ir_kernel *kernel, analysis_reach *out)
{
    int count = 0;
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *access = &kernel->accesses[i];
        const int32_t *o = access->offset;
        if (count > 0 && out[count - 1].param == access->param &&
            out[count - 1].component == access->component)
            analysis_add_offset(o, out[count - 1].lo, out[count - 1].hi);
        else
            out[count++] = (analysis_reach){
                access->param, access->component, {o[0], o[1], o[2]}, {o[0], o[1], o[2]}};
    }
    return count;
}

grid_box analysis_touched(const ir_param *param, const int32_t lo[3], const int32_t hi[3],
                          const grid_box *from)
{
    grid_box touched = *from;
    if (grid_box_is_empty(from)) return touched;
    for (int d = 0; d < 3; d++) {
        touched.lo[d] = ir_param_index(param, d, from->lo[d]) + lo[d];
        touched.hi[d] = ir_param_index(param, d, from->hi[d] - 1) + hi[d] + 1;
    }
    return touched;
}

grid_box analysis_touched_by(const chain_loop *loop, int p, const int32_t lo[3],
                             const int32_t hi[3], const grid_box *from)
{
    bool copied = loop->copy && p == CHAIN_COPY_FROM && !grid_box_is_empty(from);
    grid_box source = copied ? chain_copy_source(loop->copy, from) : *from;
    return analysis_touched(&loop->kernel->params[p], lo, hi, &source);
}

grid_box analysis_points_into(const ir_param *param, const int32_t offset[3], const grid_box *into,
                              const grid_box *from)
{
    grid_box points;
    for (int d = 0; d < 3; d++) {
        points.lo[d] = ir_param_point(param, d, into->lo[d] - offset[d]);
        points.hi[d] = ir_param_point(param, d, into->hi[d] - offset[d]);
    }
    return grid_box_intersect(from, &points);
}

/* The points of a box from which an offset leads into the field. */
static grid_box inside_at(const chain_loop *loop, const grid_box *box, int p,
                          const int32_t offset[3])
{
    grid_box inside = chain_binding_inside(&loop->bindings[p]);
    return analysis_points_into(&loop->kernel->params[p], offset, &inside, box);
}

grid_box analysis_interior(const chain_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    grid_box box = loop->box;
    for (int i = 0; i < kernel->access_count; i++)
        box = inside_at(loop, &box, kernel->accesses[i].param, kernel->accesses[i].offset);
    for (int i = 0; i < kernel->store_count; i++)
        if (ir_param_is_field(&kernel->params[kernel->stores[i].param]))
            box = inside_at(loop, &box, kernel->stores[i].param, kernel->stores[i].offset);
    return box;
}
