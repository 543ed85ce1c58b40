/* Ways to damage a plan. */
#ifndef PLAN_MUTANTS_H
#define PLAN_MUTANTS_H

#include "plan_world.h"

/* Each makes *out of a plan and returns true, or finds nothing to damage. `a`: the chain's
 * analysis, which some damage before they plan anew, and restore. */
typedef struct mutant {
    const char *name;
    bool (*make)(world *w, const plan *p, analysis_chain *a, const plan_request *r, plan *out);
} mutant;

extern const mutant mutants[];
extern const int mutant_count;

#endif
