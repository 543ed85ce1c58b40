/* The places of a plan as real memory: a field's own array, or for a buffer cells of its capacity,
 * each of which knows whether it was set. */
#ifndef ORACLE_CELLS_H
#define ORACLE_CELLS_H

#include "plan/plan.h"

/* Makes the memory of a buffer, in which nothing is set; false without memory. oracle_cells_close
 * frees it, also what a failed oracle_cells_open left. */
bool oracle_cells_open(plan_place *place, const chain_slot *slot);
void oracle_cells_close(plan_place *place);

/* Reads and writes an element of the field of a slot at an index, as stored. False where the place
 * has no such index, and oracle_cells_get also where nothing was set. */
bool oracle_cells_get(const plan_place *place, const chain_slot *slot, int component,
                      const int64_t index[3], ir_value *out);
bool oracle_cells_put(const plan_place *place, const chain_slot *slot, int component,
                      const int64_t index[3], ir_value element);

#endif
