/* Rows of fields beyond their sides, for what copies them (edge_copy.c) and what writes them
 * around the field (edge_fill.c). */
#ifndef SWEEP_EDGE_H
#define SWEEP_EDGE_H

#include "sweep/loop.h"

#include <string.h>

/* A row of the grid grown by what is read outside: where its values at x inside come from. */
typedef struct sweep_edge_row {
    bool summed;     /* they are sums over rows; the members below say nothing */
    int64_t from[3]; /* the row itself; from[0] is 0 */
    bool inside;     /* they are those of the row at[1], at[2]; otherwise the constant */
    int64_t at[3];   /* at[0] is 0 */
    double constant;
    const grid_source *y, *z; /* with steps to undo, otherwise NULL */
} sweep_edge_row;

/* What is filled for a box of points: all that it touches at most. Of a star only the arms. */
typedef struct sweep_area {
    grid_box boxes[3];
    int count;
} sweep_area;

sweep_area sweep_area_of(const sweep_edge *edge, const grid_box *points);
/* The box around it. Along dimensions where reads beyond the grid do not matter, it ends at the
 * last index of the grid. */
grid_box sweep_hull_of(const sweep_edge *edge, const grid_box *points);
/* Where a read at an index of a dimension ends; NULL inside. */
const grid_source *sweep_edge_source(const sweep_edge *edge, int dimension, int64_t index);
sweep_edge_row sweep_edge_row_at(const sweep_edge *edge, int64_t y, int64_t z);
/* Whether reads there find the value of another index, or of this one, as it is. */
static inline bool sweep_edge_is_unchanged(const grid_source *source)
{
    return !source || !(source->is_constant || source->weights || source->steps);
}
/* The values of a row at x_lo .. x_hi-1. */
void sweep_edge_copy_row(const sweep_edge *edge, const sweep_edge_row *row, int64_t x_lo,
                         int64_t x_hi, char *out);
/* Copies an element; of 8 or 4 bytes, as most are, without a call. */
static inline void sweep_edge_copy_element(char *to, const char *from, int bytes)
{
    if (bytes == 8)
        memcpy(to, from, 8);
    else if (bytes == 4)
        memcpy(to, from, 4);
    else
        memcpy(to, from, (size_t)bytes);
}
/* The elements of some rows at one x, `from_pitch` and `to_pitch` bytes apart. */
void sweep_edge_move_column(char *to, int64_t to_pitch, const char *from, int64_t from_pitch,
                            int64_t rows, int bytes);
/* Elements of rows from `from` on, `pitch` bytes apart, with an x outside that sums points. */
void sweep_edge_sum_column(const sweep_edge *edge, const grid_source *x, const char *from,
                           int64_t pitch, char *out, int64_t count);
/* Sets elements to a constant. */
void sweep_edge_set_all(kata_type type, void *values, int64_t count, double x);

#endif
