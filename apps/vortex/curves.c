/* The picture: dissipation over time. Time runs from 0 to 20, dissipation from 0 to 0.015; lines of
 * the grid are 2 and 0.002 apart. */
#include "curves_kata.h"
#include "vortex.h"

#include <math.h>

enum { WIDTH = 1200, HEIGHT = 720 };

static const double last_time = 20, highest = 0.015;

/* The cubic polynomial through four values around a position; a parabola's worth less at the ends.
 */
static double interpolate(const double *values, int64_t count, double position)
{
    int64_t at = (int64_t)position;
    if (at < 1) at = 1;
    if (at > count - 3) at = count - 3;
    const double t = position - (double)at, *v = values + at;
    return -t * (t - 1) * (t - 2) / 6 * v[-1] + (t + 1) * (t - 1) * (t - 2) / 2 * v[0] -
           (t + 1) * t * (t - 2) / 2 * v[1] + (t + 1) * t * (t - 1) / 6 * v[2];
}

/* Heights of a curve of `rate` values per unit of time at each column; -1 where it has ended. */
static void find_heights(const double *values, int64_t count, double rate, double heights[WIDTH])
{
    for (int x = 0; x < WIDTH; x++) {
        const double position = (x + 0.5) / WIDTH * last_time * rate;
        heights[x] = count < 4 || position > (double)(count - 1)
                         ? -1
                         : interpolate(values, count, position) / highest * HEIGHT;
    }
}

static void find_computed(const vortex_history *h, double heights[WIDTH])
{
    enum { MOST = 20 * VORTEX_RATE + 1 };
    double values[MOST];
    const int64_t count = !h ? 0 : h->count < MOST ? h->count : MOST;
    for (int64_t i = 0; i < count; i++) values[i] = vortex_dissipation(h, i);
    find_heights(values, count, VORTEX_RATE, heights);
}

static kata_field *new_curve(kata_grid *g, const char *name, const double heights[WIDTH])
{
    kata_field *f = kata_field_new(g, name, KATA_F64, .along = KATA_X, .boundary = KATA_CLAMP);
    kata_put(f, kata_on(f), heights, WIDTH);
    return f;
}

kata_status vortex_curves_save(kata *k, const vortex_history *h, const vortex_history *other,
                               const char *path)
{
    double published[WIDTH], computed[WIDTH], beside[WIDTH];
    find_heights(vortex_published_dissipation, VORTEX_ROWS, VORTEX_ROWS_RATE, published);
    find_computed(h, computed);
    find_computed(other, beside);
    kata_grid *g = kata_grid_2d(k, WIDTH, HEIGHT);
    kata_module *m = kata_module_from_text(k, "curves.kata", curves_kata);
    kata_field *rgb = kata_field_new(g, "rgb", KATA_F32, .components = 3);
    kata_apply(kata_kernel_find(m, "draw_curves"), kata_all(g),
               new_curve(g, "published", published), new_curve(g, "computed", computed),
               new_curve(g, "other", beside), rgb, WIDTH / last_time * 2, HEIGHT / highest * 0.002);
    return kata_save(rgb, path);
}
