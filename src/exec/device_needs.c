/* How much memory of a device the loops of a chain need. */
#include "exec/on_device.h"

#include <stdlib.h>

/* ---- reductions ------------------------------------------------------------------------------ */

static int64_t reductions_of(const chain_loop *loop)
{
    int64_t count = 0;
    for (int i = 0; i < loop->kernel->store_count; i++)
        count += ir_param_is_reduction(&loop->kernel->params[loop->kernel->stores[i].param]);
    return count;
}

/* Of the partials of a row. */
static int64_t row_bytes(const grid_box *box)
{
    return (sweep_brick(box->hi[0] - 1) + 1 - sweep_brick(box->lo[0])) * (int64_t)sizeof(ir_value);
}

static int64_t partials_of(const chain_loop *loop)
{
    const grid_box *box = &loop->box;
    if (grid_box_is_empty(box)) return 0;
    return reductions_of(loop) * row_bytes(box) * (box->hi[1] - box->lo[1]) *
           (box->hi[2] - box->lo[2]);
}

int64_t device_plane_partials(const analysis_loop *l)
{
    const grid_box *box = &l->loop->box;
    if (l->loop->once || !l->reduces || grid_box_is_empty(box)) return 0;
    const int64_t rows = l->loop->shape.rank < 3 ? 1 : box->hi[1] - box->lo[1];
    return reductions_of(l->loop) * row_bytes(box) * rows;
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
        const grid_box box = result ? chain_slot_memory(slot) : ready->touched[p];
        grid_box *all = &touched[slot->number];
        *all = grid_box_is_empty(all) ? box : grid_box_hull(all, &box);
    }
    return true;
}

int64_t device_bytes_of(struct exec_device *d, const chain *c)
{
    const int64_t largest = device_facts_of(d->device)->largest;
    grid_box *touched = calloc(c->slot_count + 1, sizeof *touched);
    int64_t bytes = device_table_room(d);
    bool done = touched;
    for (size_t i = 0; i < c->count && done; i++) {
        done = add_loop(d, &c->loops[i], touched);
        if (!c->loops[i].once) bytes += partials_of(&c->loops[i]);
    }
    for (size_t i = 0; i < c->slot_count && done; i++) {
        if (grid_box_is_empty(&touched[i])) continue;
        if (c->slots[i]->on_device)
            touched[i] = grid_box_hull(&touched[i], &c->slots[i]->on_device->room);
        const int64_t own = store_device_bytes(c->slots[i], &touched[i]);
        done = own <= largest;
        bytes += own;
    }
    free(touched);
    return done ? bytes : INT64_MAX;
}
