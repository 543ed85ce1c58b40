/* analysis: what loops touch, and whether they may. */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "chain/chain.h"

/* ---- footprint.c ----------------------------------------------------------------------------- */

/* Smallest box of offsets that holds all reads of one component of one field parameter. */
typedef struct analysis_reach {
    int param, component;
    int32_t lo[3], hi[3]; /* inclusive; lo <= 0 <= hi is not implied */
} analysis_reach;

/* Sets an entry of `out` for every (param, component) that a kernel reads, in order; returns their
 * number. There is room for kernel->access_count entries. */
int analysis_reaches(const ir_kernel *kernel, analysis_reach *out);
/* The box of indices that a field parameter touches at offsets lo .. hi (inclusive) from the points
 * of a box; empty when that is. */
grid_box analysis_touched(const ir_param *param, const int32_t lo[3], const int32_t hi[3],
                          const grid_box *from);
/* The points of a loop's box at which every read and write lands inside the grid. May be empty. */
grid_box analysis_interior(const chain_loop *loop);

/* ---- guard.c --------------------------------------------------------------------------------- */

/* Sets out[i] to a box that holds all points of the loop at which access i of its kernel matters:
 * of `ix > 0 ? u[-1,0] : u`, those beyond the first column. Empty where none does. False when
 * memory is out. */
bool analysis_needs(const chain_loop *loop, grid_box *out);
/* A box that holds all points of the loop at which a store happens. */
grid_box analysis_written(const chain_loop *loop, const ir_store *store);

/* ---- legality.c ------------------------------------------------------------------------------ */

/* Whether a loop may be queued: ranks and sizes match, the box lies in the grid, no two points
 * touch one value when one writes it (reads at other offsets of what is written, also through a
 * field bound twice), reads outside the grid are covered by boundary rules. Each refusal says
 * kernel line, field, offset, place of application, and what to do instead. */
kata_status analysis_check(const chain_loop *loop, messages *m);

/* discarded.c: whether a loop writes every value of a field, whatever it was before. */
bool analysis_writes_all(const chain_loop *loop, int param);

enum { ANALYSIS_NAME = 48 };

/* "kernel 'heat' applied at main.c:17 to [0, 16) x [0, 16) of a 16 x 16 grid", as a line of the
 * message begun. */
void analysis_say_where(const chain_loop *loop, messages *m);
/* "[-1,0]", as written in a kernel for grids of this rank. */
void analysis_print_offset(char out[ANALYSIS_NAME], const ir_access *access, int rank);

/* The parts of analysis_check, in this order; each assumes that those before it passed. */
/* once.c: what runs once is given scalars, what runs on a grid fields. */
kata_status analysis_check_once(const chain_loop *loop, messages *m);
kata_status analysis_check_rank(const chain_loop *loop, messages *m);
kata_status analysis_check_box(const chain_loop *loop, messages *m);
/* binding.c: grid sizes, components and types of fields and scalars. */
kata_status analysis_check_bindings(const chain_loop *loop, messages *m);
/* grid_size.c: the size of a field given for a parameter with a ratio. */
kata_status analysis_check_ratio(const chain_loop *loop, int param, messages *m);
/* target.c: what is written lies in the grid. */
kata_status analysis_check_targets(const chain_loop *loop, messages *m);
/* conflict.c: no two points touch one value when one writes it. */
kata_status analysis_check_conflicts(const chain_loop *loop, messages *m);
/* discarded.c: no value is read that was discarded. */
kata_status analysis_check_values(const chain_loop *loop, messages *m);
/* coverage.c: reads outside the grid have a boundary rule. */
kata_status analysis_check_reads(const chain_loop *loop, messages *m);

#endif
