/* Random layouts of ranks: boxes of them, rectangles of other kinds, and lists of these. */
#ifndef DEALT_LAYOUTS_H
#define DEALT_LAYOUTS_H

#include "plan_world.h"

enum { LAYOUT_RANKS = 8 };

enum { LAYOUT_BOXES = 3 * LAYOUT_RANKS };

typedef enum layout_kind {
    LAYOUT_BOX,        /* a box of ranks */
    LAYOUT_RECTANGLES, /* cuts at any place, each through what some of the ranks have */
    LAYOUT_LISTS,      /* ranks have several such rectangles, which may be one cell thin */
    LAYOUT_KINDS
} layout_kind;

/* Lays 1 to LAYOUT_RANKS ranks out for the grids of a world. */
void dealt_draw_layout(world *w, arena *memory, layout_kind kind, plan_ranks *ranks);

/* The points of a loop that a rank runs: boxes that lie in one image of the grid each. Returns
 * their number; none runs twice. */
typedef struct layout_points {
    grid_box box; /* of the grid */
    int image[3];
} layout_points;
enum { LAYOUT_POINTS = 1000 };
int layout_find_points(const chain_loop *loop, const plan_ranks *ranks, const plan_span span[3],
                       const bool wraps[3], layout_points points[LAYOUT_POINTS]);

#endif
