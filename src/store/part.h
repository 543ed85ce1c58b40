/* Fields that are dealt out to several ranks: each has the values of some indices, and copies of
 * values that its neighbours have. */
#ifndef STORE_PART_H
#define STORE_PART_H

#include "plan/dealt.h"
#include "store/store.h"

/* The ranks that a program runs on: a box of them, which cuts all grids alike. Their numbers count
 * along x first. */
typedef struct store_ranks {
    int count[3];
    int rank; /* this one */
} store_ranks;

/* What a rank has of a field. */
typedef struct store_part {
    chain_slot slot; /* for loops that run on this rank: like the field's, with an array of `held`.
                        Along dimensions that are cut it has ghosts: no rule applies at indices
                        beyond a periodic side */
    grid_box own;    /* indices whose values are this rank's; may be empty */
    grid_box held;   /* indices that there is memory for */
    plan_home home;  /* how far around `own` it has the values of other ranks */
} store_part;

int store_ranks_total(const store_ranks *ranks);
/* The indices of a field whose values are a rank's. The first and the last rank along a dimension
 * have its faces and ghosts, too. */
grid_box store_own_box(const chain_slot *slot, const store_ranks *ranks, int rank);
/* Whether indices beyond the sides of a dimension may be copies of those a period away: ghosts and
 * last faces are values of their own. */
static inline bool store_may_wrap(const chain_slot *slot, int d)
{
    return !slot->ghosts[d] && !slot->staggered[d] && !slot->absent_axis[d];
}
/* The indices up to a margin around a rank's own of a field, along dimensions that are cut; beyond
 * the grid only at sides that wrap. */
grid_box store_around(const chain_slot *slot, const store_ranks *ranks, const grid_box *own,
                      const plan_span margin[3], const bool wraps[3]);
/* Gives a slot a part, or one with more memory: `margin` indices beyond its own along dimensions
 * that are cut, also beyond the grid's sides where these wrap. Values come from the part before,
 * or, of a slot with none, from its array, which is freed; beyond sides that wrap, from indices a
 * period away. False when memory is out. */
bool store_part_fit(chain_slot *slot, const store_ranks *ranks, const int64_t margin[3],
                    const bool wraps[3]);
/* Copies all values of a part's own indices into the slot's array, which must be there. */
void store_part_copy_own(const chain_slot *slot);
/* Whether that would change nothing. */
bool store_part_fits(const chain_slot *slot, const store_ranks *ranks, const int64_t margin[3],
                     const bool wraps[3]);
void store_part_free(chain_slot *slot);
/* The points of a loop's box that a rank runs: its own, with both ends moved by a span along
 * dimensions that are cut. Beyond sides that wrap there are copies of the box: `image` says which,
 * by how many periods it is moved along each dimension. May be empty. */
grid_box store_own_points(const chain_loop *loop, const store_ranks *ranks, const plan_span span[3],
                          const int image[3]);

/* Copies a box between an array and memory without gaps, row by row, in the order x, y, z,
 * component. Returns the bytes. */
size_t store_box_bytes(const store_array *a, const grid_box *box);
void store_pack(const store_array *a, const grid_box *box, void *to);
void store_unpack(store_array *a, const grid_box *box, const void *from);

#endif
