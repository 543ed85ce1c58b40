/* Private to codegen: what its files share, in the order in which they know one another. */
#ifndef CODEGEN_EMIT_H
#define CODEGEN_EMIT_H

#include "codegen/lookup.h"
#include "codegen/nest.h"

/* ---- schedule.c ------------------------------------------------------------------------------ */

/* The outermost loop in which a node can be computed. */
typedef enum codegen_level {
    CODEGEN_ONCE,  /* outside of all: of numbers and sizes */
    CODEGEN_PLANE, /* over z: also of iz */
    CODEGEN_ROW,   /* over y: also of iy */
    CODEGEN_POINT  /* over x: also of ix, or values of fields */
} codegen_level;

typedef struct codegen_step {
    uint8_t level;
    bool leaf;   /* written where it is used: constants, numbers, indices, sizes */
    bool named;  /* computed once into a variable, otherwise written where it is used */
    int8_t loop; /* that is not unrolled, in whose rounds it is computed; -1: none */
    uint32_t uses, size;
} codegen_step;

/* One step for each node of the graph, to be freed; NULL when memory is out. */
codegen_step *codegen_schedule(const ir_kernel *kernel);

/* ---- what is being written ------------------------------------------------------------------- */

enum {
    CODEGEN_MOST_REUSED = 8,
    CODEGEN_MOST_WIDENED = 32,
    CODEGEN_REUSE_SPAN = 16,    /* the largest distance of points that use the same value */
    CODEGEN_REUSE_POINTS = 128, /* of a row, for which values are computed at a time */
    CODEGEN_CLEAR_POINTS = 32,  /* the same where parts without bytes run in loops of their own */
    CODEGEN_CASES = 3,          /* conditions for which the loops of a row are written again */
    CODEGEN_ROW_K = -1,         /* the row of which the number is in the variable k */
    CODEGEN_AHEAD = 8           /* vectors between what is computed and what is prefetched */
};

/* A value that several points of a row use: that of a node, at all offsets along x from `low`, seen
 * from the first point, to `high`, seen from the last. `offset` is the node's own. */
typedef struct codegen_reused {
    ir_id node;
    int32_t offset, low, high;
    int group; /* from 1: those with equal offsets; made of the values of earlier groups */
} codegen_reused;

typedef struct codegen_reuse {
    codegen_reused value[CODEGEN_MOST_REUSED + CODEGEN_MOST_WIDENED];
    int count, group_count;
    int widened_groups; /* how many of the first groups only widen bytes */
    int *of;            /* for each node: 1 + the index of its value, 0 where it has none */
    int32_t *offset;    /* and at which offset from the point it is found */
} codegen_reuse;

typedef struct codegen_writer codegen_writer;
/* Adds something for the row of the writer. */
typedef void codegen_add_row(const codegen_writer *w, nest *in);

/* Which row pointers are written: those that are found from the row before, or the others. */
typedef enum codegen_rows_part {
    CODEGEN_ROWS_ALL,
    CODEGEN_ROWS_WALKED,
    CODEGEN_ROWS_OTHERS
} codegen_rows_part;

/* A loop, what passes have decided about it, and which part of it is being written. */
struct codegen_writer {
    const codegen_loop *loop;
    const codegen_dialect *dialect;
    const codegen_step *steps;

    /* Decided by passes.c and the files of passes. */
    int line;         /* points of a cache line, of which vectors are parts; 0: no vectors */
    bool aligned;     /* vectors begin where memory is aligned */
    bool overlaps;    /* the first and last vectors of a row may overlap others */
    bool ends;        /* those are computed first and written last: see row_ends.c */
    bool tails;       /* a vector half as long follows the last one: likewise */
    bool rounds;      /* all lanes of a brick in one loop */
    bool collects;    /* what points contribute to a brick is combined behind its last point */
    bool defers;      /* and behind the last point of the next brick, if that is whole */
    bool whole;       /* whole bricks have a loop of their own, in rounds that end with them */
    bool walks;       /* a row is found from the one before it, where it can be */
    bool strides;     /* rows are found from few of them: see row_strides.c */
    bool hidden;      /* compilers are not told how addresses of rows are related */
    bool copies;      /* the function has copies of its box and views */
    bool twice;       /* the loops are written twice: see codegen_function */
    int planes;       /* whose rows run one after another before the next y; 0: one */
    bool blocks;      /* points run block by block where some rows are stored in blocks */
    bool halves;      /* f16 is converted a vector at a time */
    uint64_t shifts;  /* accesses of rows that are loaded once, as bits: see row_shifts.c */
    bool streams;     /* results may be written past the caches */
    bool whole_lines; /* and that as whole lines: vectors are parts of one */
    int interleaved;  /* rows of a skewed box that run side by side; 0: boxes are not skewed */
    int pair;         /* rows are computed together along y (1) or z (2); 0: one by one */
    int together;     /* that is how many: 2, or 4 */
    ir_id cases[CODEGEN_CASES]; /* conditions for which the loops of a row are written again */
    int case_count;
    codegen_reuse *reuse;     /* NULL: no values are reused */
    bool registers;           /* they stay in registers: see reuse_registers.c */
    codegen_lookups *lookups; /* NULL: all elements are chosen */

