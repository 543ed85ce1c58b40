/* What the files of bench_production share. */
#ifndef PRODUCTION_H
#define PRODUCTION_H

#include <stdbool.h>

enum { MOST_ROUNDS = 15 };

extern int rounds; /* in which what is compared takes turns */

/* These two print what they measure. False: an error was reported, and nothing printed.
 *
 * sources.c: a wave with sources and receivers between grid points, beside one without. */
bool measure_sources(int side);

/* outputs.c: a run that writes its field every so many steps, beside one that does not and beside
 * the writing alone. */
bool measure_output(int side, const char *folder);

#endif
