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
/* Bytes of a third-level cache; 0 where there is none, or that is not known. Fast. */
int64_t machine_third_cache(void);

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

/* ---- emulated.c ------------------------------------------------------------------------------
 *
 * Machines that are emulated: many cores, each with a small memory of its own into which transfers
 * move blocks. A text describes one, a line for each fact: a key, numbers, and `calibrated` behind
 * those that were chosen so that a published result comes out. docs/scratchpads.md lists the keys.
 */

/* Bytes per second by the contiguous bytes of a transfer, in order: between two lengths the rate is
 * found on the line between them. */
enum { MACHINE_RATES = 16, MACHINE_SIBLINGS = 1 << 15 };
typedef struct machine_rates {
    int count;
    double length[MACHINE_RATES], rate[MACHINE_RATES];
} machine_rates;

typedef struct machine_emulated {
    char name[32];        /* of the file, or of the machine that is shipped */
    char about[160];      /* what it is, in words; "" */
    char calibrated[256]; /* keys whose numbers were fitted to results, with commas; "" */
    int siblings;         /* cores, or clusters of cores, with a memory each */
    int64_t memory;       /* bytes of such a memory */
    int64_t free;         /* those that blocks may have */
    bool local;      /* fields stay in these memories, a block in each: there is no global one */
    double exchange; /* then: bytes per second that a sibling has from others, and sends them */
    int64_t chips;   /* then: the siblings lie on so many, equally many on each; 0 is 1 */
    double between;  /* bytes per second that a chip has from others, and sends them */
    double far;      /* seconds until something from another chip begins to come in */
    /* Bytes per second of all siblings together: into local memories, out of them, and both where
     * transfers of both kinds are under way. */
    machine_rates get, put, both;
    double link;            /* bytes per second of one sibling, at most */
    double direct;          /* of loops whose fields stay in the global memory */
    double latency;         /* seconds from the end of a transfer until a sibling knows of it; of an
                               exchange */
    double issue;           /* seconds that a sibling takes to start a transfer */
    double launch, barrier; /* seconds before and after the loops of a section; barrier: before
                               each exchange, too */
    double operations;      /* per second of one sibling */
    int64_t group;          /* siblings that may share a block and load it together; 0 is 1 */
    double pass;            /* then: bytes per second that each of them passes on to others */
    int64_t slots;          /* of a buffer */
    bool last;              /* a turn gets after it puts */
    bool powers;            /* sizes of blocks are powers of two */
} machine_emulated;

/* Reads a text; false where it is wrong, and `why` says what, with the line. */
bool machine_emulated_read(const char *words, size_t length, const char *name,
                           machine_emulated *out, text *why);
/* The rate of a table at a length. */
double machine_rate_at(const machine_rates *r, double length);

/* ---- shipped.c ------------------------------------------------------------------------------- */

/* The name of the i-th machine that comes with the library; NULL at the end. */
const char *machine_shipped_name(int i);
/* A machine by its name, or by a path, which has a '/' or a '.'. */
bool machine_emulated_find(const char *name, machine_emulated *out, text *why);

/* ---- emulated_clock.c ------------------------------------------------------------------------ */

/* What siblings do, one after another. */
typedef enum machine_act {
    MACHINE_GET,    /* starts a transfer of `amount` bytes, `length` of them contiguous */
    MACHINE_PUT,    /* the same, outwards */
    MACHINE_AWAIT,  /* until `amount` transfers have ended that name this operation */
    MACHINE_COMPUTE /* for `amount` seconds */
} machine_act;

typedef struct machine_operation {
    machine_act act;
    double amount, length;
    int64_t turn;
    size_t awaited; /* of a transfer: number of the operation that waits for it; SIZE_MAX: none */
    double begin, end; /* seconds, found: a transfer's from where it moves; a wait's */
} machine_operation;

typedef struct machine_program {
    machine_operation *operations;
    size_t count, room;
    size_t first[MACHINE_SIBLINGS + 1]; /* of each sibling; the next one's first is the end */
    int siblings;                       /* that do something */
    int cores;                          /* that each of them is, with a link each */
} machine_program;

/* Seconds until all siblings are ready; and means over siblings: in which one computes, and in
 * which its transfers move. */
typedef struct machine_time {
    double seconds, computing, moving;
} machine_time;

/* Runs a program by events. Transfers of a sibling run in the order in which they were started, at
 * once with its work and with those of others, with which they share the rate. False when memory is
 * out. */
bool machine_clock(const machine_emulated *m, machine_program *p, machine_time *out);

/* ---- huge_pages.c ---------------------------------------------------------------------------- */

/* Sets the members about huge pages. */
void machine_huge_pages(machine *out);

/* ---- ceiling.c ------------------------------------------------------------------------------- */

/* Measures with that many threads, in about a second, on memory of its own. `m` was detected, and
 * says how large the caches are. False, with *out unchanged, when memory is out. */
bool machine_measure(const machine *m, int threads, kata_ceilings *out);

/* ---- processor.c, note_name.c ---------------------------------------------------------------- */

/* Key of the instruction set: text that differs between CPUs for which compiled code may
 * differ (model and feature flags). Appended to `out`; takes 0.5 ms at most, in virtual machines.
 */
void machine_cpu_key(text *out);

/* Appends the name of the file for a figure that was measured on this processor with so many
 * threads: "copy-0123..." for "copy". */
void machine_note_name(text *out, const char *figure, int threads);

#endif