    /* What passes add to the nest; NULL: the pass adds nothing. */
    void (*add_functions)(const codegen_writer *w, nest *file); /* in front of the loop's own */
    void (*add_pairs)(const codegen_writer *w, nest *in);       /* the loop over pairs of rows */
    codegen_add_row *add_row;                                   /* what follows row pointers */
    codegen_add_row *add_fetches;                               /* in loops over vectors */
    void (*add_far)(const codegen_writer *w, nest *in, int points); /* in those over points that are
                                                                       added to bins */
    nest *(*begin_part)(const codegen_writer *w, nest *in);         /* around loops over vectors */
    codegen_add_row *add_clear; /* in front of what a part computes: for points of no bytes */

    /* The part that is being written. */
    const bool *wanted;         /* nodes to compute; NULL: all */
    ir_id known[CODEGEN_CASES]; /* conditions of which the value is known, 0 for none */
    bool holds[CODEGEN_CASES];  /* that value */
    int group;     /* of reused values: below it they are known; count + 1: points; 0: none */
    int32_t moved; /* offset of the point along x from that to which the node belongs */
    codegen_rows_part rows; /* whose pointers are written */
    int paired;             /* `pair` while rows are written that run together, 0 otherwise */
    bool jammed;            /* the points of these rows are computed side by side */
    int32_t second;         /* the row at iy and iz (0), or which of those behind it */
    bool carries;           /* what the point before has written is known: see row_beside.c */
    int beside;   /* number of the row among those that run side by side; or CODEGEN_ROW_K */
    bool clear;   /* the points of a part at which all bytes that are read are zero */
    bool shifted; /* what accesses of `shifts` read is at hand */
    bool widened; /* what is read as f16 is at hand as float, and results stay float */

    /* On a device. */
    const codegen_shape *shape;      /* NULL: a loop of a CPU is written */
    int lane, round;                 /* of the thread's vector, and chunk, that is written */
    const struct codegen_tile *tile; /* NULL: there is none */
    bool ahead;                      /* rows of some rounds of a brick are read before the first */
    const codegen_section *section;  /* NULL: one loop is written; then also: */
    int step, row;                   /* the loop, and the row of the thread */
    int inside;                      /* what of the round is inside of the box: see thread.h */
};

/* ---- facts.c: what is known of a loop -------------------------------------------------------- */

/* The rows of a parameter; contiguous for those that are no fields. */
codegen_rows codegen_rows_of(const codegen_loop *loop, int param);
/* Whether a written field is read otherwise than what the point itself has written. */
bool codegen_is_read(const ir_kernel *kernel, int param);
/* Whether a field is read at indices that are known only at run time. */
bool codegen_reads_levels(const ir_kernel *kernel, int param);
/* Whether what a parameter receives is combined in lanes; whether any is. */
bool codegen_has_lanes(const codegen_loop *loop, int param);
bool codegen_reduces(const codegen_loop *loop);
/* Whether some reduction adds points to rows: see codegen.h. */
bool codegen_has_rows(const ir_kernel *kernel);
/* Whether a store goes to a reduction. */
bool codegen_reduces_at(const codegen_loop *loop, int store);
/* Which of the fields a parameter is, in the order of abi_place. */
int codegen_field_number(const ir_kernel *kernel, int param);
/* Whether points are combined in lanes one after the other, each point once. */
bool codegen_combines_points(const codegen_writer *w);
/* For a writer that collects: one of rows that do not; and one that does. */
codegen_writer codegen_at_once(const codegen_writer *w);
codegen_writer codegen_collecting(const codegen_writer *w);
/* Whether the last parameter of the function of a point, `counts`, says if it has the colour. */
bool codegen_counts(const codegen_writer *w);
/* Whether rows of a field at other offsets along y and z lie at multiples of the view's distances
 * from the row of the point. */
