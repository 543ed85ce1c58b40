/* Water on a turning sphere, whose mesh is of triangles: tests 2 and 5 of D. L. Williamson and
 * others, A standard test set for numerical approximations to the shallow water equations in
 * spherical geometry, J. Comput. Phys. 102, 1992.
 *
 * "williamson steady [BISECTIONS [DAYS [DEGREES]]]" is a wind in balance, which stays as it is; its
 * axis leans by so many degrees.
 *
 * "williamson mountain [BISECTIONS [DAYS]]" is a wind over a mountain, 2000 m high.
 *
 * The mesh is R2B(BISECTIONS). The second one writes the surface and the vorticity for ParaView,
 * and a map of each.
 */
#include <kata/kata.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUMS = 5 };

/* m, 1/s, m/s^2 */
static const double radius = 6.37122e6, turning = 7.292e-5, gravity = 9.80616, day = 86400;
static const double pi = 3.14159265358979323846;

typedef struct water {
    kata *k;
    kata_grid *g;
    kata_module *m;
    kata_field *len, *duallen, *area, *dualarea, *tangent, *arm; /* of the mesh */
    kata_field *bottom, *f;
    kata_field *h, *u, *h_before, *u_before; /* depth and wind, now and at the last step */
    kata_field *wind, *b, *eta, *du, *flux;  /* in the middle of a step */
    kata_field *first;                       /* the depth at the start */
    kata_scalar *sums[SUMS];
} water;

typedef struct flow {
    double axis[3], speed,
        level;  /* of the wind at its equator; g times the level of the water there */
    double top; /* of the mountain; 0: there is none */
} flow;

/* ---- the mesh -------------------------------------------------------------------------------- */

static kata_field *field(kata_grid *g, const char *name, kata_location on, int components)
{
    return kata_field_new(g, name, KATA_F64, .on = on, .components = components);
}

/* Takes the values, which are freed. */
static kata_field *filled(kata_grid *g, const char *name, kata_location on, int components,
                          double *values)
{
    kata_field *f = field(g, name, on, components);
    kata_put(f, kata_on(f), values, kata_grid_count(g, on) * components);
    free(values);
    return f;
}

/* To be freed: lengths in units of this one, and areas in its square. */
static double *geometry(kata_grid *g, kata_location on, kata_geometry what, double unit)
{
    const bool vectors = what == KATA_POSITION || what == KATA_NORMAL;
    const bool areas = what == KATA_AREA || what == KATA_DUAL_AREA;
    const int64_t count = kata_grid_count(g, on) * (vectors ? 3 : 1);
    double *values = malloc((size_t)count * sizeof *values);
    kata_grid_geometry(g, on, what, values, count);
    for (int64_t i = 0; i < count; i++) values[i] *= areas ? unit * unit : unit;
    return values;
}

/* a x b at each of n points, times a factor; a is free then. */
static void cross(double *a, const double *b, int64_t n, double factor)
{
    for (int64_t i = 0; i < n; i++) {
        const double x = a[i], y = a[n + i], z = a[2 * n + i];
        a[i] = factor * (y * b[2 * n + i] - z * b[n + i]);
        a[n + i] = factor * (z * b[i] - x * b[2 * n + i]);
        a[2 * n + i] = factor * (x * b[n + i] - y * b[i]);
    }
}

static void measure_mesh(water *w)
{
    kata_grid *g = w->g;
    w->len = filled(g, "len", KATA_EDGES, 1, geometry(g, KATA_EDGES, KATA_LENGTH, radius));
    w->duallen =
        filled(g, "duallen", KATA_EDGES, 1, geometry(g, KATA_EDGES, KATA_DUAL_LENGTH, radius));
    w->area = filled(g, "area", KATA_CELLS, 1, geometry(g, KATA_CELLS, KATA_AREA, radius));
    w->dualarea =
        filled(g, "dualarea", KATA_VERTICES, 1, geometry(g, KATA_VERTICES, KATA_DUAL_AREA, radius));

    double *normal = geometry(g, KATA_EDGES, KATA_NORMAL, 1);
    double *along = geometry(g, KATA_EDGES, KATA_POSITION, 1); /* the normal, turned to the left */
    cross(along, normal, kata_grid_count(g, KATA_EDGES), 1);
    free(normal);
    w->tangent = filled(g, "tangent", KATA_EDGES, 3, along);

    kata_field *at = filled(g, "at", KATA_CELLS, 3, geometry(g, KATA_CELLS, KATA_POSITION, 1));
    kata_field *middle =
        filled(g, "middle", KATA_EDGES, 3, geometry(g, KATA_EDGES, KATA_POSITION, 1));
    w->arm =
        kata_field_new(g, "arm", KATA_F64, .on = KATA_CELLS, .each = KATA_EDGES, .components = 3);
    kata_apply(kata_kernel_find(w->m, "arms"), kata_all(g), at, middle, w->len, w->area, radius,
               w->arm);
}

