/* What it costs to plan a chain that is seen for the first time, its analysis and schedule
 * included, and to find the plan of one that was seen before. Nothing runs. */
#include "latency.h"

#include "lang/lang.h"
#include "plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LOOPS = 200, KERNELS = 3, FIELDS = 4, SIDE = 4096, LOOKUPS = 100 };

static const char kernels[] = "kernel five(in double u, out double v)\n"
                              "{ v = 0.6*u + 0.1*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1]); }\n"
                              "kernel nine(in double u, in double v, out double w)\n"
                              "{ w = v + 0.1*(u[1,1] + u[-1,1] + u[1,-1] + u[-1,-1] - 4*u); }\n"
                              "kernel point(in double u, inout double v) { v = 0.5*(u + v); }\n";

typedef struct world {
    messages m;
    lang_module *module;
    chain_slot slots[FIELDS];
    grid_boundary rules;
    chain chain;
} world;

/* Queues kernels in turn, each on fields of which loops before it have written some. */
static bool queue(world *w)
{
    for (int i = 0; i < LOOPS; i++) {
        chain_binding bindings[FIELDS] = {{0}};
        chain_loop loop = {.kernel = w->module->kernels[i % KERNELS],
                           .shape = {2, {SIDE, SIDE, 1}},
                           .box = {{0, 0, 0}, {SIDE, SIDE, 1}},
                           .bindings = bindings};
        for (int p = 0; p < loop.kernel->param_count; p++)
            bindings[p] = (chain_binding){
                .slot = &w->slots[(i + p) % FIELDS], .name = "u", .boundary = &w->rules};
        if (chain_append(&w->chain, &loop, &w->m)) return false;
    }
    return true;
}

static bool open_world(world *w, kata_rule rule)
{
    *w = (world){.module = NULL};
    for (int side = 0; side < 4; side++) w->rules.side[side].rule = rule;
    if (lang_compile("planning", kernels, strlen(kernels), NULL, &w->m, &w->module)) return false;
    for (int i = 0; i < FIELDS; i++)
        w->slots[i] =
            (chain_slot){.shape = {2, {SIDE, SIDE, 1}}, .type = KATA_F64, .components = 1};
    return queue(w);
}

static void close_world(world *w)
{
    chain_free(&w->chain);
    lang_module_free(w->module);
    message_free(&w->m);
}

/* Seconds to make the plan of a chain, and to find it again; false when memory is out. */
static bool measure_once(const world *w, const plan_request *request, double *first, double *again)
{
    const analysis_chain *a;
    bool is_new, done;
    plan_cache *cache = plan_cache_new();
    double start = clock_seconds();
    done = cache && plan_cache_get(cache, &w->chain, request, &a, &is_new);
    double made = clock_seconds();
    for (int i = 0; i < LOOKUPS && done; i++)
        done = plan_cache_get(cache, &w->chain, request, &a, &is_new);
    *first = made - start;
    *again = (clock_seconds() - made) / LOOKUPS;
    plan_cache_free(cache);
    return done;
}

static void measure_request(const char *what, kata_rule rule, const plan_request *request)
{
    double first[MOST_REPEATS], again[MOST_REPEATS];
    char name[80];
    world w;
    bool good = open_world(&w, rule);
    for (int i = 0; i < repeats && good; i++)
        good = measure_once(&w, request, &first[i], &again[i]);
    if (!good) fprintf(stderr, "%s: %s\n", what, text_get(&w.m.body));
    snprintf(name, sizeof name, "%s: planning %d loops", what, LOOPS);
    if (good) line(name, 1e3 * median(first, repeats), "ms", "<= 2");
    snprintf(name, sizeof name, "%s: the same when seen before", what);
    if (good) line(name, 1e6 * median(again, repeats), "us", "<= 5");
    close_world(&w);
}

void measure_planning(void)
{
    const plan_request loops = {.method = "loops"},
                       tiled = {.method = "tiled", .cache = 1 << 20, .threads = 2};
    measure_request("loop by loop", KATA_PERIODIC, &loops);
    measure_request("in tiles, inner points", KATA_NONE, &tiled);
    measure_request("in tiles, periodic", KATA_PERIODIC, &tiled);
}
