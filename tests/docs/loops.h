/* Both sides of the pairs of docs/loops.md, which test_loops.sh turns into functions, on the same
 * values. A field's array is named after it. */
#include <kata/kata.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { nx = 37, ny = 23, nz = 11, mx = 19, my = 13 };

static double planes[3][ny][nx], cubes[2][nz][ny][nx], stacks[2][9][ny][nx], weights[25],
    halves[my][mx], wholes[2 * my][2 * mx];
static double (*c)[mx], (*d)[2 * mx];
static double (*u)[nx], (*v)[nx], (*w)[nx], (*a)[ny][nx], (*b)[ny][nx], (*f)[ny][nx], (*g)[ny][nx];

/* The fields, as the applications see them. */
typedef struct world {
    kata *k;
    kata_grid *grid, *grid_3d, *coarse, *fine;
    kata_module *m;
    kata_field *u, *v, *w, *a, *b, *f, *g, *c, *d;
} world;

static void fill(double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) values[i] = 2.0 * rand() / RAND_MAX - 1;
}

#define COUNT(array) ((int64_t)(sizeof(array) / sizeof(double)))
/* name, grid, first values, components */
#define EACH_FIELD(X)                                                                              \
    X(u, grid, planes[0], 1)                                                                       \
    X(v, grid, planes[1], 1)                                                                       \
    X(w, grid, planes[2], 1)                                                                       \
    X(a, grid_3d, cubes[0], 1)                                                                     \
    X(b, grid_3d, cubes[1], 1)                                                                     \
    X(f, grid, stacks[0], 9)                                                                       \
    X(g, grid, stacks[1], 9)                                                                       \
    X(c, coarse, halves, 1)                                                                        \
    X(d, fine, wholes, 1)

static void begin(world *x)
{
    x->k = kata_open(NULL);
    x->grid = kata_grid_2d(x->k, nx, ny);
    x->grid_3d = kata_grid_3d(x->k, nx, ny, nz);
    x->coarse = kata_grid_2d(x->k, mx, my);
    x->fine = kata_grid_2d(x->k, 2 * mx, 2 * my);
    fill(weights, COUNT(weights));
#define X(name, on, values, count)                                                                 \
    fill((double *)values, COUNT(values));                                                         \
    name = values;                                                                                 \
    x->name = kata_field_new(x->on, #name, KATA_F64, .components = count);                         \
    kata_put(x->name, kata_all(x->on), (double *)values, COUNT(values));
    EACH_FIELD(X)
#undef X
}

/* The loops sum in another order and do not fuse products into sums. */
static int differs(kata_field *field, kata_grid *on, const double *expected, int64_t count,
                   const char *pair, const char *name)
{
    double *got = malloc((size_t)count * sizeof *got);
    int64_t worst = -1;
    kata_get(field, kata_all(on), got, count);
    for (int64_t i = 0; i < count; i++)
        if (!(fabs(got[i] - expected[i]) <= 1e-12 * (1 + fabs(expected[i])))) worst = i;
    if (worst >= 0)
        printf("%s: value %lld of %s is %.17g, the loop gives %.17g\n", pair, (long long)worst,
               name, got[worst], expected[worst]);
    free(got);
    return worst >= 0;
}

/* 0 when all fields agree with their arrays. */
static int end(world *x, const char *pair)
{
    int wrong = 0;
#define X(name, on, values, count)                                                                 \
    wrong |= differs(x->name, x->on, (double *)name, COUNT(values), pair, #name);
    EACH_FIELD(X)
#undef X
    return kata_close(x->k) || wrong;
}
