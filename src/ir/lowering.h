/* Private to ir: the state of lowering a tree to a graph. cell.c has the values of variables,
 * lower.c runs statements, unroll.c and rounds.c loops, lower_expression.c and element.c
 * expressions; path.c has the conditions around, check.c the checks, finite.c those of what is
 * written; results.c sets up and collects. */
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

/* The variable that a loop counts, which is not unrolled. */
typedef struct lower_counter {
    ir_id carried;
    int direction; /* +1 or -1: it is never below, or above, its start */
    const struct lower_counter *outer;
} lower_counter;

typedef struct lowering {
    ir_kernel *kernel;
    ir_graph *g;
    messages *m;
    /* Cells, in this order: locals (arrays element by element); `returned`; `skipped` and `broken`,
     * which say whether the rest of a round, and of all rounds of the innermost loop, is left out;
     * outputs, which are the children (mostly one) of each component of written fields; elements of
     * reductions. */
    lower_cell *cells;
    uint32_t *local_cells;   /* first cell of each local */
    uint32_t *param_outputs; /* per parameter: its first output, or its first reduction */
    uint32_t returned, skipped, broken, first_output, first_reduction, cell_count;
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
    ir_id *tainted; /* see finite.c: of nodes below taint_count, and of others where it is not 0 */
    size_t taint_count, taint_room;
    bool switched_off;    /* constants leave a parameter without a write */
    lower_record *record; /* NULL outside the conditions of asserts */
    int helpers;          /* that are being lowered, one in another */
    int64_t work;         /* steps of a point in all rounds of loops that are not unrolled */
    int64_t rounds;       /* at most, of all loops around that are not unrolled */
    const lower_counter *counters; /* of these, the innermost first */
    uint32_t rounds_at;            /* the innermost of them; 0: there is none */
} lowering;

/* ---- cell.c ---------------------------------------------------------------------------------- */

/* Gives a cell a value, or the same on every path. */
void lower_set(lowering *l, uint32_t where, ir_id value, ir_id defined);
void lower_give(lowering *l, uint32_t where, ir_id value);
ir_id lower_bool(lowering *l, bool x);
ir_id lower_bool_op(lowering *l, ir_op op, ir_id a, ir_id b);
bool lower_is_bool(const lowering *l, ir_id id, bool x);
ir_id lower_select(lowering *l, ir_id condition, ir_id yes, ir_id no);
/* Puts cells back to what they were when `mark` changes had been made. */
void lower_undo(lowering *l, size_t mark);
/* Leaves one entry per cell that changed since `mark`, with what it was then. */
void lower_keep_first_changes(lowering *l, size_t mark);
/* Joins two branches. `yes` holds `count` changed cells with their values after the first branch.
 * The cells now are as the second branch left them; l->changes from `mark` on has their old values.
 */
void lower_join(lowering *l, ir_id condition, const lower_change *yes, size_t count, size_t mark);

/* ---- lower.c, lower_expression.c ------------------------------------------------------------- */

/* Runs statements until they end or return. */
kata_status lower_body(lowering *l, const ir_stmt *body);
/* Runs a list of statements up to what ends them on every path. */
kata_status lower_statements(lowering *l, const ir_stmt *s);
/* Runs an ASSIGN, whether or not a statement before it may have ended what it belongs to. */
kata_status lower_assignment(lowering *l, const ir_stmt *s);
/* Whether what runs is over on every path: the kernel, the helper, the round of a loop. */
bool lower_has_left(const lowering *l);
/* Whether the kernel may have ended at this point, on some path. */
bool lower_may_have_ended(const lowering *l);
/* 0 once something was reported or failed. */
ir_id lower_expr(lowering *l, const ir_expr *e);
/* A LOAD of a component; offsets in at[1..3]. */
ir_id lower_load(lowering *l, const ir_expr *e, int component, int64_t at[4]);
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

/* ---- unroll.c, rounds.c ---------------------------------------------------------------------- */

kata_status lower_for(lowering *l, const ir_stmt *s);
/* Whether a statement in the body of a loop ends it, or its round. */
bool lower_has_break(const ir_stmt *body);
/* A handler of messages, of what is lowered as a trial. */
void lower_say_nothing(void *data, kata_status status, const char *message);
/* A loop that is not unrolled; its start has been lowered. */
kata_status lower_rounds(lowering *l, const ir_stmt *s);
/* The most rounds that a loop runs by its condition, which compares its variable with a constant;
 * -1 where it does not. */
int64_t lower_most_rounds(lowering *l, const ir_stmt *s);

/* ---- element.c ------------------------------------------------------------------------------- */

/* LOCAL, NUMBER and TABLE, with or without index. */
/* A LOAD whose component is known only at run time. */
ir_id lower_chosen_component(lowering *l, const ir_expr *e);
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
/* Adds the check that an index, of I64, is inside the grid along a dimension. */
kata_status lower_level_check(lowering *l, ir_id index, int dimension, const char *name,
                              uint32_t at);
/* Adds a check as it is. */
kata_status lower_append_check(lowering *l, const ir_check *check);
/* Puts the checks, and the node that says whether all pass, into the kernel. */
kata_status lower_collect_checks(lowering *l);

/* ---- finite.c -------------------------------------------------------------------------------- */

/* In a kernel that is watched: a bool, whether a value of a field that is not finite went into a
 * node. Behind and in a loop it is what was set. */
ir_id lower_tainted(lowering *l, ir_id id);
void lower_set_tainted(lowering *l, ir_id id, ir_id tainted);
/* Adds the checks of what a kernel writes, if it is watched. */
kata_status lower_finite_checks(lowering *l);

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

/* ---- loop_nodes.c ---------------------------------------------------------------------------- */

/* Marks all that marked nodes need: of loops, the variables that count. */
void ir_mark_needed(const ir_graph *g, ir_id *marked);

/* ---- deciding.c ------------------------------------------------------------------------------ */

/* The numbers that conditions depend on, as ir_kernel has them; all of them when memory is out. */
uint64_t ir_find_deciding(const ir_graph *g);
/* Whether some condition depends on numbers and on nothing of a point, or memory is out. */
bool ir_find_switch(const ir_graph *g);

#endif
