/* exec: running a chain. Executors are listed once, in executors.c. */
#ifndef EXEC_EXEC_H
#define EXEC_EXEC_H

#include "analysis/analysis.h"
#include "codegen/codegen.h"
#include "jit/jit.h"
#include "plan/plan.h"
#include "store/store.h"

#include <stdio.h>

/* ---- trace.c: every write to one point, for people ------------------------------------------- */

typedef struct exec_trace {
    char *names; /* of fields, by commas */
    int rank;
    int64_t point[3];
    FILE *to;
    int64_t loops; /* run so far, the one that runs included */
    int64_t reports;
    text operands; /* what the kernel has read at the point since it last stored there: lines */
} exec_trace;

/* `what`: "u@12,7" or "u,v@12,7"; `path`: NULL for standard error. */
kata_status exec_trace_open(const char *what, const char *path, messages *m, exec_trace **out);
void exec_trace_free(exec_trace *trace);
/* Whether the point of a field of this name is traced; false for a NULL trace. */
bool exec_trace_wants(const exec_trace *trace, const char *name, const chain_slot *slot);
/* A read at the point, converted to the parameter's type; offset NULL: of a number. */
void exec_trace_read(exec_trace *trace, const ir_param *param, int component,
                     const int64_t offset[3], ir_value value);
/* A store at an index, of values in the storage type; prints if field and index are traced. */
void exec_trace_store(exec_trace *trace, const chain_loop *loop, const ir_stmt *stmt, int component,
                      const int64_t index[3], ir_value old, ir_value new);
/* Whether the kernel may store to the point that is traced when it runs at `point`. */
bool exec_trace_reaches(const exec_trace *trace, const chain_loop *loop, const int64_t point[3]);
/* The values of all components at the point, to be freed; NULL when memory is out. */
ir_value *exec_trace_values(const exec_trace *trace, const chain_slot *slot);
/* Prints "call: u at [12, 7]: old -> new" for all components; `old` NULL: nothing. */
void exec_trace_call(exec_trace *trace, const char *call, const char *name, const chain_slot *slot,
                     const ir_value *old);
/* A value with as few digits as tell it from its neighbours. */
void exec_print_value(text *out, ir_type type, ir_value x);

/* ---- meter.c: how fast kernels have run ------------------------------------------------------ */

enum { EXEC_METER_RATES = 4096 };

/* The runs of a kernel on fields stored in the same types. */
typedef struct exec_meter_entry {
    const ir_kernel *kernel;
    kata_type *storage; /* per parameter, of fields */
    int rank, colors;
    bool once;
    int64_t runs, points;
    double seconds;
    double bytes;  /* of the fields of the largest */
    double *rates; /* points per second of the newest EXEC_METER_RATES of them */
} exec_meter_entry;

typedef struct exec_meter {
    exec_meter_entry *entries; /* in the order in which they were met */
    size_t count, capacity;
    bool failed; /* memory was out: runs are missing */
} exec_meter;    /* from calloc */

void exec_meter_free(exec_meter *meter);
/* Makes entries for the kernels of a chain, and notes the size of their fields. Does nothing
 * without a meter. */
void exec_meter_meet(exec_meter *meter, const chain *c);
/* The time, for exec_meter_note when a loop has run; both do nothing without a meter. */
double exec_meter_now(const exec_meter *meter);
void exec_meter_note(exec_meter *meter, const chain_loop *loop, double start);
/* Points per second, of the newest runs. */
double exec_meter_median(exec_meter_entry *e);

