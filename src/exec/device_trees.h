/* Trees over partials on a device: what the files share that combine them. */
#ifndef EXEC_DEVICE_TREES_H
#define EXEC_DEVICE_TREES_H

#include "exec/on_device.h"

/* Far beyond all indices of trees, and a multiple of all nodes: see combine_tree in sweep/reduce.c.
 */
static const int64_t DEVICE_CENTRE = (int64_t)1 << 60;
/* Values of a list that one group combines at once: more take it longer. */
enum { DEVICE_TREE_AT_ONCE = CODEGEN_TREE_HELD * CODEGEN_TREE_LEAVES / 2 };
/* A tree over lists of values, whose results go to those of `to`. */
kata_status device_run_tree(const device_loop *l, const ir_param *param, const device_partials *p,
                            const abi_tree *tree, const device_partials *to);

/* ---- device_reduce.c ------------------------------------------------------------------------- */

/* Sets what a loop reduces into, by the partials of a box, which are lost. */
kata_status device_set_result(const device_waiting *w, const grid_box *bricks, ir_value *values,
                              messages *m);

#endif
