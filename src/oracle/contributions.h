/* Reductions into fields, for the reference executor and the plan interpreter. */
#ifndef ORACLE_CONTRIBUTIONS_H
#define ORACLE_CONTRIBUTIONS_H

#include "oracle/oracle.h"

/* Sets an element of the field of a column reduction from the values of all points of a loop. */
void oracle_reduce_columns(const chain_loop *loop, int p, int element, const ir_value *values);

/* ---- first_point.c: the first point of a minimum or maximum ---------------------------------
 */

typedef struct oracle_where {
    bool found;
    ir_value value;
    int64_t point[3];
} oracle_where;

/* Meets what a point contributes to the minimum or maximum `of`. */
void oracle_where_meet(const ir_param *of, oracle_where *w, ir_value x, const int64_t point[3]);
/* The index along a dimension that a WHERE parameter holds when the loop has ended: that of the
 * point met, or, if it goes on and `old`, the reduction's value before, is as good, the index that
 * it held. */
ir_value oracle_where_index(const ir_param *param, const ir_param *of, const oracle_where *w, int d,
                            ir_value old, ir_value index);

#endif
