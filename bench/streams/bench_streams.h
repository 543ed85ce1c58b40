/* bench_streams: programs whose fields are larger than the limit of memory, behind a port of a
 * stated bandwidth, beside the two rates that bound them. */
#ifndef BENCH_STREAMS_H
#define BENCH_STREAMS_H

#include "bench.h"

/* A program, and what is known of its sections by hand: Katagami's own analysis does not enter. */
typedef struct streams_case {
    const char *name; /* of the case in bench_sweeps or bench_loops */
    int64_t size[3];
    int64_t steps;  /* of a chain */
    double fields;  /* bytes per point: all fields */
    double in, out; /* that a section must move */
    double last;    /* that the last one of a chain moves beside them: old values that stay */
    int64_t reach;  /* planes by which a step shifts the window */
    bool waits;     /* a step needs a number that the one before has reduced: no deeper sections */
} streams_case;

extern const streams_case streams_cases[];
extern const int streams_case_count;

/* What is known of a chain of a case behind a limit. */
typedef struct streams_bound {
    int64_t deepest;  /* steps of a section that fits the limit */
    int64_t sections; /* of a chain, at least */
    double least;     /* bytes that a chain moves, at least */
} streams_bound;

double streams_points(const streams_case *c);
/* Bytes of all fields. */
double streams_bytes(const streams_case *c);
streams_bound streams_find_bound(const streams_case *c, double limit);
const bench_case *streams_find_case(const char *name);

/* ---- one_run.c ------------------------------------------------------------------------------- */

/* How a program runs, in a process of its own. */
typedef struct streams_task {
    const streams_case *c;
    double limit; /* bytes; 0: all in memory */
    double port;  /* bytes per second: of the port; or, in memory, of copies beside; 0: none */
    const char *folder;
    int threads, chains; /* that are timed, after two others */
} streams_task;

typedef struct streams_times {
    double first;  /* seconds of the first chain, with kernels compiled before */
    double chain;  /* seconds of one: the median */
    double worked; /* seconds of all processors, of one */
    double moved;  /* bytes of one, as the system counts them */
    bool good;
} streams_times;

/* Does something in a process of its own, which tells the result. */
bool streams_apart(bool (*work)(const void *task, void *result), const void *task, void *result,
                   size_t bytes);
streams_times streams_run(const streams_task *task);

#endif
