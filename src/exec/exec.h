/* exec: running a chain. Executors are listed once, in executors.c. */
#ifndef EXEC_EXEC_H
#define EXEC_EXEC_H

#include "codegen/codegen.h"
#include "jit/jit.h"
#include "machine/machine.h"
#include "observe/observe.h"
#include "plan/plan.h"
#include "store/store.h"
#include "sweep/sweep.h"
#include "tune/tune.h"

/* How a chain of loops that are parted has failed on this rank: with an error whose message ranks
 * settle together, at the end of the chain. */
typedef struct exec_failure {
    bool elsewhere;         /* another rank had failed, and gave nothing to reduce */
    const chain_loop *loop; /* the loop whose check fails here, or NULL */
    observe_fault fault;
} exec_failure;

/* What executors share. */
typedef struct exec_context {
    int threads;
    bool poison;                /* make visible what is read without having been set */
    bool lines;                 /* generated C leads debuggers to kernels' text */
    bool prove;                 /* plans for several ranks are proven before they run */
    uint32_t without;           /* passes that code generation leaves out */
    bool wait;                  /* for compilers, before anything is run */
    bool larger;                /* no smaller function serves for a larger one: see cpu_larger.c */
    observe_trace *trace;       /* NULL: none; of the reference executor */
    observe_meter *meter;       /* NULL: nothing is measured */
    observe_timeline *timeline; /* NULL: there is none */
    jit *jit;
    plan_cache *plans;                       /* NULL at first */
    plan_request request[PLAN_MOST_METHODS]; /* of the executors "plan" and "cpu" */
    bool fastest;                            /* "cpu" finds out which plan is fastest, instead */
    bool quiet;                 /* chains are parts of one: no warning of what is asked of them */
    bool remember;              /* and keeps what it finds out */
    bool tune;                  /* searches at once, whatever that costs */
    int64_t second_cache;       /* bytes; 0: as many as the machine reports */
    int64_t compiled, found;    /* functions that were compiled, and that the cache had */
    double compiling;           /* seconds in which a chain waited for compilers */
    double trying;              /* seconds for plans that were being tried, planning included */
    struct exec_ranks *ranks;   /* NULL: the program runs on one */
    struct exec_files *files;   /* NULL: the memory of fields is not limited */
    struct exec_device *device; /* NULL: loops run on the CPU */
    struct exec_scratchpad *scratchpad; /* the machine that is emulated; NULL: none */
    sweep_ranks across;                 /* by which their loops reduce together */
    struct stream_run *stream;          /* the innermost that runs; NULL: none */
    exec_failure failure;               /* of the loops that run on this rank */
    struct exec_cpu
        *cpu; /* state of the cpu executor: compiled functions, buffers; NULL at first */
} exec_context;

/* Runs all loops of a chain in order; slots receive their arrays (made when missing) and scalars.
 * On error the values of all slots written by the chain are undefined; the caller poisons them. */
typedef struct exec_executor {
    const char *name;
    kata_status (*run)(exec_context *context, chain *c, messages *m);
} exec_executor;

/* NULL when there is none of this name. */
const exec_executor *exec_find(const char *name);
/* The i-th one's name; NULL at the end. */
const char *exec_name(int i);
extern const exec_executor exec_reference; /* interprets trees, point by point: the oracle */
extern const exec_executor exec_cpu;       /* compiled loops on threads */
extern const exec_executor exec_on_ranks;  /* the same on several ranks, see ranks.c */
extern const exec_executor exec_on_files;  /* the same where fields lie in files, see on_files.c */
extern const exec_executor exec_on_device; /* on a device, see on_device.c */
/* On a machine that is emulated. on_scratchpad.c: sets context->scratchpad, to be closed also after
 * errors. `machine`: a name, or a path; `values`: the executor that makes values, or NULL: they go
 * through local memories. */
extern const exec_executor exec_on_scratchpad;
kata_status exec_scratchpad_open(exec_context *context, const char *machine,
                                 const exec_executor *values, messages *m);
void exec_scratchpad_close(exec_context *context);
/* Fills the request that was read, if any, with what the machine has. */
void exec_scratchpad_ask(exec_context *context);
/* scratchpad_explain.c: what the clock says. */
void exec_scratchpad_explain(const exec_context *context, bool json, text *out);
/* Simulated seconds of all chains so far; 0 where no machine is emulated. */
double exec_scratchpad_seconds(const exec_context *context);
/* The machine; there is one. */
const machine_emulated *exec_scratchpad_machine(const exec_context *context);
/* The work by turns that takes the longest, and the name of its first kernel; NULL: there is none.
 */
