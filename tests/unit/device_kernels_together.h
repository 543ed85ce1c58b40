/* Kernels of a queue, compiled as one program of a device. */
#ifndef DEVICE_KERNELS_TOGETHER_H
#define DEVICE_KERNELS_TOGETHER_H

#include <kata/kata.h>

/* Compiles the kernels that the loops queued in a context need and that are not loaded. What does
 * not go together with others is left to the loops. */
void device_kernels_compile(kata *k);
/* How many kernels the first contexts of processes have compiled so; in memory that these share. */
extern long *device_kernels_made;

#endif
