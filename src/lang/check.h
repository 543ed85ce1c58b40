/* Private to lang: syntax trees to IR trees, with their types and diagnostics. */
#ifndef LANG_CHECK_H
#define LANG_CHECK_H

#include "lang/compiler.h"

/* ---- tree.c: making the IR tree -------------------------------------------------------------- */

/* Begins a new tree of that name. */
void lang_tree_start(lang_compiler *c, arena *memory, const char *name);
ir_expr *lang_tree_expr(lang_compiler *c, ir_expr_kind kind, ir_type type, uint32_t at);
ir_expr *lang_tree_const(lang_compiler *c, ir_type type, ir_value value, uint32_t at);
ir_expr *lang_tree_int(lang_compiler *c, int64_t value, uint32_t at);
/* An operation; NULL when one of its operands is. */
ir_expr *lang_tree_op(lang_compiler *c, ir_op op, ir_type type, ir_expr *a, ir_expr *b, ir_expr *d,
                      uint32_t at);
ir_stmt *lang_tree_stmt(lang_compiler *c, ir_stmt_kind kind, int index, uint32_t at);
/* local `index` (its element) = value; NULL when value is NULL. */
ir_stmt *lang_tree_assign(lang_compiler *c, int index, ir_expr *element, ir_expr *value,
                          uint32_t at);
/* A new variable, -1 when memory is out. */
int lang_tree_local(lang_compiler *c, const char *name, ir_type type, int length, uint32_t at);
/* The index of a table in this kernel, -1 when memory is out. */
int lang_tree_table(lang_compiler *c, lang_symbol *table);
/* Finds the value of an expression without fields, parameters and variables. False for any other:
 * *culprit is then the part that is not known at compile time. */
bool lang_tree_evaluate(const lang_compiler *c, const ir_expr *e, ir_value *value,
                        const ir_expr **culprit);

/* ---- arithmetic.c: types --------------------------------------------------------------------- */

typedef struct lang_value {
    ir_expr *expr;        /* NULL: failed */
    ir_expr *f32_version; /* flexible and floating: the same value as float */
    bool flexible;        /* made of unsuffixed literals only: its type adapts */
    bool product;         /* written as a floating-point product */
    const ir_expr
        *cut; /* of an integer: a literal that a constant divides with a remainder; or NULL */
} lang_value;

lang_value lang_value_of(ir_expr *expr);
/* A uchar, ushort or short as int, because nothing is computed in them; other values as they are.
 */
lang_value lang_promoted(lang_compiler *c, lang_value value);
/* Conversion as by assignment; NULL when it failed. */
ir_expr *lang_convert(lang_compiler *c, lang_value value, ir_type type);
/* The same for values that are assigned, given or returned; warns if the value may change. */
ir_expr *lang_convert_assigned(lang_compiler *c, lang_value value, ir_type type);
/* != 0, as a bool. */
ir_expr *lang_truth(lang_compiler *c, lang_value value);
lang_value lang_unary(lang_compiler *c, lang_sign sign, lang_value a, uint32_t at);
lang_value lang_binary(lang_compiler *c, lang_sign sign, lang_value a, lang_value b, uint32_t at);
lang_value lang_choose(lang_compiler *c, lang_value condition, lang_value a, lang_value b,
                       uint32_t at);
/* The result of an operation on values of the type of `expr`. `flexible`: all of them are. */
lang_value lang_result(lang_compiler *c, ir_expr *expr, bool flexible);

/* ---- check_expression.c, access.c, call.c ---------------------------------------------------- */

lang_value lang_check(lang_compiler *c, const lang_expr *e);
/* An integer; `what` is its use in messages: "an index". */
ir_expr *lang_check_integer(lang_compiler *c, const lang_expr *e, const char *what);
/* A number known at compile time from low to high. */
bool lang_check_constant(lang_compiler *c, const lang_expr *e, const char *what, int64_t low,
                         int64_t high, int *value);

/* A name with the brackets after it. */
typedef struct lang_lvalue {
    lang_symbol *symbol;
    uint32_t at;
    const lang_expr *element;   /* index of a table, array or component */
    const lang_expr *others[2]; /* further indices of a table or array that has them */
    const lang_expr *offsets;   /* list */
    int offset_count;
    uint32_t offsets_at;
    const lang_element *neighbour; /* of a field on cells, edges or vertices; NULL: none is named */
    uint32_t neighbour_at;
    bool written; /* it is assigned to */
    bool given;   /* to a helper */
} lang_lvalue;
/* Resolves a NAME or INDEX; reports any other expression. */
bool lang_lvalue_find(lang_compiler *c, const lang_expr *e, lang_lvalue *lvalue);
/* Takes the offsets of a field from a bracket, NULL: none; reports more than three. */
bool lang_lvalue_offsets(lang_compiler *c, const lang_expr *bracket, lang_lvalue *lvalue);
/* The checked index of an lvalue; *element stays NULL if it has none. */
bool lang_lvalue_element(lang_compiler *c, const lang_lvalue *lvalue, ir_expr **element);
lang_value lang_lvalue_read(lang_compiler *c, const lang_lvalue *lvalue);
/* Adds the form of a reduction to the error. */
void lang_hint_reduction(lang_compiler *c, const lang_symbol *r, const char *before);
/* Component and offsets of an access to a field, with the component and offsets that the field's
 * symbol is bound to. */
