/* Reductions of the tiles of a section, which are combined together. */
#ifndef EXEC_DEVICE_TILE_SUMS_H
#define EXEC_DEVICE_TILE_SUMS_H

#include "exec/on_device.h"

enum { DEVICE_TILE_SUMS = 8 }; /* reductions of a loop, at most */

/* What a loop of a tile leaves of a reduction. */
typedef struct device_tile_left {
    int loop, turn, store; /* the number of the loop; which of its reductions it is */
    const ir_param *param;
    grid_box bricks;
    int cut;            /* see device_cut */
    int64_t from, to;   /* where its partials, and what they are combined to, begin */
    int64_t each, left; /* partials of a plane; planes */
} device_tile_left;

/* A section that has ended, whose results are still on the device. */
typedef struct device_tile_ended {
    int begin, end; /* its loops */
    size_t first, count;
    device_partials *results;
} device_tile_ended;

struct device_tile_sums {
    const stream_run *run; /* NULL: there is no section whose tiles are summed together */
    device_partials *partials[DEVICE_TILE_SUMS]; /* of the first reductions of loops, the second */
    device_partials *results;
    int64_t room, used; /* of each of the partials, in values */
    int64_t places;     /* for results of each */
    int64_t ends[DEVICE_TILE_SUMS];
    device_tile_left *all;                   /* of sections that have ended, and of this one */
    size_t first, count, capacity, combined; /* of this one; combined: those of tiles before */
    device_tile_ended *ended;
    size_t ended_count, ended_room;
    int64_t kept; /* bytes of their results */
};

/* ---- device_tile_sums.c ---------------------------------------------------------------------- */

/* Whether a loop has a part in this. */
static inline bool device_tile_reduces(const analysis_loop *l)
{
    return l->reduces && !l->loop->once;
}

/* What loops of a section need: values for each plane of a tile, and for all planes, of each of at
 * most so many reductions of a loop. */
typedef struct device_tile_need {
    int64_t each, planes;
    int most;
} device_tile_need;
void device_tile_sums_add(device_tile_need *need, const analysis_loop *l);
int64_t device_tile_sums_bytes(const device_tile_need *need, int64_t planes);

/* When a section begins: takes memory for its reductions, and sets run->later, if they are combined
 * together. False, with the status set, when memory is out. */
bool device_tile_sums_begin(stream_run *run);
/* Whether a loop that runs is one of such a section; then this gives a reduction of it memory, in
 * which its partials begin at number *at, instead of device_begin_reduction. */
bool device_tile_sums_has(const device_loop *l);
kata_status device_tile_sum(const device_loop *l, int store, const grid_box *bricks,
                            device_memory **memory, int64_t *at);
/* Behind the loops of a tile. */
kata_status device_tile_sums_combine(struct exec_device *d);
/* After a chain, which may have failed. */
void device_tile_sums_end(struct exec_device *d);
void device_tile_sums_free(struct exec_device *d);

/* ---- device_tile_results.c ------------------------------------------------------------------- */

/* Bytes that wait at most, beside a section's own. */
int64_t device_tile_sums_room(const struct exec_device *d);
/* Gives up the memory that a section has. */
void device_tile_sums_release(struct device_tile_sums *s);
/* When the section has ended: what its loops reduce into is set by device_tile_sums_settle, or at
 * once where it takes more room. */
kata_status device_tile_sums_leave(stream_run *run);
/* Sets what sections reduce into that have ended. */
kata_status device_tile_sums_settle(const stream_run *run);

#endif
