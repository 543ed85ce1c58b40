/* Planes of fields on a device: what the files share that stream chains through its memory. */
#ifndef EXEC_DEVICE_RINGS_H
#define EXEC_DEVICE_RINGS_H

#include "exec/on_device.h"

/* ---- device_spare.c: memory of rings, from section to section -------------------------------- */

/* Memory for a ring of a field that needs so many bytes of turns: what it had before, or what is
 * left of chains before, if it is no more than `most`; NULL: there is none. */
store_turns *device_spare_take(struct exec_device *d, const chain_slot *field, int64_t bytes,
                               int64_t most);
/* Keeps it for later rings. */
bool device_spare_keep(struct exec_device *d, store_turns *turns);
/* Waits until nothing is worked on, or moved, in what is kept; `free`: and frees it. False when the
 * device has failed. */
bool device_spare_settle(struct exec_device *d, bool free);
int64_t device_spare_bytes(const struct exec_device *d);

/* ---- device_spans.c: what rings are for ------------------------------------------------------ */

/* Whether planes of a field can be moved. */
bool device_suits(const chain_slot *slot);
/* Gives the slots of a chain back what they have while it streams, after another chain of them ran.
 */
void device_stream_again(const chain *c);
/* See stream_memory. */
bool device_study(const exec_streams *s, const analysis_chain *a);
int64_t device_ring_bytes(const exec_streams *s, const analysis_chain *a, int slot, int64_t planes);
/* What a ring is for, of a chain that was studied: where it begins, the section that runs says. */
store_device_span device_span_of(const stream_run *run, const plan_node *buffer);

/* ---- device_stream.c: chains whose fields do not fit -------------------------------------------
 */

extern const stream_memory device_stream;

#endif
