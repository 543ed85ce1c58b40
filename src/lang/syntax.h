/* What the files of lang share: tokens, the syntax tree, names and the state of a compilation.
 *
 * A text is parsed whole into a syntax tree without types. Each kernel is then translated to an IR
 * tree; a helper's syntax is translated anew at each call, with its parameters bound to what it was
 * given. Names are interned, and a name knows its innermost meaning.
 *
 * Functions that return a pointer, a value with an expression, or bool report their error and
 * return NULL, a value without expression, or false. */
#ifndef LANG_SYNTAX_H
#define LANG_SYNTAX_H

#include "lang/lang.h"
#include "lang/signs.h"

#include <locale.h>

enum {
    LANG_MAX_SYNTAX = 1 << 20,          /* nodes of the syntax tree of a file */
    LANG_MAX_TREE = IR_MAX_NODES,       /* nodes of the IR tree of a kernel */
    LANG_MAX_TREES = 20 * IR_MAX_NODES, /* of all kernels of a file */
    LANG_MAX_IMPORTS = 256,             /* in a file and what it imports */
    LANG_MAX_IMPORT_DEPTH = 16          /* files that import one another in a row */
};

/* ---- names.c --------------------------------------------------------------------------------- */

/* Words of the language. Types stand first, in the order of ir_type, REAL after them. */
#define LANG_WORDS(X)                                                                              \
    X(BOOL, "bool")                                                                                \
    X(INT, "int")                                                                                  \
    X(LONG, "long")                                                                                \
    X(FLOAT, "float")                                                                              \
    X(DOUBLE, "double")                                                                            \
    X(UCHAR, "uchar")                                                                              \
    X(REAL, "real")                                                                                \
    X(KERNEL, "kernel")                                                                            \
    X(IMPORT, "import")                                                                            \
    X(STATIC, "static")                                                                            \
    X(CONST, "const")                                                                              \
    X(IN, "in")                                                                                    \
    X(OUT, "out")                                                                                  \
    X(INOUT, "inout")                                                                              \
    X(IF, "if")                                                                                    \
    X(ELSE, "else")                                                                                \
    X(FOR, "for")                                                                                  \
    X(RETURN, "return")                                                                            \
    X(TRUE, "true")                                                                                \
    X(FALSE, "false")                                                                              \
    X(ASSERT, "assert")                                                                            \
    X(FORWARD, "forward")                                                                          \
    X(BACKWARD, "backward")                                                                        \
    X(INTERVAL, "interval")                                                                        \
    X(FINER, "finer")                                                                              \
    X(COARSER, "coarser")                                                                          \
    X(ALONG, "along")

typedef enum lang_word {
#define X(name, ...) LANG_WORD_##name,
    LANG_WORDS(X)
#undef X
        LANG_WORD_REFUSED, /* a word of C or of a later language */
    LANG_WORD_NONE         /* an identifier */
} lang_word;

typedef struct lang_name {
    const char *text;
    lang_word word;
    const char *hint;            /* REFUSED: what to do instead */
    bool later;                  /* REFUSED: may become part of the language */
    struct lang_symbol *meaning; /* innermost, NULL when there is none */
    uint64_t hash;
    int missing;            /* that it means nothing was reported: in this frame; -1: anywhere */
    struct lang_name *next; /* of the same bucket */
} lang_name;

typedef enum lang_symbol_kind {
    LANG_FUNCTION,  /* function of the language: op, narrow */
    LANG_INDEX,     /* ix, iy, iz: index */
    LANG_SIZE,      /* nx, ny, nz: index */
    LANG_HELPER,    /* function */
    LANG_KERNEL,    /* function */
    LANG_CONSTANT,  /* type, value */
    LANG_TABLE,     /* constant table: type, length, values */
    LANG_NUMBER,    /* uniform parameter: type, index, length */
    LANG_REDUCTION, /* type, index, length */
    LANG_FIELD,     /* type, index, length; component and offsets are added to what is read */
    LANG_LOCAL      /* type, index, length */
} lang_symbol_kind;

