/* Private to codegen: rows that are found from few of them by strides. */
#ifndef CODEGEN_STRIDES_H
#define CODEGEN_STRIDES_H

#include "codegen/emit.h"

codegen_pass codegen_use_strides;
/* Whether the row of an access is found so, for the writer's row; and whether some row of a
 * parameter is. */
bool codegen_is_strided(const codegen_writer *w, const ir_access *a);
bool codegen_has_strides(const codegen_writer *w, int param);
/* The strides, in front of all loops. */
void codegen_strides(const codegen_writer *w, nest *in);
/* The bases, behind the pointers to rows; and the rows, for the vector at `at`. */
void codegen_stride_bases(const codegen_writer *w, nest *in);
void codegen_strided_rows(const codegen_writer *w, nest *in);

#endif
