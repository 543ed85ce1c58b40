/* The state of proving what one rank does by a plan that deals a chain out. dealt_proof.c runs the
 * steps, dealt_parts.c looks at the points of a loop in parts, dealt_share.c tracks what the rank
 * has. */
#ifndef PLAN_DEALT_PROOF_H
#define PLAN_DEALT_PROOF_H

#include "plan/dealt.h"
#include "plan/proof.h"

/* A field, in the whole grid and on this rank. Boxes of what a rank has may lie beyond periodic
 * sides, where copies are. */
typedef struct dealt_share {
    content truth, mine;
    bool whole;
    bool tiled;    /* it is known that ranks have each index once */
    grid_box held; /* of a field that is dealt out: what has memory */
} dealt_share;

typedef struct dealt_proof {
    const plan_dealt_claim *c;
    proof v; /* for messages: the chain and `why` */
    dealt_share *shares;
    arena memory;
} dealt_proof;

/* Points of a loop, and the image of the grid in which they run: so many periods away. */
typedef struct dealt_points_of {
    grid_box box;
    int image[3];
} dealt_points_of;

/* A loop that runs on some boxes of a rank's points. */
typedef struct dealt_run {
    dealt_proof *v;
    const analysis_loop *l;
    int loop;
    dealt_points_of *boxes;
    int count;
    grid_region *right, *touched; /* by touch: what its writes complete, and all that they touch */
} dealt_run;

/* All return false when the proof fails; the reason is told, unless memory is out. */

/* Sets what the rank has before the chain. */
bool dealt_begin_shares(dealt_proof *v);
void dealt_free_shares(dealt_proof *v);
/* Begins a reason: "rank 2: ". */
void dealt_say_rank(dealt_proof *v);
/* Whether a component of a box, on this rank, has the value that the chain gives so far. `loop`
 * needs it; the number of loops: the chain's end. */
bool dealt_check(dealt_proof *v, int loop, int slot, int component, const grid_box *box);
/* The same of all components. */
bool dealt_check_all(dealt_proof *v, int loop, int slot, const grid_box *box);
/* Adds to a region the parts of a box that have that value. */
bool dealt_find_right(dealt_proof *v, int slot, int component, const grid_box *box,
                      grid_region *right);
/* A field that was whole becomes dealt out: what lies beyond the memory is gone. */
bool dealt_deal_out(dealt_proof *v, int slot);
/* A field becomes whole, without values. */
void dealt_make_empty(dealt_proof *v, int slot);
/* A field becomes whole, by gathering; or copies of it become valid on a span around the rank's
 * own. All ranks give right values of their own: this one is asked. `loop`: the next one. */
bool dealt_gather(dealt_proof *v, int loop, int slot);
bool dealt_exchange(dealt_proof *v, int loop, int slot, const plan_span span[3]);

/* Refuses a loop. */
bool dealt_refuse(const dealt_run *r, const char *format, ...) PRINTF_LIKE(2, 3);
/* Whether it may run in parts, as far around what is a rank's own as a step says. */
bool dealt_check_span(const dealt_run *r, const plan_dealt_step *step);
/* Sets the boxes in which the rank runs it. */
bool dealt_find_points(dealt_run *r, const plan_dealt_step *step);

#endif
