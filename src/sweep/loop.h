/* What the files share that prepare a loop and run it. */
#ifndef SWEEP_LOOP_H
#define SWEEP_LOOP_H

#include "codegen/codegen.h"
#include "sweep/blocks.h"
#include "sweep/reduce.h"
#include "sweep/sweep.h"

#include <string.h>

/* What the thread sanitizer is told. */
#ifdef __SANITIZE_THREAD__
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
#else
#define AnnotateIgnoreReadsBegin(file, line) (void)0
#define AnnotateIgnoreReadsEnd(file, line) (void)0
#endif

/* ---- work.c: threads, and what each keeps between loops -------------------------------------- */

/* Memory of one thread. It grows until it holds what the largest box needs, and stays. */
typedef struct sweep_thread {
    _Alignas(128) _Atomic int64_t relayed[SWEEP_RELAY]; /* like `next`, of the loops of a relay */
    _Alignas(128) _Atomic int64_t next; /* of its share of the blocks, others take from it too */
    int64_t end;
    void *gathered;   /* values around a piece at the edge of the grid */
    void *reduced;    /* lanes of reductions, or contributions to them */
    ir_value *values; /* of the nodes of a graph */
    size_t gathered_size, reduced_size, values_size;
} sweep_thread;

struct sweep_workers {
    sweep_thread *threads;
    int count;
    bool crowded;             /* threads have no cores of their own */
    bool poison;              /* copies of what lies outside the grid start poisoned */
    struct sweep_team *team;  /* NULL before the first box that is worth one */
    struct sweep_size *sizes; /* of boxes, see threads.c; NULL before the first that may be timed */
    double meeting;           /* seconds that each thread adds to a box */
    double wished;            /* seconds that threads would have saved so far */
    struct sweep_cache *cache;
    int64_t marks;   /* that loops have taken */
    int64_t touched; /* bytes, by chains up to the one that runs */
    machine_crossover crossover;
    sweep_ranks ranks;
    observe_timeline *timeline; /* takes what threads do; or NULL */
};

/* Makes *memory at least so many bytes, aligned to lines, and loses its values; false: out. */
bool sweep_grow(void **memory, size_t *size, size_t needed);

/* ---- team.c ---------------------------------------------------------------------------------- */

/* Looks whether this process has the members: a process made by fork has not. To be called before
 * the first run in such a process. */
void sweep_team_look(struct sweep_team *team);
/* Measures what it costs so many threads to begin a piece of work and to end it together, in
 * seconds. Takes half a millisecond, and some more where threads have no cores of their own. */
double sweep_team_meeting(struct sweep_team *team, int threads);

/* ---- threads.c ------------------------------------------------------------------------------- */

/* Sets l->thread_count and l->fill_threads for a box of so many points that runs next. Returns the
 * time, which is to be given to sweep_threads_end after it has run. */
double sweep_threads_begin(sweep_loop *l, int64_t points);
void sweep_threads_end(sweep_loop *l, int64_t points, double start);

/* ---- fields of a prepared loop --------------------------------------------------------------- */

/* Where reads, or writes, beyond the values of a field end. */
typedef struct sweep_sources {
    grid_box touched;     /* holds all indices that are read, or written */
    grid_source *low[3];  /* of inside.lo - 1, inside.lo - 2, ... of a dimension */
    grid_source *high[3]; /* of inside.hi, inside.hi + 1, ... */
} sweep_sources;

/* A field parameter: what its loop was prepared for, and the array of the loop that runs. */
typedef struct sweep_field {
    const ir_param *param;
    chain_slot slot; /* as it was then; none of its pointers is used */
    grid_boundary boundary;
    int first; /* the first parameter that is given the same field */
    codegen_rows rows;
    bool own;        /* memory of the library's, not of the program's */
    grid_box memory; /* indices that the array has */
    grid_box room;   /* indices that there must be memory for */
    grid_box inside; /* chain_slot_inside */
    sweep_sources reads, writes;
    store_array *array;
    int64_t bound; /* `stays` of the array whose views the loop has; 0: to be set */
} sweep_field;

