/* Private to codegen: how the languages of generated code differ. The printer and the builders take
 * from this table what depends on the language; all else is the same in C, CUDA C and OpenCL C. */
#ifndef CODEGEN_DIALECT_H
#define CODEGEN_DIALECT_H

#include "ir/ir.h"

typedef struct codegen_dialect {
    const char *function;   /* in front of the function that the library calls */
    const char *inlined;    /* in front of the functions that it calls */
    const char *restricted; /* of a parameter: nothing else leads to what it points to */
    const char *global;     /* address space of fields, with a space behind it */
    const char *local;      /* of arrays of one thread */
    const char *shared;     /* address space that pointers to memory of a group lead to */
    bool declares_shared;   /* memory whose size a launch says is declared, and is no parameter */
    const char *aligned;    /* behind an array: it begins at a cache line */
    const char *boolean;    /* the type of conditions */
    const char *hints[6];   /* lines in front of a loop, by nest_hint */
    const char *prefetch;   /* in front of an address, and behind one that is read or written */
    const char *prefetch_end, *prefetch_written_end;
    const char *barrier;        /* statement: what was streamed is seen by other threads */
    const char *global_barrier; /* on a device: all that was written is seen by the group */
    const char *builtin;        /* in front of names of functions that are one instruction */
    const char *f32;            /* behind these where they are of f32 */
    const char *i64;            /* behind constants of i64 */
    const char *constants;      /* in front of a table of constants */
    const char *long_vector;    /* the type of vectors of i64, without their length */
    const char *prelude;        /* of a file: what its text needs and the language lacks */
    const char *fetches;        /* how planes of tiles are fetched: see tile_kernel.c */
} codegen_dialect;

extern const codegen_dialect codegen_c, codegen_cuda, codegen_opencl;

#endif
