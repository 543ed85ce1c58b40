/* Reductions of a prepared loop, beside those that sweep.c ends itself: into bins, into fields, and
 * from contributions that are collected first. */
#ifndef SWEEP_REDUCTIONS_H
#define SWEEP_REDUCTIONS_H

#include "sweep/loop.h"

/* ---- bins.c ---------------------------------------------------------------------------------- */

/* Finds the sums with bins, and gives a thread its bins; false when memory is out. */
bool sweep_prepare_bins(sweep_loop *l);
bool sweep_prepare_bins_of(sweep_loop *l, sweep_share *share);
/* Empties all bins. */
void sweep_begin_bins(const sweep_loop *l);
/* Points the views of a thread to its bins. */
void sweep_bind_bins(const sweep_loop *l, sweep_share *share);
/* Adds what a point alone contributes, from the values of its graph. */
void sweep_add_to_bins(const sweep_loop *l, const sweep_share *share, const int64_t point[3],
                       const ir_value *values);
/* Adds bins, those of parameter number b, to the bins of the first thread. */
void sweep_join_bins(const sweep_loop *l, int b, const char *from);
/* Adds the bins of all threads to those of the first one, and empties the others. */
void sweep_join_threads(const sweep_loop *l);
/* Sets the scalars to the sums over all threads; false when memory is out. */
bool sweep_finish_bins(const sweep_loop *l);

/* ---- extreme_point.c: where a minimum or maximum is found -------------------------------------
 *
 * The bins of a WHERE parameter are five values: whether anything was met, the least (or greatest)
 * value, and x, y and z of the first point that has it. Compiled code does the same: vector.h. */

enum { SWEEP_EXTREME_BYTES = 5 * sizeof(ir_value) };
/* Meets the contribution of a point. */
void sweep_meet_extreme(const ir_kernel *kernel, int where, ir_value *best, ir_value x,
                        const int64_t point[3]);
/* Sets the scalars to the first points of all threads; false when memory is out. */
bool sweep_finish_extremes(const sweep_loop *l);

/* ---- columns.c, commit_columns.c: reductions into fields --------------------------------------
 */

/* Adds an element of a reduction to l->column_sums; false when memory is out. */
bool sweep_add_column_sum(sweep_loop *l, int param, int element);
/* Before the first point of a loop whose levels run one by one. */
void sweep_start_columns(const sweep_loop *l);
/* Runs a block of a loop that has column sums: whole columns. False when memory is out. */
bool sweep_run_columns(const sweep_loop *l, const grid_box *block, sweep_share *share);
/* After the last point: sets the fields into which a loop reduces. False when memory is out. */
bool sweep_commit_columns(sweep_loop *l);
/* ---- across_ranks.c: reductions over the points of all ranks ----------------------------------
 */

/* After the last point on this rank, of a loop that is parted: meets the other ranks. Bins then
 * hold the sums of all. Returns the partials of all ranks, of one reduction after another, which
 * lie in the box *whole; to be freed. NULL when memory is out, or a rank could not be met. */
ir_value *sweep_meet_ranks(const sweep_loop *l, const grid_box *left, grid_box *whole);

/* ---- run_sparse.c ---------------------------------------------------------------------------- */

/* After the last point of a loop over points between those of its grid: sets the sums over the
 * points of all ranks. False when memory is out, or a rank could not be met. */
bool sweep_finish_sparse(const sweep_loop *l);

/* ---- collected.c ----------------------------------------------------------------------------- */

/* Partials of all rows from the contributions of their points. */
void sweep_reduce_collected(const sweep_loop *l);

#endif
