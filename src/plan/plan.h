/* plan: in which order a chain is computed, and where its values are meanwhile.
 *
 * A plan is a tree. Its leaves are the loops of the chain and the moves of values between places.
 * A leaf runs on its own box (of a loop, the loop's; of a move, all that the field has) cut down by
 * the tiles around it: a tile repeats its child for one frame after another, the intervals
 * [k size, (k + 1) size) of a dimension, and each leaf in it runs on the frame with its ends moved
 * by the leaf's *span*: by the same for both of a skewed tile, outwards for an overlapped one,
 * inwards or past one another for the two halves of diamonds. All tilings are these numbers.
 *
 * A *place* holds values of a field. At home every field has one of its own. A buffer puts another
 * in its way for as long as its child runs: as many points as its capacity in each dimension, index
 * i at i modulo capacity, nothing set at first. What runs in it finds the field there, moves bring
 * values in from the place outside and take them out.
 *
 * Blocks are like one tile per rank, all at once: each has places of its own for the buffers in it,
 * and exchanges fill their margins from one another. Along a dimension that wraps, frames reach
 * beyond the grid: index -1 is another copy of the last one, in places inside. One block that wraps
 * is how the seam of a periodic dimension is closed. */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "analysis/analysis.h"

/* ---- plan.c: the tree ------------------------------------------------------------------------ */

#define PLAN_FAR (INT64_C(1) << 48) /* a span that cuts nothing */

typedef enum plan_kind {
    PLAN_NONE,
    PLAN_SEQ,      /* its children, in order */
    PLAN_TILE,     /* dimension, size, overlap, parallel, period; spans: one per leaf */
    PLAN_BLOCKS,   /* parts, cuts, period; spans: three per leaf, one per dimension */
    PLAN_BUFFER,   /* slot, alias, capacity, window; child */
    PLAN_MOVE,     /* slot, out, tag */
    PLAN_WAIT,     /* tag: the move started under it has ended after this */
    PLAN_EXCHANGE, /* slot, margin */
    PLAN_SCALAR,   /* loop: its reductions are finished, or it runs, without a grid */
    PLAN_LOOP      /* loop */
} plan_kind;

typedef analysis_span plan_span; /* added to the ends of a frame */

typedef struct plan_node {
    plan_kind kind;
    int child, next; /* numbers of nodes, 0: none */
    int leaf;        /* of a leaf: its number; of TILE and BLOCKS: that of the first in it */
    int leaf_count;
    plan_span *spans;
    int dimension;
    int64_t size;
    bool overlap;  /* frames are what tiles own, and spans add work done twice; otherwise tiles own
                      all they run on */
    bool parallel; /* tiles touch nothing in common that one of them writes */
    int64_t period[3];   /* of TILE and BLOCKS: the size of a dimension that wraps, otherwise 0 */
    int parts[3];        /* of BLOCKS, per dimension */
    int64_t *cuts[3];    /* parts + 1 of them */
    int slot, alias;     /* fields by their numbers in the chain; alias: another one that the buffer
                           holds, or -1 */
    int64_t capacity[3]; /* 0: all that the field has */
    int window;          /* of a buffer: number of a TILE node around those who use it. Only indices
                            in its frame widened by `reach` are looked for in the buffer. 0: all */
    plan_span reach;
    bool out; /* from the innermost place to the next one outside; otherwise inwards */
    int tag;  /* of a move that is only started here; 0: none */
    plan_span margin[3];
    int loop;
} plan_node;

/* Loops for which the method that was asked for cannot be used: they run loop by loop. */
typedef struct plan_refusal {
    const char *why;
    int first, loops; /* the first of those with this reason, and how many they are */
} plan_refusal;

typedef struct plan {
    plan_node *nodes; /* nodes[0] is none */
    int count, root, leaf_count;
    size_t capacity;
    plan_refusal *refusals; /* of plan_make, one per reason */
    int refusal_count;
    size_t refusal_capacity;
    arena memory; /* of spans, cuts and reasons */
    bool failed;  /* memory was out */
} plan;           /* zero-initialised is empty */

/* Adds a node as the last child of another (0: as the root) and returns its number. A leaf takes
 * the next number: trees are made from left to right. Once memory is out the plan has failed, and
 * nothing more is added: 0. */
int plan_add(plan *p, int parent, plan_node node);
bool plan_is_leaf(const plan_node *n);
bool plan_is_tile(const plan_node *n); /* or BLOCKS */
int plan_spans_per_leaf(const plan_node *tile);
plan_span *plan_span_of(const plan_node *tile, int leaf, int dimension);
/* After the last leaf in a TILE or BLOCKS node was added: gives it spans, zero or found. */
typedef plan_span plan_find_span(const void *data, const plan_node *leaf, int dimension);
void plan_end_tile(plan *p, int number, plan_find_span *find, const void *data);
/* Whether two fields can lie in the same memory. */
bool plan_are_alike(const chain_slot *a, const chain_slot *b);
/* What the program calls a field or scalar; NULL where it has no name. */
const char *plan_slot_name(const analysis_chain *a, int slot);
/* Enters those of the loops that are on a grid as ones that a method cannot be used for. */
void plan_refuse(plan *p, const analysis_section *loops, const char *why);
void plan_free(plan *p);

