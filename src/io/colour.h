/* What both maps of colours need. */
#ifndef IO_COLOUR_H
#define IO_COLOUR_H

#include "io/io.h"

/* For maps of `count` colours at equal steps: sets which two t lies between (*low and the next),
 * and how far from the first. False for NaN; then rgb is magenta. */
bool io_between_colours(double t, int count, int *low, double *part, uint8_t rgb[3]);

#endif
