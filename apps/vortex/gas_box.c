/* The gas in the box: its fields, a time step, sums over the box.
 *
 * The time step is the three-stage scheme of low storage that OpenSBLI uses: two sets of numbers
 * per quantity, the state and the base that the stages start from. Flow and stretching are found
 * anew in each stage and live within it. */
#include "common/common.h"
#include "vortex.h"
#include "vortex_kata.h"

#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;
static const double prandtl = 0.71, gamma_ratio = 1.4; /* gamma_ratio: as in vortex.kata */

/* How far a stage moves the state and the base, in time steps. */
static const double far_steps[3] = {2.0 / 3, 5.0 / 12, 3.0 / 5};
static const double near_steps[2] = {1.0 / 4, 3.0 / 20};

static kata_field *new_field(const vortex_box *b, const char *name, int components, bool temporary)
{
    return kata_field_new(b->grid, name, KATA_F64, .components = components,
                          .boundary = KATA_PERIODIC, .temporary = temporary);
}

void vortex_box_make(vortex_box *b, kata *k, const vortex_case *c)
{
    static const char *const stages[] = {"first_stage", "middle_stage", "last_stage"};
    *b = (vortex_box){.k = k, .grid = kata_grid_3d(k, c->size, c->size, c->size)};
    b->module = kata_module_from_text(k, "vortex.kata", vortex_kata);
    b->find_flow = kata_kernel_find(b->module, "find_flow");
    b->find_stretching = kata_kernel_find(b->module, "find_stretching");
    b->measure = kata_kernel_find(b->module, "measure");
    for (int i = 0; i < 3; i++) b->stages[i] = kata_kernel_find(b->module, stages[i]);
    b->now = new_field(b, "state", VORTEX_QUANTITIES, false);
    b->next = new_field(b, "next", VORTEX_QUANTITIES, false);
    b->base = new_field(b, "base", VORTEX_QUANTITIES, false);
    b->flow = new_field(b, "flow", VORTEX_QUANTITIES, true);
    b->stretching = new_field(b, "stretching", 3, true);
    b->vorticity = kata_field_new(b->grid, "vorticity", KATA_F64);
    kata_discard(b->vorticity);
    b->totals = kata_scalar_array_new(k, "totals", KATA_F64, 3);
    b->spacing = 2 * pi / (double)c->size;
    b->heat = gamma_ratio * c->mach * c->mach;
    b->viscosity = 1 / c->reynolds;
    b->conductivity = 1 / ((gamma_ratio - 1) * c->mach * c->mach * prandtl * c->reynolds);
}

void vortex_box_start(const vortex_box *b)
{
    kata_apply(kata_kernel_find(b->module, "start_vortex"), kata_all(b->grid), b->now, b->spacing,
               b->heat);
}

/* ---- a time step ----------------------------------------------------------------------------- */

static void find_flow(const vortex_box *b)
{
    kata_apply(b->find_flow, kata_all(b->grid), b->now, b->flow, b->heat);
}

static void make_stage(const vortex_box *b, int stage, double dt)
{
    const kata_range all = kata_all(b->grid);
    const double far = far_steps[stage] * dt, near = stage < 2 ? near_steps[stage] * dt : 0;
    const double r = 1 / (12 * b->spacing), rr = r / b->spacing;
    find_flow(b);
    kata_apply(b->find_stretching, all, b->flow, b->stretching);
    if (stage < 2)
        kata_apply(b->stages[stage], all, b->now, b->flow, b->stretching, b->next, b->base, far,
                   near, r, rr, b->viscosity, b->conductivity);
    else
        kata_apply(b->stages[stage], all, b->now, b->flow, b->stretching, b->next, b->base, far, r,
                   rr, b->viscosity, b->conductivity);
    kata_swap(b->now, b->next);
}

void vortex_box_step(const vortex_box *b, double dt)
{
    for (int stage = 0; stage < 3; stage++) make_stage(b, stage, dt);
    kata_step(b->k);
}

int64_t vortex_steps(const vortex_case *c, double time)
{
    return (int64_t)ceil(time / (c->courant * c->mach * 2 * pi / (double)c->size) * (1 - 1e-12));
}

/* ---- measurements ---------------------------------------------------------------------------- */

vortex_sample vortex_box_measure(const vortex_box *b)
{
    double totals[3] = {0}, points = pow(2 * pi / b->spacing, 3);
    find_flow(b);
    kata_apply(b->measure, kata_all(b->grid), b->now, b->flow, b->totals, 1 / (12 * b->spacing));
    kata_step(b->k);
    kata_scalar_get_all(b->totals, totals, 3);
    return (vortex_sample){totals[0] / points, totals[1] / points / 2, totals[2] / points / 2};
}

kata_status vortex_slice_save(const vortex_box *b, const char *path)
{
    const int64_t n = llround(2 * pi / b->spacing);
    const kata_range plane = kata_box_3d(b->grid, n / 2, n / 2 + 1, 0, n, 0, n);
    find_flow(b);
    kata_apply(kata_kernel_find(b->module, "find_vorticity"), kata_all(b->grid), b->flow,
               b->vorticity, 1 / (12 * b->spacing));
    kata_step(b->k);
    enlarged_plane_save(b->k, b->vorticity, &plane, (const int64_t[]){n, n}, (const int[]){2, 3},
                        NULL, path);
    return kata_discard(b->vorticity);
}
