/* Strands: loops of a relay that run block by block (strand.c). */
#ifndef SWEEP_STRAND_H
#define SWEEP_STRAND_H

#include "sweep/loop.h"

/* How a block of a strand is cut into slices that run one after another. */
typedef struct sweep_slices {
    int along; /* the dimension */
    int64_t height;
} sweep_slices;

/* Finds out whether a loop may be part of strands. */
void sweep_strand_prepare(sweep_loop *l);
/* Gives a loop the blocks of a strand if it may run on each block behind the strand's loops, before
 * these have run on other blocks; false: it may not. All of them have been cut. */
bool sweep_strand_take(sweep_loop *const *strand, int count, sweep_loop *l);
sweep_slices sweep_strand_slices(sweep_loop *const *strand, int count);
/* The flags of loop number i in a strand. */
int sweep_strand_flags(sweep_loop *const *strand, int count, int i);
/* Runs a block of a strand, with a share of each loop. False when memory is out. */
bool sweep_strand_run(sweep_loop *const *strand, int count, const sweep_slices *slices,
                      int64_t block, sweep_share *const *shares);

#endif
