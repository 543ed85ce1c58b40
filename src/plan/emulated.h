/* Private to plan: what a walk notes for the clock of an emulated machine. emulated_time.c has the
 * tiles of siblings and what lies in no tile, emulated_blocks.c fields that stay in the memories.
 */
#ifndef PLAN_EMULATED_H
#define PLAN_EMULATED_H

#include "plan/walk.h"

/* A transfer that nobody has waited for. */
typedef struct emulated_started {
    size_t operation;
    int tag;
    int64_t turn;
} emulated_started;

/* What a block has done in the present phase: seconds of work, or bytes in and out. */
typedef struct emulated_block {
    double work, in, out;
    double far_in, far_out; /* of these bytes, those of other chips; all of a chip are in the first
                               of its blocks */
} emulated_block;

typedef struct emulated_recorder {
    const plan *p;
    const analysis_chain *a;
    const machine_emulated *m;
    plan_times *out;
    machine_program program;
    bool inside; /* of tiles of siblings */
    emulated_started *open;
    size_t open_count, open_room;
    int64_t last_turn;
    const plan_node *dealt; /* BLOCKS whose phases are noted; NULL: none */
    const plan_node *last;  /* those before */
    emulated_block *blocks; /* as many as `dealt` has */
    bool some, exchanging;  /* the phase has something; it is an exchange */
    bool failed;            /* memory was out */
} emulated_recorder;

/* ---- emulated_parts.c ------------------------------------------------------------------------ */

plan_timed *emulated_part(emulated_recorder *r);
bool emulated_add_part(emulated_recorder *r, plan_timed part);
/* What the plan says about a node: sizes of tiles, loops, and the bytes of buffers. */
void emulated_describe(const emulated_recorder *r, const plan_node *tile, plan_timed *part);
/* Of what the cores of a group do on a box together: the part of the one that has most. */
double emulated_share(const plan_walk *walk, const grid_box *box);
double emulated_operations(const chain_loop *loop, const grid_box *box);

/* ---- emulated_blocks.c ----------------------------------------------------------------------- */

bool emulated_compute(emulated_recorder *r, const plan_walk *walk, const plan_run *run);
bool emulated_exchange(emulated_recorder *r, const plan_walk *walk, const plan_copy *copy,
                       double bytes);
bool emulated_reduce(emulated_recorder *r, int loop);
/* Ends the phases that are noted, if there are some. */
bool emulated_end_blocks(emulated_recorder *r);

#endif
