/* Light in two dimensions, by the finite differences of Yee.
 *     fdtd                a lamp in the focus of a mirror, drawn in fdtd.png
 *     fdtd speed          a plane wave on finer and finer grids: its error is of second order
 *     fdtd reflection     how much the absorbing layer sends back, compared with a plane so large
 *                         that nothing comes back in time */
#include <kata/kata.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double courant = 0.5, pi = 3.14159265358979323846;

typedef struct plane {
    kata *k;
    kata_module *m;
    kata_grid *g;
    kata_field *ex, *ey, *hx, *hy, *slow, *fade_x, *fade_y, *e;
} plane;

static plane make_plane(kata *k, kata_module *m, int nx, int ny, int layer)
{
    plane p = {.k = k, .m = m, .g = kata_grid_2d(k, nx, ny)};
    p.ex = kata_field_new(p.g, "ex", KATA_F64, .boundary = layer ? KATA_CONSTANT : KATA_PERIODIC);
    p.ey = kata_field_like(p.ex, "ey");
    p.hx = kata_field_like(p.ex, "hx");
    p.hy = kata_field_like(p.ex, "hy");
    p.e = kata_field_like(p.ex, "e");
    p.slow = kata_field_new(p.g, "slow", KATA_F64);
    p.fade_x = kata_field_new(p.g, "fade_x", KATA_F64, .components = 2, .along = KATA_X);
    p.fade_y = kata_field_new(p.g, "fade_y", KATA_F64, .components = 2, .along = KATA_Y);
    kata_apply(kata_kernel_find(m, "fade_along_x"), kata_on(p.fade_x), p.fade_x, layer, courant);
    kata_apply(kata_kernel_find(m, "fade_along_y"), kata_on(p.fade_y), p.fade_y, layer, courant);
    kata_fill(p.slow, kata_all(p.g), 1);
    return p;
}

static void step(const plane *p)
{
    kata_apply(kata_kernel_find(p->m, "magnetic"), kata_all(p->g), p->ex, p->ey, p->hx, p->hy,
               p->fade_x, p->fade_y, courant);
    kata_apply(kata_kernel_find(p->m, "electric"), kata_all(p->g), p->ex, p->ey, p->hx, p->hy,
               p->slow, p->fade_x, p->fade_y, courant);
}

static void shine(const plane *p, int x, int y, double strength)
{
    kata_apply(kata_kernel_find(p->m, "shine"), kata_box_2d(p->g, x, x + 1, y, y + 1), p->ex,
               strength);
}

static void show(const plane *p)
{
    kata_apply(kata_kernel_find(p->m, "show"), kata_all(p->g), p->ex, p->ey, p->slow, p->e);
}

static void draw_mirror(kata *k, kata_module *m)
{
    enum { N = 480, FOCUS = 100, STEPS = 1100, WAVE = 24 };
    plane p = make_plane(k, m, N, N, 20);
    kata_apply(kata_kernel_find(m, "set_mirror"), kata_all(p.g), p.slow, FOCUS);
    for (int t = 0; t < STEPS; t++) {
        step(&p);
        shine(&p, N / 2, N * 15 / 100 + FOCUS, sin(2 * pi * courant * t / WAVE));
        kata_step(k);
    }
    show(&p);
    kata_save(p.e, "fdtd.png", .low = -0.15, .high = 0.15);
}

static void measure_speed(kata *k, kata_module *m)
{
    double before = 0;
    for (int n = 32; n <= 128; n *= 2) {
        plane p = make_plane(k, m, n, n, 0);
        kata_scalar *error = kata_scalar_new(k, "error", KATA_F64);
        double found = 0;
        kata_apply(kata_kernel_find(m, "set_wave"), kata_all(p.g), p.ex, p.ey, p.hx, p.hy, courant);
        for (int t = 0; t < 2 * n; t++) step(&p);
        kata_apply(kata_kernel_find(m, "compare_wave"), kata_all(p.g), p.ex, p.ey, error,
                   2 * courant);
        kata_scalar_get(error, &found);
        printf("%3d x %3d  error %.2e", n, n, found);
        if (before > 0) printf("  order %.2f", log2(before / found));
        printf("\n");
        before = found;
    }
}

/* A pulse, seen in the whole small plane but for its layer, and there in the large one. */
static void measure_reflection(kata *k, kata_module *m)
{
    enum { LAYER = 16, INNER = 64, MORE = 160, SMALL = INNER + 2 * LAYER, STEPS = 400 };
    plane small = make_plane(k, m, SMALL, SMALL, LAYER);
    plane large = make_plane(k, m, SMALL + 2 * MORE, SMALL + 2 * MORE, LAYER);
    kata_scalar *difference = kata_scalar_new(k, "difference", KATA_F64);
    kata_scalar *greatest = kata_scalar_new(k, "greatest", KATA_F64);
    kata_field *part = kata_field_like(small.e, "part");
    const kata_range inner = kata_inner(small.g, LAYER);
    double worst = 0, most = 0;
    for (int t = 0; t < STEPS; t++) {
        const double late = (courant * t - 20) / 6, strength = -late * exp(-late * late);
        step(&small), shine(&small, LAYER + 8, SMALL / 2, strength), show(&small);
        step(&large), shine(&large, LAYER + 8 + MORE, SMALL / 2 + MORE, strength), show(&large);
        double found[2] = {0};
        kata_copy(part, kata_all(small.g), large.e,
                  kata_box_2d(large.g, MORE, MORE + SMALL, MORE, MORE + SMALL));
        kata_apply(kata_kernel_find(m, "compare"), inner, small.e, part, difference, greatest);
        kata_scalar_get(difference, &found[0]);
        kata_scalar_get(greatest, &found[1]);
        worst = fmax(worst, found[0]);
        most = fmax(most, found[1]);
    }
    printf("a layer of %d cells sends back %.1e of the greatest value: %.0f dB\n", LAYER,
           worst / most, 20 * log10(worst / most));
}

int main(int argc, char **argv)
{
    kata *k = kata_open(NULL);
    kata_module *m = kata_module_load(k, "fdtd.kata");
    if (argc == 1)
        draw_mirror(k, m);
    else if (!strcmp(argv[1], "speed"))
        measure_speed(k, m);
    else if (!strcmp(argv[1], "reflection"))
        measure_reflection(k, m);
    else
        fprintf(stderr, "usage: fdtd [speed | reflection]\n");
    return kata_close(k);
}
