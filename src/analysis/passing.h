/* Shared by the files of analysis: the touches of a slot, and what parameters touch. */
#ifndef ANALYSIS_PASSING_H
#define ANALYSIS_PASSING_H

#include "analysis/analysis.h"

/* ---- lifetime.c ------------------------------------------------------------------------------ */

/* The first touch of a slot by a loop of that number or a later one, in the list of its touches. */
const analysis_touch *const *analysis_touches_from(const analysis_chain *a, int slot, int loop);

/* ---- footprint.c ----------------------------------------------------------------------------- */

/* As analysis_touched, for a parameter of a loop, which may be a copy. */
grid_box analysis_touched_by(const chain_loop *loop, int param, const int32_t lo[3],
                             const int32_t hi[3], const grid_box *from);

/* ---- hops.c ---------------------------------------------------------------------------------- */

/* The tables of a mesh by which the index that a node finds is reached; none, where an index is
 * made of several entries. */
analysis_hops analysis_find_hops(const ir_kernel *kernel, ir_id index);

#endif
