/* What the sizes of tiles depend on. */
#ifndef PLAN_MEASURES_H
#define PLAN_MEASURES_H

#include "plan/planner.h"

typedef struct plan_measures {
    int loops;     /* on the grid */
    int64_t bytes; /* of all fields at a point */
    grid_box hull; /* of their points */
    int64_t extent[3];
    int64_t thick[3]; /* indices, where each loop is moved by its lag: of loops in a tile, few */
    double growth[3]; /* of the lag, from loop to loop */
    bool free[3];     /* dimensions that can be cut */
    bool around[3];   /* and are periodic */
    bool reduces;
} plan_measures;

/* Whether loops lie in a tile of a larger plan: each begins and ends as far behind the one before
 * as it lags. */
static inline bool plan_leans(const plan_measures *m, int d)
{
    return !m->around[d] && m->thick[d] < m->extent[d];
}

/* Notes in the plan if memory is out. */
plan_measures plan_measure(plan_group *g, plan *p);

#endif
