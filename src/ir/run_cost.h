/* What a kernel costs at a point, and the rate that a machine allows. */
#ifndef IR_RUN_COST_H
#define IR_RUN_COST_H

#include "ir/ir.h"
#include "machine/machine.h"

/* What a kernel does at a point, in mean over many. */
typedef struct ir_run_cost {
    int64_t operations[IR_COST_OPERATION_COUNT];
    int64_t floating;     /* of floating-point numbers, an fma being two, comparisons none */
    double slots[2];      /* of units that multiply and add floats, and doubles, at least */
    double divisions[2];  /* the same: divisions and square roots */
    double read, written; /* bytes of fields, each element once */
    double allocated; /* of those written, what is not read: fetched nevertheless, unless stores go
                         past the caches */
} ir_run_cost;

/* For fields so stored (per parameter) on grids of a rank. False when memory is out. */
bool ir_find_run_cost(const ir_kernel *kernel, const kata_type *storage, int rank,
                      ir_run_cost *out);

/* Where the fields of a loop are while it runs again and again. */
typedef enum ir_cost_level { IR_COST_MEMORY, IR_COST_L3, IR_COST_L2, IR_COST_L1 } ir_cost_level;

/* Points per second that a loop does at most; 0 where nothing bounds it. */
typedef struct ir_rate_bound {
    double points;
    double memory, allocating; /* by bytes; without streaming stores */
    double arithmetic;
    bool by_memory; /* which of them it is */
    ir_cost_level level;
} ir_rate_bound;

/* `bytes`: of all fields of the loop; 0: they do not fit any cache. */
ir_rate_bound ir_find_rate_bound(const ir_run_cost *w, double bytes, const machine *m, int threads,
                                 const kata_ceilings *c);

#endif
