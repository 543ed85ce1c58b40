/* A sine mode of the heat equation on four grids, each twice as fine as the one before. Its exact
 * decay is known. The time step shrinks with the square of the cell's width, so the errors in space
 * and in time should both fall to a quarter: second order.
 *
 * The start is an eigenvector of the discrete Laplacian, too. So von Neumann's analysis gives the
 * expected error in closed form, and the measured order is compared with it. The order is 2 unless
 * the two leading errors cancel; near --courant 1/3 they do, and it is 4. */
#include "apps.h"
#include "heat_kata.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEVELS = 4 };

static const double pi = 3.14159265358979323846;
static const char *const dimension_names[] = {"2", "3", NULL};

typedef struct heat {
    kata *k;
    kata_kernel *start, *step, *error;
    int dimensions;
    double time;
} heat;

/* A grid and the results on it. */
typedef struct level {
    kata_grid *grid;
    kata_field *u, *v;
    kata_scalar *largest;
    int64_t size, steps;
    double ratio;    /* time step over the square of the cell's width */
    double error;    /* largest difference from the exact solution */
    double expected; /* the error that theory gives */
} level;

static double exact_decay(const heat *h) { return exp(-h->dimensions * pi * pi * h->time); }

/* A step multiplies the mode by 1 - 4 d r sin^2(pi/2n). The largest value is beside the middle. */
static double expected_error(const heat *h, const level *l)
{
    double s = sin(pi / (2.0 * (double)l->size)), c = cos(pi / (2.0 * (double)l->size));
    double decay = pow(1 - 4 * h->dimensions * l->ratio * s * s, (double)l->steps);
    return fabs(decay - exact_decay(h)) * pow(c, h->dimensions);
}

/* The stable time step is width^2/(2d). Each grid takes four times as many steps as the coarser. */
static void plan_levels(const heat *h, level *levels, int64_t finest, double courant)
{
    double width = (double)(1 << (LEVELS - 1)) / (double)finest;
    double steps =
        ceil(h->time * 2 * h->dimensions / (courant * width * width) * (1 - DBL_EPSILON));
    for (int i = 0; i < LEVELS; i++) {
        level *l = &levels[i];
        l->size = finest >> (LEVELS - 1 - i);
        l->steps = (int64_t)steps << 2 * i;
        l->error = 0;
        l->ratio = h->time / (double)l->steps * (double)l->size * (double)l->size;
        l->expected = expected_error(h, l);
    }
}

static double points_of(const heat *h, const level *levels)
{
    double points = 0;
    for (int i = 0; i < LEVELS; i++)
        points += ((double)levels[i].steps + 2) * pow((double)levels[i].size, h->dimensions);
    return points;
}

static void load_kernels(heat *h)
{
    bool flat = h->dimensions == 2;
    kata_module *m = kata_module_from_text(h->k, "heat.kata", heat_kata);
    h->start = kata_kernel_find(m, flat ? "start_2d" : "start_3d");
    h->step = kata_kernel_find(m, flat ? "step_2d" : "step_3d");
    h->error = kata_kernel_find(m, flat ? "error_2d" : "error_3d");
}

/* Fields and scalars of all levels have names of their own, as checkpoints need. */
static void make_level(const heat *h, level *l, int number)
{
    int64_t n = l->size;
    char name[3][16];
    for (int i = 0; i < 3; i++) snprintf(name[i], sizeof name[i], "%c%d", "uve"[i], number);
    l->grid = h->dimensions == 2 ? kata_grid_2d(h->k, n, n) : kata_grid_3d(h->k, n, n, n);
    l->u = kata_field_new(l->grid, name[0], KATA_F64, .boundary = KATA_ANTISYMMETRIC_FACE);
    l->v = kata_field_like(l->u, name[1]);
    l->largest = kata_scalar_new(h->k, name[2], KATA_F64);
}

/* From a step on; what came before is from a checkpoint. */
static void solve(const heat *h, level *l, int64_t first, progress *p)
{
    if (!first) kata_apply(h->start, kata_all(l->grid), l->u);
    for (int64_t i = first; i < l->steps && kata_ok(h->k); i++) {
        kata_apply(h->step, kata_all(l->grid), l->u, l->v, l->ratio);
        kata_discard(l->u); /* nobody reads a step back */
        kata_swap(l->u, l->v);
        kata_step(h->k);
        progress_show(p);
    }
    kata_apply(h->error, kata_all(l->grid), l->u, exact_decay(h), l->largest);
    kata_scalar_get(l->largest, &l->error);
}

static void print_level(const level *l, const level *coarser)
{
    printf("%8lld %10lld %15.3e", (long long)l->size, (long long)l->steps, l->error);
    if (coarser)
        printf(" %8.3f %10.3f", log2(coarser->error / l->error),
               log2(coarser->expected / l->expected));
    printf("\n");
}

/* Whether the order between the two finest grids is that of the theory, within 0.1. */
static bool judge(const heat *h, const level *coarse, const level *fine)
{
    if (fine->expected < (double)fine->steps * DBL_EPSILON * exact_decay(h)) {
        printf("the error is as small as that of rounding: no order to judge\n");
        return true;
    }
    double order = log2(coarse->error / fine->error);
    double expected = log2(coarse->expected / fine->expected);
    if (fabs(order - expected) <= 0.1) return true; /* false for NaN */
    fprintf(stderr, "kata run heat: the order of convergence is %.3f, and should be %.3f\n", order,
            expected);
    return false;
}

