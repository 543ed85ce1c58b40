/* weather: horizontal diffusion and vertical advection, the two kinds of stencils of weather
 * models. */
#ifndef WEATHER_WEATHER_H
#define WEATHER_WEATHER_H

#include <kata/kata.h>

#include <stdbool.h>

typedef enum weather_start { WEATHER_LAYER, WEATHER_WAVE } weather_start;

typedef struct weather_case {
    int64_t size[3]; /* points in x, y and z */
    int64_t steps;
    double updraft;   /* levels per time step, at most */
    double diffusion; /* of fourth order, in a time step; four times as strong at the top */
    int start;        /* weather_start */
} weather_case;

/* ---- air.c: fields and the time step -----------------------------------------------------------
 */

typedef struct weather_air {
    kata *k;
    const weather_case *c;
    kata_grid *grid;
    kata_module *module;
    kata_kernel *find_curvature, *find_fluxes, *find_tendency, *eliminate, *substitute;
    kata_field *now, *next, *updraft, *diffusion;
    kata_field *curvature, *flux, *tendency; /* within a step */
    kata_field *upper, *right;               /* of the tridiagonal system, within a step */
} weather_air;

/* Makes the fields and sets the start. The context tells what went wrong. */
void weather_air_make(weather_air *a, kata *k, const weather_case *c);
/* Queues a time step. */
void weather_step(const weather_air *a);

typedef struct weather_bounds {
    double low, high;
} weather_bounds;

weather_bounds weather_find_bounds(const weather_air *a);
/* Means of the levels, c->size[2] of them. */
void weather_find_means(const weather_air *a, double *means);

/* ---- columns_in_c.c: the same in plain C
 * --------------------------------------------------------- */

/* Makes the case's steps in plain C, from the same start, and returns the largest difference from
 * `a` at any point; NAN when memory is out or the context is in error. */
double weather_compare(const weather_air *a, const double *start);

#endif
