/* The plain form of the Taylor-Green vortex, as in ../../apps/vortex/vortex.kata. */
#ifndef VORTEX_LOOPS_H
#define VORTEX_LOOPS_H

#include <stdint.h>

enum { VORTEX_STATE = 5, VORTEX_GHOSTS = 2 };

/* n points along each dimension, and two ghosts at each side; element x + y*row + z*plane from the
 * first inner point. */
typedef struct vortex_loops {
    int64_t n, row, plane;
    double *now[VORTEX_STATE], *next[VORTEX_STATE], *base[VORTEX_STATE];
    double *flow[VORTEX_STATE], *stretching[3];
    double heat, spacing, viscosity, conductivity, dt;
} vortex_loops;

/* A time step, after which `now` has the new values. */
void plain_vortex_step(vortex_loops *v);

#endif
