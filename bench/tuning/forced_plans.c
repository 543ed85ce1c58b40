/* All plans of a grid: sizes of tiles as bytes of a cache, each twice the one before; depths; tiles
 * for fewer threads; windows; and loop by loop. The fastest ones of a first round are run again in
 * turn, so that what else the machine did then does not choose. */
#include "tuning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLANS = 128, FINALISTS = 4, ROUNDS = 3, RUNS = 3 };

typedef struct timed_plan {
    char words[TUNING_PLAN];
    double seconds;
} timed_plan;

/* Seconds of a step, the least of some runs of a quarter of a second. What first takes much more
 * than `enough` is not run again. */
static double time_plan(const tuning_task *task, const char *plan, int runs, double enough)
{
    const double while_ = 0.25;
    const int64_t least_steps = 8;
    tuning_program p;
    double least = INFINITY;
    if (!tuning_open(task, &(tuning_way){.plan = plan}, &p)) return INFINITY;
    double each = tuning_run(&p, least_steps) / (double)least_steps; /* loops settle */
    int64_t steps = (int64_t)(while_ / each);
    steps = steps < 2 * least_steps ? 2 * least_steps : steps > TUNING_STEPS ? TUNING_STEPS : steps;
    if (each > 2 * enough) runs = 0;
    if (runs) tuning_run(&p, steps / 2);
    for (int i = 0; i < runs; i++) least = fmin(least, tuning_run(&p, steps) / (double)steps);
    bool good = kata_ok(p.k);
    tuning_close(&p);
    return !good ? INFINITY : runs ? least : each;
}

double tuning_time_plan(const tuning_task *task, const char *plan)
{
    return time_plan(task, plan, RUNS, INFINITY);
}

double tuning_time_start(const tuning_task *task, const char *plan)
{
    double least = INFINITY;
    for (int i = 0; i < RUNS; i++) {
        tuning_program p;
        if (!tuning_open(task, &(tuning_way){.plan = plan}, &p)) return INFINITY;
        least = fmin(least, tuning_run(&p, TUNING_STEPS));
        tuning_close(&p);
    }
    return least;
}

/* ---- the grid -------------------------------------------------------------------------------- */

static void add(timed_plan plans[PLANS], int *count, const char *method, int64_t cache, int threads,
                int depth)
{
    char *words = plans[(*count)++].words;
    int at = snprintf(words, TUNING_PLAN, "%s cache=%lld", method, (long long)cache);
    if (threads) at += snprintf(words + at, (size_t)(TUNING_PLAN - at), " threads=%d", threads);
    if (depth) snprintf(words + at, (size_t)(TUNING_PLAN - at), " depth=%d", depth);
}

static int add_plans(const tuning_task *task, timed_plan plans[PLANS])
{
    static const int depths[] = {0, 4, 8, 16, 32};
    int count = 0;
    snprintf(plans[count++].words, TUNING_PLAN, "loops");
    for (int64_t cache = 1 << 17; cache <= 1 << 23; cache *= 2) {
        for (size_t d = 0; d < sizeof depths / sizeof *depths; d++)
            add(plans, &count, "tiled", cache, task->threads, depths[d]);
        add(plans, &count, "windowed", cache, task->threads, 0);
        if (task->threads > 1) add(plans, &count, "shared", 2 * cache, 0, 0);
    }
    return count;
}

static int by_seconds(const void *a, const void *b)
{
    double x = ((const timed_plan *)a)->seconds, y = ((const timed_plan *)b)->seconds;
    return (x > y) - (x < y);
}

bool tuning_exhaust(const tuning_task *task, char best[TUNING_PLAN])
{
    timed_plan plans[PLANS];
    int count = add_plans(task, plans);
    double least = INFINITY;
    for (int i = 0; i < count; i++) {
        plans[i].seconds = time_plan(task, plans[i].words, 1, least);
        least = fmin(least, plans[i].seconds);
        if (task->verbose) printf("    %-45s %8.4f ms\n", plans[i].words, 1e3 * plans[i].seconds);
        fflush(stdout);
    }
    qsort(plans, (size_t)count, sizeof *plans, by_seconds);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < FINALISTS; i++)
            plans[i].seconds = fmin(plans[i].seconds, time_plan(task, plans[i].words, 1, INFINITY));
    qsort(plans, FINALISTS, sizeof *plans, by_seconds);
    snprintf(best, TUNING_PLAN, "%s", plans[0].words);
    return isfinite(plans[0].seconds);
}

double tuning_compare(const tuning_task *task, const char *a, const char *b, double *seconds)
{
    double ratios[ROUNDS];
    *seconds = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        double of_a = tuning_time_plan(task, a), of_b = tuning_time_plan(task, b);
        *seconds = fmin(*seconds, of_a);
        ratios[round] = of_b / of_a;
    }
    return bench_median(ratios, ROUNDS);
}
