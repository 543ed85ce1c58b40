/* Candidates of a search, the best ones first. */
#include "plan/candidates.h"

#include <math.h>

bool plan_candidate_is_better(const plan_candidate *x, const plan_candidate *y)
{
    static const double EQUAL = 1e-9;
    if (fabs(x->seconds - y->seconds) > EQUAL * y->seconds) return x->seconds < y->seconds;
    return x->bytes < y->bytes;
}

void plan_candidates_add(plan_candidates *list, int most, const plan_candidate *x)
{
    int at = list->count;
    while (at > 0 && plan_candidate_is_better(x, &list->best[at - 1])) at--;
    if (at == most) return;
    if (list->count < most) list->count++;
    for (int i = list->count - 1; i > at; i--) list->best[i] = list->best[i - 1];
    list->best[at] = *x;
}
