/* A kernel: its parameters, its tree, and what lowering makes of it. */
#ifndef IR_KERNEL_H
#define IR_KERNEL_H

#include "ir/graph.h"
#include "ir/param.h"
#include "ir/tree.h"

/* A result of the kernel at a point. */
typedef struct ir_store {
    int param, component; /* of a reduction: the element */
    int32_t offset[3];    /* from the point to the point written */
    ir_id value;          /* of the parameter's type, not yet rounded to storage */
    ir_id condition;      /* bool; where it is false the old value stays; 0: always written */
    uint32_t at;
} ir_store;

/* What a point gives a WHERE parameter: what it contributes to the minimum or maximum that this is
 * of. Or what a point adds to one element of a sum of integers. If an element of a sum has an index
 * known only at run time anywhere in a kernel, all that the kernel adds to that sum is of this
 * kind, and nothing is a store: the elements are called bins. Integers wrap, so the order does not
 * matter. */
typedef struct ir_addition {
    int param;
    ir_id index; /* an integer, inside the array wherever the checks pass and the condition holds */
    ir_id value, condition; /* 0: always */
    uint32_t at;
} ir_addition;

typedef enum ir_check_kind {
    IR_CHECK_ASSERT,
    IR_CHECK_INDEX, /* an index known only at run time is inside its table, array or grid */
    IR_CHECK_FINITE /* what is written is finite, or is made of a value of a field that is not */
} ir_check_kind;

/* A value that a check shows where it fails. */
typedef struct ir_shown {
    const char *label; /* "u[1,0]", "c" */
    ir_id value;
    ir_id condition; /* bool; where it is false the value is not computed */
} ir_shown;

/* What must hold at each point of a loop. A point fails at its first check that does not hold. */
typedef struct ir_check {
    ir_check_kind kind;
    ir_id passes; /* bool, true also where the check is not reached */
    uint32_t at;
    const char *name; /* INDEX: the table, array or field; ASSERT: its text or NULL; FINITE: what is
                         written, such as "u[1]" */
    ir_id index;      /* INDEX: must be 0 to length - 1 */
    ir_id value;      /* FINITE: as it is stored */
    int store;        /* FINITE: the result of the kernel that it is of */
    int length;       /* 0: the size of the grid along `dimension` */
    int dimension;
    ir_shown *shown; /* ASSERT: what its condition reads, in the order of evaluation; FINITE: what
                        the value is made of, in the order of labels */
    int shown_count;
} ir_check;

/* One read of a field. */
typedef struct ir_access {
    int param, component;
    int32_t offset[3];
    uint32_t at;
} ir_access;

/* One read of a field at an index that is known only at run time along a dimension, where it is
 * inside the grid; at an offset along the others, where reads must stay inside. Only fields that
 * the kernel does not write are read so. */
typedef struct ir_level_read {
    int param, component, dimension;
    int32_t offset[3]; /* 0 along the dimension */
    bool inside;       /* the index is known to be inside: a neighbour's in a mesh */
    uint32_t at;
    ir_id index; /* the node that finds it */
} ir_level_read;

/* The order in which the points of a loop run: any, or level by level. A level has one index along
 * each dimension that has a direction. Levels run as a nest of loops over these dimensions does: z
 * is the outermost, x the innermost. */
typedef enum ir_direction { IR_UNORDERED, IR_FORWARD, IR_BACKWARD } ir_direction;

/* A boundary between two levels: before level base + shift, where base is 0, the size of the
 * ordered dimension, or the value of an int parameter. */
typedef enum ir_bound_base { IR_BOUND_ZERO, IR_BOUND_SIZE, IR_BOUND_PARAM } ir_bound_base;
typedef struct ir_bound {
    ir_bound_base base;
    int param; /* PARAM; otherwise 0 */
    int32_t shift;
} ir_bound;

/* Levels lo <= level < hi, for which the kernel has a body of its own. */
typedef struct ir_interval {
    ir_bound lo, hi;
    uint32_t at;
} ir_interval;

enum {
    IR_DECIDING_LAST = 63,
    IR_MAX_OFFSET = 1024,
    IR_MAX_RATIO = 16,
    IR_MAX_OUTPUTS = 16384, /* components times children of a written field */
    IR_MAX_LENGTH = 1024,   /* components of a field, elements of an array or a scalar array */
    IR_MAX_TABLE = 65536,   /* elements of a table, and of all table parameters of a kernel */
    IR_MAX_BINS = 4096,     /* elements of a sum of integers */
    IR_MAX_DEPTH = 500,     /* nested expressions, statements and calls */
    IR_MAX_INTERVALS = 64,
    IR_MAX_COMPILE_COST = 20000,                   /* see compile_cost.c */
    IR_MAX_WATCHED_COST = 6 * IR_MAX_COMPILE_COST, /* of kernels that are watched, with the checks
                                                    */
    IR_MAX_LOOPS = 64,                             /* that are not unrolled */
    IR_MAX_ROUNDS = 1 << 20, /* of a point in loops that are not unrolled, one in another */
    IR_MAX_WORK = 16000000,  /* statements and expressions of a point in these */
    IR_MAX_STEPS = 2000000   /* statements and expressions visited by unrolling */
};

