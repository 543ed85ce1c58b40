/* plan: in which order a chain is computed, and where its values are meanwhile.
 *
 * A plan is a tree. Its leaves are the loops of the chain and the moves of values between places. A
 * leaf runs on its own box (a loop on the loop's box, a move on the whole field), cut down by the
 * tiles around it. A tile repeats its child for one frame after another: the intervals
 * [k size, (k + 1) size) of a dimension. Each leaf in it runs on the frame with its ends moved by
 * the leaf's *span*: both ends alike in a skewed tile, outwards in an overlapped tile, inwards or
 * past one another in the two halves of diamonds. These numbers describe all tilings.
 *
 * Loops on a coarser grid have a *scale*: in a dimension, so many times as long are frames and
 * spans as the loop's part. Its point i lies in a frame if i times the scale does.
 *
 * A *place* holds values of a field. Every field has one place of its own, its home. A buffer is
 * another place of a field while its child runs: it has its capacity of points in each dimension,
 * stores index i at i modulo capacity, and has no values at first. Leaves inside find the field in
 * the buffer; moves bring values in from the place outside and take them out.
 *
 * Blocks are like one tile per rank, all at once: each has places of its own for the buffers in it,
 * and exchanges fill the margins of one from the others. Along a dimension that wraps, frames reach
 * beyond the grid: in places inside, index -1 is another copy of the last index. One block that
 * wraps closes the seam of a periodic dimension.
 *
 * Tiles may be taken by *siblings*, cores with small memories: each has equal many, in order, its
 * *turns*. Directly inside such tiles are buffers, one in another, and a SEQ. A buffer of depth D
 * has D slots: turn t has slot t modulo D from where a turn first needs it, with no values at
 * first, until turn t + D does. A child of the SEQ works for the present turn; but a move may run
 * some turns ahead, and a wait be for moves of some turns behind. */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "machine/machine.h"
#include "plan/dealing.h"

/* ---- plan.c: the tree ------------------------------------------------------------------------ */

#define PLAN_FAR (INT64_C(1) << 48) /* a span that cuts nothing */

typedef enum plan_kind {
    PLAN_NONE,
    PLAN_SEQ,      /* its children, in order */
    PLAN_TILE,     /* dimension, size, overlap, parallel, wave, seam, siblings, bytes, period;
                      spans: one per leaf, or two */
    PLAN_BLOCKS,   /* parts, cuts, period, bytes; spans: three per leaf, one per dimension */
    PLAN_BUFFER,   /* slot, alias, capacity, window, depth; child */
    PLAN_MOVE,     /* slot, out, tag, ahead, only */
    PLAN_WAIT,     /* tag, behind: the moves started under it have ended after this */
    PLAN_EXCHANGE, /* slot, margin */
    PLAN_SCALAR,   /* loop: finishes its reductions; or runs it, without a grid */
    PLAN_LOOP      /* loop, scale */
} plan_kind;

typedef struct plan_node {
    plan_kind kind;
    int child, next; /* numbers of nodes, 0: none */
    int leaf; /* of a leaf: its number; of TILE and BLOCKS: the number of the first leaf in it */
    int leaf_count;
    plan_span *spans;
    int dimension;
    int64_t size;
    bool overlap;  /* tiles own their frames, and spans add work done twice; otherwise tiles own all
                      points that they run on */
    bool parallel; /* tiles touch nothing in common that one of them writes */
    bool wave;     /* with the wave tiles directly inside: two tiles of which neither comes first in
                      all dimensions touch nothing in common that one of them writes */
    bool seam; /* tiles go once around a dimension that wraps. Beside its span each leaf has another
                  one: for the low end of the first tile, and for the high end of the last one. So
                  the first tile begins within the grid, and the last one closes the gap */
    int siblings;  /* of TILE: how many take its tiles, and those of such nodes directly inside, by
                      turns; 0: nobody does. They run at once, each from its first turn to its last
                    */
    int group;     /* of TILE with siblings: each of them is so many cores, with a memory each. They
                      have equal parts of a tile along its dimension, load what they need of it
                      together, and pass parts on to one another; 0 is 1 */
    int64_t bytes; /* with siblings, of the memory of each of them (of each core, in a group), for
                      buffers; of BLOCKS, of each block's; 0: not limited */
    int64_t period[3];   /* of TILE and BLOCKS: the size of a dimension that wraps, otherwise 0 */
    int parts[3];        /* of BLOCKS, per dimension */
    int64_t *cuts[3];    /* parts + 1 of them */
    int slot, alias;     /* fields by their numbers in the chain; alias: another one that the buffer
                           holds, or -1 */
    int64_t capacity[3]; /* 0: as many as the field has */
    int window;          /* of a buffer: number of a TILE node around those who use it. Only indices
                            in its frame widened by `reach` are looked for in the buffer. 0: all */
    plan_span reach;
    int depth;  /* of a buffer that turns have: so many of them have one each, at once; 0 is 1 */
    int ahead;  /* of a move in a turn: it is that of a turn so many later */
    int behind; /* of a wait in a turn: it is for moves of a turn so many before */
    bool out;   /* from the innermost place to the next one outside; otherwise inwards */
    int tag;    /* of a move that is only started here; 0: none */
    plan_span only[3]; /* of a move: the indices that it moves; empty: all along that dimension */
    plan_span margin[3];
    int loop;
    int64_t scale[3]; /* of LOOP, 1 at least */
} plan_node;

