/* kata run lattice: reads what is asked for and runs that case. */
#include "lattice.h"

#include "apps.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const cases[] = {"poiseuille", "couette", "vortex", NULL};
static const char *const schemes[] = {"pull", "aa", "esoteric", NULL};
static const char *const collisions[] = {"trt", "bgk", "mrt", NULL};
static const char *const type_names[] = {"f64", "f32", "f16", NULL};
static const kata_type types[] = {KATA_F64, KATA_F32, KATA_F16};

typedef struct request {
    lattice_setup setup;
    int which, scheme, collision, type;
} request;

static const request defaults = {.setup = {.viscosity = 1.0 / 6}};

static const option table[] = {
    {"case", "the flow", OPTION_VALUE(request, which), .choices = cases},
    {"scheme", "how populations move: from one lattice to another, or in place",
     OPTION_VALUE(request, scheme), .choices = schemes},
    {"collision", "two relaxation rates, one, or many", OPTION_VALUE(request, collision),
     .choices = collisions},
    {"type", "how populations are stored", OPTION_VALUE(request, type), .choices = type_names},
    {"viscosity", "in cells and steps", OPTION_VALUE(request, setup.viscosity), .low = 1e-4,
     .high = 10},
    {"magic", "Lambda, of the collisions trt and mrt", OPTION_VALUE(request, setup.magic),
     .low = 1e-6, .high = 100, .otherwise = "what the case needs"},
};

const options lattice_options = {
    "kata run lattice",
    "Computes flows in three dimensions by the lattice Boltzmann method with nineteen velocities,\n"
    "and compares them with exact solutions and with the literature. The exit code is 1 when a\n"
    "comparison fails.\n",
    table,
    COUNT_OF(table),
    &defaults,
    sizeof defaults};

static void complete(request *r)
{
    r->setup.scheme = (lattice_scheme)r->scheme;
    r->setup.collision = (lattice_collision)r->collision;
    r->setup.type = types[r->type];
}

static bool run(kata *k, const request *r)
{
    static bool (*const functions[])(kata *, const lattice_setup *) = {
        lattice_poiseuille, lattice_couette, lattice_vortex};
    printf("%s: D3Q19, %s, %s, %s\n\n", cases[r->which], collisions[r->collision],
           schemes[r->scheme], type_names[r->type]);
    return functions[r->which](k, &r->setup);
}

int lattice_main(int argc, char **argv)
{
    request r;
    int exit_code;
    if (!options_read(&lattice_options, &r, argc, argv, &exit_code)) return exit_code;
    complete(&r);
    kata *k = kata_open(NULL);
    if (!k) return EXIT_FAILURE;
    bool good = run(k, &r);
    return kata_close(k) == KATA_OK && good ? 0 : EXIT_FAILURE;
}