typedef struct lang_symbol {
    lang_symbol_kind kind;
    lang_name *name;
    uint32_t at;
    int frame, level;             /* where it is visible */
    struct lang_symbol *outer;    /* the meaning it hides */
    struct lang_symbol *previous; /* declared before it */
    ir_type type;
    int index;
    int length;    /* of a table, array or components; 0: not indexed by one number */
    int columns;   /* of a table or array with two indices, whose length is rows * columns */
    bool constant; /* LOCAL */
    bool used;     /* its value is read somewhere */
    bool assigned; /* LOCAL: after its declaration */
    bool given;    /* LOCAL: a parameter of a helper */
    bool narrow;   /* FUNCTION: called with an f at its end */
    ir_op op;
    ir_param_kind param;
    ir_value value;
    const ir_value *values;
    struct lang_function *function;
    int table, table_owner; /* TABLE: its index in the kernel of that number */
    bool children;          /* FIELD: finer, so that there are several points to write */
    ir_expr *component, *offset[3];
    int offsets;
} lang_symbol;

typedef struct lang_compiler lang_compiler;

/* Makes the words and functions of the language known. */
bool lang_names_start(lang_compiler *c);
lang_name *lang_intern(lang_compiler *c, const char *text, size_t length);
/* A new meaning of a name in the innermost scope. Reports one that is there already. */
lang_symbol *lang_declare(lang_compiler *c, lang_symbol_kind kind, lang_name *name, uint32_t at);
/* NULL when the name means nothing here. */
lang_symbol *lang_find(lang_compiler *c, const lang_name *name);
/* As lang_find, but reports a name that means nothing, as one of a `what` ("name", "function"). */
lang_symbol *lang_lookup(lang_compiler *c, lang_name *name, uint32_t at, const char *what);
/* Its declaration was wrong: that it means nothing here is no error of its own. */
void lang_forgive(lang_compiler *c, lang_name *name);
/* The same for a word of the language that was taken for a name: fails without a message where
 * that was reported already. */
bool lang_forgiven_word(lang_compiler *c, const lang_name *name);
/* Adds "did you mean ..." to the error when a name is near one of the count texts; says whether. */
bool lang_suggest(lang_compiler *c, const char *name, const char *const *texts, size_t count);

/* What leaving a scope goes back to. */
typedef struct lang_scope {
    lang_symbol *last;
    int frame, level;
} lang_scope;
lang_scope lang_scope_enter(lang_compiler *c);
/* A scope that sees the names of the file only. */
lang_scope lang_frame_enter(lang_compiler *c);
void lang_scope_leave(lang_compiler *c, lang_scope scope);
/* "a number parameter", "a helper", ... */
const char *lang_symbol_kind_name(const lang_symbol *symbol);

/* ---- lexer.c --------------------------------------------------------------------------------- */

typedef enum lang_token_kind {
    LANG_TOKEN_END,
    LANG_TOKEN_NAME, /* name; its word is NONE */
    LANG_TOKEN_WORD, /* name; its word is another */
    LANG_TOKEN_NUMBER,
    LANG_TOKEN_SIGN,
    LANG_TOKEN_BAD /* reported when it becomes the current one */
} lang_token_kind;

typedef struct lang_token {
    lang_token_kind kind;
    lang_sign sign;
    lang_name *name;
    uint32_t at, length;
} lang_token;

