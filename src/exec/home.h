/* Values of fields that a device has: what the files of other executors do about them. */
#ifndef EXEC_HOME_H
#define EXEC_HOME_H

#include "exec/exec.h"

/* on_device.c: copies a field's values from the device, where it has changed them. */
kata_status exec_bring_home(exec_context *context, chain_slot *slot, messages *m);

#endif
