/* Chains that are made of parts of another chain's loops, and run by another executor: on ranks, a
 * rank's own points; of fields in files, those of a tile. */
#ifndef EXEC_LOCAL_H
#define EXEC_LOCAL_H

#include "chain/chain.h"

typedef struct exec_local {
    chain chain;  /* the loops that run next */
    int *numbers; /* theirs in the other chain */
    size_t numbers_room;
    arena memory; /* of their bindings */
} exec_local;

/* Sets it to no loops; `like`: the other chain. */
void exec_local_begin(exec_local *local, const chain *like);
/* Adds points of a loop. Returns its bindings, which the caller may change; then it calls
 * exec_local_bound. NULL, or false, when memory is out. */
chain_binding *exec_local_add(exec_local *local, const chain_loop *loop, int number,
                              const grid_box *box, int parted);
bool exec_local_bound(exec_local *local);
/* After its loops have run. */
void exec_local_clear(exec_local *local);
/* The number in the other chain of a loop of this one; -1 of others. */
int exec_local_number(const exec_local *local, const chain_loop *loop);
void exec_local_free(exec_local *local);

#endif
