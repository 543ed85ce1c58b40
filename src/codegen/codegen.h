/* codegen: kernel graphs to C text, of functions as abi/abi.h says. */
#ifndef CODEGEN_CODEGEN_H
#define CODEGEN_CODEGEN_H

#include "abi/abi.h"
#include "ir/ir.h"

/* Where in a row of a component element i is. */
typedef enum codegen_rows {
    CODEGEN_CONTIGUOUS, /* at i */
    CODEGEN_TOGETHER,   /* at i times the number of components */
    CODEGEN_BLOCKED,    /* in blocks of ABI_BLOCK elements of each component */
    CODEGEN_STRIDED     /* at i times the view's x */
} codegen_rows;

/* A kernel bound to storage types and layouts. */
typedef struct codegen_loop {
    const ir_kernel *kernel;
    const kata_type *storage; /* per parameter; read for field parameters only */
    const codegen_rows *rows; /* the same; NULL: all contiguous */
    bool colored;             /* visits only the points of a colour */
    bool lines;               /* with #line directives that lead to the kernel's text */
} codegen_loop;

/* ---- kernel_file.c --------------------------------------------------------------------------- */

/* A name for the function of a loop: "kata_" and a hash of graph, storage types and rows. Loops
 * that compute the same have the same name. */
void codegen_name(const codegen_loop *loop, char name[64]);
/* A whole file: the functions of loops that have different names, behind what they need. */
void codegen_file_text(text *out, const codegen_loop *loops, size_t count);
/* Text of abi.h, and of vector.h, which stands in generated code. */
extern const char abi_text[], codegen_vector_text[];
/* Text of lanes.h, which stands there where a loop reduces. */
extern const char codegen_lanes_text[];
/* Position of the first view, and of the first number, of a parameter; those of param_count are the
 * numbers of views and numbers. */
int codegen_view_index(const ir_kernel *kernel, int param);
int codegen_number_index(const ir_kernel *kernel, int param);
/* Position of the first view that is written, of a parameter that is. */
int codegen_store_index(const ir_kernel *kernel, int param);

/* ---- function.c ------------------------------------------------------------------------------ */

/* The function of a loop alone, with that of its points. */
void codegen_function_text(text *out, const codegen_loop *loop);

/* ---- schedule.c: for codegen's own use ------------------------------------------------------- */

/* The outermost loop level at which a node can be computed. */
typedef enum codegen_level {
    CODEGEN_ONCE,  /* of numbers and sizes */
    CODEGEN_PLANE, /* and iz */
    CODEGEN_ROW,   /* and iy */
    CODEGEN_POINT  /* and ix, or values of fields */
} codegen_level;

typedef struct codegen_step {
    uint8_t level;
    bool leaf;  /* written where it is used: constants, numbers, indices, sizes */
    bool named; /* computed once into a variable, otherwise written where it is used */
    uint32_t uses, size;
} codegen_step;

/* One step per node of the graph, to be freed; NULL when memory is out. */
codegen_step *codegen_schedule(const ir_kernel *kernel);

/* ---- constant.c: for codegen's own use ------------------------------------------------------- */

/* A literal, in parentheses when negative. */
void codegen_constant(text *out, ir_type type, ir_value value);

/* ---- row_reuse.c: for codegen's own use
 * ---------------------------------------------------------- */

enum {
    CODEGEN_MOST_KEPT = 8,
    CODEGEN_SHARE_SPAN = 16,   /* the furthest that points which share a value are apart */
    CODEGEN_SHARE_POINTS = 128 /* of a row, for which values are kept at a time */
};

/* A value that points of a row share: that of a node, at all places from `low` before the first
 * point to `high` behind the last, both included. `place` is the node's own. */
typedef struct codegen_kept {
    ir_id node;
    int32_t place, low, high;
    int group; /* from 1: those with equal places; made of what is kept in earlier ones */
} codegen_kept;

typedef struct codegen_sharing {
    codegen_kept kept[CODEGEN_MOST_KEPT];
    int count, group_count;
    int *of;        /* per node: 1 + index of what is kept, 0 where nothing is */
    int32_t *place; /* and where, seen from the point */
} codegen_sharing;

/* NULL when memory is out. */
codegen_sharing *codegen_find_sharing(const codegen_loop *loop, const codegen_step *steps);
void codegen_sharing_free(codegen_sharing *s);

/* ---- line.c, expression.c, index.c, function.c, point.c, brick.c, reuse_emit.c, fetch.c,
 * vectors.c, row_pairs.c, row.c
 * -------------------------------------------------------------------------------- */

/* Conditions of intervals for which a loop is written twice, at most. */
enum { CODEGEN_CASES = 3 };

