/* analysis: what loops touch, one by one and in chains. Facts, no messages. */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "chain/chain.h"

/* ---- footprint.c ----------------------------------------------------------------------------- */

/* Smallest box of offsets that holds all reads of one component of one field parameter. */
typedef struct analysis_reach {
    int param, component;
    int32_t lo[3], hi[3]; /* inclusive; lo <= 0 <= hi is not implied */
} analysis_reach;

/* Widens the box of offsets lo to hi to hold another. */
void analysis_add_offset(const int32_t offset[3], int32_t lo[3], int32_t hi[3]);
/* Sets an entry of `out` for every (param, component) that a kernel reads, in order; returns their
 * number. There is room for kernel->access_count entries. */
int analysis_reaches(const ir_kernel *kernel, analysis_reach *out);
/* The box of indices that a field parameter touches at offsets lo .. hi (inclusive) from the points
 * of a box; empty when that is. */
grid_box analysis_touched(const ir_param *param, const int32_t lo[3], const int32_t hi[3],
                          const grid_box *from);
/* The points of a box from which a field parameter, at an offset, touches indices of another. */
grid_box analysis_points_into(const ir_param *param, const int32_t offset[3], const grid_box *into,
                              const grid_box *from);
/* The points of a loop's box at which every read and write lands inside the grid. May be empty. */
grid_box analysis_interior(const chain_loop *loop);

/* ---- touch.c: what a whole chain touches ----------------------------------------------------- */

/* What points of a loop do to a component of a slot: they read, or write, the indices at offsets lo
 * to hi (inclusive; a box that holds them) from their own. */
typedef struct analysis_touch {
    int slot, component, param; /* slot: its number in the chain */
    bool scalar;                /* the slot is a scalar's */
    bool remapped; /* not point for point: a field that is finer, coarser or lacks a dimension */
    bool writes;
    bool partial; /* of a write: some of the old values show through */
    grid_box at;  /* holds the points that do it */
    int32_t lo[3], hi[3];
} analysis_touch;

typedef struct analysis_loop {
    const chain_loop *loop;
    analysis_touch *touches; /* of fields and scalars */
    int touch_count;
    bool reduces;    /* into scalars */
    bool checks;     /* may stop the chain */
    bool columns;    /* levels run in order along kernel->ordered, and need their own column only */
    bool uncuttable; /* they need others: the loop cannot be cut */
} analysis_loop;

typedef struct analysis_chain {
    chain_slot **slots;
    bool *dead; /* per slot: nobody reads its value after the chain */
    analysis_loop *loops;
    int slot_count, loop_count;
    arena memory;
} analysis_chain;

/* False when memory is out. Lives as long as the chain's loops; to be freed in any case. */
bool analysis_chain_make(const chain *c, analysis_chain *out);
void analysis_chain_free(analysis_chain *a);
/* Makes it that of another chain, of equal loops (by their hashes) in equal order. */
void analysis_chain_adopt(const chain *c, analysis_chain *a);

/* ---- resolved_box.c: where touches end
 * ------------------------------------------------------------ */

/* The smallest box of indices at which values are found when a field parameter is touched at an
 * offset from the points of a box, boundary rules applied. */
grid_box analysis_resolved_box(const chain_loop *loop, int param, const int32_t offset[3],
                               const grid_box *from);

enum { ANALYSIS_RESOLVED_BOXES = 27 };

/* The indices that a box of points of a loop touches, as boxes, after the boundary rules; what they
 * make constant is left out. Along dimensions that wrap, indices beyond a periodic side stay as
 * they are. All are moved by `shift`. Returns the number of boxes. */
int analysis_resolved_boxes(const analysis_loop *l, const analysis_touch *t, const grid_box *points,
                            const bool wraps[3], const int64_t shift[3],
                            grid_box out[ANALYSIS_RESOLVED_BOXES]);
/* How far from a point what it touches lies along a dimension, boundary rules other than periodic
 * included; *periodic: whether it reaches over a periodic side. */