const plan_timed *exec_scratchpad_longest(const exec_context *context, const char **kernel);
/* device_open.c: opens a device, named as for device_open; sets context->device, to be closed when
 * no field has a copy there. `bytes`: of its memory that may be used; 0: what it has, less a
 * reserve, in equal shares for the ranks that use it. */
kata_status exec_device_open(exec_context *context, const char *name, int64_t bytes, messages *m);
void exec_device_close(exec_context *context);
void exec_device_explain(const exec_context *context, bool json, text *out);
/* on_files.c: sets context->files; to be freed. `rate`: bytes per second that are moved between
 * files and memory at most; 0: as many as can be. */
kata_status exec_files_open(exec_context *context, int64_t rate, messages *m);
void exec_files_close(exec_context *context);
/* Runs a chain by a streamed plan that is right for it, and whose buffers are of fields in files.
 */
kata_status exec_files_run_plan(exec_context *context, const chain *c, const plan *p,
                                const analysis_chain *a, messages *m);
/* Says how chains with fields in files have run. */
void exec_files_explain(const exec_context *context, bool json, text *out);
/* ranks.c: on several ranks, sets context->ranks; to be freed. `communicator`: as of comm_open. */
kata_status exec_ranks_open(exec_context *context, const void *communicator, messages *m);
void exec_ranks_close(exec_context *context);
/* Gives all ranks all values of a field, where they are dealt out, in its array, which may then be
 * changed. All ranks call it. */
kata_status exec_make_whole(exec_context *context, chain_slot *slot, messages *m);
/* ranks_values.c: copies values of a field, as store_read does, to all ranks. All call it. */
kata_status exec_read(exec_context *context, chain_slot *slot, const grid_box *box, kata_type type,
                      void *values, messages *m);
/* The same for few values, to the first rank: `values` is NULL on others. Ranks have met. */
kata_status exec_read_on_first(exec_context *context, chain_slot *slot, const store_values *of,
                               kata_type type, void *values, messages *m);
/* ranks_own.c: sets which points of a grid, or of fields so staggered, are this rank's, and whether
 * they are dealt out; otherwise each rank has all. All ranks call it. */
kata_status exec_own_points(exec_context *context, const grid_shape *grid, const bool staggered[3],
                            grid_box *own, bool *dealt, messages *m);
/* Copies values of this rank's own points of a field, without other ranks; and sets them. */
kata_status exec_read_own(exec_context *context, chain_slot *slot, const grid_box *box,
                          kata_type type, void *values, messages *m);
kata_status exec_write_own(exec_context *context, chain_slot *slot, const grid_box *box,
                           kata_type type, const void *values, messages *m);
/* The same with all of this rank's own points of a field that is dealt out, and memory whose first
 * index is (0,0,0). */
kata_status exec_show_own(exec_context *context, chain_slot *slot, store_array *memory,
                          messages *m);
kata_status exec_take_own(exec_context *context, chain_slot *slot, const store_array *memory,
                          messages *m);
/* After ranks may have set values of their own of a field: they tell one another. All call it. */
kata_status exec_tell_changes(exec_context *context, chain_slot *slot, messages *m);
/* ranks_deal.c: before a field is given values that the first rank has. `deals`: chains run on
 * parts of fields. All ranks call it. */
kata_status exec_deal_begin(exec_context *context, chain_slot *slot, bool deals, messages *m);
/* Copies them, of a component in a box, to all ranks; `values`, in plain order, is NULL on others.
 * All call it. */
kata_status exec_deal(exec_context *context, const chain_slot *slot, int component,
                      const grid_box *box, kata_type type, const void *values, messages *m);
/* Before all ranks do something together, which `what` and the hash say: an error where they are
 * about to do different things. */
kata_status exec_meet(exec_context *context, const char *what, uint64_t hash, messages *m);
/* After what one rank has done alone, or each on its own, which `what` says: the error of the first
 * rank that has one becomes the error of all. All ranks call it. */
kata_status exec_agree(exec_context *context, const char *what, kata_status status, messages *m);
/* ranks_values.c: gives all ranks the bytes that the first one has; on others *bytes is to be
 * freed. All call it. */
kata_status exec_share(exec_context *context, char **bytes, size_t *count, messages *m);
/* After each rank may have opened a device, or failed to: its error becomes that of all. */
kata_status exec_meet_devices(exec_context *context, kata_status status, messages *m);
/* Notes what the program gives to a field or a scalar: ranks that are given different values are
 * found when they meet next. */
