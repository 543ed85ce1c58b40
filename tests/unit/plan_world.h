/* Random chains for tests of plans: a world is a grid with fields and scalars, often a finer grid
 * with fields of its own, and a queue of kernels applied to them. */
#ifndef PLAN_WORLD_H
#define PLAN_WORLD_H

#include "exec/exec.h"
#include "lang/lang.h"
#include "oracle/oracle.h"
#include "store/store.h"

enum {
    WORLD_FIELDS = 7,
    WORLD_SCALARS = 3,
    WORLD_FINE = 3,
    WORLD_SLOTS = WORLD_FIELDS + WORLD_SCALARS + WORLD_FINE,
    WORLD_LOOPS = 60,
    WORLD_LOG = 4
};

typedef struct world_field {
    char name[16];
    chain_slot *slot;
    grid_boundary boundary;
} world_field;

typedef struct world {
    uint64_t state; /* of its random numbers */
    int rank;
    grid_shape shape;
    int ratio[3];    /* of the finer grid */
    bool has_ratios; /* there is a finer grid */
    bool cycles;     /* most loops run on it, or transfer values from or to it */
    grid_shape fine_shape;
    chain_slot slots[WORLD_SLOTS];
    store_array *first[WORLD_SLOTS]; /* values at first, to run it again */
    chain_log logs[WORLD_SCALARS];
    world_field fields[WORLD_FIELDS], scalars[WORLD_SCALARS], fine[WORLD_FINE];
    int field_count;
    bool steady; /* mostly time steps that pass values to and fro */
    chain chain;
    lang_module *module;
    bool shares_module, checks;
    plan_request below[PLAN_MOST_METHODS - 1]; /* of its latest request */
    messages m;
} world;

uint64_t world_random(world *w);
/* From low to high, both included. */
int64_t world_from(world *w, int64_t low, int64_t high);
bool world_chance(world *w, int percent);
/* What worlds are made of beside their seed. */
typedef struct world_kind {
    int most_loops;
    uint64_t kernels; /* the seed of the kernels, which stay until world_free_kernels; 0: a world
                         has its own */
    bool checks;      /* some kernels may stop the chain */
    bool long_rows;   /* of more than one brick */
    bool large;       /* worth several threads */
    bool planes;      /* many along the last dimension, of two or three */
} world_kind;

/* The world of a seed. */
void world_make(world *w, uint64_t seed, const world_kind *kind);
/* The kernels of a seed, which stay until world_free_kernels; 0: kernels of its own. */
lang_module *world_kernels(world *w, uint64_t seed);
void world_free_kernels(void);
/* Queues a copy of some points; nothing when that is not legal. */
void world_try_copy(world *w);
/* Puts the values back that were there at first. */
void world_reset(world *w);
/* All values that last, one after another, malloc'd. */
uint64_t *world_values(const world *w, size_t *count);
void world_free(world *w);

/* A request for a plan of some methods and sizes. */
plan_request world_request(world *w);
void world_say_request(uint64_t seed, const plan_request *r);

#endif
