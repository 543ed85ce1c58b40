/* A channel along x between two walls across z, periodic along x and y, with obstacles. A force
 * drives the flow. */
#include "lattice.h"

#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;

/* The sizes of the mask, or of the channel around a ball. */
static bool find_sizes(kata *k, const lattice_request *r, int64_t size[3])
{
    kata_shape shape;
    size[0] = 2 * r->size;
    size[1] = size[2] = r->size;
    if (!r->mask) return true;
    if (kata_file_shape(k, r->mask, 0, &shape) != KATA_OK) return false;
    for (int d = 0; d < 3; d++) size[d] = shape.size[d];
    if (shape.rank == 3 && shape.components == 1) return true;
    fprintf(stderr,
            "kata run lattice: %s has %d dimensions and %d components; a mask has 3 and 1\n",
            r->mask, shape.rank, shape.components);
    return false;
}

static lattice_setup setup_of(const lattice_request *r, const int64_t size[3])
{
    lattice_setup s = r->setup;
    double height = (double)size[2];
    for (int d = 0; d < 3; d++) s.size[d] = size[d];
    s.walls[2] = true;
    s.force[0] = r->force > 0 ? r->force : 0.4 * s.viscosity / (height * height);
    if (!(s.magic > 0) && s.collision != LATTICE_MRT) s.magic = 3.0 / 16;
    return s;
}

/* Fills the field `solid` and makes its cells obstacles. */
static bool put_obstacles(lattice *l, const lattice_request *r, lattice_solid *solid)
{
    const int64_t *n = l->setup.size;
    double height = (double)n[2];
    if (r->mask)
        kata_load(l->solid, r->mask);
    else
        lattice_put_ball(l, (double[]){(double)n[0] / 4, (double)n[1] / 2, height / 2}, height / 6);
    if (!lattice_set_obstacles(l, solid)) return false;
    if (solid->cells > 0 && solid->cells < n[0] * n[1] * n[2]) return true;
    fprintf(stderr, "kata run lattice: %s cells of the mask %s are solid\n",
            solid->cells ? "all" : "no", r->mask);
    return false;
}

static void print_drag(const lattice *l, const lattice_solid *solid)
{
    const int64_t *n = l->setup.size;
    double fluid = (double)(n[0] * n[1] * n[2] - solid->cells), front = (double)solid->front;
    double drag[3], total[3];
    lattice_get_drag(l, drag);
    lattice_get_total(l, total);
    double mean = total[0] / fluid, width = sqrt(4 * front / pi);
    if (!kata_ok(l->k)) return;
    printf("%lld solid cells, front %lld; mean velocity %.6e, Re %.4g\n", (long long)solid->cells,
           (long long)solid->front, mean, mean * width / l->setup.viscosity);
    printf("drag %.15e %.6e %.6e: coefficient %.6g, %.4f of the force on the fluid\n", drag[0],
           drag[1], drag[2], 2 * drag[0] / (mean * mean * front),
           drag[0] / (l->setup.force[0] * fluid));
}

bool lattice_channel(kata *k, const lattice_request *r)
{
    int64_t size[3];
    lattice_solid solid;
    if (!find_sizes(k, r, size)) return false;
    lattice_setup s = setup_of(r, size);
    double fastest = s.force[0] * (double)(size[2] * size[2]) / (8 * s.viscosity);
    printf("%lld x %lld x %lld cells, viscosity %g, force %g\n", (long long)size[0],
           (long long)size[1], (long long)size[2], s.viscosity, s.force[0]);
    fflush(stdout);
    lattice l = lattice_new(k, &s);
    if (!put_obstacles(&l, r, &solid)) return false;
    lattice_flow flow = lattice_settle(&l, r, fastest, (int64_t)ceil((double)size[0] / fastest));
    if (flow.state == LATTICE_STEADY || flow.state == LATTICE_UNSTEADY) {
        lattice_print_flow(&l, r, &flow);
        print_drag(&l, &solid);
        lattice_write(&l, r, fastest);
    }
    lattice_print_trouble(&l, r, &flow);
    return kata_ok(k) && flow.state == LATTICE_STEADY;
}