/* Reads the first tokens of a text, which hangs on the module's. */
void lang_lexer_start(lang_compiler *c, const source *s);
/* The letters of a token of the present text. */
const char *lang_token_text(const lang_compiler *c, const lang_token *token);
/* The next token becomes the current one. */
void lang_advance(lang_compiler *c);
bool lang_is_sign(const lang_token *token, lang_sign sign);
bool lang_is_word(const lang_token *token, lang_word word);
bool lang_is_type(const lang_token *token);
/* Whether a definition begins here for sure: 'kernel' or 'static' at the beginning of a line. */
bool lang_at_definition(const lang_compiler *c);
/* The end of the file, or the beginning of a definition. */
bool lang_at_function_end(const lang_compiler *c);
/* After an error: goes to the end of the statement, or to where its block ends. */
void lang_skip_statement(lang_compiler *c);
/* After an error: goes to where a definition may begin, or to the end. */
void lang_skip_definition(lang_compiler *c);
/* lang_recover while parsing: reports the current token if it is bad. */
bool lang_resume(lang_compiler *c);
/* Goes on and returns true when the current token is the sign. */
bool lang_accept(lang_compiler *c, lang_sign sign);
bool lang_accept_word(lang_compiler *c, lang_word word);
/* As lang_accept, but reports another token: "expected ';' <where>, found 'v'". */
bool lang_expect(lang_compiler *c, lang_sign sign, const char *where);
/* Whether a text in quotes follows the current token. */
bool lang_string_follows(const lang_compiler *c);
/* Takes both; what is behind the text becomes the current token. A copy of the text in the module's
 * memory, NULL when it is wrong. */
const char *lang_take_string(lang_compiler *c);
/* Reports the current token: "expected <what>, found 'v'". Returns false. */
bool lang_unexpected(lang_compiler *c, const char *what);

/* ---- the syntax tree ------------------------------------------------------------------------- */

typedef enum lang_expr_kind {
    LANG_EXPR_LITERAL, /* type, value; flexible without suffix; `narrow`: as float */
    LANG_EXPR_NAME,    /* name */
    LANG_EXPR_INDEX,   /* arg[0] indexed by the list arg[1] */
    LANG_EXPR_CALL,    /* name, called with the list arg[1] */
    LANG_EXPR_UNARY,   /* sign arg[0] */
    LANG_EXPR_BINARY,  /* arg[0] sign arg[1] */
    LANG_EXPR_SELECT,  /* arg[0] ? arg[1] : arg[2] */
    LANG_EXPR_CAST,    /* (type)arg[0] */
    LANG_EXPR_ROW      /* the list arg[1] in braces, in an initialiser only */
} lang_expr_kind;

typedef struct lang_expr {
    lang_expr_kind kind;
    lang_sign sign;
    ir_type type;
    bool flexible;
    uint32_t at;
    lang_name *name;
    ir_value value, narrow;
    struct lang_expr *arg[3];
    struct lang_expr *next; /* in a list */
} lang_expr;

typedef enum lang_stmt_kind {
    LANG_STMT_DECLARE, /* a variable: declared */
    LANG_STMT_ASSIGN,  /* target sign value */
    LANG_STMT_IF,      /* value, body, other */
    LANG_STMT_FOR,     /* init, value, step, body */
    LANG_STMT_BLOCK,   /* body */
    LANG_STMT_RETURN,  /* value */
    LANG_STMT_ASSERT,  /* value, text */
    LANG_STMT_INTERVAL /* from target to below value: body */
} lang_stmt_kind;

/* type name = value;  type name[length] = {list};  type name[length][columns] = {{list}, ...}; */
typedef struct lang_declared {
    ir_type type;
    bool constant, array, braced;
    lang_name *name;
    uint32_t at;
    lang_expr *length;  /* NULL: that of the list */
    lang_expr *columns; /* NULL: one index */
    lang_expr *value;   /* NULL: none; braced: a list */
} lang_declared;

typedef struct lang_stmt {
    lang_stmt_kind kind;
    uint32_t at;
    lang_sign sign;
    lang_expr *target, *value;
    const char *text; /* of an assert; NULL: none */
    lang_declared declared;
    struct lang_stmt *body, *other, *init, *step;
    struct lang_stmt *next;
} lang_stmt;