/* ---- the start ------------------------------------------------------------------------------- */

/* Heights over the plane of the flow's equator, from -1 to 1. To be freed. */
static double *heights(kata_grid *g, kata_location on, const flow *of)
{
    const int64_t n = kata_grid_count(g, on);
    double *at = geometry(g, on, KATA_POSITION, 1);
    for (int64_t i = 0; i < n; i++)
        at[i] = of->axis[0] * at[i] + of->axis[1] * at[n + i] + of->axis[2] * at[2 * n + i];
    return at;
}

/* A cone, as wide as 20 degrees at each side of 90 degrees west, 30 degrees north. To be freed. */
static double *mountain(kata_grid *g, double top)
{
    const double wide = pi / 9;
    const int64_t n = kata_grid_count(g, KATA_CELLS);
    double *at = geometry(g, KATA_CELLS, KATA_POSITION, 1);
    for (int64_t i = 0; i < n; i++) {
        const double east = remainder(atan2(at[n + i], at[i]) + pi / 2, 2 * pi);
        const double north = asin(at[2 * n + i]) - pi / 6;
        at[i] = top * (1 - fmin(wide, hypot(east, north)) / wide);
    }
    return at;
}

/* The flow turns like a solid body; the slope of the surface holds it on its way. */
static void begin(water *w, const flow *of)
{
    const int64_t cells = kata_grid_count(w->g, KATA_CELLS),
                  edges = kata_grid_count(w->g, KATA_EDGES);
    double *bottom = mountain(w->g, of->top), *h = heights(w->g, KATA_CELLS, of);
    for (int64_t i = 0; i < cells; i++)
        h[i] =
            (of->level - (radius * turning + of->speed / 2) * of->speed * h[i] * h[i]) / gravity -
            bottom[i];
    w->bottom = filled(w->g, "bottom", KATA_CELLS, 1, bottom);
    w->h = filled(w->g, "h", KATA_CELLS, 1, h);
    kata_copy(w->first, kata_all(w->g), w->h, kata_all(w->g));

    double *f = heights(w->g, KATA_VERTICES, of);
    for (int64_t i = 0; i < kata_grid_count(w->g, KATA_VERTICES); i++) f[i] *= 2 * turning;
    w->f = filled(w->g, "f", KATA_VERTICES, 1, f);

    double *u = malloc((size_t)edges * 3 * sizeof *u);
    for (int64_t i = 0; i < 3 * edges; i++) u[i] = of->axis[i / edges];
    double *at = geometry(w->g, KATA_EDGES, KATA_POSITION, 1),
           *normal = geometry(w->g, KATA_EDGES, KATA_NORMAL, 1);
    cross(u, at, edges, of->speed);
    for (int64_t i = 0; i < edges; i++)
        u[i] = u[i] * normal[i] + u[edges + i] * normal[edges + i] +
               u[2 * edges + i] * normal[2 * edges + i];
    free(at);
    free(normal);
    w->u = filled(w->g, "u", KATA_EDGES, 1, u);
}

