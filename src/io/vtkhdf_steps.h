/* The steps of a VTKHDF file, for vtkhdf_series.c. */
#ifndef IO_VTKHDF_STEPS_H
#define IO_VTKHDF_STEPS_H

#include "io/write_hdf5.h"

/* Whether a row (a plane, of three dimensions) of an array is smaller than a chunk may be. */
bool io_steps_fit(const io_vtkhdf_layout *l, const io_points *p);
/* Makes the groups and arrays of a new file, of no steps. */
bool io_steps_make(hid_t file, const io_vtkhdf_layout *l, int count, const io_points *arrays);
/* The number of chunks that hold a step of an array. */
size_t io_steps_chunks(const io_vtkhdf_layout *l, const io_points *p);
/* A step is added in three parts, of which only the second takes long and does without HDF5. Space
 * for its values: sets the positions of all chunks of all arrays in the file. */
bool io_steps_extend(hid_t file, const io_vtkhdf_layout *l, int count, const io_points *arrays,
                     int64_t step, haddr_t *positions);
/* Its values. Returns 0 or an errno value. */
int io_steps_write(int descriptor, const haddr_t *positions, const io_vtkhdf_layout *l, int count,
                   const io_points *arrays, const io_source *source);
/* Its time, and that there is one step more. */
bool io_steps_enter(hid_t file, int count, const io_points *arrays, int64_t step, double time);
/* Takes away what a step that failed has left. */
void io_steps_shrink(hid_t file, int count, const io_points *arrays, int64_t steps);

#endif