typedef struct lang_param {
    ir_param_kind kind; /* NUMBER also for tables, and values given to helpers */
    ir_type type;
    bool array, constant, accumulates, real;
    lang_name *name;
    uint32_t at, type_at;
    int number; /* from 0 */
    lang_expr *length, *columns;
    lang_expr *ratio; /* list; NULL: none */
    uint32_t ratio_at;
    bool coarser;
    int along; /* dimensions, a bit each; 0: all */
    uint32_t along_at;
    struct lang_param *next;
} lang_param;

/* A definition of the file: a kernel, a helper or a constant. */
typedef struct lang_function {
    bool kernel, constant;
    bool real;              /* `real` is written in it */
    ir_direction direction; /* of a kernel's levels, along dimension `ordered` */
    int ordered;
    uint32_t direction_at;
    ir_type type; /* of a helper */
    lang_name *name;
    uint32_t at;
    lang_param *params;
    int param_count;
    lang_stmt *body; /* of a constant: DECLARE statements */
    bool active;     /* a helper that is being inlined */
    bool wrong;      /* its errors were reported: it is not used */
    bool guessed;    /* wrong from its first word, but it is known which name it defines */
    struct lang_function *next;
} lang_function;

/* An `import` of the file. */
typedef struct lang_import {
    const char *path;
    uint32_t at;
    struct lang_import *next;
} lang_import;

/* ---- the compilation ------------------------------------------------------------------------- */

struct lang_compiler {
    lang_module *module;
    messages *m;
    bool failed, muted; /* an error was reported; another is being dropped */
    bool stopped;       /* no recovery: a limit, memory, too many errors */
    bool damaged;       /* the definition being parsed has an error */
    bool lost;          /* a definition without a name was dropped */
    locale_t locale;    /* C */
    arena syntax;       /* everything that ends with the compilation */
    int syntax_count;

    /* lexer.c */
    const source *source; /* being read */
    lang_token token, next;
    uint32_t position, previous_end;
    int depth; /* of nesting, in parsing and then in checking */

    /* import.c */
    const char
        *folder; /* of the first file, in which imports are looked for; NULL: there is none */
    const char *prefix;      /* of their names in messages */
    struct lang_part *parts; /* of a text that brings along what it imports */
    int import_count;

    /* constants.c */
    struct lang_given *given; /* load-time constants */
    const source *constants_text;

    /* names.c */
    lang_name **names; /* buckets */
    lang_symbol *last;
    int frame, frames, level;

    /* the tree being made: the kernel's, or a helper's that is only checked */
    arena *tree;
    int tree_count, trees_count, tree_number;
    int random_count; /* calls of random in it */
    const char *tree_name;
    const lang_function *helper; /* being inlined, NULL in a kernel */
    ir_kernel *kernel;           /* being translated, NULL outside of kernels */
    int body_level;              /* of the names declared in its body, outside of blocks */
    int result;                  /* local that takes its value */
    ir_local *locals;
    size_t local_count, local_capacity;
    ir_table *tables;
    size_t table_count, table_capacity;

    /* real.c */
    ir_type **reals; /* places in the syntax where `real` is written */
    size_t real_count, real_capacity;
    bool uses_real; /* the definition being parsed, or the kernel being translated */
};

/* ---- ratio.c --------------------------------------------------------------------------------- */

/* ratio = ("finer" | "coarser") "(" expression {"," expression} ")"; nothing where neither stands.
 */
bool lang_parse_ratio(lang_compiler *c, lang_param *p);
/* Sets the ratio of a kernel's parameter, whose kind is set. */
bool lang_check_ratio(lang_compiler *c, const lang_param *p, ir_param *param);

/* ---- along.c --------------------------------------------------------------------------------- */

/* along = "along" ("x" | "y" | "z" | "xy" | "xz" | "yz" | "xyz"), or nothing */
bool lang_parse_along(lang_compiler *c, lang_param *p);
/* Sets the missing dimensions of a kernel's parameter, whose kind is set. */
bool lang_check_along(lang_compiler *c, const lang_param *p, ir_param *param);