typedef struct ir_kernel {
    const char *name;
    const source *text;
    uint32_t at; /* location of the name */
    int param_count, local_count, table_count;
    int hidden_count;   /* of the parameters, behind the others */
    int table_elements; /* of all its table parameters */
    int real_param;     /* of a kernel that uses `real`: the first field parameter of that type */
    ir_param *params;
    const ir_local *locals;
    const ir_table *tables;
    ir_direction order[3];        /* along each dimension */
    ir_direction direction;       /* along the outermost dimension that has one */
    int ordered;                  /* that dimension; 0 when there is no order */
    const ir_interval *intervals; /* in the order of the text; the tree has them as branches */
    int interval_count;
    uint32_t direction_at;
    kata_location on; /* what it computes of an icosahedral grid, in parts of its body, one for each
                         colour; or KATA_NOWHERE */
    uint32_t on_at;
    bool of_mesh;  /* its neighbours are those of a mesh, in hidden parameters */
    int axis[3];   /* then the dimensions along which x, y and z of its text lie */
    bool anywhere; /* it takes fields of all locations: one of the library's own */
    ir_stmt *body;
    bool watched; /* all floating values that it writes are checked: see finite.c */
    /* set by ir_lower */
    ir_graph graph;   /* only nodes that results need, in order */
    ir_store *stores; /* by parameter, component, and child of a finer field */
    int store_count;
    ir_addition *additions;
    int addition_count;
    ir_check *checks; /* in the order in which a point meets them */
    int check_count;
    ir_id valid;         /* bool: all checks pass; 0 when there are none */
    ir_access *accesses; /* each LOAD node once: by parameter, component, z, y, x */
    int access_count;
    ir_level_read *level_reads; /* each LEVEL node once */
    int level_read_count;
    int loop_count;   /* loops that are not unrolled */
    int rank;         /* of the grids it can be applied to: the number of offsets written in each
                         [dx,dy]; 0 when there is none */
    uint32_t rank_at; /* where the text shows it */
    bool guarded;     /* the index of the point is used: the points that read or write may depend on
                         it, and on numbers */
    uint64_t
        deciding;  /* bit p: such a number is parameter p; IR_DECIDING_LAST: that or a later one */
    bool switched; /* some condition depends on numbers and on nothing of a point: they decide which
                      reads there are */
    char hash[33]; /* of the graph's text: kernels with equal hashes compute the same */
} ir_kernel;

/* Whether a number may decide at which points a kernel reads or writes. */
bool ir_number_decides(const ir_kernel *kernel, int param);
/* Whether a parameter is a sum with bins. */
bool ir_has_bins(const ir_kernel *kernel, int param);
/* Whether the rank of a kernel that has one shows in a ratio, not in an offset. */
bool ir_rank_is_of_ratio(const ir_kernel *kernel);

/* ---- bound.c --------------------------------------------------------------------------------- */

/* Whether a lies below b in grids of every size (of at least one level), as far as that is known:
 * a parameter is compared with itself only. */
bool ir_bound_is_below(const ir_bound *a, const ir_bound *b);
bool ir_bound_is_equal(const ir_bound *a, const ir_bound *b);
/* "[1, nz-1)", "[0, k+2)" */
void ir_interval_print(text *out, const ir_kernel *kernel, const ir_interval *interval);
/* Whether two intervals are known to share a level where the grid has enough of them. */
bool ir_intervals_overlap(const ir_interval *a, const ir_interval *b);
/* A walk along the levels, upwards from `from` (zero at first), interval by interval. It ends at
 * the last level, or stops at levels that are in no interval (from there it can go on), or where it
 * is not known which level comes next. */
typedef enum ir_walked { IR_WALK_END, IR_WALK_GAP, IR_WALK_LOST } ir_walked;
typedef struct ir_walk {
    ir_bound from;
    int *order;      /* room for the numbers of all intervals: receives those passed; or NULL */
    int count;       /* of intervals passed */
    uint64_t passed; /* a bit per interval that lies below `from` */
    ir_interval gap;
} ir_walk;
ir_walked ir_walk_intervals(const ir_interval *intervals, int count, ir_walk *walk);

/* ---- direction.c ----------------------------------------------------------------------------- */

/* Sets the direction along each dimension. */
void ir_set_order(ir_kernel *kernel, const ir_direction order[3]);
/* Whether levels have an index along more than one dimension. */
bool ir_orders_several(const ir_kernel *kernel);
/* When the level that an offset reaches runs: -1 before this one, 1 later, 0 with it (or there is
 * no order). */
int ir_level_after(const ir_kernel *kernel, const int32_t offset[3]);
/* "x", "x and y", "x, y and z": the dimensions that have a direction. */
void ir_print_ordered(text *out, const ir_kernel *kernel);
/* "forward(x, y)": the kernel's order, and forward along all other dimensions of an offset. */
void ir_print_order_with(text *out, const ir_kernel *kernel, const int32_t offset[3]);

#endif
