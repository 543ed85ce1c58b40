/* Kernels that do the work of several. They are made once, and kept until the executor ends. */
#ifndef EXEC_JOINED_KERNEL_H
#define EXEC_JOINED_KERNEL_H

#include "ir/ir.h"

typedef struct joined_kernel {
    uint64_t key;      /* of the kernels and their parameters */
    ir_kernel *kernel; /* NULL: they cannot be one, or it would not be worth it */
    bool used;         /* some chain has it */
    const char *names; /* of the kernels, as in a list of JSON without the outermost quotes: of all
                          but the last, where that computes what the others make */
    const char *last;
    arena memory;
    struct joined_kernel *next;
} joined_kernel;

/* The one with a key; NULL when there is none. */
joined_kernel *joined_kernel_find(joined_kernel *list, uint64_t key);
/* The one with a key, which is added if it was not there; then `is_new`. NULL when memory is out.
 */
joined_kernel *joined_kernel_get(joined_kernel **list, uint64_t key, bool *is_new);
/* Room for the kernel of a new one, with the names of some kernels and with these parameters; NULL
 * when memory is out. */
ir_kernel *joined_kernel_begin(joined_kernel *joined, const ir_kernel *const *kernels, int count,
                               const ir_param *params, int param_count);
/* Keeps that kernel, or frees it. */
void joined_kernel_end(joined_kernel *joined, ir_kernel *kernel, bool keeps);
void joined_kernels_free(joined_kernel **list);

#endif
