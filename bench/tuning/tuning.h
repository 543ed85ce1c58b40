/* What the files of bench_tuning share. */
#ifndef TUNING_H
#define TUNING_H

#include "bench.h"

enum { TUNING_PLAN = 100, TUNING_STEPS = 200, TUNING_FIELDS = 10 };

/* A chain: a case of bench, or an example, on a grid. */
typedef struct tuning_chain {
    const char *name;
    int64_t size[3];
    const char *label; /* NULL: the name */
} tuning_chain;

typedef struct tuning_example tuning_example;

typedef struct tuning_task {
    const bench_case *c; /* NULL: an example */
    const tuning_example *example;
    const tuning_chain *chain;
    int threads;
    bool verbose; /* each plan gets a line */
} tuning_task;

/* How the library is told to run chains. */
typedef struct tuning_way {
    const char *plan; /* NULL: it searches */
    bool remember;    /* keeps wisdom, and begins with it */
    int64_t cache;    /* bytes that it takes for the second-level cache; 0: as it finds */
} tuning_way;

/* A program that runs a chain. */
typedef struct tuning_program {
    kata *k;
    bench_program bench;           /* of a case */
    const tuning_example *example; /* NULL: a case; the rest is an example's */
    kata_module *module;
    kata_grid *grid;
    kata_kernel *kernel[2];
    kata_field *field[TUNING_FIELDS];
} tuning_program;

/* ---- example_programs.c ---------------------------------------------------------------------- */

struct tuning_example {
    const char *name, *text;
    int rank;
    void (*make)(tuning_program *p);
    void (*step)(tuning_program *p);
};

/* NULL: there is none of that name. */
const tuning_example *tuning_example_of(const char *name);
bool tuning_example_make(tuning_program *p, const int64_t size[3], int threads);

/* ---- tuned_runs.c ---------------------------------------------------------------------------- */

/* Opens a program of its own, which runs so; false after a message. */
bool tuning_open(const tuning_task *task, const tuning_way *way, tuning_program *out);
void tuning_close(tuning_program *p);
/* Seconds that so many steps take, which are one run of the program. */
double tuning_run(tuning_program *p, int64_t steps);

/* What a search has found. */
typedef struct tuning_found {
    char plan[TUNING_PLAN];
    double seconds; /* of its steps, tries included */
} tuning_found;

/* Runs so many steps without wisdom, or with what is kept of such a run. */
bool tuning_search(const tuning_task *task, int64_t steps, bool remembered, int64_t cache,
                   tuning_found *out);

/* ---- forced_plans.c -------------------------------------------------------------------------- */

/* Seconds of a step by a plan, once it has run a few times. */
double tuning_time_plan(const tuning_task *task, const char *plan);
/* Seconds of the first TUNING_STEPS steps of a program. */
double tuning_time_start(const tuning_task *task, const char *plan);
/* Runs all plans of the grid of sizes, depths and methods, and sets the fastest. */
bool tuning_exhaust(const tuning_task *task, char best[TUNING_PLAN]);
/* By which factor plan a is faster than plan b: the median of runs in turn. Sets the least seconds
 * of a. */
double tuning_compare(const tuning_task *task, const char *a, const char *b, double *seconds);

#endif
