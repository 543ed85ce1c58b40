/* ir: kernels in two forms. The tree is the kernel as it is written (tree.h), the graph is the
 * kernel as it is computed (graph.h); ir_lower turns the first into the second. operation.h has the
 * table of operations, type.h types, values and storage. */
#ifndef IR_IR_H
#define IR_IR_H

#include "ir/kernel.h"

/* ---- results.c ------------------------------------------------------------------------------- */

/* Builds graph, stores, accesses, rank and hash of a kernel from its tree. Reports, with its
 * location, whatever the tree must not do: a loop or index that is not known at compile time, a
 * variable read before it is set, an out read before it is written, an out never written, too much
 * work. */
kata_status ir_lower(ir_kernel *kernel, arena *memory, messages *m);
/* Frees what ir_lower made outside the arena. */
void ir_kernel_free(ir_kernel *kernel);

/* ---- inline.c: kernels in one
 * --------------------------------------------------------------------
 */

/* A kernel, and where its parameters are found. */
typedef struct ir_inlined {
    const ir_kernel *kernel;
    int *param; /* by parameter: the new kernel's, */
    int *maker; /* and the number of the kernel that computes it; -1: none does, it is read */
} ir_inlined;

/* Whether what a kernel writes can be computed where it is read: one value for each point, which
 * depends on nothing but the values of fields and numbers. */
bool ir_can_inline(const ir_kernel *kernel);
/* Makes the kernel that does what the last one does, and computes what the others make wherever
 * that is read, in the same operations. Each kernel comes behind those that it reads from; all but
 * the last ir_can_inline. `out` has its name and parameters; the rest is set. False where memory is
 * out, or the graph becomes too large. To be freed by ir_kernel_free in any case. */
bool ir_inline(const ir_inlined *kernels, int count, arena *memory, ir_kernel *out);
/* Operations of a point, weighted by their cost: those of elementary functions and divisions count
 * several. */
int64_t ir_work(const ir_kernel *kernel);

/* ---- fuse.c: kernels in one, point by point ---------------------------------------------------
 */

/* A kernel, and the new kernel's parameters by its own: one for each field that some kernel writes,
 * and for each reduction. */
typedef struct ir_part {
    const ir_kernel *kernel;
    const int *param;
} ir_part;

/* Whether a kernel may be one with others: it writes what it writes at each point, and nothing of
 * it depends on other points' results. */
bool ir_can_fuse(const ir_kernel *kernel);
/* Makes the kernel that does at each point what all of them, which ir_can_fuse, do one after
 * another. `out` has its name and parameters, of which those that are written are OUT; they become
 * INOUT where old values are read. `exact`, by these: it is a field that is stored as kernels
 * compute it. The rest is set. False where a kernel reads around the point what another one writes,
 * where the graph becomes too large, or memory is out. To be freed by ir_kernel_free in any case.
 */
bool ir_fuse(const ir_part *parts, int count, const bool *exact, arena *memory, ir_kernel *out);

/* ---- relation.c: neighbours in an icosahedral grid ---------------------------------------------
 */

/* A neighbour: how many parallelograms further it lies along x and y, and its colour there. */
typedef struct ir_neighbour {
    int x, y, color;
} ir_neighbour;

enum { IR_MOST_COLORS = 3, IR_MOST_NEIGHBOURS = 6 };

/* The neighbours of one kind, in their order, of each colour. */
typedef struct ir_relation {
    int count;
    ir_neighbour of[IR_MOST_COLORS][IR_MOST_NEIGHBOURS];
} ir_relation;

/* Neither of the two is KATA_NOWHERE. */
const ir_relation *ir_relation_of(kata_location from, kata_location to);
/* 2 of cells, 3 of edges, 1 of vertices and nowhere. */
int ir_colors(kata_location on);
/* The values that a field has for a parallelogram; `each`: KATA_NOWHERE, or one value for each such
 * neighbour. */
int ir_values_on(kata_location on, kata_location each);
/* An edge has two cells and two vertices. Between it and one of these: 1 if that is the edge's
 * first, -1 if it is its second. One of `from` and `to` is KATA_EDGES, the other is not. */
