/* Patterns that two substances make where they react and diffuse. The program counts the pieces of
 * the pattern, less its holes, and draws it.
 *     gray_scott [spots | stripes | map] [POINTS [STEPS]]
 * In the map the rate of feeding grows upwards, that of decay to the right. */
#include <kata/kata.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct pattern {
    const char *name;
    double feed[2], kill[2]; /* at the low and the high side */
} pattern;

static const pattern patterns[] = {{"spots", {0.035, 0.035}, {0.065, 0.065}},
                                   {"stripes", {0.055, 0.055}, {0.062, 0.062}},
                                   {"map", {0.01, 0.08}, {0.045, 0.07}}};

/* NULL where there is none of that name. */
static const pattern *pattern_of(const char *name)
{
    for (int i = 0; i < 3; i++)
        if (!strcmp(name, patterns[i].name)) return &patterns[i];
    return NULL;
}

static void print_count(kata_kernel *count, kata_grid *g, kata_field *v, kata_scalar *cells,
                        kata_scalar *pieces, int64_t step)
{
    int64_t n = 0, p = 0;
    kata_apply(count, kata_all(g), v, cells, pieces);
    kata_scalar_get(cells, &n);
    kata_scalar_get(pieces, &p);
    printf("step %5lld  %6lld cells, pieces less holes %4lld\n", (long long)step, (long long)n,
           (long long)p);
}

int main(int argc, char **argv)
{
    const pattern *p = pattern_of(argc > 1 ? argv[1] : "spots");
    const int points = argc > 2 ? atoi(argv[2]) : 256, steps = argc > 3 ? atoi(argv[3]) : 6000;
    if (!p || points < 2 || steps < 4) {
        fprintf(stderr, "usage: gray_scott [spots | stripes | map] [POINTS [STEPS]]\n");
        return 2;
    }
    kata *k = kata_open(NULL);
    kata_module *m = kata_module_load(k, "gray_scott.kata");
    kata_kernel *step = kata_kernel_find(m, "step"), *count = kata_kernel_find(m, "count");
    kata_grid *g = kata_grid_2d(k, points, points);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_PERIODIC);
    kata_field *v = kata_field_like(u, "v");
    kata_field *next_u = kata_field_like(u, "next_u"), *next_v = kata_field_like(u, "next_v");
    kata_field *feed = kata_field_new(g, "feed", KATA_F64, .along = KATA_Y);
    kata_field *kill = kata_field_new(g, "kill", KATA_F64, .along = KATA_X);
    kata_scalar *cells = kata_scalar_new(k, "cells", KATA_I64);
    kata_scalar *pieces = kata_scalar_new(k, "pieces", KATA_I64);

    kata_apply(kata_kernel_find(m, "ramp_x"), kata_on(kill), kill, p->kill[0], p->kill[1]);
    kata_apply(kata_kernel_find(m, "ramp_y"), kata_on(feed), feed, p->feed[0], p->feed[1]);
    kata_apply(kata_kernel_find(m, "start"), kata_all(g), u, v);
    for (int t = 1; t <= steps && kata_ok(k); t++) {
        kata_apply(step, kata_all(g), u, v, next_u, next_v, feed, kill);
        kata_swap(u, next_u);
        kata_swap(v, next_v);
        kata_step(k);
        if (t % (steps / 4) == 0) print_count(count, g, v, cells, pieces, t);
    }
    kata_save(v, "gray_scott.png");
    return kata_close(k);
}
