/* analysis: the indices that loops touch, one by one and in chains. Facts, no messages. */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "chain/chain.h"

/* ---- footprint.c ----------------------------------------------------------------------------- */

/* Smallest box of offsets that holds all reads of one component of one field parameter. */
typedef struct analysis_reach {
    int param, component;
    int32_t lo[3], hi[3]; /* inclusive; lo <= 0 <= hi is not implied */
} analysis_reach;

/* Widens the box of offsets lo to hi to hold one more offset. */
void analysis_add_offset(const int32_t offset[3], int32_t lo[3], int32_t hi[3]);
/* Sets an entry of `out`, which has room for kernel->access_count, for every (param, component)
 * that a kernel reads, in order. Returns their number. */
int analysis_reaches(const ir_kernel *kernel, analysis_reach *out);
/* The box of indices that a field parameter touches at offsets lo .. hi (inclusive) from the points
 * of a box; empty if the box is. */
grid_box analysis_touched(const ir_param *param, const int32_t lo[3], const int32_t hi[3],
                          const grid_box *from);
/* The points of the box `from` whose offset into a field parameter leads into the box `into`. */
grid_box analysis_points_into(const ir_param *param, const int32_t offset[3], const grid_box *into,
                              const grid_box *from);
/* The points of a loop's box at which every read and write lands inside the grid. May be empty. */
grid_box analysis_interior(const chain_loop *loop);

/* ---- touch.c: the touches of a whole chain --------------------------------------------------- */

/* How far the indices lie that a point touches along a dimension, after boundary rules other than
 * periodic: from the point, or from the index that it has in a finer or coarser field. Of what a
 * copy reads: its shift; 0 along dimensions that it turns. `periodic`: it reaches over a periodic
 * side. */
typedef struct analysis_distance {
    int64_t lo, hi;
    bool periodic;
} analysis_distance;

/* How a read gets to a neighbour in a mesh: by which relation, and from there by which next. 0: it
 * does not. */
enum { ANALYSIS_MOST_HOPS = 4 };
typedef struct analysis_hops {
    int count;
    unsigned char from[ANALYSIS_MOST_HOPS], to[ANALYSIS_MOST_HOPS]; /* of grid_mesh.relation */
} analysis_hops;

/* A touch: points of a loop read, or write, a component of a slot at offsets from their own
 * indices. The box lo to hi (inclusive) holds the offsets. */
typedef struct analysis_touch {
    int slot, component, param; /* slot: its number in the chain */
    int loop;                   /* its number */
    bool scalar;                /* the slot is a scalar's */
    bool remapped; /* not point for point: the field is finer, coarser or lacks a dimension, its
                      values are copied from other indices, or read at indices known only at run
                      time */
    bool scaled;   /* the field is finer or coarser, and lacks no dimension */
    bool copied;   /* read by a copy */
    int level;     /* of a read at indices known only at run time: 1 + their dimension, or else 0 */
    analysis_hops hops; /* of such a read in a mesh */
    bool writes;
    bool partial; /* of a write: some of the old values remain */
    grid_box at;  /* holds the points */
    int32_t lo[3], hi[3];
    analysis_distance far[3]; /* of a field: analysis_find_distances */
} analysis_touch;

typedef struct analysis_loop {
    const chain_loop *loop;
    analysis_touch *touches; /* of fields and scalars */
    int touch_count;
    bool reduces; /* into scalars */
    bool gathers; /* into fields: all its points run at once, and the fields change behind them */
    bool checks;  /* may stop the chain */
    bool columns; /* levels run in order along kernel->ordered, and need their own column only */
    bool uncuttable; /* the loop cannot be cut: levels run in order and need other columns, or hand
                        values on in a field without levels; or it is a copy, or it gathers */
} analysis_loop;

typedef struct analysis_chain {
    chain_slot **slots;
    const analysis_touch ***touches; /* per slot: those of it, by loops in order; NULL at the end */
    bool *dead;                      /* per slot: nobody reads its value after the chain */
    bool *ends;                      /* of a part of a chain: later loops need nothing of it */
    analysis_loop *loops;
    int slot_count, loop_count;
    bool hides; /* boundary rules hide ghosts of some field from some loop */
    arena memory;
} analysis_chain;

