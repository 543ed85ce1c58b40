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

/* ---- where.c --------------------------------------------------------------------------------- */

/* "kernel 'heat' applied at main.c:17 to [0, 16) x [0, 16) of a 16 x 16 grid", as a line of the
 * message begun. */
void legality_say_where(const chain_loop *loop, messages *m);
/* ---- temporary.c, needed.c ------------------------------------------------------------------- */

/* Enters what a queued loop writes in the sets of temporary fields; false when memory is out. */
bool legality_note_written(const chain_loop *loop);
/* Of a loop applied to kata_needed, sets the box: the largest found at which its writes have a
 * place and its reads values. Reports what such a kernel may not do. */
kata_status legality_find_needed(chain_loop *loop, messages *m);

#endif
