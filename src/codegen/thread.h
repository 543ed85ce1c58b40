/* Private to codegen: what the kernels of devices share. A thread runs a point, or those of its
 * shape. */
#ifndef CODEGEN_THREAD_H
#define CODEGEN_THREAD_H

#include "codegen/halves.h"

/* ---- row_vectors.c: rows that a thread reads and writes as vectors --------------------------- */

/* Whether what is read of a parameter at a row is at hand in an array; and the element of the array
 * for the writer's lane at an offset along x. */
bool codegen_has_vectors(const codegen_writer *w, int param);
void codegen_vector_element(text *out, const codegen_writer *w, const ir_node *node);
/* An index so far from another one in a row: beyond the sides of a row that wraps lies its other
 * end. */
codegen_label codegen_wrapped(const codegen_writer *w, int param, const char *from, int offset);
/* Of a whole chunk, the first rows of fields of which points share what they read; reads all rows
 * of these, or of the other fields; and writes the results new_0, new_1, ... of all lanes. */
void codegen_first_rows(const codegen_writer *w, nest *in);
void codegen_read_vectors(const codegen_writer *w, nest *in, bool shared);
void codegen_write_vectors(const codegen_writer *w, nest *in);

/* The bytes that a thread reads for all of its points. */
int codegen_bytes_held(const codegen_loop *loop, const codegen_shape *shape);

/* ---- thread_points.c: the points of a thread ------------------------------------------------- */

/* Numbers, views, and what is computed once. */
void codegen_thread_head(const codegen_writer *w, nest *in);
/* What all points of a row need. */
void codegen_thread_row(const codegen_writer *w, nest *in);
/* The point at ix, or the vector of points that begins at `at`, of a row: what they give is
 * written, and is in new_0, new_1, .... */
void codegen_thread_points(const codegen_writer *w, nest *in);
/* The first index along a dimension that a thread has: "const ABI_STEP iy = ...". */
void codegen_thread_index(const codegen_writer *w, nest *in, int dimension, const char *name);
/* Leaves out points of other colours, by a statement. */
void codegen_skip_colors(const codegen_writer *w, nest *in, const char *skip);

/* ---- brick_kernel.c, point_kernel.c, tree_kernel.c, fill_kernel.c ---------------------------- */

/* The body of a kernel with reductions. */
void codegen_brick_kernel(const codegen_writer *w, nest *kernel);
/* Whole kernels. */
void codegen_device_function(text *out, const codegen_loop *loop, const codegen_shape *shape,
                             const codegen_dialect *dialect);
void codegen_tree_function(text *out, const ir_param *param, const codegen_dialect *dialect);
void codegen_column_function(text *out, const ir_param *param, kata_type storage,
                             const codegen_dialect *dialect);
void codegen_copy_function(text *out, int bytes, const codegen_dialect *dialect);
void codegen_fill_function(text *out, kata_type storage, const codegen_dialect *dialect);

#endif
