/* Plain loops: two steps of a lattice in a periodic cube, there and back again. */
#include "bench.h"

#include <string.h>

enum { VELOCITIES = 19 };

/* The ghosts of one component, one deep: along x, then y with these, then z with both. */
static void fill_component(const bench_data *d, char *f, int64_t bytes)
{
    const int64_t nx = d->n[0], ny = d->n[1], nz = d->n[2];
    const int64_t row = d->row * bytes, plane = d->plane * bytes;
    const size_t wide = (size_t)((nx + 2) * bytes);
    for (int64_t z = 0; z < nz; z++) {
        char *p = f + z * plane - bytes;
        for (int64_t y = 0; y < ny; y++) {
            memcpy(p + y * row, p + y * row + nx * bytes, (size_t)bytes);
            memcpy(p + y * row + (nx + 1) * bytes, p + y * row + bytes, (size_t)bytes);
        }
        memcpy(p - row, p + (ny - 1) * row, wide);
        memcpy(p + ny * row, p, wide);
    }
    for (int64_t y = -1; y <= ny; y++) {
        char *p = f + y * row - bytes;
        memcpy(p - plane, p + (nz - 1) * plane, wide);
        memcpy(p + nz * plane, p, wide);
    }
}

static void step(bench_data *d, bench_loop *loop, int64_t bytes)
{
#pragma omp parallel for schedule(dynamic)
    for (int q = 0; q < VELOCITIES; q++)
        fill_component(d, (char *)d->field[0] + q * d->component * bytes, bytes);
    loop(d);
    bench_swap(d, 0, 1);
}

void plain_d3q19_twice(bench_data *d)
{
    for (int i = 0; i < 2; i++) step(d, plain_d3q19, sizeof(double));
}

void plain_d3q19_twice_f32(bench_data *d)
{
    for (int i = 0; i < 2; i++) step(d, plain_d3q19_f32, sizeof(float));
}
