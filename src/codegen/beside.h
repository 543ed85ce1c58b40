/* Private to codegen: rows of a skewed box that run side by side. */
#ifndef CODEGEN_BESIDE_H
#define CODEGEN_BESIDE_H

#include "codegen/emit.h"

/* ---- row_beside.c: rows of a skewed box that run side by side ------------------------------- */

/* What an access reads, or a store writes, of row w->beside; and that row's index along y. */
codegen_label codegen_read_row_beside(const codegen_writer *w, const ir_access *a);
codegen_label codegen_written_row_beside(const codegen_writer *w, const ir_store *s);
codegen_label codegen_y_beside(const codegen_writer *w);
/* Whether an access reads what the point before it in the row has written. */
bool codegen_is_carried(const ir_kernel *kernel, int param, int component, const int32_t offset[3]);
/* "carried_0_2", and of row w->beside. */
codegen_label codegen_carried_name(int param, int component);
codegen_label codegen_carried_beside(const codegen_writer *w, int param, int component);
/* The pointers to its rows that have no name yet. */
void codegen_beside_pointers(const codegen_writer *w, nest *in);

/* ---- skewed_rows.c: its loops over y and x
 * --------------------------------------------------------------------------- */

void codegen_skewed_rows(const codegen_writer *w, nest *in);

#endif