/* ---- plan_schedule.c: a plan as a list ------------------------------------------------------- */

/* A loop in the tiles of a wave. Its part of a tile is that tile with its ends moved by spans, by
 * the order of the wave's nodes. */
typedef struct plan_wave_loop {
    int loop;
    plan_span span[3];
    plan_span seam[3]; /* of the first and the last tile around a period */
    int64_t scale[3];
} plan_wave_loop;

/* Tiles around loops, the outermost node first. Tile number k of a node is [k size, (k + 1) size);
 * `tiles`: numbers of the first and the last one in which a loop has points. */
typedef struct plan_wave {
    int count;        /* nodes */
    bool independent; /* tiles of the outermost node need nothing of one another */
    int dimension[3];
    int64_t size[3];
    int64_t period[3]; /* of tiles with a seam; otherwise 0 */
    plan_span tiles[3];
    int first, loops; /* in the schedule */
} plan_wave;

typedef enum plan_step_kind {
    PLAN_STEP_LOOP,   /* `loop` runs on all its points */
    PLAN_STEP_SCALAR, /* as the node PLAN_SCALAR */
    PLAN_STEP_WAVE,   /* fields stay at home */
    PLAN_STEP_TILES,  /* `node`: tiles that need nothing of one another, with places of their own */
    PLAN_STEP_NODE    /* anything else: `node` is to be walked */
} plan_step_kind;

typedef struct plan_step {
    plan_step_kind kind;
    int loop, node;
    plan_wave wave;
} plan_step;

typedef struct plan_schedule {
    plan_step *steps;
    int count;
    plan_wave_loop *loops; /* of waves */
    bool *cut;             /* per loop: tiles cut bricks of IR_BRICK points of a row, or overlap */
    bool whole;            /* all steps are loops and scalars */
} plan_schedule;

/* Loops for which the method that was asked for cannot be used: they run loop by loop. */
typedef struct plan_refusal {
    const char *why;
    int level;              /* of the method: how many are around it */
    int first, last, loops; /* the first and last of those with this reason, and how many */
} plan_refusal;

typedef struct plan {
    plan_node *nodes; /* nodes[0] is none */
    int count, root, leaf_count;
    size_t capacity;
    plan_refusal *refusals; /* of plan_make, one per reason and level */
    int refusal_count;
    size_t refusal_capacity;
    plan_schedule schedule; /* of plan_make, and of plan_schedule_make */
    arena memory;           /* of spans, cuts, reasons and the schedule */
    bool failed;            /* memory was out */
} plan;                     /* zero-initialised is empty */

/* The program's name of a field or scalar; NULL where it has none. */
const char *plan_slot_name(const analysis_chain *a, int slot);
bool plan_is_leaf(const plan_node *n);
/* A TILE, or BLOCKS. */
bool plan_is_tile(const plan_node *n);
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

/* A part of a loop: its points in `box`; the points in `core` count in reductions. Places hold its
 * values at indices moved by `shift` along dimensions that wrap. */
typedef struct plan_run {
    int loop, leaf;
    grid_box box, core;
    int64_t shift[3];
} plan_run;

/* Values of a slot copied between places; `from` is at the indices of `to` moved by `shift`. */
typedef struct plan_copy {
    int slot, tag; /* tag: the copy may happen any time until it is waited for; 0: now */
    int64_t turn;  /* in which it was started, where tiles have turns; otherwise 0 */
    const plan_place *from, *to;
    grid_box box;
    int64_t shift[3];
} plan_copy;

