/* New memory: a new page costs many times what it costs to write an old one, so each page of a
 * field should be touched for the first time once, and never moved. Measured in a process of its
 * own: from new fields to the end of the first two sweeps, over the time that threads take to write
 * the same memory for the first time and that of two later sweeps; and the most memory that was
 * resident, less that of the fields. */
#include "latency.h"

#include "base/base.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char kernels[] =
    "const int X[19] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};\n"
    "const int Y[19] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};\n"
    "const int Z[19] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};\n"
    "kernel fill1(out double u) { u = ix - iy + iz; }\n"
    "kernel step1(in double u, out double v)\n"
    "{ v = 0.4*u + 0.1*(u[1,0,0] + u[-1,0,0] + u[0,1,0] + u[0,-1,0] + u[0,0,1] + u[0,0,-1]); }\n"
    "kernel fill19(out double f[19]) { for (int q = 0; q < 19; q++) f[q] = ix - q; }\n"
    "kernel step19(in double f[19], out double g[19])\n"
    "{\n"
    "    double mean = 0;\n"
    "    for (int q = 0; q < 19; q++) mean += f[q][-X[q],-Y[q],-Z[q]]/19;\n"
    "    for (int q = 0; q < 19; q++) g[q] = 0.5*(f[q][-X[q],-Y[q],-Z[q]] + mean);\n"
    "}\n";

typedef struct memory_case {
    const char *name;
    int64_t side, quick;
    int components;
    bool flush; /* after each kernel */
} memory_case;

static const memory_case cases[] = {
    {"7-point 512^3, one chain", 512, 128, 1, false},
    {"7-point 512^3, a chain for each kernel", 512, 128, 1, true},
    {"D3Q19 192^3, one chain", 192, 48, 19, false},
    {"D3Q19 192^3, a chain for each kernel", 192, 48, 19, true},
};

/* Seconds. */
typedef struct found {
    double touch, first, later;
    bool good;
} found;

static double bytes_of(const memory_case *c, int64_t n)
{
    return 2 * 8.0 * (double)(c->components * n * n * n);
}

/* Writes new memory by threads, each a part of it. */
static double touch(size_t bytes)
{
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NAN;
    madvise(memory, bytes, MADV_HUGEPAGE);
    double start = clock_seconds();
#pragma omp parallel
    {
        size_t me = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
        size_t first = bytes / threads * me,
               end = me + 1 == threads ? bytes : first + bytes / threads;
        memset(memory + first, 1, end - first);
    }
    double seconds = clock_seconds() - start;
    munmap(memory, bytes);
    return seconds;
}

typedef struct program {
    kata *k;
    kata_kernel *fill, *step;
    bool flush;
} program;

static void sweeps(const program *p, kata_grid *g, kata_field **u, kata_field **v)
{
    for (int i = 0; i < 2; i++) {
        kata_apply(p->step, kata_all(g), *u, *v);
        kata_swap(*u, *v);
        if (p->flush) kata_flush(p->k);
    }
    kata_flush(p->k);
}

static void run_first(const program *p, kata_grid *g, int components, kata_field **u,
                      kata_field **v)
{
    *u = kata_field_new(g, "u", KATA_F64, .boundary = KATA_PERIODIC, .components = components);
    *v = kata_field_like(*u, "v");
    kata_apply(p->fill, kata_all(g), *u);
    if (p->flush) kata_flush(p->k);
    sweeps(p, g, u, v);
}

static void measure(const memory_case *c, int64_t n, found *out)
{
    char name[16];
    kata_field *u, *v;
    program p = {.k = kata_open(&(kata_options){.wait = true}), .flush = c->flush};
    kata_module *m = kata_module_from_text(p.k, "memory", kernels);
    snprintf(name, sizeof name, "fill%d", c->components);
    p.fill = kata_kernel_find(m, name);
    snprintf(name, sizeof name, "step%d", c->components);
    p.step = kata_kernel_find(m, name);
    run_first(&p, kata_grid_3d(p.k, 8, 8, 8), c->components, &u, &v); /* compiles */
    kata_grid *g = kata_grid_3d(p.k, n, n, n);
    double start = clock_seconds();
    run_first(&p, g, c->components, &u, &v);
    out->first = clock_seconds() - start;
    double later[3];
    for (int i = 0; i < 3; i++) {
        start = clock_seconds();
        sweeps(&p, g, &u, &v);
        later[i] = clock_seconds() - start;
    }
    out->later = median(later, 3);
    out->good = kata_close(p.k) == KATA_OK;
}

/* Runs in a process of its own; returns the bytes that it had resident at most. */
static double measure_apart(const memory_case *c, int64_t n, found *shared)
{
    struct rusage usage;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (shared->good)
            measure(c, n, shared);
        else
            shared->touch = touch((size_t)bytes_of(c, n));
        _exit(0);
    }
    if (child < 0 || wait4(child, NULL, 0, &usage) < 0) return NAN;
    return 1024.0 * (double)usage.ru_maxrss;
}

static void measure_case(const memory_case *c, bool quick, found *shared)
{
    enum { TIMES = 4 };
    int64_t n = quick ? c->quick : c->side;
    double touching = INFINITY, first = INFINITY, later = INFINITY, most = 0;
    char name[80];
    for (int i = 0; i < TIMES; i++) {
        shared->good = false;
        measure_apart(c, n, shared);
        shared->good = true;
        most = fmax(most, measure_apart(c, n, shared));
        if (!shared->good) fprintf(stderr, "bench_latency: %s: failed\n", c->name);
        touching = fmin(touching, shared->touch);
        first = fmin(first, shared->first);
        later = fmin(later, shared->later);
    }
    snprintf(name, sizeof name, "%s: to touch the memory", c->name);
    line(name, 1e3 * touching, "ms", "");
    snprintf(name, sizeof name, "%s: two later sweeps", c->name);
    line(name, 1e3 * later, "ms", "");
    snprintf(name, sizeof name, "%s: the first over both", c->name);
    line(name, first / (touching + later), "", "<= 1.3");
    snprintf(name, sizeof name, "%s: resident beside values", c->name);
    line(name, (most - bytes_of(c, n)) / (1 << 20), "MiB", "<= 64");
}

void measure_memory(bool quick)
{
    found *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return;
    for (size_t i = 0; i < COUNT_OF(cases); i++) measure_case(&cases[i], quick, shared);
    munmap(shared, sizeof *shared);
}
