/* Loops that run as one, point by point. */
#ifndef EXEC_FUSE_H
#define EXEC_FUSE_H

#include "exec/cpu.h"
#include "exec/joined_kernel.h"

enum { FUSE_MOST_LOOPS = 8, FUSE_MOST_PARAMS = 62, FUSE_MOST_KERNELS = HOSTILE(512, 20) };

/* Consecutive loops, and the parameters of the one that does their work. */
typedef struct fuse_group {
    const chain_loop *loops;
    int count;
    int of[FUSE_MOST_PARAMS]; /* the new parameter, by all parameters of the loops in order */
    ir_param params[FUSE_MOST_PARAMS];
    const chain_binding *bindings[FUSE_MOST_PARAMS]; /* the first one of each */
    int param_count;
} fuse_group;

/* What was found for loops of the same hashes. */
typedef struct fuse_memo {
    uint64_t key;
    joined_kernel *fused; /* NULL: the first loop runs by itself */
    int count;            /* loops */
    uint8_t of[FUSE_MOST_PARAMS];
} fuse_memo;
enum { FUSE_MEMOS = 256 };

struct cpu_fuser {
    joined_kernel *kernels;
    int kernel_count; /* from FUSE_MOST_KERNELS on, no others are made */
    fuse_memo memos[FUSE_MEMOS];
    double points;   /* that loops have run which could be one with others */
    bool found;      /* some functions were there */
    uint64_t chains; /* looked at so far */
};

/* ---- fuse_group.c ---------------------------------------------------------------------------- */

/* Whether a loop may be one with those before or behind it. */
bool fuse_can_have(const chain_loop *loop);
/* Whether a loop may follow on others in one: it runs over the same points of the same time step,
 * and touches some field that they touch. */
bool fuse_can_follow(const chain_loop *loops, int count);
/* Finds the parameters of one loop for some. False where there are too many, or a field is met
 * under several boundary rules or in several types. */
bool fuse_params(fuse_group *group);
/* The binding of each parameter of one loop; NULL where rules are not shared as they were before,
 * or memory is out. */
chain_binding *fuse_bindings(const chain_loop *loops, const fuse_memo *memo, arena *memory);

/* ---- fused_kernel.c -------------------------------------------------------------------------- */

/* The kernel of a group, which is made once; it has none where there are many already. False when
 * memory is out. */
bool fuse_kernel(struct cpu_fuser *fuser, const fuse_group *group, joined_kernel **out);

/* ---- cpu_fuse.c ------------------------------------------------------------------------------ */

/* Sets `out` to a chain that does the same in fewer loops, and finds their functions, where there
 * is code for some of those that do the work of several; otherwise its count is 0. Compilers start
 * for those that lack theirs, beside the program, once loops have run for long enough. The chain
 * lives as long as `cpu->chain_memory`. */
kata_status cpu_fuse(exec_context *context, const chain *c, chain *out, size_t **functions,
                     messages *m);
/* Says which kernels became one, a line for each. */
void cpu_fused_explain(const struct exec_cpu *cpu, bool json, text *out);
void cpu_fuser_free(struct exec_cpu *cpu);

#endif
