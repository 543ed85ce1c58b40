/* Reductions of loops of which a device runs the planes of one tile: what each tile gives is one
 * value a plane, and all of it is reduced in the one order (sweep/across_ranks.c). */
#include "exec/on_device.h"

#include <stdlib.h>
#include <string.h>

int device_cut(const chain_loop *loop) { return !loop->parted ? 3 : loop->parted & 4 ? 2 : 1; }

/* The partials of one plane, along `cut`. */
static grid_box plane_of(const grid_box *bricks, int cut, int64_t plane)
{
    grid_box box = *bricks;
    box.lo[cut] = bricks->lo[cut] + plane;
    box.hi[cut] = box.lo[cut] + 1;
    return box;
}

/* Combines the partials of each plane to its first one, and puts these one behind the other. */
static void reduce_planes(const device_waiting *w, int cut)
{
    const ir_param *param = &w->loop->kernel->params[w->loop->kernel->stores[w->store].param];
    const int64_t planes = w->bricks.hi[cut] - w->bricks.lo[cut];
    const int64_t each = (int64_t)w->count / planes;
    for (int64_t i = 0; i < planes && each > 1; i++) {
        grid_box box = plane_of(&w->bricks, cut, i);
        sweep_reduce_plane(param, &box, w->values + i * each);
        w->values[i] = w->values[i * each];
    }
}

/* The box of these values. */
static grid_box left_of(const device_waiting *w, int cut)
{
    grid_box left = w->bricks;
    for (int d = 0; d < cut && w->count; d++) {
        left.lo[d] = 0;
        left.hi[d] = 1;
    }
    return left;
}

ir_value *device_meet(const device_loop *l, const device_waiting *w, size_t count, grid_box *whole)
{
    const int cut = device_cut(w->loop);
    const ir_value **of = calloc(count + 1, sizeof *of);
    if (!of) return NULL;
    for (size_t i = 0; i < count; i++) {
        if (w[i].count) reduce_planes(&w[i], cut);
        of[i] = w[i].values;
    }
    const sweep_partials mine = {left_of(w, cut), (int)count, of};
    ir_value *all = sweep_meet_partials(&l->context->across, &mine, whole);
    free(of);
    return all;
}
