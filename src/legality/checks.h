/* Private to legality: the single checks, and the parts of their messages. */
#ifndef LEGALITY_CHECKS_H
#define LEGALITY_CHECKS_H

#include "legality/legality.h"

/* ---- the parts of legality_check, in order; each assumes that the ones before it passed -------
 */

/* once.c: a kernel that runs once takes scalars, a kernel that runs on a grid fields. */
kata_status legality_check_once(const chain_loop *loop, messages *m);
/* legality.c: the rank of the grid. */
kata_status legality_check_rank(const chain_loop *loop, messages *m);
/* level_order.c: levels that run in order have a dimension of the grid, and intervals do not
 * overlap. */
kata_status legality_check_order(const chain_loop *loop, messages *m);
/* binding.c: grid sizes, components and types of fields and scalars. */
kata_status legality_check_bindings(const chain_loop *loop, messages *m);
/* grid_size.c: the size of a field given for a parameter with a ratio. */
kata_status legality_check_ratio(const chain_loop *loop, int param, messages *m);
/* range_check.c: the points of the range exist. */
kata_status legality_check_box(const chain_loop *loop, messages *m);
/* target.c: writes end in the grid. */
kata_status legality_check_targets(const chain_loop *loop, messages *m);
/* conflict.c: no two points touch one value when one writes it. */
kata_status legality_check_conflicts(const chain_loop *loop, messages *m);
/* discarded.c: no discarded value is read. */
kata_status legality_check_values(const chain_loop *loop, messages *m);
/* temporary.c: values read from temporary fields were written in this time step. */
kata_status legality_check_temporaries(const chain_loop *loop, messages *m);
/* coverage.c: reads outside the grid have a boundary rule. */
kata_status legality_check_reads(const chain_loop *loop, messages *m);

/* level_read.c: reads at indices known only at run time. */
kata_status legality_check_level_reads(const chain_loop *loop, messages *m);

/* ---- conflict_advice.c -----------------------------------------------------------------------
 */

/* Adds to a message begun what to do about a read that meets points of its own level, in a kernel
 * with an order; and about a parameter that a kernel without order changes in place. */
void legality_advise_level(const chain_loop *loop, const ir_access *access, messages *m);
void legality_advise_in_place(const chain_loop *loop, int param, messages *m);

/* ---- binding.c ------------------------------------------------------------------------------- */

/* "KATA_X | KATA_Z": the dimensions that a parameter extends along, of the first `rank`. */
void legality_print_set(text *out, const chain_loop *loop, const ir_param *param, int rank);

/* ---- where.c --------------------------------------------------------------------------------- */

enum { LEGALITY_NAME = 48 };

/* The dimension of loops and arrays that is dimension d of the program: another one on a mesh. */
int legality_axis(const chain_loop *loop, int d);
/* Of a dimension of loops and arrays, a side, and a box, as the program counts dimensions. */
char legality_letter(const chain_loop *loop, int d);
const char *legality_side(const chain_loop *loop, int side);
grid_box legality_shown(const chain_loop *loop, const grid_box *box);
/* "xy": what a parameter extends along. */
void legality_print_along(const chain_loop *loop, const ir_param *param, char out[4]);
/* "[-1,0]", as written in a kernel for grids of the loop's rank. */
void legality_print_offset(char out[LEGALITY_NAME], const chain_loop *loop,
                           const ir_access *access);

/* ---- coverage.c, temporary.c ----------------------------------------------------------------- */

/* The points of a loop's box at which all needed reads have a rule. `needs`: of analysis_needs. */
grid_box legality_covered(const chain_loop *loop, const grid_box *needs);
/* The first access that finds no value of a temporary field, from the points that `needs` has for
 * it, and a box of indices without value; -1 when there is none. */
int legality_find_unset(const chain_loop *loop, const grid_box *needs, grid_box *missing);

#endif
