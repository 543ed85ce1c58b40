/* sweep: one loop, compiled, on a box of points: what it reads beyond the grid, blocks that stay in
 * cache, levels that run in order, reductions, and the team of threads that does it. */
#ifndef SWEEP_SWEEP_H
#define SWEEP_SWEEP_H

#include "abi/abi.h"
#include "analysis/analysis.h"
#include "codegen/codegen.h"
#include "observe/observe.h"
#include "store/store.h"

/* ---- reduce.c -------------------------------------------------------------------------------- */

/* Reductions do not depend on the order of execution. Each point contributes one value. Points are
 * grouped in bricks of SWEEP_BRICK consecutive global x indices, the first at 0. Within a brick,
 * lane l adds, from its neutral start, the contributions of x = l, l + SWEEP_LANES, ... in this
 * order; lanes are then combined in halves: lane l with lane l + 16, then l + 8, .., l + 1. Results
 * are combined over bricks, then over y, then over z by a binary tree aligned to global indices:
 * the node of level k over [j*2^k, (j+1)*2^k) is its lower half combined with its upper half, a
 * half without points left out; all indices below 0 are one such half, all others its upper one. A
 * sum is finally added to 0 (so that a sum of no points is +0); min
 * and max of no points are their neutral start. A reduction declared inout is at last combined
 * with what the scalar held before, which comes first: old + sum. */
enum { SWEEP_BRICK = ABI_BRICK, SWEEP_LANES = ABI_LANES };

/* The brick that holds an x index, also one below 0. */
int64_t sweep_brick(int64_t x);
/* Sets elements of the parameter's type to what changes nothing that it is combined with. */
void sweep_reduce_start(const ir_param *param, void *elements, int64_t count);
/* Reduces contributions of points x_lo .. x_hi-1 of a row, in the parameter's type, brick by brick:
 * partials[0] is of the brick that holds x_lo. */
void sweep_reduce_row(const ir_param *param, const void *contributions, int64_t x_lo, int64_t x_hi,
                      ir_value *partials);
/* The same of the lanes of bricks that follow one another, SWEEP_LANES each. */
void sweep_reduce_lanes(const ir_param *param, const void *lanes, int64_t bricks,
                        ir_value *partials);
/* Combines the partials of a plane of a box, which are lost, to the first of them. */
void sweep_reduce_plane(const ir_param *param, const grid_box *bricks, ir_value *partials);
/* Combines the partials of a box (in bricks along x; x fastest, then y, z), which are lost, to
 * the result. */
ir_value sweep_reduce_box(const ir_param *param, const grid_box *bricks, ir_value *partials);

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

/* ---- store_choice.c: the fastest of several ways to run a loop ------------------------------- */

enum { SWEEP_STORE_CHOICES = 2 };

/* What is known of them; all zero at first. */
typedef struct sweep_store_choice {
    int64_t points; /* of the loop it is known of */
    int64_t kept;   /* runs between tries */
    int64_t left;   /* of them; 0: tries go on */
    int now, best;  /* the way taken, the one kept */
    int tries[SWEEP_STORE_CHOICES];
    double least[SWEEP_STORE_CHOICES]; /* seconds per point */
    bool tried;                        /* whether this run is a try */
} sweep_store_choice;

/* The way to take when a loop of so many points runs next, and how long that took. */
int sweep_store_choice_begin(sweep_store_choice *way, int64_t points);
void sweep_store_choice_end(sweep_store_choice *way, double seconds);

/* ---- prepare.c ------------------------------------------------------------------------------- */

/* Threads, and what each needs while it runs a loop. */
typedef struct sweep_workers {
    struct sweep_thread *threads;
    int count;
    bool poison;             /* copies of what lies outside the grid start poisoned */
    arena memory;            /* of the loop that runs: empty between loops, but not given back */
    struct sweep_team *team; /* NULL before the first loop that is worth one */
} sweep_workers;

/* For at most so many threads; false when memory is out. To be freed in any case. */
bool sweep_workers_make(sweep_workers *workers, int threads);
void sweep_workers_free(sweep_workers *workers);

/* Runs one loop by its function, on at most all threads. `way`: of its large loops. */
kata_status sweep_loop_run(const chain_loop *loop, abi_function *function, sweep_store_choice *way,
                           sweep_workers *workers, messages *m);

/* Bytes of all fields, per point. */
int64_t sweep_loop_bytes(const chain_loop *loop);

#endif
