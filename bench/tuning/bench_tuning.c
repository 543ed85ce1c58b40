/* bench_tuning [--verbose] [--search | --best PLAN] [--quick] [--threads N] [CHAIN...]
 *
 * How good is what tuning finds? For each chain all plans of a grid are run, and the fastest of
 * them is compared with the plan that the library has chosen after 200 steps of a program that was
 * never run before. Then the program is started again, with what was kept; and it searches on a
 * machine whose second-level cache is reported four times too large, and four times too small.
 * --search leaves out the grid: ratios are then to the plan that was found; --best compares with a
 * plan that was found to be the best of the grid before. --quick leaves out what follows the
 * comparison. */
#include "tuning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FALSE_STEPS = 600, TRIES = 3, REPORTED = 1 << 20 };

static const tuning_chain chains[] = {
    {.name = "5-point 2-D", .size = {2048, 2048, 1}},
    {.name = "9-point 2-D", .size = {2048, 2048, 1}},
    {.name = "7-point 3-D", .size = {160, 160, 160}},
    {.name = "7-point, periodic", .size = {160, 160, 160}},
    {.name = "acoustic 8 f32", .size = {192, 192, 192}},
    {.name = "diffusion in 4", .size = {256, 256, 80}},
    {.name = "D2Q9", .size = {768, 768, 1}},
    {.name = "red-black 2-D", .size = {2048, 2048, 1}},
    {.name = "small loops", .size = {1024, 1024, 1}},
    {.name = "5-point, residual", .size = {2048, 2048, 1}},
    {.name = "5-point, residual", .size = {1024, 1024, 1}, .label = "5-point, residual, cached"},
    {.name = "7-point, residual", .size = {160, 160, 160}},
    {.name = "7-point, residual", .size = {96, 96, 96}, .label = "7-point, residual, cached"},
    {.name = "shallow water", .size = {2048, 2048, 1}},
    {.name = "shallow water", .size = {384, 384, 1}, .label = "shallow water, cached"},
    {.name = "Gray-Scott", .size = {2048, 2048, 1}},
    {.name = "Gray-Scott", .size = {512, 512, 1}, .label = "Gray-Scott, cached"},
    {.name = "acoustic wave", .size = {192, 192, 192}},
    {.name = "acoustic wave", .size = {96, 96, 96}, .label = "acoustic wave, cached"},
    {.name = "FDTD", .size = {2048, 2048, 1}},
    {.name = "FDTD", .size = {512, 512, 1}, .label = "FDTD, cached"},
};
enum { CHAINS = sizeof chains / sizeof *chains };

static const char *label_of(const tuning_chain *chain)
{
    return chain->label ? chain->label : chain->name;
}

static const bench_case *case_of(const tuning_chain *chain)
{
    for (int i = 0; i < bench_sweep_count; i++)
        if (!strcmp(bench_sweeps[i].name, chain->name)) return &bench_sweeps[i];
    for (int i = 0; i < bench_loop_count; i++)
        if (!strcmp(bench_loops[i].name, chain->name)) return &bench_loops[i];
    return NULL;
}

/* ---- measuring ------------------------------------------------------------------------------- */

/* Seconds of the steps of a search, the least of a few, over those of a program that knows. */
static double loss(const tuning_task *task, int64_t cache)
{
    double ratios[TRIES];
    tuning_found told, found;
    int64_t size = sysconf(_SC_LEVEL2_CACHE_SIZE);
    if (size <= 0) size = REPORTED;
    for (int i = 0; i < TRIES; i++) {
        if (!tuning_search(task, FALSE_STEPS, false, 0, &told) ||
            !tuning_search(task, FALSE_STEPS, false, cache > 0 ? cache * size : size / -cache,
                           &found))
            return NAN;
        ratios[i] = found.seconds / told.seconds - 1;
    }
    return bench_median(ratios, TRIES);
}

/* What is asked for. */
typedef struct request {
    bool exhaustive, quick;
    const char *best; /* NULL: it is to be found */
} request;

