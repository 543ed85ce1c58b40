/* What a kernel costs at a point, and the rate that a machine allows. */
#ifndef IR_RUN_COST_H
#define IR_RUN_COST_H

#include "ir/ir.h"
#include "machine/machine.h"

/* The work of a kernel at a point, as a mean over many points. */
typedef struct ir_run_cost {
    int64_t operations[IR_COST_OPERATION_COUNT];
    int64_t floating;     /* floating-point operations; an fma counts two, a comparison none */
    double slots[2];      /* of units that multiply and add: of floats, of doubles; at least */
    double divisions[2];  /* divisions and square roots: of floats, of doubles */
    double read, written; /* bytes of fields, each element once */
    double allocated;     /* bytes written and not read: fetched all the same, unless stores are
                             streaming */
} ir_run_cost;

/* `storage`: of the fields, per parameter. `rank`: of their grids. False when memory is out. */
bool ir_find_run_cost(const ir_kernel *kernel, const kata_type *storage, int rank,
                      ir_run_cost *out);

/* The level of memory that holds the fields of a loop while it runs again and again. */
typedef enum ir_cost_level { IR_COST_MEMORY, IR_COST_L3, IR_COST_L2, IR_COST_L1 } ir_cost_level;

/* The innermost level that holds so many bytes, for all threads; memory where they are 0. */
ir_cost_level ir_find_cost_level(double bytes, const machine *m, int threads);
/* Its name: "memory", "L3 cache". */
const char *ir_cost_level_name(ir_cost_level level);

/* An upper bound of the points per second of a loop; 0: there is none. */
typedef struct ir_rate_bound {
    double points;
    double memory, allocating; /* by bytes, with streaming stores and without */
    double arithmetic;
    bool by_memory; /* whether `points` is `memory`; otherwise `arithmetic` */
    ir_cost_level level;
} ir_rate_bound;

/* `bytes`: of all fields of the loop; 0: they do not fit any cache. */
ir_rate_bound ir_find_rate_bound(const ir_run_cost *w, double bytes, const machine *m, int threads,
                                 const kata_ceilings *c);

#endif
