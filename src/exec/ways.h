/* Which plan runs a chain fastest: what the files that find it out share.
 *
 * A way is a request for a plan. Results are the same in all of them, so ways are tried on the
 * chain itself while it runs: cpu_alike.c knows which chains are alike, cpu_ways.c proposes ways,
 * cpu_search.c tries them and takes the fastest. */
#ifndef EXEC_WAYS_H
#define EXEC_WAYS_H

#include "exec/cpu.h"

enum {
    CPU_WAYS = 24,             /* for one kind of chain, at most */
    CPU_KNOWN_CHAINS = 16,     /* kinds */
    CPU_LOOK = HOSTILE(256, 8) /* loops that show which tiles a way has */
};

/* Tiles of a plan: their sizes (0: not cut), and how many loops run in them; 0: there are none. */
typedef struct cpu_tiles {
    int64_t size[3];
    int loops;
    uint64_t plan;        /* equal where plans of as many loops are the same; 0: not looked at */
    plan_traffic traffic; /* predicted */
} cpu_tiles;

typedef struct cpu_way {
    plan_request request;
    cpu_tiles tiles;
    bool known;   /* `least` counts; otherwise it is still to be tried */
    double least; /* seconds per loop; 0: not measured yet */
} cpu_way;

/* What is known of chains that are alike. */
typedef struct cpu_ways {
    uint64_t key;    /* 0: nothing */
    int64_t used;    /* when last */
    size_t period;   /* loops after which the chain repeats; 0: it does not */
    bool plain;      /* there is nothing to tile */
    bool windowed;   /* values are made and used up in it, which can lie in windows */
    char kernel[32]; /* its first loop's */
    char why[200];   /* there is nothing to tile */
    int64_t cache;   /* bytes of a second-level cache */
    int threads;
    cpu_way ways[CPU_WAYS]; /* in the order of their tries */
    int count;
    int way, best;       /* the one that runs, and the fastest known */
    bool trying;         /* `way` is a try */
    int runs;            /* of the present try */
    int slow;            /* runs in a row that took much longer than `best` did */
    bool learned;        /* something that wisdom does not have yet */
    bool at_once;        /* tries may cost anything */
    bool rests;          /* the search is in a pause */
    bool met;            /* it has run: its memory is there */
    int64_t loops;       /* that have run */
    double each;         /* seconds of one, the last time; 0: not known */
    double total, spent; /* seconds: of all loops; lost in tries */
    int64_t pause, left; /* loops between tries, and until the next ones */
} cpu_ways;

/* ---- cpu_alike.c: chains that are alike ------------------------------------------------------ */

/* Sets the number of loops after which a chain repeats, twice at least; 0: it does not. False when
 * memory is out. */
bool cpu_find_period(const chain *c, size_t *period);
/* The number of the loop from which on a chain repeats; loops before it run once, such as those
 * that make the first values. 0 where it repeats from its first loop on, or not at all. False when
 * memory is out. */
bool cpu_find_repeat(const chain *c, size_t *start);
/* The entry of a chain; NULL, reported, when memory is out or a function cannot be fetched. */
cpu_ways *cpu_ways_of(exec_context *context, const chain *c, const size_t *functions, messages *m);
/* Some of the loops of a chain, or of a part of one, from number `first` on. */
chain cpu_part(const chain *c, size_t first, size_t count);
/* How many of the loops that are left show which tiles a way has. */
size_t cpu_look(const cpu_ways *ways, size_t left);
/* Sets the tiles of a plan, which show as the first ones. */
void cpu_tiles_of(const cpu_work *work, const plan_request *request, cpu_tiles *out);

/* ---- cpu_ways.c: ways ------------------------------------------------------------------------ */

/* What is known of chains that have not run. */
cpu_ways cpu_ways_new(uint64_t key, size_t period, int64_t cache, int threads);
/* Whether a request that was kept may be run: its sizes are among those that are tried. */
bool cpu_ways_may_run(const cpu_ways *ways, const plan_request *request);
/* The request that shows whether there is anything to tile, or to keep in windows. */
plan_request cpu_ways_smallest(const cpu_ways *ways, bool windowed);
/* The known way that is fastest; `tiled`: of those in tiles. -1: there is none. */
int cpu_ways_fastest(const cpu_ways *ways, bool tiled);
/* The next way to try; -1: there is none, the fastest is known. */
int cpu_ways_next(cpu_ways *ways);

/* ---- cpu_search.c: tries --------------------------------------------------------------------- */

/* Begins with a way that was found to take so many seconds per loop before; `settled`: no other one
 * was faster. Ignores a way that may not be run. */
void cpu_search_remember(cpu_ways *ways, const plan_request *request, double seconds, bool settled);
/* The request of the way that runs next. */
plan_request cpu_search_begin(cpu_ways *ways);
/* Whether the tiles of that way are still to be looked at; and what was found. A way with the plan
 * of another one is not tried: then search_begin says anew what runs next. */
bool cpu_search_looks(const cpu_ways *ways);
void cpu_search_found(cpu_ways *ways, const cpu_tiles *tiles);
/* How many of the loops that are left run in this way. */
size_t cpu_search_part(const cpu_ways *ways, size_t left);
/* How long that took, and planning it. */
void cpu_search_end(cpu_ways *ways, size_t loops, double seconds, double planning);

/* ---- wisdom.c -------------------------------------------------------------------------------- */

/* The entry that is about the same; NULL: there is none. */
const wisdom_entry *wisdom_find(const wisdom *w, const wisdom_entry *like);

/* ---- cpu_wisdom.c: what other starts have found out ------------------------------------------ */

/* Begins the search for a chain with the way that was kept, if there is one. */
void cpu_wisdom_use(exec_context *context, cpu_ways *ways);
/* Keeps what was found out since the last time. */
void cpu_wisdom_save(struct exec_cpu *cpu);

#endif
