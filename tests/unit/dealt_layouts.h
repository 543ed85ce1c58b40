/* Random layouts of ranks: boxes of them, and rectangles of other kinds. */
#ifndef DEALT_LAYOUTS_H
#define DEALT_LAYOUTS_H

#include "plan_world.h"

enum { LAYOUT_RANKS = 8 };

/* Lays 1 to LAYOUT_RANKS ranks out for the grids of a world: as a box of them, or, if `uneven`, by
 * cuts at any place, each through what some of the ranks have. */
void dealt_draw_layout(world *w, arena *memory, bool uneven, plan_ranks *ranks);

#endif
