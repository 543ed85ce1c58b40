/* kata run cloverleaf: reads a deck, runs it, prints summaries and draws the density. */
#include "cloverleaf.h"
#include "apps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct request {
    const char *deck, *picture;
    int64_t cells, steps; /* 0: as the deck says */
    bool quiet;
} request;

static const request defaults = {.picture = "cloverleaf.png"};

static const option table[] = {
    {"deck", "what to compute, as the mini-app's clover.in", OPTION_VALUE(request, deck),
     .placeholder = "FILE", .otherwise = "its short benchmark, test problem 2"},
    {"cells", "cells along a side, whatever the deck says", OPTION_VALUE(request, cells), .low = 3,
     .high = 65536, .otherwise = "the deck's"},
    {"steps", "stop after so many steps, whatever the deck says", OPTION_VALUE(request, steps),
     .low = 1, .high = 1e12, .otherwise = "the deck's"},
    {"output", "the picture of the density", OPTION_VALUE(request, picture),
     .placeholder = "FILE.png"},
    {"quiet", "show no progress", OPTION_VALUE(request, quiet)},
};

const options cloverleaf_options = {
    "kata run cloverleaf",
    "Computes the flow of a gas in a box by the scheme of the mini-app CloverLeaf, in two\n"
    "dimensions. Prints its field summary, and the official check where the deck names a test\n"
    "problem. The exit code is 1 when the check fails.\n",
    table,
    COUNT_OF(table),
    &defaults,
    sizeof defaults};

/* ---- what was asked for ---------------------------------------------------------------------- */

static clover_deck deck;

/* Returns true to go on, false with the exit code. */
static bool read_request(int argc, char **argv, request *r, int *exit_code)
{
    if (!options_read(&cloverleaf_options, r, argc, argv, exit_code)) return false;
    *exit_code = options_check_file(&cloverleaf_options, "--output", r->picture, ".png");
    if (*exit_code) return false;
    clover_deck_set_default(&deck);
    if (r->deck && !clover_deck_read(&deck, r->deck)) *exit_code = EXIT_FAILURE;
    if (r->cells) deck.cells[0] = deck.cells[1] = r->cells;
    if (r->steps) deck.end_step = r->steps;
    if (r->cells || r->steps) deck.test_problem = 0;
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
    if (!isfinite(deck.end_time)) return left;
    kata_scalar_get(m->time, &time);
    if (!kata_ok(m->k) || time + 1e-16 > deck.end_time) return 0;
    most = floor((deck.end_time - time) / deck.most_step * (1 - 1e-12));
    return most < 1 ? 1 : most < (double)left ? (int64_t)most : left;
}

/* Returns the number of steps. */
static int64_t run_steps(const clover_mesh *m, progress *p)
{
    int64_t step = 0, ahead;
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
    printf("CloverLeaf: %lld x %lld cells\n\n", (long long)deck.cells[0], (long long)deck.cells[1]);
    printf("%7s %11s %13s %13s %13s %13s %15s %14s %13s\n", "step", "time", "volume", "mass",
           "density", "pressure", "internal energy", "kinetic energy", "total energy");
    fflush(stdout);
}

static bool run(kata *k, const request *r)
{
    clover_mesh m;
    progress p;
    clover_mesh_start(&m, k, &deck);
    progress_start(&p, k, "cloverleaf", 0, r->quiet);
    print_title();
    print_summary(&m, 0, &p);
    double start = progress_clock();
    int64_t steps = run_steps(&m, &p);
    clover_summary s = clover_summarise(&m);
    double seconds = progress_clock() - start;
    progress_erase(&p);
    if (!kata_ok(k)) return false;
    clover_summary_print(&s, steps);
    bool passed = clover_check(&deck, &s);
    printf("%.2f s, %.4f s a step, %.1f million cells per second\n", seconds,
           seconds / (double)(steps ? steps : 1),
           1e-6 * (double)(steps * deck.cells[0] * deck.cells[1]) / seconds);
    kata_save(m.density[0], r->picture);
    if (kata_ok(k)) printf("wrote %s\n", r->picture);
    return passed;
}

int cloverleaf_main(int argc, char **argv)
{
    request r;
    int exit_code;
    if (!read_request(argc, argv, &r, &exit_code)) return exit_code;
    kata *k = kata_open(NULL);
    if (!k) return EXIT_FAILURE;
    bool good = run(k, &r);
    return kata_close(k) == KATA_OK && good ? 0 : EXIT_FAILURE;
}
