/* Which shape of its kernel runs a loop fastest on a device: what the files of the tuner share. */
#ifndef EXEC_DEVICE_TUNE_H
#define EXEC_DEVICE_TUNE_H

#include "exec/on_device.h"

enum { DEVICE_RUNS = HOSTILE(3, 1) }; /* of a try that count; one before them does not */

/* A shape of a loop. */
typedef struct device_way {
    codegen_shape shape;
    uint64_t key;                    /* of its text */
    device_kernel *kernel;           /* NULL: not loaded */
    int most_threads;                /* of a group, as launches have shown; 0: nothing is known */
    const char *dropped;             /* why it is not run any more; NULL: it may be */
    double taken[DEVICE_RUNS], each; /* seconds of a run; the median. 0: not known */
    struct device_beside_job *compiled; /* by another thread; NULL: not asked for, or taken */
} device_way;

typedef enum device_phase {
    DEVICE_COUNTS,   /* it has not run for long */
    DEVICE_COMPILES, /* other shapes are compiled */
    DEVICE_TRIES,    /* they are run */
    DEVICE_SETTLED
} device_phase;

/* What is known of loops with the same function, and boxes of similar size. */
struct device_tune {
    uint64_t key;
    char name[64];   /* of the function */
    char kernel[32]; /* of the program */
    bool wide, apart;
    int64_t points[3];                    /* along x, y and z, of the first box */
    device_way ways[CODEGEN_MOST_SHAPES]; /* the first is the usual one */
    int count, best;
    device_phase phase;
    bool remembered; /* it began with what an earlier start had found */
    double ran;      /* points */
    int turn, runs;  /* the way that is tried, `count` for the first again; runs of this try */
    struct device_tune *next;
};

/* ---- device_ways.c --------------------------------------------------------------------------- */

/* The points of a loop along x, y and z. */
void device_tune_points(const chain_loop *loop, int64_t points[3]);
/* What is known of a loop, which is l->ready->tune from then on; NULL when memory is out. */
struct device_tune *device_tune_of(const device_loop *l, const codegen_loop *as, bool wide);

/* ---- device_tune.c --------------------------------------------------------------------------- */

void device_tune_free(struct exec_device *d);
/* The way by which a loop runs now, with its kernel; NULL, reported, when there is none. `timed`:
 * device_tune_note is to be told how long the run has taken. */
device_way *device_tune_way(const device_loop *l, bool *timed);
void device_tune_note(const device_loop *l, double seconds);
/* After the device had too little for a launch of so many threads: the way to run instead. NULL:
 * there is none. */
device_way *device_tune_narrow(const device_loop *l, device_way *way, const codegen_shape *shape);
/* Says which shapes run, and what was measured. */
void device_tune_explain(const struct exec_device *d, text *out);

/* ---- device_beside.c: threads that compile --------------------------------------------------- */

/* Gives threads of low priority a text to compile, which is its own from here on. NULL, and the
 * text is freed, where there is no thread. */
struct device_beside_job *device_beside_start(struct exec_device *d, device_making *made);
/* Whether a job has ended. One whose thread was left behind by a fork has, with no binary. */
bool device_beside_is_done(const struct exec_device *d, const struct device_beside_job *job);
void device_beside_wait(struct exec_device *d, struct device_beside_job *job);
/* What became of a job that has ended, which is freed. */
device_making device_beside_end(struct device_beside_job *job);
/* Ends the threads. */
void device_beside_close(struct exec_device *d);

/* ---- device_shapes.c: what is kept ----------------------------------------------------------- */

/* Begins with what an earlier start has found, if that is a shape of the loop. */
void device_shapes_recall(const device_loop *l, struct device_tune *t);
void device_shapes_keep(const device_loop *l, const struct device_tune *t);

#endif
