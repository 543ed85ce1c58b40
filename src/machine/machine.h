/* machine: what this computer has. */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include "base/base.h"

typedef struct machine {
    char cpu[128]; /* model name */
    char simd[16]; /* widest vector extension: "AVX-512", "AVX2", "AVX", "SSE2", "NEON", "none" */
    int cores;     /* that this process may run on */
    int64_t l1, l2, l3;
    int64_t memory;
} machine;

/* ---- machine.c ------------------------------------------------------------------------------- */

/* Everything (by hwloc, some milliseconds). What cannot be found is 0 or "". */
void machine_detect(machine *out);
/* Cores that this process may run on, at least 1. Fast. */
int machine_cores(void);
/* Bytes of the largest cache; 16 MiB where that is not known. Fast. */
int64_t machine_last_cache(void);

/* ---- processor.c ----------------------------------------------------------------------------- */

/* The model's name, "" when it is not known. */
void machine_processor(char model[128]);
/* The widest vector extension, as in struct machine. */
const char *machine_simd(void);
/* Key of the instruction set: text that differs between CPUs for which compiled code may
 * differ (model and feature flags). Appended to `out`; takes 0.1 ms at most. */
void machine_cpu_key(text *out);

#endif
