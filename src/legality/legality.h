/* legality: whether loops may be queued. Verdicts on single applications, with messages. */
#ifndef LEGALITY_LEGALITY_H
#define LEGALITY_LEGALITY_H

#include "analysis/analysis.h"

/* ---- legality.c ------------------------------------------------------------------------------ */

/* Whether a loop may be queued: ranks and sizes match, the box lies in the grid, no two points
 * touch one value when one writes it (reads at other offsets of what is written, also through a
 * field bound twice), reads outside the grid are covered by boundary rules. Each refusal says
 * kernel line, field, offset, place of application, and what to do instead. */
kata_status legality_check(const chain_loop *loop, messages *m);

enum { LEGALITY_NAME = 48 };

/* "kernel 'heat' applied at main.c:17 to [0, 16) x [0, 16) of a 16 x 16 grid", as a line of the
 * message begun. */
void legality_say_where(const chain_loop *loop, messages *m);
/* "[-1,0]", as written in a kernel for grids of this rank. */
void legality_print_offset(char out[LEGALITY_NAME], const ir_access *access, int rank);

/* ---- the parts of legality_check, in this order; each assumes that those before it passed ---- */

/* once.c: what runs once is given scalars, what runs on a grid fields. */
kata_status legality_check_once(const chain_loop *loop, messages *m);
/* legality.c */
kata_status legality_check_rank(const chain_loop *loop, messages *m);
/* level_order.c: levels that run in order have a dimension of the grid, and intervals do not
 * overlap. */
kata_status legality_check_order(const chain_loop *loop, messages *m);
/* binding.c: grid sizes, components and types of fields and scalars. */
kata_status legality_check_bindings(const chain_loop *loop, messages *m);
/* grid_size.c: the size of a field given for a parameter with a ratio. */
kata_status legality_check_ratio(const chain_loop *loop, int param, messages *m);
/* legality.c: the points of the range exist. */
kata_status legality_check_box(const chain_loop *loop, messages *m);
/* target.c: what is written lies in the grid. */
kata_status legality_check_targets(const chain_loop *loop, messages *m);
/* conflict.c: no two points touch one value when one writes it. */
kata_status legality_check_conflicts(const chain_loop *loop, messages *m);
/* discarded.c: no value is read that was discarded. */
kata_status legality_check_values(const chain_loop *loop, messages *m);
/* temporary.c: what is read of temporary fields was written in this time step. */
kata_status legality_check_temporaries(const chain_loop *loop, messages *m);
/* coverage.c: reads outside the grid have a boundary rule. */
kata_status legality_check_reads(const chain_loop *loop, messages *m);

/* ---- coverage.c, temporary.c, needed.c ------------------------------------------------------- */

/* The points of a loop's box at which reads have a rule, `needs` being those of analysis_needs. */
grid_box legality_covered(const chain_loop *loop, const grid_box *needs);
/* The first access, from the points that `needs` has for each, that finds no value of a temporary
 * field, and a box of indices that lack one; -1 when there is none. */
int legality_find_unset(const chain_loop *loop, const grid_box *needs, grid_box *missing);
/* Enters what a queued loop writes in the sets of temporary fields; false when memory is out. */
bool legality_note_written(const chain_loop *loop);
/* Of a loop applied to kata_needed, sets the box: the largest found at which its writes have a
 * place and its reads values. Reports what such a kernel may not do. */
kata_status legality_find_needed(chain_loop *loop, messages *m);

#endif
