/* How the cpu executor finds the fastest way to run a chain: cpu_alike.c knows which chains are
 * alike, cpu_wisdom.c what other starts have found out. The search itself is in tune. */
#ifndef EXEC_ALIKE_H
#define EXEC_ALIKE_H

#include "exec/cpu.h"

enum {
    CPU_KNOWN_CHAINS = 16,            /* kinds */
    CPU_LOOK = HOSTILE(128, 8),       /* loops that show which tiles a way has */
    CPU_LOOK_WINDOWS = HOSTILE(32, 8) /* the same for windows, whose planning takes longer */
};

/* ---- cpu_alike.c: chains that are alike ------------------------------------------------------ */

/* Sets the number of loops after which a chain repeats, twice at least; 0: it does not. False when
 * memory is out. */
bool cpu_find_period(const chain *c, size_t *period);
/* The number of the loop from which on a chain repeats; loops before it run once, such as those
 * that make the first values. 0 where it repeats from its first loop on, or not at all. False when
 * memory is out. */
bool cpu_find_repeat(const chain *c, size_t *start);
/* The entry of a chain; NULL, reported, when memory is out or a function cannot be fetched. */
tune_ways *cpu_ways_of(exec_context *context, const chain *c, const size_t *functions, messages *m);
/* Some of the loops of a chain, or of a part of one, from number `first` on. */
chain cpu_part(const chain *c, size_t first, size_t count);
/* How many of the loops that are left show which tiles a request has. */
size_t cpu_look(const tune_ways *ways, const plan_request *request, size_t left);
/* Sets the tiles of a plan, which show as the first ones. */
void cpu_tiles_of(const cpu_work *work, const plan_request *request, tune_tiles *out);

/* ---- cpu_wisdom.c: what other starts have found out ------------------------------------------ */

/* Begins the search for a chain with the way that was kept, if there is one. */
void cpu_wisdom_use(exec_context *context, tune_ways *ways);
/* Keeps what was found out since the last time. */
void cpu_wisdom_save(struct exec_cpu *cpu);

#endif
