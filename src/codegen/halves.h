/* f16, a vector at a time: halves.c. */
#ifndef CODEGEN_HALVES_H
#define CODEGEN_HALVES_H

#include "codegen/emit.h"

/* Whether a parameter's field is f16, is computed with as float, and lies in rows. */
bool codegen_is_half(const codegen_loop *loop, int param);
/* The access that a node reads, if it is one whose numbers are at hand as float; -1 otherwise. */
int codegen_half_of(const codegen_writer *w, const ir_node *node);
/* Whether the result of a store, which becomes f16, is held as float; and the type that it is held
 * as. */
bool codegen_holds_float(const codegen_writer *w, int store);
const char *codegen_held_type(const codegen_writer *w, int store);
/* For the writer's row: makes float of what the points of the vector at `at` read. */
void codegen_widen_row(const codegen_writer *w, nest *in);
/* Makes f16 of a result that is held as float: narrow_I of new_I. */
void codegen_narrow_result(const codegen_writer *w, nest *in, int store);
codegen_pass codegen_find_halves;

#endif
