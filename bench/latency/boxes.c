/* What a loop costs beside its points: preparing it, taking up what was prepared before, and
 * running it on one more box, so small that its points hardly count. */
#include "latency.h"

#include "exec/cpu.h"
#include "lang/lang.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 32, BOXES = 4096, FIELDS = 2 };

static const char kernels[] =
    "kernel seven(in double u, out double v)\n"
    "{ v = 0.4*u + 0.1*(u[1,0,0] + u[-1,0,0] + u[0,1,0] + u[0,-1,0] + u[0,0,1] + u[0,0,-1]); }\n"
    "kernel stream(in double f[19], out double g[19])\n"
    "{\n"
    "    g[0] = f[0]; g[1] = f[1][-1,0,0]; g[2] = f[2][1,0,0]; g[3] = f[3][0,-1,0];\n"
    "    g[4] = f[4][0,1,0]; g[5] = f[5][0,0,-1]; g[6] = f[6][0,0,1]; g[7] = f[7][-1,-1,0];\n"
    "    g[8] = f[8][1,1,0]; g[9] = f[9][-1,1,0]; g[10] = f[10][1,-1,0]; g[11] = f[11][-1,0,-1];\n"
    "    g[12] = f[12][1,0,1]; g[13] = f[13][-1,0,1]; g[14] = f[14][1,0,-1];\n"
    "    g[15] = f[15][0,-1,-1]; g[16] = f[16][0,1,1]; g[17] = f[17][0,-1,1];\n"
    "    g[18] = f[18][0,1,-1];\n"
    "}\n";

typedef struct world {
    messages m;
    lang_module *module;
    exec_context context;
    chain_slot slots[FIELDS];
    grid_boundary rules;
    chain chain;
    sweep_workers *workers;
} world;

/* Queues a kernel on all points of two periodic fields, and compiles it; false when that fails. */
static bool open_world(world *w, int kernel)
{
    chain_binding bindings[FIELDS] = {{0}};
    *w = (world){.context = {.threads = 1, .wait = true}};
    for (int side = 0; side < 6; side++) w->rules.side[side].rule = KATA_PERIODIC;
    if (lang_compile("boxes", kernels, strlen(kernels), NULL, &w->m, &w->module) ||
        jit_open(NULL, NULL, &w->m, &w->context.jit))
        return false;
    chain_loop loop = {.kernel = w->module->kernels[kernel],
                       .shape = {3, {SIDE, SIDE, SIDE}},
                       .box = {{0, 0, 0}, {SIDE, SIDE, SIDE}},
                       .bindings = bindings};
    for (int p = 0; p < FIELDS; p++) {
        w->slots[p] = (chain_slot){.shape = loop.shape, .type = KATA_F64};
        w->slots[p].components = loop.kernel->params[p].count;
        bindings[p] = (chain_binding){.slot = &w->slots[p], .name = "u", .boundary = &w->rules};
    }
    w->workers = sweep_workers_new(1, false);
    return w->workers && !chain_append(&w->chain, &loop, &w->m) &&
           !exec_cpu.run(&w->context, &w->chain, &w->m);
}

static void close_world(world *w)
{
    sweep_workers_free(w->workers);
    chain_free(&w->chain);
    exec_cpu_free(w->context.cpu);
    plan_cache_free(w->context.plans);
    jit_close(w->context.jit);
    for (int p = 0; p < FIELDS; p++) store_array_free(w->slots[p].array);
    lang_module_free(w->module);
    message_free(&w->m);
}

/* Seconds per box of 8 points inside of the grid. */
static double run_boxes(sweep_loop *l)
{
    double start = clock_seconds();
    for (int i = 0; i < BOXES; i++) {
        int64_t y = 1 + i % (SIDE - 2), z = 1 + i / SIDE % (SIDE - 2);
        grid_box box = {{8, y, z}, {16, y + 1, z + 1}};
        sweep_run(l, &box, &box);
    }
    return (clock_seconds() - start) / BOXES;
}

/* The function that has code: of a small kernel there are a smaller one and a larger one. */
static const cpu_function *compiled(const world *w)
{
    const struct exec_cpu *cpu = w->context.cpu;
    size_t i = 0;
    while (i < cpu->function_count && !cpu->functions[i].run) i++;
    return i < cpu->function_count ? &cpu->functions[i] : NULL;
}

static void measure_kernel(const char *what, int kernel, const char *target)
{
    double box[MOST_REPEATS], again[MOST_REPEATS], first[MOST_REPEATS];
    char name[80];
    world w;
    bool good = open_world(&w, kernel);
    const chain_loop *loop = w.chain.loops;
    const cpu_function *function = good ? compiled(&w) : NULL;
    good = function != NULL;
    for (int i = 0; i < repeats && good; i++) {
        sweep_manner manner = {.cut = false, .smaller = function->smaller};
        sweep_workers_free(w.workers);
        w.workers = sweep_workers_new(1, false);
        box[i] = again[i] = INFINITY;
        for (int j = 0; j < 20; j++) {
            double start = clock_seconds();
            sweep_loop *l = sweep_prepare(w.workers, loop, function->run, manner);
            sweep_begin(l, loop);
            double prepared = clock_seconds() - start;
            if (j == 0) first[i] = prepared;
            if (j > 0) again[i] = fmin(again[i], prepared);
            box[i] = fmin(box[i], run_boxes(l));
            sweep_release(l);
        }
    }
    if (!good) fprintf(stderr, "%s: %s\n", what, text_get(&w.m.body));
    snprintf(name, sizeof name, "%s: one more box", what);
    if (good) line(name, 1e6 * median(box, repeats), "us", target);
    snprintf(name, sizeof name, "%s: preparing the loop", what);
    if (good) line(name, 1e6 * median(first, repeats), "us", "");
    snprintf(name, sizeof name, "%s: a loop prepared before", what);
    if (good) line(name, 1e6 * median(again, repeats), "us", "");
    close_world(&w);
}

void measure_boxes(void)
{
    measure_kernel("7 points", 0, "<= 0.3");
    measure_kernel("38 components", 1, "<= 1");
}
