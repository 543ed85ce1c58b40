/* Checks of the points of a row, and additions to bins, which may check them, too. */
#ifndef CODEGEN_BIN_CHECKS_H
#define CODEGEN_BIN_CHECKS_H

#include "codegen/emit.h"

/* ---- checks.c, additions.c ------------------------------------------------------------------- */

/* Checks the points of a row; and ends the function at the first one at which a check fails. */
void codegen_checks(const codegen_writer *w, nest *in);
void codegen_failure(const codegen_writer *w, nest *in);
/* Adds what the points of a row contribute to bins, before anything is written to the row. */
void codegen_additions(const codegen_writer *w, nest *in);
/* Whether it checks the points, too. */
bool codegen_checks_additions(const codegen_writer *w);

#endif
