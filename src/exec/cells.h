/* The places of a plan as real memory: a field's own array, or for a buffer cells of its capacity,
 * each of which knows whether it was set. */
#ifndef EXEC_CELLS_H
#define EXEC_CELLS_H

#include "plan/plan.h"

/* Makes the memory of a buffer, in which nothing is set; false without memory. cells_close frees
 * it, also what a failed cells_open left. */
bool cells_open(plan_place *place, const chain_slot *slot);
void cells_close(plan_place *place);

/* Reads and writes an element of the field of a slot at an index, as stored. False where the place
 * has no such index, and cells_get also where nothing was set. */
bool cells_get(const plan_place *place, const chain_slot *slot, int component,
               const int64_t index[3], ir_value *out);
bool cells_put(const plan_place *place, const chain_slot *slot, int component,
               const int64_t index[3], ir_value element);

#endif
