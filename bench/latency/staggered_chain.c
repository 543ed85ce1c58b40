/* What it costs to plan steps of a hydrodynamics code, CloverLeaf in three dimensions, when they
 * are seen for the first time: the analysis of the chain and the schedule of the plan included. */
#include "api/handles.h"
#include "cloverleaf/cloverleaf.h"
#include "latency.h"
#include "plan/plan.h"

#include <stdio.h>

enum { STEPS = 2 };

static double seconds_to_plan(const chain *c, const plan_request *request)
{
    const analysis_chain *a;
    bool is_new;
    plan_cache *cache = plan_cache_new();
    double start = clock_seconds();
    const plan *p = cache ? plan_cache_get(cache, c, request, &a, &is_new) : NULL;
    double seconds = clock_seconds() - start;
    plan_cache_free(cache);
    return p ? seconds : -1;
}

static void measure_request(const char *what, const chain *c, const plan_request *request)
{
    double seconds[MOST_REPEATS];
    char name[80];
    for (int i = 0; i < repeats; i++) seconds[i] = seconds_to_plan(c, request);
    snprintf(name, sizeof name, "%s: planning CloverLeaf 3-D, %zu loops", what, c->count);
    line(name, 1e3 * median(seconds, repeats), "ms", "<= 8");
}

void measure_hydrodynamics(void)
{
    static clover_deck deck;
    const plan_request loops = {.method = "loops"},
                       tiled = {.method = "tiled", .cache = 1 << 20, .threads = 2},
                       windowed = {.method = "windowed", .cache = 1 << 20, .threads = 2},
                       skewed = {.method = "skewed", .tile = {0, 16, 16}};
    clover_mesh m;
    kata *k = kata_open(&(kata_options){.wait = true, .plan = "loops"});
    clover_deck_set_default(&deck, 3);
    clover_mesh_start(&m, k, &deck);
    kata_flush(k);
    for (int step = 1; step <= STEPS; step++) clover_step(&m, step);
    if (kata_ok(k)) {
        measure_request("loop by loop", &k->chain, &loops);
        measure_request("tiled", &k->chain, &tiled);
        measure_request("windowed", &k->chain, &windowed);
        measure_request("skewed", &k->chain, &skewed);
    }
    kata_close(k);
}
