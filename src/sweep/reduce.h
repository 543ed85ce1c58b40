/* Reductions do not depend on the order of execution. Each point contributes one value. Points are
 * grouped in bricks of ABI_BRICK consecutive global x indices, the first at 0. Within a brick,
 * lane l adds, from its neutral start, the contributions of x = l, l + ABI_LANES, ... in this
 * order; lanes are then combined in halves: lane l with lane l + 16, then l + 8, .., l + 1. Results
 * are combined over bricks, then over y, then over z by a binary tree aligned to global indices:
 * the node of level k over [j*2^k, (j+1)*2^k) is its lower half combined with its upper half, a
 * half without points left out; all indices below 0 are one such half, all others its upper one. A
 * sum is finally added to 0 (so that a sum of no points is +0); min and max of no points are their
 * neutral start. A reduction declared inout is at last combined with what the scalar held before,
 * which comes first: old + sum.
 *
 * A reduction into a field has such an order for each element of the field, over the dimensions
 * that the field lacks. Where it has x, points are grouped in bricks of IR_COLUMN_BRICK indices
 * along the first dimension that it lacks: y, or else z. Such a brick is combined one point after
 * the other from its neutral start, upwards, or downwards where levels along that dimension run
 * downwards; the tree goes over bricks, and over z if it lacks y and z. */
#ifndef SWEEP_REDUCE_H
#define SWEEP_REDUCE_H

#include "sweep/sweep.h"

/* Sets elements of the parameter's type to what changes nothing that it is combined with. */
void sweep_reduce_start(const ir_param *param, void *elements, int64_t count);
/* Reduces contributions of points x_lo .. x_hi-1 of a row, in the parameter's type, brick by brick:
 * partials[0] is of the brick that holds x_lo. */
void sweep_reduce_row(const ir_param *param, const void *contributions, int64_t x_lo, int64_t x_hi,
                      ir_value *partials);
/* The same of the lanes of bricks that follow one another, ABI_LANES each. */
void sweep_reduce_lanes(const ir_param *param, const void *lanes, int64_t bricks,
                        ir_value *partials);
/* Combines `count` elements of two rows, one by one; `to` may be the first. */
void sweep_reduce_rows(const ir_param *param, const void *a, const void *b, int64_t count,
                       void *to);
/* The last step: adds the sums of a row to 0. */
void sweep_reduce_end_row(const ir_param *param, int64_t count, void *row);
/* The tree over `count` rows of points, `pitch` bytes apart, whose first has index `first`; the
 * result is the first row, the others are lost. */
void sweep_reduce_row_tree(const ir_param *param, void *rows, int64_t pitch, int64_t first,
                           int64_t count, int64_t points);
#endif
