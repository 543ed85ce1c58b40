/* A program in a process of its own: with a limit of memory and a port behind it, or in memory with
 * the copies of a port beside it. */
#include "bench_streams.h"

#include "port/port.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_CHAINS = 15, WARM = 2, COPIED = 64 << 20, PLANE = 1 << 20 };

/* ---- copies beside --------------------------------------------------------------------------- */

typedef struct copies {
    port *port;
    port_file *file;
    port_rings *rings;
    char *memory;
    pthread_t thread;
    bool started;
    volatile bool ends;
} copies;

/* As a stream does: planes come in and go out by turns. */
static void *copy(void *data)
{
    copies *c = data;
    for (size_t at = 0; !c->ends; at = (at + PLANE) % COPIED)
        for (int out = 0; out < 2; out++) {
            port_start(c->port, !out, c->file, at, c->memory + at, PLANE);
            if (at % (8 * PLANE) == 0) port_wait(c->port, !out);
        }
    port_wait(c->port, false);
    port_wait(c->port, true);
    return NULL;
}

static bool start_copies(copies *c, const streams_task *task)
{
    text why = {0};
    *c = (copies){.port = NULL};
    if (task->limit > 0 || task->port <= 0) return true;
    c->port = port_open(task->port);
    c->file = port_file_new(task->folder, COPIED, PLANE, &why);
    c->rings = port_rings_open();
    if (c->rings) c->memory = port_ring_new(c->rings, COPIED, 1);
    c->started = c->port && c->file && c->memory && !pthread_create(&c->thread, NULL, copy, c);
    if (!c->started) fprintf(stderr, "bench_streams: no copies: %s\n", text_get(&why));
    text_free(&why);
    return c->started;
}

static void end_copies(copies *c)
{
    c->ends = true;
    if (c->started) pthread_join(c->thread, NULL);
    port_close(c->port);
    port_file_free(c->file);
    if (c->memory) port_ring_free(c->rings, c->memory, COPIED, 1);
    port_rings_close(c->rings);
}

/* ---- a program ------------------------------------------------------------------------------- */

typedef struct program {
    const bench_case *c;
    bench_program plain;
    void *own;
} program;

static bool make(program *p, const streams_task *task)
{
    p->c = streams_find_case(task->c->name);
    if (!p->c) return false;
    if (!p->c->own) return bench_program_make(&p->plain, p->c, task->c->size, task->threads);
    p->own = p->c->own->make(task->c->size, task->threads);
    return p->own;
}

static void end(program *p)
{
    if (p->own)
        p->c->own->free(p->own);
    else
        bench_program_free(&p->plain);
}

static double seconds_of(program *p, int64_t steps)
{
    const double start = clock_seconds();
    if (p->c->own)
        p->c->own->run(p->own, BENCH_KATA, steps, false);
    else if (!bench_program_run(&p->plain, steps, true))
        return 0;
    return clock_seconds() - start;
}

/* Bytes that the process has read and written by calls of the system. */
static double bytes_of_system(void)
{
    double in = 0, out = 0;
    FILE *f = fopen("/proc/self/io", "r");
    if (f && fscanf(f, "rchar: %lf wchar: %lf", &in, &out) != 2) in = out = 0;
    if (f) fclose(f);
    return in + out;
}

/* Seconds of all processors. */
static double processor_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static bool take_times(const streams_task *task, streams_times *t)
{
    program p = {.c = NULL};
    copies beside;
    double seconds[MOST_CHAINS];
    *t = (streams_times){.good = false};
    if (!make(&p, task) || !start_copies(&beside, task)) return false;
    for (int i = 0; i < WARM; i++) {
        const double each = seconds_of(&p, task->c->steps);
        if (i == 0) t->first = each;
    }
    const double before = bytes_of_system(), worked = processor_seconds();
    for (int i = 0; i < task->chains; i++) seconds[i] = seconds_of(&p, task->c->steps);
    t->worked = (processor_seconds() - worked) / task->chains;
    if (task->limit > 0) t->moved = (bytes_of_system() - before) / task->chains;
    t->chain = bench_median(seconds, task->chains);
    end_copies(&beside);
    end(&p);
    return t->good = t->chain > 0;
}

static void set_limit(const streams_task *task)
{
    char bytes[32];
    if (task->limit <= 0) return;
    snprintf(bytes, sizeof bytes, "%.0f", task->limit);
    setenv("KATA_MEMORY", bytes, 1);
    setenv("KATA_SPILL", task->folder, 1);
    snprintf(bytes, sizeof bytes, "%.0f", task->port);
    if (task->port > 0) setenv("KATA_SPILL_RATE", bytes, 1);
}

static bool run_here(const void *data, void *result)
{
    const streams_task *task = data;
    set_limit(task);
    return take_times(task, result);
}

streams_times streams_run(const streams_task *task)
{
    streams_times t;
    if (!streams_apart(run_here, task, &t, sizeof t)) t.good = false;
    return t;
}

bool streams_apart(bool (*work)(const void *task, void *result), const void *task, void *result,
                   size_t bytes)
{
    int ends[2], code;
    fflush(NULL);
    if (pipe(ends)) return false;
    const pid_t child = fork();
    if (child == 0) {
        const bool done = work(task, result) && write(ends[1], result, bytes) == (ssize_t)bytes;
        exit(done ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    close(ends[1]);
    const bool done = child > 0 && read(ends[0], result, bytes) == (ssize_t)bytes;
    close(ends[0]);
    if (child > 0) waitpid(child, &code, 0);
    return done;
}
