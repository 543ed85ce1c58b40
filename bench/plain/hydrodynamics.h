/* The plain form of a hydrodynamics code with staggered fields, as in ../kernels.kata. */
#ifndef HYDRODYNAMICS_H
#define HYDRODYNAMICS_H

#include <stdbool.h>
#include <stdint.h>

/* Densities and energies before and after a step, pressure, sound speed and viscosity of cells;
 * velocities of nodes; volumes, masses and heat that pass faces across x and y. */
#define HYDRO_FIELDS(X)                                                                            \
    X(rho0)                                                                                        \
    X(rho1)                                                                                        \
    X(e0)                                                                                          \
    X(e1) X(p) X(c) X(q) X(u0) X(u1) X(v0) X(v1) X(fx) X(mass_x) X(heat_x) X(fy) X(mass_y) X(heat_y)

/* n cells along each dimension; element x + y*row. What lies nearer than two cells to a side keeps
 * its values. */
typedef struct hydro {
    int64_t nx, ny, row;
    double dt;
#define MEMBER(name) double *name;
    HYDRO_FIELDS(MEMBER)
#undef MEMBER
} hydro;

/* A time step, after which rho0, e0, u0, v0 have the new values. */
void plain_hydro_step(hydro *h);

#endif
