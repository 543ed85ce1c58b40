/* cloverleaf: the CloverLeaf mini-app, compressible gas on a rectangle with reflecting walls. */
#ifndef CLOVERLEAF_CLOVERLEAF_H
#define CLOVERLEAF_CLOVERLEAF_H

#include <kata/kata.h>

#include <stdbool.h>

/* ---- deck.c: what is computed ---------------------------------------------------------------- */

/* As in cloverleaf.kata. */
typedef enum clover_shape { CLOVER_RECTANGLE, CLOVER_CIRCLE, CLOVER_POINT } clover_shape;

/* The gas in a part of the domain. State 0 fills the whole of it. */
typedef struct clover_state {
    bool defined;
    double density, energy, velocity[2];
    clover_shape shape;
    double low[2], high[2]; /* corners of a rectangle; low: also the place of a circle or a point */
    double radius;
} clover_state;

enum { CLOVER_MOST_STATES = 1000, CLOVER_TEST_PROBLEMS = 5 };

typedef struct clover_deck {
    clover_state states[CLOVER_MOST_STATES];
    int state_count;
    int64_t cells[2];
    double low[2], high[2];       /* corners of the domain */
    double first_step, most_step; /* time steps: of the start, at most */
    double rise;                  /* at most so many times the step before */
    double end_time;
    int64_t end_step, summary_every; /* steps; 0: no summary before the end */
    int64_t test_problem;            /* of clover_check; 0: none */
} clover_deck;

/* The short benchmark on 960 x 960 cells, test problem 2. */
void clover_deck_set_default(clover_deck *deck);
/* Reads a deck as the mini-app does: the words between *clover and *endclover. Words that choose
 * how the mini-app computes (tiles_per_chunk, use_c_kernels, profiler_on, ...) mean nothing here.
 * False after a message on standard error that names the file and the line. */
bool clover_deck_read(clover_deck *deck, const char *path);

/* ---- fields.c: the mesh and the start -------------------------------------------------------- */

enum { CLOVER_X, CLOVER_Y };

/* Kernels of a step, and those that there are for each dimension: "x_mass_flux", "y_mass_flux". */
typedef enum clover_kernel {
    CLOVER_IDEAL_GAS,
    CLOVER_VISCOSITY,
    CLOVER_STABLE_TIMESTEP,
    CLOVER_CHOOSE_TIMESTEP,
    CLOVER_PDV_PREDICT,
    CLOVER_REVERT,
    CLOVER_ACCELERATE,
    CLOVER_PDV_CORRECT,
    CLOVER_RESET_CELLS,
    CLOVER_RESET_NODES,
    CLOVER_ADVANCE_TIME,
    CLOVER_KERNELS
} clover_kernel;
typedef enum clover_sweep {
    CLOVER_VOLUME_FLUX,
    CLOVER_VOLUME_BEFORE,
    CLOVER_MASS_FLUX,
    CLOVER_ADVANCE_CELLS,
    CLOVER_VOLUME_AFTER,
    CLOVER_NODE_FLUX,
    CLOVER_NODE_MASS,
    CLOVER_MOMENTUM_FLUX,
    CLOVER_ADVANCE_NODES,
    CLOVER_SWEEPS
} clover_sweep;

/* A dimension of the mesh. */
typedef struct clover_direction {
    kata_kernel *kernels[CLOVER_SWEEPS];
    kata_field *cell_width, *vertex_width, *area;
    kata_field *vol_flux, *mass_flux; /* through faces, in a step */
} clover_direction;

typedef struct clover_mesh {
    kata *k;
    kata_grid *grid;
    const clover_deck *deck;
    kata_module *module;
    kata_kernel *kernels[CLOVER_KERNELS];
    clover_direction direction[2];
    kata_field *volume;
    kata_field *density[2], *energy[2]; /* at the beginning and at the end of a step */
    kata_field *velocity[2][2];         /* [x or y][beginning or end] */
    kata_field *pressure, *viscosity, *soundspeed;
    kata_field *pre_vol, *post_vol, *ener_flux[2], *node_flux; /* within a step */
    kata_field *node_mass_pre, *node_mass_post, *mom_flux;
    kata_scalar *local, *dt, *time, *totals;
} clover_mesh;

/* Makes the mesh and sets the gas as the deck says. The context tells what went wrong. */
void clover_mesh_start(clover_mesh *m, kata *k, const clover_deck *deck);

/* ---- step.c: one time step ------------------------------------------------------------------- */

/* Computes a step, the first of which has number 1. */
void clover_step(const clover_mesh *m, int64_t number);

/* ---- summary.c ------------------------------------------------------------------------------- */

typedef struct clover_summary {
    double time, volume, mass, density, pressure, internal, kinetic, total;
} clover_summary;

clover_summary clover_summarise(const clover_mesh *m);
void clover_summary_print(const clover_summary *s, int64_t step);
/* Compares the kinetic energy with the one of the deck's test problem and prints how far they are
 * apart. True also where the deck names none. */
bool clover_check(const clover_deck *deck, const clover_summary *s);

#endif
