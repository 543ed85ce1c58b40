/* Private to plan: groups of loops that are tiled together, and the methods that plan them. */
#ifndef PLAN_PLANNER_H
#define PLAN_PLANNER_H

#include "plan/node.h"

/* ---- group.c --------------------------------------------------------------------------------- */

/* How a planner treats a field. */
typedef struct plan_treatment {
    bool buffered, in, out; /* lies in a buffer; is moved there from outside, and back */
    bool passing;           /* is made and used up: of overlapped tiles */
    grid_box made;          /* need not be moved in: it is overwritten first; may be empty */
    plan_span margin[3];    /* the indices around a tile that are touched at most */
} plan_treatment;

/* Whether a field is made and used up in a section: of plan_overlapped_treat, which finds it again
 * where the section grows by loops that do not touch the field. */
typedef struct plan_passing {
    analysis_section part; /* part.a: NULL where nothing was found yet */
    bool passes;
} plan_passing;

/* Loops that are planned in one place. */
typedef struct plan_inside {
    analysis_section part;
    unsigned what;                   /* PLAN_ONCE | ... */
    const struct plan_group *around; /* NULL: it is the whole chain */
    bool cut[3];                     /* dimensions that are cut around */
} plan_inside;

typedef void plan_add_groups(plan *p, int parent, const plan_inside *in,
                             const plan_request *request);

/* Consecutive loops on one grid, or on a grid and coarser ones. None of them waits for a reduction
 * of another: loops without a grid run before the others, reductions are finished after them. */
typedef struct plan_group {
    analysis_section part;
    const plan *p;               /* the plan so far: of the groups before */
    unsigned what;               /* PLAN_ONCE | ...: what is to be planned of its loops */
    plan_add_groups *add_groups; /* plans some of its loops as another request says */
    int level;               /* how many methods there are around, in whose tiles or blocks it is */
    bool in_window;          /* fields lie in a window that moves on with such tiles */
    bool around[3];          /* dimensions that these tiles or blocks cut */
    int64_t finest[3];       /* sizes of the finest grid; 0: all loops run on one grid, and change
                                no fields of others */
    bool copies;             /* its copies between fields are cut, too */
    const char *whole;       /* why it cannot be tiled at all; NULL: it can */
    const char *fixed[3];    /* the same for each dimension */
    int64_t period[3];       /* the size of dimensions with reads over a periodic side, else 0 */
    bool cut[3];             /* dimensions in which the buffered fields are cut */
    int64_t (*places)[3];    /* by loop: where its first point lies; NULL: all at 0 */
    plan_span (*lags)[3];    /* by loop, of analysis_find_lags */
    plan_span (*extents)[3]; /* by loop, and by slot, of plan_group_extents */
    plan_span (*needs)[3];
    plan_treatment *fields; /* by slot */
    plan_passing *passing;  /* likewise */
    analysis_use *uses;     /* likewise, of the section that plan_overlapped_treat looked at last */
    plan_request sized;     /* of "tiled" and "blocked": sizes that they have found */
    const struct plan_method *sized_by; /* of "tiled": the method for them */
    struct plan_part *parts;            /* of windowed.c, by loop */
    struct scratchpad_choice *choices;  /* of scratchpad_sizes.c: a list */
    arena memory;
} plan_group;

/* What else a group may hold. */
typedef struct plan_mixture {
    bool apart;  /* loops that wait for others are left in */
    bool ratios; /* loops on grids that are coarser than that of others, too */
    bool copies; /* copies between fields, and loops on all grids that these glue together */
    bool sums;   /* loops with reductions, too; otherwise they are groups of their own */
} plan_mixture;

/* The group that begins with a loop. False when memory is out. */
bool plan_group_make(plan_group *g, const analysis_chain *a, int first, plan_mixture of);
void plan_group_free(plan_group *g);
/* How many points of the finest grid lie in a point of a loop, along a dimension. Spans, lags,
 * sizes and periods count in these. */
