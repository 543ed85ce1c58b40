/* kata run lattice: reads what is asked for and runs that case. */
#include "lattice.h"

#include "apps.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const cases[] = {[LATTICE_POISEUILLE] = "poiseuille",
                                    [LATTICE_COUETTE] = "couette",
                                    [LATTICE_VORTEX] = "vortex",
                                    [LATTICE_CAVITY] = "cavity",
                                    [LATTICE_SPHERES] = "spheres",
                                    [LATTICE_CHANNEL] = "channel",
                                    [LATTICE_CASES] = NULL};
static bool (*const functions[])(kata *, const lattice_request *) = {
    [LATTICE_POISEUILLE] = lattice_poiseuille, [LATTICE_COUETTE] = lattice_couette,
    [LATTICE_VORTEX] = lattice_vortex,         [LATTICE_CAVITY] = lattice_cavity,
    [LATTICE_SPHERES] = lattice_spheres,       [LATTICE_CHANNEL] = lattice_channel};
static const char *const schemes[] = {"pull", "aa", "esoteric", NULL};
static const char *const collisions[] = {"trt", "bgk", "mrt", NULL};
static const char *const type_names[] = {"f64", "f32", "f16", NULL};
static const kata_type types[] = {KATA_F64, KATA_F32, KATA_F16};

/* ---- options --------------------------------------------------------------------------------- */

static const lattice_request defaults = {0};

static const option table[] = {
    {"case", "the flow", OPTION_VALUE(lattice_request, which), .choices = cases},
    {"scheme", "how populations move: from one lattice to another, or in place",
     OPTION_VALUE(lattice_request, scheme), .choices = schemes},
    {"collision", "two relaxation rates, one, or many", OPTION_VALUE(lattice_request, collision),
     .choices = collisions},
    {"type", "how populations are stored", OPTION_VALUE(lattice_request, type),
     .choices = type_names},
    {"magic", "Lambda, of the collisions trt and mrt", OPTION_VALUE(lattice_request, setup.magic),
     .low = 1e-6, .high = 100, .otherwise = "what the case needs"},
    {"viscosity", "in cells and steps; not of the cavity",
     OPTION_VALUE(lattice_request, setup.viscosity), .low = 1e-4, .high = 10,
     .otherwise = "1/6, in the channel 0.02"},
    {"size", "cells along a side; cavity, spheres, channel", OPTION_VALUE(lattice_request, size),
     .low = 8, .high = 1024, .otherwise = "64, for spheres 32"},
    {"re", "Reynolds number; cavity", OPTION_VALUE(lattice_request, reynolds), .low = 1,
     .high = 10000, .otherwise = "1000"},
    {"lid", "speed of the lid in cells per step; cavity", OPTION_VALUE(lattice_request, lid),
     .low = 0.001, .high = 0.5, .otherwise = "0.2"},
    {"mask", "the obstacles, a field in which solid cells are not 0; channel",
     OPTION_VALUE(lattice_request, mask), .placeholder = "FILE.npy", .otherwise = "a ball"},
    {"force", "on the fluid, along x; channel", OPTION_VALUE(lattice_request, force), .low = 1e-12,
     .high = 0.1, .otherwise = "0.05 cells per step in the middle, without obstacles"},
    {"tolerance", "the flow is steady when it changes by less in a period",
     OPTION_VALUE(lattice_request, tolerance), .may_change = true, .low = 1e-300, .high = 1,
     .otherwise = "2e-5, for spheres 1e-9"},
    {"most-steps", "give up after so many steps", OPTION_VALUE(lattice_request, most_steps),
     .may_change = true, .low = 1, .high = 1e12, .otherwise = "1000000"},
    {"output", "the picture; cavity, channel", OPTION_VALUE(lattice_request, picture),
     .may_change = true, .placeholder = "FILE.png", .otherwise = "lattice.png"},
    {"data", "also write the velocity, for ParaView; cavity, channel",
     OPTION_VALUE(lattice_request, data), .may_change = true, .placeholder = "FILE.vtkhdf"},
    {"bound", "also measure how fast memory is copied; cavity, channel",
     OPTION_VALUE(lattice_request, bound), .may_change = true},
    OPTIONS_OF_RESOURCES(lattice_request),
    OPTIONS_OF_CHECKPOINTS(lattice_request),
    {"quiet", "show no progress; cavity, spheres, channel", OPTION_VALUE(lattice_request, quiet),
     .may_change = true},
};

