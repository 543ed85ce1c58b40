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
extern const exec_executor exec_plan; /* interprets plans: planned.c */
/* The plan of a chain as the executor's request has it, or loop by loop; NULL, reported, when
 * memory is out. */
const plan *exec_plan_of(exec_context *context, const plan_request *request, const chain *c,
                         const analysis_chain **analysis, messages *m);
void exec_cpu_free(struct exec_cpu *cpu);

/* ---- planned.c: any plan, point by point ------------------------------------------------------
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
enum { EXEC_BRICK = CODEGEN_BRICK, EXEC_LANES = CODEGEN_LANES };

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

/* ---- cpu.c, and what the files cpu_*.c share ------------------------------------------------- */

/* Functions that are compiled together. */
typedef struct cpu_group {
    jit_job *job;
    struct cpu_group *next;
} cpu_group;

typedef struct cpu_function {
    jit_function id;       /* named by codegen_name */
    codegen_function *run; /* NULL until it is compiled and fetched */
    cpu_group *group;      /* that it is being compiled in; NULL: none */
} cpu_function;

/* What one thread needs while it runs a loop. */
typedef struct cpu_thread {
    _Alignas(128) _Atomic int64_t next; /* of its share of the blocks, others take from it too */
    int64_t end;
    codegen_view *views; /* those of the loop, changed while an edge is computed */
    void *gathered;      /* values around an edge */
    void *reduced;       /* lanes of reductions, or contributions to them */
    size_t gathered_size, reduced_size;
    int64_t
        failing[3];   /* where a compiled function puts a failing point; failing[0] is -1 before */
    exec_fault fault; /* the first of those that this thread has met in the loop */
} cpu_thread;

/* The function of loops of a kernel, remembered: `fields` says what they are stored as. */
typedef struct cpu_bound {
    const ir_kernel *kernel; /* NULL: none */
    uint64_t fields;
    size_t function;
} cpu_bound;
enum { CPU_BOUND = 64 };

/* The executor's state between chains. */
struct exec_cpu {
    jit *jit; /* as the context's */
    cpu_function *functions;
    size_t function_count, function_capacity;
    cpu_bound bound[CPU_BOUND];
    cpu_group *groups;  /* not fetched yet */
    char basis[33];     /* see cpu_compile.c; "" at first */
    double interpreted; /* seconds, estimated, of loops that had no function yet */
    cpu_thread *threads;
    int thread_count;
    arena memory;           /* of the loop that runs: empty between loops, but not given back */
    struct exec_team *team; /* NULL before the first loop that is worth one */
    bool poison;            /* as the context's */
};

/* ---- cpu_compile.c: from loops to functions --------------------------------------------------
 */

/* Sets functions[i] to the number of the function of loop i of a chain, and starts compilers for
 * those that have no code where that is worth it. */
kata_status cpu_compile(exec_context *context, const chain *c, size_t *functions, messages *m);
/* The code of a function for a loop. NULL where the loop is to be interpreted, because that ends
 * before the compiler would. */
kata_status cpu_compiled(exec_context *context, size_t function, const chain_loop *loop,
                         messages *m, codegen_function **run);
/* Compiles loops that no chain has yet into the cache folder; what cannot be kept there is an
 * error. `portable`: for any CPU of this kind. */
kata_status exec_compile_ahead(exec_context *context, const codegen_loop *loops, size_t count,
                               bool portable, messages *m);

/* ---- cpu_group.c: compilers beside the program -----------------------------------------------
 */

/* A function without code, and what it is made of. */
typedef struct cpu_missing {
    codegen_loop loop;
    jit_function id;
    size_t function; /* its number */
} cpu_missing;

/* Starts compilers for functions, in the order in which they are needed. */
kata_status cpu_group_start(exec_context *context, const cpu_missing *missing, size_t count,
                            messages *m);
/* Waits for a group, fetches the code of its functions, and frees it. */
kata_status cpu_group_fetch(exec_context *context, cpu_group *group, messages *m);
/* Ends all that still run. */
void cpu_groups_drop(struct exec_cpu *cpu);

/* ---- cpu_block.c ----------------------------------------------------------------------------- */

/* A box cut into blocks, each of which fits the second-level cache; neighbours along z follow one
 * another. Cuts along x are at multiples of EXEC_BRICK. */
typedef struct cpu_blocks {
    grid_box box;
    int64_t size[3], count[3], total;
} cpu_blocks;

cpu_blocks cpu_blocks_make(const grid_box *box, int64_t bytes_per_point, int threads);
grid_box cpu_block_box(const cpu_blocks *blocks, int64_t i);

/* ---- cpu_edge.c ------------------------------------------------------------------------------ */

