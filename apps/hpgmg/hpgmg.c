/* kata run hpgmg: solves as the benchmark HPGMG-FV does, and prints what it prints. */
#include "hpgmg.h"

#include "apps.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const operators[] = {"fv4", "fv2", "7pt", NULL};
static const char *const smoothers[] = {"gsrb", "cheby", "jacobi", NULL};
static const char *const cycles[] = {"F", "V", NULL};

typedef struct request {
    hpgmg_case c;
    const char *log2_box_dim, *target_boxes;
    int cycle;
    int64_t solves;
    const char *picture;
    resources limit;
} request;

static const request defaults = {
    .log2_box_dim = "7", .target_boxes = "1", .solves = 10, .picture = "hpgmg.png"};

static const option table[] = {
    {"log2_box_dim", "cells along a box, as a power of two: 3 to 9",
     OPTION_VALUE(request, log2_box_dim), .positional = true},
    {"target_boxes_per_rank", "the cube has as many boxes, or fewer",
     OPTION_VALUE(request, target_boxes), .positional = true},
    {"operator", "finite volumes of fourth or second order, or finite differences",
     OPTION_VALUE(request, c.operator), .choices = operators},
    {"fv-smoother", "Gauss-Seidel in two colours, Chebyshev's polynomial, or Jacobi",
     OPTION_VALUE(request, c.smoother), .choices = smoothers},
    {"fv-cycle", "one F-cycle, or V-cycles until the residual is small",
     OPTION_VALUE(request, cycle), .choices = cycles},
    {"periodic", "without walls", OPTION_VALUE(request, c.periodic)},
    {"helmholtz", "u - div(beta grad u) = f, not -div(beta grad u) = f",
     OPTION_VALUE(request, c.helmholtz)},
    {"constant", "beta = 1", OPTION_VALUE(request, c.constant)},
    {"solves", "solves that are timed, after as many that are not", OPTION_VALUE(request, solves),
     .low = 0, .high = 1000000},
    {"output", "the picture of the error in a plane", OPTION_VALUE(request, picture),
     .placeholder = "FILE.png"},
    OPTIONS_OF_RESOURCES(request),
};

const options hpgmg_options = {
    "kata run hpgmg",
    "Solves an elliptic equation in a cube by full multigrid, as the benchmark HPGMG-FV does. "
    "Prints\n"
    "residuals, degrees of freedom per second on three sizes, and the error and its order.\n",
    table,
    COUNT_OF(table),
    &defaults,
    sizeof defaults};

/* ---- what was asked for
 * -------------------------------------------------------------------------- */

static bool read_count(const char *name, const char *word, long low, long high, long *value,
                       int *exit_code)
{
    char *end;
    errno = 0;
    *value = strtol(word, &end, 10);
    if (!errno && end != word && !*end && *value >= low && *value <= high) return true;
    *exit_code = options_wrong(&hpgmg_options, "%s is a whole number from %ld to %ld, not '%s'",
                               name, low, high, word);
    return false;
}

/* The most boxes along the cube so that its size can be halved down to 11 or less. */
static int64_t boxes_along(int64_t target)
{
    int64_t best = 1;
    for (int64_t boxes = 1; boxes * boxes * boxes <= target; boxes++) {
        int64_t odd = boxes;
        while (odd % 2 == 0) odd /= 2;
        if (odd <= 11) best = boxes;
    }
    return best;
}

static bool read_request(int argc, char **argv, request *r, int *exit_code)
{
    long power, target;
    if (!options_read(&hpgmg_options, r, argc, argv, exit_code)) return false;
    if (!read_count("log2_box_dim", r->log2_box_dim, 3, 9, &power, exit_code) ||
        !read_count("target_boxes_per_rank", r->target_boxes, 1, 4096, &target, exit_code))
        return false;
    r->c.box = (int64_t)1 << power;
    r->c.boxes = boxes_along(target);
    r->c.v_cycles = r->cycle == 1;
    *exit_code = options_check_file(&hpgmg_options, "--output", r->picture, ".png");
    return !*exit_code;
}

/* ---- the benchmark
 * ------------------------------------------------------------------------------- */

