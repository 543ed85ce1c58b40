/* A part of plan.h: chains whose fields are dealt out to ranks. */
#ifndef PLAN_DEALING_H
#define PLAN_DEALING_H

#include "analysis/analysis.h"

typedef analysis_span plan_span; /* added to the ends of a frame, or of what is a rank's own */

/* ---- dealt.c ---------------------------------------------------------------------------------
 *
 * Chains whose fields are dealt out to ranks: which loops a rank runs on its own points, and what
 * it needs of others before.
 *
 * All grids are cut alike, into a part per rank: a list of boxes, mostly of one. Of a field that is
 * dealt out a rank has the values at its own indices, and valid copies of some around them. Other
 * fields are whole: every rank has all values. The plan is a list of steps, the same on all ranks:
 *
 *   exchange   a field's copies around a rank's own indices become valid, so many indices deep
 *   gather     a field becomes whole
 *   part       a loop runs on a rank's own points and some around them; the fields that it writes
 *              are dealt out
 *   whole      a loop runs on all points on every rank; its fields are whole
 *
 * Loops between two exchanges are a section. In it loops compute around a rank's own points what
 * later loops of the section read there, and neighbours compute the same. So a section needs the
 * values of others once.
 *
 * Beyond a periodic side that is cut, indices go on: copies of the first points lie behind the last
 * ones. A loop that computes there must not look at the index of its points. */

/* Where all grids are cut. Along a dimension of C cells, cell i of n points begins at
 * ceil(i n / C); or at a multiple of a unit that is not above it. */
typedef struct plan_raster {
    int cells[3];    /* above 1: the dimension is cut */
    int thinnest[3]; /* the fewest cells that the hull of a rank's boxes has along it */
    int unit[3];     /* 0: there is none */
    int64_t bricks;  /* points along x of grids that are cut there at multiples of IR_BRICK alone:
                        others reduce whole, where x is cut */
} plan_raster;

/* How far around its own indices a rank has valid values of a field: lo <= 0 <= hi per dimension
 * that is cut. */
typedef struct plan_home {
    bool whole; /* all values */
    bool fixed; /* it cannot be dealt out, and stays whole: memory of the program */
    plan_span valid[3];
    bool images[3]; /* also of indices beyond the sides, copies of those a period away */
} plan_home;

typedef enum plan_dealt_kind {
    PLAN_DEALT_EXCHANGE,
    PLAN_DEALT_GATHER,
    PLAN_DEALT_PART,
    PLAN_DEALT_WHOLE
} plan_dealt_kind;

typedef struct plan_dealt_step {
    plan_dealt_kind kind;
    int slot;          /* of EXCHANGE and GATHER */
    int loop;          /* of PART and WHOLE */
    plan_span span[3]; /* of EXCHANGE: the copies; of PART: added to the ends of a rank's points */
} plan_dealt_step;

typedef struct plan_dealt {
    plan_raster raster;
    int64_t every; /* loops in a section, at most */
    bool small;    /* grids of few points are dealt out, too */
    plan_dealt_step *steps;
    int count;
    size_t capacity;
    int64_t margin[3]; /* indices that are touched beyond a rank's own, at most */
    bool wraps[3];     /* there are indices beyond the grid */
} plan_dealt;

/* Whether a grid has enough points to be dealt out. */
bool plan_is_dealt(const grid_shape *shape, bool small);
/* Whether fields on such a grid are dealt out where it is cut so. */
bool plan_cuts(const plan_raster *raster, bool small, const grid_shape *shape);
/* Plans a chain for `raster`, `every` and `small`, which are set. `homes`, per slot of the chain,
 * are those before it, and then those after it. False when memory is out. */
bool plan_deal(plan_dealt *p, const analysis_chain *a, plan_home *homes);
void plan_dealt_free(plan_dealt *p);
/* A line per step, with the names of kernels and fields. */
void plan_dealt_print(text *out, const plan_dealt *p, const analysis_chain *a);

/* ---- dealt_ranks.c ---------------------------------------------------------------------------
 *
 * The ranks that a program runs on: each has boxes of cells, most have one. In a box of ranks it is
 * one cell. Of another partition, the cells are the points of a grid; or as many points of it as
 * divide all cuts. On a coarse grid a box may have no points: it still lies somewhere, and copies
 * lie around it. */
typedef struct plan_ranks {
    plan_raster raster;
    int total;
    int rank;              /* this one */
    const grid_box *boxes; /* of cells, in the order of ranks */
    const int *first;      /* rank r has the boxes from first[r] to before first[r + 1] */
    const int *near;       /* those from which copies may come: also over edges and corners, over
                              sides that meet where they wrap, and maybe this one */
    int near_count;
} plan_ranks;