/* ---- real.c ---------------------------------------------------------------------------------- */

/* Remembers a place of the syntax that holds a type just parsed, if that is `real` (IR_TYPE_COUNT),
 * and makes it double. */
bool lang_note_real(lang_compiler *c, ir_type *type);
/* Makes all those places double or float. */
void lang_set_real(lang_compiler *c, ir_type type);
/* Sets real_param of a kernel just translated; reports one that uses `real` and has none. */
bool lang_check_real(lang_compiler *c, const lang_function *f, ir_kernel *kernel);

/* ---- report.c -------------------------------------------------------------------------------- */

/* Begins an error; lang_hint adds a line to it and lang_note a place. Until lang_recover, others
 * are dropped as its consequences. Errors are sent when the compilation ends. Returns false. */
bool lang_error(lang_compiler *c, uint32_t at, const char *format, ...) PRINTF_LIKE(3, 4);
bool lang_limit(lang_compiler *c, uint32_t at, const char *format, ...) PRINTF_LIKE(3, 4);
bool lang_hint(lang_compiler *c, const char *format, ...) PRINTF_LIKE(2, 3);
void lang_note(lang_compiler *c, uint32_t at, const char *format, ...) PRINTF_LIKE(3, 4);
bool lang_no_memory(lang_compiler *c);
/* After a statement, parameter or definition: makes room for another error if there was one. False
 * when the compilation is to end. */
bool lang_recover(lang_compiler *c);
/* One level deeper; reports nesting beyond IR_MAX_DEPTH. lang_leave goes back. */
bool lang_enter(lang_compiler *c, uint32_t at);
void lang_leave(lang_compiler *c);
#define LANG_POWER_HINT "a power is a product, 'u*u', or 'pow(u, 2)'"
/* A piece of syntax. */
void *lang_make(lang_compiler *c, size_t size, uint32_t at);

/* ---- number.c, parse_expression.c, parse_statement.c, parse_file.c --------------------------- */

/* The literal of the current token, which is a number. */
lang_expr *lang_parse_number(lang_compiler *c);
lang_expr *lang_parse_expression(lang_compiler *c);
/* Up to `close`, which it takes; at least one. `where`: of a missing close. */
lang_expr *lang_parse_list(lang_compiler *c, lang_sign close, const char *where);
/* "bool" .. "double": the current token must be one. */
bool lang_parse_type(lang_compiler *c, ir_type *type);
/* `what` the name is of, as in "expected the name of a parameter". */
bool lang_parse_name(lang_compiler *c, const char *what, lang_name **name, uint32_t *at);
/* "[" [expression] "]" ["[" expression "]"] */
bool lang_parse_length(lang_compiler *c, lang_expr **length, lang_expr **columns);
/* Declarators up to and including the semicolon, as DECLARE statements. */
lang_stmt *lang_parse_declarators(lang_compiler *c, ir_type type, bool constant);
/* The block of a function; NULL is an empty one when *ok. */
lang_stmt *lang_parse_block(lang_compiler *c, bool *ok);
/* All definitions of the present text, in order, and its imports; NULL is none when *ok. */
lang_function *lang_parse_file(lang_compiler *c, lang_import **imports, bool *ok);

/* ---- import.c: files that import others ------------------------------------------------------ */

/* Hangs a text, which lives as long as the module, on the module's. NULL when memory is out. */
source *lang_source_add(lang_compiler *c, const char *name, const char *text, size_t length);
/* Finds the parts of a text that brings along what it imports, and ends the first. */
bool lang_import_split(lang_compiler *c);
/* All definitions of the module's text and of what it imports, each file's behind those of what it
 * imports. */
lang_function *lang_parse_all(lang_compiler *c, const lang_options *options, bool *ok);

/* ---- constants.c: load-time constants -------------------------------------------------------- */

/* Reads "R = 8, C = 0.5" (NULL: nothing). */
bool lang_constants_parse(lang_compiler *c, const char *text);
/* A constant of the file as it is to be declared: with the value given at load time, if there is
 * one, in the place of its own. */
