/* A wind turns a tracer once around a sphere, which is a mesh of triangles. The mass stays, and the
 * tracer comes back to where it was, spread out by the scheme. */
#include <kata/kata.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BISECTIONS = 3, STEPS = 400 };
static const double pi = 3.14159265358979323846;

static kata_field *field(kata_grid *g, const char *name, kata_location on, const double *values)
{
    kata_field *f = kata_field_new(g, name, KATA_F64, .on = on);
    if (values) kata_put(f, kata_on(f), values, kata_grid_count(g, on));
    return f;
}

/* To be freed. */
static double *geometry(kata_grid *g, kata_location on, kata_geometry what)
{
    bool vectors = what == KATA_POSITION || what == KATA_NORMAL;
    int64_t count = kata_grid_count(g, on) * (vectors ? 3 : 1);
    double *values = malloc((size_t)count * sizeof *values);
    kata_grid_geometry(g, on, what, values, count);
    return values;
}

/* The part of the wind (-y, x, 0) that is normal to each edge. */
static kata_field *wind(kata_grid *g)
{
    int64_t n = kata_grid_count(g, KATA_EDGES);
    double *at = geometry(g, KATA_EDGES, KATA_POSITION);
    double *normal = geometry(g, KATA_EDGES, KATA_NORMAL);
    for (int64_t e = 0; e < n; e++) normal[e] = at[e] * normal[n + e] - at[n + e] * normal[e];
    kata_field *u = field(g, "u", KATA_EDGES, normal);
    free(at);
    free(normal);
    return u;
}

static kata_field *sizes(kata_grid *g, const char *name, kata_location on, kata_geometry what)
{
    double *values = geometry(g, on, what);
    kata_field *f = field(g, name, on, values);
    free(values);
    return f;
}

int main(void)
{
    kata *k = kata_open(NULL);
    kata_module *m = kata_module_load(k, "sphere.kata");
    kata_grid *g = kata_grid_sphere(k, 2, BISECTIONS, 1);
    int64_t cells = kata_grid_count(g, KATA_CELLS);
    double *at = geometry(g, KATA_CELLS, KATA_POSITION);
    kata_field *x = field(g, "x", KATA_CELLS, at), *y = field(g, "y", KATA_CELLS, at + cells);
    kata_field *z = field(g, "z", KATA_CELLS, at + 2 * cells);
    kata_field *u = wind(g), *len = sizes(g, "len", KATA_EDGES, KATA_LENGTH);
    kata_field *area = sizes(g, "area", KATA_CELLS, KATA_AREA);
    kata_field *q = field(g, "q", KATA_CELLS, NULL), *flux = field(g, "flux", KATA_EDGES, NULL);
    kata_scalar *mass = kata_scalar_new(k, "mass", KATA_F64);
    kata_scalar *most = kata_scalar_new(k, "most", KATA_F64);
    kata_scalar *east = kata_scalar_array_new(k, "east", KATA_F64, 2);
    free(at);

    kata_apply(kata_kernel_find(m, "bell"), kata_all(g), x, y, z, q);
    for (int t = 0; t <= STEPS; t++) {
        if (t % (STEPS / 4) == 0) {
            double values[4];
            kata_apply(kata_kernel_find(m, "measure"), kata_all(g), q, x, y, area, mass, most,
                       east);
            kata_scalar_get(mass, &values[0]);
            kata_scalar_get(most, &values[1]);
            kata_scalar_get_all(east, &values[2], 2);
            int degrees = (int)fmod(450.5 + 180 / pi * atan2(values[3], values[2]), 360) - 90;
            printf("step %3d  mass %.6f  greatest %.3f  at %3d degrees\n", t, values[0], values[1],
                   degrees);
        }
        kata_apply(kata_kernel_find(m, "carry"), kata_all(g), q, u, len, flux);
        kata_apply(kata_kernel_find(m, "update"), kata_all(g), flux, area, 2 * pi / STEPS, q);
    }
    return kata_close(k);
}
