/* Reductions of loops of which a device runs some points: the planes of a tile, or a rank's own.
 * What each gives is one value of a plane, of a row, or of a brick, and all of it is reduced in the
 * one order (sweep/across_ranks.c). */
#include "exec/on_device.h"

#include <stdlib.h>
#include <string.h>

int device_cut(const chain_loop *loop)
{
    int cut = 0;
    while (cut < 3 && !(loop->parted >> cut & 1)) cut++;
    return cut;
}

/* The partials of one plane along z; of one row, where loops are cut along y. */
static grid_box piece_of(const grid_box *bricks, int cut, int64_t piece)
{
    grid_box box = *bricks;
    const int64_t rows = cut == 1 ? bricks->hi[1] - bricks->lo[1] : 1;
    if (cut == 1) box.lo[1] = bricks->lo[1] + piece % rows;
    if (cut == 1) box.hi[1] = box.lo[1] + 1;
    box.lo[2] = bricks->lo[2] + piece / rows;
    box.hi[2] = box.lo[2] + 1;
    return box;
}

/* Combines the partials of each piece to its first one, and puts these one behind the other. */
static void reduce_pieces(const device_waiting *w, int cut)
{
    const ir_param *param = &w->loop->kernel->params[w->loop->kernel->stores[w->store].param];
    int64_t pieces = 1;
    for (int d = cut; d < 3; d++) pieces *= w->bricks.hi[d] - w->bricks.lo[d];
    const int64_t each = (int64_t)w->count / pieces;
    for (int64_t i = 0; i < pieces && each > 1; i++) {
        grid_box box = piece_of(&w->bricks, cut, i);
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
        if (w[i].count) reduce_pieces(&w[i], cut);
        of[i] = w[i].values;
    }
    const sweep_partials mine = {left_of(w, cut), (int)count, of};
    ir_value *all = sweep_meet_partials(&l->context->across, &mine, whole);
    free(of);
    return all;
}
