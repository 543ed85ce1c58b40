/* kata run cloverleaf: reads a deck, runs it, prints summaries and draws the density. */
#include "cloverleaf.h"
#include "apps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct request {
    const char *deck, *picture, *vorticity;
    int dimensions;              /* an index into the names below */
    int64_t cells, steps, plane; /* cells, steps: 0: as the deck says */
    bool as_published, quiet;
    resources limit;
    checkpoints checkpoints;
} request;

static const char *const dimension_names[] = {"2", "3", NULL};

static const request defaults = {.picture = "cloverleaf.png"};

static const option table[] = {
    {"deck", "what to compute, as the mini-app's clover.in", OPTION_VALUE(request, deck),
     .placeholder = "FILE", .otherwise = "a test problem of it"},
    {"dimensions", "2 or 3, where no deck says it", OPTION_VALUE(request, dimensions),
     .choices = dimension_names},
    {"cells", "cells along a side, whatever the deck says", OPTION_VALUE(request, cells), .low = 3,
     .high = 65536, .otherwise = "the deck's"},
    {"steps", "stop after so many steps, whatever the deck says", OPTION_VALUE(request, steps),
     .may_change = true, .low = 1, .high = 1e12, .otherwise = "the deck's"},
    {"as-published", "find the flux along z as the mini-app does, which does not conserve mass",
     OPTION_VALUE(request, as_published)},
    {"plane", "in three dimensions: the level of the pictures", OPTION_VALUE(request, plane),
     .may_change = true, .low = 0, .high = 1 << 20},
    {"output", "the picture of the density", OPTION_VALUE(request, picture), .may_change = true,
     .placeholder = "FILE.png"},
    {"vorticity", "also draw the vorticity about z", OPTION_VALUE(request, vorticity),
     .may_change = true, .placeholder = "FILE.png", .otherwise = "it is not drawn"},
    OPTIONS_OF_RESOURCES(request),
    OPTIONS_OF_CHECKPOINTS(request),
    {"quiet", "show no progress", OPTION_VALUE(request, quiet), .may_change = true},
};

const options cloverleaf_options = {
    "kata run cloverleaf",
    "Computes the flow of a gas in a box by the scheme of the mini-app CloverLeaf, in two or\n"
    "three dimensions. Prints its field summary, and its check where the deck names a test\n"
    "problem. The exit code is 1 when the check fails.\n",
    table,
    COUNT_OF(table),
    &defaults,
    sizeof defaults};

/* ---- what was asked for ---------------------------------------------------------------------- */

static clover_deck deck;

static void change_deck(const request *r)
{
    for (int d = 0; r->cells && d < deck.dimensions; d++) deck.cells[d] = r->cells;
    if (r->steps) deck.end_step = r->steps;
    if (r->cells || r->steps) deck.test_problem = 0;
    deck.as_published = r->as_published;
}

/* Options that do not suit the deck: returns 0, or the exit code after a message. */
static int check_options(const request *r)
{
    if (r->deck && r->dimensions && deck.dimensions == 2)
        return options_wrong(&cloverleaf_options,
                             "--dimensions 3: the deck has no word about z; write z_cells in it");
    if (deck.dimensions == 2 && r->as_published)
        return options_wrong(&cloverleaf_options, "--as-published is for three dimensions");
    if (r->plane >= deck.cells[2])
        return options_wrong(&cloverleaf_options, "--plane %lld: there are levels 0 to %lld",
                             (long long)r->plane, (long long)deck.cells[2] - 1);
    return 0;
}

/* Returns true to go on, false with the exit code. */
static bool read_request(int argc, char **argv, request *r, int *exit_code)
{
    if (!options_read(&cloverleaf_options, r, argc, argv, exit_code)) return false;
    *exit_code = options_check_file(&cloverleaf_options, "--output", r->picture, ".png");
    if (!*exit_code && r->vorticity)
        *exit_code = options_check_file(&cloverleaf_options, "--vorticity", r->vorticity, ".png");
    if (!*exit_code)
        *exit_code = options_check_checkpoints(&cloverleaf_options, r, &r->checkpoints);
    if (*exit_code) return false;
    clover_deck_set_default(&deck, r->dimensions ? 3 : 2);
    if (r->deck && !clover_deck_read(&deck, r->deck)) {
        *exit_code = EXIT_FAILURE;
        return false;
    }
    change_deck(r);
    *exit_code = check_options(r);
    return !*exit_code;
}