bool codegen_is_regular(const ir_kernel *kernel, int param);
/* Nodes of the graph that compute something of others. */
int codegen_operations(const ir_kernel *kernel);
/* Whether two accesses or stores are of one row. */
bool codegen_same_row(const ir_access *a, const ir_access *b);
bool codegen_same_written_row(const ir_store *a, const ir_store *b);
/* Whether an operation becomes a call of a function written as text, from ir/elementary*.h. */
bool codegen_is_elementary(ir_op op);
/* Whether the points of a row may be computed side by side. */
bool codegen_is_free(const codegen_loop *loop);
/* Whether nothing reads what a store writes, so that it may pass the caches. */
bool codegen_may_stream(const codegen_loop *loop, int store);
/* Whether some node has a name and is computed at a level. */
bool codegen_computes_at(const codegen_writer *w, codegen_level level);
/* Whether a node reads a byte: it is zero where w->clear. */
bool codegen_is_byte(const codegen_writer *w, const ir_node *node);
/* Whether the loop that is being written is the first one over a part that is not short. */
bool codegen_is_first_group(const codegen_writer *w);
/* Whether a node's value is found among those that are reused. */
bool codegen_is_reused(const codegen_writer *w, ir_id id);
/* The lookup of a node; NULL for other nodes. */
const codegen_lookup *codegen_lookup_of(const codegen_writer *w, ir_id id);
/* Whether a number, or an element of a table, is needed by itself. */
bool codegen_needs_number(const codegen_writer *w, ir_id id);
/* Whether a field is what loops of a section hand on, so that its elements are at hand. */
bool codegen_is_of_section(const codegen_writer *w, int param);
/* Whether the row of an access is read otherwise than by lookups; whether lookups read rows. */
bool codegen_needs_row(const codegen_writer *w, int access);
bool codegen_chooses_rows(const codegen_writer *w);
/* Marks operands of marked nodes, and so on; none of reused values, and of lookups the index. */
void codegen_mark_operands(const codegen_writer *w, bool *wanted);
/* Whether operand k of a node is a zero that the compiler must not know: gcc 12 takes 0 - x, also
 * where it makes it of -x + 0, for -x where x is never -0, as an integer converted or |y|. */
bool codegen_hides_zero(const ir_kernel *kernel, const ir_node *node, int k);
/* Whether a node is an integer made of a floating-point number. A hidden zero is added to it: gcc
 * 12 takes (double)(int64_t)x for trunc(x), which is -0 where x lies between -1 and 0. */
bool codegen_is_truncation(const ir_kernel *kernel, const ir_node *node);
/* Whether a kernel needs a hidden zero of a type. */
bool codegen_needs_zero(const ir_kernel *kernel, ir_type type);

/* ---- identifiers.c --------------------------------------------------------------------------- */

typedef struct codegen_label {
    char is[128];
} codegen_label;

/* As printf; what is longer is cut off, which no name is. */
codegen_label codegen_format(const char *format, ...) PRINTF_LIKE(1, 2);
/* A user's name with all but letters and digits made underscores, shortened. */
codegen_label codegen_word(const char *word);
/* "p0_u", unlike the name of any other parameter; of several components or elements "p0_u_3". */
codegen_label codegen_param_name(const ir_kernel *kernel, int param);
codegen_label codegen_component_name(const ir_kernel *kernel, int param, int component);
/* The row at offset[1] and offset[2] of a component: "p0_u_m1_0". */
codegen_label codegen_row_name(const ir_kernel *kernel, int param, int component,
                               const int32_t offset[3]);
/* The row that an access reads, for the writer's row. */
codegen_label codegen_read_row_name(const codegen_writer *w, const ir_access *a);
/* "p1_v_new"; of a finer field with the row of the child: "p1_f_new_1_0". */
codegen_label codegen_written_name(const codegen_writer *w, const ir_store *s);
/* "p1_total_lanes", of a store to a reduction; and "p1_total_of", where the contribution of the
 * point at ix is at [ix]. */
