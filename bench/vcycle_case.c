/* The V-cycle of plain/vcycle.c in Katagami. */
#include "bench.h"
#include "kernels_kata.h"
#include "plain/vcycle.h"

#include <math.h>
#include <stdlib.h>

typedef struct level {
    kata_grid *grid;
    kata_field *u, *f, *r;
    double h2;
    int64_t n;
} level;

typedef struct program {
    kata *k;
    kata_kernel *relax, *residual, *restriction, *correct;
    level levels[VCYCLE_LEVELS];
    vcycle_level plain[VCYCLE_LEVELS];
} program;

/* ---- a cycle --------------------------------------------------------------------------------- */

static void smooth(const program *p, const level *l)
{
    for (int half = 0; half < 4; half++)
        kata_apply(p->relax, kata_color(kata_all(l->grid), 2, half % 2), l->u, l->f, l->h2);
}

static void cycle(const program *p, const level *l)
{
    smooth(p, l);
    if (l->n > VCYCLE_COARSEST) {
        const level *coarse = l + 1;
        kata_apply(p->residual, kata_all(l->grid), l->u, l->f, l->r, 1 / l->h2);
        kata_apply(p->restriction, kata_all(coarse->grid), l->r, coarse->f, coarse->u);
        cycle(p, coarse);
        kata_apply(p->correct, kata_all(coarse->grid), coarse->u, l->u);
    }
    smooth(p, l);
}

static void run(void *program_, int who, int64_t steps, bool each)
{
    program *p = program_;
    for (int64_t i = 0; i < steps; i++) {
        if (who == BENCH_PLAIN)
            plain_vcycle(p->plain);
        else
            cycle(p, p->levels);
        if (who == BENCH_KATA && each) kata_flush(p->k);
    }
    if (who == BENCH_KATA) kata_flush(p->k);
}

/* ---- begin and end --------------------------------------------------------------------------- */

static void make_level(program *p, level *l, int64_t n, double h2)
{
    l->n = n;
    l->h2 = h2;
    l->grid = kata_grid_3d(p->k, n, n, n);
    l->u = kata_field_new(l->grid, "u", KATA_F64, .boundary = KATA_ANTISYMMETRIC_FACE);
    l->f = kata_field_new(l->grid, "f", KATA_F64);
    l->r = kata_field_new(l->grid, "r", KATA_F64);
}

/* The same right-hand side for both. */
static bool fill(program *p)
{
    const int64_t n = p->levels[0].n;
    vcycle_level *l = &p->plain[0];
    double *values;
    kata_mapping at;
    if (kata_map(p->levels[0].f, &values, &at)) return false;
    for (int64_t z = 0; z < n; z++)
        for (int64_t y = 0; y < n; y++)
            for (int64_t x = 0; x < n; x++) {
                const double f = (double)((x * 7 + y * 13 + z * 29) % 31 - 15) / 16;
                values[x + y * at.stride[1] + z * at.stride[2]] = f;
                l->f[x + 1 + (y + 1) * l->row + (z + 1) * l->plane] = f;
            }
    return kata_unmap(p->levels[0].f) == KATA_OK;
}

static void end(void *program_)
{
    program *p = program_;
    if (!p) return;
    kata_close(p->k);
    vcycle_free(p->plain);
    free(p);
}

static void *make(const int64_t size[3], int threads)
{
    program *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->k = kata_open(&(kata_options){.threads = threads, .wait = true});
    kata_module *module = kata_module_from_text(p->k, "kernels.kata", kernels_kata);
    p->relax = kata_kernel_find(module, "relax_level");
    p->residual = kata_kernel_find(module, "residual");
    p->restriction = kata_kernel_find(module, "restrict_residual");
    p->correct = kata_kernel_find(module, "correct");
    int i = 0;
    double h2 = 1;
    for (int64_t n = size[0]; n >= VCYCLE_COARSEST; n /= 2, h2 *= 4)
        make_level(p, &p->levels[i++], n, h2);
    if (kata_ok(p->k) && vcycle_make(p->plain, size[0]) && fill(p)) return p;
    end(p);
    return NULL;
}

/* After two cycles of both. */
static double differ(void *program_)
{
    program *p = program_;
    const vcycle_level *l = &p->plain[0];
    double most = 0, largest = 0;
    const double *values;
    kata_mapping at;
    run(p, BENCH_PLAIN, 2, false);
    run(p, BENCH_KATA, 2, false);
    if (kata_map(p->levels[0].u, &values, &at)) return INFINITY;
    for (int64_t z = 0; z < l->n; z++)
        for (int64_t y = 0; y < l->n; y++)
            for (int64_t x = 0; x < l->n; x++) {
                const double one = l->u[x + 1 + (y + 1) * l->row + (z + 1) * l->plane];
                const double other = values[x + y * at.stride[1] + z * at.stride[2]];
                if (!(fabs(one - other) <= most)) most = fabs(one - other);
                if (fabs(one) > largest) largest = fabs(one);
            }
    kata_unmap(p->levels[0].u);
    return most / largest;
}

const bench_own bench_vcycle = {.make = make, .free = end, .run = run, .differ = differ};
