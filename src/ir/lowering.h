/* Private to ir: the state of lowering a tree to a graph. lower.c runs statements,
 * lower_expression.c and element.c expressions; path.c has the conditions around, check.c the
 * checks; results.c sets up and collects. */
#ifndef IR_LOWERING_H
#define IR_LOWERING_H

#include "ir/build.h"
#include "ir/ir.h"

/* A variable, or an element of an array: its value (0: none), and the condition under which it is
 * set. */
typedef struct lower_cell {
    ir_id value, defined;
} lower_cell;

typedef struct lower_change {
    uint32_t where;
    lower_cell cell;
} lower_change;

/* A condition under which the present statement runs. */
typedef struct lower_condition {
    ir_id condition;
    bool truth;
} lower_condition;

/* The values that the condition of an assert has read so far. */
typedef struct lower_record {
    ir_shown *shown;
    size_t count, capacity;
    int calls; /* of helpers that are being lowered in it */
} lower_record;

typedef struct lowering {
    ir_kernel *kernel;
    ir_graph *g;
    messages *m;
    /* Cells, in this order: locals (arrays element by element); `returned`; outputs, which are the
     * children (mostly one) of each component of written fields; elements of reductions. */
    lower_cell *cells;
    uint32_t *local_cells;   /* first cell of each local */
    uint32_t *param_outputs; /* per parameter: its first output, or its first reduction */
    uint32_t returned, first_output, first_reduction, cell_count;
    uint32_t *output_at;         /* per output: location of the last store */
    int32_t (*output_offset)[3]; /* per output: of the point written; set once it is written */
    ir_id *reduction_starts;     /* per reduction: its neutral start */
    lower_change *changes;       /* overwritten cells with their old values */
    size_t change_count, change_capacity;
    uint32_t *stamps, stamp;
    int64_t steps;
    arena *memory;      /* of the kernel */
    int64_t repetition; /* of loops, see ir_repetition */
    lower_condition *path;
    size_t path_count, path_capacity;
    ir_check *checks;
    size_t check_count, check_capacity;
    ir_addition *additions;
    size_t addition_count, addition_capacity;
    lower_record *record; /* NULL outside the conditions of asserts */
    int helpers;          /* that are being lowered, one in another */
} lowering;

/* ---- lower.c, lower_expression.c ------------------------------------------------------------- */

/* Runs statements until they end or return. */
kata_status lower_body(lowering *l, const ir_stmt *body);
/* 0 once something was reported or failed. */
ir_id lower_expr(lowering *l, const ir_expr *e);
/* The cell of a local or of an element of a local array (`element` NULL: not an array). */
kata_status lower_local_cell(lowering *l, int local, const ir_expr *element, uint32_t at,
                             uint32_t *where);
/* A component of a field or element of a reduction, in its range; NULL is 0. */
kata_status lower_component(lowering *l, const ir_param *param, const ir_expr *component,
                            uint32_t at, int *out);

/* Constant offsets in range; NULL expressions are 0. */
kata_status lower_offsets(lowering *l, ir_expr *const offset[3], int32_t out[3]);
/* The output of a component written at an offset; false if it has no such child. */
bool lower_output(const lowering *l, int param, int component, const int32_t offset[3],
                  uint32_t *output);
/* Checks that an offset is 0 along dimensions that the field parameter lacks. */
kata_status lower_check_missing(lowering *l, int p, const int32_t offset[3], uint32_t at);
/* Checks that all offsets of a kernel have equally many numbers. */
kata_status lower_check_rank(lowering *l, int param, int offsets, uint32_t at);

/* The value of a node, which must be a constant integer in [low, high]; reports any other. */
kata_status lower_constant(lowering *l, const ir_expr *e, ir_id id, const char *what, int64_t low,
                           int64_t high, int64_t *out);

/* ---- element.c ------------------------------------------------------------------------------- */

/* LOCAL, NUMBER and TABLE, with or without index. */
ir_id lower_variable(lowering *l, const ir_expr *e);
ir_id lower_number(lowering *l, const ir_expr *e);
ir_id lower_table(lowering *l, const ir_expr *e);

/* ---- path.c ---------------------------------------------------------------------------------- */

/* The error, if any, that building has met: memory, budget, or one already reported. */
kata_status lower_check(lowering *l, uint32_t at);
/* What is lowered until lower_path_leave runs where the condition holds, or does not. */
void lower_path_enter(lowering *l, ir_id condition, bool truth);
void lower_path_leave(lowering *l);
/* A bool: whether the present part of the tree runs. */
ir_id lower_path_node(lowering *l);
/* Notes a value that the condition of an assert reads; component and offsets in at[0..3]. */
void lower_note(lowering *l, const ir_expr *e, const int64_t at[4], ir_id value);

/* ---- check.c --------------------------------------------------------------------------------- */

/* Adds a check at the present path, unless it is known to pass; reports one that never passes. */
kata_status lower_add_check(lowering *l, ir_check check);
/* Adds the check that an index is inside a table or array. */
kata_status lower_index_check(lowering *l, ir_id index, int length, const char *name, uint32_t at);
/* Puts the checks, and the node that says whether all pass, into the kernel. */
kata_status lower_collect_checks(lowering *l);

/* ---- addition.c ------------------------------------------------------------------------------ */

/* Lowers a REDUCE whose element is known only at run time, which is node `index`. */
kata_status lower_addition(lowering *l, const ir_stmt *s, ir_id index);
/* Notes that a value is added to the element at an index where a condition (0: always) holds. */
kata_status lower_note_addition(lowering *l, ir_addition addition);
/* Puts what is noted into the kernel. */
kata_status lower_collect_additions(lowering *l);
/* Whether the present kernel has such an element of a parameter. */
bool lower_has_addition(const lowering *l, int param);

/* ---- results.c ------------------------------------------------------------------------------- */

/* Of a kernel with graph and stores: drops nodes that no result needs, and sets all that follows
 * from the graph. False when memory is out. */
bool ir_kernel_finish(ir_kernel *kernel, arena *memory);

/* ---- deciding.c ------------------------------------------------------------------------------ */

/* The numbers that conditions depend on, as ir_kernel has them; all of them when memory is out. */
uint64_t ir_find_deciding(const ir_graph *g);

#endif
