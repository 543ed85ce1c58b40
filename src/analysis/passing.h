/* Shared by the files of analysis: the end of values in a section, which touches ask for, too; and
 * what parameters touch. */
#ifndef ANALYSIS_PASSING_H
#define ANALYSIS_PASSING_H

#include "analysis/analysis.h"

/* Whether nobody needs afterwards what a section writes to a field. */
bool analysis_ends(const analysis_section *s, int slot);

/* ---- lifetime.c ------------------------------------------------------------------------------ */

/* The first touch of a slot by a loop of that number or a later one, in the list of its touches. */
const analysis_touch *const *analysis_touches_from(const analysis_chain *a, int slot, int loop);

/* ---- footprint.c ----------------------------------------------------------------------------- */

/* As analysis_touched, for a parameter of a loop, which may be a copy. */
grid_box analysis_touched_by(const chain_loop *loop, int param, const int32_t lo[3],
                             const int32_t hi[3], const grid_box *from);

#endif
