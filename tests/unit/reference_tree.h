/* Kernels built by hand, and chains of them run by the reference executor. */
#ifndef REFERENCE_TREE_H
#define REFERENCE_TREE_H

#include "exec/exec.h"
#include "store/store.h"

enum { TREE_MOST = 8 };

/* One kernel with its bindings; everything lives in `memory`. */
typedef struct tree {
    arena memory;
    ir_param params[TREE_MOST];
    ir_local locals[TREE_MOST];
    ir_kernel kernel;
    chain_binding bindings[TREE_MOST];
    ir_stmt **end; /* where the next statement of the body goes */
} tree;

void tree_start(tree *t);
void tree_free(tree *t);
/* Add a parameter bound to a slot (NULL for numbers); give its index. */
int tree_param(tree *t, ir_param_kind kind, ir_type type, int count, chain_slot *slot);
int tree_local(tree *t, ir_type type, int length);

ir_expr *tree_double(tree *t, double x);
ir_expr *tree_long(tree *t, int64_t x);
ir_expr *tree_bool(tree *t, bool x);
ir_expr *tree_variable(tree *t, int local, ir_expr *element);
ir_expr *tree_number(tree *t, int param, ir_expr *element);
ir_expr *tree_index(tree *t, int dimension);
/* A load at run-time offsets; NULL for 0. */
ir_expr *tree_load(tree *t, int param, ir_expr *component, ir_expr *dx, ir_expr *dy);
/* The load of component 0 at constant offsets. */
ir_expr *tree_at(tree *t, int param, int dx, int dy);
ir_expr *tree_op(tree *t, ir_op op, ir_type type, ir_expr *a, ir_expr *b, ir_expr *c);
ir_expr *tree_call(tree *t, int local, ir_stmt *body);

ir_stmt *tree_stmt(tree *t, ir_stmt_kind kind, int index, ir_expr *element, ir_expr *value);
/* Links statements into a list. */
ir_stmt *tree_list(ir_stmt *first, ir_stmt *second);
/* Adds a statement to the kernel. */
void tree_do(tree *t, ir_stmt *stmt);

/* Runs the kernel on a box of a grid (on all of it when box is NULL). */
kata_status tree_run(tree *t, const grid_shape *shape, const grid_box *box, messages *m);
/* The same on all of a grid; it must succeed. */
void tree_run_ok(tree *t, const grid_shape *shape);

/* A slot without array yet. */
chain_slot tree_slot(const grid_shape *shape, kata_type type, int components);
/* All its values, in plain order. */
void tree_fill(chain_slot *slot, const double *values);
void tree_read_all(const chain_slot *slot, double *values);
/* The value at (x, 0, 0). */
double tree_value_at(const chain_slot *slot, int64_t x);
/* From -1 to 1. */
double tree_random(void);

#endif