typedef struct codegen_writer {
    text *out;
    const codegen_loop *loop;
    const codegen_step *steps;
    const bool *wanted; /* nodes to compute in the loop being written; NULL: all */
    ir_id
        known[CODEGEN_CASES]; /* conditions that are known there, 0 for others, and what they are */
    bool holds[CODEGEN_CASES];
    const codegen_sharing *sharing; /* NULL: nothing is shared */
    int group; /* being computed, what earlier ones keep is known; the last + 1: points; 0: none */
    int32_t moved;  /* of the point along x, from that of the node being computed */
    int paired;     /* two rows are computed at once: along y (1) or z (2); 0: one is */
    int32_t second; /* of two rows, the one at iy and iz (0) or its neighbour (1) */
} codegen_writer;

/* Spaces of a line within a loop. */
void codegen_indent(const codegen_writer *w, codegen_level level);
/* The head of the loop over a dimension of the box. */
void codegen_begin_loop(const codegen_writer *w, int dimension);
/* The named nodes of a level, of those wanted, in lines indented as those of `place`. */
void codegen_steps(const codegen_writer *w, codegen_level level, codegen_level place);
/* The function of a point. */
void codegen_point_text(const codegen_writer *w);
/* The functions of the places of what is kept, group by group. */
void codegen_kept_text(const codegen_writer *w);
/* Whether a node's value is found among what is kept. */
bool codegen_is_kept(const codegen_writer *w, ir_id id);
/* Marks the operands of marked nodes, and so on, but of those that are kept. */
void codegen_mark_operands(const codegen_writer *w, bool *wanted);
/* For the rows of the writer, the only one or two, one after the other. */
typedef void codegen_add_row(const codegen_writer *w, int lanes);
void codegen_each_row(const codegen_writer *w, int lanes, codegen_add_row *add);
/* Fetches, where the vector at `at` is computed, of what is read the next row, and of what is
 * written otherwise than past the caches what lies a few lines ahead. */
void codegen_fetches(const codegen_writer *w, int lanes);
/* Begins the loop over parts of a row, from part to part_end, with what their points share. */
void codegen_begin_part(const codegen_writer *w, int lanes);
/* Names what is read later, and fetches of it. */
void codegen_fetched_rows(const codegen_writer *w, int lanes);
void codegen_read_fetches(const codegen_writer *w);
enum { CODEGEN_AHEAD = 8 }; /* vectors between what is computed and what is fetched of a row */
/* Whether the points of rows run in vectors. */
bool codegen_runs_vectors(const codegen_loop *loop);
/* The loops over the vectors of a row, and over the points at its ends that belong to none. */
void codegen_vectors(const codegen_writer *w);
/* Whether vectors are written when they are computed, not in pieces of several. */
bool codegen_writes_vectors(const codegen_loop *loop);
/* The call of a point whose results go to their rows. */
void codegen_direct_call(const codegen_writer *w);
/* The dimension along which pairs of rows are worth it for the kernel: 1, 2, or 0 for none. */
int codegen_paired(const codegen_writer *w);
/* The loop over pairs along `dimension`, in it, along z, that over y; where codegen_paired says
 * so. What is left without another is at `unpaired`, if it lies in the box. */
void codegen_pairs(const codegen_writer *w, int dimension);
/* What names of the second row end in: "_north" or "_above", or "" for the first. */
const char *codegen_second(const codegen_writer *w);
/* The offset along y and z of the writer's row from the first. */
int32_t codegen_second_y(const codegen_writer *w);
int32_t codegen_second_z(const codegen_writer *w);
/* The rows that are read and written, for the writer's row: where it is the second, those that are
 * not also read for the first. */
void codegen_row_pointers(const codegen_writer *w);
/* The beginning of the call of a point's function, to be followed by ", " and the address of an
 * element for each store, and a parenthesis. */
void codegen_call_begin(const codegen_writer *w, const char *ix);
/* The loops over the points of a row; `wanted`: the nodes that checks need, behind them those that
 * stores need. */
void codegen_row_text(codegen_writer *w, const bool *wanted);
/* C type of the elements of a field or of contributions to a reduction. */
const char *codegen_element_type(const codegen_loop *loop, int param);
/* "p1_v_new"; of a finer field with the row of the child: "p1_f_new_1_0". To be freed. */
text codegen_written_name(const codegen_writer *w, const ir_store *s);
/* The element of a row that a store writes. */
void codegen_target(const codegen_writer *w, const ir_store *s);
/* Whether a written field is read otherwise than what the point itself has written. */
bool codegen_is_read(const ir_kernel *kernel, int param);
/* Whether what a parameter receives is combined in lanes; whether any is. */
bool codegen_has_lanes(const codegen_loop *loop, int param);
bool codegen_reduces(const codegen_loop *loop);
/* The loop over the bricks of a row, whose lanes are variables. What stands in it finds in lo[0]
 * and hi[0] where the brick begins and ends, and in row_points the length of the row. */
