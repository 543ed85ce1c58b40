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
    kata_kernel *speed, *flow_rate, *ball;
    kata_scalar *change, *drag, *total;
    double even, odd, rates[6];
    bool obstacles;
    kata_range around; /* obstacles and their neighbours */
    int64_t steps;     /* made so far */
} lattice;

/* The product (1/even - 1/2)(1/odd - 1/2) of the relaxation rates. */
double lattice_magic(const lattice_setup *s);
/* Makes fields, all zero: fluid at rest, without obstacles. The context tells what went wrong. */
lattice lattice_new(kata *k, const lattice_setup *s);
/* Sets the populations to the balance of the fields velocity and density (less 1). */
void lattice_start(lattice *l);
void lattice_step(lattice *l);
/* Fills the field velocity; returns its largest change since it was last measured. */
double lattice_measure(lattice *l);

/* ---- obstacles.c: solid cells ------------------------------------------------------------------
 */

/* How much of the grid is solid. */
typedef struct lattice_solid {
    int64_t cells, front; /* front: rows along x that have some */
} lattice_solid;

/* Makes the cells solid at which the field `solid` is not 0. False without memory or when the
 * context is in error. */
bool lattice_set_obstacles(lattice *l, lattice_solid *found);
/* Sets the field to a ball, whose middle is given in cells from the corner of the grid. */
void lattice_put_ball(lattice *l, const double middle[3], double radius);
/* The momentum that obstacles took from the fluid in the last step; the sum of the velocity over
 * all cells, when it was last measured. */
void lattice_get_drag(const lattice *l, double drag[3]);
void lattice_get_total(const lattice *l, double total[3]);

/* ---- settle.c: until the flow is steady --------------------------------------------------------
 */

typedef enum lattice_case {
    LATTICE_POISEUILLE,
    LATTICE_COUETTE,
    LATTICE_VORTEX,
    LATTICE_CAVITY,
    LATTICE_SPHERES,
    LATTICE_CHANNEL,
    LATTICE_CASES
} lattice_case;

/* What was asked for, as options have it. 0 and NULL: not named. */
typedef struct lattice_request {
    lattice_setup setup;
    int which, scheme, collision, type; /* which: a lattice_case */
    int64_t size, most_steps;
    double reynolds, lid, tolerance, force;
    const char *picture, *data, *mask;
    bool quiet, bound;
    resources limit;
    checkpoints checkpoints;
} lattice_request;

typedef enum lattice_state {
    LATTICE_FAILED,
    LATTICE_DIVERGED,
    LATTICE_UNSTEADY,
    LATTICE_STEADY
} lattice_state;

/* How a flow has settled. The time is that of the last steps; of all where there are few. */
typedef struct lattice_flow {
    lattice_state state;
    double change; /* of the velocity during the last period, relative to the speed */
    double seconds;
    int64_t timed_steps, period;
} lattice_flow;

/* Makes steps until the velocity changes by less than tolerance * speed in a period, or for
 * most_steps. LATTICE_FAILED: the context has reported an error. */
lattice_flow lattice_settle(lattice *l, const lattice_request *r, double speed, int64_t period);

/* ---- outcome.c: what came of it ----------------------------------------------------------------
 */

/* Prints steps and rates; where asked for, the share of the rate at which this machine copies. */
void lattice_print_flow(const lattice *l, const lattice_request *r, const lattice_flow *flow);
/* Says on standard error what went wrong, if something did. */
void lattice_print_trouble(const lattice *l, const lattice_request *r, const lattice_flow *flow);
/* Writes a picture of the speed in the plane in the middle of y, and the velocity. The velocity
 * `speed` is the brightest. */
void lattice_write(const lattice *l, const lattice_request *r, double speed);

/* ---- cube.c: a box with a lid ------------------------------------------------------------------
 */

bool lattice_cavity(kata *k, const lattice_request *r);

/* ---- spheres.c, obstructed_channel.c: flow around obstacles -------------------------------------
 */

/* Slow flow through a cubic array of spheres, compared with the literature. */
bool lattice_spheres(kata *k, const lattice_request *r);
/* A channel with the obstacles of a mask, or with a ball. */
bool lattice_channel(kata *k, const lattice_request *r);

/* ---- parallel.c, decaying_vortex.c: flows of which the solution is known ------------------------
 */

/* Flow between two walls, driven by a force or by one of the walls, without inertia: after it has
 * become steady it is compared with the exact solution of the scheme. Prints a table; false when a
 * difference is too large. */
bool lattice_poiseuille(kata *k, const lattice_request *r);
bool lattice_couette(kata *k, const lattice_request *r);
/* The decay of Taylor and Green's vortices in each of the three planes, on three grids. Prints
 * errors and the order of convergence; false when they are not as they should be. */
bool lattice_vortex(kata *k, const lattice_request *r);

#endif