/* What executors share. */
typedef struct exec_context {
    int threads;
    bool poison;       /* make visible what is read without having been set */
    bool lines;        /* generated C leads debuggers to kernels' text */
    bool wait;         /* for compilers, before anything is run */
    exec_trace *trace; /* NULL: none; of the reference executor */
    exec_meter *meter; /* NULL: nothing is measured */
    jit *jit;
    plan_cache *plans;    /* NULL at first */
    plan_request request; /* of the executor "plan" */
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
/* reference.c: interprets a loop whose arrays are made; `trace` may be NULL. The floating-point
 * environment must be the default one. */
kata_status exec_interpret_loop(const chain_loop *loop, exec_trace *trace, messages *m);
extern const exec_executor exec_cpu;  /* compiled loops on threads */
extern const exec_executor exec_plan; /* interprets plans: plan_interpreter.c */
/* The plan of a chain for a request, with a warning about a new one's loops that the method cannot
 * be used for; NULL, reported, when memory is out. */
const plan *exec_plan_of(exec_context *context, const plan_request *request, const chain *c,
                         const analysis_chain **analysis, messages *m);
void exec_cpu_free(struct exec_cpu *cpu);
/* Compiles loops that no chain has yet into the cache folder; what cannot be kept there is an
 * error. `portable`: for any CPU of this kind. */
kata_status exec_compile_ahead(exec_context *context, const codegen_loop *loops, size_t count,
                               bool portable, messages *m);

/* ---- plan_interpreter.c: any plan, point by point
 * ------------------------------------------------------
 */

/* Where a plan leaves the order open. */
typedef struct exec_plan_order {
    bool late;      /* moves are made when they are waited for, otherwise when they are started */
    bool backwards; /* parallel tiles run from last to first */
} exec_plan_order;

/* Runs a chain as a plan of it says. KATA_ERROR_INTERNAL where that reads what was not set. The
 * plan must be well formed, the kernels without checks. */
kata_status exec_run_plan(const plan *p, const analysis_chain *a, const exec_plan_order *order,
                          messages *m);

/* ---- record.c: what each loop computed, for `kata diff` ---------------------------------------
 */

typedef struct exec_record {
    FILE *to;
    bool full; /* values beside their hashes */
    int64_t loops;
    uint64_t hash;
} exec_record;

/* The second record that a process opens, and those after it, get .2, .3, ... after their name. */
kata_status exec_record_open(const char *path, bool full, messages *m, exec_record **out);
void exec_record_free(exec_record *record);
/* Runs a chain loop by loop and records each. */
kata_status exec_record_run(exec_record *record, const exec_executor *executor,
                            exec_context *context, chain *c, messages *m);
/* Records values that the program has put into a field. */
void exec_record_put(exec_record *record, const char *name, const chain_slot *slot);

/* A new array, all zero, with all indices of a slot; NULL when memory is out. */
store_array *exec_array_new(const chain_slot *slot);
/* How the rows of a slot of `components` components lie, also before it has an array. */
codegen_rows exec_slot_rows(const chain_slot *slot);
/* The slot's array, made (all zero, or poisoned) when it has none; NULL when memory is out. */
store_array *exec_slot_array(chain_slot *slot);
/* Makes it, of the field of that name, or of all fields of a loop; says which finds no memory. */
kata_status exec_make_array(chain_slot *slot, const char *name, messages *m);
kata_status exec_make_arrays(const chain_loop *loop, messages *m);
/* An element of a scalar, in the slot's type. */
ir_value exec_scalar(const chain_slot *slot, int element);
/* Enters the values that a loop has written to scalars in their logs. */
void exec_log(const chain_loop *loop);
/* False when memory is out. */
bool exec_scalar_set(chain_slot *slot, int element, ir_value value);

/* ---- fault.c --------------------------------------------------------------------------------- */

enum { EXEC_SHOWN = 8 };

/* A point at which a check of a kernel failed. Points are ordered by level, where levels run in
 * order, then by z, y and x: the first of a loop is the same whatever runs it. */
typedef struct exec_fault {
    bool found;
    int64_t point[3];
    ir_check_kind kind;
    uint32_t at;
    const char *name; /* as in ir_check */
    int64_t index, length;
    int shown_count; /* of an assert */
    struct exec_shown {
        char label[IR_LABEL];
        ir_type type;
        ir_value value;
    } shown[EXEC_SHOWN];
} exec_fault;

/* Whether point a of a loop comes before point b: of kernels whose levels run in order, at a level
 * that runs before. */
bool exec_point_before(const chain_loop *loop, const int64_t a[3], const int64_t b[3]);
/* Adds a value to what a failed assert shows, unless there is one of that name or no room. */
void exec_fault_show(exec_fault *fault, const char *label, ir_type type, ir_value value);
/* Sends the message. Returns KATA_ERROR_ASSERT. */
kata_status exec_fault_report(const chain_loop *loop, const exec_fault *fault, messages *m);

/* ---- reduce.c -------------------------------------------------------------------------------- */

/* Reductions do not depend on the order of execution. Each point contributes one value. Points are
 * grouped in bricks of EXEC_BRICK consecutive global x indices, the first at 0. Within a brick,
 * lane l adds, from its neutral start, the contributions of x = l, l + EXEC_LANES, ... in this
 * order; lanes are then combined in halves: lane l with lane l + 16, then l + 8, .., l + 1. Results
 * are combined over bricks, then over y, then over z by a binary tree aligned to global indices:
 * the node of level k over [j*2^k, (j+1)*2^k) is its lower half combined with its upper half, a
 * half without points left out; all indices below 0 are one such half, all others its upper one. A
 * sum is finally added to 0 (so that a sum of no points is +0); min
 * and max of no points are their neutral start. A reduction declared inout is at last combined
 * with what the scalar held before, which comes first: old + sum. */
enum { EXEC_BRICK = ABI_BRICK, EXEC_LANES = ABI_LANES };

/* The brick that holds an x index, also one below 0. */
int64_t exec_brick(int64_t x);
/* Sets elements of the parameter's type to what changes nothing that it is combined with. */
void exec_reduce_start(const ir_param *param, void *elements, int64_t count);
/* Reduces contributions of points x_lo .. x_hi-1 of a row, in the parameter's type, brick by brick:
 * partials[0] is of the brick that holds x_lo. */
void exec_reduce_row(const ir_param *param, const void *contributions, int64_t x_lo, int64_t x_hi,
                     ir_value *partials);
/* The same of the lanes of bricks that follow one another, EXEC_LANES each. */
void exec_reduce_lanes(const ir_param *param, const void *lanes, int64_t bricks,
                       ir_value *partials);
/* Combines the partials of a plane of a box, which are lost, to the first of them. */
void exec_reduce_plane(const ir_param *param, const grid_box *bricks, ir_value *partials);
/* Combines the partials of a box (in bricks along x; x fastest, then y, z), which are lost, to
 * the result. */
ir_value exec_reduce_box(const ir_param *param, const grid_box *bricks, ir_value *partials);

/* ---- team.c ---------------------------------------------------------------------------------- */

/* Threads that wait for work, the floating-point environment of each the default one. */
struct exec_team;
typedef void exec_work(void *data, int thread);

/* A team of `threads`, the caller included; with fewer when the system has no more to give. NULL
 * when memory is out. */
struct exec_team *exec_team_new(int threads);
void exec_team_free(struct exec_team *team);
/* Calls work(data, t) on the caller with t = 0, and on members with different t below `threads`,
 * not necessarily all; returns when all calls have ended. */
void exec_team_run(struct exec_team *team, int threads, exec_work *work, void *data);

/* ---- reference_read.c: values of fields, for the reference executor -------------------------- */

/* A field parameter during a loop. */
typedef struct reference_field {
    chain_slot *slot;
    const grid_boundary *boundary;
    const store_array *old;  /* values before the loop; NULL: all zero */
    store_array *next;       /* values after it; NULL of parameters that are not written */
    bool *stored;            /* per child of each component: whether this point has written it */
    int64_t (*stored_at)[3]; /* and where, boundary rules not applied */
} reference_field;

/* An element as it is stored, in the first bytes of a value, at an index inside the array. */
ir_value reference_element(const store_array *a, int component, const int64_t index[3]);
void reference_set_element(store_array *a, int component, const int64_t index[3], ir_value element);
/* The point that a write at an index goes to: inside, or by periodic sides. False when there is
 * none. */
bool reference_target(const reference_field *field, const int64_t index[3], int64_t target[3]);
/* The element before the loop, as it is stored, at any index; NaN (of integers, a number that
 * means nothing) where no boundary rule covers it. */
ir_value reference_read(const reference_field *field, int component, const int64_t index[3]);

/* ---- reference_reduce.c ---------------------------------------------------------------------- */

/* What the points of a box contribute to an element of a reduction: x fastest, then y, z. */
typedef struct reference_contributions {
    const ir_param *param;
    grid_box box;
    const ir_value *values;
} reference_contributions;

ir_value reference_reduce(const reference_contributions *all);

/* ---- interpret.c ----------------------------------------------------------------------------- */

typedef struct interpreter {
    const chain_loop *loop;
    int64_t point[3];
    ir_value *locals;        /* variables, and the elements of arrays */
    size_t *local_start;     /* where each begins there */
    reference_field *fields; /* per parameter; zero for those that are no fields */
    ir_value *reduced;       /* elements of reductions: what the point contributes so far */
    size_t *reduced_start;   /* per parameter: where its elements begin there */
    exec_fault fault;        /* a check that failed */
    exec_fault *condition;   /* of an assert being evaluated: takes what it reads; NULL: none */
    int calls;               /* of helpers, within that condition */
    exec_trace *trace;       /* NULL at points that are not traced */
    int64_t repetition;      /* of loops, see ir_repetition */
    const char *failure;     /* what must not happen, NULL while it has not */
} interpreter;

/* Runs the kernel at the point. False when something failed. */
bool interpret_point(interpreter *in);

#endif
