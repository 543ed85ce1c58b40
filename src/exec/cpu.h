/* The executor of compiled loops on threads: what its files share. */
#ifndef EXEC_CPU_H
#define EXEC_CPU_H

#include "codegen/codegen.h"
#include "exec/exec.h"
#include "sweep/sweep.h"

/* ---- cpu.c, and what the files cpu_*.c share ------------------------------------------------- */

/* Functions that are compiled together. */
typedef struct cpu_group {
    jit_job *job;
    struct cpu_group *next;
} cpu_group;

typedef struct cpu_function {
    jit_function id;   /* named by codegen_name */
    abi_function *run; /* NULL until it is compiled and fetched */
    cpu_group *group;  /* that it is being compiled in; NULL: none */
    uint64_t missed;   /* the last search that found it without code; see cpu_compile.c */
    bool smaller;      /* it neither prefetches nor writes past the caches */
    size_t larger;     /* number of the function that will replace it; CPU_NO_FUNCTION: none */
    double seconds;    /* that its loops have run in chains beyond the caches */
    bool failed;       /* no compiler was able to make it: it replaces none */
} cpu_function;

/* The function of loops of a kernel, remembered: `fields` says what they are stored as. */
typedef struct cpu_bound {
    const ir_kernel *kernel; /* NULL: none */
    uint64_t fields;
    size_t function;
} cpu_bound;
enum { CPU_BOUND = 512 };

/* The chain that ran last, see cpu_latest.c. */
typedef struct cpu_latest {
    struct tune_ways *ways; /* NULL: it may run in another way next time */
    const plan *plan;
    int64_t bytes; /* that it touches */
} cpu_latest;

/* The executor's state between chains. */
struct exec_cpu {
    cpu_latest latest;
    jit *jit; /* as the context's */
    cpu_function *functions;
    size_t function_count, function_capacity;
    arena search_memory, chain_memory, run_memory; /* of a search, a chain, a part of one */
    size_t *buckets, bucket_count;                 /* see cpu_functions.c */
    uint64_t searches;                             /* so far: see cpu_function */
    cpu_bound bound[CPU_BOUND];
    cpu_group *groups;  /* not fetched yet */
    cpu_group *beside;  /* larger functions that are being compiled; NULL: none */
    bool fits;          /* the present chain fits the caches */
    bool provisional;   /* some of its loops run by functions that will be replaced */
    bool counts;        /* and its time is counted */
    char basis[33];     /* see cpu_names.c; "" at first */
    double interpreted; /* seconds, estimated, of loops that had no function yet */
    sweep_workers *workers;
    bool told;              /* that a plan is not used */
    struct tune_ways *ways; /* CPU_KNOWN_CHAINS of them; NULL at first; see tune.h */
    int64_t turn;
    bool wisdom_loaded;
    wisdom wisdom; /* as it was when it was loaded */
    bool crossover_loaded;
    struct joined_kernel *joined; /* see inline.h */
    struct cpu_fuser *fuser;      /* see fuse.h; NULL at first */
    int64_t asked[2]; /* chains for which a plan was asked: run loop by loop, and by the plan */
};

/* A loop of a chain. */
typedef struct cpu_step {
    size_t function;   /* its number */
    int same;          /* the first loop that it equals, by which it runs; most: itself */
    bool begun;        /* on its first box */
    bool copies;       /* see sweep_prepare */
    bool apart;        /* threads prepare it for themselves: see tune_tiles.c */
    bool filled;       /* for the wave that begins: see cpu_constants.c */
    sweep_loop *sweep; /* NULL: not prepared, or done */
    double seconds;
} cpu_step;

/* A chain that runs. */
typedef struct cpu_chain {
    exec_context *context;
    const analysis_chain *a;
    const plan_schedule *schedule;
    cpu_step *steps;             /* per loop */
    uint64_t *filled;            /* per loop of the schedule: see sweep_tile */
    uint64_t *constants;         /* those of them that are filled before the wave */
    struct cpu_covered *covered; /* per slot: see cpu_covered.c; NULL: no ghosts are covered */
    bool whole;                  /* each loop runs on one box, one after another */
    int failing;                 /* the first loop of which a point has failed; loop_count: none */
    messages *m;
    kata_status status;
} cpu_chain;

/* ---- cpu_step.c ------------------------------------------------------------------------------ */