void codegen_begin_bricks(const codegen_writer *w);
void codegen_end_bricks(const codegen_writer *w);
/* "p1_total_lanes", of a store to a reduction. To be freed. */
text codegen_lanes_name(const codegen_writer *w, const ir_store *s);
/* Whether rows of a field at other offsets along y and z lie at multiples of the view's distances
 * from that of the point. */
bool codegen_is_regular(const ir_kernel *kernel, int param);
/* Whether two accesses or stores are of one row. */
bool codegen_same_row(const ir_access *a, const ir_access *b);
bool codegen_same_written_row(const ir_store *a, const ir_store *b);
/* The variable that hides a zero of a type; NULL where the kernel needs none. */
const char *codegen_zero(const ir_kernel *kernel, ir_type type);
/* A #line directive for a place in the kernel's text, if the loop asks for them. */
void codegen_line(const codegen_writer *w, uint32_t at);
/* Names the nodes that stand on another line of the kernel than what uses them. */
void codegen_name_by_line(const ir_kernel *kernel, codegen_step *steps);
/* A node where it is used: its name, or the whole expression. */
void codegen_operand(const codegen_writer *w, ir_id id);
/* The expression that computes a node. */
void codegen_expression(const codegen_writer *w, ir_id id);
/* Text around an expression that converts it; the first is followed by the expression. */
const char *codegen_convert_open(ir_type to, ir_type from);
const char *codegen_convert_close(ir_type to, ir_type from);
/* The same for an element of a field that is read as, or made of, values of a type. */
const char *codegen_load_open(char out[48], ir_type to, kata_type storage);
const char *codegen_load_close(ir_type to, kata_type storage);
const char *codegen_store_open(char out[48], kata_type storage, ir_type from);
const char *codegen_store_close(kata_type storage, ir_type from);
/* "i32", "f64", ... as in names of functions. */
const char *codegen_short_type(ir_type type);
/* C type of variables. */
const char *codegen_type(ir_type type);
/* A user's name with all but letters and digits made underscores, shortened. */
void codegen_word(text *out, const char *word);
/* "pINDEX_NAME", unlike that of any other parameter. */
void codegen_param_name(text *out, const ir_kernel *kernel, int param);
/* "p0_u"; of several components or elements "p0_u_3". */
void codegen_component_name(text *out, const ir_kernel *kernel, int param, int component);
/* The index along a dimension at which a parameter is touched: "ix - 1". */
void codegen_index(text *out, const ir_param *param, int dimension, int32_t offset);
/* The same of what is read; along levels that run in order, from the first to the last that may be.
 */
void codegen_read_index(const codegen_writer *w, int param, int dimension, int32_t offset);
/* The rows of a parameter; contiguous for those that are no fields. */
codegen_rows codegen_rows_of(const codegen_loop *loop, int param);
/* Whether points run block by block: then the index of an element that belongs to the point in a
 * BLOCKED row is ix and a number that is the same for the block, "pINDEX_NAME_block". */
bool codegen_runs_blocks(const codegen_loop *loop);
/* The element at an offset along x of a row that is read or written, in brackets: "[ix - 1]". Of
 * STRIDED rows, `row` with "_x" behind it is the distance of elements. */
void codegen_element(const codegen_writer *w, int param, int32_t offset, bool reads,
                     const char *row);
/* Pointer to the row at offset[1] and offset[2] of a component. */
void codegen_row_name(text *out, const ir_kernel *kernel, int param, int component,
                      const int32_t offset[3]);
/* Whether operand k of a node is a zero that the compiler must not know: gcc 12 takes 0 - x, also
 * where it makes it of -x + 0, for -x where x is never -0, as an integer converted or |y|. */
bool codegen_hides_zero(const ir_kernel *kernel, const ir_node *node, int k);
/* Whether a node is an integer made of a floating-point number. Such a zero is added to it: gcc 12
 * takes (double)(int64_t)x for trunc(x), which is -0 where x lies between -1 and 0. */
bool codegen_is_truncation(const ir_kernel *kernel, const ir_node *node);
/* Whether an operation is defined in elementary.h, or in elementary_trig.h. */
bool codegen_is_elementary(ir_op op);
bool codegen_is_trigonometric(ir_op op);

#endif
