/* Contributions that points have left in memory, each at its place, are reduced row by row: so the
 * order of the sum does not depend on the order of the points. */
#include "sweep/reductions.h"

void sweep_reduce_collected(const sweep_loop *l)
{
    const grid_box *box = &l->like.box;
    int64_t nx = box->hi[0] - box->lo[0], rows = nx > 0 ? grid_box_points(box) / nx : 0;
    int64_t bricks = l->bricks.hi[0] - l->bricks.lo[0];
    for (int r = 0; r < l->reduction_count; r++) {
        const sweep_reduction *red = &l->reductions[r];
        const ir_param *param = &l->loop->kernel->params[red->param];
        for (int64_t row = 0; row < rows; row++)
            sweep_reduce_row(param, red->contributions + row * nx * ir_types[param->type].bytes,
                             box->lo[0], box->hi[0], red->partials + row * bricks);
    }
}
