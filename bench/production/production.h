/* What the files of bench_production share. */
#ifndef PRODUCTION_H
#define PRODUCTION_H

enum { MOST_ROUNDS = 15 };

extern int rounds; /* in which what is compared takes turns */

/* Sorts. */
double median(double *x, int count);

/* sources.c: a wave with sources and receivers between grid points, beside one without. */
void measure_sources(int side);

/* outputs.c: a run that writes its field every so many steps, beside one that does not and beside
 * the writing alone. */
void measure_output(int side, const char *folder);

#endif
