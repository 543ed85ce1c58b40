/* ir: what a kernel computes, in two forms.
 *
 * The *tree* is the kernel as written: typed expressions and statements with loops, branches and
 * local variables. The front end builds it; the reference executor runs it as it stands.
 *
 * The *graph* is the kernel as computed: loops unrolled, branches turned into selects, variables
 * gone; hash-consed nodes in which equal computations are one. Everything that is fast is made from
 * it. ir_lower turns the first into the second.
 *
 * Values. Every operation is defined for every operand: integers wrap, x/0 and x%0 are 0, shift
 * counts are taken modulo the width, floating point to integer saturates and takes NaN to 0.
 * docs/language.md has the table. arithmetic.h and elementary.h define each operation once. */
#ifndef IR_IR_H
#define IR_IR_H

#include "base/base.h"

/* ---- type.c: types and operations ------------------------------------------------------------ */

/*      name    text     C type     bytes */
#define IR_TYPES(X)                                                                                \
    X(BOOL, "bool", "int", 4)                                                                      \
    X(I32, "int", "int32_t", 4)                                                                    \
    X(I64, "long", "int64_t", 8)                                                                   \
    X(F32, "float", "float", 4)                                                                    \
    X(F64, "double", "double", 8)                                                                  \
    X(U8, "uchar", "uint8_t", 1)

typedef enum ir_type {
#define X(name, ...) IR_##name,
    IR_TYPES(X)
#undef X
        IR_TYPE_COUNT
} ir_type;

/* How a function is computed: by few instructions; by code in elementary.h, little of it or enough
 * to weigh; by code in elementary_trig.h. */
typedef enum ir_function {
    IR_FUNCTION_NONE,
    IR_FUNCTION_INSTRUCTION,
    IR_FUNCTION_ROUNDING,
    IR_FUNCTION_ELEMENTARY,
    IR_FUNCTION_TRIGONOMETRIC
} ir_function;

/* Operations. `kinds`: the operand types allowed, of b(ool), u(char), i(nteger), l(ong),
 * f(loating). All operands have one type, which is also the result's; exceptions: comparisons give
 * bool, SELECT takes a bool first, CONVERT takes any type. What has another function
 * than NONE is called by `name` in kernels, also with an f at the end. min(a,b) is a < b ? a : b,
 * max(a,b) is b < a ? a : b. name      text        operands kinds  function */
