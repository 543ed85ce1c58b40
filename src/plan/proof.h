/* Private to plan: the state of proving one plan. proof.c runs loops and scalars, proof_place.c
 * keeps what places hold, proof_move.c what moves and parallel tiles do. */
#ifndef PLAN_PROOF_H
#define PLAN_PROOF_H

#include "plan/plan.h"

/* A move under way. */
typedef struct proof_pending {
    plan_copy copy;
    plan_place from, to; /* as they were */
} proof_pending;

/* What a parallel tile touched outside. */
typedef struct proof_touch {
    int lane, place, component;
    int loop; /* coloured; -1: any other */
    bool writes;
    grid_box box;
} proof_touch;

typedef struct proof_lanes {
    const plan_node *node;
    int lane;
    int own_places; /* those from this number on belong to the present lane */
    proof_touch *touches;
    size_t count, room;
} proof_lanes;

enum { PROOF_LANES = 8 };

typedef struct proof {
    const plan *p;
    const analysis_chain *a;
    text *why;
    bool wrong, no_memory;
    int *scalar_writer;   /* per slot: the loop that made its present value */
    grid_region *counted; /* per loop: the points that count so far */
    bool *finished;       /* per loop: its reductions, or that it has run without a grid */
    proof_pending *moves;
    size_t move_count, move_room;
    proof_lanes lanes[PROOF_LANES];
    int lane_depth, places; /* places: opened so far */
    int colored;            /* the loop being run when it has colours, otherwise -1 */
} proof;

/* ---- proof_place.c --------------------------------------------------------------------------- */

const char *proof_loop_name(const proof *v, int loop);
/* "the value of loop 3 'heat'" */
void proof_say_writer(const proof *v, int writer);
/* "field 'u' [1, 3) x [0, 4) in the buffer of node 3" */
void proof_say_where(const proof *v, const plan_place *place, int slot, const grid_box *box);
const char *proof_slot_name(const proof *v, int slot);
/* The message is complete. Returns false. */
bool proof_refuse(proof *v);

/* Who looks for what in a place. */
typedef struct proof_reading {
    proof *v;
    const plan_place *place;
    int slot, component, loop;
    int also; /* a loop whose value will do as well; -1: none */
    int64_t shift[3];
} proof_reading;

/* Whether a box of a place holds what loop r->loop should find there. */
bool proof_check_box(proof_reading *r, const grid_box *box);
/* The same of what a run does not write itself. */
/* The boxes that a touch of a run ends in, place by place. */
typedef struct proof_target {
    plan_piece pieces[ANALYSIS_LANDINGS * 2];
    int count;
} proof_target;

bool proof_check_beside(proof_reading *r, const grid_box *box, const proof_target *own);
/* Whether a box has room in a buffer. */
bool proof_fits(proof *v, const plan_place *place, int slot, const grid_box *box);
/* Enters a value written; what it pushes out of a buffer is gone. */
bool proof_set_box(proof *v, const plan_place *place, int slot, int component, const grid_box *box,
                   int writer);
bool proof_open(void *data, plan_place *place);
bool proof_close(void *data, plan_place *place);

/* ---- proof_move.c ---------------------------------------------------------------------------- */

/* Whether two boxes of a place use the same memory: indices a capacity apart do. */
bool proof_meets(const plan_place *place, const grid_box *box, int number, const grid_box *other);
/* Notes that a box of a place is touched, and that no move is in the way. */
bool proof_touch_box(proof *v, const plan_place *place, int slot, int component,
                     const grid_box *box, bool writes);
bool proof_tile(void *data, const plan_node *node);
bool proof_copy(void *data, const plan_walk *walk, const plan_copy *copy);
bool proof_wait(void *data, int tag);

#endif
