/* Private to plan: blocks for cores with small memories. scratchpad.c is the method,
 * scratchpad_turns.c makes the nodes of a section, scratchpad_sizes.c chooses sizes by a machine.
 */
#ifndef PLAN_SCRATCHPAD_H
#define PLAN_SCRATCHPAD_H

#include "plan/planner.h"

/* Loops that have tiles together. */
typedef struct scratchpad_section {
    plan_group *g;
    const plan_request *r; /* sizes, slots, ... */
    const analysis_section *part;
    bool has_box;  /* the section is a loop that needs no more than its box and what is around */
    bool has_pair; /* one buffer may be for a field and its next value */
    int along;     /* the dimension of columns; -1: there are none */
    plan_pair pair;
} scratchpad_section;

/* ---- scratchpad_turns.c ---------------------------------------------------------------------- */

/* Finds how fields are treated; `r` is still to be set. g->cut: the dimensions of tiles. */
void plan_scratchpad_begin(scratchpad_section *s, plan_group *g, const analysis_section *part);
/* The dimension along which loops in place sweep. */
int plan_scratchpad_wall(const plan_group *g);
/* Whether the tiles of a section cut a dimension. */
bool plan_scratchpad_cuts(const scratchpad_section *s, int d);
/* Whether cores in groups can share the tiles of a section. */
bool plan_scratchpad_groups(const scratchpad_section *s);
/* The indices of a field that tiles may move. */
grid_box plan_scratchpad_moved(const scratchpad_section *s, int slot);
/* How many turns a get runs ahead. */
int64_t plan_scratchpad_ahead(const plan_request *r);
/* Bytes of a local memory that the buffers of a section take. */
int64_t plan_scratchpad_bytes(const scratchpad_section *s);
/* Adds the tiles of a section. */
void plan_scratchpad_add(const scratchpad_section *s, plan *p, int parent);

/* ---- scratchpad_sizes.c ---------------------------------------------------------------------- */

/* The request of a section with the sizes, and the slots, that it leaves to the machine. Without
 * sizes where no block fits. Notes in the plan if memory is out. */
plan_request plan_scratchpad_sizes(const scratchpad_section *s, plan *p);

#endif