codegen_label codegen_lanes_name(const codegen_writer *w, const ir_store *s);
codegen_label codegen_contributions_name(const codegen_writer *w, const ir_store *s);
/* The number, or the element of a table, of a NUMBER node. */
codegen_label codegen_number_name(const ir_kernel *kernel, const ir_node *node);
/* The table of constants of a lookup; and a constant table of the kernel, in memory as a whole. */
codegen_label codegen_table_name(const codegen_writer *w, const codegen_lookup *lookup);
codegen_label codegen_constants_name(const codegen_writer *w, int table);
/* By which points find a reused value; in registers, that at an offset. */
codegen_label codegen_reused_name(const codegen_writer *w, int value, int offset);
/* "i32", "f64", ... as in names of functions. */
const char *codegen_short_type(ir_type type);
/* What stands behind the point in "numbers[3].f64"; and the type of variables. */
const char *codegen_member(ir_type type);
const char *codegen_type(const codegen_writer *w, ir_type type);
/* The type of elements of a field or of contributions to a reduction; of a field as pointers to it
 * have it, with its address space. */
const char *codegen_element_type(const codegen_loop *loop, int param);
codegen_label codegen_field_type(const codegen_writer *w, int param);
/* Rows that are written: one, or those that run together. */
int codegen_together(const codegen_writer *w);
/* For the second of them, and those behind it: what names end in, "_north", "_north_2", or "_above"
 * ("" for the first); and its offsets along y and z from the first. */
const char *codegen_second(const codegen_writer *w);
int32_t codegen_second_y(const codegen_writer *w);
int32_t codegen_second_z(const codegen_writer *w);
/* For the rows of the writer, the only one or several, one after the other. */
void codegen_each_row(const codegen_writer *w, nest *in, codegen_add_row *add);

/* ---- lookup.c, lookup_emit.c: tables in memory ----------------------------------------------- */

void codegen_lookups_free(codegen_lookups *lookups);
/* Whether some lookup reads the tables of the arguments: functions of points are given `numbers`.
 */
bool codegen_reads_tables(const codegen_writer *w);
/* The tables of constants, in front of all functions. */
void codegen_lookup_tables(const codegen_writer *w, nest *file);
/* An element of a table of constants, of the numbers that the loop is given, or of a field;
 * `index`: the expression that chooses it. */
void codegen_lookup_value(text *out, const codegen_writer *w, const codegen_lookup *l,
                          const char *index);

/* ---- constant.c, conversion.c, index.c, expression.c: expressions ---------------------------- */

/* A literal, in parentheses when negative. */
void codegen_constant(text *out, const codegen_dialect *dialect, ir_type type, ir_value value);
/* Text around an expression that converts it; the first is followed by the expression. */
const char *codegen_convert_open(ir_type to, ir_type from);
const char *codegen_convert_close(ir_type to, ir_type from);
/* The same for an element of a field that is read as, or made of, values of a type. */
codegen_label codegen_load_open(ir_type to, kata_type storage);
const char *codegen_load_close(ir_type to, kata_type storage);
codegen_label codegen_store_open(kata_type storage, ir_type from);
const char *codegen_store_close(kata_type storage, ir_type from);
/* The index along a dimension at which a parameter is touched, "ix - 1"; and at which it is read:
 * along levels that run in order, from the lowest to the highest. */
void codegen_index(text *out, const ir_param *param, int dimension, int32_t offset);
void codegen_read_index(text *out, const ir_kernel *kernel, int param, int dimension,
                        int32_t offset);
/* The element at an offset along x of a row that is read or written, in brackets: "[ix - 1]". Of
 * STRIDED rows, `row` with "_x" behind it is the distance of elements. */
void codegen_element(text *out, const codegen_writer *w, int param, int32_t offset, bool reads,
                     const char *row);
/* The name of a named node. */
void codegen_value_name(text *out, const codegen_writer *w, ir_id id);
/* A node where it is used: its name, or the whole expression. */
void codegen_operand(text *out, const codegen_writer *w, ir_id id);
/* Where element i lies in its row, counted in elements or, of strided rows, in strides. */
void codegen_in_row(text *out, const codegen_writer *w, int param, const char *i);
/* The expression that computes a node. */
void codegen_expression(text *out, const codegen_writer *w, ir_id id);
/* The element of a row, or the lane, that a store writes. */
void codegen_target(text *out, const codegen_writer *w, const ir_store *s);

/* ---- position.c ------------------------------------------------------------------------------ */

/* A #line directive for a position in the kernel's text, if the loop asks for them. */
void codegen_position(const codegen_writer *w, nest *in, uint32_t at);
/* Names the nodes that stand on another line of the kernel than what uses them. */
void codegen_name_by_line(const ir_kernel *kernel, codegen_step *steps);

