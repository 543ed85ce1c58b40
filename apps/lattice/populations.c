/* Fields and steps.
 *
 * `pull` has two lattices, which are exchanged after each step. The schemes in place have one, and
 * two kinds of steps that take turns. All read the same populations at a point, so they compute the
 * same bits. */
#include "lattice.h"
#include "lattice_kata.h"

#include <stdio.h>

/* ---- rates ----------------------------------------------------------------------------------- */

double lattice_magic(const lattice_setup *s)
{
    return s->collision == LATTICE_BGK ? 9 * s->viscosity * s->viscosity : s->magic;
}

/* The rate of the stresses sets the viscosity. Of MRT, the rates that neither it nor Lambda sets
 * are those of d'Humieres et al. */
static void set_rates(lattice *l)
{
    const lattice_setup *s = &l->setup;
    double even = 3 * s->viscosity, magic = lattice_magic(s);
    l->even = 1 / (even + 0.5);
    l->odd = magic > 0 ? 1 / (magic / even + 0.5) : 0;
    l->rates[0] = 1.19;
    l->rates[1] = l->rates[4] = 1.4;
    l->rates[2] = magic > 0 ? l->odd : 1.2;
    l->rates[3] = l->even;
    l->rates[5] = magic > 0 ? l->odd : 1.98;
}

/* ---- kernels and fields ---------------------------------------------------------------------- */

static lattice_kernels load(lattice *l, int kind)
{
    static const char *const seals[] = {"seal_x", "seal_y", "seal_z"};
    lattice_kernels kernels;
    char constants[64];
    snprintf(constants, sizeof constants, "kind=%d, inertia=%d", kind, !l->setup.stokes);
    kata_module *m =
        kata_module_from_text(l->k, "lattice.kata", lattice_kata, .constants = constants);
    kernels.relax =
        kata_kernel_find(m, l->setup.collision == LATTICE_MRT ? "relax_many" : "relax_two");
    for (int d = 0; d < 3; d++) kernels.seal[d] = kata_kernel_find(m, seals[d]);
    kernels.bounce = kata_kernel_find(m, "bounce");
    kernels.start = kata_kernel_find(m, "start");
    kernels.measure = kata_kernel_find(m, "measure");
    l->speed = kata_kernel_find(m, "speed");
    l->ball = kata_kernel_find(m, "ball");
    l->flow_rate = kata_kernel_find(m, "flow_rate");
    return kernels;
}

/* The kinds of lattice.kata. */
static void load_kernels(lattice *l)
{
    static const int kinds[][2] = {
        [LATTICE_PULL] = {0, 0}, [LATTICE_AA] = {1, 2}, [LATTICE_ESOTERIC] = {3, 4}};
    const int *kind = kinds[l->setup.scheme];
    l->kernels[0] = load(l, kind[0]);
    l->kernels[1] = kind[1] == kind[0] ? l->kernels[0] : load(l, kind[1]);
}

static void make_fields(lattice *l)
{
    l->now = kata_field_new(l->grid, "populations", l->setup.type, .components = 19,
                            .boundary = KATA_PERIODIC);
    if (l->setup.scheme == LATTICE_PULL)
        l->next = kata_field_like(l->now, "next");
    else
        l->next =
            kata_field_new(l->grid, "nothing", l->setup.type, .components = 19, .temporary = true);
    l->velocity = kata_field_new(l->grid, "velocity", KATA_F64, .components = 3);
    l->density = kata_field_new(l->grid, "density", KATA_F64);
    l->solid = kata_field_new(l->grid, "solid", KATA_U8, .boundary = KATA_PERIODIC);
}

lattice lattice_new(kata *k, const lattice_setup *s)
{
    lattice l = {.k = k, .setup = *s};
    l.grid = kata_grid_3d(k, s->size[0], s->size[1], s->size[2]);
    set_rates(&l);
    load_kernels(&l);
    make_fields(&l);
    l.change = kata_scalar_new(k, "change", KATA_F64);
    l.total = kata_scalar_array_new(k, "total", KATA_F64, 3);
    l.drag = kata_scalar_array_new(k, "drag", KATA_F64, 3);
    return l;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* The kernels of the step before: they know where it has written what. Before the first step, the
 * populations are as a second step leaves them. */
static const lattice_kernels *before(const lattice *l) { return &l->kernels[(l->steps + 1) % 2]; }

void lattice_start(lattice *l)
{
    kata_apply(before(l)->start, kata_all(l->grid), l->velocity, l->density, l->now,
               l->setup.force);
}

/* What would pass walls and obstacles turns round. */
static void turn_back(const lattice *l)
{
    const lattice_kernels *of = before(l);
    const lattice_setup *s = &l->setup;
    const bool *walls = s->walls;
    if (walls[0])
        kata_apply(of->seal[0], kata_face(l->grid, KATA_X_HIGH, 1), l->now, s->high[0], s->low[0]);
    if (walls[1])
        kata_apply(of->seal[1], kata_face(l->grid, KATA_Y_HIGH, 1), l->now, s->high[1], s->low[1],
                   walls[0]);
    if (walls[2])
        kata_apply(of->seal[2], kata_face(l->grid, KATA_Z_HIGH, 1), l->now, s->high[2], s->low[2],
                   walls[0], walls[1]);
    if (l->obstacles)
        kata_apply(of->bounce, l->around, l->now, l->solid, walls[0], walls[1], walls[2], l->drag);
}

void lattice_step(lattice *l)
{
    bool pull = l->setup.scheme == LATTICE_PULL;
    kata_field *from = pull ? l->now : l->next, *to = pull ? l->next : l->now;
    kata_kernel *relax = l->kernels[l->steps % 2].relax;
    turn_back(l);
    if (l->setup.collision == LATTICE_MRT)
        kata_apply(relax, kata_all(l->grid), from, to, l->rates, l->setup.force);
    else
        kata_apply(relax, kata_all(l->grid), from, to, l->even, l->odd, l->setup.force);
    if (pull) {
        kata_discard(l->now); /* nobody reads a step back */
        kata_swap(l->now, l->next);
    }
    l->steps++;
    kata_step(l->k);
}

double lattice_measure(lattice *l)
{
    double change;
    kata_apply(before(l)->measure, kata_all(l->grid), l->now, l->solid, l->velocity, l->setup.force,
               l->change);
    kata_scalar_get(l->change, &change);
    return change;
}