/* Of a part of a chain, what later loops of the chain read is not dead, as far as they are known.
 * False when memory is out. Valid as long as the chain's loops; to be freed in any case. */
bool analysis_chain_make(const chain *c, analysis_chain *out);
void analysis_chain_free(analysis_chain *a);
/* Makes it the analysis of another chain with equal loops (by their hashes) in equal order. */
void analysis_chain_adopt(const chain *c, analysis_chain *a);

/* ---- resolved_box.c: the indices that touches reach, by boundary rules ------------------------
 */

/* The smallest box that holds the indices at which values are found when the points of a box touch
 * a field parameter at an offset, after boundary rules. */
grid_box analysis_resolved_box(const chain_loop *loop, int param, const int32_t offset[3],
                               const grid_box *from);

enum { ANALYSIS_RESOLVED_BOXES = 27 };

/* The indices that a box of points of a loop touches, as boxes, after boundary rules; without the
 * indices that rules make constant. Along dimensions that wrap, indices beyond a periodic side stay
 * as they are. All are moved by `shift`. Returns the number of boxes. */
int analysis_resolved_boxes(const analysis_loop *l, const analysis_touch *t, const grid_box *points,
                            const bool wraps[3], const int64_t shift[3],
                            grid_box out[ANALYSIS_RESOLVED_BOXES]);
/* Sets the distances of a touch of a field, by its offsets. */
void analysis_find_distances(const analysis_loop *l, analysis_touch *t);

/* ---- periodic.c ------------------------------------------------------------------------------ */

/* Whether some field of a loop has periodic sides along a dimension. */
bool analysis_is_periodic(const analysis_loop *l, int dimension);
/* Whether a loop may run beyond periodic sides: there, too, points find what they find a period
 * away. */
bool analysis_may_wrap(const analysis_loop *l, int dimension);

/* ---- lifetime.c: where values come from, and who needs them -----------------------------------
 */

/* Consecutive loops of a chain, first .. end - 1. */
typedef struct analysis_section {
    const analysis_chain *a;
    int first, end;
} analysis_section;

/* How a section uses a field. */
typedef struct analysis_use {
    bool touched, written;
    bool remapped; /* by some touch */
    int loops;     /* that touch it */
    int last;      /* the last of them, counted from 1; 0: none */
} analysis_use;

analysis_use analysis_use_of(const analysis_section *s, int slot); /* a scalar has none */
/* The same for all slots of the chain at once, into an array of them. */
void analysis_find_uses(const analysis_section *s, analysis_use *uses);
/* Whether a section reads values that a slot had before it. */
bool analysis_takes(const analysis_section *s, int slot);
/* Whether it writes a field, and later loops or the program may read the result. */
bool analysis_leaves(const analysis_section *s, int slot);
/* Whether loop number `end`, a later one or the program may read the value of a slot before it. */
bool analysis_lasts(const analysis_chain *a, int end, int slot);

/* ---- passing.c ------------------------------------------------------------------------------- */

/* Whether a section makes the values of a field and uses them up: it reads none that the field had
 * before, and nobody needs afterwards what it writes. False also when memory is out. */
bool analysis_passes(const analysis_section *s, int slot);
/* Whether nobody needs afterwards what a section writes to a field. */
bool analysis_ends(const analysis_section *s, int slot);
/* A box of indices of a field, in all of its components, that a section writes before it reads any
 * of them, whatever they were; a large one, empty where there is none. */
grid_box analysis_made(const analysis_section *s, int slot);

/* ---- scale.c: grids that are related by ratios ------------------------------------------------
 *
 * Loops on several grids are compared in points of a finest one, whose sizes all others divide. A
 * point of a grid lies where the first point lies that the finest grid has in it. */

