/* What kernels of loops are given by value: built in memory that lasts, one part behind the other.
 */
#include "exec/device_tune.h"

#include <string.h>

void *device_give(device_given *g, size_t bytes)
{
    void *all = g->d->given;
    if (g->failed || !vector_reserve(&all, &g->d->given_room, g->count + bytes, 1)) {
        g->failed = true;
        return NULL;
    }
    g->d->given = all;
    g->count += bytes;
    return memset(g->d->given + g->count - bytes, 0, bytes);
}

static void give_number(device_given *g, const chain_loop *loop, int p)
{
    const ir_param *param = &loop->kernel->params[p];
    const chain_binding *b = &loop->bindings[p];
    if (ir_param_is_field(param) || ir_param_is_reduction(param)) return;
    ir_value *out = device_give(g, (size_t)param->count * sizeof *out);
    for (int i = 0; i < param->count && out; i++)
        out[i] = b->slot                         ? store_scalar(b->slot, i)
                 : param->kind == IR_PARAM_TABLE ? b->table[i]
                                                 : b->number;
}

grid_box device_bricks_of(const grid_box *box)
{
    grid_box bricks = *box;
    if (grid_box_is_empty(box)) return bricks;
    bricks.lo[0] = sweep_brick(box->lo[0]);
    bricks.hi[0] = sweep_brick(box->hi[0] - 1) + 1;
    return bricks;
}

void device_give_launch(device_given *g, const chain_loop *loop)
{
    abi_launch *launch = device_give(g, sizeof *launch);
    if (!launch) return;
    for (int d = 0; d < 3; d++) {
        launch->lo[d] = launch->first[d] = loop->box.lo[d];
        launch->hi[d] = loop->box.hi[d];
        launch->size[d] = loop->shape.size[d];
    }
    if (loop->kernel->order[0] == IR_UNORDERED)
        launch->first[0] = floor_divide(loop->box.lo[0], ABI_LANES) * ABI_LANES;
    launch->colors = loop->colors;
    launch->color = loop->color;
    grid_box bricks = device_bricks_of(&loop->box);
    launch->bricks[0] = bricks.hi[0] - bricks.lo[0];
    launch->bricks[1] = bricks.hi[1] - bricks.lo[1];
    launch->bricks[2] = bricks.lo[0];
}

/* Where a field is; of rows that wrap, their period. */
static void give_place(device_given *g, const device_loop *l, int p)
{
    abi_place *place = device_give(g, sizeof *place);
    if (!place) return;
    *place = l->loop->bindings[p].slot->on_device->place;
    if (l->ready->wraps[0] >> p & 1) place->period = place->end = l->loop->shape.size[0];
}

void device_give_places(device_given *g, const device_loop *l)
{
    const ir_kernel *kernel = l->loop->kernel;
    for (int p = 0; p < kernel->param_count; p++)
        if (ir_param_is_field(&kernel->params[p])) give_place(g, l, p);
}

void device_give_numbers(device_given *g, const chain_loop *loop)
{
    for (int p = 0; p < loop->kernel->param_count; p++) give_number(g, loop, p);
}