static bool measure(const tuning_task *task, const request *r)
{
    tuning_found found, again;
    char best[TUNING_PLAN];
    double seconds = 0, ratio = 1;
    tuning_time_start(task, "loops"); /* compiles */
    if (r->exhaustive && !tuning_exhaust(task, best)) return false;
    if (!tuning_search(task, TUNING_STEPS, false, 0, &found)) return false;
    if (!r->exhaustive) snprintf(best, sizeof best, "%s", r->best ? r->best : found.plan);
    ratio = tuning_compare(task, best, found.plan, &seconds);
    double start = tuning_time_start(task, found.plan);
    printf("%-26s %8.4f  %5.3f  %5.3f", label_of(task->chain), 1e3 * seconds, 1 / ratio,
           found.seconds / start);
    if (!r->quick && !tuning_search(task, TUNING_STEPS, true, 0, &again)) return false;
    if (!r->quick) printf("  %5.3f", again.seconds / start);
    fflush(stdout);
    if (!r->quick) printf("  %+6.3f  %+6.3f", loss(task, 4), loss(task, -4));
    printf("\n    best: %s; found: %s\n", best, found.plan);
    fflush(stdout);
    return true;
}

/* ---- words ----------------------------------------------------------------------------------- */

static int usage(const char *wrong)
{
    FILE *to = wrong ? stderr : stdout;
    if (wrong) fprintf(to, "bench_tuning: '%s' is not understood\n", wrong);
    fprintf(to, "usage: bench_tuning [--verbose] [--search | --best PLAN] [--quick] [--threads N] "
                "[CHAIN...]\nchains:");
    for (int i = 0; i < CHAINS; i++) fprintf(to, "%s '%s'", i ? "," : "", label_of(&chains[i]));
    fprintf(to, "\n");
    return wrong ? 2 : 0;
}

static const tuning_chain *chain_of(const char *name)
{
    for (int i = 0; i < CHAINS; i++)
        if (!strcmp(label_of(&chains[i]), name)) return &chains[i];
    return NULL;
}

/* The program's own folder of kernels, so that nobody's wisdom is lost. */
static char folder[] = "/tmp/bench-tuning-XXXXXX";

static void remove_folder(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command)) fprintf(stderr, "cannot remove %s\n", folder);
}

static bool use_new_folder(void)
{
    if (!mkdtemp(folder)) return false;
    atexit(remove_folder);
    return !setenv("KATA_CACHE_DIR", folder, 1) && !setenv("OMP_WAIT_POLICY", "passive", 1);
}

static int run(tuning_task *task, char **names, const request *r)
{
    bool good = true;
    if (!use_new_folder()) return 1;
    printf("%-26s %8s  %5s  %5s", "", "ms/step", "found", "first");
    printf(r->quick ? "\n" : "  %5s  %6s  %6s\n", "again", "L2 x4", "L2 /4");
    for (int i = 0; i < CHAINS && good; i++) {
        bool wanted = !*names;
        for (char **name = names; *name; name++) wanted |= chain_of(*name) == &chains[i];
        task->chain = &chains[i];
        task->c = case_of(&chains[i]);
        task->example = tuning_example_of(chains[i].name);
        if (wanted) good = (task->c || task->example) && measure(task, r);
    }
    return !good;
}

int main(int argc, char **argv)
{
    tuning_task task = {.threads = (int)sysconf(_SC_NPROCESSORS_ONLN)};
    request r = {.exhaustive = true};
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "--help")) return usage(NULL);
        if (!strcmp(argv[i], "--verbose"))
            task.verbose = true;
        else if (!strcmp(argv[i], "--search"))
            r.exhaustive = false;
        else if (!strcmp(argv[i], "--quick"))
            r.quick = true;
        else if (!strcmp(argv[i], "--best") && i + 1 < argc)
            r.exhaustive = false, r.best = argv[++i];
        else if (strcmp(argv[i], "--threads") != 0 || i + 1 == argc ||
                 (task.threads = atoi(argv[++i])) < 1)
            return usage(argv[i]);
    }
    for (int name = i; name < argc; name++)
        if (!chain_of(argv[name])) return usage(argv[name]);
    return run(&task, argv + i, &r);
}
