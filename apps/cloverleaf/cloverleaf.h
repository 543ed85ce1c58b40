/* cloverleaf: the CloverLeaf mini-app, compressible gas in a box with reflecting walls, in two or
 * three dimensions. The C code is the same for both; cloverleaf_2d.kata and cloverleaf_3d.kata have
 * kernels of the same names, whose parameters are in the same order. */
#ifndef CLOVERLEAF_CLOVERLEAF_H
#define CLOVERLEAF_CLOVERLEAF_H

#include <kata/kata.h>

#include <stdbool.h>

/* ---- deck.c, words.c: what is computed ------------------------------------------------------- */

enum { CLOVER_X, CLOVER_Y, CLOVER_Z, CLOVER_MOST_DIMENSIONS };

/* As in the kernels. A box is a rectangle or a cuboid, a ball is a circle or a sphere. */
typedef enum clover_shape { CLOVER_BOX, CLOVER_BALL, CLOVER_POINT } clover_shape;

/* The gas in a part of the domain. State 0 fills the whole of it. */
typedef struct clover_state {
    bool defined;
    double density, energy, velocity[3];
    clover_shape shape;
    int dimensions;         /* of which the deck names the shape; 0: any */
    double low[3], high[3]; /* corners of a box; low: also the position of a ball or a point */
    double radius;
} clover_state;

enum { CLOVER_MOST_STATES = 1000, CLOVER_TEST_PROBLEMS = 5 };

typedef struct clover_deck {
    clover_state states[CLOVER_MOST_STATES];
    int state_count;
    int dimensions;               /* 2 or 3 */
    int64_t cells[3];             /* 1 beyond the dimensions */
    double low[3], high[3];       /* corners of the domain */
    double first_step, most_step; /* time steps: of the start, at most */
    double rise;                  /* at most so many times the step before */
    double end_time;
    int64_t end_step, summary_every; /* steps; 0: no summary before the end */
    int64_t test_problem;            /* of clover_check; 0: none */
    bool as_published; /* the flux along z as in the mini-app, which does not conserve mass */
} clover_deck;

/* The mini-app's short benchmark on 960 x 960 cells, test problem 2; in three dimensions its deck
 * of 96 x 96 x 96 cells, test problem 1. */
void clover_deck_set_default(clover_deck *deck, int dimensions);
/* Reads a deck as the mini-app does: the words between *clover and *endclover. It has three
 * dimensions where one of its words is about z, or a shape is a cuboid or a sphere. Words that
 * choose how the mini-app computes (tiles_per_chunk, use_c_kernels, profiler_on, ...) mean nothing
 * here. False after a message on standard error that names the file and the line. */
bool clover_deck_read(clover_deck *deck, const char *path);

/* For deck.c and words.c only. */
typedef struct clover_reader {
    clover_deck *deck;
    const char *path;
    int line;
    char *rest;            /* of the line */
    clover_state *state;   /* that the rest of the line sets; NULL: the deck */
    bool inside, finished; /* of *clover ... *endclover */
} clover_reader;
/* The next word of the line; NULL at its end. */
char *clover_next_word(clover_reader *r);
/* Reads what follows a word. False after a message. */
bool clover_read_word(clover_reader *r, const char *word);

/* ---- fields.c, start.c: the mesh and the gas at the start ------------------------------------ */

/* Kernels of a step. Those before CLOVER_VISCOSITY are the same in two and three dimensions. */
typedef enum clover_kernel {
    CLOVER_IDEAL_GAS,
    CLOVER_CHOOSE_TIMESTEP,
    CLOVER_ADVANCE_TIME,
    CLOVER_REVERT,
    CLOVER_RESET_CELLS,
    CLOVER_VISCOSITY,
    CLOVER_STABLE_TIMESTEP,
    CLOVER_PDV_PREDICT,
    CLOVER_ACCELERATE,
    CLOVER_PDV_CORRECT,
    CLOVER_RESET_NODES,
    CLOVER_SUMMARISE,
    CLOVER_KERNELS
} clover_kernel;
/* Kernels that there are for each dimension: "x_mass_flux", "y_mass_flux". */
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

/* One for each dimension. */
typedef kata_field *clover_fields[3];

typedef struct clover_mesh {
    kata *k;
    kata_grid *grid;
    const clover_deck *deck;
    int dimensions;
    kata_module *common, *module; /* kernels of any number of dimensions, and of this one */
    kata_kernel *kernels[CLOVER_KERNELS], *sweeps[3][CLOVER_SWEEPS];
    clover_fields cell_width, vertex_width, area;
    clover_fields vol_flux, mass_flux, ener_flux; /* through faces, in a step */
    clover_fields velocity[2];                    /* at the beginning and at the end of a step */
    kata_field *density[2], *energy[2];           /* likewise */
    kata_field *volume, *pressure, *viscosity, *soundspeed;
    kata_field *pre_vol, *post_vol, *node_flux; /* within a step */
    kata_field *node_mass_pre, *node_mass_post, *mom_flux;
    kata_scalar *local, *dt, *time, *totals;
} clover_mesh;

/* Makes the mesh and sets the gas as the deck says. The context tells what went wrong. */
void clover_mesh_start(clover_mesh *m, kata *k, const clover_deck *deck);
/* For clover_mesh_start only: sets the sizes of cells, and the gas. */
void clover_set_geometry(const clover_mesh *m);
void clover_set_gas(const clover_mesh *m);

/* ---- arguments.c: kernels with arguments for each dimension
 * -------------------------------------- */

/* An argument, or one for each dimension in turn; `without` one of them where that is no -1. */
typedef struct clover_argument {
    kata_arg one;
    kata_field *const *each;
    int without;
} clover_argument;
#define ONE(value) ((clover_argument){.one = KATA_ARG(value)})
#define EACH(fields) ((clover_argument){.each = (fields), .without = -1})
#define OTHERS(fields, dimension) ((clover_argument){.each = (fields), .without = (dimension)})
/* Numbers: a table of one for each dimension. */
#define ALONG(m, numbers) ONE(kata_table_of(KATA_F64, numbers, (m)->dimensions))

/* Applies a kernel to arguments ONE(...), EACH(...), OTHERS(...), ALONG(...). */
#define CLOVER_APPLY(m, kernel, range, ...)                                                        \
    clover_apply(m, kata_here(kernel, __FILE__, __LINE__), range,                                  \
                 (int)(sizeof((clover_argument[]){__VA_ARGS__}) / sizeof(clover_argument)),        \
                 (clover_argument[]){__VA_ARGS__})
void clover_apply(const clover_mesh *m, const kata_kernel *kernel, kata_range range, int count,
                  const clover_argument *arguments);

/* ---- step.c: one time step ------------------------------------------------------------------- */

/* Computes a step, the first of which has number 1. */
void clover_step(const clover_mesh *m, int64_t number);

/* ---- pictures.c ------------------------------------------------------------------------------ */

/* Draws the gas; in three dimensions at one level of z. The vorticity is that about z: of cells, in
 * three dimensions at the nodes below them. */
void clover_draw_density(const clover_mesh *m, int64_t level, const char *path);
void clover_draw_vorticity(const clover_mesh *m, int64_t level, const char *path);

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