const chain_loop *cpu_loop_of(const cpu_chain *c, int loop);
/* False, and sets the status. */
bool cpu_no_memory(cpu_chain *c);
/* Prepares a loop when it is met; where loops run side by side, all of them before. False,
 * reported, when memory is out. */
bool cpu_prepare(cpu_chain *c, int loop);
/* Prepares a loop again, so that it reads copies. */
bool cpu_prepare_copies(cpu_chain *c, int loop);
/* The step by which a loop runs: that of the first loop that it equals. */
cpu_step *cpu_step_of(const cpu_chain *c, int loop);
/* Before the first box of a loop: prepares the loop that it runs by, and begins it. */
bool cpu_begin(cpu_chain *c, int loop);
void cpu_release(cpu_step *s);

/* ---- cpu_covered.c --------------------------------------------------------------------------- */

/* Puts ghosts aside that no loop of a chain finds, and back behind it. False when memory is out. */
bool cpu_cover(cpu_chain *c);
void cpu_uncover(cpu_chain *c);
/* Bit p: those of parameter p may be written to: see sweep_manner. */
uint64_t cpu_covers(const cpu_chain *c, int loop);

/* ---- cpu_beside.c ---------------------------------------------------------------------------- */

/* Decides which loops of waves fill memory around fields. False, reported, when memory is out. */
bool cpu_settle_fills(cpu_chain *c);

/* ---- cpu_constants.c ------------------------------------------------------------------------- */

/* Finds the fills of a wave that can be done before it. False, reported, when memory is out. */
bool cpu_find_constants(cpu_chain *c, const plan_wave *wave);
/* Does them; the loops of the wave have begun. */
void cpu_fill_constants(cpu_chain *c, const plan_wave *wave);

/* ---- cpu_wave.c ------------------------------------------------------------------------------ */

/* Finds equal loops in waves: they are prepared once. False, reported, when memory is out. */
bool cpu_find_same(cpu_chain *c);
/* Runs a wave of tiles on all threads. False, reported, when memory is out. */
bool cpu_run_wave(cpu_chain *c, const plan_wave *wave);

/* ---- cpu_relay.c ----------------------------------------------------------------------------- */

/* How many steps of a chain that runs loop by loop, from one on, are loops that run as a relay; 1:
 * that step runs by itself. */
int cpu_relay_length(const cpu_chain *c, int step);
/* Runs them. False, reported, when memory is out. */
bool cpu_run_relay(cpu_chain *c, int step, int count);

/* ---- tune_tiles.c -----------------------------------------------------------------------------
 */

/* Runs the tiles of a node that plan_is_independent, on all threads. False, reported, when memory
 * is out. */
bool cpu_run_tiles(cpu_chain *c, const plan *p, int node);

/* A chain, or a part of one, and how it runs. */
typedef struct cpu_work {
    const plan *plan;
    const analysis_chain *a;
    const size_t *functions; /* numbers, per loop */
    bool whole; /* each loop runs on one box, one after another; otherwise all functions
                   have code */
} cpu_work;

kata_status cpu_run_planned(exec_context *context, const cpu_work *work, messages *m);

/* ---- chain_plan.c ---------------------------------------------------------------------------- */

/* As exec_plan_of, without a warning. */
const plan *exec_plan_quietly(exec_context *context, const plan_request *request, const chain *c,
                              const analysis_chain **analysis, messages *m);

/* ---- cpu_latest.c ---------------------------------------------------------------------------- */

/* Notes that a chain has just run as `ways` say. */
void cpu_latest_note(exec_context *context, const chain *c, struct tune_ways *ways);
/* Whether a chain equals the one that ran last, and is to run in the same way, by the plan and the
 * analysis of *work. */
bool cpu_latest_again(exec_context *context, const chain *c, cpu_work *work);
/* Runs it, and counts it. */
kata_status cpu_latest_run(exec_context *context, const chain *c, const cpu_work *work,
                           messages *m);

/* ---- cpu_plan.c ------------------------------------------------------------------------------ */

/* Whether all functions are there; false also where fetching one failed: *status. */
bool cpu_has_all_code(exec_context *context, const chain *c, const size_t *functions, messages *m,
                      kata_status *status);
/* Sets plan, analysis and `whole` of the work on a chain: by a request, or as the context's request
 * asks, with a warning where that cannot be had. False, reported, when memory is out or a function
 * cannot be fetched. */
