/* What compiled code reads from memory at an index known only at run time: see lookup.c. */
#ifndef CODEGEN_LOOKUP_H
#define CODEGEN_LOOKUP_H

#include "codegen/codegen.h"

enum { CODEGEN_MOST_LOOKUPS = 64 };

typedef enum codegen_looked_up {
    CODEGEN_CONSTANTS,
    CODEGEN_IN_TABLE, /* elements of a table of the arguments */
    CODEGEN_IN_FIELD  /* what the point reads of the components of a field */
} codegen_looked_up;

/* An element in memory, at an index that is known only at run time: the nearest of `count`
 * elements, of which the first has the index `low`. */
typedef struct codegen_lookup {
    codegen_looked_up of;
    ir_id index;
    int64_t low;
    int count;
    ir_id values[IR_MAX_LENGTH];
    int32_t stride; /* of a table, of components: from one element to the next */
} codegen_lookup;

typedef struct codegen_lookups {
    codegen_lookup lookup[CODEGEN_MOST_LOOKUPS];
    int count;
    int *of;    /* for each node: 1 + the index of its lookup, 0 where it is computed */
    bool *used; /* for each node: whether it is needed at all */
    bool *rows; /* for each access: whether its row is needed; NULL: all are */
} codegen_lookups;

#endif