const options lattice_options = {
    "kata run lattice",
    "Computes flows in three dimensions by the lattice Boltzmann method with nineteen velocities,\n"
    "and compares them with exact solutions and with the literature. The exit code is 1 when a\n"
    "comparison fails, or when a flow does not become steady.\n",
    table,
    COUNT_OF(table),
    &defaults,
    sizeof defaults};

/* ---- what was asked for ---------------------------------------------------------------------- */

/* Which options mean nothing to a case; returns 0, or the exit code after a message. */
static int refuse_misplaced(const lattice_request *r)
{
    bool cavity = r->which == LATTICE_CAVITY, channel = r->which == LATTICE_CHANNEL;
    bool settles = r->which >= LATTICE_CAVITY, files = cavity || channel;
    const struct {
        const char *name;
        bool named, allowed;
    } rules[] = {
        {"viscosity", r->setup.viscosity != 0, !cavity},
        {"magic", r->setup.magic != 0, r->collision != LATTICE_BGK},
        {"size", r->size != 0, settles && !r->mask},
        {"re", r->reynolds != 0, cavity},
        {"lid", r->lid != 0, cavity},
        {"mask", r->mask != NULL, channel},
        {"force", r->force != 0, channel},
        {"tolerance", r->tolerance != 0, settles},
        {"most-steps", r->most_steps != 0, settles},
        {"output", r->picture != NULL, files},
        {"data", r->data != NULL, files},
        {"bound", r->bound, files},
        {"checkpoint", r->checkpoints.file != NULL, files},
        {"quiet", r->quiet, settles},
    };
    for (size_t i = 0; i < COUNT_OF(rules); i++)
        if (rules[i].named && !rules[i].allowed)
            return options_wrong(&lattice_options,
                                 "--%s means nothing to --case %s with --collision %s%s",
                                 rules[i].name, cases[r->which], collisions[r->collision],
                                 r->mask ? " and --mask" : "");
    return 0;
}

/* Sets what was not named. */
static void complete(lattice_request *r)
{
    r->setup.scheme = (lattice_scheme)r->scheme;
    r->setup.collision = (lattice_collision)r->collision;
    r->setup.type = types[r->type];
    bool channel = r->which == LATTICE_CHANNEL, spheres = r->which == LATTICE_SPHERES;
    if (r->setup.viscosity == 0) r->setup.viscosity = channel ? 0.02 : 1.0 / 6;
    if (!r->size) r->size = spheres ? 32 : 64;
    if (r->reynolds == 0) r->reynolds = 1000;
    if (r->lid == 0) r->lid = 0.2;
    if (r->tolerance == 0) r->tolerance = spheres ? 1e-9 : 2e-5;
    if (!r->most_steps) r->most_steps = 1000000;
    if (!r->picture) r->picture = "lattice.png";
}

/* Returns true to go on, false with the exit code. */
static bool read_request(int argc, char **argv, lattice_request *r, int *exit_code)
{
    if (!options_read(&lattice_options, r, argc, argv, exit_code)) return false;
    *exit_code = refuse_misplaced(r);
    complete(r);
    if (!*exit_code && r->which >= LATTICE_CAVITY && r->which != LATTICE_SPHERES)
        *exit_code = options_check_file(&lattice_options, "--output", r->picture, ".png");
    if (!*exit_code && r->data)
        *exit_code = options_check_file(&lattice_options, "--data", r->data, ".vtkhdf");
    if (!*exit_code) *exit_code = options_check_checkpoints(&lattice_options, r, &r->checkpoints);
    return !*exit_code;
}

int lattice_main(int argc, char **argv)
{
    lattice_request r;
    int exit_code;
    if (!read_request(argc, argv, &r, &exit_code)) return exit_code;
    kata *k = options_open(&lattice_options, &r.limit, &exit_code);
    if (!k) return exit_code;
    printf("%s: D3Q19, %s, %s, %s\n\n", cases[r.which], collisions[r.collision], schemes[r.scheme],
           type_names[r.type]);
    bool good = functions[r.which](k, &r);
    return kata_close(k) == KATA_OK && good ? 0 : EXIT_FAILURE;
}
