/* Slow flow through a simple cubic array of spheres, driven by a force on the fluid.
 *
 * K is the drag of a sphere over Stokes' 6 pi viscosity radius U, where U is the mean velocity over
 * fluid and spheres, and the drag includes the buoyancy of the mean gradient of pressure: it is the
 * force on a volume of fluid times the volume of a cell of the array. The spheres are made of
 * cubes; their radius is the one that gives them their volume.
 *
 * A. S. Sangani, A. Acrivos: Slow flow through a periodic array of spheres. International Journal
 * of Multiphase Flow 8 (1982) 343-360: a series in the spheres' share of the volume. Up to a share
 * of 1/8 it agrees within 0.1 % with the values of A. A. Zick, G. M. Homsy, Journal of Fluid
 * Mechanics 115 (1982) 13-26.
 *
 * What the reduction of the drag finds is another thing: the momentum that the sphere takes from
 * the fluid. In steady flow it is all that the force gives. */
#include "lattice.h"

#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;

/* Shares of the volume. */
static const double shares[] = {0.027, 0.064, 0.125};

static double series(double share)
{
    double c = cbrt(share), c8 = pow(c, 8);
    return 1 /
           (1 - 1.7601 * c + share - 1.5593 * share * share + 3.9799 * c8 - 3.0734 * c8 * c * c);
}

typedef struct sphere {
    double force, drag; /* given to the fluid and taken by the sphere, in a step */
    double share, k;
} sphere;

static lattice_setup setup_of(const lattice_request *r)
{
    lattice_setup s = r->setup;
    double n = (double)r->size;
    for (int d = 0; d < 3; d++) s.size[d] = r->size;
    s.stokes = true;
    s.force[0] = 0.01 * s.viscosity / (n * n);
    if (!(s.magic > 0)) s.magic = 3.0 / 16;
    return s;
}

/* False when the flow does not become steady. */
static bool run(kata *k, const lattice_request *r, double share, sphere *found)
{
    lattice_setup s = setup_of(r);
    double n = (double)r->size, radius = n * cbrt(3 * share / (4 * pi)), drag[3], total[3];
    lattice_solid solid;
    lattice l = lattice_new(k, &s);
    lattice_put_ball(&l, (double[]){n / 2, n / 2, n / 2}, radius);
    if (!lattice_set_obstacles(&l, &solid)) return false;
    radius = cbrt(3 * (double)solid.cells / (4 * pi));
    int64_t period = (int64_t)ceil(n * n / (40 * s.viscosity));
    lattice_flow flow = lattice_settle(&l, r, s.force[0] * n * n / s.viscosity, period);
    lattice_print_trouble(&l, r, &flow);
    lattice_get_drag(&l, drag);
    lattice_get_total(&l, total);
    found->force = s.force[0] * (double)(r->size * r->size * r->size - solid.cells);
    found->drag = drag[0];
    found->share = (double)solid.cells / (n * n * n);
    found->k = s.force[0] * pow(n, 6) / (6 * pi * s.viscosity * radius * total[0]);
    return kata_ok(k) && flow.state == LATTICE_STEADY;
}

/* What the cubes of the sphere's surface, and rounding, allow. */
static bool judge(const sphere *s, const lattice_request *r)
{
    double balance = r->setup.type == KATA_F64 ? 1e-6 : 1e-3, cubes = 0.04;
    double away = s->k / series(s->share) - 1, unbalanced = s->drag / s->force - 1;
    bool good = fabs(away) <= cubes && fabs(unbalanced) <= balance;
    printf("%8.4f %10.4f %10.4f %+10.4f %+12.1e %s\n", s->share, s->k, series(s->share), away,
           unbalanced, good ? "" : "TOO MUCH");
    return good;
}

bool lattice_spheres(kata *k, const lattice_request *r)
{
    bool good = true;
    printf("%8s %10s %10s %10s %12s\n", "volume", "K", "literature", "difference", "drag/force-1");
    for (size_t i = 0; i < COUNT_OF(shares); i++) {
        sphere found;
        if (!run(k, r, shares[i], &found)) return false;
        good &= judge(&found, r);
    }
    printf("the drag is %s the literature and the force\n", good ? "as in" : "NOT as in");
    return good;
}
