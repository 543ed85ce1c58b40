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
/* Waits for all loops and copies that a device is left with. `m`: NULL where another error was
 * reported. */
kata_status exec_wait_for_device(exec_context *context, messages *m);
/* Reports that the device gave no values. */
kata_status exec_not_moved(const exec_context *context, messages *m);
/* After a device gave no values of a field, in a chain that fails: it holds NaN (0 for integers),
 * not what it had before the device changed it. */
void exec_lose(chain_slot *slot);

/* ---- device_messages.c: messages of ranks, packed ---------------------------------------------
 *
 * MPI takes them from the device's memory, and puts them there, if it says that it can, and all
 * their values are there. Others lie in memory of this machine. */

/* Reads KATA_DEVICE_MPI. */
kata_status exec_read_device_mpi(exec_context *context, messages *m);
/* Whether MPI is given memory of the device. */
bool exec_gives_mpi_memory(const exec_context *context);
/* Memory for messages, whose values may be lost; NULL: there is none. Here: of this machine, from
 * and to which copies are fast. */
char *exec_messages_here(exec_context *context, size_t bytes);
device_memory *exec_messages_there(exec_context *context, size_t bytes);
/* Packs values of a box that the device has, and unpacks those that it gets. They are there after
 * the next wait, until which what is packed stays. */
kata_status exec_pack(exec_context *context, chain_slot *slot, const grid_box *box,
                      const store_packed *to, messages *m);
kata_status exec_unpack(exec_context *context, chain_slot *slot, const grid_box *box,
                        const store_packed *from, messages *m);
kata_status exec_wait_for_packed(exec_context *context, messages *m);
/* Counts the messages of an exchange. */
void exec_note_messages(exec_context *context, int64_t there, int64_t here);
void exec_messages_explain(const exec_context *context, text *out);
/* Frees their memory: that of the device, or all. */
void exec_messages_free(struct exec_device *d, bool all);

#endif
