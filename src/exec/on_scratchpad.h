/* Chains on an emulated machine: what on_scratchpad.c and scratchpad_explain.c share. */
#ifndef EXEC_ON_SCRATCHPAD_H
#define EXEC_ON_SCRATCHPAD_H

#include "exec/exec.h"

/* A kind of chain, and what the clock says of its parts. */
typedef struct scratchpad_known {
    uint64_t key;
    plan_times times;
    char (*names)[64]; /* of each part: that of its first kernel */
    int64_t runs;
} scratchpad_known;

struct exec_scratchpad {
    machine_emulated machine;
    const exec_executor *values; /* that makes the values; NULL: they go through local memories */
    scratchpad_known *known;
    size_t count, room;
    int64_t chains;
    double seconds; /* simulated */
};

#endif
