/* The time steps of weather.kata in plain C, as a reader of the formulas writes them: one point
 * after another, one column after another, no kernel text. Every operation is rounded as there, so
 * all bits are the same. */
#include "weather.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Arrays of all points, x fastest. */
typedef struct plain {
    int64_t nx, ny, nz;
    double *u, *next, *w, *curvature, *flux_x, *flux_y;
    double *diffusion; /* of each level */
    double *c, *d;     /* of a column */
} plain;

static int64_t at(const plain *p, int64_t x, int64_t y, int64_t z)
{
    x = (x + p->nx) % p->nx;
    y = (y + p->ny) % p->ny;
    return x + p->nx * (y + p->ny * z);
}

static double limit(double flux, double slope) { return flux * slope > 0 ? 0 : flux; }

#define EACH_POINT                                                                                 \
    for (int64_t z = 0; z < p->nz; z++)                                                            \
        for (int64_t y = 0; y < p->ny; y++)                                                        \
            for (int64_t x = 0; x < p->nx; x++)

static void find_fluxes(plain *p)
{
    const double *u = p->u, *curvature = p->curvature;
    EACH_POINT
    p->curvature[at(p, x, y, z)] = u[at(p, x + 1, y, z)] + u[at(p, x - 1, y, z)] +
                                   u[at(p, x, y + 1, z)] + u[at(p, x, y - 1, z)] -
                                   4 * u[at(p, x, y, z)];
    EACH_POINT
    {
        const int64_t here = at(p, x, y, z), right = at(p, x + 1, y, z),
                      behind = at(p, x, y + 1, z);
        p->flux_x[here] = limit(curvature[right] - curvature[here], u[right] - u[here]);
        p->flux_y[here] = limit(curvature[behind] - curvature[here], u[behind] - u[here]);
    }
}

static double find_tendency(const plain *p, int64_t x, int64_t y, int64_t z)
{
    const int64_t here = at(p, x, y, z);
    const double spread = p->flux_x[here] - p->flux_x[at(p, x - 1, y, z)] + p->flux_y[here] -
                          p->flux_y[at(p, x, y - 1, z)];
    return -p->diffusion[z] * spread;
}

/* The weight of the level below z; that of the level above is the one of z + 1, negative. */
static double weight_below(const plain *p, int64_t x, int64_t y, int64_t z)
{
    return z == 0 ? 0 : -0.125 * (p->w[at(p, x + 1, y, z)] + p->w[at(p, x, y, z)]);
}

static double weight_above(const plain *p, int64_t x, int64_t y, int64_t z)
{
    return z == p->nz - 1 ? 0 : 0.125 * (p->w[at(p, x + 1, y, z + 1)] + p->w[at(p, x, y, z + 1)]);
}

/* Thomas's algorithm. */
static void solve_column(plain *p, int64_t x, int64_t y)
{
    for (int64_t z = 0; z < p->nz; z++) {
        const double a = weight_below(p, x, y, z), c = weight_above(p, x, y, z);
        const double u = p->u[at(p, x, y, z)];
        const double lower = z > 0 ? a * (p->u[at(p, x, y, z - 1)] - u) : 0;
        const double upper = z < p->nz - 1 ? c * (p->u[at(p, x, y, z + 1)] - u) : 0;
        const double c_before = z > 0 ? p->c[z - 1] * a : 0, d_before = z > 0 ? p->d[z - 1] * a : 0;
        const double b = 1 - a - c - c_before;
        p->c[z] = c / b;
        p->d[z] = (u + find_tendency(p, x, y, z) - (lower + upper) - d_before) / b;
    }
    double above = 0;
    for (int64_t z = p->nz - 1; z >= 0; z--)
        p->next[at(p, x, y, z)] = above = z < p->nz - 1 ? p->d[z] - p->c[z] * above : p->d[z];
}

static void make_step(plain *p)
{
    find_fluxes(p);
    for (int64_t y = 0; y < p->ny; y++)
        for (int64_t x = 0; x < p->nx; x++) solve_column(p, x, y);
    double *old = p->u;
    p->u = p->next;
    p->next = old;
}

static double run(plain *p, const weather_air *a, const double *start)
{
    const int64_t points = p->nx * p->ny * p->nz;
    const double *found;
    kata_mapping where;
    double most = 0;
    memcpy(p->u, start, (size_t)points * sizeof *start);
    kata_get(a->updraft, kata_all(a->grid), p->w, points);
    kata_get(a->diffusion, kata_on(a->diffusion), p->diffusion, p->nz);
    for (int64_t i = 0; i < a->c->steps; i++) make_step(p);
    if (kata_map(a->now, &found, &where)) return NAN;
    EACH_POINT
    {
        const double other = found[x * where.stride[0] + y * where.stride[1] + z * where.stride[2]];
        const double difference = fabs(p->u[at(p, x, y, z)] - other);
        if (!(difference <= most)) most = difference;
    }
    kata_unmap(a->now);
    return most;
}

double weather_compare(const weather_air *a, const double *start)
{
    const int64_t *n = a->c->size, points = n[0] * n[1] * n[2];
    double *memory = calloc((size_t)(6 * points + 3 * n[2]), sizeof *memory);
    if (!memory) return NAN;
    double *levels = memory + 6 * points;
    plain p = {n[0],
               n[1],
               n[2],
               .u = memory,
               .next = memory + points,
               .w = memory + 2 * points,
               .curvature = memory + 3 * points,
               .flux_x = memory + 4 * points,
               .flux_y = memory + 5 * points,
               .diffusion = levels,
               .c = levels + n[2],
               .d = levels + 2 * n[2]};
    const double most = run(&p, a, start);
    free(memory);
    return most;
}
