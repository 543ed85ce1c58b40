/* Private to lang: the syntax tree, without types, that a text is parsed into. */
#ifndef LANG_SYNTAX_H
#define LANG_SYNTAX_H

#include "lang/token.h"

typedef enum lang_expr_kind {
    LANG_EXPR_LITERAL, /* type, value; flexible without suffix; `f32_value`: as float */
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
    ir_value value, f32_value;
    struct lang_expr *arg[3];
    struct lang_expr *next; /* in a list */
} lang_expr;

typedef enum lang_stmt_kind {
    LANG_STMT_DECLARE,    /* a variable: declared */
    LANG_STMT_ASSIGN,     /* target sign value */
    LANG_STMT_IF,         /* value, body, other */
    LANG_STMT_FOR,        /* init, value, step, body */
    LANG_STMT_NEIGHBOURS, /* neighbours, body; declared: type and name of their number, if any */
    LANG_STMT_BLOCK,      /* body */
    LANG_STMT_BREAK,
    LANG_STMT_CONTINUE,
    LANG_STMT_RETURN,  /* value */
    LANG_STMT_ASSERT,  /* value, text */
    LANG_STMT_INTERVAL /* from target to below value: body */
} lang_stmt_kind;

/* type name = value;  type name[3] = {list};  type name[3][2] = {{list}, ...}; and so with three.
 */
typedef struct lang_declared {
    ir_type type;
    bool constant, array, braced;
    lang_name *name;
    uint32_t at;
    lang_expr *lengths[3]; /* the first NULL: the length of the list; others NULL: fewer indices */
    lang_expr *value;      /* NULL: none; braced: a list */
} lang_declared;

/* name : kind;  name : kind[of] */
typedef struct lang_neighbours {
    lang_name *name, *of; /* NULL: of what is computed */
    uint32_t at, of_at;
    kata_location kind;
} lang_neighbours;

typedef struct lang_stmt {
    lang_stmt_kind kind;
    uint32_t at;
    lang_sign sign;
    lang_expr *target, *value;
    const char *text; /* of an assert; NULL: none */
    lang_declared declared;
    lang_neighbours neighbours;
    struct lang_stmt *body, *other, *init, *step;
    struct lang_stmt *next;
} lang_stmt;

typedef struct lang_param {
    ir_param_kind kind; /* NUMBER also for tables, and values given to helpers */
    ir_type type;
    bool array, constant, accumulates, real;
    lang_name *name;
    uint32_t at, type_at;
    lang_name *of; /* WHERE: of which minimum or maximum */
    uint32_t of_at;
    int number;            /* from 0 */
    lang_expr *lengths[3]; /* NULL: fewer indices */
    lang_expr *ratio;      /* list; NULL: none */
    uint32_t ratio_at;
    bool coarser;
    int along; /* dimensions, a bit each; 0: all */
    uint32_t along_at;
    kata_location on, each; /* as in ir_param */
    uint32_t on_at;
    struct lang_param *next;
} lang_param;

/* A definition of the file: a kernel, a helper or a constant. */
typedef struct lang_function {
    bool kernel, constant;
    bool real;             /* `real` is written in it */
    bool contract_off;     /* its file says so */
    ir_direction order[3]; /* of a kernel's levels, along each dimension */
    uint32_t direction_at;
    kata_location on; /* what a kernel computes, a helper is called for, of an icosahedral grid */
    uint32_t on_at;
    ir_type type; /* of a helper */
    lang_name *name;
    uint32_t at;
    lang_param *params;
    int param_count;
    lang_stmt *body; /* of a constant: DECLARE statements */
    bool active;     /* a helper that is being inlined */
    bool wrong;      /* its errors were reported: it is not used */
    bool guessed;    /* wrong from its first word, but the name that it defines is known */
    struct lang_function *next;
} lang_function;

/* An `import` of the file. */
typedef struct lang_import {
    const char *path;
    uint32_t at;
    struct lang_import *next;
} lang_import;

#endif
