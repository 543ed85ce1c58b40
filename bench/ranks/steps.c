#include "bench_ranks.h"

#include "cloverleaf/cloverleaf.h"

#include <stdlib.h>
#include <string.h>

struct steps {
    kata *k;
    kata_grid *grid;
    kata_kernel *kernel;
    kata_field *u, *v;
    bool is_cloverleaf;
    clover_deck deck;
    clover_mesh mesh;
    int64_t done;
};

static const char kernels[] =
    "kernel cube(in double u, out double v)\n"
    "{ v = 0.4*u + 0.1*(u[1,0,0] + u[-1,0,0] + u[0,1,0] + u[0,-1,0] + u[0,0,1] + u[0,0,-1]); }\n"
    "kernel square(in double u, out double v)\n"
    "{ v = 0.6*u + 0.1*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1]); }\n";

static void start_cloverleaf(steps *s, int64_t side)
{
    clover_deck_set_default(&s->deck, 2);
    s->deck.cells[0] = s->deck.cells[1] = side;
    clover_mesh_start(&s->mesh, s->k, &s->deck);
}

static void start_kernel(steps *s, const char *name, int64_t side)
{
    s->grid = strcmp(name, "cube") == 0 ? kata_grid_3d(s->k, side, side, side)
                                        : kata_grid_2d(s->k, side, side);
    s->kernel = kata_kernel_find(kata_module_from_text(s->k, "steps", kernels), name);
    s->u = kata_field_new(s->grid, "u", KATA_F64, .boundary = KATA_CLAMP);
    s->v = kata_field_like(s->u, "v");
}

steps *steps_open(const char *name, int64_t side, int threads)
{
    steps *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->k = kata_open(&(kata_options){.threads = threads, .wait = true});
    s->is_cloverleaf = strcmp(name, "cloverleaf") == 0;
    if (s->is_cloverleaf)
        start_cloverleaf(s, side);
    else
        start_kernel(s, name, side);
    if (kata_ok(s->k)) return s;
    steps_close(s);
    return NULL;
}

void steps_run(steps *s, int count)
{
    for (int i = 0; i < count; i++) {
        if (s->is_cloverleaf) {
            clover_step(&s->mesh, ++s->done);
        } else {
            kata_apply(s->kernel, kata_all(s->grid), s->u, s->v);
            kata_swap(s->u, s->v);
        }
    }
    kata_flush(s->k);
}

kata *steps_context(const steps *s) { return s->k; }

bool steps_close(steps *s)
{
    bool good = kata_close(s->k) == KATA_OK;
    free(s);
    return good;
}
