/* Private to plan: making and checking trees. */
#ifndef PLAN_NODE_H
#define PLAN_NODE_H

#include "plan/plan.h"

/* ---- plan.c ---------------------------------------------------------------------------------- */

/* Adds a node as the last child of another (0: as the root) and returns its number. A leaf takes
 * the next number: trees are made from left to right. Once memory is out the plan has failed, and
 * nothing more is added: 0. */
int plan_add(plan *p, int parent, plan_node node);
int plan_spans_per_leaf(const plan_node *tile);
plan_span *plan_span_of(const plan_node *tile, int leaf, int dimension);
/* Of a TILE with a seam. */
plan_span *plan_seam_of(const plan_node *tile, int leaf);
/* In the order of the text form. */
plan_span *plan_span_number(const plan_node *tile, int leaf, int number);
/* Gives a TILE or BLOCKS node its spans, after its last leaf was added: zero, or those that `find`
 * finds. Seams are zero. */
typedef plan_span plan_find_span(const void *data, const plan_node *leaf, int dimension);
void plan_end_tile(plan *p, int number, plan_find_span *find, const void *data);
/* Bytes of a buffer of a field, with all its slots; PLAN_FAR where they are more. */
int64_t plan_buffer_bytes(const plan_node *buffer, const chain_slot *slot);
/* The same in the memory of one core of a group, which has its part of a tile and as many points
 * around as the tile has. `group`: the TILE; NULL: there is none. */
int64_t plan_core_bytes(const plan_node *buffer, const chain_slot *slot, const plan_node *group);
/* How many of so many points along a dimension are a core's. */
int64_t plan_core_points(int64_t points, const plan_node *group);
/* Notes that a method cannot be used for loops (those on a grid), and why. */
void plan_refuse(plan *p, const analysis_section *loops, int level, const char *why);

/* Of a leaf along a dimension: 1 unless it is a loop on a coarser grid. */
int64_t plan_scale_of(const plan_node *leaf, int dimension);

enum { PLAN_MOST_BLOCKS = 1 << 20, PLAN_MOST_SCALE = IR_MAX_RATIO, PLAN_MOST_TURN_BUFFERS = 40 };

/* ---- form.c ---------------------------------------------------------------------------------- */

/* NULL when a plan can be walked for a chain: its numbers refer to loops and slots that exist,
 * spans and cuts are in order. Otherwise what is wrong, with the node in *node. */
const char *plan_check_form(const plan *p, const analysis_chain *a, int *node);

#endif