/* A component of a field that is read outside the grid. */
typedef struct cpu_edge {
    const ir_param *param;
    const chain_binding *binding;
    kata_type type; /* stored */
    codegen_rows rows;
    int bytes, view, component;
    bool written;         /* an edge of writes: what it covers goes back to where it came from */
    bool poison;          /* copies start poisoned */
    bool clipped[3];      /* dimensions along which reads beyond the grid do not matter */
    int32_t lo[3], hi[3]; /* offsets at which it is read, or written */
    grid_box inside;      /* chain_binding_inside */
    grid_source *low[3];  /* where reads end at inside.lo - 1, inside.lo - 2, ... of a dimension */
    grid_source *high[3]; /* and at inside.hi, inside.hi + 1, ... */
} cpu_edge;

/* Fills in where reads in a box of indices end; false when memory is out. */
bool cpu_edge_prepare(cpu_edge *edge, const grid_box *touched, arena *memory);
/* Points the views of components that a piece of the grid reads outside of it to copies of their
 * values around the piece, made by the boundary rules. False when memory is out. */
bool cpu_edge_gather(const cpu_edge *edges, int count, const grid_box *piece, cpu_thread *thread,
                     codegen_view *views);

/* Puts what a piece has written to its copies, at the views made by cpu_edge_gather, where it
 * belongs in the grid. */
void cpu_edge_scatter(const cpu_edge *edges, int count, const grid_box *piece,
                      const codegen_view *views);

/* The view of a component of an array, and a view as an array of one component, of the block and
 * type of another. */
codegen_view cpu_view(const store_array *a, int component);
store_array cpu_view_array(const codegen_view *view, const store_array *of);

/* ---- cpu_fill.c ------------------------------------------------------------------------------ */

/* Writes what is read of a component outside the grid around its values, in the array's own memory:
 * of the rows at the y and z of `rows`, those at the x of `rows` that are outside. Where it can be
 * done, by cpu_edge_can_fill, no copies are needed. Rows can be filled at the same time. */
void cpu_edge_fill(const cpu_edge *edge, const grid_box *rows);
/* Whether there is memory around the values, made if need be, and nobody writes them meanwhile. */
bool cpu_edge_can_fill(const cpu_edge *edge, const grid_box *touched, const chain_loop *loop);

/* ---- cpu_loop.c ------------------------------------------------------------------------------ */

/* Runs one loop on at most all of the state's threads. */
kata_status cpu_loop_run(const chain_loop *loop, codegen_function *run, struct exec_cpu *cpu,
                         messages *m);

/* Bytes of all fields, per point. */
int64_t cpu_loop_bytes(const chain_loop *loop);

/* ---- cpu_run.c ------------------------------------------------------------------------------- */

typedef struct cpu_reduction {
    int param, element, view;
    ir_value *partials; /* of rows and bricks of the loop's box */
} cpu_reduction;

typedef struct cpu_loop {
    const chain_loop *loop;
    codegen_function *run;
    int view_count, edge_count, reduction_count, thread_count;
    int64_t *sizes; /* for the function: see codegen.h */
    int how;        /* likewise */
    bool columns;   /* levels run in order, and columns are independent: each runs by itself */
    bool kept; /* contributions of all points are kept, by thread 0, until the loop has ended */
    codegen_view *views;
    ir_value *numbers;
    cpu_edge *edges, *fills; /* `fills`: those whose outside is filled before the loop runs */
    int fill_count;
    _Atomic int64_t parts_filled;
    cpu_reduction *reductions;
    grid_box interior, bricks;
    cpu_blocks blocks;
    cpu_thread *threads;
    bool poison;         /* as the context's */
    _Atomic bool failed; /* memory was out */
    arena memory;
} cpu_loop;

/* The points of a box that need no copies: those that read and write inside the grid, in whole
 * vectors where that costs nothing. */
grid_box cpu_loop_interior(const cpu_loop *l, const grid_box *box);

/* Finds out which check fails at thread->failing, on views from which nothing was overwritten, and
 * keeps it when it is the first of the thread. False when memory is out. */
bool cpu_fault_note(const cpu_loop *l, cpu_thread *thread);

/* Fills what the loop reads outside of fields that are not copied. */
void cpu_loop_fill(cpu_loop *l, struct exec_cpu *cpu);
/* Runs a piece of work on all of the loop's threads. */
void cpu_loop_run_all(cpu_loop *l, struct exec_cpu *cpu, exec_work *run);
/* Runs all blocks of a prepared loop. False when memory is out. */
bool cpu_loop_run_blocks(cpu_loop *l, struct exec_cpu *cpu);
/* Makes room for the contributions of all points of a prepared loop whose levels are along x, which
 * come in another order than that of sums; cpu_reduce_kept reduces them. False when memory is out.
 */
bool cpu_keep_contributions(cpu_loop *l);
void cpu_reduce_kept(const cpu_loop *l);

/* ---- cpu_level.c ----------------------------------------------------------------------------- */

/* Runs a prepared loop level after level, as far as one with a point that fails. False when memory
 * is out. */
bool cpu_loop_run_levels(cpu_loop *l, struct exec_cpu *cpu);

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
