/* sweep: one loop, compiled, on boxes of its points: what it reads beyond the grid, blocks that
 * stay in cache, levels that run in order, reductions, and the team of threads that does it.
 *
 * A loop is prepared once: what it reads outside the grid and how, which views its function gets,
 * what its reductions need. It then runs on any boxes of its points, in any order that its
 * dependences allow; a box costs no lookup, and no allocation once the memory of the threads holds
 * what the largest needs. Prepared loops are remembered, and serve later loops that are alike. */
#ifndef SWEEP_SWEEP_H
#define SWEEP_SWEEP_H

#include "abi/abi.h"
#include "machine/machine.h"
#include "observe/observe.h"
#include "store/store.h"

/* ---- team.c ---------------------------------------------------------------------------------- */

/* Threads that wait for work, the floating-point environment of each the default one. */
struct sweep_team;
typedef void sweep_work(void *data, int thread);

/* A team of `threads`, the caller included; with fewer when the system has no more to give. NULL
 * when memory is out. */
struct sweep_team *sweep_team_new(int threads);
void sweep_team_free(struct sweep_team *team);
/* Calls work(data, t) on the caller with t = 0, and on members with different t below `threads`,
 * not necessarily all; returns when all calls have ended. */
void sweep_team_run(struct sweep_team *team, int threads, sweep_work *work, void *data);

/* ---- choice.c ---------------------------------------------------------------------------------
 */

/* Two ways to run a loop, and what is known of them; all zero at first. */
typedef struct sweep_choice {
    int64_t bytes;   /* that the chain touched when it was found out */
    int64_t pause;   /* runs between tries */
    int64_t left;    /* runs until the next tries; 0: tries go on */
    int now, best;   /* the way that is taken; the way that was chosen */
    int runs;        /* of the block of tries that has begun */
    int blocks[2];   /* of each way */
    double least[2]; /* seconds of a run */
    bool tried;      /* whether this run is a try */
} sweep_choice;

/* The way, 0 or 1, to take when the loop runs next in a chain that touches so many bytes. At first
 * it is `first`; the other is tried soon if that is doubtful, and late otherwise. */
int sweep_choice_begin(sweep_choice *c, int64_t bytes, int first, bool doubtful);
/* How long that took. Whether tries have ended with this run, and c->best is the faster way. */
bool sweep_choice_end(sweep_choice *c, double seconds);
/* By which factor that way was faster than the other, when tries have ended. */
double sweep_choice_gain(const sweep_choice *c);

/* ---- workers.c ------------------------------------------------------------------------------- */

/* Threads, their memory, and the loops that were prepared for them. */
typedef struct sweep_workers sweep_workers;

/* For at most so many threads. `poison`: what lies outside the grid and has no value is NaN. NULL
 * when memory is out. */
sweep_workers *sweep_workers_new(int threads, bool poison);
/* From now on a timeline takes what threads do. */
void sweep_workers_watch(sweep_workers *w, observe_timeline *timeline);
void sweep_workers_free(sweep_workers *workers);
/* Calls work(data, thread) for different threads, at once: for all of them at most. */
int sweep_workers_count(const sweep_workers *workers);
void sweep_workers_run(sweep_workers *workers, int threads, sweep_work *work, void *data);
/* On several ranks: hands all ranks the bytes of each, in the order of ranks; those of rank i begin
 * at (*all)[starts[i]] and end at starts[i + 1]. They are valid until the next call. Returns their
 * number; 0 when a rank cannot be met. */
typedef int sweep_gather(void *data, const void *mine, size_t bytes, const char **all,
                         const size_t **starts);
/* What parted loops meet other ranks by. */
typedef struct sweep_ranks {
    sweep_gather *gather;
    void *data;
} sweep_ranks;
/* What is left to reduce of a loop on this rank: of each of `count` reductions, the partials of a
 * box. */
typedef struct sweep_partials {
    grid_box box;
    int count;
    const ir_value *const *of;
} sweep_partials;
/* Meets the other ranks. Returns the partials of all ranks, of one reduction after another, which
 * lie in the box *whole; to be freed. NULL when memory is out, or a rank could not be met. */
