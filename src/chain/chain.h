/* chain: the queue of applied kernels. Pure data.
 *
 * A queued loop names *slots*, which hold values, and *versions*: each loop that writes a slot
 * makes its next version. It never names handles. Swapping two fields exchanges the slots of their
 * handles; loops queued before are not affected. Numbers and tables are copied when a kernel is
 * applied. Boundary rules are copied once for all loops with the same rules. */
#ifndef CHAIN_CHAIN_H
#define CHAIN_CHAIN_H

#include "grid/grid.h"
#include "ir/ir.h"

#include <string.h>

/* The newest values of a scalar, in its slot's type: element i of entry e is
 * values[e % room * components + i]. */
typedef struct chain_log {
    int64_t room, count; /* most entries; entries made so far, also by queued loops */
    ir_value *values;
} chain_log;

/* Where the values of a field are stored, or a scalar. */
/* Where an executor wants the array of a field. Nowhere: no loop finds its values there. */
typedef enum chain_home {
    CHAIN_ANYWHERE,
    CHAIN_IN_MEMORY,
    CHAIN_IN_FILE,
    CHAIN_NOWHERE
} chain_home;

typedef struct chain_slot {
    grid_shape shape;  /* points along each dimension, ghosts not counted */
    bool staggered[3]; /* one point more than the grid has cells */
    int64_t
        absent_axis[3]; /* the grid's size along dimensions that it does not extend along, else 0 */
    int64_t ghosts[3]; /* points stored beyond both sides of each dimension; 0 where it is absent */
    kata_type type;
    int components;
    kata_location on, each;    /* of an icosahedral grid or a mesh: as in ir_param */
    const grid_mesh *mesh;     /* NULL: of a grid */
    bool temporary;            /* its values live until the time step ends */
    bool tracked;              /* it has values in `set` only: a temporary; or a discarded field
                                  with faces or ghosts, which rules may hide while it is written */
    grid_region set;           /* indices written since then, also by queued loops */
    kata_layout layout;        /* of the array that exec makes */
    bool is_scalar;            /* shape of one point; its components are a scalar's elements */
    bool discarded;            /* after the queued loops; not read before all of it is written */
    bool exchanged;            /* fields have exchanged it: later ones know it by other names */
    int64_t version;           /* of its value after the queued loops */
    struct store_array *array; /* its memory; NULL: not yet made, all values are equal */
    struct store_part *part;   /* on several ranks, of a field whose values are dealt out to them;
                                  NULL: `array` has them all */
    struct store_device *on_device; /* its copy on a device; NULL: none */
    struct store_pool *pool;        /* where the array gets its memory; NULL: from the system */
    bool far;                       /* its array is in a file, and is better moved by planes; or
                                       there is none but planes, while loops use them */
    chain_home home;                /* where the array is made that it lacks */
    bool poisoned;                  /* without an array they are NaN (0 for integers), else 0 */
    chain_log *log;                 /* of a scalar that is logged; NULL otherwise */
    int number;                     /* in the chain that it was queued in last */
} chain_slot;

typedef struct chain_binding {
    chain_slot *slot; /* of fields, reductions and scalars passed as numbers; NULL otherwise. In
                         loops that run once, a field parameter has a scalar's slot */
    const char *name; /* of the field or scalar, for messages */
    const grid_boundary *boundary; /* if there is a slot; valid while the loop is queued */
    int64_t version;               /* the version read (fields, scalars) */
    chain_log *log;  /* takes the value that the loop writes to a scalar; NULL: none */
    int64_t entry;   /* its number there */
    ir_value number; /* of a number parameter without slot, in the parameter's type */
    ir_value *table; /* of a table parameter without slot, in the parameter's type */
} chain_binding;

/* ---- slot.c: the indices at which a field has values ------------------------------------------
 */

/* The grid that it was made for. */
grid_shape chain_slot_grid(const chain_slot *slot);
grid_axis chain_slot_axis(const chain_slot *slot, int dimension);
/* All indices at which values are stored, with ghosts. */
grid_box chain_slot_memory(const chain_slot *slot);
/* The points of a field: with periodic sides, face n of a staggered one is its face 0. */
grid_box chain_slot_points(const chain_slot *slot, const grid_boundary *boundary);
/* The same with the ghosts at sides without a rule: the indices that are read and written as they
 * are. */
