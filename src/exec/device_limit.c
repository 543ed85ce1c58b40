/* What fits the memory of a device, and what leaves it where something else needs room. */
#include "exec/on_device.h"

#include "sweep/reduce.h"

#include <stdlib.h>

int64_t device_table_room(const struct exec_device *d)
{
    enum { PART = 16, LEAST = 1 << 13, MOST = 1 << 20 };
    return larger(LEAST, smaller(d->limit / PART, MOST));
}

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
    return (sweep_brick(box->hi[0] - 1) + 1 - sweep_brick(box->lo[0])) *
           (int64_t)sizeof(ir_value);
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
        if (!(ready->firsts >> p & 1)) continue;
        grid_box *all = &touched[loop->bindings[p].slot->number];
        *all = grid_box_is_empty(all) ? ready->touched[p]
                                      : grid_box_hull(all, &ready->touched[p]);
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

/* ---- leaving --------------------------------------------------------------------------------- */

static bool send_home(struct exec_device *d, store_device *on)
{
    if (!store_device_bring_home(on->slot) || !device_wait(d->device, DEVICE_WORK)) return false;
    store_device_free(on->slot);
    return true;
}

bool device_send_home_oldest(struct exec_device *d)
{
    store_device *oldest = NULL;
    for (store_device *on = d->copies.first; on; on = on->next)
        if (on->used != d->clock && (!oldest || on->used < oldest->used)) oldest = on;
    return oldest && send_home(d, oldest);
}

device_memory *device_take(struct exec_device *d, size_t bytes)
{
    device_memory *memory = device_allocate(d->device, bytes);
    if (!memory && device_is_full(d->device)) {
        device_partials_release(d);
        memory = device_allocate(d->device, bytes);
    }
    while (!memory && device_is_full(d->device) && device_send_home_oldest(d))
        memory = device_allocate(d->device, bytes);
    return memory;
}

bool device_send_home_all(struct exec_device *d)
{
    bool done = true;
    while (d->copies.first && done) done = send_home(d, d->copies.first);
    device_partials_release(d);
    device_tables_forget(d);
    return done;
}
