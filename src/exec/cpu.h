/* The executor of compiled loops on threads: what the files cpu_*.c share. */
#ifndef EXEC_CPU_H
#define EXEC_CPU_H

#include "exec/exec.h"

/* ---- store_choice.c: the fastest of several ways to run a loop
 * ------------------------------------ */

enum { STORE_CHOICES = 2 };

/* What is known of them; all zero at first. */
typedef struct store_choice {
    int64_t points; /* of the loop it is known of */
    int64_t kept;   /* runs between tries */
    int64_t left;   /* of them; 0: tries go on */
    int now, best;  /* the way taken, the one kept */
    int tries[STORE_CHOICES];
    double least[STORE_CHOICES]; /* seconds per point */
    bool tried;                  /* whether this run is a try */
} store_choice;

/* The way to take when a loop of so many points runs next, and how long that took. */
int store_choice_begin(store_choice *way, int64_t points);
void store_choice_end(store_choice *way, double seconds);

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
    store_choice way;  /* of large loops, to write past the caches, or not */
} cpu_function;

/* What one thread needs while it runs a loop. */
typedef struct cpu_thread {
    _Alignas(128) _Atomic int64_t next; /* of its share of the blocks, others take from it too */
    int64_t end;
    abi_view *views;         /* those of the loop, changed while an edge is computed */
    abi_arguments arguments; /* those of the loop, with the thread's views and failure */
    void *gathered;          /* values around an edge */
    void *reduced;           /* lanes of reductions, or contributions to them */
    size_t gathered_size, reduced_size;
    abi_failure failure;
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

/* ---- cpu_compile.c: from loops to functions -------------------------------------------------- */

/* Sets functions[i] to the number of the function of loop i of a chain, and starts compilers for
 * those that have no code where that is worth it. */
kata_status cpu_compile(exec_context *context, const chain *c, size_t *functions, messages *m);
/* The code of a function for a loop. NULL where the loop is to be interpreted, because that ends
 * before the compiler would. */
kata_status cpu_compiled(exec_context *context, size_t function, const chain_loop *loop,
                         messages *m, abi_function **run);

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
/* Waits for a group, fetches the code of its functions, and frees it. */
kata_status cpu_group_fetch(exec_context *context, cpu_group *group, messages *m);
/* Ends all that still run. */
void cpu_groups_drop(struct exec_cpu *cpu);

/* ---- cpu_block.c ----------------------------------------------------------------------------- */

/* What passes through the cache before a loop, which goes through its points row by row and plane
 * by plane, reads again what it has read or written. */
typedef struct cpu_reuse {
    int64_t planes, rows; /* bytes per point of planes, and of rows, of all components together */
    int64_t span[3];      /* how far apart in each dimension a component is touched, at most */
    bool reduces;         /* cuts along x must be at multiples of EXEC_BRICK */
} cpu_reuse;

/* Adds a component that is touched at offsets lo to hi. */
void cpu_reuse_add(cpu_reuse *reuse, const int32_t lo[3], const int32_t hi[3], int bytes);

/* A box cut into blocks; neighbours along z follow one another. Cuts along x are at multiples of
 * `unit`. */
typedef struct cpu_blocks {
    grid_box box;
    int64_t size[3], count[3], total, unit;
} cpu_blocks;

/* `ordered`: a dimension along which there are no cuts, or -1. */
cpu_blocks cpu_blocks_make(const grid_box *box, const cpu_reuse *reuse, int threads, int ordered);
grid_box cpu_block_box(const cpu_blocks *blocks, int64_t i);

/* ---- edge_row.c, cpu_edge.c ------------------------------------------------------------------ */

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
                     abi_view *views);

/* Puts what a piece has written to its copies, at the views made by cpu_edge_gather, where it
 * belongs in the grid. */
void cpu_edge_scatter(const cpu_edge *edges, int count, const grid_box *piece,
                      const abi_view *views);

/* The view of a component of an array, and a view as an array of one component, of the block and
 * type of another. */
abi_view cpu_view(const store_array *a, int component);
store_array cpu_view_array(const abi_view *view, const store_array *of);

/* ---- cpu_fill.c ------------------------------------------------------------------------------ */

/* Whether what is read of a component outside the grid can be written around its values, so that no
 * copies are needed: there is memory, made if need be, and nobody writes them meanwhile. */
bool cpu_edge_can_fill(const cpu_edge *edge, const grid_box *touched, const chain_loop *loop);

/* ---- cpu_loop.c ------------------------------------------------------------------------------ */

/* Runs one loop by its function, which is compiled, on at most all of the state's threads. */
kata_status cpu_loop_run(const chain_loop *loop, cpu_function *function, struct exec_cpu *cpu,
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
    abi_function *run;
    int view_count, edge_count, reduction_count, thread_count;
    abi_arguments arguments; /* for the function; each thread has views of its own */
    abi_levels *levels;      /* those of the arguments */
    bool columns; /* levels run in order, and columns are independent: each runs by itself */
    bool kept;    /* contributions of all points are kept, by thread 0, until the loop has ended */
    abi_view *views;
    ir_value *numbers;
    cpu_edge *edges, *fills; /* `fills`: those whose outside is filled before the loop runs */
    int fill_count;
    _Atomic int64_t parts_filled, planes_reduced;
    cpu_reduction *reductions;
    cpu_reuse reuse;
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

#endif
