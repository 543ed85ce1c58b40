/* What a kernel reads around a point. */
#include "analysis/analysis.h"

static void widen(analysis_reach *reach, const int32_t offset[3])
{
    for (int d = 0; d < 3; d++) {
        if (offset[d] < reach->lo[d]) reach->lo[d] = offset[d];
        if (offset[d] > reach->hi[d]) reach->hi[d] = offset[d];
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
            widen(&out[count - 1], o);
        else
            out[count++] = (analysis_reach){
                access->param, access->component, {o[0], o[1], o[2]}, {o[0], o[1], o[2]}};
    }
    return count;
}

/* The points of a box from which an offset leads into the grid. */
static grid_box inside_at(const chain_loop *loop, const grid_box *box, const int32_t offset[3])
{
    grid_box inside = grid_shape_box(&loop->shape);
    for (int d = 0; d < 3; d++) {
        inside.lo[d] -= offset[d];
        inside.hi[d] -= offset[d];
    }
    return grid_box_intersect(box, &inside);
}

grid_box analysis_interior(const chain_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    grid_box box = loop->box;
    for (int i = 0; i < kernel->access_count; i++)
        box = inside_at(loop, &box, kernel->accesses[i].offset);
    for (int i = 0; i < kernel->store_count; i++)
        box = inside_at(loop, &box, kernel->stores[i].offset);
    return box;
}
