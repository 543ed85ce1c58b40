/* What the files of bench_latency share. */
#ifndef LATENCY_H
#define LATENCY_H

#include <stdbool.h>

enum { MOST_REPEATS = 41 };

extern int repeats;

/* Sorts. */
double median(double *x, int count);
void line(const char *what, double value, const char *unit, const char *target);

/* boxes.c: what it costs to prepare a loop, and to run it on one more box. */
void measure_boxes(void);

/* planning.c: what it costs to plan a chain, and to find its plan again. */
void measure_planning(void);

/* staggered_chain.c: what it costs to plan two steps of CloverLeaf in three dimensions. */
void measure_hydrodynamics(void);

/* first_sweeps.c: what new memory costs. Forks. */
void measure_memory(bool quick);

#endif