/* The plane in the middle of a cube, as a field that can be drawn. */
static kata_field *middle_plane(const heat *h, const level *l)
{
    int64_t n = l->size;
    kata_grid *square = kata_grid_2d(h->k, n, n);
    kata_field *plane = kata_field_new(square, "plane", KATA_F64);
    double *values = malloc((size_t)(n * n) * sizeof *values);
    if (values) {
        kata_get(l->u, kata_box_3d(l->grid, 0, n, 0, n, n / 2, n / 2 + 1), values, n * n);
        kata_put(plane, kata_all(square), values, n * n);
    }
    free(values);
    return values ? plane : NULL;
}

/* ---- what is asked for ----------------------------------------------------------------------- */

typedef struct heat_request {
    int dimensions; /* an index into dimension_names */
    int64_t size;
    double courant, time;
    const char *output;
    bool quiet;
    resources limit;
    checkpoints checkpoints;
} heat_request;

static const heat_request defaults = {.courant = 0.8, .time = 0.05, .output = "heat.png"};

static const option table[] = {
    {"dimensions", "square or cube", OPTION_VALUE(heat_request, dimensions),
     .choices = dimension_names},
    {"size", "cells per side of the finest grid", OPTION_VALUE(heat_request, size), .low = 32,
     .high = 8192, .otherwise = "256; 64 in 3-D"},
    {"courant", "time step, relative to the largest stable one",
     OPTION_VALUE(heat_request, courant), .low = 0.01, .high = 1},
    {"time", "when to stop", OPTION_VALUE(heat_request, time), .low = 0.0001, .high = 1},
    {"output", "the picture of the finest result", OPTION_VALUE(heat_request, output),
     .may_change = true, .placeholder = "FILE.png"},
    OPTIONS_OF_RESOURCES(heat_request),
    OPTIONS_OF_CHECKPOINTS(heat_request),
    {"quiet", "do not show the progress", OPTION_VALUE(heat_request, quiet), .may_change = true},
};

const options heat_options = {
    "kata run heat",
    "Lets a sine mode of the heat equation decay on four grids, each twice as fine as the one\n"
    "before, and compares it with the exact solution. The finest grid has a multiple of 8 cells\n"
    "per side.\n",
    table,
    COUNT_OF(table),
    &defaults,
    sizeof defaults};

/* ---- the run --------------------------------------------------------------------------------- */

static void print_title(const heat *h, const level *coarsest)
{
    printf("heat in %d dimensions until time %g, time step %.3g of the stable one\n\n",
           h->dimensions, h->time, 2 * h->dimensions * coarsest->ratio);
    printf("    size      steps   largest error    order  by theory\n");
}

/* A level whose steps are all behind the checkpoint has its error from there. */
static void solve_levels(heat *h, level *levels, const heat_request *r)
{
    static const char *const names[LEVELS] = {"error0", "error1", "error2", "error3"};
    progress p;
    for (int i = 0; i < LEVELS; i++) make_level(h, &levels[i], i);
    for (int i = 0; i < LEVELS; i++)
        kata_keep(h->k, names[i], &levels[i].error, sizeof levels[i].error);
    int64_t done = options_resume(h->k, &r->checkpoints);
    progress_start(&p, h->k, "heat", points_of(h, levels), r->quiet);
    for (int i = 0; i < LEVELS && kata_ok(h->k); i++) {
        const int64_t steps = levels[i].steps;
        if (done <= steps) solve(h, &levels[i], done, &p);
        done = done > steps ? done - steps : 0;
        progress_erase(&p);
        if (kata_ok(h->k)) print_level(&levels[i], i ? &levels[i - 1] : NULL);
    }
}

static bool run(heat *h, int64_t size, const heat_request *r)
{
    level levels[LEVELS];
    plan_levels(h, levels, size, r->courant);
    load_kernels(h);
    print_title(h, &levels[0]);
    solve_levels(h, levels, r);
    if (!kata_ok(h->k)) return false;

    const level *finest = &levels[LEVELS - 1];
    kata_save(h->dimensions == 2 ? finest->u : middle_plane(h, finest), r->output);
    if (kata_ok(h->k)) printf("\nwrote %s\n", r->output);
    return judge(h, finest - 1, finest);
}

int heat_main(int argc, char **argv)
{
    heat_request r;
    int exit_code;
    if (!options_read(&heat_options, &r, argc, argv, &exit_code)) return exit_code;
    exit_code = options_check_file(&heat_options, "--output", r.output, ".png");
    if (!exit_code) exit_code = options_check_checkpoints(&heat_options, &r, &r.checkpoints);
    if (exit_code) return exit_code;
    int64_t size = r.size ? r.size : r.dimensions == 0 ? 256 : 64;
    if (size % 8)
        return options_wrong(
            &heat_options,
            "--size takes a multiple of 8, not '%lld': the coarsest grid has an eighth of it",
            (long long)size);

    heat h = {.k = options_open(&heat_options, &r.limit, &exit_code),
              .dimensions = r.dimensions + 2,
              .time = r.time};
    if (!h.k) return exit_code;
    bool good = run(&h, size, &r);
    return kata_close(h.k) == KATA_OK && good ? 0 : 1;
}