#define IR_OPS(X)                                                                                  \
    X(CONST, "const", 0, "buif", NONE)                                                             \
    X(NUMBER, "number", 0, "buif", NONE) /* a uniform parameter: param, element */                 \
    X(INDEX, "index", 0, "i", NONE)      /* ix, iy, iz: I64 */                                     \
    X(SIZE, "size", 0, "i", NONE)        /* nx, ny, nz: I64 */                                     \
    X(LOAD, "load", 0, "buif", NONE)     /* a field: param, component, offset */                   \
    X(NEG, "neg", 1, "if", NONE)                                                                   \
    X(NOT, "not", 1, "bi", NONE)                                                                   \
    X(CONVERT, "convert", 1, "buif", NONE)                                                         \
    X(STORED, "stored", 1, "buif", NONE) /* rounded to the storage type of a field: param */       \
    X(ADD, "add", 2, "if", NONE)                                                                   \
    X(SUB, "sub", 2, "if", NONE)                                                                   \
    X(MUL, "mul", 2, "if", NONE)                                                                   \
    X(DIV, "div", 2, "if", NONE)                                                                   \
    X(REM, "rem", 2, "i", NONE)                                                                    \
    X(AND, "and", 2, "bi", NONE)                                                                   \
    X(OR, "or", 2, "bi", NONE)                                                                     \
    X(XOR, "xor", 2, "bi", NONE)                                                                   \
    X(SHL, "shl", 2, "i", NONE)                                                                    \
    X(SHR, "shr", 2, "i", NONE)                                                                    \
    X(EQ, "eq", 2, "bif", NONE)                                                                    \
    X(NE, "ne", 2, "bif", NONE)                                                                    \
    X(LT, "lt", 2, "if", NONE)                                                                     \
    X(LE, "le", 2, "if", NONE)                                                                     \
    X(SELECT, "select", 3, "buif", NONE)                                                           \
    X(LEAST, "least", 2, "if", NONE) /* smaller and greater in the total order of reductions */    \
    X(GREATEST, "greatest", 2, "if", NONE)                                                         \
    X(MIN, "min", 2, "if", INSTRUCTION)                                                            \
    X(MAX, "max", 2, "if", INSTRUCTION)                                                            \
    X(ABS, "abs", 1, "if", INSTRUCTION)                                                            \
    X(FMA, "fma", 3, "f", INSTRUCTION)                                                             \
    X(SQRT, "sqrt", 1, "f", INSTRUCTION)                                                           \
    X(FABS, "fabs", 1, "f", INSTRUCTION)                                                           \
    X(FLOOR, "floor", 1, "f", INSTRUCTION)                                                         \
    X(CEIL, "ceil", 1, "f", INSTRUCTION)                                                           \
    X(TRUNC, "trunc", 1, "f", INSTRUCTION)                                                         \
    X(RINT, "rint", 1, "f", INSTRUCTION)                                                           \
    X(ROUND, "round", 1, "f", ROUNDING)                                                            \
    X(COPYSIGN, "copysign", 2, "f", INSTRUCTION)                                                   \
    X(FMIN, "fmin", 2, "f", INSTRUCTION)                                                           \
    X(FMAX, "fmax", 2, "f", INSTRUCTION)                                                           \
    X(FMOD, "fmod", 2, "f", ELEMENTARY)                                                            \
    X(HYPOT, "hypot", 2, "f", ELEMENTARY)                                                          \
    X(EXP, "exp", 1, "f", ELEMENTARY)                                                              \
    X(EXP2, "exp2", 1, "f", ELEMENTARY)                                                            \
    X(EXPM1, "expm1", 1, "f", ELEMENTARY)                                                          \
    X(LOG, "log", 1, "f", ELEMENTARY)                                                              \
    X(LOG2, "log2", 1, "f", ELEMENTARY)                                                            \
    X(LOG10, "log10", 1, "f", ELEMENTARY)                                                          \
    X(LOG1P, "log1p", 1, "f", ELEMENTARY)                                                          \
    X(POW, "pow", 2, "f", ELEMENTARY)                                                              \
    X(SIN, "sin", 1, "f", TRIGONOMETRIC)                                                           \
    X(COS, "cos", 1, "f", TRIGONOMETRIC)                                                           \
    X(TAN, "tan", 1, "f", TRIGONOMETRIC)                                                           \
    X(ASIN, "asin", 1, "f", TRIGONOMETRIC)                                                         \
    X(ACOS, "acos", 1, "f", TRIGONOMETRIC)                                                         \
    X(ATAN, "atan", 1, "f", TRIGONOMETRIC)                                                         \
    X(ATAN2, "atan2", 2, "f", TRIGONOMETRIC)                                                       \
    X(SINH, "sinh", 1, "f", TRIGONOMETRIC)                                                         \
    X(COSH, "cosh", 1, "f", TRIGONOMETRIC)                                                         \
    X(TANH, "tanh", 1, "f", TRIGONOMETRIC)                                                         \
    X(CBRT, "cbrt", 1, "f", ELEMENTARY)                                                            \
    X(ERF, "erf", 1, "f", ELEMENTARY)                                                              \
    X(MIX, "mix", 2, "l", NONE) /* random bits: number b of the sequence with seed a */

typedef enum ir_op {
#define X(name, ...) IR_##name,
    IR_OPS(X)
#undef X
        IR_OP_COUNT
} ir_op;

typedef struct ir_type_info {
    const char *name, *c_name;
    int bytes;
} ir_type_info;
typedef struct ir_op_info {
    const char *name;
    int operands;
    const char *kinds;
    ir_function function;
} ir_op_info;
extern const ir_type_info ir_types[IR_TYPE_COUNT];
extern const ir_op_info ir_ops[IR_OP_COUNT];

