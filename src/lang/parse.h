/* Private to lang: text to syntax trees. */
#ifndef LANG_PARSE_H
#define LANG_PARSE_H

#include "lang/compiler.h"

/* ---- parse_type.c ---------------------------------------------------------------------------- */

/* type = "bool" | "int" | ...: the current token must be one. */
bool lang_parse_type(lang_compiler *c, ir_type *type);
/* Whether a name is nearly that of a type. */
bool lang_is_near_type(const char *name);
/* Adds "did you mean ..." to the error if it is; says whether. */
bool lang_suggest_type(lang_compiler *c, const char *name);

/* ---- number.c, parse_expression.c ------------------------------------------------------------ */

/* The literal of the current token, which is a number. */
lang_expr *lang_parse_number(lang_compiler *c);
lang_expr *lang_parse_expression(lang_compiler *c);
/* A list of at least one expression, up to and including the sign `close`. `where` is for the
 * message if that is missing. */
lang_expr *lang_parse_list(lang_compiler *c, lang_sign close, const char *where);

/* ---- parse_declaration.c --------------------------------------------------------------------- */

lang_stmt *lang_make_stmt(lang_compiler *c, lang_stmt_kind kind, uint32_t at);
/* Appends statements to the list that ends at **tail; false if there are none. */
bool lang_append_stmt(lang_stmt ***tail, lang_stmt *s);
/* A name; `what` says of which kind in the message "expected the name of a parameter". */
bool lang_parse_name(lang_compiler *c, const char *what, lang_name **name, uint32_t *at);
/* lengths = "[" [expression] "]" ["[" expression "]" ["[" expression "]"]] */
bool lang_parse_lengths(lang_compiler *c, lang_expr *lengths[3]);
/* Declarators up to and including the semicolon, as DECLARE statements. */
lang_stmt *lang_parse_declarators(lang_compiler *c, ir_type type, bool constant);
/* declaration = ["const"] type declarators */
lang_stmt *lang_parse_declaration(lang_compiler *c);
bool lang_at_declaration(const lang_compiler *c);

/* ---- parse_statement.c, parse_file.c --------------------------------------------------------- */

/* The block of a function; an empty block is NULL with *ok set. */
lang_stmt *lang_parse_block(lang_compiler *c, bool *ok);
/* All definitions of the present text, in order, and its imports; none is NULL with *ok set. */
lang_function *lang_parse_file(lang_compiler *c, lang_import **imports, bool *ok);

/* ---- contract.c ------------------------------------------------------------------------------ */

bool lang_at_contract(const lang_compiler *c);
/* contract = "contract" "off" ";": sets *off. `first`: no definition stands before it. False when
 * the compilation is to end. */
bool lang_parse_contract(lang_compiler *c, bool first, bool *off);

/* ---- ratio.c --------------------------------------------------------------------------------- */

/* ratio = ("finer" | "coarser") "(" expression {"," expression} ")"; nothing where neither stands.
 */
bool lang_parse_ratio(lang_compiler *c, lang_param *p);

/* ---- along.c --------------------------------------------------------------------------------- */

/* along = "along" ("x" | "y" | "z" | "xy" | "xz" | "yz" | "xyz"), or nothing */
bool lang_parse_along(lang_compiler *c, lang_param *p);

/* ---- on.c ------------------------------------------------------------------------------------ */

/* "cell" | "edge" | "vertex"; several: "cells" | "edges" | "vertices". */
bool lang_parse_location(lang_compiler *c, bool several, kata_location *location);
/* on = "on" location [":" locations], or nothing; `each` NULL: a location alone */
bool lang_parse_on(lang_compiler *c, kata_location *on, kata_location *each, uint32_t *at);
/* Reports an 'on' that stands behind something; says whether. `right`: the right order. */
bool lang_stands_behind(lang_compiler *c, const char *what, const char *right);

/* ---- neighbours.c ---------------------------------------------------------------------------- */

/* Whether a loop over neighbours goes on here, behind '(' or, if `typed`, a type. */
bool lang_at_neighbours(const lang_compiler *c, bool typed);
/* Parses the rest of its head. The type, if there is one, stands at `at`. */
bool lang_parse_neighbours(lang_compiler *c, lang_stmt *s, bool typed, uint32_t at, ir_type type);

/* ---- real.c ---------------------------------------------------------------------------------- */

/* Remembers a type in the syntax that was just parsed, if it is `real` (IR_TYPE_COUNT), and makes
 * it double. */
bool lang_note_real(lang_compiler *c, ir_type *type);
/* Makes all remembered types double or float. */
void lang_set_real(lang_compiler *c, ir_type type);

/* ---- import.c: files that import others ------------------------------------------------------ */

/* Adds a text, which lives as long as the module, to its sources. NULL when memory is out. */
source *lang_source_add(lang_compiler *c, const char *name, const char *text, size_t length);
/* Finds the parts of a text with imports behind its end, and ends the text before the first part.
 */
bool lang_import_split(lang_compiler *c);
/* All definitions of the module's text and of its imports; the definitions of a file follow those
 * of its imports. */
lang_function *lang_parse_all(lang_compiler *c, const lang_options *options, bool *ok);

/* ---- constants.c: load-time constants -------------------------------------------------------- */

/* Reads "R = 8, C = 0.5" (NULL: nothing). */
bool lang_constants_parse(lang_compiler *c, const char *text);
/* A constant of the file as it is to be declared: with the value given at load time, if there is
 * one, instead of its own. */
bool lang_constant_apply(lang_compiler *c, const lang_declared *own, lang_declared *applied);
/* Reports a given constant that the file does not define. */
bool lang_constants_all_taken(lang_compiler *c, const lang_function *definitions);

#endif
