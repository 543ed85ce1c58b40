/* Private to lang: words, names, and the meanings of names. Names are interned; a name knows its
 * innermost meaning. */
#ifndef LANG_SYMBOL_H
#define LANG_SYMBOL_H

#include "ir/ir.h"

/* Words of the language. Types stand first, in the order of ir_type, REAL after them. */
#define LANG_WORDS(X)                                                                              \
    X(BOOL, "bool")                                                                                \
    X(INT, "int")                                                                                  \
    X(LONG, "long")                                                                                \
    X(FLOAT, "float")                                                                              \
    X(DOUBLE, "double")                                                                            \
    X(UCHAR, "uchar")                                                                              \
    X(USHORT, "ushort")                                                                            \
    X(SHORT, "short")                                                                              \
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
    X(BREAK, "break")                                                                              \
    X(CONTINUE, "continue")                                                                        \
    X(RETURN, "return")                                                                            \
    X(TRUE, "true")                                                                                \
    X(FALSE, "false")                                                                              \
    X(ASSERT, "assert")                                                                            \
    X(FORWARD, "forward")                                                                          \
    X(BACKWARD, "backward")                                                                        \
    X(INTERVAL, "interval")                                                                        \
    X(FINER, "finer")                                                                              \
    X(COARSER, "coarser")                                                                          \
    X(ALONG, "along")                                                                              \
    X(ON, "on")

#define LANG_TYPE_NAMES "bool, uchar, ushort, short, int, long, float, double and real"

typedef enum lang_word {
#define X(name, ...) LANG_WORD_##name,
    LANG_WORDS(X)
#undef X
        LANG_WORD_REFUSED, /* a word of C */
    LANG_WORD_NONE         /* an identifier */
} lang_word;

typedef struct lang_name {
    const char *text;
    lang_word word;
    const char *hint;            /* REFUSED: what to do instead */
    struct lang_symbol *meaning; /* innermost, NULL when there is none */
    uint64_t hash;
    int missing;            /* reported as unknown in this frame; -1: everywhere */
    struct lang_name *next; /* of the same bucket */
} lang_name;

typedef enum lang_symbol_kind {
    LANG_FUNCTION,  /* function of the language: op, f32_version */
    LANG_INDEX,     /* ix, iy, iz: index */
    LANG_SIZE,      /* nx, ny, nz: index */
    LANG_HELPER,    /* function */
    LANG_KERNEL,    /* function */
    LANG_CONSTANT,  /* type, value */
    LANG_TABLE,     /* constant table: type, length, values */
    LANG_NUMBER,    /* uniform parameter: type, index, length */
    LANG_REDUCTION, /* type, index, length */
    LANG_FIELD,     /* type, index, length; component and offsets are added to each access */
    LANG_LOCAL,     /* type, index, length */
    LANG_NEIGHBOUR  /* element */
} lang_symbol_kind;

/* A cell, edge or vertex that can be named: the one that is computed, or a neighbour in a loop. */
typedef struct lang_element {
    kata_location on;
    ir_expr *color, *at[2]; /* I32: its colour, its offset along x and y; NULL: 0 */
    /* Of a neighbour: what it is a neighbour of, the how manieth (I32), and the number of that for
     * tables, by colour first. */
    const struct lang_element *from;
    ir_expr *slot, *number;
    ir_expr *index; /* of a neighbour in a mesh, instead of colour and offset: its number there */
} lang_element;

typedef struct lang_symbol {
    lang_symbol_kind kind;
    lang_name *name;
    uint32_t at;
    int frame, level;             /* where it is visible */
    struct lang_symbol *outer;    /* the meaning it hides */
    struct lang_symbol *previous; /* the symbol declared before it */
    ir_type type;
    int index;
    int length;       /* of a table, array or components; 0: not indexed by one number */
    int columns;      /* of a table or array with two indices: how many values the last one has */
    int middle;       /* the same of the second of three; the length is the product of all */
    bool constant;    /* LOCAL */
    bool used;        /* its value is read somewhere */
    bool assigned;    /* LOCAL: after its declaration */
    bool given;       /* LOCAL: a parameter of a helper */
    bool f32_version; /* FUNCTION: called with an f at its end */
    ir_op op;
    ir_param_kind param;
    ir_value value;
    const ir_value *values;
    struct lang_function *function;
    int table, table_owner; /* TABLE: its index in the kernel of that number */
    bool children;          /* FIELD: finer, so that a point has several children to write */
    kata_location on, each; /* FIELD, REDUCTION: as in ir_param */
    const lang_element *element;
    ir_expr *component, *offset[3];
    int offsets;
} lang_symbol;

typedef struct lang_compiler lang_compiler;

/* ---- names.c --------------------------------------------------------------------------------- */

/* Makes the words and functions of the language known. */
bool lang_names_start(lang_compiler *c);
lang_name *lang_intern(lang_compiler *c, const char *text, size_t length);
/* Declares a new meaning of a name in the innermost scope. Reports a name declared there already.
 */
lang_symbol *lang_declare(lang_compiler *c, lang_symbol_kind kind, lang_name *name, uint32_t at);
/* NULL when the name means nothing here. */
lang_symbol *lang_find(const lang_compiler *c, const lang_name *name);
/* As lang_find, but reports a name without meaning: "unknown `what`" ("name", "function"). */
/* Whether lang_lookup reports the name: nothing declares it, and it was not reported before. */
bool lang_is_unknown(const lang_compiler *c, const lang_name *name);
lang_symbol *lang_lookup(lang_compiler *c, lang_name *name, uint32_t at, const char *what);
/* The declaration of a name was wrong: do not report the name as unknown. */
void lang_forgive(lang_compiler *c, lang_name *name);
/* Whether a word of the language was taken for a name and reported already; then the compilation
 * fails without another message. */
bool lang_forgiven_word(lang_compiler *c, const lang_name *name);
/* Adds "did you mean ..." to the error when a name is near one of the count texts; says whether. */
bool lang_suggest(lang_compiler *c, const char *name, const char *const *texts, size_t count);

/* The state that leaving a scope restores. */
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

#endif
