/* Runs of a program that searches for its plan, or is told which one to take. All of it is told by
 * the environment, as a user does; each program is opened anew. */
#include "tuning.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set_or_not(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static bool make(const tuning_task *task, tuning_program *out)
{
    bool good = true;
    *out = (tuning_program){.example = task->example};
    if (out->example) return tuning_example_make(out, task->chain->size, task->threads);
    good = bench_program_make(&out->bench, task->c, task->chain->size, task->threads);
    out->k = out->bench.k;
    return good;
}

void tuning_close(tuning_program *p)
{
    if (p->k) kata_close(p->k);
}

bool tuning_open(const tuning_task *task, const tuning_way *way, tuning_program *out)
{
    char bytes[32];
    snprintf(bytes, sizeof bytes, "%lld", (long long)way->cache);
    set_or_not("KATA_PLAN", way->plan);
    set_or_not("KATA_WISDOM", way->remember ? NULL : "0");
    set_or_not("KATA_L2", way->cache ? bytes : NULL);
    if (make(task, out)) return true;
    fprintf(stderr, "bench_tuning: %s could not be made\n", task->chain->name);
    tuning_close(out);
    return false;
}

double tuning_run(tuning_program *p, int64_t steps)
{
    double start = omp_get_wtime();
    if (!p->example) bench_program_run(&p->bench, steps, true);
    for (int64_t i = 0; p->example && i < steps && kata_ok(p->k); i++) p->example->step(p);
    kata_flush(p->k);
    return omp_get_wtime() - start;
}

/* The plan of the line with most loops of a text of kata_wisdom_export. */
static void find_plan(const char *lines, char plan[TUNING_PLAN])
{
    long long most = -1;
    plan[0] = '\0';
    for (const char *at = lines; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        const char *loops = strstr(at, " loops "), *words = strstr(at, " plan ");
        if (strncmp(at, "chain ", 6) != 0 || !loops || !words) continue;
        long long count = strtoll(loops + 7, NULL, 10);
        if (count <= most) continue;
        most = count;
        snprintf(plan, TUNING_PLAN, "%.*s", (int)strcspn(words + 6, "\n"), words + 6);
    }
}

/* Reads what the program before has kept when it ended. */
static bool read_wisdom(const tuning_task *task, char plan[TUNING_PLAN])
{
    kata *k = kata_open(&(kata_options){.threads = task->threads});
    const char *lines = k ? kata_wisdom_export(k) : NULL;
    find_plan(lines, plan);
    if (k) kata_close(k);
    return plan[0];
}

static void forget(const tuning_task *task)
{
    kata *k = kata_open(&(kata_options){.threads = task->threads});
    if (k) kata_wisdom_forget(k, NULL);
    if (k) kata_close(k);
}

bool tuning_search(const tuning_task *task, int64_t steps, bool remembered, int64_t cache,
                   tuning_found *out)
{
    tuning_program p;
    if (!remembered) forget(task);
    if (!tuning_open(task, &(tuning_way){.remember = true, .cache = cache}, &p)) return false;
    out->seconds = tuning_run(&p, steps);
    bool good = kata_ok(p.k);
    tuning_close(&p);
    return good && read_wisdom(task, out->plan);
}