/* ---- walk.c: what a plan does, step by step -------------------------------------------------- */

/* Where values of a slot (and its alias) are. */
typedef struct plan_place {
    int number; /* counted from 0 in the order of opening; homes first, by slot */
    int slot, alias;
    const plan_node *buffer; /* NULL: home */
    int block;
    bool wraps[3];
    struct plan_place *outer; /* where the slot is outside; NULL: this is a home */
    struct plan_place *alias_outer;
    void *data; /* the visitor's */
} plan_place;

typedef struct plan_walk plan_walk;

/* A part of a loop: its points in `box`, of which those in `core` count in reductions. Places hold
 * its values at indices moved by `shift` along dimensions that wrap. */
typedef struct plan_run {
    int loop, leaf;
    grid_box box, core;
    int64_t shift[3];
} plan_run;

/* Values of a slot copied between places; `from` is at the indices of `to` moved by `shift`. */
typedef struct plan_copy {
    int slot, tag; /* tag: takes place some time until it is waited for; 0: now */
    const plan_place *from, *to;
    grid_box box;
    int64_t shift[3];
} plan_copy;

/* Each returns false to end the walk. */
typedef struct plan_visitor {
    void *data;     /* NULL functions are not called */
    bool backwards; /* walk parallel tiles, and blocks, from last to first */
    bool (*run)(void *data, const plan_walk *walk, const plan_run *run);
    bool (*copy)(void *data, const plan_walk *walk, const plan_copy *copy);
    bool (*wait)(void *data, int tag);
    bool (*scalar)(void *data, int loop);
    bool (*open)(void *data, plan_place *place);
    bool (*close)(void *data, plan_place *place);
    /* A tile of a parallel node, or a block, begins; NULL: all of one have ended. */
    bool (*tile)(void *data, const plan_node *node);
} plan_visitor;

/* Walks a plan; false when the visitor ended it or memory was out. The plan must be well formed
 * (plan_check_form). `homes` has one place per slot of the chain. */
bool plan_walk_all(const plan *p, const analysis_chain *a, plan_place *homes,
                   const plan_visitor *visitor);
/* Cuts a box of indices of a slot, as its innermost place counts them, into boxes that lie in one
 * place each. Returns their number. */
enum { PLAN_PIECES = 8 };
typedef struct plan_piece {
    const plan_place *place;
    grid_box box;
} plan_piece;
int plan_pieces(const plan_walk *walk, int slot, const grid_box *box, plan_piece out[PLAN_PIECES]);
/* The innermost place of a slot. */
const plan_place *plan_innermost(const plan_walk *walk, int slot);

/* ---- planners.c ------------------------------------------------------------------------------ */

/* What to plan. Along dimensions in which a group of loops cannot be tiled, sizes are ignored; a
 * group that a method is not for runs loop by loop. */
typedef struct plan_request {
    const char *method; /* a name from the list in planners.c */
    int64_t tile[3];    /* sizes, 0: not tiled */
    int64_t inner[3];   /* of tiles in tiles, 0: none */
    int64_t parts[3];   /* of blocks; 0 is 1 */
    int64_t every;      /* loops between exchanges, 0: as many as there are */
    int64_t prefetch;   /* 1: moves run beside the work */
} plan_request;

/* Reads "METHOD x=N y=N z=N inner.x=N ... parts.x=N ... every=N prefetch", all but the method
 * optional. False where it is none, with the word that is wrong in `wrong`. */
enum { PLAN_WORD = 40 };
bool plan_request_read(const char *words, plan_request *out, char wrong[PLAN_WORD]);
/* False when memory is out or there is no such method. */
bool plan_make(plan *p, const analysis_chain *a, const plan_request *request);
/* The i-th method's name; NULL at the end. */
const char *plan_method_name(int i);

/* ---- cache.c --------------------------------------------------------------------------------- */

/* The plans of the chains met last. */
typedef struct plan_cache plan_cache;
/* Whether a chain was met. */
bool plan_cache_knows(const plan_cache *cache, const chain *c, const plan_request *request);
plan_cache *plan_cache_new(void); /* NULL when memory is out */
void plan_cache_free(plan_cache *cache);
/* The plan of a chain, and its analysis, until the next call, and whether it was made now; NULL
 * when memory is out. */
const plan *plan_cache_get(plan_cache *cache, const chain *c, const plan_request *request,
                           const analysis_chain **analysis, bool *is_new);

/* ---- group.c: loops that are tiled together -------------------------------------------------- */

/* What a planner makes of a field. */
typedef struct plan_kept {
    bool kept, in, out;  /* in a buffer; moved there from outside, and back */
    plan_span margin[3]; /* around a tile, what is touched there at most */
} plan_kept;

/* Consecutive loops on one grid, none of which waits for a reduction of another. Loops without a
 * grid run before the others, reductions are finished after them. */
