/* Latencies around loops: the first result of a program with a cold and with a warm cache, and of a
 * program with many kernels; an application; the loops of a chain on small grids beside the same
 * loops in plain C; a prepared loop on one more box; planning; the first sweeps of new fields.
 * Prints one line per figure; --quick repeats less, --loops, --planning and --memory measure a
 * part. */
#include "latency.h"

#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KERNELS = 50, LOOPS = 100, SIDE = 64 };

int repeats = 15;

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

double median(double *x, int count)
{
    qsort(x, (size_t)count, sizeof *x, compare);
    return x[count / 2];
}

void line(const char *what, double value, const char *unit, const char *target)
{
    printf("%-52s %10.3f %-3s  %s\n", what, value, unit, target);
}

/* ---- starting -------------------------------------------------------------------------------- */

/* Many different kernels. */
static void write_kernels(text *out, int count)
{
    for (int i = 0; i < count; i++)
        text_add(out,
                 "kernel k%d(in double u, out double v, double c)\n"
                 "{ v = u + %d*c*(u[1,0] + u[-1,0] + u[0,1] + u[0,-1] - 4*u); }\n",
                 i, i + 1);
}

/* Seconds until a value is computed that needs all kernels. */
static double first_result(const char *cache, int kernels, int64_t n, bool wait)
{
    text source = {0};
    write_kernels(&source, kernels);
    double start = clock_seconds(), value = 0;
    kata *k = kata_open(&(kata_options){.cache = cache, .wait = wait});
    kata_grid *g = kata_grid_2d(k, n, n);
    kata_field *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_PERIODIC);
    kata_field *v = kata_field_like(u, "v");
    kata_module *m = kata_module_from_text(k, "latency", text_get(&source));
    for (int i = 0; i < kernels; i++) {
        kata_apply(kata_module_kernel(m, i), kata_all(g), u, v, 0.1);
        kata_swap(u, v);
    }
    kata_get(u, kata_box_2d(g, 0, 1, 0, 1), &value, 1);
    double seconds = clock_seconds() - start;
    kata_close(k);
    text_free(&source);
    return seconds;
}

static void remove_files(const char *folder)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'/*", folder);
    if (system(command)) fprintf(stderr, "cannot empty %s\n", folder);
}

static void measure_start(const char *what, int kernels, int64_t n, bool wait,
                          const char *targets[2])
{
    char folder[] = "/tmp/kata-latency-XXXXXX", name[80];
    double cold[MOST_REPEATS], warm[MOST_REPEATS];
    int count = repeats < 5 ? repeats : 5;
    if (!mkdtemp(folder)) return;
    for (int i = 0; i < count; i++) {
        remove_files(folder);
        cold[i] = 1e3 * first_result(folder, kernels, n, wait);
        first_result(folder, kernels, n, true);
        warm[i] = 1e3 * first_result(folder, kernels, n, wait);
    }
    snprintf(name, sizeof name, "%s, cold", what);
    line(name, median(cold, count), "ms", targets[0]);
    snprintf(name, sizeof name, "%s, warm", what);
    line(name, median(warm, count), "ms", targets[1]);
    remove_files(folder);
    rmdir(folder);
}

static void measure_starts(void)
{
    measure_start("first result, 3 kernels on 256^2", 3, 256, false,
                  (const char *[]){"<= 300", "<= 20"});
    measure_start("first result, 50 kernels on 256^2", KERNELS, 256, false,
                  (const char *[]){"<= 3000", ""});
    measure_start("first result, 50 kernels on 2048^2", KERNELS, 2048, false,
                  (const char *[]){"<= 3000", ""});
    measure_start("the same where all is waited for", KERNELS, 2048, true,
                  (const char *[]){"", ""});
}

/* ---- applying -------------------------------------------------------------------------------- */

typedef struct world {
    kata *k;
    kata_grid *grid;
    kata_field *u, *v;
    kata_kernel *kernel;
} world;

static world open_world(kata_rule rule, int threads)
{
    text source = {0};
    world w = {.k = kata_open(&(kata_options){.wait = true, .threads = threads})};
    write_kernels(&source, 1);
    w.grid = kata_grid_2d(w.k, SIDE, SIDE);
    w.u = kata_field_new(w.grid, "u", KATA_F64, .boundary = rule);
    w.v = kata_field_like(w.u, "v");
    w.kernel = kata_module_kernel(kata_module_from_text(w.k, "latency", text_get(&source)), 0);
    text_free(&source);
    return w;
}

/* From u to v, and from v to u; or always from u to v, which are then swapped. */
static void queue(const world *w, int64_t inset, bool swap)
{
    for (int i = 0; i < LOOPS; i++) {
        bool back = !swap && i % 2;
        kata_apply(w->kernel, kata_inner(w->grid, inset), back ? w->v : w->u, back ? w->u : w->v,
                   0.01);
        if (swap) kata_swap(w->u, w->v);
    }
}

