/* Rows of fields beyond their sides, for what copies them (cpu_edge.c) and what writes them around
 * the field (cpu_fill.c). */
#ifndef EXEC_EDGE_H
#define EXEC_EDGE_H

#include "exec/cpu.h"

#include <string.h>

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
/* Copies an element; of 8 or 4 bytes, as most are, without a call. */
static inline void edge_copy_element(char *to, const char *from, int bytes)
{
    if (bytes == 8)
        memcpy(to, from, 8);
    else if (bytes == 4)
        memcpy(to, from, 4);
    else
        memcpy(to, from, (size_t)bytes);
}
/* The elements of some rows at one x, `from_pitch` and `to_pitch` bytes apart. */
void edge_move_column(char *to, int64_t to_pitch, const char *from, int64_t from_pitch,
                      int64_t rows, int bytes);
/* Sets elements to a constant. */
void edge_set_all(kata_type type, void *values, int64_t count, double x);
/* x = 2*v - x for the steps on the way to a source. */
void edge_undo_steps(kata_type type, void *values, int64_t count, const grid_source *source);

#endif