static inline bool ir_type_is_floating(ir_type type) { return type == IR_F32 || type == IR_F64; }
/* bool and uchar are not: nothing is computed in them */
static inline bool ir_type_is_integer(ir_type type) { return type == IR_I32 || type == IR_I64; }
/* Whether an operation takes operands of a type. */
bool ir_op_takes(ir_op op, ir_type type);

/* ---- value.c: constants and what operations do to them --------------------------------------- */

/* A value of a type: 8 bytes, unused high bytes zero, so that equal bits are equal values. bool is
 * 0 or 1, uchar 0 to 255, in i32. */
typedef union ir_value {
    uint64_t bits;
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
} ir_value;

ir_value ir_value_of_double(ir_type type, double x); /* saturating, as CONVERT */
ir_value ir_value_of_int(ir_type type, int64_t x);   /* wrapping, as CONVERT */
ir_value ir_convert(ir_type to, ir_type from, ir_value x);
/* The result, of type `type`, of an operation with operands on operands of type `operand` (of
 * SELECT: the type of the second). Not for CONST .. LOAD, STORED; CONVERT converts to `type`. */
ir_value ir_evaluate(ir_op op, ir_type type, ir_type operand, const ir_value *args);
/* Neutral first value of a reduction: -0.0 (0) for sums, +inf or -inf (the integer type's largest
 * or smallest) for min and max. */
struct ir_param;
ir_value ir_reduction_start(const struct ir_param *param);
/* What combines two contributions: ADD, LEAST or GREATEST. */
ir_op ir_reduction_op(const struct ir_param *param);
/* acc combined with x: a sum, or the smaller or larger in the total order in which NaN comes first
 * (any NaN makes the result NaN) and -0 lies below +0. */
ir_value ir_reduce(const struct ir_param *param, ir_value acc, ir_value x);

/* Text of arithmetic.h, elementary.h and elementary_trig.h, for generated C. */
extern const char ir_arithmetic_text[], ir_elementary_text[], ir_elementary_trig_text[];

/* The position of a call of random: its place in the kernel, a number below 2^20, and how often the
 * loops around it have repeated: 0 outside of loops, ir_repetition(that around the loop, n) in
 * iteration n. */
int64_t ir_repetition(int64_t outer, int64_t iteration);
int64_t ir_random_position(int64_t repetition, int call);

/* ---- storage.c: how values of fields are stored ---------------------------------------------- */

/* In the order of kata_type. type: what values are read as in boundary rules, and the parameter
 * type that messages propose. coded: the element is not a C number of that type, and is made of and
 * read as each type by functions kata_TYPE_of_NAME and kata_NAME_of_TYPE of arithmetic.h.
 *      name     constant       word      C type     bytes type  coded */
#define IR_STORAGES(X)                                                                             \
    X(f64, "KATA_F64", "double", "double", 8, IR_F64, false)                                       \
    X(f32, "KATA_F32", "float", "float", 4, IR_F32, false)                                         \
    X(i64, "KATA_I64", "long", "int64_t", 8, IR_I64, false)                                        \
    X(i32, "KATA_I32", "int", "int32_t", 4, IR_I32, false)                                         \
    X(u8, "KATA_U8", "u8", "uint8_t", 1, IR_I32, true)                                             \
    X(f16, "KATA_F16", "f16", "uint16_t", 2, IR_F32, true)                                         \
    X(bf16, "KATA_BF16", "bf16", "uint16_t", 2, IR_F32, true)                                      \
    X(unorm8, "KATA_UNORM8", "unorm8", "uint8_t", 1, IR_F32, true)

enum { IR_STORAGE_COUNT = KATA_UNORM8 + 1 };

typedef struct ir_storage_info {
    const char *name, *constant, *word, *c_name;
    int bytes;
    ir_type type;
    bool coded;
} ir_storage_info;
extern const ir_storage_info ir_storages[IR_STORAGE_COUNT];