typedef struct plan_group {
    analysis_section part;
    const char *whole;       /* why it cannot be tiled at all; NULL: it can */
    const char *fixed[3];    /* the same for each dimension */
    int64_t period[3];       /* the size of those in which something is read over a periodic side */
    bool cut[3];             /* those in which the fields that are kept are cut */
    plan_span (*lags)[3];    /* by loop, of analysis_find_lags */
    plan_span (*extents)[3]; /* by loop, and by slot, of plan_group_extents */
    plan_span (*needs)[3];
    plan_kept *kept; /* by slot */
    arena memory;
} plan_group;

/* The group that begins with a loop. `apart`: loops that wait for others are left in. */
bool plan_group_make(plan_group *g, const analysis_chain *a, int first, bool apart);
void plan_group_free(plan_group *g);
/* Whether a dimension is to be tiled; the slowest of them, or that of them that is not periodic; -1
 * when there is none. */
bool plan_group_tiles(const plan_group *g, const plan_request *r, int d);
int plan_group_slowest(const plan_group *g, const plan_request *r);
int plan_group_sweep(const plan_group *g, const plan_request *r);
/* Says why the dimensions cannot be cut that were given sizes above `least`, or `none` where there
 * is no such size. */
void plan_group_say_fixed(const plan_group *g, const int64_t sizes[3], int64_t least,
                          const char *none, text *why);
#define PLAN_NO_SIZE "it is given no size of tiles, such as y=16"
/* Whether there is one to sweep along; otherwise says why not. */
bool plan_group_sweeps(const plan_group *g, const plan_request *r, text *why);
/* Sets the extents of some of the loops, all needs, for fields asked for at the points; and widens
 * margins to hold what is touched then. */
void plan_group_extents(plan_group *g, const analysis_section *part);
/* Adds nodes for some of what loops do, one after another: for those without a grid, for the
 * others, for the reductions of these. */
enum { PLAN_ONCE = 1, PLAN_ON_GRID = 2, PLAN_REDUCED = 4 };
void plan_add_loops(plan *p, int parent, const analysis_section *part, unsigned what);
/* Buffers for the fields that are kept, one in another, of tiles of these sizes with margins; in
 * the innermost a SEQ, which is returned. */
int plan_group_buffers(const plan_group *g, const int64_t size[3], plan *p, int parent);
void plan_group_moves(const plan_group *g, plan *p, int parent, bool out, int tag);
/* A plan_find_span: extents of loops and needs that are moved in, in dimensions that are cut. */
plan_span plan_group_span(const void *group, const plan_node *leaf, int d);

/* ---- blocked.c ------------------------------------------------------------------------------- */

/* Blocks, cut along g->cut, with places of their own for all fields of a group, made for extents of
 * `every` loops at a time. Returns a SEQ for what they do. */
int plan_blocks_open(plan_group *g, const int parts[3], int64_t every, plan *p, int parent,
                     int *blocks);
void plan_blocks_close(const plan_group *g, plan *p, int blocks, int seq);

/* A way to plan one group, below a SEQ node. */
typedef struct plan_method {
    const char *name;
    bool apart; /* see plan_group_make */
    /* Otherwise says why it is not; NULL: it always is. */
    bool (*applicable)(plan_group *g, const plan_request *request, text *why);
    void (*make)(plan_group *g, const plan_request *request, plan *p, int parent);
} plan_method;
extern const plan_method plan_skewed, plan_diamond, plan_overlapped, plan_streamed, plan_fused,
    plan_single, plan_blocked;

/* ---- notation.c ------------------------------------------------------------------------------ */

/* A line per node, children indented below: its kind and numbers as docs/planning.md explains them.
 * With a chain, the names of loops and fields follow as comments. */
void plan_print(text *out, const plan *p, const analysis_chain *a);
/* Reads that. False where it is wrong: *line is the number of the line (or memory was out, 0). */
bool plan_parse(plan *p, const char *words, int *line);
/* The same tree as JSON: {"kind": "seq", "children": [...]}. */
void plan_print_json(text *out, const plan *p, const analysis_chain *a);

/* ---- form.c ---------------------------------------------------------------------------------- */

/* NULL when a plan can be walked for a chain: its numbers refer to what there is, spans and cuts
 * are in order. Otherwise what is wrong, with the node in *node. */
const char *plan_check_form(const plan *p, const analysis_chain *a, int *node);

/* ---- proof.c ---------------------------------------------------------------------------------
 *
 * Replays a plan over boxes. Of every place it knows which loop wrote which box last; each read is
 * to find what the loop before it in the chain, of those that write there, has made. */

/* Whether a plan computes what its chain does: each read, in whatever place, finds the value that
 * it finds when loops run one after another; what lasts is home at the end; each point counts once
 * in reductions; nothing in a buffer is overwritten, or gone, that is still needed; no move under
 * way is interfered with; parallel tiles do not meet. If not, says why in `why`: loop, field, box,
 * and what was found there. */
bool plan_verify(const plan *p, const analysis_chain *a, text *why);

#endif
