/* kata run vortex: computes the decay of the Taylor-Green vortex, compares it with the literature
 * and draws it. */
#include "vortex.h"

#include "apps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const flows[] = {"vortex", "wave", NULL};

typedef struct request {
    vortex_case c;
    vortex_wishes wishes;
    int64_t beside;
    int flow;
    const char *picture;
    resources limit;
    checkpoints checkpoints;
} request;

static const request defaults = {.c = {.reynolds = 1600, .mach = 0.1, .courant = 0.345, .size = 64},
                                 .wishes = {.slice = "vorticity.png", .slice_time = 8},
                                 .picture = "vortex.png"};

static const option table[] = {
    {"size", "points along a side", OPTION_VALUE(request, c.size), .low = 8, .high = 2048},
    {"beside", "compute the vortex with this number of points, too, and draw both",
     OPTION_VALUE(request, beside), .low = 8, .high = 2048, .otherwise = "one size"},
    {"re", "Reynolds number", OPTION_VALUE(request, c.reynolds), .low = 1, .high = 1e6},
    {"mach", "Mach number", OPTION_VALUE(request, c.mach), .low = 0.01, .high = 0.6},
    {"until", "the end, in times in which the vortex moves by its length",
     OPTION_VALUE(request, wishes.until), .low = 0.1, .high = 1000,
     .otherwise = "20, of a wave 0.25"},
    {"courant", "spacings that sound passes in a time step", OPTION_VALUE(request, c.courant),
     .low = 0.001, .high = 1},
    {"flow", "the vortex, or a weak wave whose solution is exact", OPTION_VALUE(request, flow),
     .choices = flows},
    {"output", "the picture of the dissipation", OPTION_VALUE(request, picture), .may_change = true,
     .placeholder = "FILE.png"},
    {"slice", "the picture of the vorticity in a plane", OPTION_VALUE(request, wishes.slice),
     .may_change = true, .placeholder = "FILE.png"},
    {"slice-time", "when that is drawn", OPTION_VALUE(request, wishes.slice_time),
     .may_change = true, .low = 0.1, .high = 1000},
    OPTIONS_OF_RESOURCES(request),
    OPTIONS_OF_CHECKPOINTS(request),
    {"quiet", "show no progress", OPTION_VALUE(request, wishes.quiet), .may_change = true},
};

const options vortex_options = {
    "kata run vortex",
    "Computes the decay of the Taylor-Green vortex into turbulence: compressible gas in a "
    "periodic\n"
    "box, by central differences of fourth order. At Reynolds number 1600 it prints kinetic "
    "energy\n"
    "and dissipation beside those of a direct numerical simulation, and draws them. The exit code\n"
    "is 1 when they differ by more than the limit that is printed.\n",
    table,
    COUNT_OF(table),
    &defaults,
    sizeof defaults};

/* Returns true to go on, false with the exit code. */
static bool read_request(int argc, char **argv, request *r, int *exit_code)
{
    if (!options_read(&vortex_options, r, argc, argv, exit_code)) return false;
    if (!r->wishes.until) r->wishes.until = r->flow ? 0.25 : 20;
    *exit_code = options_check_file(&vortex_options, "--output", r->picture, ".png");
    if (!*exit_code)
        *exit_code = options_check_file(&vortex_options, "--slice", r->wishes.slice, ".png");
    if (!*exit_code) *exit_code = options_check_checkpoints(&vortex_options, r, &r->checkpoints);
    r->wishes.checkpoints = r->checkpoints;
    if (!*exit_code && r->checkpoints.file && (r->beside || r->flow))
        *exit_code = options_wrong(&vortex_options,
                                   "--checkpoint is for one vortex: it suits neither --beside nor "
                                   "--flow wave");
    return !*exit_code;
}

static void print_case(const vortex_case *c)
{
    printf("Taylor-Green vortex, Re %g, Mach %g: %lld^3 points\n", c->reynolds, c->mach,
           (long long)c->size);
    fflush(stdout);
}

static void print_run(const vortex_history *h)
{
    const vortex_sample *first = h->samples, *last = &h->samples[h->count - 1];
    printf("%lld steps in %.2f s, %.2f million points per second; mass changed by %.1g of itself\n",
           (long long)(h->steps - h->first), h->seconds,
           1e-6 * (double)(h->steps - h->first) * pow((double)h->c.size, 3) / h->seconds,
           fabs(last->density / first->density - 1));
}

/* Where there is nothing to compare with. */
static void print_history(const vortex_history *h)
{
    printf("  time   kinetic energy   dissipation   from enstrophy\n");
    const int64_t step = h->count > 30 ? VORTEX_RATE : 1;
    for (int64_t i = 0; i < h->count; i += step)
        printf("%6.1f   %.6f         %9.6f     %.6f\n", (double)i / VORTEX_RATE,
               h->samples[i].energy, vortex_dissipation(h, i), vortex_friction(h, i));
}

static bool run_size(vortex_history *h, kata *k, const request *r, int64_t size)
{
    vortex_case c = r->c;
    c.size = size;
    print_case(&c);
    if (!vortex_history_run(h, k, &c, &r->wishes)) return false;
    print_run(h);
    if (c.reynolds == vortex_published_reynolds) return vortex_compare(h);
    print_history(h);
    return true;
}

static bool run_vortex(kata *k, const request *r)
{
    vortex_history h = {0}, other = {0};
    bool good = !r->beside || run_size(&other, k, r, r->beside);
    if (kata_ok(k)) good = run_size(&h, k, r, r->c.size) && good;
    if (h.complete) vortex_curves_save(k, &h, other.complete ? &other : NULL, r->picture);
    if (h.complete && kata_ok(k))
        printf("wrote %s%s%s\n", r->picture, h.drawn ? " and " : "",
               h.drawn ? r->wishes.slice : "");
    vortex_history_free(&h);
    vortex_history_free(&other);
    return good;
}

int vortex_main(int argc, char **argv)
{
    request r;
    int exit_code;
    if (!read_request(argc, argv, &r, &exit_code)) return exit_code;
    kata *k = options_open(&vortex_options, &r.limit, &exit_code);
    if (!k) return exit_code;
    const bool good = r.flow ? vortex_wave_run(k, &r.c, r.wishes.until) : run_vortex(k, &r);
    return kata_close(k) == KATA_OK && good ? 0 : EXIT_FAILURE;
}
