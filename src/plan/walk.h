/* Private to plan: the state of a walk. walk.c goes through the nodes, walk_tile.c finds the tiles
 * of nodes, walk_turns.c those that siblings take by turns, walk_place.c boxes and places around a
 * leaf, walk_exchange.c fills the margins of blocks. */
#ifndef PLAN_WALK_H
#define PLAN_WALK_H

#include "plan/node.h"

enum { WALK_FRAMES = 16 };

/* One turn of a tile, or one block. */
typedef struct walk_frame {
    const plan_node *node;
    grid_box box; /* of TILE, only its dimension counts */
} walk_frame;

struct plan_walk {
    const plan *p;
    const analysis_chain *a;
    const plan_visitor *visitor;
    walk_frame frames[WALK_FRAMES];
    int frame_count;
    plan_place **inner; /* per slot: its innermost place */
    int64_t turn;       /* the present one */
    int block;
    const plan_node *blocks;  /* the BLOCKS node around; NULL: none */
    plan_place **block_inner; /* `inner` of each of its blocks, one after another */
    int place_count;
};

/* ---- walk_tile.c ----------------------------------------------------------------------------- */

/* The numbers of the first and the last tile of a node in which leaves have points. */
plan_span walk_tiles(const plan_walk *w, const plan_node *n);
/* Adds the frame of a tile. */
void walk_set_frame(plan_walk *w, const plan_node *n, int64_t number);

/* Consecutive tiles of nodes, the outermost first. */
typedef struct walk_wave {
    const plan_node *nodes[3];
    plan_span tiles[3]; /* from the first to the last one */
    int count;
} walk_wave;

walk_wave walk_wave_from(const plan_walk *w, const plan_node *n);
/* The next tile: the last of the nodes counts fastest, or the first one (`backwards`). */
bool walk_next_tile(const walk_wave *v, bool backwards, int64_t at[3]);

/* ---- walk_place.c ---------------------------------------------------------------------------- */

/* The size of a dimension that wraps here; 0: it does not. */
int64_t walk_period(const plan_walk *w, int d);
/* The box that a leaf runs on without frames. */
grid_box walk_whole_box(const plan_walk *w, const plan_node *leaf);
/* The indices at which a leaf runs along a dimension, cut by the frames around it; `core`: without
 * points that another tile computes as well. */
plan_span walk_clip(const plan_walk *w, const plan_node *leaf, int d, bool core);
/* The next outer place of a slot; NULL if `place` is its home. */
plan_place *walk_outer_place(const plan_place *place, int slot);
plan_place walk_make_place(plan_walk *w, const plan_node *buffer);
/* Both call the visitor, and return false when it ends the walk. */
bool walk_open_place(plan_walk *w, plan_place *place);
bool walk_close_place(plan_walk *w, plan_place *place);

/* ---- walk_turns.c ---------------------------------------------------------------------------- */

typedef bool walk_visit(plan_walk *w, int node);
/* Walks tiles that siblings take by turns; `visit` walks what is in one of them. */
bool walk_turns(plan_walk *w, const plan_node *n, walk_visit *visit);

/* ---- walk_exchange.c ------------------------------------------------------------------------- */

int walk_block_count(const plan_node *blocks);
void walk_enter_block(plan_walk *w, int block);
void walk_leave_block(plan_walk *w);
/* Fills the margins of all blocks from their neighbours. */
bool walk_exchange(plan_walk *w, const plan_node *n);

#endif