static void make(water *w)
{
    static const char *const names[SUMS] = {"mass", "energy", "squares", "first_squares",
                                            "largest"};
    measure_mesh(w);
    w->u_before = field(w->g, "u_before", KATA_EDGES, 1);
    w->h_before = field(w->g, "h_before", KATA_CELLS, 1);
    w->first = field(w->g, "first", KATA_CELLS, 1);
    w->wind = field(w->g, "wind", KATA_CELLS, 3);
    w->b = field(w->g, "b", KATA_CELLS, 1);
    w->eta = field(w->g, "eta", KATA_VERTICES, 1);
    w->du = field(w->g, "du", KATA_EDGES, 1);
    w->flux = field(w->g, "flux", KATA_EDGES, 1);
    for (int i = 0; i < SUMS; i++) w->sums[i] = kata_scalar_new(w->k, names[i], KATA_F64);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void look(water *w)
{
    kata_range all = kata_all(w->g);
    kata_apply(kata_kernel_find(w->m, "in_cells"), all, w->u, w->h, w->bottom, w->arm, gravity,
               w->wind, w->b);
    kata_apply(kata_kernel_find(w->m, "at_vertices"), all, w->u, w->duallen, w->dualarea, w->f,
               w->eta);
}

static void step(water *w, double dt)
{
    static const double old[3] = {0, 3.0 / 4, 1.0 / 3};
    kata_range all = kata_all(w->g);
    kata_copy(w->u_before, all, w->u, all);
    kata_copy(w->h_before, all, w->h, all);
    for (int i = 0; i < 3; i++) {
        look(w);
        kata_apply(kata_kernel_find(w->m, "on_edges"), all, w->u, w->h, w->wind, w->b, w->eta,
                   w->tangent, w->len, w->duallen, w->du, w->flux);
        kata_apply(kata_kernel_find(w->m, "wind_stage"), all, w->du, w->u_before, old[i], dt, w->u);
        kata_apply(kata_kernel_find(w->m, "depth_stage"), all, w->flux, w->area, w->h_before,
                   old[i], dt, w->h);
    }
}

/* Prints by how much mass, energy and depth have changed. */
static void report(water *w, int days)
{
    static double mass, energy;
    double v[SUMS];
    look(w);
    kata_apply(kata_kernel_find(w->m, "measure"), kata_all(w->g), w->h, w->bottom, w->first,
               w->wind, w->area, gravity, w->sums[0], w->sums[1], w->sums[2], w->sums[3],
               w->sums[4]);
    for (int i = 0; i < SUMS; i++) kata_scalar_get(w->sums[i], &v[i]);
    if (!days) mass = v[0], energy = v[1];
    const double gained =
        fabs(v[0] / mass - 1) < 1e-14 ? 0 : v[0] / mass - 1; /* less is rounding */
    printf("day %2d  mass %+.0e  energy %+.1e  depth: mean square %.2e  largest %.2e\n", days,
           gained, v[1] / energy - 1, sqrt(v[2] / v[3]), v[4]);
}

int main(int argc, char **argv)
{
    const bool steady = argc > 1 && !strcmp(argv[1], "steady");
    if (argc < 2 || (!steady && strcmp(argv[1], "mountain"))) {
        fprintf(stderr, "usage: williamson steady | mountain [BISECTIONS [DAYS [DEGREES]]]\n");
        return 2;
    }
    const int bisections = argc > 2 ? atoi(argv[2]) : 3, days = argc > 3 ? atoi(argv[3]) : 5;
    const double lean = argc > 4 ? atof(argv[4]) * pi / 180 : 0;
    const flow of = {{-sin(lean), 0, cos(lean)},
                     steady ? 2 * pi * radius / (12 * day) : 20,
                     steady ? 2.94e4 : 5960 * gravity,
                     steady ? 0 : 2000};
    kata *k = kata_open(NULL);
    water w = {.k = k,
               .g = kata_grid_sphere(k, 2, bisections, 1),
               .m = kata_module_load(k, "williamson.kata")};
    if (!kata_ok(k)) return kata_close(k);
    const int daily = 24 << bisections; /* steps */
    make(&w);
    begin(&w, &of);
    for (int t = 0; t <= days * daily; t++) {
        if (t) step(&w, day / daily);
        if (t % daily == 0) report(&w, t / daily);
    }
    if (!steady) {
        kata_field *surface = field(w.g, "surface", KATA_CELLS, 1);
        kata_apply(kata_kernel_find(w.m, "surface"), kata_all(w.g), w.h, w.bottom, surface);
        kata_save(surface, "williamson.vtkhdf", .with = {w.eta});
        kata_save(surface, "williamson.png");
    }
    return kata_close(k);
}
