/* The picture: the speed and the stream function at every pixel, painted by a kernel.
 *
 * The stream function psi, with dpsi/dy = u, is the integral of u upwards from the floor. Between
 * two cells u is a cubic through four cells, in the half cells at the walls a parabola through the
 * wall. All fluid returns, so psi must be 0 on the lid as well. The integral misses that by less
 * than 1e-4 on 256 x 256 cells, because the corners are singular; this error is taken off close to
 * the lid. */
#include "cavity.h"
#include "streamlines_kata.h"

#include <math.h>
#include <stdlib.h>

enum { PIXELS = 1024 };

/* Integral over a half cell, in cells: from a wall to the centre of the cell next to it. */
static double half_cell(double wall, double near, double far)
{
    double a = near - wall, b = far - wall;
    return wall / 2 + a / 4 - (b - 3 * a) / 72;
}

/* Integral between the nodes k-1 and k of a column, in cells. */
static double whole_cell(const double *u, int64_t cells, int64_t k)
{
    int64_t pitch = cells + 2;
    double trapezium = (u[(k - 1) * pitch] + u[k * pitch]) / 2;
    if (k == 2 || k == cells) return trapezium;
    double bend = u[(k + 1) * pitch] - u[k * pitch] - u[(k - 1) * pitch] + u[(k - 2) * pitch];
    return trapezium - bend / 24;
}

static void integrate_column(const double *u, int64_t cells, double *psi)
{
    int64_t n = cells, pitch = n + 2;
    double sum = half_cell(u[0], u[pitch], u[2 * pitch]);
    for (int64_t k = 1; k <= n; k++) {
        if (k > 1) sum += whole_cell(u, n, k);
        psi[k * pitch] = sum / (double)n;
    }
    sum += half_cell(u[(n + 1) * pitch], u[n * pitch], u[(n - 1) * pitch]);
    for (int64_t k = 1; k <= n; k++)
        psi[k * pitch] -= pow(cavity_node_position(n, k), 12) * sum / (double)n;
}

/* psi at the nodes; NULL when memory is out. The caller frees it. */
static double *stream_function(const cavity_nodes *nodes)
{
    int64_t pitch = nodes->cells + 2;
    double *psi = calloc((size_t)(pitch * pitch), sizeof *psi);
    for (int64_t i = 1; psi && i <= nodes->cells; i++)
        integrate_column(nodes->u + i, nodes->cells, psi + i);
    return psi;
}

/* Speed and stream function at the centres of the pixels, the top row first. */
static void resample(const cavity_nodes *nodes, const double *psi, double *speed, double *psi_here)
{
    cavity_weights at[PIXELS];
    int64_t n = nodes->cells;
    for (int i = 0; i < PIXELS; i++) at[i] = cavity_weights_at(n, (i + 0.5) / PIXELS);
    for (int row = 0; row < PIXELS; row++)
        for (int i = 0; i < PIXELS; i++) {
            const cavity_weights *x = &at[i], *y = &at[PIXELS - 1 - row];
            *speed++ =
                hypot(cavity_interpolate(nodes->u, n, x, y), cavity_interpolate(nodes->v, n, x, y));
            *psi_here++ = cavity_interpolate(psi, n, x, y);
        }
}

static kata_status paint(kata *k, const double *speed, const double *psi, const char *path)
{
    int64_t count = PIXELS * PIXELS;
    kata_grid *g = kata_grid_2d(k, PIXELS, PIXELS);
    kata_field *s = kata_field_new(g, "speed", KATA_F64);
    kata_field *p = kata_field_new(g, "psi", KATA_F64, .boundary = KATA_CLAMP);
    kata_field *rgb = kata_field_new(g, "rgb", KATA_F32, .components = 3);
    kata_module *m = kata_module_from_text(k, "streamlines.kata", streamlines_kata);
    kata_put(s, kata_all(g), speed, count);
    kata_put(p, kata_all(g), psi, count);
    kata_apply(kata_kernel_find(m, "paint"), kata_all(g), s, p, rgb);
    return kata_save(rgb, path);
}

kata_status cavity_picture_save(kata *k, const cavity_nodes *nodes, const char *path)
{
    size_t bytes = sizeof(double[PIXELS][PIXELS]);
    double *speed = malloc(bytes), *psi_here = malloc(bytes), *psi = stream_function(nodes);
    kata_status status = KATA_ERROR_MEMORY;
    if (speed && psi_here && psi) {
        resample(nodes, psi, speed, psi_here);
        status = paint(k, speed, psi_here, path);
    }
    free(speed);
    free(psi_here);
    free(psi);
    return status;
}
