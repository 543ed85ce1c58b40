/* The box with a lid: a cube with walls on all sides, of which the upper one in z moves along x.
 *
 * S. Albensoeder, H. C. Kuhlmann: Accurate three-dimensional lid-driven cavity flow. Journal of
 * Computational Physics 206 (2005) 536-558, tables 5 and 6: a cube, Chebyshev polynomials on 96^3
 * points. Here their lid, x = -1/2, which moves along y, is at the top; signs follow.
 *
 * The limits hold on 96^3 cells and more where many moments relax, and on 128^3 where two rates do.
 */
#include "cavity/cavity.h"
#include "lattice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const cavity_table albensoeder = {
    .source = "Albensoeder & Kuhlmann (2005)",
    .reynolds = 1000,
    .limit_u = 0.01,
    .limit_v = 0.01,
    .u = {-0.20623, -0.22283, -0.23696, -0.27293, -0.25160, -0.10999, -0.00612, 0.00802, 0.03905,
          0.07334, 0.12183, 0.33171, 0.39821, 0.48443, 0.58964},
    .v = {0.21738, 0.22746, 0.23503, 0.24407, 0.22924, 0.17580, 0.16987, 0.03674, -0.15223,
          -0.31117, -0.43423, -0.33511, -0.29032, -0.24095, -0.18864}};

/* Copies a component in the plane y = 1/2 to nodes: four planes of cells on either side of it, with
 * their weights. */
static void fill_nodes(const double *planes, int64_t n, double scale, double *nodes)
{
    cavity_weights across = cavity_weights_at(n, 0.5);
    for (int64_t z = 0; z < n; z++)
        for (int64_t x = 0; x < n; x++) {
            double sum = 0;
            for (int64_t i = 0; i < 4; i++) sum += across.weight[i] * planes[(4 * z + i) * n + x];
            nodes[(z + 1) * (n + 2) + x + 1] = sum / scale;
        }
}

/* The nodes of the plane y = 1/2: on the walls at rest, on the lid 1. False without memory or when
 * the context is in error. */
static bool read_nodes(cavity_nodes *nodes, const lattice *l, double lid)
{
    int64_t n = l->setup.size[0], all = (n + 2) * (n + 2), count = 3 * 4 * n * n;
    int64_t first = cavity_weights_at(n, 0.5).first - 1;
    kata_range planes = kata_box_3d(l->grid, 0, n, first, first + 4, 0, n);
    double *values = malloc((size_t)count * sizeof *values);
    *nodes = (cavity_nodes){.cells = n};
    nodes->u = calloc((size_t)all, sizeof *nodes->u);
    nodes->v = calloc((size_t)all, sizeof *nodes->v);
    bool done =
        values && nodes->u && nodes->v && kata_get(l->velocity, planes, values, count) == KATA_OK;
    if (done) {
        fill_nodes(values, n, lid, nodes->u);
        fill_nodes(values + 2 * 4 * n * n, n, lid, nodes->v);
        for (int64_t x = 0; x < n + 2; x++) nodes->u[(n + 1) * (n + 2) + x] = 1;
    }
    free(values);
    return done;
}

static lattice_setup setup_of(const lattice_request *r)
{
    lattice_setup s = r->setup;
    for (int d = 0; d < 3; d++) {
        s.size[d] = r->size;
        s.walls[d] = true;
    }
    s.viscosity = r->lid * (double)r->size / r->reynolds;
    s.high[2][0] = r->lid;
    if (!(s.magic > 0) && s.collision != LATTICE_MRT) s.magic = 0.25;
    return s;
}

static bool compare(const cavity_nodes *nodes, const lattice_request *r)
{
    cavity_table tables[] = {albensoeder, {.source = NULL}};
    tables[0].size = r->setup.collision == LATTICE_MRT ? 96 : 128;
    return cavity_compare(nodes, tables, r->reynolds);
}

bool lattice_cavity(kata *k, const lattice_request *r)
{
    lattice_setup s = setup_of(r);
    cavity_nodes nodes = {0};
    printf("Re %g, %lld^3 cells, lid %g cells per step\n", r->reynolds, (long long)r->size, r->lid);
    fflush(stdout);
    lattice l = lattice_new(k, &s);
    int64_t period = llround((double)r->size / r->lid);
    lattice_flow flow = lattice_settle(&l, r, r->lid, period);
    bool usable = flow.state == LATTICE_STEADY || flow.state == LATTICE_UNSTEADY;
    bool good = usable && read_nodes(&nodes, &l, r->lid);
    if (good) {
        lattice_print_flow(&l, r, &flow);
        good = compare(&nodes, r) && flow.state == LATTICE_STEADY;
        lattice_write(&l, r, r->lid);
    }
    cavity_nodes_free(&nodes);
    lattice_print_trouble(&l, r, &flow);
    return good && kata_ok(k);
}
