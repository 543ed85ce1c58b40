/* Pictures of plans: what the files svg*.c share. */
#ifndef IO_SVG_H
#define IO_SVG_H

#include "io/io.h"

enum { SVG_WIDTH = 1180, SVG_LOW = 5 }; /* pixels; LOW: the height of a low bar */

/* ---- svg.c ----------------------------------------------------------------------------------- */

/* The beginning of a picture of that height, SVG_WIDTH wide. */
void io_svg_begin(text *out, int height);

/* ---- svg_colour.c ---------------------------------------------------------------------------- */

/* The colour of tiles with a number in the order, and a colour for text on them. */
const char *io_svg_colour(int order);
const char *io_svg_ink(int order);

/* ---- svg_plan.c ------------------------------------------------------------------------------ */

/* Draws plan `number` from pixel `top` on, and returns the height; 0 where the plan computes
 * nothing, or memory is out (out->failed). */
int io_svg_panel(text *out, const plan *p, const analysis_chain *a, int dimension, int number,
                 int top);

#endif
