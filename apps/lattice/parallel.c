/* Flow between two walls that lie half a cell beyond the first and the last points.
 *
 * Poiseuille: a force drives the flow. Half-way bounce-back lets it slip, by
 * (16 Lambda - 3)/(3 n^2) of the largest velocity where there is no inertia: I. Ginzburg, F.
 * Verhaeghe, D. d'Humieres, Communications in Computational Physics 3 (2008) 427-478. With Lambda =
 * 3/16 the parabola is exact. Couette: the upper wall drives the flow, and the line is exact. */
#include "lattice.h"

#include <math.h>
#include <stdio.h>

enum { MOST_CELLS = 12 };

/* One run: the flow is along one dimension, the walls across another. */
typedef struct parallel {
    const lattice_setup *setup;
    int flow, across;
    int64_t cells; /* between the walls */
    bool driven_by_wall;
} parallel;

static const double pi = 3.14159265358979323846, fastest = 0.01;

/* A slow flow forgets how it began like exp(-pi^2 viscosity t/n^2). This leaves 1e-14. */
static int64_t steps_to_settle(const parallel *p)
{
    double n = (double)p->cells;
    return 2 * (int64_t)ceil(16 * n * n / (pi * pi * p->setup->viscosity));
}

static lattice_setup setup_of(const parallel *p)
{
    lattice_setup s = *p->setup;
    double n = (double)p->cells;
    s.stokes = true;
    for (int d = 0; d < 3; d++) s.size[d] = d == p->across ? p->cells : 4;
    s.walls[p->across] = true;
    if (p->driven_by_wall)
        s.high[p->across][p->flow] = fastest;
    else
        s.force[p->flow] = fastest * 8 * s.viscosity / (n * n);
    return s;
}

static double exact(const parallel *p, int64_t j)
{
    double n = (double)p->cells, y = (double)j + 0.5;
    if (p->driven_by_wall) return fastest * y / n;
    double slip = (16 * lattice_magic(p->setup) - 3) / (3 * n * n);
    return fastest * (4 * y * (n - y) / (n * n) + slip);
}

/* The velocity on a line across the channel, and its largest difference from the exact one. */
static double difference(const parallel *p, const lattice *l)
{
    double line[3 * MOST_CELLS], most = 0;
    int64_t lo[3] = {1, 1, 1}, hi[3] = {2, 2, 2};
    lo[p->across] = 0;
    hi[p->across] = p->cells;
    kata_get(l->velocity, kata_box_3d(l->grid, lo[0], hi[0], lo[1], hi[1], lo[2], hi[2]), line,
             3 * p->cells);
    for (int64_t j = 0; j < p->cells; j++)
        for (int d = 0; d < 3; d++) {
            double wanted = d == p->flow ? exact(p, j) : 0;
            double away = fabs(line[d * p->cells + j] - wanted);
            if (!(away <= most)) most = away;
        }
    return most / fastest;
}

/* What the type of the populations allows. */
static double limit_of(kata_type type)
{
    return type == KATA_F64 ? 1e-10 : type == KATA_F32 ? 1e-4 : 0.1;
}

static bool run(kata *k, const parallel *p)
{
    lattice_setup s = setup_of(p);
    lattice l = lattice_new(k, &s);
    int64_t steps = steps_to_settle(p);
    while (l.steps < steps && kata_ok(k)) lattice_step(&l);
    lattice_measure(&l);
    double away = difference(p, &l), n = (double)p->cells;
    bool good = kata_ok(k) && away <= limit_of(s.type);
    if (!kata_ok(k)) return false;
    printf("%7c %9c %6lld %8.4f", "xyz"[p->flow], "xyz"[p->across], (long long)p -> cells,
           lattice_magic(&s));
    if (!p->driven_by_wall) printf(" %12.8f", (16 * lattice_magic(&s) - 3) / (3 * n * n));
    printf(" %12.2e %s\n", away, good ? "" : "TOO MUCH");
    return good;
}

/* All three planes, both widths. */
static bool run_all(kata *k, const lattice_setup *s, bool driven_by_wall)
{
    static const int64_t widths[] = {6, MOST_CELLS};
    bool good = true;
    for (size_t i = 0; i < COUNT_OF(widths); i++)
        for (int d = 0; d < 3; d++) {
            parallel p = {s, d, (d + 1) % 3, widths[i], driven_by_wall};
            good &= run(k, &p);
        }
    return good;
}

static bool run_magic(kata *k, const lattice_setup *s, bool driven_by_wall)
{
    static const double magics[] = {3.0 / 16, 1.0 / 4, 1};
    lattice_setup with = *s;
    bool good = true;
    if (s->collision == LATTICE_BGK || s->magic > 0) return run_all(k, s, driven_by_wall);
    for (size_t i = 0; i < COUNT_OF(magics); i++) {
        with.magic = magics[i];
        good &= run_all(k, &with, driven_by_wall);
    }
    return good;
}

bool lattice_poiseuille(kata *k, const lattice_request *r)
{
    const lattice_setup *s = &r->setup;
    printf("%7s %9s %6s %8s %12s %12s\n", "flow", "walls", "cells", "Lambda", "slip", "difference");
    bool good = run_magic(k, s, false);
    printf("differences from the exact parabola with its slip are %s %g of the largest velocity\n",
           good ? "within" : "BEYOND", limit_of(s->type));
    return good;
}

bool lattice_couette(kata *k, const lattice_request *r)
{
    const lattice_setup *s = &r->setup;
    printf("%7s %9s %6s %8s %12s\n", "flow", "walls", "cells", "Lambda", "difference");
    bool good = run_magic(k, s, true);
    printf("differences from the exact line are %s %g of the velocity of the wall\n",
           good ? "within" : "BEYOND", limit_of(s->type));
    return good;
}