bool lang_lvalue_shift(lang_compiler *c, const lang_lvalue *lvalue, ir_expr **component,
                       ir_expr *offset[3], int *offsets);
lang_value lang_check_call(lang_compiler *c, const lang_expr *e);
/* Translates a helper that perhaps nobody calls, so that its errors show. */
bool lang_check_helper(lang_compiler *c, lang_function *helper);

/* ---- on.c ------------------------------------------------------------------------------------ */

/* Sets the location of a kernel's parameter, all else of which is set. */
bool lang_check_on(lang_compiler *c, const lang_param *p, ir_param *param);
/* Whether the locations of a helper's parameters suit it; sets the element for its body. */
bool lang_check_helper_on(lang_compiler *c, const lang_function *f);
/* Whether a helper may be called here. */
bool lang_may_call(lang_compiler *c, const lang_function *f, const lang_expr *call);
/* Whether a field that is given to a helper lies where the parameter does. */
bool lang_lies_alike(lang_compiler *c, const lang_param *p, const lang_lvalue *lvalue);
/* An element without colour and offset. */
lang_element *lang_element_new(lang_compiler *c, kata_location on);
/* The loop of a variable (-1: none could be made) from 0 to below `count`, without its body. */
ir_stmt *lang_count(lang_compiler *c, int index, int count, uint32_t at);
/* Translates the body of a kernel on cells, edges or vertices. */
bool lang_check_parts(lang_compiler *c, const lang_function *f, ir_kernel *kernel);

/* ---- neighbours.c ---------------------------------------------------------------------------- */

ir_stmt *lang_check_neighbours(lang_compiler *c, const lang_stmt *s);
/* The neighbour of that name; reports any other name. */
lang_symbol *lang_neighbour_find(lang_compiler *c, lang_name *name, uint32_t at);
/* first*times + second, in the type of the first; NULL stands for 0. */
ir_expr *lang_combine(lang_compiler *c, ir_expr *first, int times, ir_expr *second, uint32_t at);
/* Whether a call is 'orientation(e)', and a name 'ic', the colour of what is computed. */
bool lang_is_orientation(const lang_compiler *c, const lang_expr *e);
ir_expr *lang_orientation(lang_compiler *c, const lang_expr *e);
bool lang_is_color(const lang_compiler *c, const lang_expr *e);

/* ---- mesh_neighbours.c ----------------------------------------------------------------------- */

/* Neighbours of an element, 0 where a mesh does not know them; colours. */
int lang_slots(const lang_compiler *c, kata_location from, kata_location to);
int lang_colors(const lang_compiler *c, kata_location on);
/* The dimension of a loop for x, y or z of the text. */
int lang_axis(const lang_compiler *c, int dimension);
/* Turns the axes of a parameter, and the offsets and level of an access, to those of a loop. */
void lang_mesh_turn(const lang_compiler *c, ir_param *param);
void lang_mesh_turn_offsets(const lang_compiler *c, ir_expr *offset[3], int *level);
/* Whether there are neighbours of that kind; reports. */
bool lang_mesh_knows(lang_compiler *c, kata_location from, kata_location to, uint32_t at);
/* The number of what is computed (I64). */
ir_expr *lang_mesh_number(lang_compiler *c, uint32_t at);
/* Sets the number of a neighbour, all else of which is set. */
bool lang_mesh_neighbour(lang_compiler *c, lang_element *n, uint32_t at);
ir_expr *lang_mesh_orientation(lang_compiler *c, const lang_element *n, uint32_t at);
/* Where a neighbour may be missing: what is added to *body runs if it is there. */
bool lang_mesh_exists(lang_compiler *c, const lang_element *n, uint32_t at, ir_stmt ***body);
/* Sets where a field is read at an element. */
bool lang_mesh_locate(lang_compiler *c, const lang_lvalue *lvalue, const lang_element *at,
                      ir_expr *offset[3], int *level);

/* ---- located.c ------------------------------------------------------------------------------- */

/* Resolves the brackets behind a field on cells, edges or vertices. */
bool lang_located_brackets(lang_compiler *c, const lang_symbol *field,
                           const lang_expr *const brackets[3], lang_lvalue *lvalue);