ir_type ir_type_of_storage(kata_type storage);
/* Whether a field so stored can be read and written as values of a type: floating as floating,
 * integer as integer, uchar as itself. */
bool ir_storage_suits(kata_type storage, ir_type type);
/* The element at an address as a value of a type: what a kernel loads. Integers of a floating type,
 * and the reverse, are converted as by CONVERT. */
ir_value ir_storage_read(kata_type storage, ir_type type, const void *element);
/* Makes the element at an address of a value: what a kernel stores. */
void ir_storage_write(kata_type storage, ir_type type, ir_value value, void *element);

/* ---- parameters ------------------------------------------------------------------------------ */

typedef enum ir_param_kind {
    IR_PARAM_IN,
    IR_PARAM_OUT,
    IR_PARAM_INOUT,
    IR_PARAM_NUMBER,
    IR_PARAM_TABLE,
    IR_PARAM_SUM,
    IR_PARAM_MIN,
    IR_PARAM_MAX
} ir_param_kind;

typedef struct ir_param {
    const char *name;
    ir_param_kind kind;
    ir_type type;
    int count;   /* components of a field, elements of a table or reduction; 1 otherwise */
    uint32_t at; /* of the name in the source */
    bool
        accumulates; /* of a reduction: declared inout, combined with what the scalar held before */
    /* Of a field, per dimension: its ratio to the loop's grid, 2 or more, 0 where the two are
     * alike, and whether it does not extend along it. Beyond the dimensions of the grid a ratio
     * says nothing. */
    int finer[3], coarser[3];
    bool absent_axis[3];
    int ratios;        /* numbers that are written of its ratio: 0 where there is none, 1 for all
                          dimensions, or as many as the grid has */
    uint32_t ratio_at; /* of the word before them */
} ir_param;

static inline bool ir_param_is_field(const ir_param *param)
{
    return param->kind <= IR_PARAM_INOUT;
}

static inline bool ir_param_is_written_field(const ir_param *param)
{
    return param->kind == IR_PARAM_OUT || param->kind == IR_PARAM_INOUT;
}

static inline bool ir_param_is_reduction(const ir_param *param)
{
    return param->kind >= IR_PARAM_SUM;
}

/* The index at which a field is touched without offset from an index of the loop's grid: that
 * itself, `finer` times it, the floor of its part by `coarser`, or 0 in a missing dimension. */
int64_t ir_param_index(const ir_param *param, int dimension, int64_t point);
/* The smallest index of the loop's grid from which an index or a larger one is touched; INT64_MIN
 * or INT64_MAX in a missing dimension. */
int64_t ir_param_point(const ir_param *param, int dimension, int64_t index);
/* The points of a field that lie where one of the loop's grid does, its children: 1, or on a finer
 * grid the product of its three ratios. */
int ir_param_children(const ir_param *param);
/* The number of the child at an offset, x fastest; -1 where there is none. Any offset is the only
 * child, 0, of a parameter on the loop's own grid. */
int ir_param_child(const ir_param *param, const int32_t offset[3]);
bool ir_param_has_ratio(const ir_param *param);
bool ir_param_lacks_dimensions(const ir_param *param);
/* The dimensions that it extends along: "z", "xy". */
void ir_param_along(const ir_param *param, char out[4]);
/* Whether two parameters are alike in what is touched from a point. */
bool ir_param_same_mapping(const ir_param *a, const ir_param *b);
/* "in", "out", "inout", "number", "table", "sum", "min", "max" */
const char *ir_param_kind_name(ir_param_kind kind);
/* The same with "inout " before that of a reduction declared so. */
const char *ir_param_mode(const ir_param *param);

/* ---- the tree -------------------------------------------------------------------------------- */

