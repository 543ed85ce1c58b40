/* cavity: flow in a square box whose lid slides, compared with the literature.
 *
 * The box is the unit square, x to the right and y upwards; its lid, y = 1, moves to the right with
 * speed 1. All results are in these units. */
#ifndef CAVITY_CAVITY_H
#define CAVITY_CAVITY_H

#include "common/common.h"

#include <kata/kata.h>

typedef enum cavity_collision { CAVITY_TRT, CAVITY_BGK } cavity_collision;

typedef struct cavity_case {
    double reynolds;
    double lid;   /* speed of the lid, in cells per step */
    int64_t size; /* cells along a side */
    cavity_collision collision;
    kata_type type;     /* of stored populations */
    double tolerance;   /* change per convective time below which the flow counts as steady */
    int64_t most_steps; /* after which to give up */
    bool quiet;         /* no progress bar */
} cavity_case;

/* ---- flow.c: computes the flow -------------------------------------------------------------- */

typedef enum cavity_state {
    CAVITY_FAILED,
    CAVITY_DIVERGED,
    CAVITY_UNSTEADY,
    CAVITY_STEADY
} cavity_state;

typedef struct cavity_flow {
    cavity_state state;
    kata_grid *grid;
    kata_field *velocity; /* two components */
    int64_t steps, first; /* first: those that were made before the checkpoint */
    double change;        /* the largest change of the velocity during the last convective time */
    double seconds;
} cavity_flow;

/* Steps in a convective time: the lid moves by one side of the box. */
int64_t cavity_period(const cavity_case *c);
/* Runs from rest until the flow is steady. CAVITY_FAILED: the context has reported an error. */
cavity_flow cavity_flow_run(kata *k, const cavity_case *c, const checkpoints *checkpoints);

/* ---- nodes.c: values between cells ---------------------------------------------------------- */

/* A velocity at the cell centres and on the walls: (cells + 2)^2 nodes, x fastest. Along each
 * dimension node 0 is at 0, node i at (i - 1/2) / cells, the last one at 1. */
typedef struct cavity_nodes {
    int64_t cells;
    double *u, *v;
} cavity_nodes;

/* Polynomial interpolation between four nodes from `first` on, along one dimension. */
typedef struct cavity_weights {
    int64_t first;
    double weight[4];
} cavity_weights;

/* The nodes of a computed flow. False without memory or when the context is in error. */
bool cavity_nodes_read(cavity_nodes *nodes, const cavity_flow *flow, int64_t cells);
void cavity_nodes_free(cavity_nodes *nodes);
double cavity_node_position(int64_t cells, int64_t node);
cavity_weights cavity_weights_at(int64_t cells, double position);
double cavity_interpolate(const double *values, int64_t cells, const cavity_weights *x,
                          const cavity_weights *y);

/* ---- tables.c, comparison.c: the literature ----------------------------------------------------
 */

enum { CAVITY_POINTS = 15 };

typedef struct cavity_table {
    const char *source;
    double reynolds;
    double limit_u, limit_v; /* largest differences to accept at `size` cells and more */
    int64_t size;
    double u[CAVITY_POINTS]; /* at x = 1/2 and cavity_table_y */
    double v[CAVITY_POINTS]; /* at cavity_table_x and y = 1/2 */
} cavity_table;

extern const double cavity_table_x[CAVITY_POINTS], cavity_table_y[CAVITY_POINTS];
/* All tables, ended by one without a source; the best of each Reynolds number first. */
extern const cavity_table cavity_tables[];

/* Prints each of the tables for the Reynolds number beside the computed flow, and whether the
 * largest differences are within the limits; false when they are not. */
bool cavity_compare(const cavity_nodes *nodes, const cavity_table *tables, double reynolds);

/* ---- streamlines.c: the picture ------------------------------------------------------------- */

/* Writes speed and streamlines as a PNG of 1024 x 1024 pixels. */
kata_status cavity_picture_save(kata *k, const cavity_nodes *nodes, const char *path);

#endif
