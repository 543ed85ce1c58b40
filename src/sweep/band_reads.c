/* How far the reads of a loop with an order along several dimensions lie from their points, where
 * boundary rules lead them, and whether bands may overlap as bands.c lets them: of its own plane a
 * point may find new what lies n rows before it, and at most n times the skew further along x; and
 * old what lies n rows behind it, and at most as much before it along x. */
#include "analysis/analysis.h"
#include "sweep/loop.h"

#include <stdlib.h>

enum { MOST = 64 /* distances along a dimension; larger ones are not looked into */ };

typedef struct distances {
    int64_t by[MOST];
    int count;
} distances;

static bool add(distances *found, int64_t by)
{
    for (int i = 0; i < found->count; i++)
        if (found->by[i] == by) return true;
    if (found->count == MOST) return false;
    found->by[found->count++] = by;
    return true;
}

/* Of the points lo to hi, whose reads leave the grid along a dimension. */
static bool add_outside(const chain_loop *loop, const ir_access *access, int d, int64_t lo,
                        int64_t hi, distances *found)
{
    const chain_binding *binding = &loop->bindings[access->param];
    grid_axis axis = chain_slot_axis(binding->slot, d);
    bool few = hi - lo <= MOST;
    for (int64_t i = lo; i < hi && few; i++) {
        grid_source source;
        if (!grid_boundary_map(binding->boundary, d, &axis, i + access->offset[d], &source) ||
            source.is_constant)
            continue;
        for (int k = 0; k < (source.weights ? source.count : 1) && few; k++)
            few = add(found, source.index + (int64_t)k * source.step - i);
    }
    return few;
}

static bool find_distances(const chain_loop *loop, const ir_access *access, const grid_box *need,
                           int d, distances *found)
{
    grid_box inside = chain_binding_inside(&loop->bindings[access->param]);
    int64_t low = inside.lo[d] - access->offset[d], high = inside.hi[d] - access->offset[d];
    found->count = 0;
    return add(found, access->offset[d]) &&
           add_outside(loop, access, d, need->lo[d], smaller(need->hi[d], low), found) &&
           add_outside(loop, access, d, larger(need->lo[d], high), need->hi[d], found);
}

/* Whether bands may overlap although a point reads another so far away, seen along the orders. */
static bool holds(const ir_kernel *kernel, const int64_t by[3])
{
    int64_t skew = codegen_is_skewed(kernel, false) ? codegen_skew(kernel) : 0;
    for (int d = 0; d < 3; d++)
        if (by[d] && !kernel->order[d]) return false;
    if (by[2] || !by[1]) return true;
    return by[1] < 0 ? by[0] <= skew * -by[1] : -by[0] <= skew * by[1];
}

static bool all_hold(const ir_kernel *kernel, const distances along[3], int64_t reach[3])
{
    bool hold = true;
    for (int z = 0; z < along[2].count; z++)
        for (int y = 0; y < along[1].count; y++)
            for (int x = 0; x < along[0].count && hold; x++) {
                int64_t by[3] = {along[0].by[x], along[1].by[y], along[2].by[z]};
                for (int d = 0; d < 3; d++) {
                    reach[d] = larger(reach[d], llabs(by[d]));
                    if (kernel->order[d] == IR_BACKWARD) by[d] = -by[d];
                }
                hold = holds(kernel, by);
            }
    return hold;
}

static bool is_written(const sweep_loop *l, int param)
{
    const ir_kernel *kernel = l->loop->kernel;
    for (int p = 0; p < kernel->param_count; p++)
        if (ir_param_is_written_field(&kernel->params[p]) &&
            l->fields[p].first == l->fields[param].first)
            return true;
    return false;
}

static bool access_holds(const sweep_loop *l, const ir_access *access, const grid_box *need,
                         int64_t reach[3])
{
    static const ir_param plain;
    distances along[3];
    if (!is_written(l, access->param) || grid_box_is_empty(need)) return true;
    if (!ir_param_same_mapping(&l->loop->kernel->params[access->param], &plain)) return false;
    for (int d = 0; d < 3; d++)
        if (!find_distances(l->loop, access, need, d, &along[d])) return false;
    return all_hold(l->loop->kernel, along, reach);
}

bool sweep_bands_overlap(const sweep_loop *l, int64_t reach[3])
{
    const ir_kernel *kernel = l->loop->kernel;
    arena memory = {0};
    const grid_box *needs = analysis_needs(l->loop, &memory);
    bool hold = needs;
    memset(reach, 0, sizeof(int64_t[3]));
    for (int i = 0; i < kernel->access_count && hold; i++)
        hold = access_holds(l, &kernel->accesses[i], &needs[i], reach);
    arena_free(&memory);
    return hold;
}
