/* Temporaries that are computed where they are read. */
#ifndef EXEC_INLINE_H
#define EXEC_INLINE_H

#include "exec/cpu.h"
#include "exec/joined_kernel.h"

#include "analysis/analysis.h"

enum { CPU_MOST_PARTS = 16, CPU_MOST_PARAMS = 62 };

/* Loops whose work becomes one loop's: the last of them, behind those that make what it reads. */
typedef struct cpu_joint {
    ir_inlined parts[CPU_MOST_PARTS];
    int loops[CPU_MOST_PARTS], count; /* numbers in the chain */
    double points[CPU_MOST_PARTS];    /* of their loops, for one of the last loop's */
    ir_param params[CPU_MOST_PARAMS];
    chain_binding bindings[CPU_MOST_PARAMS];
    int param_count;
} cpu_joint;

/* A chain in which fields are looked for that can be left out. */
typedef struct cpu_inliner {
    struct exec_cpu *cpu;
    const chain *c;
    const analysis_chain *a;
    bool *gone;    /* per slot: may be left out */
    int *written;  /* per slot: the last loop so far that writes it; -1: none */
    int *makers;   /* per parameter of each loop: the loop that makes what it reads, if that is left
                      out; -1: none */
    size_t *first; /* per loop: of its parameters */
    int *met;      /* per loop: 1 + the loop for which it was looked at last */
    bool changed;  /* a field was struck off */
    cpu_joint joint;
    arena *memory;
} cpu_inliner;

/* Sets `out` to the chain without the loops that make temporaries which others can compute; all
 * loops where there are none. It lives as long as `cpu->chain_memory`, its kernels until
 * exec_cpu_free. False when memory is out. */
bool cpu_inline(struct exec_cpu *cpu, const chain *c, const analysis_chain *a, chain *out);
static inline int *cpu_makers_of(const cpu_inliner *in, int loop)
{
    return in->makers + in->first[loop];
}

/* ---- cpu_joint.c ----------------------------------------------------------------------------- */

/* Sets in->joint to a loop and those that make what it reads, and the kernel that does the work of
 * all; NULL where there are too many, or it would not be worth it. False when memory is out. */
bool cpu_join(cpu_inliner *in, int loop, const ir_kernel **kernel);
/* Says which kernels became one, a line for each. */
void cpu_joined_explain(const struct exec_cpu *cpu, bool json, text *out);

#endif