ir_value *sweep_meet_partials(const sweep_ranks *ranks, const sweep_partials *mine,
                              grid_box *whole);
void sweep_workers_set_ranks(sweep_workers *workers, const sweep_ranks *ranks);
/* Waits until *count is at least so large, or *failed. */
void sweep_await(const _Atomic int64_t *count, int64_t least, const _Atomic bool *failed);
/* The bytes of all fields that a chain touches. */
int64_t sweep_chain_bytes(const chain *c);
/* Whether all that a chain touches fits the second-level caches of all threads. Its loops then
 * neither prefetch nor write past the caches, if larger chains have not just run. */
bool sweep_chain_fits(const sweep_workers *workers, const chain *c);
/* Before a chain runs: how much it touches decides how its loops run. Whether that leaves the
 * second-level caches of all threads. */
bool sweep_workers_chain(sweep_workers *workers, int64_t bytes);
/* What their loops have found out about streaming stores, or were told: the caller may set it. */
machine_crossover *sweep_workers_crossover(sweep_workers *workers);

/* ---- chain_memory.c -------------------------------------------------------------------------- */

/* Makes the arrays that fields of a chain lack, as its loops need them. */
kata_status sweep_make_arrays(const chain *c, messages *m);

/* ---- sweep.c, prepared_cache.c
 * ------------------------------------------------------------------------ */

/* A loop that is prepared. */
typedef struct sweep_loop sweep_loop;

/* How a loop is run. */
typedef struct sweep_manner {
    bool cut;    /* boxes may cut bricks of a row (see reduce.h), or hold points that run twice */
    bool copies; /* nothing is filled around fields: what is read there is copied */
    uint64_t covers; /* bit p: hidden ghosts of parameter p may be written to */
    uint64_t own;    /* bit p: the array of parameter p is the thread's own, and is filled around */
    bool lent;       /* it has no memory for reductions of its own: see sweep_lend */
    bool smaller;    /* its function neither prefetches nor writes past the caches */
} sweep_manner;

/* Prepares a loop, whose fields have arrays, to run by its function; NULL when memory is out. It is
 * the caller's until it is released. May move arrays: all loops that run side by side are prepared
 * before the first begins. */
sweep_loop *sweep_prepare(sweep_workers *workers, const chain_loop *loop, abi_function *run,
                          sweep_manner manner);
void sweep_release(sweep_loop *l);
/* Before the first box: takes the loop's numbers, scalars, and the addresses of its arrays as they
 * are now. */
void sweep_begin(sweep_loop *l, const chain_loop *loop);
/* Runs points of the loop, on as many threads as are worth it; those of `core` count in reductions,
 * each once. False when memory is out. After a fault of this loop, other boxes may run:
 * sweep_fault finds the first of all. */
bool sweep_run(sweep_loop *l, const grid_box *box, const grid_box *core);
/* Runs loops that have begun, one after another on all their points; threads meet less often than
 * if each ran by itself. All of them may be part of a relay. False when memory is out. */
enum { SWEEP_RELAY = HOSTILE(16, 3) }; /* at most */
bool sweep_may_relay(const chain_loop *loop);
bool sweep_run_relay(sweep_loop *const *loops, int count);
/* Where, along a dimension, a tile meets points of its loop that another tile has run before. */
typedef enum sweep_before { SWEEP_BEFORE_LOW, SWEEP_BEFORE_HIGH, SWEEP_BEFORE_NONE } sweep_before;

/* Points of a loop in a tile. All tiles cover the loop's points; each runs after those that come
 * before it in every dimension. */
typedef struct sweep_tile {
    sweep_before before[3];
    uint64_t filled;      /* bit i: other loops fill around the field of fill number i */
    const grid_box *core; /* points that count in reductions; NULL: all */
    bool cached;          /* what it reads lies in caches */
    bool streams;         /* nobody reads soon what it writes */
} sweep_tile;

/* Runs points of a loop on the calling thread, which is number `thread`, while others run other
 * tiles of it or of other loops. The loop must not have checks; levels that run in order do so in
 * the box. False when memory is out. */
bool sweep_run_alone(const sweep_loop *l, const grid_box *box, int thread, const sweep_tile *tile);

