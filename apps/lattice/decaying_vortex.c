/* Taylor and Green's vortices in a plane: an exact solution of the Navier-Stokes equations. Along
 * the third dimension nothing changes. On finer grids the velocity in cells per step falls as the
 * width of the cells does, so that the errors of space, time and compressibility all fall to a
 * quarter where there are twice as many cells. */
#include "lattice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { GRIDS = 3, COARSEST = 16, DEPTH = 4 };

static const double pi = 3.14159265358979323846;

typedef struct vortex {
    int plane[2]; /* its two dimensions */
    int64_t cells;
    double wave, fastest, decay; /* number, velocity at the start, 1/the time in which it decays */
    double error, energy;        /* relative errors at the end */
} vortex;

static vortex vortex_of(const lattice_setup *s, int first, int64_t cells)
{
    double wave = 2 * pi / (double)cells;
    return (vortex){.plane = {first, (first + 1) % 3},
                    .cells = cells,
                    .wave = wave,
                    .fastest = 0.8 / (double)cells,
                    .decay = 2 * s->viscosity * wave * wave};
}

/* The velocity in the plane at the start, and the density less 1, which follows the pressure. */
static void state_at(const vortex *v, const int64_t at[3], double velocity[3], double *density)
{
    double a = v->wave * (double)at[v->plane[0]], b = v->wave * (double)at[v->plane[1]];
    for (int d = 0; d < 3; d++) velocity[d] = 0;
    velocity[v->plane[0]] = -v->fastest * cos(a) * sin(b);
    velocity[v->plane[1]] = v->fastest * sin(a) * cos(b);
    *density = -0.75 * v->fastest * v->fastest * (cos(2 * a) + cos(2 * b));
}

static void fill(const vortex *v, const int64_t size[3], double *velocity, double *density)
{
    int64_t points = size[0] * size[1] * size[2], i = 0;
    int64_t at[3];
    for (at[2] = 0; at[2] < size[2]; at[2]++)
        for (at[1] = 0; at[1] < size[1]; at[1]++)
            for (at[0] = 0; at[0] < size[0]; at[0]++, i++) {
                double u[3];
                state_at(v, at, u, &density[i]);
                for (int d = 0; d < 3; d++) velocity[d * points + i] = u[d];
            }
}

/* Compares with the velocity of the start, which has decayed by a factor. */
static void compare(vortex *v, const double *start, const double *now, int64_t count, double decay)
{
    double error = 0, exact = 0, energy = 0;
    for (int64_t i = 0; i < count; i++) {
        double wanted = decay * start[i];
        error += (now[i] - wanted) * (now[i] - wanted);
        exact += wanted * wanted;
        energy += now[i] * now[i];
    }
    v->error = sqrt(error / exact);
    v->energy = energy / exact - 1;
}

static void advance(lattice *l, vortex *v, double *start, double *now, int64_t points)
{
    kata_put(l->velocity, kata_all(l->grid), start, 3 * points);
    kata_put(l->density, kata_all(l->grid), now, points);
    lattice_start(l);
    int64_t steps = 2 * llround(0.5 / v->decay);
    while (l->steps < steps && kata_ok(l->k)) lattice_step(l);
    lattice_measure(l);
    if (kata_get(l->velocity, kata_all(l->grid), now, 3 * points) == KATA_OK)
        compare(v, start, now, 3 * points, exp(-v->decay * (double)steps));
}

/* Runs until the velocity has decayed to 1/e. False without memory or when the context is in
 * error. */
static bool run(kata *k, const lattice_setup *s, vortex *v)
{
    lattice_setup of = *s;
    for (int d = 0; d < 3; d++)
        of.size[d] = d == v->plane[0] || d == v->plane[1] ? v->cells : DEPTH;
    int64_t points = v->cells * v->cells * DEPTH;
    double *start = malloc((size_t)(3 * points) * sizeof *start);
    double *now = malloc((size_t)(3 * points) * sizeof *now);
    bool done = start && now;
    if (done) {
        lattice l = lattice_new(k, &of);
        fill(v, of.size, start, now);
        advance(&l, v, start, now, points);
    }
    free(start);
    free(now);
    return done && kata_ok(k);
}

/* The order between the two finest grids, and whether the planes agree. */
static bool judge(const vortex found[3][GRIDS], const lattice_setup *s)
{
    bool good = true;
    double most = s->type == KATA_F64 ? 1e-9 : 1e-3;
    for (int d = 0; d < 3; d++) {
        const vortex *v = found[d];
        double order = log2(v[GRIDS - 2].error / v[GRIDS - 1].error);
        bool second = fabs(order - 2) < 0.2;
        bool alike = fabs(v[GRIDS - 1].error / found[0][GRIDS - 1].error - 1) < most;
        printf("plane %c%c: order %.3f, %s; error %s to that of plane xy\n", "xyz"[v->plane[0]],
               "xyz"[v->plane[1]], order, second ? "as it should be" : "NOT 2",
               alike ? "equal" : "NOT EQUAL");
        good &= second && alike;
    }
    return good;
}

bool lattice_vortex(kata *k, const lattice_request *r)
{
    const lattice_setup *s = &r->setup;
    vortex found[3][GRIDS];
    lattice_setup with = *s;
    if (!(with.magic > 0) && with.collision != LATTICE_MRT) with.magic = 0.25;
    printf("%7s %6s %12s %12s %12s\n", "plane", "cells", "velocity", "error", "energy");
    for (int d = 0; d < 3; d++)
        for (int i = 0; i < GRIDS; i++) {
            vortex *v = &found[d][i];
            *v = vortex_of(s, d, COARSEST << i);
            if (!run(k, &with, v)) return false;
            printf("%6c%c %6lld %12.4f %12.3e %+12.3e\n", "xyz"[v->plane[0]], "xyz"[v->plane[1]],
                   (long long)v -> cells, v -> fastest, v -> error, v -> energy);
        }
    return judge((const vortex(*)[GRIDS])found, s);
}
