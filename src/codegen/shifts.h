/* Private to codegen: what points read side by side of a row (row_shifts.c). */
#ifndef CODEGEN_SHIFTS_H
#define CODEGEN_SHIFTS_H

#include "codegen/emit.h"

codegen_pass codegen_shift_rows;
/* Whether what an access reads is at hand, in near_I; and the access that a node reads, if so, -1
 * otherwise. */
bool codegen_is_shifted(const codegen_writer *w, int access);
int codegen_shift_of(const codegen_writer *w, const ir_node *node);
/* For the writer's row: what the points of the vector at `at` read. */
void codegen_shift_row(const codegen_writer *w, nest *in);

#endif
