/* oracle: what every executor is judged by. It walks chains as they were queued, and interprets
 * kernels' trees point by point; and it runs any plan as its text says, to show what plans do. */
#ifndef ORACLE_ORACLE_H
#define ORACLE_ORACLE_H

#include "observe/observe.h"
#include "plan/plan.h"

/* ---- reference.c: a chain, loop by loop ------------------------------------------------------ */

/* reference.c: interprets a loop whose arrays are made; `trace` may be NULL. The floating-point
 * environment must be the default one. */
kata_status oracle_interpret_loop(const chain_loop *loop, observe_trace *trace, messages *m);
/* Interprets all loops of a chain in order, with their arrays, made when missing. */
kata_status oracle_run_chain(const chain *c, observe_trace *trace, observe_meter *meter,
                             messages *m);

/* ---- reference_reduce.c ---------------------------------------------------------------------- */

/* What points contribute to an element of a reduction. */
typedef struct oracle_contributions {
    const ir_param *param;
    grid_box box;  /* the points to reduce */
    grid_box made; /* holds them: those that values are of, x fastest, then y, z */
    const ir_value *values;
    bool downwards; /* bricks of columns are taken from high to low */
} oracle_contributions;

ir_value oracle_reduce(const oracle_contributions *all);

/* ---- plan_interpreter.c: any plan, point by point -------------------------------------------- */

/* Where a plan leaves the order open. */
typedef struct oracle_plan_order {
    bool late;      /* moves are made when they are waited for, otherwise when they are started */
    bool backwards; /* parallel tiles run from last to first */
} oracle_plan_order;

/* Runs a chain as a plan of it says. KATA_ERROR_INTERNAL where that reads what was not set. The
 * plan must be well formed, the kernels without checks. */
kata_status oracle_run_plan(const plan *p, const analysis_chain *a, const oracle_plan_order *order,
                            messages *m);

#endif