bool lang_constant_apply(lang_compiler *c, const lang_declared *own, lang_declared *applied);
/* Reports a given constant that no definition of the file has taken. */
bool lang_constants_all_taken(lang_compiler *c, const lang_function *definitions);

/* ---- tree.c: making the IR tree -------------------------------------------------------------- */

ir_expr *lang_tree_expr(lang_compiler *c, ir_expr_kind kind, ir_type type, uint32_t at);
ir_expr *lang_tree_const(lang_compiler *c, ir_type type, ir_value value, uint32_t at);
ir_expr *lang_tree_int(lang_compiler *c, int64_t value, uint32_t at);
/* An operation; NULL when one of its operands is. */
ir_expr *lang_tree_op(lang_compiler *c, ir_op op, ir_type type, ir_expr *a, ir_expr *b, ir_expr *d,
                      uint32_t at);
ir_stmt *lang_tree_stmt(lang_compiler *c, ir_stmt_kind kind, int index, uint32_t at);
/* local `index` (its element) = value; NULL when value is. */
ir_stmt *lang_tree_assign(lang_compiler *c, int index, ir_expr *element, ir_expr *value,
                          uint32_t at);
/* A new variable, -1 when memory is out. */
int lang_tree_local(lang_compiler *c, const char *name, ir_type type, int length, uint32_t at);
/* The index of a table in this kernel, -1 when memory is out. */
int lang_tree_table(lang_compiler *c, lang_symbol *table);
/* The value of an expression without fields, parameters and variables. Otherwise false, with the
 * place that is not known at compile time in *culprit. */
bool lang_tree_evaluate(const lang_compiler *c, const ir_expr *e, ir_value *value,
                        const ir_expr **culprit);

/* ---- arithmetic.c: types --------------------------------------------------------------------- */

typedef struct lang_value {
    ir_expr *expr;      /* NULL: failed */
    ir_expr *narrow;    /* flexible and floating: the same as float */
    bool flexible;      /* of unsuffixed literals only: its type adapts */
    bool product;       /* written as a floating-point product */
    const ir_expr *cut; /* in an integer: a literal divided by a constant with a remainder; NULL */
} lang_value;

lang_value lang_value_of(ir_expr *expr);
/* A uchar as int, in which it is computed with; other values as they are. */
lang_value lang_promoted(lang_compiler *c, lang_value value);
/* Conversion as by assignment; NULL when it failed. */
ir_expr *lang_convert(lang_compiler *c, lang_value value, ir_type type);
/* The same for what is assigned, given or returned: warns where it loses something. */
ir_expr *lang_convert_assigned(lang_compiler *c, lang_value value, ir_type type);
/* != 0, as a bool. */
ir_expr *lang_truth(lang_compiler *c, lang_value value);
/* What operands of two values are converted to: double, float, long or int. */
ir_type lang_common_type(lang_value a, lang_value b);
lang_value lang_unary(lang_compiler *c, lang_sign sign, lang_value a, uint32_t at);
lang_value lang_binary(lang_compiler *c, lang_sign sign, lang_value a, lang_value b, uint32_t at);
lang_value lang_choose(lang_compiler *c, lang_value condition, lang_value a, lang_value b,
                       uint32_t at);
/* The result of an operation on values of the type `expr` has, all of them `flexible` or not. */
lang_value lang_result(lang_compiler *c, ir_expr *expr, bool flexible);

/* ---- check_expression.c, access.c, call.c ---------------------------------------------------- */

lang_value lang_check(lang_compiler *c, const lang_expr *e);
/* An index: an integer. */
ir_expr *lang_check_integer(lang_compiler *c, const lang_expr *e, const char *what);
/* A number known at compile time from low to high. */
bool lang_check_constant(lang_compiler *c, const lang_expr *e, const char *what, int64_t low,
                         int64_t high, int *value);