/* Each returns false to end the walk. */
typedef struct plan_visitor {
    void *data;     /* NULL functions are not called */
    bool backwards; /* walk parallel tiles and blocks from last to first, and waves of tiles with
                       the innermost dimension outermost */
    bool (*run)(void *data, const plan_walk *walk, const plan_run *run);
    bool (*copy)(void *data, const plan_walk *walk, const plan_copy *copy);
    bool (*wait)(void *data, int tag, int64_t turn); /* for moves of a tag and turn */
    bool (*scalar)(void *data, int loop);
    bool (*open)(void *data, plan_place *place);
    bool (*close)(void *data, plan_place *place);
    /* A tile of a parallel node or of a wave, a block, or what a sibling takes by turns begins;
     * NULL: all tiles of the node have ended. `at`: the tile of a wave, by the order of its nodes;
     * otherwise NULL. */
    bool (*tile)(void *data, const plan_node *node, const int64_t at[3]);
    /* Whether the next tile of parallel tiles, with no such tiles directly inside, is left out. */
    bool (*leaves_out)(void *data, const plan_node *node);
} plan_visitor;

/* Walks a plan; false when the visitor ended it or memory was out. The plan must be well formed
 * (plan_check_form). `homes` has one place per slot of the chain. */
bool plan_walk_all(const plan *p, const analysis_chain *a, plan_place *homes,
                   const plan_visitor *visitor);