/* ---- point_list.c, point.c: functions of points ---------------------------------------------- */

/* The name of the function of a point, of a point with reused values, or of a group of these. */
void codegen_point_name(text *out, const codegen_writer *w);
/* What such a function is given behind ix: declared, or as given by the loop that calls it. */
void codegen_point_parameters(text *out, const codegen_writer *w);
void codegen_point_arguments(text *out, const codegen_writer *w);
/* The named nodes of a level, of those wanted, as variables; and the variable of one. */
void codegen_steps(const codegen_writer *w, nest *in, codegen_level level);
void codegen_step_of(const codegen_writer *w, nest *in, ir_id id);
/* Whether a node is the first that is made of what a loop that is not unrolled leaves; and that
 * loop, in front of it. */
bool codegen_ends_rounds(const codegen_writer *w, ir_id id);
void codegen_rounds(const codegen_writer *w, nest *in, ir_id after);
/* A store to the element or lane `to`: of the old bits where its condition does not hold. */
void codegen_store(const codegen_writer *w, nest *in, int i, const char *to);
/* The function of a point, and a call of it whose results go to their rows. */
void codegen_point(const codegen_writer *w, nest *file);
void codegen_direct_call(const codegen_writer *w, nest *in);

/* ---- jam.c ----------------------------------------------------------------------------------- */

/* Both points of the writer's pair of rows, at `at + lane`, and what they store, in new_0, ... */
void codegen_jam(const codegen_writer *pair, nest *in);

/* ---- row_pointers.c -------------------------------------------------------------------------- */

/* The rows that are read and written, for the writer's row: where it is the second, those that are
 * not also read for the first. */
void codegen_row_pointers(const codegen_writer *w, nest *in);
/* ", p0_u_0_0 += view[0].y": moves those that are found from the row before to the next one. */
void codegen_row_steps(const codegen_writer *w, text *out);

/* ---- brick.c --------------------------------------------------------------------------------- */

/* The arrays for contributions, in front of all loops; what is still to do behind them. */
void codegen_begin_contributions(const codegen_writer *w, nest *in);
void codegen_end_contributions(const codegen_writer *w, nest *in);
/* The loop over the bricks of a row, whose lanes are variables. What stands in it finds in lo[0]
 * and hi[0] where the brick begins and ends, and in row_points the length of the row. */
nest *codegen_begin_bricks(const codegen_writer *w, nest *in);
/* The last of what stands in it. */
void codegen_end_bricks(const codegen_writer *w, nest *in);
/* The whole bricks of a row, in rounds that end with them. */
void codegen_whole_bricks(const codegen_writer *w, nest *in);

/* ---- loops.c, row.c -------------------------------------------------------------------------- */

/* The loop over a dimension of the box. */
nest *codegen_begin_loop(const codegen_writer *w, nest *in, int dimension);
/* The loops over the points of a row; `wanted`: the nodes that checks need, behind them those that
 * stores need. */
void codegen_row(const codegen_writer *w, nest *in, const bool *wanted);
/* The loop over the points of a row, with what the compiler is told where they are independent. */
nest *codegen_begin_points(const codegen_writer *w, nest *in, nest_hint hint);

/* ---- function.c ------------------------------------------------------------------------------ */

/* The function of a loop, and those that it calls. */
void codegen_function(codegen_writer *w, nest *file, const bool *wanted);

/* ---- passes.c, and a file for each larger pass ----------------------------------------------- */

/* Decides whether and how a loop is made faster, in the writer. False when memory is out. */
typedef bool codegen_pass(codegen_writer *w);
codegen_pass codegen_look_up, codegen_reuse_values, codegen_widen_bytes, codegen_clear_bytes,
    codegen_pair_rows, codegen_pair_planes, codegen_prefetch, codegen_split_cases,
    codegen_begin_with_ends, codegen_keep_reused;

/* Runs the passes in their order, but those that the loop leaves out. */
bool codegen_run_passes(codegen_writer *w);

/* ---- row_reuse.c and the files reuse_*.c ----------------------------------------------------- */

void codegen_reuse_free(codegen_reuse *reuse);
/* What is added to the nest for reused values. */
void codegen_reuse_functions(const codegen_writer *w, nest *file);
nest *codegen_reuse_part(const codegen_writer *w, nest *in);
/* The same where they stay in registers: see reuse_registers.c. */
nest *codegen_reuse_rounds(const codegen_writer *w, nest *in);

#endif
