/* Shared by the files about points between those of a grid. */
#ifndef API_SPARSE_H
#define API_SPARSE_H

#include "api/apply.h"

struct kata_points {
    kata *k;
    kata_grid *grid;
    const char *name;
    bool staggered[3];
    grid_sparse sparse;
};

/* ---- built_in.c ------------------------------------------------------------------------------ */

typedef struct api_sparse_kernel {
    const chain_slot *field, *scale, *scalar; /* NULL: none */
    int component;
    bool records;
} api_sparse_kernel;

/* The kernel of a loop over points between those of its grid: made when it is first asked for. NULL
 * after an error, which is reported. */
kata_kernel *api_built_in_sparse(kata *k, const api_sparse_kernel *like);

#endif