/* A parameter's first view to read, to read at other levels, to write; and its first number. */
typedef struct sweep_place {
    int read, level, written, number;
} sweep_place;

/* What a loop was found to fit: a loop's hash, and `stays` of its arrays, per parameter. */
enum { SWEEP_FITTED = HOSTILE(4, 1) };
typedef struct sweep_fitted {
    uint64_t hash; /* 0: none */
    int64_t *stays;
} sweep_fitted;

/* A component that is read, or written, outside the grid. */
typedef struct sweep_edge {
    const sweep_field *field;
    const sweep_sources *sources; /* the field's reads or writes */
    kata_type type;               /* stored */
    int bytes, view, component;
    bool written;         /* what its copy covers goes back to where it came from */
    bool poison;          /* copies start poisoned */
    bool star;            /* each read leads along one dimension only */
    bool plain;           /* the field is neither finer nor coarser, and lacks no dimension */
    bool clipped[3];      /* dimensions along which reads beyond the grid do not matter */
    int32_t lo[3], hi[3]; /* offsets at which it is read, or written */
    grid_box inside;      /* the field's */
} sweep_edge;

/* A component that is touched at one offset, beyond sides that need no copies: see edge_wrap.c. */
typedef struct sweep_wrap {
    const sweep_field *field;
    int component, view, bytes;
    bool first;     /* of those of the component: its cells are moved once */
    bool written;   /* by some parameter */
    bool around[3]; /* dimensions that are periodic */
    int32_t offset[3];
    grid_box inside; /* the field's */
} sweep_wrap;

/* ---- a prepared loop ------------------------------------------------------------------------- */

typedef struct sweep_reduction {
    int param, element, view;
    ir_value *partials;  /* one per brick of the loop's rows */
    char *contributions; /* one per point of the loop's box; NULL unless collected */
} sweep_reduction;

/* A sum with bins. Each thread has its own, in its own memory. */
typedef struct sweep_bins {
    int param, view;
    int64_t bytes; /* of the bins of a thread, with their copies */
} sweep_bins;

/* An element of a reduction whose points are added to rows: see columns.c. */
typedef struct sweep_column_sum {
    int param, element, view;
    int bricked;   /* the dimension along which bricks lie */
    grid_box rows; /* one for each y and z; bricks along `bricked` */
    int64_t pitch; /* elements from row to row */
    char *memory;  /* of element lo[0] of the first row */
} sweep_column_sum;

/* What one thread has of a prepared loop. */
typedef struct sweep_share {
    _Alignas(128) abi_arguments arguments; /* with the thread's own views and failure */
    abi_view *views;      /* the loop's; changed while a piece at an edge is computed */
    abi_failure failure;  /* where a check has failed */
    observe_fault *fault; /* the first of all that this thread has met; NULL without checks */
    sweep_thread *thread;
    const struct sweep_loop *loop;
    char **bins;         /* of each of the loop's sums with bins */
    int64_t begun;       /* the loop's, when these were its views */
    grid_box core;       /* points that count in reductions */
    const grid_box *cut; /* to whose rows skewed boxes are cut; NULL: they are one row high */
    int flags;
} sweep_share;