/* Walks a part of a plan that lies in no tile, block or buffer. */
bool plan_walk_part(const plan *p, const analysis_chain *a, int node, plan_place *homes,
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

/* ---- plan_schedule.c ------------------------------------------------------------------------- */

/* Sets p->schedule; false when memory is out. */
bool plan_schedule_make(plan *p, const analysis_chain *a);
/* Whether a node has parallel tiles around leaves that need nothing outside of their tile but
 * homes: no periods, moves under way, checks, or windows of other nodes. */
bool plan_is_independent(const plan *p, const analysis_chain *a, int node);
/* The points of a loop in a tile of a wave, as boxes: over a seam there are two. Returns their
 * number. */
enum { PLAN_WAVE_BOXES = 8 };
int plan_wave_boxes(const plan_wave *wave, const plan_wave_loop *part, const chain_loop *loop,
                    const int64_t at[3], grid_box out[PLAN_WAVE_BOXES]);

/* ---- traffic.c ------------------------------------------------------------------------------- */

/* What a plan moves, predicted: bytes per point and loop between memory and the caches, and between
 * a cache and the cores; the most bytes that the fields of a tile fill, 0 without tiles; and the
 * points of a loop, as a mean. */
typedef struct plan_traffic {
    double memory, cache, tile, points;
} plan_traffic;
/* The plan must have its schedule. */
plan_traffic plan_find_traffic(const plan *p, const analysis_chain *a);

/* ---- emulated_time.c ------------------------------------------------------------------------- */

/* What a part of a plan takes on an emulated machine: tiles that siblings take by turns, blocks
 * that stay with one each, or a loop whose fields stay in the global memory (where there is none,
 * one core has them all). */
enum { PLAN_SHOWN = 96 };
typedef struct plan_timed {
    int first, end;        /* loops */
    bool direct, resident; /* resident: blocks stay */
    int64_t tile[3];       /* points; 0: not cut */
    bool columns;          /* a turn goes through a column of planes */
    int64_t bytes;         /* of a local memory */
    int64_t turns;
    int64_t meetings;        /* of blocks that stay: exchanges */
    int siblings, slots;     /* siblings: that have turns */
    int group;               /* cores of each of them; 0 is 1 */
    double got, put, needed; /* bytes; needed: got without those that come in several times */
    machine_time time;
    machine_operation shown[PLAN_SHOWN]; /* the first ones of the first sibling */
    int shown_count;
} plan_timed;

typedef struct plan_times {
    plan_timed *parts;
    size_t count, room;
    double seconds;
} plan_times;
/* Walks a plan by the clock of a machine. `before`: blocks where fields stay when it begins; NULL:
 * they are where it wants them. False when memory is out; to be freed in any case. */
bool plan_find_times(const plan *p, const analysis_chain *a, const machine_emulated *m,
                     const plan_node *before, plan_times *out);
void plan_times_free(plan_times *t);

/* ---- planners.c ------------------------------------------------------------------------------ */

/* A request for a plan. Sizes along dimensions in which a group of loops cannot be tiled are
 * ignored. A group that the method does not suit runs loop by loop. */
typedef struct plan_request {
    const char *method;               /* a name from the list in planners.c */
    const struct plan_request *below; /* plans the loops of a tile, or block; NULL: in order */
    const machine_emulated
        *machine;    /* that chooses what is not given, of "scratchpad" and "blocked"; NULL: none */
    int64_t tile[3]; /* sizes, 0: not tiled */
    int64_t inner[3]; /* of tiles in tiles, 0: none */
    int64_t parts[3]; /* of blocks; 0 is 1 */
    int64_t every;    /* loops between exchanges, 0: all */
    int64_t depth;    /* loops that are tiled together at most, 0: all */
    int64_t cache;    /* bytes that the fields of a tile may fill, of "tiled" */
    int64_t threads;  /* that tiles are shared out to, of "tiled"; 0 is 1 */
    int64_t prefetch; /* 1: moves run beside the work */
    int64_t rims; /* of fields that loops overwrite but for a rim of 1/N of a plane at most, only
                     the rim moves in; 0: whole planes do */
    int64_t siblings; /* that take tiles by turns, of "scratchpad"; 0 is 1 */
    int64_t group;    /* so many of them share a tile along x; 0 is 1 */
    int64_t memory;   /* bytes of each of them, or of a block; 0: not limited */
    int64_t slots;    /* of a buffer; 0 is 1 */
    int64_t ahead;    /* turns that a get runs ahead; 0: half of the slots */
    int64_t last;     /* 1: a get is issued after the put of a turn */
    int64_t in_place; /* 1: a field and its next value have one buffer */
    int64_t columns;  /* 1: a turn goes through a column of planes */
} plan_request;

/* False when memory is out or there is no such method. */
bool plan_make(plan *p, const analysis_chain *a, const plan_request *request);
/* The i-th method's name; NULL at the end. */
const char *plan_method_name(int i);

/* ---- request.c ------------------------------------------------------------------------------- */

/* Reads "METHOD x=N y=N z=N inner.x=N ... parts.x=N ... every=N depth=N cache=N threads=N
 * prefetch rims=N siblings=N group=N memory=N slots=N ahead=N last inplace columns"; all but the
 * method is optional. Requests for what lies in tiles of one before follow it behind a /: out[1] is
 * what out[0] has below, and so on, up to `most`. False for any other text; `why` then says which
 * word is wrong, and nothing where the method is missing. */
enum { PLAN_MOST_METHODS = 3 };
bool plan_request_read(const char *words, plan_request *out, int most, text *why);
/* The same words, from which the request can be read. */
void plan_request_print(text *out, const plan_request *request);
bool plan_request_equal(const plan_request *a, const plan_request *b);

/* ---- cache.c --------------------------------------------------------------------------------- */

/* The plans of the latest chains. */
typedef struct plan_cache plan_cache;
/* Whether it has the plan of a chain. */
bool plan_cache_knows(const plan_cache *cache, const chain *c, const plan_request *request);
plan_cache *plan_cache_new(void); /* NULL when memory is out */
void plan_cache_free(plan_cache *cache);
/* The plan of a chain, and its analysis, valid until the next call; *is_new: they were made now.
 * NULL when memory is out. */
const plan *plan_cache_get(plan_cache *cache, const chain *c, const plan_request *request,
                           const analysis_chain **analysis, bool *is_new);
/* The plan that was got last, if that was for an equal chain, and its analysis, now of this one;
 * NULL otherwise. */
const plan *plan_cache_again(plan_cache *cache, const chain *c, const analysis_chain **analysis);

/* ---- notation.c ------------------------------------------------------------------------------ */

/* A line per node, children indented below: its kind and numbers as docs/planning.md explains them.
 * With a chain, the names of loops and fields follow as comments. */
void plan_print(text *out, const plan *p, const analysis_chain *a);
/* The same tree as JSON: {"kind": "seq", "children": [...]}. */
void plan_print_json(text *out, const plan *p, const analysis_chain *a);

/* ---- proof.c ---------------------------------------------------------------------------------
 *
 * Replays a plan over boxes. It tracks which loop wrote each box of every place last; each read
 * must find the value of the last loop before it in the chain that writes there. */

/* Whether a plan computes the same as its chain: each read finds the value, in whatever place, that
 * it finds when loops run one after another; values that last are home at the end; each point
 * counts once in reductions; no value in a buffer is overwritten or gone while it is needed; nobody
 * touches the values of a move under way; parallel tiles do not meet. If not, `why` says loop,
 * field, box, and the value found there. */
bool plan_verify(const plan *p, const analysis_chain *a, text *why);

#endif
