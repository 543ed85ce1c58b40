/* Private to oracle: the state of running a plan point by point. */
#ifndef ORACLE_PLANNED_H
#define ORACLE_PLANNED_H

#include "oracle/oracle.h"

typedef struct oracle_planned {
    const analysis_chain *a;
    const plan *p;
    bool late; /* moves are made when they are waited for, otherwise when they are started */
    messages *m;
    kata_status status;
    ir_value **contributions; /* per loop: to its reductions, element by element, of all points of
                                 its box */
    ir_value *nodes;          /* of the graph being evaluated */
    size_t node_room;
    plan_copy *pending; /* moves that were started and not yet made, with their two places */
    plan_place (*pending_places)[2];
    size_t pending_count, pending_room;
} oracle_planned;

/* A part of a loop as it runs, at a point. */
typedef struct oracle_part {
    oracle_planned *e;
    const plan_walk *walk; /* NULL of a loop that runs once */
    const plan_run *run;
    const chain_loop *loop;
    int64_t point[3];
} oracle_part;

/* ---- plan_point.c ---------------------------------------------------------------------------- */

/* Whether a loop visits a point of its box. */
bool oracle_has_color(const chain_loop *loop, const int64_t point[3]);
/* Runs a loop's kernel at a point, if the point has the loop's color. False, with the error in the
 * state, when it writes to an index that has no place. */
bool oracle_run_point(const oracle_part *part);
/* An element of a parameter's field at an index, as a point reads it: poison where nothing is. */
void oracle_plan_read(const oracle_part *part, int param, int component, const int64_t at[3],
                      ir_value *element);
/* False, with the error in the state, where the index has no place. */
bool oracle_plan_write(const oracle_part *part, int param, int component, const int64_t at[3],
                       ir_value element);
/* The number of the first element of a reduction among those of all reductions of a kernel. */
int oracle_first_element(const ir_kernel *kernel, int param);

/* ---- plan_sparse.c --------------------------------------------------------------------------- */

/* Runs a loop over points between those of its grid at a grid point, whether that is a target or
 * not. False, with the error in the state, when it writes to an index that has no place. */
bool oracle_plan_sparse(const oracle_part *part);
/* After the last: sets the sums. False when memory is out. */
bool oracle_plan_finish_sparse(const chain_loop *loop);

/* ---- plan_move.c ----------------------------------------------------------------------------- */

/* Visitors of a plan: a copy is made at once, or entered as pending; pending ones are made when
 * they are waited for. */
bool oracle_plan_copy(void *planned, const plan_walk *walk, const plan_copy *copy);
bool oracle_plan_wait(void *planned, int tag, int64_t turn);

/* Both set the status, if none is set, and return false. `loop`: -1 when it is none's. */
bool oracle_plan_fail(oracle_planned *e, const char *what, int loop);
bool oracle_plan_no_memory(oracle_planned *e);

#endif