struct sweep_loop {
    sweep_workers *workers;
    const chain_loop *loop; /* the one that runs; otherwise the one it was prepared for */
    chain_loop like;        /* the one it was prepared for; of its pointers the kernel is used */
    char kernel_hash[33];   /* of its kernel: another may come to lie at the same address */
    abi_function *run;
    sweep_manner manner;
    bool columns;       /* levels run in order, and columns are independent: each runs by itself */
    bool levels;        /* levels run in order, each on all its points */
    bool along_x;       /* levels run in order, along x */
    bool bands;         /* levels run in order along several dimensions, in bands: see bands.c */
    bool pipelined;     /* these overlap, and threads share them */
    bool collects;      /* contributions of all points, which are reduced when the loop has ended */
    bool poison;        /* as the workers' */
    bool alone;         /* one thread must run it */
    bool far;           /* copies around a point may be large: see sweep_edge_is_far */
    bool without_wraps; /* some edges are copies */
    int64_t mark;       /* of the first parameter's constants; 0: it fills others, too */
    bool high;          /* there may be code for two planes at once */
    int streams;        /* results that may be written past the caches */
    int flags;          /* of the box that runs */
    int usual_flags;
    int view_count, number_count, edge_count, fill_count, wrap_count, reduction_count, bins_count;
    sweep_field *fields;  /* per parameter; zero for those that are no fields */
    sweep_place *places;  /* per parameter */
    abi_levels *readable; /* per parameter */
    abi_view *views;
    ir_value *numbers;
    sweep_edge *edges, *fills; /* `fills`: those whose outside is filled before a box runs */
    sweep_wrap *wraps;
    const sweep_edge **edge_of_view; /* NULL: none in `edges` */
    sweep_reduction *reductions;
    sweep_bins *bins;
    sweep_column_sum *column_sums;
    int column_count;
    int uncut; /* bit d: blocks are not cut along dimension d, for columns are added up along it */
    bool gathers; /* it reduces into fields, which change behind the last point */
    sweep_reuse reuse;
    bool strands;          /* it may be part of a strand; then also: */
    uint64_t moved[3];     /* parameters that are touched elsewhere than at the point, as bits */
    int64_t band_reach[3]; /* of reads of what the loop writes, where bands overlap */
    sweep_choice stores, planes, prefetches;
    sweep_choice *timed;           /* that the box that runs is a try of; NULL: none */
    double start;                  /* of that */
    int64_t bytes, work;           /* of a point: of its fields; the same, or nodes it computes */
    grid_box inside;               /* points that touch nothing outside the grid */
    grid_box interior;             /* points that need no copies */
    grid_box bricks;               /* those of the loop's rows */
    grid_box box, core;            /* that run now */
    sweep_blocks blocks;           /* of it, or of the one before */
    int thread_count;              /* for it */
    int fill_threads;              /* for what lies around it */
    bool unfilled;                 /* what lies around it is still to be filled */
    bool fills_blocks;             /* which each block does for itself */
    bool few;                      /* one block for each thread, see threads.c */
    struct sweep_size *timed_size; /* that the box that runs is timed for; NULL: none */
    int blocks_threads;            /* for which `blocks` were made */
    _Atomic int64_t next;          /* part of what threads share out, see sweep_next_part */
    _Atomic bool failed;           /* memory was out */
    int64_t begun;                 /* how often its views have changed */
    sweep_share *shares;           /* one per thread */
    arena memory;
    /* in the cache */
    sweep_fitted fitted[SWEEP_FITTED];
    int fitted_next; /* the one that is replaced next */
    struct sweep_loop *next_alike;
    uint64_t key;
    int64_t used; /* when last */
    bool in_use;
};

/* The slot that a parameter of the loop that runs is given. */
static inline chain_slot *sweep_slot(const sweep_loop *l, int param)
{
    return l->loop->bindings[param].slot;
}

/* ---- views.c --------------------------------------------------------------------------------- */

/* The view of a component of an array, and a view as an array of one component, of the block and
 * type of another. */
abi_view sweep_view(const store_array *a, int component);
store_array sweep_view_array(const abi_view *view, const store_array *of);
/* Sets the views and numbers of a loop to those of l->loop. */
void sweep_bind(sweep_loop *l);
/* A thread's share of the loop, with the views of the present run, to run a box whose `core` counts
 * in reductions. */
sweep_share *sweep_share_of(const sweep_loop *l, int thread, const grid_box *core, int flags);

/* ---- edge_row.c, edge_copy.c, edge_fill.c ---------------------------------------------------- */
/* Fills in where the touched indices end; false when memory is out. */
bool sweep_sources_make(sweep_loop *l, sweep_field *field, bool writes);
/* Whether copies of what a piece touches outside would be much larger than the piece; and whether
 * there may be such a piece. */