grid_box chain_slot_inside(const chain_slot *slot, const grid_boundary *boundary);
grid_box chain_binding_inside(const chain_binding *binding);
/* Notes the indices at which a tracked field was written; once it has all of them it is no longer
 * tracked. False when memory is out. */
bool chain_slot_note(chain_slot *slot, const grid_box *written);
/* Whether fields have values at the same indices. */
static inline bool chain_slot_same_points(const chain_slot *a, const chain_slot *b)
{
    return grid_shape_equal(&a->shape, &b->shape) && grid_same_triple(a->ghosts, b->ghosts) &&
           grid_same_triple(a->absent_axis, b->absent_axis) &&
           !memcmp(a->staggered, b->staggered, sizeof a->staggered);
}
/* And elements of the same kind. */
static inline bool chain_slot_alike(const chain_slot *a, const chain_slot *b)
{
    return chain_slot_same_points(a, b) && a->type == b->type && a->components == b->components;
}

/* ---- index_map.c: copies between fields ------------------------------------------------------ */

/* Where a copy reads: at point p of the field that it writes, it takes the value at the index i of
 * another field, i[d] = sign[d]*p[axis[d]] + shift[d]. The axes are a permutation, signs are 1 or
 * -1. */
typedef struct chain_copy {
    int64_t axis[3], sign[3], shift[3];
} chain_copy;
/* The parameters of a copy's kernel. */
enum { CHAIN_COPY_FROM, CHAIN_COPY_TO };

int64_t chain_copy_index(const chain_copy *copy, int dimension, const int64_t point[3]);
/* Whether indices of a dimension lie where points do, but for the shift. */
bool chain_copy_is_straight(const chain_copy *copy, int dimension);
/* The indices that a box of points reads. */
grid_box chain_copy_source(const chain_copy *copy, const grid_box *points);

/* ---- loops over points between those of a grid ------------------------------------------------
 */

/* Of such a loop, whose kernel is built in: its box is that of all targets, of which it touches
 * these alone. It adds to a field, its first parameter, at each target t of point p, in ascending
 * order of points, weight * scale[t] * values[p]; or it sets the elements of a scalar, its last
 * parameter, to sums over the targets of point p, by ascending z, y and x, of weight * scale[t] *
 * field[t]. Without a scale, its second parameter, that is left out. All is computed in double,
 * from the left, and the field rounded after each addition. */
typedef struct chain_sparse {
    const grid_sparse *points; /* valid until the context closes */
    int component;             /* of the field */
    bool scaled;
    const double *values; /* that are added; NULL: those of the last parameter, a scalar */
    double *products;     /* of a loop that sums, by slots; of those that no rank has made yet, the
                             bits are CHAIN_NO_PRODUCT */
} chain_sparse;
enum { CHAIN_SPARSE_FIELD, CHAIN_SPARSE_SCALE };
/* A NaN that no operation makes. */
#define CHAIN_NO_PRODUCT UINT64_C(0x7ff00000dead0001)

/* ---- loops at once: one loop in the place of some ---------------------------------------------
 */

/* Loops of one kernel on the same points that follow one another, each of which reads what the one
 * before has written: the fields of two parameters take turns. The one loop has the kernel, points
 * and bindings of the first of them; it reads as far along z as all of them together, and writes
 * what the last one does. What the others write is not stored. */
typedef struct chain_at_once {
    const struct chain_loop *loops; /* valid as long as the one loop */
    int count;                      /* odd */
    int from, to;                   /* the parameters that are read and written in turns */
    bool inside;  /* what lies outside of the points is not looked at: all dimensions wrap */
    grid_box all; /* their points; where z wraps, no plane is outside */
} chain_at_once;

/* ---- chain.c --------------------------------------------------------------------------------- */

