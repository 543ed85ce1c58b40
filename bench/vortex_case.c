/* The Taylor-Green vortex of plain/plain_vortex.c in Katagami, with the kernels of apps/vortex. */
#include "bench.h"
#include "lines.h"
#include "plain/vortex_loops.h"
#include "vortex_kata.h"

#include <math.h>
#include <stdlib.h>

enum { STAGES = 3, STRETCHING = 3, ARRAYS = 4 * VORTEX_STATE + STRETCHING, LINE = 8 };

typedef struct program {
    kata *k;
    kata_grid *grid;
    kata_kernel *find_flow, *find_stretching, *stages[STAGES];
    kata_field *now, *next, *base, *flow, *stretching;
    vortex_loops plain;
    double *memory;
    size_t bytes;
} program;

/* ---- a step ---------------------------------------------------------------------------------- */

static void make_stage(const program *p, int stage)
{
    static const double far_steps[STAGES] = {2.0 / 3, 5.0 / 12, 3.0 / 5};
    static const double near_steps[STAGES - 1] = {1.0 / 4, 3.0 / 20};
    const vortex_loops *v = &p->plain;
    const kata_range all = kata_all(p->grid);
    const double far = far_steps[stage] * v->dt, r = 1 / (12 * v->spacing), rr = r / v->spacing;
    kata_apply(p->find_flow, all, p->now, p->flow, v->heat);
    kata_apply(p->find_stretching, all, p->flow, p->stretching);
    if (stage < STAGES - 1)
        kata_apply(p->stages[stage], all, p->now, p->flow, p->stretching, p->next, p->base, far,
                   near_steps[stage] * v->dt, r, rr, v->viscosity, v->conductivity);
    else
        kata_apply(p->stages[stage], all, p->now, p->flow, p->stretching, p->next, p->base, far, r,
                   rr, v->viscosity, v->conductivity);
    kata_swap(p->now, p->next);
}

static void run(void *program_, int who, int64_t steps, bool each)
{
    program *p = program_;
    for (int64_t i = 0; i < steps; i++) {
        if (who == BENCH_PLAIN) {
            plain_vortex_step(&p->plain);
            continue;
        }
        for (int stage = 0; stage < STAGES; stage++) make_stage(p, stage);
        kata_step(p->k);
        if (each) kata_flush(p->k);
    }
    if (who == BENCH_KATA) kata_flush(p->k);
}

/* ---- begin and end --------------------------------------------------------------------------- */

static void end(void *program_)
{
    program *p = program_;
    if (!p) return;
    kata_close(p->k);
    bench_pages_free(p->memory, p->bytes);
    free(p);
}

/* Arrays with ghosts. Each begins a few lines further on in its page, so that they do not all meet
 * in the same sets of a cache. */
static bool make_arrays(program *p)
{
    vortex_loops *v = &p->plain;
    const int64_t around = v->n + 2 * VORTEX_GHOSTS;
    v->row = (around + 2 * LINE - 1) / LINE * LINE;
    v->plane = v->row * around;
    const int64_t each = v->plane * around + 9 * LINE;
    p->bytes = (size_t)(ARRAYS * each) * sizeof *p->memory;
    p->memory = bench_pages(p->bytes);
    if (!p->memory) return false;
    double *at = p->memory + LINE + VORTEX_GHOSTS * (v->row + v->plane);
    double **const sets[] = {v->now, v->next, v->base, v->flow};
    for (int s = 0; s < 4; s++)
        for (int c = 0; c < VORTEX_STATE; c++, at += each) sets[s][c] = at;
    for (int c = 0; c < STRETCHING; c++, at += each) v->stretching[c] = at;
    return true;
}

static kata_field *new_field(const program *p, const char *name, int components, bool temporary)
{
    return kata_field_new(p->grid, name, KATA_F64, .components = components,
                          .boundary = KATA_PERIODIC, .temporary = temporary);
}

static void make_program(program *p, int threads)
{
    static const char *const names[STAGES] = {"first_stage", "middle_stage", "last_stage"};
    const vortex_loops *v = &p->plain;
    p->k = kata_open(&(kata_options){.threads = threads, .wait = true});
    p->grid = kata_grid_3d(p->k, v->n, v->n, v->n);
    kata_module *m = kata_module_from_text(p->k, "vortex.kata", vortex_kata);
    p->find_flow = kata_kernel_find(m, "find_flow");
    p->find_stretching = kata_kernel_find(m, "find_stretching");
    for (int i = 0; i < STAGES; i++) p->stages[i] = kata_kernel_find(m, names[i]);
    p->now = new_field(p, "state", VORTEX_STATE, false);
    p->next = new_field(p, "next", VORTEX_STATE, false);
    p->base = new_field(p, "base", VORTEX_STATE, false);
    p->flow = new_field(p, "flow", VORTEX_STATE, true);
    p->stretching = new_field(p, "stretching", STRETCHING, true);
    kata_apply(kata_kernel_find(m, "start_vortex"), kata_all(p->grid), p->now, v->spacing, v->heat);
}

/* Walks over the state of both: copies Katagami's to the plain one, or returns the largest
 * difference relative to the largest number of each quantity. */
static double meet(program *p, bool copy)
{
    const vortex_loops *v = &p->plain;
    double worst = 0;
    const double *values;
    kata_mapping at;
    if (kata_map(p->now, &values, &at)) return INFINITY;
    for (int c = 0; c < VORTEX_STATE; c++) {
        double most = 0, largest = 0;
        for (int64_t z = 0; z < v->n; z++)
            for (int64_t y = 0; y < v->n; y++)
                for (int64_t x = 0; x < v->n; x++) {
                    const double one = values[x * at.stride[0] + y * at.stride[1] +
                                              z * at.stride[2] + c * at.component_stride];
                    double *other = &v->now[c][x + y * v->row + z * v->plane];
                    if (copy) *other = one;
                    most = fmax(most, fabs(one - *other));
                    largest = fmax(largest, fabs(one));
                }
        if (!(most <= worst * largest)) worst = most / largest;
    }
    kata_unmap(p->now);
    return worst;
}

static void *make(const int64_t size[3], int threads)
{
    program *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    const double mach = 0.1, reynolds = 1600, spacing = 2 * acos(-1) / (double)size[0];
    p->plain = (vortex_loops){.n = size[0],
                              .heat = 1.4 * mach * mach,
                              .spacing = spacing,
                              .viscosity = 1 / reynolds,
                              .conductivity = 1 / (0.4 * mach * mach * 0.71 * reynolds),
                              .dt = 0.345 * spacing * mach};
    if (make_arrays(p)) {
        make_program(p, threads);
        if (kata_ok(p->k) && isfinite(meet(p, true))) return p;
    }
    end(p);
    return NULL;
}

/* After some steps of both. */
static double differ(void *program_)
{
    enum { STEPS = 10 };
    run(program_, BENCH_PLAIN, STEPS, false);
    run(program_, BENCH_KATA, STEPS, false);
    return meet(program_, false);
}

const bench_own bench_vortex = {.make = make, .free = end, .run = run, .differ = differ};