/* Adds colour, number and offset of what an lvalue names to the component and offsets of an access.
 * Nothing of a field at points. `level`: as in IR_EXPR_LOAD; NULL of a write. */
bool lang_locate(lang_compiler *c, const lang_lvalue *lvalue, ir_expr **component,
                 ir_expr *offset[3], int *offsets, int *level);
/* The component of the graph for a component of the text (NULL: 0) of a field or reduction at an
 * element; NULL: 0. `neighbour`: of a field with a value for each. */
ir_expr *lang_component_of(lang_compiler *c, const lang_symbol *symbol, const lang_element *at,
                           const lang_element *neighbour, ir_expr *own, uint32_t where);

/* ---- read_level.c
 * --------------------------------------------------------------------------------- */

/* Whether a number in the bracket of a field is `at(index)`, and not a call of a helper so named.
 */
bool lang_is_level(lang_compiler *c, const lang_expr *own);
/* 1 + the first dimension along which an lvalue has one; 0: along none. */
int lang_find_level(lang_compiler *c, const lang_lvalue *lvalue);
/* Sets the index of one. */
bool lang_add_level(lang_compiler *c, const lang_lvalue *lvalue, const lang_expr *own, int level,
                    ir_expr **index);

/* ---- check_statement.c, assign.c, declare.c -------------------------------------------------- */

/* Translates a list of statements in the scope it is in. */
bool lang_check_statements(lang_compiler *c, const lang_stmt *s, ir_stmt **out);
/* Whether every path through the statements returns. */
bool lang_always_returns(const lang_stmt *s);
/* A variable, constant or table; *out: its statements (none for constants). */
bool lang_check_declared(lang_compiler *c, const lang_declared *d, bool file, ir_stmt **out);
ir_stmt *lang_check_assign(lang_compiler *c, const lang_stmt *s);

/* ---- interval.c ------------------------------------------------------------------------------ */

/* Translates the intervals that begin at *s and makes *s the last of them. */
bool lang_check_intervals(lang_compiler *c, const lang_stmt **s, ir_stmt **out);

/* ---- ratio.c --------------------------------------------------------------------------------- */

/* Sets the ratio of a kernel's parameter, whose kind is set. */
bool lang_check_ratio(lang_compiler *c, const lang_param *p, ir_param *param);

/* ---- along.c --------------------------------------------------------------------------------- */

/* Sets the absent axes of a kernel's parameter, whose kind is set. */
bool lang_check_along(lang_compiler *c, const lang_param *p, ir_param *param);
/* Whether a kernel whose levels run in order along several dimensions reduces into no field. */
bool lang_check_columns_order(lang_compiler *c, const lang_function *f, const ir_param *params);

/* ---- real.c ---------------------------------------------------------------------------------- */

/* Sets real_param of a kernel just translated; reports one that uses `real` and has none. */
bool lang_check_real(lang_compiler *c, const lang_function *f, ir_kernel *kernel);

/* ---- warn.c ---------------------------------------------------------------------------------- */

/* Each warns, if there is cause: of a file that defines nothing and imports nothing. */
void lang_warn_empty(lang_compiler *c);
/* Of a name that is not used when its scope ends. */
void lang_warn_unused(lang_compiler *c, const lang_symbol *symbol);
/* Of a value that loses something when it is stored, given or returned as a type. */
void lang_warn_narrowing(lang_compiler *c, lang_value value, ir_type type);
/* The cut of a value whose expression is a division `e`: `e`, or NULL. */
const ir_expr *lang_find_cut(const lang_compiler *c, const ir_expr *e);
/* Of an integer with a cut that becomes floating-point. */
void lang_warn_cut(lang_compiler *c, const ir_expr *cut);
/* Of arithmetic on constants, and comparisons. */
void lang_warn_operation(lang_compiler *c, const ir_expr *e);
/* Of levels that are known to be in no interval of a kernel. */
void lang_warn_gaps(lang_compiler *c, const ir_kernel *kernel);
/* Of results of a lowered kernel that it does not write everywhere. */
void lang_warn_partly_written(lang_compiler *c, const ir_kernel *kernel);

/* ---- kernel.c -------------------------------------------------------------------------------- */

/* Translates and lowers a kernel. */
bool lang_check_kernel(lang_compiler *c, lang_function *function, ir_kernel *kernel);
/* Number of elements or components of a parameter, 0 when it has no brackets. */
bool lang_check_param_length(lang_compiler *c, const lang_param *param, int *length);
/* Multiplies a length, that of the first index, by those of the others, and sets all three (0:
 * there is no such index); refuses more than `most` elements. */
bool lang_check_extents(lang_compiler *c, lang_expr *const lengths[3], int most, int *length,
                        int extents[3]);
void lang_set_extents(lang_symbol *symbol, const int extents[3]);

#endif
