/* What the files of bench_ranks share. */
#ifndef BENCH_RANKS_H
#define BENCH_RANKS_H

#include "kata/kata.h"

#include <stdbool.h>
#include <stdint.h>

enum { MOST_SAMPLES = 101 };

/* Sorts. */
double median(double *x, int count);

/* ---- steps.c: programs whose steps are timed --------------------------------------------------*/

/* Steps of a program in a context. */
typedef struct steps steps;

/* "cube" or "square", of a kernel that reads neighbours one point away, or "cloverleaf"; of `side`
 * points along each dimension. NULL after an error. */
steps *steps_open(const char *name, int64_t side, int threads);
/* Runs so many. */
void steps_run(steps *s, int count);
kata *steps_context(const steps *s);
/* False, reported, when something has failed. */
bool steps_close(steps *s);

/* ---- exchanges.c: what an exchange costs, under a launcher, on two ranks --------------------- */

/* Prints a line per program. False when something has failed. */
bool exchanges_measure(bool quick);

/* ---- scaling.c: two ranks beside two threads of one rank --------------------------------------
 */

/* Starts this program, `self`, on two ranks and on one, and has them run steps by turns. `name`:
 * only such programs, and, if `side` is not 0, of that size; NULL: all. */
bool scaling_measure(char *self, const char *name, int64_t side, bool quick);
/* What these do: they read how many steps to run, and print how long they took. */
bool scaling_obey(const char *name, int64_t side, int threads);

#endif