typedef enum ir_expr_kind {
    IR_EXPR_CONST,  /* value */
    IR_EXPR_LOCAL,  /* variable `index`; element arg[0] (integer) of an array */
    IR_EXPR_NUMBER, /* uniform parameter `index`; element arg[0] of a table */
    IR_EXPR_TABLE,  /* element arg[0] of constant table `index` */
    IR_EXPR_INDEX,  /* dimension `index` */
    IR_EXPR_SIZE,   /* dimension `index` */
    IR_EXPR_LOAD,   /* field parameter `index`: component arg[0] (NULL: 0), offsets arg[1..3] (NULL:
                       0), of which `offsets` were written */
    IR_EXPR_OP,     /* op on arg[0..]. AND and OR of bool evaluate the second operand, and SELECT
                       one of its choices, only where it decides */
    IR_EXPR_RANDOM, /* a random number of seed arg[0] (I64), at place `index` of the kernel */
    IR_EXPR_PAIR,   /* the index of a table or array with two: arg[0], below `offsets`, times
                       `index`, plus arg[1], below `index` */
    IR_EXPR_CALL    /* an inlined helper: run `body`, the value is local `index`, set by RETURN */
} ir_expr_kind;

typedef struct ir_expr {
    ir_expr_kind kind;
    ir_op op;
    ir_type type;
    int offsets;
    int index;
    uint32_t at;
    ir_value value;
    struct ir_expr *arg[4];
    struct ir_stmt *body;
} ir_expr;

typedef enum ir_stmt_kind {
    IR_STMT_ASSIGN, /* local `index` (element `element` of an array) = value */
    IR_STMT_UNSET,  /* local `index` (all of an array) has no value from here: a declaration
                       without initialiser */
    IR_STMT_STORE,  /* written field parameter `index`, component `element` (NULL: 0), at
                       offset[0..2] (NULL: 0, `offsets` of them written) = value */
    IR_STMT_REDUCE, /* reduction parameter `index`, element `element` (NULL: 0), takes value in */
    IR_STMT_IF,     /* value: a bool; then `body` else `other` */
    IR_STMT_FOR,    /* init (one ASSIGN), while value: body, then step (one ASSIGN) */
    IR_STMT_BLOCK,  /* body */
    IR_STMT_RETURN, /* ends the innermost CALL with `value` stored to local `index` */
    IR_STMT_ASSERT  /* the point fails where value, a bool, is false; `text` says why */
} ir_stmt_kind;

typedef struct ir_stmt {
    ir_stmt_kind kind;
    int index;
    uint32_t at;
    ir_expr *element, *value, *offset[3];
    int offsets;
    const char *text; /* ASSERT: NULL when there is none */
    struct ir_stmt *body, *other, *init, *step;
    struct ir_stmt *next;
} ir_stmt;

typedef struct ir_local {
    const char *name; /* of a helper's result: the helper's */
    ir_type type;
    int length; /* 0: a plain variable */
    uint32_t at;
} ir_local;

typedef struct ir_table {
    const char *name;
    ir_type type;
    int length;
    const ir_value *values;
} ir_table;

/* ---- the graph ------------------------------------------------------------------------------- */

typedef uint32_t ir_id; /* a node; operands come before their users; 0 is no node */

typedef struct ir_node {
    uint8_t op, type;
    uint16_t zero; /* fills the gap, so that equal nodes are equal bytes */
    ir_id arg[3];
    /* CONST: bits of the value. NUMBER: param, element. INDEX, SIZE: dimension in param.
     * LOAD: param, component in element, offset. STORED: param. */
    ir_value value;
    int32_t param, element;
    int32_t offset[3];
    uint32_t at; /* of its first appearance in the source; not part of its identity */
} ir_node;

/* A result of the kernel at a point. */
typedef struct ir_store {
    int param, component; /* of a reduction: the element */
    int32_t offset[3];    /* of the point that is written */
    ir_id value;          /* of the parameter's type, not yet rounded to storage */
    ir_id condition;      /* bool; where it is false the old value stays; 0: always written */
    uint32_t at;
} ir_store;

typedef enum ir_check_kind {
    IR_CHECK_ASSERT,
    IR_CHECK_INDEX /* an index known only at run time is inside its table or array */
} ir_check_kind;

