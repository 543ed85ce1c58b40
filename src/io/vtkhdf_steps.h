/* The steps of a VTKHDF file, for vtkhdf_series.c. */
#ifndef IO_VTKHDF_STEPS_H
#define IO_VTKHDF_STEPS_H

#include "io/write_hdf5.h"

/* Whether a row (a plane, of three dimensions) of an array is smaller than a chunk may be. */
bool io_steps_fit(const io_vtkhdf_layout *l, const io_points *p);
/* Makes the groups and arrays of a new file, of no steps. */
bool io_steps_make(hid_t file, const io_vtkhdf_layout *l, int count, const io_points *arrays);
/* Adds a step to a file that is also open at a descriptor. Returns 0 or an errno value; the arrays
 * may be longer than the steps then. */
int io_steps_grow(int descriptor, hid_t file, const io_vtkhdf_layout *l, int count,
                  const io_points *arrays, int64_t step, double time, const io_source *source);
/* Takes away what a step that failed has left. */
void io_steps_shrink(hid_t file, int count, const io_points *arrays, int64_t steps);

#endif
