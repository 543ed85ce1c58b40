/* What the files that prepare and run one loop share. */
#ifndef SWEEP_LOOP_H
#define SWEEP_LOOP_H

#include "sweep/sweep.h"

/* What one thread needs while it runs a loop. */
typedef struct sweep_thread {
    _Alignas(128) _Atomic int64_t next; /* of its share of the blocks, others take from it too */
    int64_t end;
    abi_view *views;         /* those of the loop, changed while an edge is computed */
    abi_arguments arguments; /* those of the loop, with the thread's views and failure */
    void *gathered;          /* values around an edge */
    void *reduced;           /* lanes of reductions, or contributions to them */
    size_t gathered_size, reduced_size;
    abi_failure failure;
    observe_fault fault; /* the first of those that this thread has met in the loop */
} sweep_thread;

/* ---- blocks.c -------------------------------------------------------------------------------- */

/* What passes through the cache before a loop, which goes through its points row by row and plane
 * by plane, reads again what it has read or written. */
typedef struct sweep_reuse {
    int64_t planes, rows; /* bytes per point of planes, and of rows, of all components together */
    int64_t span[3];      /* how far apart in each dimension a component is touched, at most */
    bool reduces;         /* cuts along x must be at multiples of SWEEP_BRICK */
} sweep_reuse;

/* Adds a component that is touched at offsets lo to hi. */
void sweep_reuse_add(sweep_reuse *reuse, const int32_t lo[3], const int32_t hi[3], int bytes);

/* A box cut into blocks; neighbours along z follow one another. Cuts along x are at multiples of
 * `unit`. */
typedef struct sweep_blocks {
    grid_box box;
    int64_t size[3], count[3], total, unit;
} sweep_blocks;

/* `ordered`: a dimension along which there are no cuts, or -1. */
sweep_blocks sweep_blocks_make(const grid_box *box, const sweep_reuse *reuse, int threads,
                               int ordered);
grid_box sweep_block_box(const sweep_blocks *blocks, int64_t i);

/* ---- edge_row.c, edge_copy.c ----------------------------------------------------------------- */

/* A component of a field that is read outside the grid. */
typedef struct sweep_edge {
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
} sweep_edge;

/* Fills in where reads in a box of indices end; false when memory is out. */
bool sweep_edge_prepare(sweep_edge *edge, const grid_box *touched, arena *memory);
/* Points the views of components that a piece of the grid reads outside of it to copies of their
 * values around the piece, made by the boundary rules. False when memory is out. */
bool sweep_edge_gather(const sweep_edge *edges, int count, const grid_box *piece,
                       sweep_thread *thread, abi_view *views);

/* Puts what a piece has written to its copies, at the views made by sweep_edge_gather, where it
 * belongs in the grid. */
void sweep_edge_scatter(const sweep_edge *edges, int count, const grid_box *piece,
                        const abi_view *views);

/* The view of a component of an array, and a view as an array of one component, of the block and
 * type of another. */
abi_view sweep_view(const store_array *a, int component);
store_array sweep_view_array(const abi_view *view, const store_array *of);

/* ---- edge_fill.c ----------------------------------------------------------------------------- */

/* Whether what is read of a component outside the grid can be written around its values, so that no
 * copies are needed: there is memory, made if need be, and nobody writes them meanwhile. */
bool sweep_edge_can_fill(const sweep_edge *edge, const grid_box *touched, const chain_loop *loop);

/* ---- run_blocks.c ---------------------------------------------------------------------------- */

typedef struct sweep_reduction {
    int param, element, view;
    ir_value *partials; /* of rows and bricks of the loop's box */
} sweep_reduction;

typedef struct sweep_loop {
    const chain_loop *loop;
    abi_function *run;
    int view_count, edge_count, reduction_count, thread_count;
    abi_arguments arguments; /* for the function; each thread has views of its own */
    abi_levels *levels;      /* those of the arguments */
    bool columns; /* levels run in order, and columns are independent: each runs by itself */
    bool kept;    /* contributions of all points are kept, by thread 0, until the loop has ended */
    abi_view *views;
    ir_value *numbers;
    sweep_edge *edges, *fills; /* `fills`: those whose outside is filled before the loop runs */
    int fill_count;
    _Atomic int64_t parts_filled, planes_reduced;
    sweep_reduction *reductions;
    sweep_reuse reuse;
    grid_box interior, bricks;
    sweep_blocks blocks;
    sweep_thread *threads;
    bool poison;         /* as the context's */
    _Atomic bool failed; /* memory was out */
    arena memory;
} sweep_loop;

/* The points of a box that need no copies: those that read and write inside the grid, in whole
 * vectors where that costs nothing. */
grid_box sweep_loop_interior(const sweep_loop *l, const grid_box *box);

/* Finds out which check fails at thread->failing, on views from which nothing was overwritten, and
 * keeps it when it is the first of the thread. False when memory is out. */
bool sweep_fault_note(const sweep_loop *l, sweep_thread *thread);

/* Fills what the loop reads outside of fields that are not copied. */
void sweep_loop_fill(sweep_loop *l, sweep_workers *workers);
/* Runs a piece of work on all of the loop's threads. */
void sweep_loop_run_all(sweep_loop *l, sweep_workers *workers, sweep_work *run);
/* Runs all blocks of a prepared loop. False when memory is out. */
bool sweep_loop_run_blocks(sweep_loop *l, sweep_workers *workers);
/* Makes room for the contributions of all points of a prepared loop whose levels are along x, which
 * come in another order than that of sums; sweep_reduce_kept reduces them. False when memory is
 * out.
 */
bool sweep_keep_contributions(sweep_loop *l);
void sweep_reduce_kept(const sweep_loop *l);

/* ---- levels.c -------------------------------------------------------------------------------- */

/* Runs a prepared loop level after level, as far as one with a point that fails. False when memory
 * is out. */
bool sweep_loop_run_levels(sweep_loop *l, sweep_workers *workers);

#endif