/* A value that a failed assert shows. */
typedef struct ir_shown {
    const char *label; /* "u[1,0]", "c" */
    ir_id value;
    ir_id condition; /* bool; where it is false the value is not computed */
} ir_shown;

/* What must hold at each point of a loop. A point fails at the first check that does not. */
typedef struct ir_check {
    ir_check_kind kind;
    ir_id passes; /* bool, true also where the check is not reached */
    uint32_t at;
    const char *name; /* of the table or array; of an assert: its text or NULL */
    ir_id index;      /* INDEX: should be 0 to length - 1 */
    int length;
    ir_shown *shown; /* ASSERT: what its condition reads, in the order of evaluation */
    int shown_count;
} ir_check;

/* One read of a field. */
typedef struct ir_access {
    int param, component;
    int32_t offset[3];
    uint32_t at;
} ir_access;

typedef struct ir_graph {
    ir_node *nodes; /* nodes[0] is not used */
    size_t count, capacity;
    uint32_t *buckets; /* open addressing, node ids */
    size_t bucket_count;
    bool failed; /* memory was out or the budget spent: what was built is not to be used */
    bool too_large;
} ir_graph;

/* In which order the points of a loop run: level by level along one dimension, or any. */
typedef enum ir_direction { IR_UNORDERED, IR_FORWARD, IR_BACKWARD } ir_direction;

/* Between two levels: before level base + shift, where base is 0, the size of the ordered
 * dimension, or the value of an int parameter. */
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

/* Largest offset, ratio, number of nodes, components, elements of a table or array, and depth of
 * nested expressions, statements and calls. */
enum {
    IR_MAX_OFFSET = 1024,
    IR_MAX_RATIO = 16,
    IR_MAX_OUTPUTS = 16384, /* components times children of a field that is written */
    IR_MAX_NODES = 200000,
    IR_MAX_LENGTH = 1024,
    IR_MAX_CHOICES = 256, /* elements of a table whose index is known only at run time */
    IR_MAX_DEPTH = 500,
    IR_MAX_INTERVALS = 64,
    IR_MAX_WEIGHT = 20000, /* for the C compiler, see ir_weigh */
    IR_MAX_STEPS = 2000000 /* statements and expressions visited by unrolling */
};

typedef struct ir_kernel {
    const char *name;
    const source *text;
    uint32_t at; /* of the name */
    int param_count, local_count, table_count;
    int real_param; /* of a kernel that uses `real`: the first field parameter of that type */
    const ir_param *params;
    const ir_local *locals;
    const ir_table *tables;
    ir_direction direction;       /* of the levels */
    int ordered;                  /* dimension of the levels; 0 when there is no order */
    const ir_interval *intervals; /* in the order of the text; the tree has them as branches */
    int interval_count;
    uint32_t direction_at;
    ir_stmt *body;
    /* set by ir_lower */
    ir_graph graph;   /* only nodes that results need, in order */
    ir_store *stores; /* by parameter, component, and of a finer field child */
    int store_count;
    ir_check *checks; /* in the order in which a point meets them */
    int check_count;
    ir_id valid;         /* bool: all checks pass; 0 when there are none */
    ir_access *accesses; /* each LOAD node once: by parameter, component, z, y, x */
    int access_count;
    int rank;         /* of the grids it can be applied to: the number of offsets written in each
                         [dx,dy]; 0 when there is none */
    uint32_t rank_at; /* where that shows */
    bool guarded;     /* the index of the point is used: where what is read and written may depend
                         on it, and on numbers */
    char hash[33];    /* of the graph's text: equal hashes compute the same */
} ir_kernel;

/* Whether the rank of a kernel that has one shows in a ratio, not in an offset. */
bool ir_rank_is_of_ratio(const ir_kernel *kernel);

/* ---- bound.c: bounds of intervals ------------------------------------------------------------ */

/* Whether a lies below b in grids of every size (of at least one level), as far as that is known:
 * parameters are compared with themselves only. */