int64_t plan_group_scale(const plan_group *g, const chain_loop *loop, int d);
/* Sets the lags of consecutive loops of a group behind the place 0; false when memory is out. */
bool plan_group_lags(plan_group *g, const analysis_section *part);
/* The place of a loop, by its number in the chain, along a dimension. */
int64_t plan_group_place(const plan_group *g, int loop, int d);
/* Whether a dimension is to be tiled. */
bool plan_group_tiles(const plan_group *g, const plan_request *r, int d);
/* The slowest dimension to be tiled; the slowest of them that is not periodic; -1: none. */
int plan_group_slowest(const plan_group *g, const plan_request *r);
int plan_group_sweep(const plan_group *g, const plan_request *r);
/* Says why the dimensions with sizes above `least` cannot be cut; says `none` if there is no such
 * dimension. */
void plan_group_say_fixed(const plan_group *g, const int64_t sizes[3], int64_t least,
                          const char *none, text *why);
#define PLAN_NO_SIZE "it is given no size of tiles, such as y=16"
/* Whether there is a dimension to sweep along; says why if not. */
bool plan_group_sweeps(const plan_group *g, const plan_request *r, text *why);
/* Sets the extents of some of the loops and all needs, for fields wanted at the points; widens
 * margins to hold the indices that these loops then touch. */
void plan_group_extents(plan_group *g, const analysis_section *part);
/* Sets as margins along a dimension how each field's indices in a skewed tile lie to its frame:
 * those before `hi` are touched by then for the first time, those from `lo` on will be touched
 * again. The lags of the section are known. */
void plan_group_fronts(plan_group *g, const analysis_section *part, int d);
/* Adds nodes for some of the loops' work, one after another: loops without a grid, loops on a grid,
 * the reductions of these. */
enum { PLAN_ONCE = 1, PLAN_ON_GRID = 2, PLAN_REDUCED = 4 };
void plan_add_loops(plan *p, int parent, const analysis_section *part, unsigned what);
/* The same in tiles or blocks of a group, as the request says that is below. `cut`: dimensions that
 * they cut. */
void plan_add_below(const plan_group *g, const plan_request *r, const analysis_section *part,
                    unsigned what, const bool cut[3], plan *p, int parent);
/* The buffer of a field for tiles of these sizes with margins. */
plan_node plan_group_buffer(const plan_group *g, int slot, const int64_t size[3]);
/* Adds such buffers for the buffered fields, one in another. Returns a SEQ in the innermost. */
int plan_group_buffers(const plan_group *g, const int64_t size[3], plan *p, int parent);
void plan_group_moves(const plan_group *g, plan *p, int parent, bool out, int tag);
/* A plan_find_span: in dimensions that are cut, extents of loops, and needs of what is moved in. */
plan_span plan_group_span(const void *group, const plan_node *leaf, int d);

/* ---- glued.c --------------------------------------------------------------------------------- */

/* Finds the places of loops that copies glue together, and dimensions that copies keep whole. False
 * when memory is out. */
bool plan_group_glue(plan_group *g);

/* ---- pair.c ---------------------------------------------------------------------------------- */

/* A field that a loop reads, and another one, alike, all of which it makes: nobody reads the first
 * afterwards. */
typedef struct plan_pair {
    int from, to;
} plan_pair;
/* The pair of a loop; false: it has none. */
bool plan_pair_find(const plan_group *g, int loop, plan_pair *out);
/* How far back along a dimension the loop looks for a field. */
int64_t plan_pair_back(const analysis_loop *l, int slot, int d);

/* ---- skewed.c -------------------------------------------------------------------------------- */

/* A group is tiled in sections, as deep as asked for, all about equally deep. */
int64_t plan_section_count(const plan_group *g, const plan_request *r);
analysis_section plan_section(const plan_group *g, int64_t count, int64_t i);

/* ---- overlapped.c ---------------------------------------------------------------------------- */

/* Sets how fields are treated in a section of a group, cut along g->cut. */
void plan_overlapped_treat(plan_group *g, const analysis_section *part);
/* A field that a section changes after it was read around a point, so that it cannot be cut in this
 * way; -1: none. The extents of the section are known. */
int plan_overlapped_hazard(const plan_group *g, const analysis_section *part);
/* Whether there is such a field; says which. */
bool plan_overlapped_refuse(const plan_group *g, const analysis_section *part, text *why);
/* Adds tiles of these sizes, cut along g->cut. */
void plan_overlapped_add(plan_group *g, const analysis_section *part, const int64_t size[3],
                         plan *p, int parent);