/* Lays ranks out, with boxes of a raster of so many cells, which the boxes cover. `boxes` and
 * `first` are copied; `first` NULL: a box each. False when memory is out. */
bool plan_ranks_lay_out(plan_ranks *ranks, arena *memory, const int cells[3], const grid_box *boxes,
                        const int *first, int total, int rank);
/* Whether some rank has not one box. */
static inline bool plan_ranks_have_lists(const plan_ranks *ranks)
{
    bool lists = false;
    for (int r = 0; r < ranks->total && !lists; r++) lists = ranks->first[r + 1] != r + 1;
    return lists;
}
/* A box of ranks: so many along each dimension, whose numbers count along x first. */
bool plan_ranks_box(plan_ranks *ranks, arena *memory, const int count[3], int rank);
/* The same ranks, of which another is this one. */
bool plan_ranks_seat(plan_ranks *ranks, arena *memory, int rank);

/* ---- dealt_traffic.c ------------------------------------------------------------------------- */

/* What a rank sends in exchanges. Exchanges that follow one another are one: each rank sends one
 * message to each other one that needs something of it. */
typedef struct plan_messages {
    int64_t exchanges, messages, bytes;
} plan_messages;
/* What this rank sends by a plan, predicted. All 0 when memory is out. */
plan_messages plan_find_messages(const plan_dealt *p, const analysis_chain *a,
                                 const plan_ranks *ranks);

/* ---- dealt_boxes.c ----------------------------------------------------------------------------
 */

/* The indices of a field whose values are those of a rank's box. Boxes at the sides of a grid have
 * its faces and ghosts, too. */
grid_box plan_own_box(const chain_slot *slot, const plan_ranks *ranks, int box);
/* Whether indices beyond the sides of a dimension may be copies of those a period away: ghosts and
 * last faces are values of their own. */
static inline bool plan_may_wrap(const chain_slot *slot, int d)
{
    return !slot->ghosts[d] && !slot->staggered[d] && !slot->absent_axis[d];
}
/* The indices up to a margin around a box of a rank's own of a field, along dimensions that are
 * cut; beyond the grid only at sides that wrap. */
grid_box plan_around(const chain_slot *slot, const plan_ranks *ranks, const grid_box *own,
                     const plan_span margin[3], const bool wraps[3]);
/* The smallest box that holds these of all boxes of a rank. */
grid_box plan_held(const chain_slot *slot, const plan_ranks *ranks, int rank,
                   const plan_span margin[3], const bool wraps[3]);
/* Sets a region to the indices of them that are not a rank's own: disjoint boxes. False when memory
 * is out. */
bool plan_margins(const chain_slot *slot, const plan_ranks *ranks, int rank,
                  const plan_span margin[3], const bool wraps[3], grid_region *margins);
/* The points of a loop's box that a rank runs for a box of its own: that box, with both ends moved
 * by a span along dimensions that are cut. Beyond sides that wrap there are copies of the loop's
 * box: `image` says which, by how many periods it is moved along each dimension. May be empty. */
grid_box plan_own_points(const chain_loop *loop, const plan_ranks *ranks, int box,
                         const plan_span span[3], const int image[3]);
/* Sets a region to all points that this rank runs: disjoint boxes, so that none runs twice. False
 * when memory is out. */
bool plan_all_points(const chain_loop *loop, const plan_ranks *ranks, const plan_span span[3],
                     const bool wraps[3], grid_region *points);
/* Sets image number i, of PLAN_IMAGES; that in the middle is none. False where some dimension
 * along which it is moved does not wrap. */
enum { PLAN_IMAGES = 27, PLAN_NO_IMAGE = 13 };
bool plan_image(int i, const bool wraps[3], int image[3]);

/* ---- dealt_proof.c ---------------------------------------------------------------------------
 *
 * Each rank proves its own part of a plan; if all can, the plan is right. The proof knows nothing
 * of how the plan was found. It runs the steps over boxes, with the loop that wrote each box last
 * in the place of its values: in the whole grid, and in what the rank has. */

/* What is to be proven of a plan: homes are per slot of the chain, before and after it. */
typedef struct plan_dealt_claim {
    const plan_dealt *p;
    const analysis_chain *a;
    const plan_ranks *ranks;
    const plan_home *before, *after;
} plan_dealt_claim;

/* Whether a rank that has what homes promise before a chain, and gets the right values in
 * exchanges, finds for each read, within the memory that it has, the value that the chain loop by
 * loop gives; gives others right values; counts each point of reductions once; and has afterwards
 * what homes then promise. If not, adds the reason to `why`. Also false when memory is out. */
bool plan_dealt_verify(const plan_dealt_claim *claim, text *why);

#endif