bool cpu_plan_by(exec_context *context, const plan_request *request, const chain *c, cpu_work *work,
                 messages *m);
bool cpu_plan_as_asked(exec_context *context, const chain *c, cpu_work *work, messages *m);

/* ---- cpu_functions.c --------------------------------------------------------------------------
 */

/* NULL where there is none of this name. Adding one moves them all. */
cpu_function *cpu_functions_find(const struct exec_cpu *cpu, const char *name);
/* Adds one of a new name; false when memory is out. */
bool cpu_functions_add(struct exec_cpu *cpu, const cpu_function *function);
void cpu_functions_free(struct exec_cpu *cpu);

/* ---- cpu_crossover.c ------------------------------------------------------------------------- */

/* Gives the workers the machine's crossover, once; and keeps what they have found out. */
void cpu_crossover_load(struct exec_cpu *cpu);
void cpu_crossover_save(struct exec_cpu *cpu);

/* ---- cpu_compile.c: from loops to functions -------------------------------------------------- */

/* Of a copy, which needs none. */
#define CPU_NO_FUNCTION ((size_t)-1)

/* Sets functions[i] to the number of the function of loop i of a chain, and starts compilers for
 * those that have no code where that is worth it. */
kata_status cpu_compile(exec_context *context, const chain *c, size_t *functions, messages *m);
/* Says of the functions of some loops which have code; the loops belong to a chain, or do what some
 * of its loops do. Compilers of low priority make the others, some at a time, if `start` says so.
 */
kata_status cpu_compile_beside(exec_context *context, const chain *whole, const chain *c,
                               bool start, bool *has, messages *m);
/* The code of a function for a loop. NULL where the loop is to be interpreted, because that ends
 * before the compiler would. */
kata_status cpu_compiled(exec_context *context, size_t function, const chain_loop *loop,
                         messages *m, abi_function **run);

/* cpu_effort.c: with which passes the function of a loop is compiled. */
jit_effort cpu_effort(const codegen_loop *loop);

/* ---- cpu_names.c: what makes a function ------------------------------------------------------ */

/* What codegen makes the (larger) function of a loop of. False when memory is out. */
bool cpu_bind(const chain_loop *loop, const exec_context *context, arena *memory,
              codegen_loop *out);
/* Name, text and effort of the function of a loop. False when memory is out. */
bool cpu_identify(struct exec_cpu *cpu, const codegen_loop *loop, jit_function *id);

/* ---- cpu_larger.c: larger functions for smaller ones ----------------------------------------- */

/* Between chains, or parts of one: takes over the functions whose compiler has ended. Whether there
 * were any: then loops have other functions now. */
bool cpu_larger_take(exec_context *context);
/* Notes whether functions of a chain will be replaced, and whether its time is to be counted. */
void cpu_larger_begin(exec_context *context, const chain *c, const size_t *functions);
/* Counts the time of the chain, or of a part of it, and starts a compiler for functions that are
 * worth it. */
void cpu_larger_end(exec_context *context, const chain *c, const size_t *functions, double seconds);
/* Waits for the compiler beside the program, and takes over its functions. */
void cpu_larger_wait(exec_context *context);
/* Ends the compiler. */
void cpu_larger_drop(struct exec_cpu *cpu);

/* ---- cpu_group.c: compilers beside the program ----------------------------------------------- */

/* A function without code, and what it is made of. */
typedef struct cpu_missing {
    codegen_loop loop;
    jit_function id;
    size_t function; /* its number */
} cpu_missing;

/* Starts compilers for functions, in the order in which they are needed. */
kata_status cpu_group_start(exec_context *context, const cpu_missing *missing, size_t count,
                            messages *m);
/* The most functions of a group beside a program that runs. */
enum { CPU_MOST_IN_GROUP = HOSTILE(4, 1) };
/* Starts a group that nobody waits for; NULL where that failed. */
cpu_group *cpu_group_start_later(exec_context *context, const cpu_missing *missing, size_t count);
/* Waits for a group, fetches the code of its functions, and frees it. */
kata_status cpu_group_fetch(exec_context *context, cpu_group *group, messages *m);
/* Ends all that somebody waits for: their functions have no group then. */
void cpu_groups_drop(struct exec_cpu *cpu);

#endif
