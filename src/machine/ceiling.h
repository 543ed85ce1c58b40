/* Private to machine: the loops that measure ceilings. */
#ifndef MACHINE_CEILING_H
#define MACHINE_CEILING_H

#include "machine/machine.h"

enum {
    CEILING_STEP = 64,      /* elements */
    CEILING_ALIGNMENT = 64, /* bytes */
    CEILING_CHAINS = 10,    /* vectors that a round computes */
    CEILING_SETS = 3
};

typedef struct ceiling_kernels {
    void (*copy)(double *to, const double *from, size_t count);
    void (*triad)(double *to, const double *a, const double *b, size_t count);
    void (*copy_streaming)(double *to, const double *from, size_t count); /* NULL: none */
    void (*triad_streaming)(double *to, const double *a, const double *b, size_t count);
    double (*fma_f64)(int64_t rounds);
    double (*fma_f32)(int64_t rounds);
    double (*divide_f64)(int64_t rounds);
    double (*divide_f32)(int64_t rounds);
    int lanes; /* doubles in a vector; of floats there are twice as many */
} ceiling_kernels;

/* Finds the loops that this processor can run, the widest vectors first; returns their number. */
int ceiling_kernels_find(const ceiling_kernels *found[CEILING_SETS]);
/* Runs for a number of cycles and returns that number; 0 if it is not known here. */
int64_t ceiling_count_cycles(int64_t rounds);

#endif