bool ir_bound_is_below(const ir_bound *a, const ir_bound *b);
bool ir_bound_is_equal(const ir_bound *a, const ir_bound *b);
/* "0", "nz-1", "k+2" */
void ir_bound_print(text *out, const ir_kernel *kernel, const ir_bound *bound);
/* "[1, nz-1)" */
void ir_interval_print(text *out, const ir_kernel *kernel, const ir_interval *interval);
/* Whether two intervals are known to share a level where the grid has enough of them. */
bool ir_intervals_overlap(const ir_interval *a, const ir_interval *b);
/* A walk along the levels, upwards from `from` (zero at first), interval by interval. It comes to
 * the end, to levels that are in no interval (from there it can go on), or to a place where it is
 * not known what comes next. */
typedef enum ir_walked { IR_WALK_END, IR_WALK_GAP, IR_WALK_LOST } ir_walked;
typedef struct ir_walk {
    ir_bound from;
    int *order;      /* room for indices of all intervals: those passed; NULL: not kept */
    int count;       /* of those */
    uint64_t passed; /* the same, as bits: they lie below `from` */
    ir_interval gap;
} ir_walk;
ir_walked ir_walk_intervals(const ir_interval *intervals, int count, ir_walk *walk);

/* What an offset reaches along the ordered dimension: -1 a level that ran before, 1 one that runs
 * later, 0 the same (or there is no order). */
int ir_level_after(const ir_kernel *kernel, const int32_t offset[3]);

/* ---- graph.c, simplify.c --------------------------------------------------------------------- */

/* A node, simplified as far as its bits allow and shared with an equal one. Operands must be nodes
 * of the same graph. Returns 0 and sets failed on error; a 0 operand gives 0. */
ir_id ir_graph_op(ir_graph *g, ir_op op, ir_type type, ir_id a, ir_id b, ir_id c, uint32_t at);
ir_id ir_graph_const(ir_graph *g, ir_type type, ir_value value);
/* Any node exactly as given, shared with an equal one. */
ir_id ir_graph_add(ir_graph *g, const ir_node *node);
void ir_graph_free(ir_graph *g);

/* ---- lower.c, evaluate.c, results.c
 * --------------------------------------------------------------------------- */

/* Builds graph, stores, accesses, rank and hash of a kernel from its tree. What the tree must
 * not do is reported at its place: a loop or index that is not known at compile time, a variable
 * read before it is set, an out read before it is written, an out never written, too much work. */
kata_status ir_lower(ir_kernel *kernel, arena *memory, messages *m);
/* weight.c: refuses (KATA_ERROR_LIMIT) a lowered kernel that would keep the C compiler busy for
 * more than about ten seconds. */
kata_status ir_weigh(const ir_kernel *kernel, messages *m);
/* Frees what ir_lower made outside the arena. */
void ir_kernel_free(ir_kernel *kernel);

/* ---- print.c --------------------------------------------------------------------------------- */

/* The graph in the text form of docs/ir.md. */
void ir_print(text *out, const ir_kernel *kernel);
/* A value as briefly as it can be read back. */
void ir_print_value(text *out, ir_type type, ir_value value);
/* " finer(2)", " coarser(2,2,1)"; nothing where a parameter has no ratio. */
void ir_print_ratio(text *out, const ir_kernel *kernel, const ir_param *param);
/* What a LOCAL, NUMBER or LOAD without index, or an INDEX, is called: "u[1,0]"; its component and
 * offsets are at[0] and at[1..3]. */
enum { IR_LABEL = 80 };
void ir_print_label(char label[IR_LABEL], const ir_kernel *kernel, const ir_expr *e,
                    const int64_t at[4]);
/* Parameters with their accesses, for people. */
void ir_print_accesses(text *out, const ir_kernel *kernel);

/* ---- verify.c -------------------------------------------------------------------------------- */

/* NULL when a lowered kernel keeps its invariants (operands before users, types, ranges of
 * indices, order of stores and accesses), otherwise what is wrong. */
const char *ir_verify(const ir_kernel *kernel);

#endif
