/* Private to codegen: generated code as a tree.
 *
 * A file holds functions; functions, blocks, loops and conditions hold what runs in them, in order.
 * The expressions in their heads are text. nest_print writes a tree in a dialect, with indentation
 * and braces. When memory is out, nodes still can be added, and the tree says that it failed. */
#ifndef CODEGEN_NEST_H
#define CODEGEN_NEST_H

#include "codegen/dialect.h"

#include "base/base.h"

typedef enum nest_kind {
    NEST_FILE,
    NEST_COMMENT,         /* head stands between the signs of a comment */
    NEST_POSITION,        /* head is a #line directive */
    NEST_FUNCTION,        /* head is the signature */
    NEST_BLOCK,           /* no head */
    NEST_LOOP,            /* head: first; condition; next */
    NEST_IF,              /* head is the condition */
    NEST_ELSE,            /* follows an IF, or an ELSE with a head: one with no head is the last */
    NEST_STATEMENT,       /* head without the semicolon; declarations are statements */
    NEST_PREFETCH,        /* head is an address, from which is read */
    NEST_PREFETCH_WRITTEN /* to which is written */
} nest_kind;

/* What a compiler is told of a loop. */
typedef enum nest_hint {
    NEST_PLAIN,
    NEST_VECTOR,       /* its turns may be computed side by side */
    NEST_VECTOR_LANES, /* those that are less than half of ABI_LANES apart may */
    NEST_VECTOR_ANY,   /* as VECTOR; the variable `failing` gets the bits that any turn sets */
    NEST_UNROLLED,     /* its few turns follow one another without a loop */
    NEST_SOME          /* some of its turns do, so that what they read is read together */
} nest_hint;

typedef struct nest {
    nest_kind kind;
    nest_hint hint; /* of a LOOP */
    text head;
    struct nest *first, *last, *next;
    struct nest *spare; /* given instead of a new node when memory is out; that of the file */
} nest;

/* A file without content, to be freed; NULL when memory is out. */
nest *nest_new(void);
void nest_free(nest *file);
/* A new last node in another, whose head is still to be written. */
nest *nest_add(nest *in, nest_kind kind);
/* The same with a head. */
nest *nest_format(nest *in, nest_kind kind, const char *format, ...) PRINTF_LIKE(3, 4);
nest *nest_loop(nest *in, nest_hint hint, const char *format, ...) PRINTF_LIKE(3, 4);
void nest_statement(nest *in, const char *format, ...) PRINTF_LIKE(2, 3);

/* ---- nest_print.c ---------------------------------------------------------------------------- */

/* `breaks`: lines that are too long are broken behind a comma. */
void nest_print(text *out, const nest *file, const codegen_dialect *dialect, bool breaks);

#endif