/* ---- the run --------------------------------------------------------------------------------- */

static void print_summary(const clover_mesh *m, int64_t step, progress *p)
{
    clover_summary s = clover_summarise(m);
    progress_erase(p);
    if (kata_ok(m->k)) clover_summary_print(&s, step);
}

/* Steps that can be taken before the time has to be looked at: none is longer than most_step. */
static int64_t steps_ahead(const clover_mesh *m, int64_t step)
{
    double time, most;
    int64_t left = deck.end_step - step;
    if (!kata_ok(m->k)) return 0;
    if (!isfinite(deck.end_time)) return left;
    kata_scalar_get(m->time, &time);
    if (!kata_ok(m->k) || time + 1e-16 > deck.end_time) return 0;
    most = floor((deck.end_time - time) / deck.most_step * (1 - 1e-12));
    return most < 1 ? 1 : most < (double)left ? (int64_t)most : left;
}

/* Makes steps after the first so many; returns their number. */
static int64_t run_steps(const clover_mesh *m, int64_t first, progress *p)
{
    int64_t step = first, ahead;
    while ((ahead = steps_ahead(m, step)) > 0)
        for (; ahead > 0 && kata_ok(m->k); ahead--) {
            clover_step(m, ++step);
            progress_show(p);
            if (deck.summary_every && step % deck.summary_every == 0 && step < deck.end_step)
                print_summary(m, step, p);
        }
    return step;
}

static void print_title(void)
{
    printf("CloverLeaf: %lld x %lld", (long long)deck.cells[0], (long long)deck.cells[1]);
    if (deck.dimensions == 3) printf(" x %lld", (long long)deck.cells[2]);
    printf(" cells\n\n");
    printf("%7s %11s %13s %13s %13s %13s %15s %14s %13s\n", "step", "time", "volume", "mass",
           "density", "pressure", "internal energy", "kinetic energy", "total energy");
    fflush(stdout);
}

static void print_speed(int64_t steps, double seconds)
{
    double cells = (double)deck.cells[0] * (double)deck.cells[1] * (double)deck.cells[2];
    printf("%.2f s, %.4f s a step, %.1f million cells per second\n", seconds,
           seconds / (double)(steps ? steps : 1), 1e-6 * (double)steps * cells / seconds);
}

static bool run(kata *k, const request *r)
{
    clover_mesh m;
    progress p;
    clover_mesh_start(&m, k, &deck);
    progress_start(&p, k, "cloverleaf", 0, r->quiet);
    const int64_t first = options_resume(k, &r->checkpoints);
    if (!options_may_end(&r->checkpoints, first, deck.end_step)) return false;
    print_title();
    print_summary(&m, first, &p);
    double start = progress_clock();
    int64_t steps = run_steps(&m, first, &p);
    clover_summary s = clover_summarise(&m);
    double seconds = progress_clock() - start;
    progress_erase(&p);
    if (!kata_ok(k)) return false;
    clover_summary_print(&s, steps);
    bool passed = clover_check(&deck, &s);
    print_speed(steps - first, seconds);
    clover_draw_density(&m, r->plane, r->picture);
    if (r->vorticity) clover_draw_vorticity(&m, r->plane, r->vorticity);
    return passed;
}

int cloverleaf_main(int argc, char **argv)
{
    request r;
    int exit_code;
    if (!read_request(argc, argv, &r, &exit_code)) return exit_code;
    kata *k = options_open(&cloverleaf_options, &r.limit, &exit_code);
    if (!k) return exit_code;
    bool good = run(k, &r);
    return kata_close(k) == KATA_OK && good ? 0 : EXIT_FAILURE;
}
