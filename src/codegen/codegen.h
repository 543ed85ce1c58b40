/* codegen: kernel graphs to C text, of functions as abi/abi.h says. */
#ifndef CODEGEN_CODEGEN_H
#define CODEGEN_CODEGEN_H

#include "abi/abi.h"
#include "ir/ir.h"

/* Where in a row of a component element i is. */
typedef enum codegen_rows {
    CODEGEN_CONTIGUOUS, /* at i */
    CODEGEN_TOGETHER,   /* at i times the number of components */
    CODEGEN_BLOCKED,    /* in blocks of ABI_BLOCK elements of each component */
    CODEGEN_STRIDED     /* at i times the view's x */
} codegen_rows;

/* A kernel bound to storage types and layouts. */
typedef struct codegen_loop {
    const ir_kernel *kernel;
    const kata_type *storage; /* per parameter; read for field parameters only */
    const codegen_rows *rows; /* the same; NULL: all contiguous */
    bool colored;             /* visits only the points of a colour */
    bool lines;               /* with #line directives that lead to the kernel's text */
    uint32_t without;         /* passes that are left out: see codegen_read_passes */
} codegen_loop;

/* ---- interface.c ----------------------------------------------------------------------------- */

/* A name for the function of a loop: "kata_" and a hash of graph, storage types and rows. Loops
 * that compute the same have the same name. */
void codegen_name(const codegen_loop *loop, char name[64]);
/* Position of the first view, and of the first number, of a parameter; those of param_count are the
 * numbers of views and numbers. */
int codegen_view_index(const ir_kernel *kernel, int param);
int codegen_number_index(const ir_kernel *kernel, int param);
/* Position of the first view that is written, of a parameter that is. */
int codegen_store_index(const ir_kernel *kernel, int param);

/* ---- kernel_file.c --------------------------------------------------------------------------- */

/* A whole file: the functions of loops that have different names, behind what they need. */
void codegen_file_text(text *out, const codegen_loop *loops, size_t count);
/* Text of abi.h, and of vector.h, which stands in generated code. */
extern const char abi_text[], codegen_vector_text[];
/* Text of lanes.h, which stands there where a loop reduces. */
extern const char codegen_lanes_text[];

/* ---- passes.c -------------------------------------------------------------------------------- */

/* The function of a loop alone, with the functions that it calls. */
void codegen_function_text(text *out, const codegen_loop *loop);
/* The name of a pass that makes code faster; NULL behind the last. */
const char *codegen_pass_name(int i);
/* The passes in a list of names, "prefetch,pair-y", for codegen_loop.without. False, and *without
 * as it was, when one of them is the name of no pass. */
bool codegen_read_passes(const char *names, uint32_t *without);

#endif
