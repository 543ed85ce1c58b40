/* kata run cavity: sets up the flow, runs it, compares it with the literature and draws it. */
#include "cavity.h"

#include "apps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const collisions[] = {"trt", "bgk", NULL};
static const char *const types[] = {"f64", "f32", NULL};

/* What was asked for, as options have it. */
typedef struct request {
    cavity_case c;
    int collision, type;
    const char *picture, *data;
    resources limit;
    checkpoints checkpoints;
} request;

/* ---- what was asked for ---------------------------------------------------------------------- */

/* Sets what depends on other options. */
static void complete(request *r)
{
    cavity_case *c = &r->c;
    c->collision = r->collision ? CAVITY_BGK : CAVITY_TRT;
    c->type = r->type ? KATA_F32 : KATA_F64;
    if (!c->size) c->size = c->reynolds <= 100 ? 128 : c->reynolds <= 400 ? 200 : 256;
    if (!c->most_steps) c->most_steps = 400 * cavity_period(c);
}

static const request defaults = {.c = {.reynolds = 1000, .lid = 0.2, .tolerance = 2e-5},
                                 .picture = "cavity.png"};

static const option table[] = {
    {"re", "Reynolds number", OPTION_VALUE(request, c.reynolds), .low = 1, .high = 10000},
    {"size", "cells along a side", OPTION_VALUE(request, c.size), .low = 8, .high = 8192,
     .otherwise = "256, at Re 400 200, at Re 100 128"},
    {"lid", "speed of the lid in cells per step", OPTION_VALUE(request, c.lid), .low = 0.001,
     .high = 0.5},
    {"collision", "two relaxation rates or one", OPTION_VALUE(request, collision),
     .choices = collisions},
    {"type", "how populations are stored", OPTION_VALUE(request, type), .choices = types},
    {"tolerance", "the flow is steady when it changes by less in a convective time",
     OPTION_VALUE(request, c.tolerance), .may_change = true},
    {"most-steps", "give up after so many steps", OPTION_VALUE(request, c.most_steps),
     .may_change = true, .low = 1, .high = 1e12, .otherwise = "400 convective times"},
    {"output", "the picture", OPTION_VALUE(request, picture), .may_change = true,
     .placeholder = "FILE.png"},
    {"data", "also write the velocity, for ParaView", OPTION_VALUE(request, data),
     .may_change = true, .placeholder = "FILE.vtkhdf"},
    OPTIONS_OF_RESOURCES(request),
    OPTIONS_OF_CHECKPOINTS(request),
    {"quiet", "show no progress", OPTION_VALUE(request, c.quiet), .may_change = true},
};

const options cavity_options = {
    "kata run cavity",
    "Computes the flow in a square box whose lid slides, by the lattice Boltzmann method, until "
    "it\n"
    "is steady. Prints the velocities beside those of the literature (Re 100, 400, 1000) and "
    "draws\n"
    "speed and streamlines. The exit code is 1 when the flow does not become steady, or when it\n"
    "differs from the literature by more than the limits that are printed.\n",
    table,
    COUNT_OF(table),
    &defaults,
    sizeof defaults};

/* Returns true to go on, false with the exit code. */
static bool read_request(int argc, char **argv, request *r, int *exit_code)
{
    if (!options_read(&cavity_options, r, argc, argv, exit_code)) return false;
    complete(r);
    *exit_code = options_check_file(&cavity_options, "--output", r->picture, ".png");
    if (!*exit_code && r->data)
        *exit_code = options_check_file(&cavity_options, "--data", r->data, ".vtkhdf");
    if (!*exit_code) *exit_code = options_check_checkpoints(&cavity_options, r, &r->checkpoints);
    return !*exit_code;
}

/* ---- what came of it --------------------------------------------------------------------------
 */

static void print_case(const cavity_case *c)
{
    printf("lid-driven cavity, Re %g: %lld x %lld cells, %s, %s, lid %g cells per step\n",
           c->reynolds, (long long)c->size, (long long)c->size,
           c->collision == CAVITY_BGK ? "BGK" : "TRT", types[c->type == KATA_F32], c->lid);
    fflush(stdout);
}

static void print_flow(const cavity_case *c, const cavity_flow *flow)
{
    double updates = (double)(c->size * c->size) * (double)(flow->steps - flow->first);
    printf("%s after %lld steps, %.4g convective times; change in the last %.2g\n",
           flow->state == CAVITY_STEADY ? "steady" : "NOT STEADY", (long long)flow->steps,
           (double)flow->steps / (double)cavity_period(c), flow->change);
    printf("%.2f s, %.0f million cell updates per second\n", flow->seconds,
           1e-6 * updates / flow->seconds);
}

static void print_trouble(const cavity_case *c, const cavity_flow *flow)
{
    fflush(stdout);
    if (flow->state == CAVITY_DIVERGED)
        fprintf(stderr,
                "kata run cavity: the flow diverged before step %lld; more cells (--size) or a "
                "slower lid (--lid) help\n",
                (long long)flow->steps);
    else if (flow->state == CAVITY_UNSTEADY)
        fprintf(stderr,
                "kata run cavity: not steady after %lld steps: the change is %.2g, more than %g; "
                "--most-steps and --tolerance set these\n",
                (long long)flow->steps, flow->change, c->tolerance);
}

/* Compares, and writes the files; false when anything is not as it should be. */
static bool report(kata *k, const request *r, const cavity_flow *flow)
{
    cavity_nodes nodes;
    bool good = cavity_nodes_read(&nodes, flow, r->c.size);
    if (good) {
        print_flow(&r->c, flow);
        good = cavity_compare(&nodes, cavity_tables, r->c.reynolds);
        if (cavity_picture_save(k, &nodes, r->picture)) good = false;
        if (kata_ok(k)) printf("\nwrote %s\n", r->picture);
    }
    cavity_nodes_free(&nodes);
    if (!r->data || !kata_ok(k)) return good;
    kata_save(flow->velocity, r->data, .spacing = 1.0 / (double)r->c.size);
    if (kata_ok(k)) printf("wrote %s\n", r->data);
    return good;
}

int cavity_main(int argc, char **argv)
{
    request r;
    int exit_code;
    if (!read_request(argc, argv, &r, &exit_code)) return exit_code;
    kata *k = options_open(&cavity_options, &r.limit, &exit_code);
    if (!k) return exit_code;
    print_case(&r.c);
    cavity_flow flow = cavity_flow_run(k, &r.c, &r.checkpoints);
    bool usable = flow.state == CAVITY_STEADY || flow.state == CAVITY_UNSTEADY;
    bool good = usable && report(k, &r, &flow) && flow.state == CAVITY_STEADY;
    print_trouble(&r.c, &flow);
    return kata_close(k) == KATA_OK && good ? 0 : EXIT_FAILURE;
}
