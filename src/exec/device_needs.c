/* How much memory of a device the loops of a chain need. */
#include "exec/device_points.h"
#include "exec/on_device.h"

#include <stdlib.h>

/* ---- reductions ------------------------------------------------------------------------------ */

/* How many stores of a loop reduce; of them, those into fields. */
typedef struct stores {
    int64_t all, fields;
} stores;

static stores reductions_of(const chain_loop *loop)
{
    stores count = {0, 0};
    for (int i = 0; i < loop->kernel->store_count; i++) {
        const ir_param *param = &loop->kernel->params[loop->kernel->stores[i].param];
        count.all += ir_param_is_reduction(param) || ir_param_is_column_reduction(param);
        count.fields += ir_param_is_column_reduction(param);
    }
    return count;
}

/* Of the partials of a row. */
static int64_t row_bytes(const grid_box *box)
{
    return (sweep_brick(box->hi[0] - 1) + 1 - sweep_brick(box->lo[0])) * (int64_t)sizeof(ir_value);
}

/* Bytes that a loop's reductions take for points of a box; of these, each contributes by itself
 * where they are combined behind the loop (device_columns.c). */
static int64_t reduction_bytes(const chain_loop *loop, const grid_box *box)
{
    const int64_t rows = (box->hi[1] - box->lo[1]) * (box->hi[2] - box->lo[2]);
    const int64_t points = grid_box_points(box) * (int64_t)sizeof(ir_value);
    const stores count = reductions_of(loop);
    const int64_t own = codegen_device_collects(loop->kernel) ? count.all * points : 0;
    return own + count.fields * points + (count.all - count.fields) * rows * row_bytes(box);
}

static int64_t partials_of(const chain_loop *loop)
{
    const bool none = loop->once || grid_box_is_empty(&loop->box);
    if (loop->sparse) return device_sums_bytes(loop);
    return none ? 0 : reduction_bytes(loop, &loop->box);
}

int64_t device_plane_partials(const analysis_loop *l)
{
    grid_box box = l->loop->box;
    const int d = l->loop->shape.rank < 3 ? 1 : 2;
    if (l->loop->once || !l->reduces || grid_box_is_empty(&box)) return 0;
    if (l->loop->sparse) return device_plane_products(l->loop->sparse->points, d == 2);
    box.hi[d] = box.lo[d] + 1;
    return reduction_bytes(l->loop, &box);
}

/* ---- whole fields ---------------------------------------------------------------------------- */

/* Widens what a chain touches of its fields, by a loop; false when memory is out. */
static bool add_loop(struct exec_device *d, const chain_loop *loop, grid_box *touched)
{
    const device_ready *ready = device_ready_of(d, loop);
    if (!ready) return false;
    for (int p = 0; p < loop->kernel->param_count && !ready->why; p++) {
        const bool result = ir_param_is_column_reduction(&loop->kernel->params[p]);
        if (!result && !(ready->firsts >> p & 1)) continue;
        const chain_slot *slot = loop->bindings[p].slot;
        const grid_box box = result ? store_device_memory(slot) : ready->touched[p];
        grid_box *all = &touched[slot->number];
        *all = grid_box_is_empty(all) ? box : grid_box_hull(all, &box);
    }
    return true;
}

int64_t device_bytes_of(struct exec_device *d, const chain *c)
{
    const int64_t most = device_facts_of(d->device)->largest;
    grid_box *touched = calloc(c->slot_count + 1, sizeof *touched);
    int64_t bytes = device_table_room(d), largest = 0, sum = 0;
    device_points_list points = {.bytes = 0};
    bool done = touched;
    for (size_t i = 0; i < c->count && done; i++) {
        const int64_t partials = partials_of(&c->loops[i]);
        done = add_loop(d, &c->loops[i], touched) && device_points_add(&points, &c->loops[i]);
        largest = larger(largest, partials);
        sum += partials;
    }
    bytes += smaller(sum, largest + DEVICE_WAITING) + points.bytes;
    for (size_t i = 0; i < c->slot_count && done; i++) {
        if (grid_box_is_empty(&touched[i])) continue;
        if (c->slots[i]->on_device)
            touched[i] = grid_box_hull(&touched[i], &c->slots[i]->on_device->room);
        const int64_t own = store_device_bytes(c->slots[i], &touched[i]);
        done = own <= most;
        bytes += own;
    }
    free(touched);
    free(points.of);
    return done ? bytes : INT64_MAX;
}