bool sweep_edge_is_far(const sweep_edge *edges, int count, const grid_box *piece);
bool sweep_edge_may_be_far(const sweep_edge *edges, int count);
/* Points the views of components that a piece touches outside of the grid to copies of their values
 * around the piece, made by the boundary rules. False when memory is out. */
bool sweep_edge_gather(const sweep_edge *edges, int count, const grid_box *piece,
                       sweep_share *share);
/* Puts what a piece has written to its copies, at the views made by sweep_edge_gather, where it
 * belongs in the grid. */
void sweep_edge_scatter(const sweep_edge *edges, int count, const grid_box *piece,
                        const sweep_share *share);
/* Where an index that is written belongs; false: nowhere. */
bool sweep_edge_target(const sweep_edge *edge, const int64_t index[3], int64_t target[3]);
/* Whether a loop changes values of a parameter's field that other points of it read. */
bool sweep_edge_changes(const chain_loop *loop, int param);
/* Whether what is read of a component outside the grid can be written around its values, so that no
 * copies are needed: there is memory, made if need be, and nobody writes them meanwhile. */
bool sweep_edge_can_fill(const sweep_loop *l, const sweep_edge *edge, const grid_box *touched);
/* Whether the field of an edge has memory for indices around its values, made if need be, where
 * nothing else lies. */
bool sweep_edge_has_room(const sweep_edge *edge, const grid_box *room);
/* Constants stay until another loop fills there: whether a loop fills nothing else, whether all is
 * there still, that it is there now, and that others come. */
bool sweep_fills_constants(const sweep_loop *l);
bool sweep_is_filled(const sweep_loop *l);
void sweep_fill_note(const sweep_loop *l);
void sweep_fill_forget(const sweep_loop *l);
/* Fills what the box that runs reads outside of fields that are not copied. */
void sweep_fill(sweep_loop *l);
/* The same for a box of points in a tile, on the calling thread: what the tiles that come before it
 * have not filled. */
void sweep_fill_around(const sweep_loop *l, const grid_box *points, const sweep_tile *tile);
/* Whether no two blocks of the box that runs touch the same index outside: then the thread that
 * runs a block fills what the block reads, just before, and threads need not meet in between. */
bool sweep_fills_by_block(const sweep_loop *l);
void sweep_fill_block(const sweep_loop *l, const grid_box *block);

/* ---- edge_wrap.c ----------------------------------------------------------------------------- */

/* A read or write of a component by a loop. */
typedef struct sweep_reach {
    const chain_loop *loop;
    int param, component;
    int32_t offset[3];
} sweep_reach;

/* Whether the component can be a sweep_wrap; *room: the indices that there must be memory for. */
bool sweep_can_wrap(const sweep_reach *r, grid_box *room);
/* Runs a box of a loop with wraps, on the share's views, which are those of the loop before and
 * after. False when memory is out. */
bool sweep_run_wrapped(const sweep_loop *l, const grid_box *box, sweep_share *share);

/* ---- point_values.c, failing_point.c, run_points.c ------------------------------------------- */

/* Evaluates the graph of the loop at a point, on the views of a share: of what lies outside the
 * grid, on copies (`copied`), or by the boundary rules. The values are in the thread's memory; NULL
 * when that is out. */
const ir_value *sweep_evaluate(const sweep_loop *l, const sweep_share *share,
                               const int64_t point[3], bool copied);
/* Finds out which check fails at the point of share->failure, on views from which nothing was
 * overwritten, and keeps it when it is the first of the thread. False when memory is out. */
bool sweep_fault_note(const sweep_loop *l, sweep_share *share, bool copied);
/* The first fault of all threads; NULL when there is none. */
const observe_fault *sweep_first_fault(const sweep_loop *l);
/* Runs the points of a box one by one, with no copies. False when memory is out. */
bool sweep_run_points(const sweep_loop *l, const grid_box *box, sweep_share *share);

