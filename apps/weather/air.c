/* The air: its fields, and a time step of five loops. What only the loops of a step pass on to each
 * other are temporaries. */
#include "weather.h"
#include "weather_kata.h"

#include <math.h>

static kata_field *new_field(const weather_air *a, const char *name, int components, bool temporary)
{
    kata_field *f = kata_field_new(a->grid, name, KATA_F64, .components = components,
                                   .boundary = KATA_PERIODIC, .temporary = temporary);
    /* Intervals keep the reads of columns inside. */
    kata_boundary_set(f, KATA_Z_LOW, KATA_NONE, 0);
    kata_boundary_set(f, KATA_Z_HIGH, KATA_NONE, 0);
    return f;
}

static void find_kernels(weather_air *a)
{
    a->module = kata_module_from_text(a->k, "weather.kata", weather_kata);
    a->find_curvature = kata_kernel_find(a->module, "find_curvature");
    a->find_fluxes = kata_kernel_find(a->module, "find_fluxes");
    a->find_tendency = kata_kernel_find(a->module, "find_tendency");
    a->eliminate = kata_kernel_find(a->module, "eliminate");
    a->substitute = kata_kernel_find(a->module, "substitute");
}

static void make_fields(weather_air *a)
{
    a->now = new_field(a, "u", 1, false);
    a->next = new_field(a, "next", 1, false);
    a->updraft = new_field(a, "updraft", 1, false);
    a->diffusion = kata_field_new(a->grid, "diffusion", KATA_F64, .along = KATA_Z);
    a->curvature = new_field(a, "curvature", 1, true);
    a->flux = new_field(a, "flux", 2, true);
    a->tendency = new_field(a, "tendency", 1, true);
    a->upper = new_field(a, "upper", 1, true);
    a->right = new_field(a, "right", 1, true);
}

void weather_air_make(weather_air *a, kata *k, const weather_case *c)
{
    *a = (weather_air){.k = k, .c = c};
    a->grid = kata_grid_3d(k, c->size[0], c->size[1], c->size[2]);
    find_kernels(a);
    make_fields(a);
    kata_apply(kata_kernel_find(a->module, "set_diffusion"), kata_on(a->diffusion), a->diffusion,
               c->diffusion, 4 * c->diffusion);
    kata_apply(kata_kernel_find(a->module, "set_updraft"), kata_all(a->grid), a->updraft,
               c->updraft);
    kata_apply(kata_kernel_find(a->module, c->start == WEATHER_WAVE ? "start_wave" : "start_layer"),
               kata_all(a->grid), a->now);
}

void weather_step(const weather_air *a)
{
    const kata_range all = kata_all(a->grid);
    kata_apply(a->find_curvature, all, a->now, a->curvature);
    kata_apply(a->find_fluxes, all, a->now, a->curvature, a->flux);
    kata_apply(a->find_tendency, all, a->flux, a->diffusion, a->tendency);
    kata_apply(a->eliminate, all, a->now, a->tendency, a->updraft, a->upper, a->right);
    kata_apply(a->substitute, all, a->upper, a->right, a->next);
    kata_swap(a->now, a->next);
    kata_step(a->k);
}

weather_bounds weather_find_bounds(const weather_air *a)
{
    weather_bounds b = {NAN, NAN};
    kata_scalar *low = kata_scalar_new(a->k, "low", KATA_F64);
    kata_scalar *high = kata_scalar_new(a->k, "high", KATA_F64);
    kata_apply(kata_kernel_find(a->module, "find_bounds"), kata_all(a->grid), a->now, low, high);
    kata_scalar_get(low, &b.low);
    kata_scalar_get(high, &b.high);
    return b;
}

void weather_find_means(const weather_air *a, double *means)
{
    kata_field *f = kata_field_new(a->grid, "means", KATA_F64, .along = KATA_Z);
    kata_apply(kata_kernel_find(a->module, "find_means"), kata_all(a->grid), a->now, f);
    kata_get(f, kata_on(f), means, a->c->size[2]);
}