void exec_note_put(exec_context *context, const void *values, size_t bytes);
/* The same for what it has written to a field that is whole. */
void exec_note_values(exec_context *context, const chain_slot *slot, const grid_box *box);
int exec_rank(const exec_context *context); /* 0 to exec_ranks_count - 1 */
int exec_ranks_count(const exec_context *context);
int exec_node_ranks(const exec_context *context); /* ranks on this machine */
/* How the chain that ran last was dealt out, a line per step; nothing on one rank. */
void exec_explain_dealt(const exec_context *context, text *out);
/* What this rank has sent in exchanges of its chains, and what their plans had predicted; all zero
 * on one rank. */
typedef struct exec_messages {
    plan_messages counted, planned;
    /* seconds: of exchanges, in parts; and of ranks agreeing on what they do and have done. Others
     * are waited for in `sending` and `agreeing`. */
    double packing, sending, unpacking, agreeing;
} exec_messages;
exec_messages exec_find_messages(const exec_context *context);
/* The plan of a chain for a request, with a warning about a new one's loops that the method cannot
 * be used for; NULL, reported, when memory is out. */
const plan *exec_plan_of(exec_context *context, const plan_request *request, const chain *c,
                         const analysis_chain **analysis, messages *m);
/* Why the executor "cpu" does not run chains by a plan; NULL: it does. */
const char *exec_cpu_refuses(const plan *p, const analysis_chain *a);
/* chain_end.c: sets how many more loops a chain has to get until it ends where its loops begin to
 * repeat; 0: they do not, or it ends there. At most half as many as it has. False when memory is
 * out. */
bool exec_loops_to_end(const chain *c, size_t *more);
/* Runs a chain by a plan that is right for it. The context waits for compilers. */
kata_status exec_cpu_run_plan(exec_context *context, const chain *c, const plan *p,
                              const analysis_chain *a, messages *m);
/* The request for the fastest plan known of a chain that has run; "loops" where there is none. */
plan_request exec_cpu_fastest(const exec_context *context, const chain *c);
/* Says how the executor "cpu" has run chains, a line for each kind of chain, as text or JSON. `c`:
 * the rates of this machine, for bounds; NULL: without. */
void exec_cpu_explain(const exec_context *context, const machine *m, const kata_ceilings *c,
                      bool json, text *out);
void exec_cpu_free(struct exec_cpu *cpu);
/* Compiles loops that no chain has yet into the cache folder; what cannot be kept there is an
 * error. `portable`: for any CPU of this kind. */
kata_status exec_compile_ahead(exec_context *context, const codegen_loop *loops, size_t count,
                               bool portable, messages *m);

/* cpu_crossover.c: the crossover of streaming stores as it is known now. */
void exec_crossover(const exec_context *context, machine_crossover *out);

/* cpu_wisdom.c: reads, and writes, all that is kept of fastest ways. False when memory is out; and
 * where the cache folder takes nothing. */
bool exec_wisdom_get(const exec_context *context, wisdom *out);
/* The first line of what is kept that is wrong, and does not count; 0: none. */
int exec_wisdom_wrong(const exec_context *context);
bool exec_wisdom_set(const exec_context *context, const wisdom *w);

/* recorded.c: runs a chain loop by loop and records each. */
kata_status exec_run_recorded(observe_record *record, const exec_executor *executor,
                              exec_context *context, chain *c, messages *m);

/* ---- ranks_scaling.c
 * ------------------------------------------------------------------------------- */

/* What is between ranks: seconds until a message comes, bytes per second that a rank sends, and
 * that it packs, or unpacks. `loops`: how many times as long a chain takes loop by loop, without
 * tiles, as it has to where each loop has an exchange of its own. */
typedef struct exec_network {
    double latency, bandwidth, packing, loops;
} exec_network;

/* A chain's seconds on so many ranks, found by a simulation: on a grid that grows with the ranks
 * (weak scaling: 0), or not (strong: 1); with one exchange per section (0), or per loop (1). */
enum { EXEC_COUNTS = 10, EXEC_MOST_RANKS = 100000 };
typedef struct exec_scaling {
    int count, ranks[EXEC_COUNTS];
    double seconds[2][2][EXEC_COUNTS];
    int64_t size[2][3]; /* of the largest grid: on the most ranks */
} exec_scaling;

/* `seconds`: that the chain takes on one rank. False where it does not suit, or memory is out. */
bool exec_scale(const chain *c, double seconds, const exec_network *network, exec_scaling *out);

#endif