/* ---- run_plain.c, run_part.c, run_reducing.c ------------------------------------------------- */

/* Runs a box, its edges on copies, from low x to high: reductions take points in this order. The
 * share's views are those of the loop before and after. False when memory is out. */
bool sweep_run_part(const sweep_loop *l, const grid_box *box, sweep_share *share);
/* The same where it has no edges, or the views are those of copies. */
bool sweep_run_plain(const sweep_loop *l, const grid_box *box, sweep_share *share);
/* The same for a loop with reductions, whose contributions are reduced to bricks, or collected. */
bool sweep_run_reducing(const sweep_loop *l, const grid_box *block, sweep_share *share);

/* ---- sweep.c: the halves of sweep_run -------------------------------------------------------- */

/* What a box needs before it runs: returns the time, which is to be given to the other half. */
double sweep_run_begin(sweep_loop *l, const grid_box *box, const grid_box *core);
/* Runs it. False when memory is out. */
bool sweep_run_end(sweep_loop *l, int64_t points, double start);

/* ---- run_blocks.c, levels.c ------------------------------------------------------------------ */

/* A part from 0 on that no thread has taken since l->next was 0. */
int64_t sweep_next_part(sweep_loop *l);
/* Runs a box as a whole, on one thread. False when memory is out. */
bool sweep_run_block(const sweep_loop *l, const grid_box *box, sweep_share *share);
/* Cuts a box into blocks for l->thread_count threads. */
void sweep_cut(sweep_loop *l, const grid_box *box);
/* Cuts a box into blocks and runs them on l->thread_count threads. False when memory is out. */
bool sweep_run_blocks(sweep_loop *l, const grid_box *box);
/* The levels of a box that run in order, and the i-th of them. */
int64_t sweep_level_count(const sweep_loop *l, const grid_box *box);
grid_box sweep_level(const sweep_loop *l, const grid_box *box, int64_t i);
/* Runs a box level after level, as far as one with a point that fails. False when memory is out. */
bool sweep_run_levels(sweep_loop *l, const grid_box *box);

/* ---- band_reads.c, bands.c ------------------------------------------------------------------- */

/* Whether reads of what a loop in order writes let its bands overlap; how far they reach. */
bool sweep_bands_overlap(const sweep_loop *l, int64_t reach[3]);
/* Whether such a loop runs in bands; and whether these overlap. Sets l->band_reach. */
bool sweep_has_bands(const sweep_loop *l);
bool sweep_overlaps_bands(sweep_loop *l);
/* Runs a box in bands on threads; on one, with its share. False when memory is out. */
bool sweep_run_bands(sweep_loop *l, const grid_box *box);
bool sweep_run_bands_alone(const sweep_loop *l, const grid_box *box, sweep_share *share);

/* ---- flags.c --------------------------------------------------------------------------------- */

/* Sets l->flags for a box of so many points that runs next; and after it has run. */
void sweep_flags_begin(sweep_loop *l, int64_t points);
void sweep_flags_end(sweep_loop *l);

/* ---- prepare.c, prepare_edges.c -------------------------------------------------------------- */

/* A loop, prepared; NULL when memory is out. May move arrays. */
sweep_loop *sweep_loop_new(sweep_workers *workers, const chain_loop *loop, abi_function *run,
                           sweep_manner manner);
void sweep_loop_free(sweep_loop *l);
/* Finds the edges and fills of a loop whose fields and flags are there, and what it reads again.
 * False when memory is out. */
bool sweep_prepare_edges(sweep_loop *l);
/* The first parameter that a loop gives the same slot as parameter `param`. */
int sweep_field_first(const chain_loop *loop, int param);
/* Whether a parameter is a field, and describes the field that a loop gives it. */
bool sweep_field_describe(const chain_loop *loop, int param, sweep_field *out);

/* ---- prepared_cache.c ------------------------------------------------------------------------ */

void sweep_cache_free(struct sweep_cache *cache);

#endif
