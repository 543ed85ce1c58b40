/* The plain V-cycle: its levels, the finest first, each half as wide as the one before. */
#ifndef VCYCLE_H
#define VCYCLE_H

#include <stdbool.h>
#include <stdint.h>

enum { VCYCLE_COARSEST = 4, VCYCLE_LEVELS = 9 };

/* n cells along each dimension, and a ghost at each side: the value of cell (x,y,z) is element
 * x + 1 + (y + 1)*row + (z + 1)*plane. */
typedef struct vcycle_level {
    int64_t n, row, plane;
    double h2;         /* width of a cell, squared; 1 on the finest level */
    double *u, *f, *r; /* solution, right-hand side, residual */
} vcycle_level;

/* Sets VCYCLE_LEVELS levels, of which those from n to the coarsest are in use; n is the coarsest
 * times a power of 2. All values are 0. False when memory is out; vcycle_free works then, too. */
bool vcycle_make(vcycle_level *levels, int64_t n);
void vcycle_free(vcycle_level *levels);

/* One cycle from this level down. */
void plain_vcycle(const vcycle_level *level);

#endif
