/* Periodic ghosts, one deep. */
#ifndef PLAIN_PERIODIC_H
#define PLAIN_PERIODIC_H

#include "bench.h"

#include <string.h>

/* Those beside the sides, not those at edges and corners: a star reads no others. */
static inline void fill_periodic(const bench_data *d, double *u)
{
    const int64_t nx = d->n[0], ny = d->n[1], nz = d->n[2];
#pragma omp parallel for schedule(static)
    for (int64_t z = 0; z < nz; z++) {
        double *p = u + z * d->plane;
        for (int64_t y = 0; y < ny; y++) {
            p[y * d->row - 1] = p[y * d->row + nx - 1];
            p[y * d->row + nx] = p[y * d->row];
        }
        memcpy(p - d->row, p + (ny - 1) * d->row, (size_t)nx * sizeof *p);
        memcpy(p + ny * d->row, p, (size_t)nx * sizeof *p);
    }
#pragma omp parallel for schedule(static)
    for (int64_t y = 0; y < ny; y++) {
        double *p = u + y * d->row;
        memcpy(p - d->plane, p + (nz - 1) * d->plane, (size_t)nx * sizeof *p);
        memcpy(p + nz * d->plane, p, (size_t)nx * sizeof *p);
    }
}

#endif
