/* Private to plan: the candidates that a search for sizes keeps. */
#ifndef PLAN_CANDIDATES_H
#define PLAN_CANDIDATES_H

#include "plan/planner.h"

enum { PLAN_CANDIDATES = 64 };

typedef struct plan_candidate {
    plan_request r;
    double seconds;
    int64_t bytes; /* of a local memory */
} plan_candidate;

typedef struct plan_candidates {
    plan_candidate best[PLAN_CANDIDATES]; /* the first is the best */
    int count;
} plan_candidates;

/* Whether x takes less time, or about the same and fewer bytes. */
bool plan_candidate_is_better(const plan_candidate *x, const plan_candidate *y);
/* Keeps a candidate if it is among the `most` best, PLAN_CANDIDATES at most. */
void plan_candidates_add(plan_candidates *list, int most, const plan_candidate *x);

#endif
