/* Private to codegen: rows of coloured loops, which colored.c writes. */
#ifndef CODEGEN_COLORED_H
#define CODEGEN_COLORED_H

#include "codegen/emit.h"

/* What all rows need, at the head of the function. */
void codegen_color_numbers(const codegen_writer *w, nest *in);
/* Before the first vector of a row, which begins at `from`: how far the colour is ahead, and room
 * for the results of a vector that are held back. */
void codegen_color_row(const codegen_writer *w, nest *in);
/* In front of the vector at `at`: `colored` has a bit for each lane that counts; bits above the
 * lanes mean nothing. */
void codegen_color_vector(const codegen_writer *w, nest *in);
/* Writes the results that are held back, once the next vector is computed or when there is none;
 * holds back those of the vector at `at`. */
void codegen_color_puts(const codegen_writer *w, nest *in);
void codegen_color_hold(const codegen_writer *w, nest *in);
/* All vectors from `start` on that overlap no other, where these may be written whole: of two
 * colours, if others leave the points between alone. Leaves the loop when none is left. */
void codegen_color_whole(const codegen_writer *w, nest *in);
/* The loop over the points of a row, from one index to another, that have the colour. */
nest *codegen_color_points(nest *in, const char *from, const char *to);

#endif
