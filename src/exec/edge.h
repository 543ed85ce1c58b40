/* Rows of fields beyond their sides, for what copies them (cpu_edge.c) and what writes them around
 * the field (cpu_fill.c). */
#ifndef EXEC_EDGE_H
#define EXEC_EDGE_H

#include "exec/exec.h"

/* A row of the grid grown by what is read outside: where its values at x inside come from. */
typedef struct edge_row {
    bool inside;   /* they are those of the row at[1], at[2]; otherwise the constant */
    int64_t at[3]; /* at[0] is 0 */
    double constant;
    const grid_source *y, *z; /* with steps to undo, otherwise NULL */
} edge_row;

/* Where a read at an index of a dimension ends; NULL inside. */
const grid_source *edge_source(const cpu_edge *edge, int dimension, int64_t index);
edge_row edge_row_at(const cpu_edge *edge, int64_t y, int64_t z);
/* The values of a row at x_lo .. x_hi-1, inside along x. */
void edge_copy_inside(const cpu_edge *edge, const edge_row *row, int64_t x_lo, int64_t x_hi,
                      char *out);
/* The same at any x. */
void edge_copy_row(const cpu_edge *edge, const edge_row *row, int64_t x_lo, int64_t x_hi,
                   char *out);
/* Sets elements to a constant. */
void edge_set_all(kata_type type, void *values, int64_t count, double x);
/* x = 2*v - x for the steps on the way to a source. */
void edge_undo_steps(kata_type type, void *values, int64_t count, const grid_source *source);

#endif
