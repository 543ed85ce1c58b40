/* All plans of a grid: sizes of tiles as bytes of a cache, each twice the one before; depths; tiles
 * for fewer threads; windows; and loop by loop. The fastest ones of a first round are run again in
 * turn, so that what else the machine did then does not choose. */
#include "tuning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLANS = 128, FINALISTS = 6, ROUNDS = 3, RUNS = 3 };

typedef struct timed_plan {
    char words[TUNING_PLAN];
    double seconds;
} timed_plan;

static double time_plan(const tuning_task *task, const char *plan, int runs)
{
    bench_program p;
    double least = INFINITY;
    if (!tuning_open(task, &(tuning_way){.plan = plan}, &p)) return INFINITY;
    tuning_run(&p, TUNING_STEPS / 2); /* loops find out how they run best */
    for (int i = 0; i < runs; i++) least = fmin(least, tuning_run(&p, TUNING_STEPS));
    bool good = kata_ok(p.k);
    bench_program_free(&p);
    return good ? least : INFINITY;
}

double tuning_time_plan(const tuning_task *task, const char *plan)
{
    return time_plan(task, plan, RUNS);
}

double tuning_time_start(const tuning_task *task, const char *plan)
{
    double least = INFINITY;
    for (int i = 0; i < RUNS; i++) {
        bench_program p;
        if (!tuning_open(task, &(tuning_way){.plan = plan}, &p)) return INFINITY;
        least = fmin(least, tuning_run(&p, TUNING_STEPS));
        bench_program_free(&p);
    }
    return least;
}

/* ---- the grid -------------------------------------------------------------------------------- */

static int add_plans(const tuning_task *task, timed_plan plans[PLANS])
{
    static const int depths[] = {0, 2, 4, 8, 16, 32, 64};
    int count = 0;
    snprintf(plans[count++].words, TUNING_PLAN, "loops");
    for (int64_t cache = 1 << 17; cache <= 1 << 25; cache *= 2) {
        for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
            int at = snprintf(plans[count].words, TUNING_PLAN, "tiled cache=%lld threads=%d",
                              (long long)cache, task->threads);
            if (depths[d])
                snprintf(plans[count].words + at, (size_t)(TUNING_PLAN - at), " depth=%d",
                         depths[d]);
            count++;
        }
        snprintf(plans[count++].words, TUNING_PLAN, "windowed cache=%lld threads=%d",
                 (long long)cache, task->threads);
        if (task->threads > 1)
            snprintf(plans[count++].words, TUNING_PLAN, "tiled cache=%lld threads=%d",
                     (long long)cache, 2 * task->threads);
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
    for (int i = 0; i < count; i++) {
        plans[i].seconds = time_plan(task, plans[i].words, 1);
        if (task->verbose)
            printf("    %-45s %8.4f ms\n", plans[i].words, 1e3 * plans[i].seconds / TUNING_STEPS);
    }
    qsort(plans, (size_t)count, sizeof *plans, by_seconds);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < FINALISTS; i++)
            plans[i].seconds = fmin(plans[i].seconds, time_plan(task, plans[i].words, 2));
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
