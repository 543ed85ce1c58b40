/* lattice: flow in three dimensions by the lattice Boltzmann method D3Q19.
 *
 * Lengths are in cells and times in steps. The domain is periodic; each dimension may have walls at
 * its two ends instead, and cells may be solid. */
#ifndef LATTICE_LATTICE_H
#define LATTICE_LATTICE_H

#include "common/common.h"

/* ---- populations.c: the method ----------------------------------------------------------------
 */

typedef enum lattice_scheme { LATTICE_PULL, LATTICE_AA, LATTICE_ESOTERIC } lattice_scheme;
typedef enum lattice_collision { LATTICE_TRT, LATTICE_BGK, LATTICE_MRT } lattice_collision;

typedef struct lattice_setup {
    int64_t size[3];
    kata_type type; /* of stored populations */
    lattice_scheme scheme;
    lattice_collision collision;
    double viscosity;
    double magic; /* Lambda of TRT and MRT. 0 for MRT: the rates of its authors */
    bool stokes;  /* without inertia */
    double force[3];
    bool walls[3];                /* at both ends of a dimension */
    double high[3][3], low[3][3]; /* velocities of the walls at the ends of each dimension */
} lattice_setup;

/* The kernels of a step, and those for the populations that it has written. */
typedef struct lattice_kernels {
    kata_kernel *relax, *seal[3], *bounce, *start, *measure;
} lattice_kernels;

typedef struct lattice {
    kata *k;
    lattice_setup setup;
    kata_grid *grid;
    lattice_kernels kernels[2]; /* steps in place take turns */
    kata_field *now, *next;     /* populations; next: of a scheme in place, nothing */
    kata_field *velocity, *density, *solid;
    kata_scalar *change, *mass, *momentum, *drag;
    double even, odd, rates[6];
    bool obstacles;
    kata_range around; /* obstacles and their neighbours */
    int64_t steps;     /* made so far */
} lattice;

/* What lattice_measure finds. */
typedef struct lattice_totals {
    double change; /* the largest change of the velocity since it was last measured */
    double mass, momentum[3];
} lattice_totals;

/* The product (1/even - 1/2)(1/odd - 1/2) of the relaxation rates. */
double lattice_magic(const lattice_setup *s);
/* Makes fields, all zero: fluid at rest, without obstacles. The context tells what went wrong. */
lattice lattice_new(kata *k, const lattice_setup *s);
/* Sets the populations to the balance of the fields velocity and density (less 1). */
void lattice_start(lattice *l);
void lattice_step(lattice *l);
/* Fills the field velocity. */
lattice_totals lattice_measure(lattice *l);

/* ---- parallel.c, vortex.c: flows of which the solution is known --------------------------------
 */

/* Flow between two walls, driven by a force or by one of the walls, without inertia: after it has
 * become steady it is compared with the exact solution of the scheme. Prints a table; false when a
 * difference is too large. */
bool lattice_poiseuille(kata *k, const lattice_setup *s);
bool lattice_couette(kata *k, const lattice_setup *s);
/* The decay of Taylor and Green's vortices in each of the three planes, on three grids. Prints
 * errors and the order of convergence; false when they are not as they should be. */
bool lattice_vortex(kata *k, const lattice_setup *s);

#endif