/* Seconds to queue a loop, and to run a queued loop. */
static void measure_chain(const world *w, int64_t inset, bool swap, double *apply, double *run)
{
    double applying[MOST_REPEATS], running[MOST_REPEATS];
    for (int i = 0; i < repeats; i++) {
        double best = INFINITY, best_run = INFINITY; /* of some, without what disturbs them */
        for (int j = 0; j < 20; j++) {
            double start = clock_seconds();
            queue(w, inset, swap);
            double queued = clock_seconds();
            kata_flush(w->k);
            double end = clock_seconds();
            best = fmin(best, queued - start);
            best_run = fmin(best_run, end - queued);
        }
        applying[i] = best / LOOPS;
        running[i] = best_run / LOOPS;
    }
    *apply = median(applying, repeats);
    *run = median(running, repeats);
}

/* ---- plain C --------------------------------------------------------------------------------- */

#ifdef __clang__
#define ROW __attribute__((noinline))
#else
#define ROW __attribute__((optimize("O3"), noinline))
#endif

static ROW void plain_row(double *restrict v, const double *restrict u, int64_t nx, int64_t n,
                          double c)
{
    for (int64_t x = 0; x < n; x++)
        v[x] = u[x] + c * (u[x + 1] + u[x - 1] + u[x + nx] + u[x - nx] - 4 * u[x]);
}

/* Inner points only, or all points of a periodic grid; then a margin is filled before each step. */
static void plain_step(double *v, double *u, bool periodic, double c)
{
    int64_t pitch = SIDE + 2, first = periodic ? 1 : 2, last = periodic ? SIDE : SIDE - 1;
    if (periodic) {
        memcpy(u + 1, u + SIDE * pitch + 1, SIDE * sizeof *u);
        memcpy(u + (SIDE + 1) * pitch + 1, u + pitch + 1, SIDE * sizeof *u);
        for (int64_t y = 1; y <= SIDE; y++) {
            u[y * pitch] = u[y * pitch + SIDE];
            u[y * pitch + SIDE + 1] = u[y * pitch + 1];
        }
    }
    for (int64_t y = first; y <= last; y++)
        plain_row(v + y * pitch + first, u + y * pitch + first, pitch, last - first + 1, c);
}

static double measure_plain(bool periodic)
{
    double running[MOST_REPEATS];
    double *u = calloc((SIDE + 2) * (SIDE + 2), sizeof *u),
           *v = calloc((SIDE + 2) * (SIDE + 2), sizeof *v);
    for (int i = 0; i < repeats && u && v; i++) {
        double best = INFINITY;
        for (int j = 0; j < 20; j++) {
            double start = clock_seconds();
            for (int l = 0; l < LOOPS; l += 2) {
                plain_step(v, u, periodic, 0.01);
                plain_step(u, v, periodic, 0.01);
            }
            best = fmin(best, clock_seconds() - start);
        }
        running[i] = best / LOOPS;
    }
    free(u);
    free(v);
    return median(running, repeats);
}

static void measure_loops(const char *what, kata_rule rule, int threads)
{
    char name[80];
    double apply, with_swap, run, plain = measure_plain(rule == KATA_PERIODIC);
    int64_t inset = rule == KATA_PERIODIC ? 0 : 1;
    world w = open_world(rule, threads);
    measure_chain(&w, inset, false, &apply, &run);
    measure_chain(&w, inset, true, &with_swap, &run);
    kata_close(w.k);
    snprintf(name, sizeof name, "%s: kata_apply", what);
    line(name, 1e6 * apply, "us", "<= 0.15");
    snprintf(name, sizeof name, "%s: kata_apply and kata_swap", what);
    line(name, 1e6 * with_swap, "us", "");
    snprintf(name, sizeof name, "%s: a loop", what);
    line(name, 1e6 * run, "us", "");
    snprintf(name, sizeof name, "%s: in plain C", what);
    line(name, 1e6 * plain, "us", "");
    snprintf(name, sizeof name, "%s: all over plain C", what);
    line(name, (with_swap + run) / plain, "", "<= 1.5");
}

int main(int argc, char **argv)
{
    bool loops_only = argc > 1 && !strcmp(argv[1], "--loops");
    bool quick = argc > 1 && !strcmp(argv[1], "--quick");
    if (quick) repeats = 3;
    if (argc > 1 && !strcmp(argv[1], "--planning")) {
        measure_planning();
        measure_hydrodynamics();
        return 0;
    }
    if (!loops_only) measure_memory(quick); /* before there are threads: it forks */
    if (argc > 1 && !strcmp(argv[1], "--memory")) return 0;
    measure_loops("64^2, inner points", KATA_NONE, 1);
    measure_loops("64^2, periodic", KATA_PERIODIC, 1);
    measure_loops("64^2, periodic, 2 threads", KATA_PERIODIC, 2);
    measure_boxes();
    measure_planning();
    measure_hydrodynamics();
    if (!loops_only) measure_starts();
    return 0;
}
