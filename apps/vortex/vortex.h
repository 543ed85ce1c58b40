/* vortex: the Taylor-Green vortex, which breaks up into turbulence and decays, compared with a
 * direct numerical simulation from the literature.
 *
 * The box is periodic, 2 pi long in each direction. The unit of length is L, of velocity the speed
 * V of the vortex, of time L / V, of density and temperature those of the gas at rest. */
#ifndef VORTEX_VORTEX_H
#define VORTEX_VORTEX_H

#include "common/common.h"

#include <kata/kata.h>

#include <stdbool.h>

typedef struct vortex_case {
    double reynolds, mach;
    double courant; /* time steps in which sound passes one spacing */
    int64_t size;   /* points along a side */
} vortex_case;

/* ---- gas_box.c: the gas and its time step
 * ---------------------------------------------------------- */

enum { VORTEX_QUANTITIES = 5 }; /* density, three of momentum, energy */

typedef struct vortex_box {
    kata *k;
    kata_grid *grid;
    kata_module *module;
    kata_kernel *find_flow, *find_stretching, *stages[3], *measure;
    kata_field *now, *next, *base; /* the state, of VORTEX_QUANTITIES components */
    kata_field *flow, *stretching; /* within a step */
    kata_field *vorticity;         /* while it is drawn */
    kata_scalar *totals;
    double spacing;
    double viscosity, conductivity;
    double heat; /* 1.4 Mach^2: the temperature where pressure and density are 1 */
} vortex_box;

/* Makes the fields. The context tells what went wrong. */
void vortex_box_make(vortex_box *b, kata *k, const vortex_case *c);
void vortex_box_start(const vortex_box *b);
/* Queues a time step. */
void vortex_box_step(const vortex_box *b, double dt);
/* Steps of equal length, the fewest that keep to the Courant number. */
int64_t vortex_steps(const vortex_case *c, double time);

/* Means over the box. */
typedef struct vortex_sample {
    double density;
    double energy;    /* kinetic */
    double enstrophy; /* half of density times squared vorticity */
} vortex_sample;

/* Ends the chain. */
vortex_sample vortex_box_measure(const vortex_box *b);
/* Writes the size of the vorticity in the plane x = pi as a PNG, y to the right and z upwards. */
kata_status vortex_slice_save(const vortex_box *b, const char *path);

/* ---- history.c: from the start to the end
 * -------------------------------------------------------- */

enum { VORTEX_RATE = 10 }; /* samples in a unit of time */

typedef struct vortex_history {
    vortex_case c;
    vortex_sample *samples; /* the first at time 0 */
    int64_t count;
    int64_t steps, first; /* first: those that were made before the checkpoint */
    double seconds;
    bool complete; /* until the end */
    bool drawn;    /* the picture of the vorticity, in this run */
} vortex_history;

typedef struct vortex_wishes {
    double until;
    const char *slice; /* a picture of the vorticity at slice_time, or at the end; NULL: none */
    double slice_time;
    checkpoints checkpoints;
    bool quiet;
} vortex_wishes;

/* False when memory is out, when the flow blew up (a message says so), or when the context has
 * reported an error. */
bool vortex_history_run(vortex_history *h, kata *k, const vortex_case *c, const vortex_wishes *w);
void vortex_history_free(vortex_history *h);
/* -dE/dt at a sample, by differences of second order; of two samples, their difference. */
double vortex_dissipation(const vortex_history *h, int64_t sample);
/* What friction dissipates if the flow is incompressible: twice enstrophy over the Reynolds number.
 */
double vortex_friction(const vortex_history *h, int64_t sample);

/* ---- published.c, agreement.c: the literature ---------------------------------------------------
 */

enum { VORTEX_ROWS = 100, VORTEX_ROWS_RATE = 5 }; /* of the tables, and of them in a unit of time */

extern const double vortex_published_reynolds;
extern const double vortex_published_peak; /* the largest dissipation, at time 8.97 */
extern const double vortex_published_energy[VORTEX_ROWS];
extern const double vortex_published_dissipation[VORTEX_ROWS];

/* Prints the history beside the table. False where the largest difference exceeds the limit for the
 * number of points. */
bool vortex_compare(const vortex_history *h);

/* ---- wave.c: an exact solution
 * ------------------------------------------------------------------- */

/* Runs a weak plane wave of sound, heat and shear and prints how far it is from the solution of the
 * linear equations at the end. False when the context has reported an error. */
bool vortex_wave_run(kata *k, const vortex_case *c, double until);

/* ---- curves.c: the picture
 * ----------------------------------------------------------------------- */

/* Draws the dissipation over the published one. `other`: a second history; NULL: none. */
kata_status vortex_curves_save(kata *k, const vortex_history *h, const vortex_history *other,
                               const char *path);

#endif
