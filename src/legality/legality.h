/* legality: whether loops may be queued. Judges single applications, with messages. */
#ifndef LEGALITY_LEGALITY_H
#define LEGALITY_LEGALITY_H

#include "analysis/analysis.h"

/* ---- legality.c ------------------------------------------------------------------------------ */

/* Whether a loop may be queued: ranks and sizes match, the box lies in the grid, no two points
 * touch one value when one of them writes it (also through a field bound twice), boundary rules
 * cover reads outside the grid. Each refusal says kernel line, field, offset, location of the
 * application, and what to do instead. */
kata_status legality_check(const chain_loop *loop, messages *m);
/* The same for a loop over points between those of its grid, whose fields and scalars are of the
 * right shapes and types: values that are read were written. */
kata_status legality_check_sparse(const chain_loop *loop, messages *m);

/* ---- copied.c -------------------------------------------------------------------------------- */

/* The same for a copy, whose boxes have points and lie in the fields: types and components are
 * equal, a field is not copied onto itself, values that are read were written. */
kata_status legality_check_copy(const chain_loop *loop, messages *m);

/* ---- where.c --------------------------------------------------------------------------------- */

/* "kernel 'heat' applied at main.c:17 to [0, 16) x [0, 16) of a 16 x 16 grid", as a line of the
 * message begun. */
void legality_say_where(const chain_loop *loop, messages *m);
/* ---- temporary.c, needed.c ------------------------------------------------------------------- */

/* Notes the indices that a queued loop writes in tracked fields; false when memory is out. */
bool legality_note_written(const chain_loop *loop);
/* Sets the box of a loop applied to kata_needed: the largest box found at which its writes lie in
 * their fields and its reads find values. Reports whatever such a kernel may not do. */
kata_status legality_find_needed(chain_loop *loop, messages *m);

#endif