/* A loop that was prepared so uses the memory for reductions of another, which is like it. */
void sweep_lend(sweep_loop *l, const sweep_loop *from);

/* ---- reduce.c, whose header says in which order sums are made ----------------------------------
 */

/* The brick that holds an x index, also one below 0. */
int64_t sweep_brick(int64_t x);
/* Combines the partials of a plane of a box, which are lost, to the first of them. */
void sweep_reduce_plane(const ir_param *param, const grid_box *bricks, ir_value *partials);
/* Combines the partials of a box (in bricks along x; x fastest, then y, z), which are lost, to
 * the result. */
ir_value sweep_reduce_box(const ir_param *param, const grid_box *bricks, ir_value *partials);

/* ---- run_copy.c ------------------------------------------------------------------------------ */

/* Runs points of a copy, whose fields have arrays, on as many threads as are worth it. */
void sweep_copy(sweep_workers *workers, const chain_loop *loop, const grid_box *box);
/* Runs some points of it, at least one, on the thread that calls. */
void sweep_copy_alone(const chain_loop *loop, const grid_box *box);

/* ---- run_sparse.c ---------------------------------------------------------------------------- */

/* The function of loops over points between those of their grid (chain_loop.sparse). */
abi_function sweep_run_sparse;
/* After the last point of one that sums: sets the scalar to the sums of its products, and of those
 * of other ranks (NULL: there are none). False when memory is out, or a rank could not be met. */
bool sweep_sum_products(const chain_loop *loop, chain_slot *scalar, const sweep_ranks *ranks);

/* ---- edge_area.c: loops that run side by side ------------------------------------------------ */

/* How a loop touches what another one fills around fields. */
typedef enum sweep_relation {
    SWEEP_APART,  /* not at all */
    SWEEP_FILLED, /* nowhere else, and after it */
    SWEEP_CLASHES /* both would have to fill it */
} sweep_relation;

enum { SWEEP_MOST_FILLS = 64 };
/* The number of fields' components that a prepared loop fills around. */
int sweep_fill_count(const sweep_loop *l);
/* The slot and the component of one of them, in a loop like the prepared one. */
const chain_slot *sweep_fill_slot(const sweep_loop *l, int fill, const chain_loop *loop,
                                  int *component);
/* The same for components that are touched at one offset: each point, and no other, changes cells
 * around the field as it runs. */
int sweep_wrap_count(const sweep_loop *l);
const chain_slot *sweep_wrap_slot(const sweep_loop *l, int wrap, const chain_loop *loop,
                                  int *component);
/* In each dimension, by how many points a loop in tiles is behind another one, and by how many the
 * first of its tiles around a period begins further inside. */
typedef struct sweep_lag {
    int64_t behind[3], inside[3];
} sweep_lag;
/* How fill `fb` of loop b is related to fill `fa` of loop a before it, both of one component. */
sweep_relation sweep_fill_relation(const sweep_loop *a, int fa, const sweep_loop *b, int fb,
                                   const sweep_lag *lag);
/* Whether fill `fb` of loop b, around values that loop a before it has changed, comes after all
 * that loop a reads of its own fill `fa` there. */
bool sweep_fill_follows(const sweep_loop *a, int fa, const sweep_loop *b, int fb,
                        const sweep_lag *lag);
/* Whether what a fill writes stays there: constants, in memory that is not the program's. */
bool sweep_fill_stays(const sweep_loop *l, int fill);
/* Whether two fills around one field write the same wherever both do. */
bool sweep_fills_alike(const sweep_loop *a, int fa, const sweep_loop *b, int fb);
/* Does some fills of a loop, bit i: number i, for all its points, on all threads. */
void sweep_fill_constants(const sweep_loop *l, uint64_t fills);
/* Whether independent tiles along a dimension fill nothing that another one touches: of this loop,
 * all points below `second` lie in the first tile, and all from `last` on in the last one. */
bool sweep_fills_apart(const sweep_loop *l, int dimension, int64_t second, int64_t last);
/* The first check that has failed at a point since the loop began; NULL: none. */
const observe_fault *sweep_fault(const sweep_loop *l);
/* After the last box: reductions become values of scalars, which are logged. False when memory is
 * out. */
bool sweep_finish(sweep_loop *l);

#endif