/* ---- blocked_parts.c ------------------------------------------------------------------------- */

/* The points of all fields and loops along a dimension. */
plan_span plan_blocks_points(const plan_group *g, int d);
/* The same; without end where g->cut says that the dimension is whole. */
plan_span plan_blocks_along(const plan_group *g, int d);
/* The points of the largest of so many parts. */
int64_t plan_blocks_largest(plan_span all, int64_t parts);
/* The next loops between exchanges, from `first`; every: 0 is all. */
analysis_section plan_blocks_chunk(const plan_group *g, int64_t every, int first);
/* Deals out the fields that are touched point for point; each block has room for all indices that
 * are touched around it. */
void plan_blocks_treat(plan_group *g, int64_t every);
/* Bytes of the buffers of the largest block, of fields so treated; cut along g->cut. */
int64_t plan_blocks_bytes(const plan_group *g, const int64_t parts[3]);
void plan_blocks_say_bytes(int64_t bytes, int64_t memory, text *why);

/* ---- blocked_make.c -------------------------------------------------------------------------- */

/* Adds blocks, cut along g->cut, with places of their own for all fields of a group, made for
 * extents of `every` loops at a time. Returns a SEQ for their work. */
int plan_blocks_open(plan_group *g, const int parts[3], int64_t every, plan *p, int parent,
                     int *blocks);
void plan_blocks_close(const plan_group *g, plan *p, int blocks, int seq);
/* Adds the blocks of a group, of the sizes g->sized, cut along g->cut. */
void plan_blocks_make(plan_group *g, plan *p, int parent);

/* ---- blocked_sizes.c ------------------------------------------------------------------------- */

/* Sets how many blocks there are, and how many loops between exchanges, by the request's machine,
 * and g->cut. False where no blocks fit, or there can be none; says why. */
bool plan_blocks_choose(plan_group *g, const plan_request *r, text *why);

/* ---- blocked_together.c ---------------------------------------------------------------------- */

/* Makes the nodes of a plan; false when memory is out. */
typedef bool plan_build(plan *p, const analysis_chain *a, const plan_request *request);
/* Of a plan in which a machine has chosen the blocks of several groups: makes another one where
 * blocks alike are faster. */
void plan_blocks_unite(plan *p, const analysis_chain *a, const plan_request *r, plan_build *build);

/* ---- methods --------------------------------------------------------------------------------- */

/* What a method takes of a request; request.c lists the words. */
enum {
    PLAN_TAKES_TILE = 1,
    PLAN_TAKES_INNER = 2,
    PLAN_TAKES_PARTS = 4, /* and `every` */
    PLAN_TAKES_DEPTH = 8,
    PLAN_TAKES_CACHE = 16,
    PLAN_TAKES_PREFETCH = 32, /* and `rims` */
    PLAN_TAKES_THREADS = 64,
    PLAN_TAKES_TURNS = 512, /* siblings, and how they take turns */
    PLAN_TAKES_MEMORY = 1024,
    PLAN_TAKES_TILES = 128, /* another method in its tiles */
    PLAN_IN_TILES = 256     /* and can be in those of others: fields stay where they are */
};

/* A way to plan one group, below a SEQ node. With `apart`, loops without a grid and the ends of
 * reductions are added around what it makes, and it adds the loops PLAN_ON_GRID alone. */
typedef struct plan_method {
    const char *name;
    bool apart;     /* see plan_mixture */
    bool ratios;    /* the same */
    unsigned takes; /* PLAN_TAKES_..., of a request */
    /* Says why if not; NULL: it always is. */
    bool (*applicable)(plan_group *g, const plan_request *request, text *why);
    void (*make)(plan_group *g, const plan_request *request, plan *p, int parent);
} plan_method;
extern const plan_method plan_skewed, plan_diamond, plan_tiled, plan_shared, plan_overlapped,
    plan_windowed, plan_sliding, plan_streamed, plan_fused, plan_single, plan_blocked,
    plan_scratchpad;
/* planners.c: NULL when there is none of this name. */
const plan_method *plan_method_find(const char *name);

#endif
