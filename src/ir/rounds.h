/* Private to ir: a loop that is not unrolled, while it is lowered. */
#ifndef IR_ROUNDS_H
#define IR_ROUNDS_H

#include "ir/lowering.h"

/* A variable of a loop, and what says under which condition it has a value: 0 where it has one on
 * every path. */
typedef struct variable {
    uint32_t where;
    ir_id value, defined;
    ir_id tainted;     /* of the value; 0: nobody asks */
    lower_cell before; /* the loop */
} variable;

typedef struct rounds {
    lowering *l;
    const ir_stmt *loop;
    int number, elements; /* of the loop; variables numbered so far */
    bool *found;          /* by cell: may be changed by the loop */
    bool has_checks;
    ir_id goes_on; /* the condition under which a round runs */
    ir_id last;    /* the last CARRY so far */
    variable *variables;
    size_t count, capacity;
    size_t first_check; /* of the loop */
    ir_id fine;         /* whether no check has failed; 0: there are none */
} rounds;

/* ---- rounds_found.c -------------------------------------------------------------------------- */

/* Finds the cells that the loop may change, and whether it has checks. */
kata_status rounds_find(rounds *r);

/* ---- rounds_counter.c ------------------------------------------------------------------------ */

/* A CARRIED node for a variable that starts with a node; 0 for none. */
ir_id rounds_carried(rounds *r, ir_id start);
/* The most rounds by which a condition lets `counter`, a CARRIED, count upwards (+1) or downwards
 * (-1); -1: it does not say. All parts that `and` joins must hold. */
int64_t rounds_by(const lowering *l, ir_id condition, ir_id counter, int *direction);
/* Lowers the step, which does not run behind a break or return. */
kata_status rounds_count(rounds *r, int direction);
/* Refuses a loop without a limit, and loops that may run too often or are too many. */
kata_status rounds_check_limits(lowering *l, const ir_stmt *s, int64_t most);
kata_status rounds_check_work(lowering *l, const ir_stmt *s, int64_t work);

#endif
