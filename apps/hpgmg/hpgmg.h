/* hpgmg: the benchmark HPGMG-FV, full multigrid for a u - div(beta grad u) = f in the unit cube by
 * finite volumes (Adams, Brown, Shalf, Van Straalen, Strohmaier & Williams 2014, hpgmg.org). */
#ifndef HPGMG_HPGMG_H
#define HPGMG_HPGMG_H

#include <kata/kata.h>

#include <stdbool.h>

enum { HPGMG_LEVELS = 12, HPGMG_VECTORS = 8, HPGMG_BOTTOM_CELLS = 8 };

typedef enum hpgmg_operator { HPGMG_FV4, HPGMG_FV2, HPGMG_7PT } hpgmg_operator;
typedef enum hpgmg_smoother { HPGMG_GSRB, HPGMG_CHEBY, HPGMG_JACOBI } hpgmg_smoother;

typedef struct hpgmg_case {
    int operator, smoother;
    bool v_cycles; /* until the residual is small; false: one F-cycle */
    bool periodic, helmholtz, constant;
    int64_t box, boxes; /* cells along a box, boxes along the cube */
} hpgmg_case;

typedef struct hpgmg_level {
    int64_t n, box; /* cells along the cube, and along a box of the original */
    double scale;   /* 1/h^2 */
    double bound;   /* on the eigenvalues of D^-1 A */
    kata_grid *grid;
    kata_field *u, *other;  /* the solution, and its place while it is smoothed */
    kata_field *correction; /* what is prolonged in V-cycles: u with other values beyond walls */
    kata_field *f, *r;      /* right-hand side of the problem; of the level within a cycle */
    kata_field *inverse;    /* D^-1 */
    kata_field *beta[3];    /* at faces */
} hpgmg_level;

typedef struct hpgmg {
    kata *k;
    hpgmg_case c;
    double a;     /* of a u */
    bool centred; /* the solution is known up to a constant, and has the mean 0 */
    kata_module *module;
    hpgmg_level levels[HPGMG_LEVELS]; /* the finest first */
    int count;
    kata_kernel *relax, *find_residual, *measure_residual, *restriction, *correct, *prolong;
    kata_scalar *norm_of_f, *norm, *total, *products[2];
    kata_field *vectors[HPGMG_VECTORS]; /* on the coarsest level */
    /* For a coarsest level of up to HPGMG_BOTTOM_CELLS cells; NULL otherwise. */
    kata_kernel *solve_bottom;
    kata_grid *one; /* of one cell */
    double matrix[HPGMG_BOTTOM_CELLS * HPGMG_BOTTOM_CELLS];
    int64_t matrix_size;
} hpgmg;

/* ---- hierarchy.c: grids, fields, boundaries
 * --------------------------------------------------------
 */

/* Sets the levels' sizes. Below three levels there is nothing to compare. */
void hpgmg_levels_plan(hpgmg *m, const hpgmg_case *c);
/* Makes grids, fields and kernels. The context tells what went wrong. */
void hpgmg_levels_make(hpgmg *m, kata *k);
kata_kernel *hpgmg_kernel(const hpgmg *m, const char *name);

/* ---- problem.c: coefficients, right-hand sides, diagonals
 * ---------------------------------------- */

void hpgmg_problem_set(hpgmg *m);

/* ---- cycle.c
 * ------------------------------------------------------------------------------------- */

/* What a solution leaves: the largest residual, and that over the largest |f|. */
typedef struct hpgmg_residual {
    double norm, relative;
} hpgmg_residual;

enum { HPGMG_MOST_CYCLES = 20 };

/* Solves on a level from 0 with the field f. Sets an element of `residuals` for each V-cycle, one
 * for an F-cycle, and returns their number. */
int hpgmg_solve(hpgmg *m, int level, hpgmg_residual residuals[HPGMG_MOST_CYCLES]);
/* The mean of eight cells. */
void hpgmg_restrict(const hpgmg *m, int fine, kata_field *from, kata_field *to);
/* Takes the mean of a field away. */
void hpgmg_centre(const hpgmg *m, const hpgmg_level *l, kata_field *u);
double hpgmg_value(kata_scalar *scalar);

/* ---- bottom.c
 * ------------------------------------------------------------------------------------ */

/* Prepares the solver, after the problem is set. */
void hpgmg_bottom_make(hpgmg *m);
/* Solves on the coarsest level for f, from the u that is there, to a thousandth of its residual. */
void hpgmg_bottom_solve(const hpgmg *m, kata_field *f);

#endif