/* What a name, with the brackets after it, stands for. */
typedef struct lang_lvalue {
    lang_symbol *symbol;
    uint32_t at;
    const lang_expr *element; /* index of a table, array or component */
    const lang_expr *column;  /* second index of a table or array that has two */
    const lang_expr *offsets; /* list */
    int offset_count;
    uint32_t offsets_at;
    bool written; /* it is assigned to */
} lang_lvalue;
/* Resolves a NAME or INDEX; `what` says what it is for when it is something else. */
bool lang_lvalue_find(lang_compiler *c, const lang_expr *e, lang_lvalue *place);
/* The checked index of a place that has one; *element stays NULL for others. */
bool lang_lvalue_element(lang_compiler *c, const lang_lvalue *place, ir_expr **element);
lang_value lang_lvalue_read(lang_compiler *c, const lang_lvalue *place);
void lang_hint_reduction(lang_compiler *c, const lang_symbol *r, const char *before); /* its form */
/* Component and offsets of an access to a field, what the field is bound to included. */
bool lang_lvalue_shift(lang_compiler *c, const lang_lvalue *place, ir_expr **component,
                       ir_expr *offset[3], int *offsets);
lang_value lang_check_call(lang_compiler *c, const lang_expr *e);
/* Translates a helper nobody need call, so that its errors show. */
bool lang_check_helper(lang_compiler *c, lang_function *helper);

/* ---- check_statement.c, assign.c, declare.c -------------------------------------------------- */

/* Translates a list of statements in the scope it is in. */
bool lang_check_statements(lang_compiler *c, const lang_stmt *s, ir_stmt **out);
/* Whether every path through the statements returns. */
bool lang_always_returns(const lang_stmt *s);
/* A variable, constant or table; what runs (nothing for constants) in *out. */
bool lang_check_declared(lang_compiler *c, const lang_declared *d, bool file, ir_stmt **out);
ir_stmt *lang_check_assign(lang_compiler *c, const lang_stmt *s);

/* ---- interval.c ------------------------------------------------------------------------------ */

/* Translates the intervals that begin at *s and makes *s the last of them. */
bool lang_check_intervals(lang_compiler *c, const lang_stmt **s, ir_stmt **out);

/* ---- warn.c ---------------------------------------------------------------------------------- */

/* A file in which nothing is defined. */
void lang_warn_empty(lang_compiler *c);
/* A name that leaves its scope. */
void lang_warn_unused(lang_compiler *c, const lang_symbol *symbol);
/* A value that is stored, given or returned as one of a type, before its conversion. */
void lang_warn_narrowing(lang_compiler *c, lang_value value, ir_type type);
/* value.cut of a literal divided by something: `e`, or NULL. */
const ir_expr *lang_find_cut(const lang_compiler *c, const ir_expr *e);
/* An integer with a cut becomes floating-point. */
void lang_warn_cut(lang_compiler *c, const ir_expr *cut);
/* Arithmetic on constants, and comparisons. */
void lang_warn_operation(lang_compiler *c, const ir_expr *e);
/* Levels of a kernel that are known to be in none of its intervals. */
void lang_warn_gaps(lang_compiler *c, const ir_kernel *kernel);
/* Results of a kernel that was lowered. */
void lang_warn_partly_written(lang_compiler *c, const ir_kernel *kernel);

/* ---- kernel.c -------------------------------------------------------------------------------- */

/* Translates and lowers a kernel. */
bool lang_check_kernel(lang_compiler *c, lang_function *function, ir_kernel *kernel);
/* Number of elements or components of a parameter, 0 when it has no brackets. */
bool lang_check_param_length(lang_compiler *c, const lang_param *param, int *length);
/* The columns of a table or array of `rows` (0: one index), whose *length is then that of all. */
bool lang_check_columns(lang_compiler *c, const lang_expr *e, int *length, int *columns);
/* Begins a new tree of that name. */
void lang_tree_start(lang_compiler *c, arena *memory, const char *name);

#endif
