/* Values of fields that a device has: what the files of other executors do about them. */
#ifndef EXEC_HOME_H
#define EXEC_HOME_H

#include "exec/exec.h"

/* Copies a field's values from the device, where it has changed them; its part's,
 * too. */
kata_status exec_bring_home(exec_context *context, chain_slot *slot, messages *m);
/* Copies a box of a field's values from the device, or to it, where the array's were changed. */
kata_status exec_move_box(exec_context *context, chain_slot *slot, const grid_box *box, bool home,
                          messages *m);
/* After a device gave no values of a field, in a chain that fails: it holds NaN (0 for integers),
 * not what it had before the device changed it. */
void exec_lose(chain_slot *slot);

#endif