typedef struct chain_loop {
    const ir_kernel *kernel;
    grid_shape shape;      /* of the grid it runs on */
    const grid_mesh *mesh; /* or a mesh: along x are the elements that the kernel computes */
    grid_box box;
    bool icosahedral;  /* the grid has cells, edges and vertices */
    bool once;         /* on no grid, but for scalars: shape and box are one point */
    int parted;        /* bit d: other ranks run points that lie elsewhere along dimension d, and
                          its reductions are over the points of all ranks */
    int colors, color; /* above 1: only points at which (x + y + z) mod colors is color */
    const chain_copy *copy; /* of a copy, whose kernel is built in; NULL: of an ordinary loop. Valid
                               while the loop is queued */
    const chain_sparse
        *sparse; /* likewise, of one over points between those of its grid; or NULL */
    const chain_at_once *at_once;  /* it stands for some loops; or NULL */
    const chain_binding *bindings; /* one per parameter of the kernel */
    const char *file; /* location of the application; NULL: not known; valid while the loop is
                         queued */
    int line;
    int64_t number, steps; /* of the loops that were ever queued in its chain, from 1; time steps
                              that had ended then */
    uint64_t hash; /* of all that a plan depends on: not of locations, names and most numbers */
} chain_loop;

typedef struct chain {
    chain_loop *loops;
    size_t count, capacity;
    size_t step;        /* the first loop of the present time step */
    size_t after;       /* of a part of a chain: loops behind its own that are looked at, too */
    bool goes_on;       /* and there are more behind these */
    uint64_t alike;     /* of parts of other chains: equal where loops differ in the places of their
                           boxes alone; otherwise 0 */
    chain_slot **slots; /* that loops touch, in the order of first touch; slots[i]->number is i */
    size_t slot_count, slot_room;
    arena memory;          /* of all that queued loops point to; freed when the chain is emptied */
    int64_t emptied;       /* how often it was emptied */
    int64_t queued, steps; /* loops that were ever queued; time steps that ended */
    char *room; /* in `memory`, for the bindings of loops to come; all zero behind `reserved` */
    size_t room_bytes, reserved; /* its bytes; bytes given out for the next loop */
} chain;

/* Hash of all that a plan depends on, except which fields are the same in several loops.
 * chain_append computes it if the loop that it is given has the hash 0. */
uint64_t chain_loop_hash(const chain_loop *loop);
/* A hash, and which slots of its chain a loop has: with theirs, loops have `hash`. */
uint64_t chain_loop_hash_slots(const chain_loop *loop, uint64_t hash);
/* Memory for the next loop's bindings and for the values of its tables, which then need not be
 * copied. The bindings are zero, except `table` of table parameters. NULL when memory is out. */
chain_binding *chain_reserve(chain *c, const ir_kernel *kernel);
/* The next loop, after chain_reserve, not yet set. */
static inline chain_loop *chain_next(const chain *c) { return &c->loops[c->count]; }
/* Copies of rules, file names and maps, which loops may share; valid until the chain is emptied.
 * NULL when memory is out. */
const grid_boundary *chain_keep_boundary(chain *c, const grid_boundary *boundary);
const char *chain_keep_text(chain *c, const char *text);
const chain_copy *chain_keep_copy(chain *c, const chain_copy *copy);
/* Queues a loop: copies its bindings (kernel->param_count of them) and tables, fills in versions
 * and log entries, and advances them for written slots. */
kata_status chain_append(chain *c, const chain_loop *loop, messages *m);
/* The number of points of a loop; of one over points between those of its grid, of its targets. */
int64_t chain_loop_points(const chain_loop *loop);
/* Ends a time step; returns the number of loops that it has. */
size_t chain_end_step(chain *c);
/* Forgets all loops. */
void chain_clear(chain *c);
void chain_free(chain *c);

/* ---- node_value.c ---------------------------------------------------------------------------- */

/* The number of the element that an ELEMENT finds by an operand: the nearest that there is. */
int64_t chain_element_number(const ir_node *n, ir_value operand);
/* Finds the value in a loop of a node INDEX (of a point; NULL: it is not known), SIZE, STORED, or
 * NUMBER or ELEMENT if it is no scalar. False of scalars, LOAD, and operations. `operand`: see
 * ir_find_value. */
bool chain_node_value(const chain_loop *loop, const int64_t *point, const ir_node *n,
                      ir_value operand, ir_value *value);

/* chain_print.c: one line per loop: kernel, box, slots read as "u@3" and written as "v@0->1",
 * numbers and tables as "c = 0.1". */
void chain_print(text *out, const chain *c);

#endif
