/* Points that are run one by one, by their graph: near sides, where kernels read so far out that
 * copies of all that lies between would be much larger than the grid. What is read and written
 * outside is found by the boundary rules, element by element. */
#include "sweep/reductions.h"

static bool has_color(const chain_loop *loop, const int64_t point[3])
{
    int64_t sum = point[0] + point[1] + point[2];
    if (loop->colors <= 1) return true;
    return (sum % loop->colors + loop->colors) % loop->colors == loop->color;
}

static void store_field(const sweep_loop *l, const ir_store *s, const int64_t point[3],
                        ir_value value)
{
    const ir_param *param = &l->loop->kernel->params[s->param];
    store_array *array = l->fields[s->param].array;
    int view = codegen_store_index(l->loop->kernel, s->param) + s->component;
    ir_value element = {0};
    int64_t index[3], target[3];
    for (int d = 0; d < 3; d++) index[d] = ir_param_index(param, d, point[d]) + s->offset[d];
    ir_storage_write(array->type, param->type, value, &element);
    const sweep_edge *edge = l->edge_of_view[view];
    if (!edge || !edge->written)
        store_set_element(array, s->component, index, element);
    else if (sweep_edge_target(edge, index, target))
        store_set_element(array, s->component, target, element);
}

/* Combines a contribution with that of the lane in which the point belongs. */
static void reduce(const sweep_loop *l, const sweep_share *share, const ir_store *s,
                   const int64_t point[3], ir_value value)
{
    const ir_param *param = &l->loop->kernel->params[s->param];
    const abi_view *view =
        &share->views[codegen_view_index(l->loop->kernel, s->param) + s->component];
    bool rows = l->along_x || codegen_adds_rows(l->loop->kernel, s->param);
    int64_t x = rows ? point[0] : sweep_brick(point[0]) * ABI_LANES + (point[0] & (ABI_LANES - 1));
    size_t bytes = (size_t)ir_types[param->type].bytes;
    int64_t element = x + point[1] * view->y + point[2] * view->z;
    void *lane = (void *)((uintptr_t)view->origin + (uintptr_t)(element * (int64_t)bytes));
    ir_value old = {0};
    memcpy(&old, lane, bytes);
    value = ir_reduce(param, old, value);
    memcpy(lane, &value, bytes);
}

/* Runs a point; *fails: a check does, and nothing was written. */
static bool run_point(const sweep_loop *l, const int64_t point[3], sweep_share *share, bool *fails)
{
    const ir_kernel *kernel = l->loop->kernel;
    if (!has_color(l->loop, point)) return true;
    const ir_value *values = sweep_evaluate(l, share, point, false);
    if (!values) return false;
    *fails = kernel->valid && !values[kernel->valid].i32;
    if (*fails) {
        memcpy(share->failure.point, point, sizeof share->failure.point);
        return sweep_fault_note(l, share, false);
    }
    sweep_add_to_bins(l, share, point, values);
    for (int i = 0; i < kernel->store_count; i++) {
        const ir_store *s = &kernel->stores[i];
        if (s->condition && !values[s->condition].i32) continue;
        if (ir_param_is_reduction(&kernel->params[s->param]))
            reduce(l, share, s, point, values[s->value]);
        else
            store_field(l, s, point, values[s->value]);
    }
    return true;
}

/* The dimensions from the outermost to the innermost: those of levels that run in order, then the
 * others as points are ordered. */
static void find_order(const ir_kernel *kernel, int order[3])
{
    int count = 0;
    for (int d = 2; d >= 0; d--)
        if (kernel->order[d]) order[count++] = d;
    for (int d = 2; d >= 0; d--)
        if (!kernel->order[d]) order[count++] = d;
}

bool sweep_run_points(const sweep_loop *l, const grid_box *box, sweep_share *share)
{
    int order[3];
    bool fails = false;
    int64_t point[3], at[3], count[3];
    find_order(l->loop->kernel, order);
    for (int k = 0; k < 3; k++) count[k] = box->hi[order[k]] - box->lo[order[k]];
    for (at[0] = 0; at[0] < count[0]; at[0]++)
        for (at[1] = 0; at[1] < count[1]; at[1]++)
            for (at[2] = 0; at[2] < count[2] && !fails; at[2]++) {
                for (int k = 0; k < 3; k++) {
                    bool down = l->loop->kernel->order[order[k]] == IR_BACKWARD;
                    point[order[k]] = box->lo[order[k]] + (down ? count[k] - 1 - at[k] : at[k]);
                }
                if (!run_point(l, point, share, &fails)) return false;
            }
    return true;
}
