/* A pulse spreads over a square surface and leaves through its edges, which absorb it. A picture is
 * taken on the way; the energy left at the end shows how little the edges send back. */
#include <kata/kata.h>

#include <stdio.h>

enum { N = 400, STEPS = 1600, PICTURE = 300 };

static const double courant = 0.5;

typedef struct surface {
    kata_grid *g;
    kata_kernel *step, *edges[4], *energy;
    kata_field *old, *u, *new;
    kata_scalar *total;
} surface;

static void step(surface *s)
{
    kata_apply(s->step, kata_inner(s->g, 1), s->old, s->u, s->new, courant);
    for (int side = 0; side < 4; side++)
        kata_apply(s->edges[side], kata_face(s->g, (kata_side)side, 1), s->u, s->new, courant);
    kata_rotate(s->old, s->u, s->new); /* the oldest values are overwritten next */
}

static double energy(surface *s)
{
    double total = 0;
    kata_apply(s->energy, kata_inner(s->g, 1), s->old, s->u, courant, s->total);
    kata_scalar_get(s->total, &total);
    return total;
}

int main(void)
{
    kata *k = kata_open(NULL);
    kata_module *m = kata_module_load(k, "pulse.kata");
    const char *const edges[] = {"west", "east", "south", "north"}; /* in the order of kata_side */
    surface s = {.g = kata_grid_2d(k, N, N), .total = kata_scalar_new(k, "total", KATA_F64)};
    s.step = kata_kernel_find(m, "step");
    s.energy = kata_kernel_find(m, "energy");
    for (int side = 0; side < 4; side++) s.edges[side] = kata_kernel_find(m, edges[side]);
    s.u = kata_field_new(s.g, "u", KATA_F64);
    s.old = kata_field_like(s.u, "old");
    s.new = kata_field_like(s.u, "new");

    kata_apply(kata_kernel_find(m, "start"), kata_all(s.g), s.u);
    kata_apply(kata_kernel_find(m, "start"), kata_all(s.g), s.old); /* at rest */
    double first = energy(&s);
    for (int t = 1; t <= STEPS; t++) {
        step(&s);
        if (t == PICTURE) kata_save(s.u, "pulse.png");
        if (t % 400 == 0) printf("step %4d  energy %.5f %%\n", t, 100 * energy(&s) / first);
    }
    return kata_close(k);
}
