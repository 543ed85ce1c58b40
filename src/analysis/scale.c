/* Loops on grids of which one is the finest. */
#include "analysis/analysis.h"

/* The sizes of the grid of a field that counts; false: another one. */
static bool has_grid(const analysis_loop *l, const analysis_touch *t, const bool *written,
                     grid_shape *grid)
{
    if (!t->scaled || !(t->writes || written[t->slot])) return false;
    *grid = chain_slot_grid(l->loop->bindings[t->param].slot);
    return true;
}

bool analysis_find_finest(const analysis_loop *l, const bool *written, int64_t finest[3])
{
    grid_shape grid = l->loop->shape;
    bool divides = true;
    for (int d = 0; d < 3; d++) finest[d] = grid.size[d];
    for (int i = 0; i < l->touch_count; i++)
        for (int d = 0; d < 3 && has_grid(l, &l->touches[i], written, &grid); d++)
            finest[d] = larger(finest[d], grid.size[d]);
    for (int i = 0; i < l->touch_count; i++)
        for (int d = 0; d < 3 && has_grid(l, &l->touches[i], written, &grid); d++)
            divides = divides && finest[d] % grid.size[d] == 0;
    return divides;
}
