/* Shared by the files of analysis: the end of values in a section, which touches ask for, too; and
 * what parameters touch. */
#ifndef ANALYSIS_PASSING_H
#define ANALYSIS_PASSING_H

#include "analysis/analysis.h"

/* Whether nobody needs afterwards what a section writes to a field. */
bool analysis_ends(const analysis_section *s, int slot);

/* ---- footprint.c ----------------------------------------------------------------------------- */

/* As analysis_touched, for a parameter of a loop, which may be a copy. */
grid_box analysis_touched_by(const chain_loop *loop, int param, const int32_t lo[3],
                             const int32_t hi[3], const grid_box *from);

#endif