int ir_orientation(kata_location from, kata_location to, int color, int slot);
/* "cell_edges" */
const char *ir_relation_name(kata_location from, kata_location to);
/* A mesh, as far as a kernel depends on it: of each relation (by location - KATA_CELLS) its slots,
 * 0 where it is not known, and a bit for each slot that is empty somewhere. */
typedef struct ir_mesh {
    int width[3][3];
    uint64_t misses[3][3];
    int axis[3];    /* the dimension of a loop along which x, y and z of the text lie */
    bool placed[3]; /* elements of this kind do not lie at their numbers */
} ir_mesh;
/* "cell", "cells" */
const char *ir_location_name(kata_location on, bool several);
/* "on cell : edges", "at points" */
void ir_location_print(text *out, kata_location on, kata_location each);
/* "KATA_CELLS" */
const char *ir_location_constant(kata_location on);

/* ---- loop_nodes.c ---------------------------------------------------------------------------- */

/* For each node, a bit for each loop in whose rounds it is computed. */
void ir_find_loops(const ir_graph *g, uint64_t *within);
/* The innermost of such loops; -1: none. */
int ir_innermost_loop(uint64_t within);

/* ---- chosen.c -------------------------------------------------------------------------------- */

/* From so many on, the components that an index known at run time chooses from are one read from
 * memory; of fewer a choice is as fast. */
enum { IR_FEWEST_CHOSEN = HOSTILE(16, 3) };
/* Whether a node reads a component that may be chosen in memory. */
bool ir_may_choose_component(const ir_kernel *kernel, const ir_node *read);
/* Whether two nodes read components of one field at one offset. */
bool ir_reads_beside_each_other(const ir_node *a, const ir_node *b);

/* ---- compile_cost.c -------------------------------------------------------------------------- */

/* An estimate of what a lowered kernel costs the C compiler, in operations. */
int64_t ir_compile_cost(const ir_kernel *kernel);
/* The part of it for elementary functions. */
int64_t ir_function_cost(const ir_kernel *kernel);
/* The most values of a point that are needed later, at any node of the graph, plus the number of
 * results: what the C compiler has to keep in registers or to address. 0 when memory is out. */
int64_t ir_values_at_once(const ir_kernel *kernel);
/* Refuses (KATA_ERROR_LIMIT) a lowered kernel that would keep the C compiler busy for more than ten
 * seconds. */
kata_status ir_check_compile_cost(const ir_kernel *kernel, messages *m);

/* ---- print.c --------------------------------------------------------------------------------- */

/* The graph in the text form of docs/ir.md. */
void ir_print(text *out, const ir_kernel *kernel);
/* A value, as briefly as it can be read back. */
void ir_print_value(text *out, ir_type type, ir_value value);
/* " finer(2)", " coarser(2,2,1)"; nothing of a parameter without ratio. */
void ir_print_ratio(text *out, const ir_kernel *kernel, const ir_param *param);
/* The name of a LOCAL, NUMBER or LOAD without index, or of an INDEX: "u[1,0]". at[0] is its
 * component, at[1..3] are its offsets. */
enum { IR_LABEL = 80 };
void ir_print_label(char label[IR_LABEL], const ir_kernel *kernel, const ir_expr *e,
                    const int64_t at[4]);
/* Parameters with their accesses, for people. */
void ir_print_accesses(text *out, const ir_kernel *kernel);
/* The least number of colours such that no two points of one colour meet; 0: none is known. */
int ir_in_place_colors(const ir_kernel *kernel);
/* Prints an order in which no points meet at a parameter that a kernel without an order changes in
 * place; nothing, and false, if there is none. */
bool ir_print_order_in_place(text *out, const ir_kernel *kernel, int param);

/* ---- verify.c -------------------------------------------------------------------------------- */

/* NULL when a lowered kernel keeps its invariants (operands before users, types, ranges of indices,
 * order of stores and accesses), otherwise what is wrong. */
const char *ir_verify(const ir_kernel *kernel);

#endif
