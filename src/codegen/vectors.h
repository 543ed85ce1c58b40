/* Private to codegen: the vectors of a row. */
#ifndef CODEGEN_VECTORS_H
#define CODEGEN_VECTORS_H

#include "codegen/emit.h"

/* ---- vector_body.c, vectors.c ---------------------------------------------------------------- */

/* Whether the results of a store are held back, in "new_3", until they are written. */
bool codegen_is_held(const codegen_writer *w, int store);
/* Arrays for these: the results of a vector before they are written. */
void codegen_held(const codegen_writer *w, nest *in);
/* The element of the row that a store writes, at the point `at`: "&p1_v_new[at]". */
codegen_label codegen_target_row(const codegen_writer *w, int store, const char *at);
/* The first and the end of the points whose vectors are written. */
const char *codegen_start_of(const codegen_writer *w);
const char *codegen_end_of(const codegen_writer *w);
/* The loop over vectors at `at`: each begins at the variable `name`, but the first is moved up, and
 * the last down, where they would leave the row. */
nest *codegen_clamped_loop(nest *in, const char *name, const char *from, const char *to);
/* The lane of a brick that takes the first point of the vector at `at`. */
void codegen_first_lane(const codegen_writer *w, nest *in);
/* The lanes of a vector at `at`, with what is prefetched meanwhile. */
void codegen_vector(const codegen_writer *w, nest *in);
/* In front of codegen_whole_bricks: rounds may end with the row. */
nest *codegen_if_rounds(const codegen_writer *w, nest *in);
/* The points of a brick in front of its first round; the vectors of the round at `start`. */
void codegen_heads(const codegen_writer *w, nest *in);
void codegen_round(const codegen_writer *w, nest *in);
/* The loops over the vectors of a row, and over the points at its ends that belong to none. */
void codegen_vectors(const codegen_writer *w, nest *in);
/* The loop over the vectors of a part, or of the whole row. */
void codegen_vector_loop(const codegen_writer *w, nest *in);

/* ---- row_ends.c ------------------------------------------------------------------------------ */

/* Where the vectors of a row begin and end, whose stores are to `row`. */
void codegen_ends_bounds(const codegen_writer *w, nest *in, const char *row);
/* The loop over vectors at `at`: those of both ends first. */
nest *codegen_ends_loop(nest *in);
/* Where the results of a vector go: those of the ends are kept. */
codegen_label codegen_ends_target(const codegen_writer *w, int store);
/* Writes the ends, behind the loop. */
void codegen_ends_puts(const codegen_writer *w, nest *in);
/* Where the vectors of a row begin whose points are read by the next row. */
void codegen_tails_from(nest *in, const char *row);
/* The vector at `at`, half as long, that follows the last one, if the row has as many points. */
nest *codegen_tail(const codegen_writer *w, nest *in);

#endif