/* How many points of the finest grid lie in a point of a loop, along a dimension. */
static inline int64_t analysis_scale(const int64_t finest[3], const chain_loop *loop, int d)
{
    return finest[d] / loop->shape.size[d];
}
/* The first point of a loop that lies at a point of the finest grid, or behind it. */
static inline int64_t analysis_coarse(int64_t fine, int64_t scale)
{
    return scale == 1 ? fine : -floor_divide(-fine, scale);
}
/* Sets the sizes of the finest grid on which a loop runs, or writes a field, or touches one that is
 * `written`. False where not all of these grids divide it. */
bool analysis_find_finest(const analysis_loop *l, const bool *written, int64_t finest[3]);

/* ---- lag.c, extent.c: how loops that run side by side keep together --------------------------
 *
 * Tables have an entry per dimension and per loop of a section, from its first on, or per slot.
 * Remapped touches do not count. */

/* Two ends along a dimension. Of extents and needs around a point, both are included. */
typedef struct analysis_span {
    int64_t lo, hi;
} analysis_span;
#define ANALYSIS_NONE ((analysis_span){INT64_C(1) << 48, -(INT64_C(1) << 48)}) /* of no index */

static inline void analysis_widen(analysis_span *s, int64_t lo, int64_t hi)
{
    s->lo = smaller(s->lo, lo);
    s->hi = larger(s->hi, hi);
}

/* Widens lags. hi: how far each loop has to run behind the first in ascending order, so that
 * earlier loops have touched all indices that it touches; lo: minus the same in descending order.
 * `finest`: the sizes of a finest grid, in whose points lags then count; touches of finer and
 * coarser fields count, too. NULL: all loops run on one grid. False when memory is out. */
bool analysis_find_lags(const analysis_section *s, const int64_t *finest, analysis_span (*lags)[3]);
/* Goes over the loops from last to first. Widens extents: how far around the wanted points each
 * loop must be computed to give the outputs that are needed. Widens needs: how far around the
 * wanted points the inputs of these loops are then read. */
void analysis_find_extents(const analysis_section *s, analysis_span (*needs)[3],
                           analysis_span (*extents)[3]);
/* Whether a section needs the old values of a field around a point, and leaves new values of the
 * field to others. Then overlapping pieces cannot be computed one after another: one would read
 * what another has overwritten. */
bool analysis_is_hazard(const analysis_section *s, int slot, analysis_span need);

/* ---- order.c --------------------------------------------------------------------------------- */

/* The level that follows a bound. Its parameter must be given as a number. */
int64_t analysis_bound_value(const chain_loop *loop, const ir_bound *bound);
/* The levels lo <= z < hi of the grid that lie in an interval. */
analysis_span analysis_levels(const chain_loop *loop, const ir_interval *interval);
/* Whether no needed read leaves the grid along the ordered dimension. */
bool analysis_stays_on_levels(const chain_loop *loop);
/* Whether the levels of a loop run in order and its columns are independent: no needed read leaves
 * a column's levels, and none finds values that another column writes. Then each column may run
 * through all levels by itself. */
bool analysis_has_columns(const chain_loop *loop);

/* ---- guard.c --------------------------------------------------------------------------------- */

/* For each access of a loop's kernel, and then for each level read, a box that holds all points at
 * which the read is needed: in `ix > 0 ? u[-1,0] : u`, all points except the first column. Empty if
 * there is no such point. NULL when memory is out. */
grid_box *analysis_needs(const chain_loop *loop, arena *memory);
/* A box that holds all points of the loop at which a store happens. */
grid_box analysis_written(const chain_loop *loop, const ir_store *store);

/* ---- written.c ------------------------------------------------------------------------------- */

/* Whether a loop writes every value of a field, whatever it was before. */
bool analysis_writes_all(const chain_loop *loop, int param);
/* Whether it writes all components of a field wherever it writes one, whatever they were before. */
bool analysis_writes_whole(const chain_loop *loop, int param);
/* The indices at which such a loop surely writes. */
grid_box analysis_surely_written(const chain_loop *loop, int param);

#endif