typedef struct analysis_distance {
    int64_t lo, hi;
    bool periodic;
} analysis_distance;
analysis_distance analysis_distance_of(const analysis_loop *l, const analysis_touch *t, int d);

/* ---- lifetime.c: where values come from, and who needs them ---------------------------------- */

/* Loops of a chain that follow one another, first .. end - 1. */
typedef struct analysis_section {
    const analysis_chain *a;
    int first, end;
} analysis_section;

/* What a section does to a field. */
typedef struct analysis_use {
    bool touched, written;
    bool remapped; /* some touch of it is */
} analysis_use;

analysis_use analysis_use_of(const analysis_section *s, int slot); /* of a scalar: nothing */
/* Whether a section finds values of a slot that were there before. */
bool analysis_takes(const analysis_section *s, int slot);
/* Whether it writes a field, and somebody may read what it leaves there. */
bool analysis_leaves(const analysis_section *s, int slot);
/* Whether somebody may read the value that a slot has before loop number `end`. */
bool analysis_lasts(const analysis_chain *a, int end, int slot);

/* ---- lag.c, extent.c: how loops that run side by side keep together --------------------------
 *
 * Tables have an entry per loop of a section, from its first, or per slot, and dimension. Touches
 * that are remapped do not count. */

/* Two ends along a dimension; of what is needed around a point, both are included. */
typedef struct analysis_span {
    int64_t lo, hi;
} analysis_span;
#define ANALYSIS_NONE ((analysis_span){INT64_C(1) << 48, -(INT64_C(1) << 48)}) /* of no index */

static inline void analysis_widen(analysis_span *s, int64_t lo, int64_t hi)
{
    s->lo = smaller(s->lo, lo);
    s->hi = larger(s->hi, hi);
}

/* Widens lags: hi: by how much later than the first each loop has to run, so that in ascending
 * order all that it touches was touched before by loops before it; lo: minus the same in descending
 * order. False when memory is out. */
bool analysis_find_lags(const analysis_section *s, analysis_span (*lags)[3]);
/* Backwards over the loops: widens extents, on which, around the points asked for, each is to be
 * computed for what is needed of its outputs; and needs, of its inputs at each access. */
void analysis_find_extents(const analysis_section *s, analysis_span (*needs)[3],
                           analysis_span (*extents)[3]);
/* Whether a section changes, for others, a field that it also needs around a point as it was
 * before: computed in overlapping pieces, one would find what another has overwritten. */
bool analysis_is_hazard(const analysis_section *s, int slot, analysis_span need);

/* ---- order.c --------------------------------------------------------------------------------- */

/* The level a bound lies before. Its parameter must be given as a number. */
int64_t analysis_bound_value(const chain_loop *loop, const ir_bound *bound);
/* The levels lo <= z < hi of the grid that lie in an interval. */
analysis_span analysis_levels(const chain_loop *loop, const ir_interval *interval);
/* Whether no read that matters leaves the grid along the ordered dimension. */
bool analysis_stays_on_levels(const chain_loop *loop);
/* Whether the columns of a loop whose levels run in order are independent of one another, and no
 * read leaves them: then each may run through all levels by itself. */
bool analysis_has_columns(const chain_loop *loop);

/* ---- guard.c --------------------------------------------------------------------------------- */

/* For each access of a loop's kernel a box that holds all points of the loop at which it matters:
 * of `ix > 0 ? u[-1,0] : u`, those beyond the first column. Empty where none does. NULL when memory
 * is out. */
grid_box *analysis_needs(const chain_loop *loop, arena *memory);
/* A box that holds all points of the loop at which a store happens. */
grid_box analysis_written(const chain_loop *loop, const ir_store *store);

/* ---- written.c ------------------------------------------------------------------------------- */

/* Whether a loop writes every value of a field, whatever it was before. */
bool analysis_writes_all(const chain_loop *loop, int param);
/* Whether it writes all components of a field wherever it writes, whatever they were before. */
bool analysis_writes_whole(const chain_loop *loop, int param);
/* The indices at which such a loop surely writes. */
grid_box analysis_surely_written(const chain_loop *loop, int param);

#endif
