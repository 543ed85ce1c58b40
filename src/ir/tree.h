/* The tree: a kernel as it is written, with typed expressions, statements, loops, branches and
 * local variables. The front end builds it, the reference executor runs it as it stands. */
#ifndef IR_TREE_H
#define IR_TREE_H

#include "ir/operation.h"

typedef enum ir_expr_kind {
    IR_EXPR_CONST,  /* value */
    IR_EXPR_LOCAL,  /* variable `index`; of an array, element arg[0] (integer) */
    IR_EXPR_NUMBER, /* uniform parameter `index`; of a table, element arg[0] */
    IR_EXPR_TABLE,  /* element arg[0] of constant table `index` */
    IR_EXPR_INDEX,  /* dimension `index` */
    IR_EXPR_SIZE,   /* dimension `index` */
    IR_EXPR_LOAD,   /* field parameter `index`: component arg[0] (NULL: 0), offsets arg[1..3] (NULL:
                       0); the text has `offsets` of them. With a `level`, 1 + a dimension, the
                       index along that dimension is arg[level] */
    IR_EXPR_OP,     /* op on arg[0..]. AND and OR of bool evaluate the second operand, and SELECT
                       one of its choices, only where it decides */
    IR_EXPR_RANDOM, /* a random number of seed arg[0] (I64): call `index` of random in the kernel,
                       at the point; in a mesh, of number arg[1] (I64) along x */
    IR_EXPR_PAIR,   /* two indices of a table or array as one: arg[0], below `offsets` or a PAIR of
                       the   first two of three, times `index`, plus arg[1], below `index` */
    IR_EXPR_CALL    /* an inlined helper: run `body`, whose RETURN sets local `index`; the value is
                       that local */
} ir_expr_kind;

typedef struct ir_expr {
    ir_expr_kind kind;
    ir_op op;
    ir_type type;
    int offsets;
    int level; /* LOAD: 0 where all indices are known from the point */
    int index;
    uint32_t at; /* location in the source */
    ir_value value;
    bool at_run_time; /* LOAD: set by lowering, where the component is known only then */
    bool inside;      /* LOAD with a level: the index is a neighbour's in a mesh; its
                         value is not used where there is none */
    struct ir_expr *arg[4];
    struct ir_stmt *body;
} ir_expr;

typedef enum ir_stmt_kind {
    IR_STMT_ASSIGN, /* local `index` (of an array, element `element`) = value */
    IR_STMT_UNSET,  /* local `index`, all of an array, has no value from here on: a declaration
                       without initialiser */
    IR_STMT_STORE,  /* written field parameter `index`, component `element` (NULL: 0), at
                       offset[0..2] (NULL: 0; the text has `offsets` of them) = value */
    IR_STMT_REDUCE, /* combines value into reduction parameter `index`, element `element` (NULL: 0)
                     */
    IR_STMT_IF,     /* value: a bool; then `body`, else `other` */
    IR_STMT_FOR,    /* init (one ASSIGN); while value: body, then step (one ASSIGN) */
    IR_STMT_BREAK,  /* ends the innermost FOR, without its step */
    IR_STMT_CONTINUE, /* ends its round */
    IR_STMT_BLOCK,    /* body */
    IR_STMT_PART,     /* body, which a RETURN without a value ends, and not the kernel */
    IR_STMT_RETURN,   /* stores `value` to local `index` and ends the innermost CALL; without a
                         value, index -1, ends the PART, or the kernel at this point
                         */
    IR_STMT_ASSERT    /* the point fails where value, a bool, is false; `text` says why */
} ir_stmt_kind;

typedef struct ir_stmt {
    ir_stmt_kind kind;
    int index;
    uint32_t at;
    ir_expr *element, *value, *offset[3];
    int offsets;
    const char *text; /* ASSERT: NULL when there is none */
    bool rounds;      /* FOR: set by lowering, where it is not unrolled */
    struct ir_stmt *body, *other, *init, *step;
    struct ir_stmt *next;
} ir_stmt;

typedef struct ir_local {
    const char *name; /* the local that holds a helper's result has the helper's name */
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

/* ---- random.c -------------------------------------------------------------------------------- */

/* A call of random has a position: the number of the call in the kernel, below 2^20, combined with
 * how often the loops around it have repeated. The repetition is 0 outside of loops and
 * ir_repetition(outer, n) in iteration n of a loop, where `outer` is the repetition around the
 * loop. */
int64_t ir_repetition(int64_t outer, int64_t iteration);
int64_t ir_random_position(int64_t repetition, int call);

#endif