static void print_case(const hpgmg *m, const request *r)
{
    const long long n = (long long)m->levels[0].n;
    printf("HPGMG-FV %s, %s, %s-cycle%s, %s%s%s: %lld^3 cells, %d levels\n", operators[r->c.operator],
           smoothers[r->c.smoother], cycles[r->cycle], r->cycle ? "s" : "",
           r->c.helmholtz ? "Helmholtz" : "Poisson", r->c.periodic ? ", periodic" : "",
           r->c.constant ? ", constant coefficient" : "", n, m->count);
    fflush(stdout);
}

/* Degrees of freedom per second; 0 after an error. */
static double measure_rate(hpgmg *m, int level, int64_t solves)
{
    hpgmg_residual residuals[HPGMG_MOST_CYCLES];
    for (int64_t i = 0; i < solves && kata_ok(m->k); i++) hpgmg_solve(m, level, residuals);
    const double start = progress_clock();
    for (int64_t i = 0; i < solves && kata_ok(m->k); i++) hpgmg_solve(m, level, residuals);
    return (double)solves * pow((double)m->levels[level].n, 3) / (progress_clock() - start);
}

static void print_rates(hpgmg *m, int64_t solves)
{
    for (int level = 0; level < 3 && solves; level++) {
        const double cells = pow((double)m->levels[level].n, 3),
                     rate = measure_rate(m, level, solves);
        if (!kata_ok(m->k)) return;
        printf("  h=%.15e  DOF=%.15e  time=%.6f  DOF/s=%.3e\n", 1 / (double)m->levels[level].n,
               cells, cells / rate, rate);
        fflush(stdout);
    }
}

static void print_solution(hpgmg *m, int level)
{
    hpgmg_residual residuals[HPGMG_MOST_CYCLES];
    const int count = hpgmg_solve(m, level, residuals);
    for (int i = 0; i < count; i++) {
        if (m->c.v_cycles)
            printf("  %4lld^3  v-cycle=%2d", (long long)m->levels[level].n, i + 1);
        else
            printf("  %4lld^3  f-cycle   ", (long long)m->levels[level].n);
        printf("  norm=%.15e  rel=%.15e\n", residuals[i].norm, residuals[i].relative);
    }
}

/* The largest difference between u of a level and the restricted u of the finer one. */
static double difference(const hpgmg *m, int fine)
{
    const hpgmg_level *coarse = &m->levels[fine + 1];
    hpgmg_restrict(m, fine, m->levels[fine].u, coarse->other);
    kata_apply(hpgmg_kernel(m, "measure_difference"), kata_all(coarse->grid), coarse->u,
               coarse->other, m->norm);
    return hpgmg_value(m->norm);
}

static void print_error(hpgmg *m)
{
    for (int level = 0; level < 3; level++) print_solution(m, level);
    const double error = difference(m, 0), coarser = difference(m, 1);
    if (kata_ok(m->k))
        printf("  h=%.15e  ||error||=%.15e\n  order=%.3f\n", 1 / (double)m->levels[0].n, error,
               log2(coarser / error));
}

/* The difference that the error is, in the plane where the source is largest. */
static void save_error(const hpgmg *m, const char *path)
{
    const hpgmg_level *l = &m->levels[1];
    hpgmg_restrict(m, 0, m->levels[0].u, l->other);
    kata_apply(hpgmg_kernel(m, "find_difference"), kata_all(l->grid), l->u, l->other, l->r);
    const kata_range plane = kata_box_3d(l->grid, 0, l->n, 0, l->n, l->n / 4, l->n / 4 + 1);
    if (!enlarged_plane_save(m->k, l->r, &plane, (int64_t[]){l->n, l->n}, (int[]){1, 2}, NULL,
                             path))
        printf("wrote %s\n", path);
}

int hpgmg_main(int argc, char **argv)
{
    request r;
    hpgmg m;
    int exit_code;
    if (!read_request(argc, argv, &r, &exit_code)) return exit_code;
    hpgmg_levels_plan(&m, &r.c);
    if (m.count < 3)
        return options_wrong(&hpgmg_options, "%lld^3 cells have %d levels; three are compared",
                             (long long)m.levels[0].n, m.count);
    kata *k = options_open(&hpgmg_options, &r.limit, &exit_code);
    if (!k) return exit_code;
    print_case(&m, &r);
    hpgmg_levels_make(&m, k);
    hpgmg_problem_set(&m);
    hpgmg_bottom_make(&m);
    print_rates(&m, r.solves);
    print_error(&m);
    save_error(&m, r.picture);
    return kata_close(k) == KATA_OK ? 0 : EXIT_FAILURE;
}
