/* Private to lang: the state of a compilation, and its errors.
 *
 * A text is parsed whole into a syntax tree (parse.h). Then each kernel is translated to an IR tree
 * (check.h). The syntax of a helper is translated anew at each call, with its parameters bound to
 * the arguments.
 *
 * Functions that return a pointer, a value with an expression, or bool report their error and
 * return NULL, a value without expression, or false. */
#ifndef LANG_COMPILER_H
#define LANG_COMPILER_H

#include "lang/lang.h"
#include "lang/syntax.h"

enum {
    LANG_MAX_SYNTAX = 1 << 20,          /* nodes of the syntax tree of a file */
    LANG_MAX_TREE = IR_MAX_NODES,       /* nodes of the IR tree of a kernel */
    LANG_MAX_TREES = 20 * IR_MAX_NODES, /* of all kernels of a file */
    LANG_MAX_NAME = 255,                /* letters of a name */
    LANG_MAX_IMPORTS = 256,             /* in a file and all that it imports */
    LANG_MAX_IMPORT_DEPTH = 16          /* files that import one another in a row */
};

struct lang_compiler {
    lang_module *module;
    messages *m;
    bool failed, muted; /* an error was reported; another is being dropped */
    bool stopped;       /* no recovery: a limit, memory, too many errors */
    bool damaged;       /* the definition being parsed has an error */
    bool lost;          /* a definition without a name was dropped */
    bool watched;       /* as in lang_options */
    const ir_mesh *mesh;
    const char *only;
    arena syntax; /* everything that ends with the compilation */
    int syntax_count;

    /* lexer.c */
    const source *source; /* being read */
    lang_token token, next;
    uint32_t position, previous_end;
    int depth; /* of nesting, in parsing and then in checking */

    /* import.c */
    const char *folder; /* of the first file: imports are looked for there; NULL: there is none */
    const char *prefix; /* of the names of imports in messages */
    struct lang_part *parts; /* of a text with its imports behind its end */
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
    bool contract_off;           /* no fma is formed */
    ir_kernel *kernel;           /* being translated, NULL outside of kernels */
    int body_level;              /* of the names declared in its body, outside of blocks */
    int loops; /* around the present statement, in the kernel, helper or loop over neighbours */
    int neighbours;              /* loops over neighbours around that, in the kernel or helper */
    const lang_element *element; /* that is computed; NULL: a point */
    lang_symbol *relations[3][3][4]; /* tables of neighbours.c */
    int result;                      /* local that takes the helper's value */
    ir_local *locals;
    size_t local_count, local_capacity;
    ir_table *tables;
    size_t table_count, table_capacity;

    /* real.c */
    ir_type **reals; /* types in the syntax that are written `real` */
    size_t real_count, real_capacity;
    bool uses_real; /* the definition being parsed, or the kernel being translated */
};

/* ---- report.c -------------------------------------------------------------------------------- */

/* Begins an error; lang_hint adds a line to it and lang_note a location. Until lang_recover,
 * further errors are dropped as its consequences. Errors are sent when the compilation ends.
 * Returns false. */
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
#define LANG_VALUES_HINT                                                                           \
    "'u' is a field's value at this point, 'u[1,0]' at the next along x, 'a[2]' an element of an " \
    "array"
/* Memory for a piece of syntax. */
void *lang_make(lang_compiler *c, size_t size, uint32_t at);

#endif
