/* Which shape of its kernel runs a loop fastest on a device: what the files of the tuner share. */
#ifndef EXEC_DEVICE_TUNE_H
#define EXEC_DEVICE_TUNE_H

#include "exec/on_device.h"

enum { DEVICE_RUNS = HOSTILE(3, 1) }; /* of a try that count; one before them does not */

enum { DEVICE_MOST_WAYS = CODEGEN_MOST_SHAPES + CODEGEN_MOST_TILES };
_Static_assert((int)CODEGEN_MOST_SECTIONS < (int)DEVICE_MOST_WAYS, "there is room for sections");

/* A shape of a loop. */
typedef struct device_way {
    codegen_shape shape;
    codegen_section section;         /* in the place of a shape, where some loops run at once */
    size_t local;                    /* bytes that its groups share */
    int64_t gives[2];                /* the points along x and y of a group of these */
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
    bool sections;                     /* ways are sections; the first one is: loop by loop */
    bool of_tiles;                     /* sections of tiles that are streamed: see device_glue.c */
    int64_t points[3];                 /* along x, y and z, of the first box */
    device_way ways[DEVICE_MOST_WAYS]; /* the first is the usual one */
    int count, best;
    device_phase phase;
    bool remembered; /* it began with what an earlier start had found */
    double ran;      /* points */
    int missed;      /* loops that could not run in the way that is tried */
    int turn, runs;  /* the way that is tried, `count` for the first again; runs of this try */
    struct device_tune *next;
};

/* ---- device_ways.c --------------------------------------------------------------------------- */

/* The points of a loop along x, y and z. */
void device_tune_points(const chain_loop *loop, int64_t points[3]);
/* Whether KATA_DEVICE_SHAPE asks for something. */
bool device_is_asked(const device_asked *asked);
/* The planes along z of a group, of a box that takes `columns` groups along x and y, `at_once` of
 * which run at a time: so that all units have work until the end, and few planes are read, or
 * computed, twice. `before`: how many more than its own a group goes through. */
int device_choose_depth(int64_t planes, int64_t columns, int64_t at_once, int before);
/* What is known of a loop, which is l->ready->tune from then on; NULL when memory is out. */
struct device_tune *device_tune_of(const device_loop *l, const codegen_loop *as, bool wide);

/* ---- device_tune.c --------------------------------------------------------------------------- */

void device_tune_free(struct exec_device *d);
/* The number of the way that is to be run now; `timed`: device_tune_note is to be told how long a
 * loop has taken. */
int device_tune_turn(const device_loop *l, struct device_tune *t, bool *timed);
void device_tune_note(const device_loop *l, struct device_tune *t, double seconds);
/* Goes on with compiling sections for tiles. Whether loops may run at once there: the kernels have
 * come, and it is not known that one by one is faster. */
bool device_tune_glues(const device_loop *l, struct device_tune *t);
/* The number of the way of a tile of so many planes; 0: the device has too little for all. */
int device_tune_tile_way(const struct device_tune *t, int64_t planes, bool *timed);
/* The kernel of a way; NULL: reported of the usual one, others are dropped. */
device_kernel *device_tune_kernel(const device_loop *l, struct device_tune *t, int way);
void device_tune_drop(struct device_tune *t, int way, const char *why);
/* The way by which a loop runs now, with its kernel; NULL, reported, when there is none. `timed`:
 * as above. */
device_way *device_tune_way(const device_loop *l, bool *timed);
/* After the device had too little for a launch of so many threads: the way to run instead. NULL:
 * there is none. */
device_way *device_tune_narrow(const device_loop *l, device_way *way, const codegen_shape *shape);
/* Says which shapes run, and what was measured. */
void device_tune_explain(const struct exec_device *d, text *out);

/* ---- device_given.c: what kernels are given by value ----------------------------------------- */

typedef struct device_given {
    struct exec_device *d;
    size_t count; /* bytes, at d->given */
    bool failed;
} device_given;
/* Room for something, of zeros; NULL when memory is out, which `failed` says, too. */
void *device_give(device_given *g, size_t bytes);
void device_give_launch(device_given *g, const chain_loop *loop);
void device_give_places(device_given *g, const device_loop *l);
void device_give_numbers(device_given *g, const chain_loop *loop);
/* The bricks along x, and the rows, of a box. */
grid_box device_bricks_of(const grid_box *box);

/* ---- device_section_ways.c: sections of loops that follow one another -------------------------
 */

/* What is known of sections of a loop and others like it, of which `from` is handed on; -1: it may
 * be in none. NULL when memory is out. Its count is 1 where there are none. */
struct device_tune *device_sections_of(const device_loop *l, int from, bool wide);
/* What is made for a way. False when memory is out. */
bool device_begin_section(const device_loop *l, const struct device_tune *t, int way,
                          device_making *out);

/* The same of sections of so many loops on tiles of `like`, which has run by itself on these. */
struct device_tune *device_tile_sections_of(const device_loop *l, int from, int steps, bool wide);

/* ---- device_glue.c: loops at once on tiles that are streamed --------------------------------- */

/* A loop that stands for some. */
typedef struct device_glued {
    chain_at_once as; /* the first member */
    struct device_tune *tune;
} device_glued;

/* Adds the loops of a chain that is to be streamed, some of them as one. */
kata_status device_glue(exec_context *context, const chain *c, exec_local *out, messages *m);

/* ---- device_unglue.c ------------------------------------------------------------------------- */

/* Whether some loops of a chain stand for others. */
bool device_is_glued(const chain *c);
/* Runs such a chain loop by loop: see device_run_part. */
kata_status device_run_unglued(exec_context *context, const chain *c, bool streams, messages *m);

/* ---- device_section_sides.c ------------------------------------------------------------------ */

enum { DEVICE_MOST_STEPS = 5 }; /* loops that run at once */

/* Whether a loop finds beyond the sides of a dimension what is at their other ends, where it runs,
 * too. */
bool device_section_wraps(const chain_loop *loop, int from, int dimension);
/* Whether what loops find beyond the sides is known where they run at once: it is always the same,
 * or what is at the other end, or what a point near the side has. */
bool device_section_closed(const chain_loop *loop, int from);
/* The dimensions along which it is what a point near a side has, by bits; and where that is. */
int device_section_mirrors(const chain_loop *loop, int from);
abi_mirror device_section_mirror(const chain_loop *loop, int from, int dimension);
abi_mirrored device_section_mirrored(const chain_loop *loop, int from);

/* ---- device_section_run.c -------------------------------------------------------------------- */

/* Runs loops that follow one another by a section. `ran`: false, without an error, where the device
 * has too little for it. */
kata_status device_run_at_once(const device_loop *loops, device_way *way, bool *ran);
/* Runs a loop that stands for some, on a tile. */
kata_status device_run_glued(const device_loop *l);

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
