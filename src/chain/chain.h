/* chain: the queue of applied kernels. Pure data.
 *
 * A queued loop names *slots* (places where values live) and *versions* (each loop that writes a
 * slot makes its next version), never handles: swapping two fields exchanges the slots of their
 * handles, and a loop queued before keeps what it named. Numbers and tables are copied when a
 * kernel is applied, boundary rules once for all loops that have the same. */
#ifndef CHAIN_CHAIN_H
#define CHAIN_CHAIN_H

#include "grid/grid.h"
#include "ir/ir.h"

#include <string.h>

/* The newest values of a scalar, in its slot's type: element i of entry e is
 * values[e % room * components + i]. */
typedef struct chain_log {
    int64_t room, count; /* entries kept at most; entries made, those of queued loops included */
    ir_value *values;
} chain_log;

/* A place for the values of a field, or for a scalar. */
typedef struct chain_slot {
    grid_shape shape;  /* points along each dimension, ghosts not counted */
    bool staggered[3]; /* one point more than the grid has cells */
    int64_t
        absent_axis[3]; /* where it does not extend along a dimension: the grid's size; else 0 */
    int64_t ghosts[3];  /* points kept beyond both sides, of each dimension; 0 where it is absent */
    kata_type type;
    int components;
    bool temporary;            /* its values live until the time step ends */
    bool tracked;              /* it has values in `set` only: a temporary; what was discarded and
                                  has faces or ghosts, which rules may hide while it is written */
    grid_region set;           /* what was written since then, queued loops included */
    kata_layout layout;        /* of the array that exec makes */
    bool is_scalar;            /* shape of one point; its components are a scalar's elements */
    bool discarded;            /* after the queued loops: not read before all of it is written */
    int64_t version;           /* of its value after the queued loops */
    struct store_array *array; /* where exec keeps it; NULL: not yet made, all values are equal */
    bool poisoned;             /* without an array they are NaN (0 for integers), else 0 */
    chain_log *log;            /* of a scalar that is logged; NULL otherwise */
    int number;                /* among those of the chain that it was queued in last */
} chain_slot;

typedef struct chain_binding {
    chain_slot *slot; /* of fields, reductions and scalars passed as numbers; NULL otherwise. That
                         of a field parameter is a scalar's in loops that run once */
    const char *name; /* of the field or scalar, for messages */
    const grid_boundary *boundary; /* where there is a slot; stays while the loop is queued */
    int64_t version;               /* of the slot that is read (fields, scalars) */
    chain_log *log;  /* that takes the value the loop writes to a scalar; NULL: none */
    int64_t entry;   /* its number there */
    ir_value number; /* of a number parameter without slot, in the parameter's type */
    ir_value *table; /* of a table parameter without slot, in the parameter's type */
} chain_binding;

/* ---- slot.c: where a field has values -------------------------------------------------------- */

/* The grid that it was made for. */
grid_shape chain_slot_grid(const chain_slot *slot);
grid_axis chain_slot_axis(const chain_slot *slot, int dimension);
/* All indices at which values are kept, with ghosts. */
grid_box chain_slot_memory(const chain_slot *slot);
/* The points of a field: with periodic sides, face n of a staggered one is its face 0. */
grid_box chain_slot_points(const chain_slot *slot, const grid_boundary *boundary);
/* The same with the ghosts at sides without a rule: the indices at which it is read and written
 * as they are. */
grid_box chain_slot_inside(const chain_slot *slot, const grid_boundary *boundary);
grid_box chain_binding_inside(const chain_binding *binding);
/* Enters indices that were written of a tracked field, which ends where it has all of them; false
 * when memory is out. */
bool chain_slot_note(chain_slot *slot, const grid_box *written);
/* Whether fields have values at the same indices. */
static inline bool chain_slot_same_points(const chain_slot *a, const chain_slot *b)
{
    return grid_shape_equal(&a->shape, &b->shape) && !memcmp(a->ghosts, b->ghosts, sizeof a->ghosts) &&
           !memcmp(a->staggered, b->staggered, sizeof a->staggered) &&
           !memcmp(a->absent_axis, b->absent_axis, sizeof a->absent_axis);
}

/* ---- chain.c --------------------------------------------------------------------------------- */

typedef struct chain_loop {
    const ir_kernel *kernel;
    grid_shape shape; /* of the grid it runs on */
    grid_box box;
    int colors, color; /* above 1: only points at which (x + y + z) mod colors is color */
    bool once;         /* on no grid, but for scalars: shape and box are one point */
    const chain_binding *bindings; /* one per parameter of the kernel */
    const char *file; /* where the application is written; NULL when not known; stays while the
                         loop is queued */
    int line;
    uint64_t hash; /* of all that a plan depends on: not of places, names, and most numbers */
} chain_loop;

typedef struct chain {
    chain_loop *loops;
    size_t count, capacity;
    size_t step;        /* the first loop of the present time step */
    chain_slot **slots; /* that loops touch, in the order in which they were first; `number` is the
                           place of each here */
    size_t slot_count, slot_room;
    arena memory;    /* of all that queued loops point to; freed when it is emptied */
    int64_t emptied; /* how often that was */
    char *room; /* of `memory`: for the bindings of loops to come; all zero behind `reserved` */
    size_t room_bytes, reserved; /* bytes there; those given out for the next loop */
} chain;

/* Hash of all that a plan depends on but for which fields are the same in several loops: what
 * chain_append finds out where the loop that it is given has the hash 0. */
uint64_t chain_loop_hash(const chain_loop *loop);
/* Memory for the loop that is queued next, for its bindings and for the values of its tables, which
 * then need not be copied. The bindings are all zero but for `table` of the table parameters. NULL
 * when memory is out. */
chain_binding *chain_reserve(chain *c, const ir_kernel *kernel);
/* The place of the next loop, after chain_reserve; holds anything. */
static inline chain_loop *chain_next(const chain *c) { return &c->loops[c->count]; }
/* Copies for loops, which may share them, of rules and of file names: valid until the chain is
 * emptied. NULL when memory is out. */
const grid_boundary *chain_keep_boundary(chain *c, const grid_boundary *boundary);
const char *chain_keep_text(chain *c, const char *text);
/* Queues a loop: copies the bindings and tables (kernel->param_count of them), fills in
 * versions and log entries, and advances those of written slots. */
kata_status chain_append(chain *c, const chain_loop *loop, messages *m);
/* The number of points of a loop. */
int64_t chain_loop_points(const chain_loop *loop);
/* Ends a time step; returns the number of loops that it has. */
size_t chain_end_step(chain *c);
/* Forgets all loops. */
void chain_clear(chain *c);
void chain_free(chain *c);

/* ---- node_value.c ---------------------------------------------------------------------------- */

/* Finds the value in a loop of a node INDEX (of a point; NULL: it is not known), SIZE, STORED, or
 * NUMBER if it is no scalar. False of scalars, LOAD, and operations. `operand`: see
 * ir_find_value. */
bool chain_node_value(const chain_loop *loop, const int64_t *point, const ir_node *n,
                      ir_value operand, ir_value *value);

/* chain_print.c: one line per loop: kernel, box, slots read as "u@3" and written as "v@0->1",
 * numbers and tables as "c = 0.1". */
void chain_print(text *out, const chain *c);

#endif
