/* The end of values in a section, which touches ask for, too. */
#ifndef ANALYSIS_PASSING_H
#define ANALYSIS_PASSING_H

#include "analysis/analysis.h"

/* Whether nobody needs afterwards what a section writes to a field. */
bool analysis_ends(const analysis_section *s, int slot);

#endif
