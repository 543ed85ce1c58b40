/* chain: the queue of applied kernels. Pure data.
 *
 * A queued loop names *slots* (places where values live) and *versions* (each loop that writes a
 * slot makes its next version), never handles: swapping two fields exchanges the slots of their
 * handles, and a loop queued before keeps what it named. Boundary rules, numbers and tables are
 * copied when a kernel is applied. */
#ifndef CHAIN_CHAIN_H
#define CHAIN_CHAIN_H

#include "grid/grid.h"
#include "ir/ir.h"

/* A place for the values of a field, or for a scalar. */
typedef struct chain_slot {
    grid_shape shape;
    kata_type type;
    int components;
    bool is_scalar;            /* shape of one point, one component */
    int64_t version;           /* of its value after the queued loops */
    struct store_array *array; /* where exec keeps it; NULL: not yet made, all values are equal */
    bool poisoned;             /* without an array they are NaN (0 for integers), else 0 */
    ir_value scalar;           /* the value of a scalar slot once the queued loops have run */
} chain_slot;

typedef struct chain_binding {
    chain_slot *slot; /* of fields, reductions and scalars passed as numbers; NULL otherwise */
    const char *name; /* of the field or scalar, for messages */
    grid_boundary boundary;
    int64_t version;       /* of the slot that is read (fields, scalars) */
    ir_value number;       /* of a number parameter without slot, in the parameter's type */
    const ir_value *table; /* of a table parameter, in the parameter's type */
} chain_binding;

typedef struct chain_loop {
    const ir_kernel *kernel;
    grid_shape shape; /* of the grid it runs on */
    grid_box box;
    int colors, color; /* above 1: only points at which (x + y + z) mod colors is color */
    const chain_binding *bindings; /* one per parameter of the kernel */
    const char *file;              /* where the application is written; NULL when not known */
    int line;
} chain_loop;

typedef struct chain {
    chain_loop *loops;
    size_t count, capacity;
    arena memory; /* of bindings, tables and places of queued loops; freed when the chain is emptied
                   */
} chain;

/* Queues a loop: copies the place, bindings and tables (kernel->param_count of them), fills in
 * versions and advances those of written slots. */
kata_status chain_append(chain *c, const chain_loop *loop, messages *m);
/* The number of points of a loop. */
int64_t chain_loop_points(const chain_loop *loop);
/* Forgets all loops. */
void chain_clear(chain *c);
void chain_free(chain *c);
/* chain_print.c: one line per loop: kernel, box, slots read as "u@3" and written as "v@0->1",
 * numbers and tables as "c = 0.1". */
void chain_print(text *out, const chain *c);

#endif
