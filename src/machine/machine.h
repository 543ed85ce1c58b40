/* machine: what this computer has. */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include "base/base.h"

#include <pthread.h>

typedef struct machine {
    char cpu[128]; /* model name */
    char simd[16]; /* widest vector extension: "AVX-512", "AVX2", "AVX", "SSE2", "NEON", "none" */
    int cores;     /* this process may run on */
    int64_t l1, l2, l3;
    int l2_cores, l3_cores; /* of `cores`: how many share one cache; 0: there is none */
    int64_t memory;
    char huge_pages[16];   /* the system's setting: "always", "madvise", "never"; "" */
    int64_t huge_page;     /* bytes of one; 0: there are none */
    bool huge_pages_given; /* whether memory that asks for them by madvise gets them */
} machine;

/* ---- machine.c ------------------------------------------------------------------------------- */

/* Finds everything (by hwloc, in some milliseconds). Unknown members are 0 or "". */
void machine_detect(machine *out);
/* Cores that this process may run on, at least 1. Fast. */
int machine_cores(void);
/* The core that the calling thread runs on; -1 when that is not known. */
int machine_here(void);
/* Lets a thread run on one core only: the n-th core that the caller may use, counted from core
 * `from` on, wrapping around. False if the system refuses. */
bool machine_pin(pthread_t thread, int from, int n);
/* Bytes of a second-level cache; 256 KiB where that is not known. Fast. */
int64_t machine_second_cache(void);

/* ---- crossover.c ----------------------------------------------------------------------------- */

/* From how many bytes on, of all that a chain touches, streaming stores are faster. Zero at first:
 * nothing is known. */
typedef struct machine_crossover {
    int64_t plain;     /* the largest size at which plain stores were faster; 0: none is known */
    int64_t streaming; /* the smallest at which streaming ones were; 0: none. Above `plain` */
    bool changed;      /* by a note */
} machine_crossover;

/* Which stores were faster where a chain touched so many bytes. */
void machine_crossover_note(machine_crossover *c, int64_t bytes, bool streaming);
/* The crossover; 0: not known. */
int64_t machine_crossover_bytes(const machine_crossover *c);
/* As a line of text, and back. Reading is false, with *out unchanged, where the text is anything
 * else. */
void machine_crossover_print(text *out, const machine_crossover *c);
bool machine_crossover_read(const char *line, machine_crossover *out);

/* ---- huge_pages.c ---------------------------------------------------------------------------- */

/* Sets the members about huge pages. */
void machine_huge_pages(machine *out);

/* ---- ceiling.c ------------------------------------------------------------------------------- */

/* Measures with that many threads, in about a second, on memory of its own. `m` was detected, and
 * says how large the caches are. False, with *out unchanged, when memory is out. */
bool machine_measure(const machine *m, int threads, kata_ceilings *out);

/* ---- processor.c, note_name.c ---------------------------------------------------------------- */

/* Key of the instruction set: text that differs between CPUs for which compiled code may
 * differ (model and feature flags). Appended to `out`; takes 0.1 ms at most. */
void machine_cpu_key(text *out);

/* Appends the name of the file for a figure that was measured on this processor with so many
 * threads: "copy-0123..." for "copy". */
void machine_note_name(text *out, const char *figure, int threads);

#endif
