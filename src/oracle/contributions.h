/* Reductions into fields, for the reference executor and the plan interpreter. */
#ifndef ORACLE_CONTRIBUTIONS_H
#define ORACLE_CONTRIBUTIONS_H

#include "oracle/oracle.h"

/* Sets an element of the field of a column reduction from the values of all points of a loop. */
void oracle_reduce_columns(const chain_loop *loop, int p, int element, const ir_value *values);

#endif
