/* How a loop's box is cut into blocks (blocks.c). */
#ifndef SWEEP_BLOCKS_H
#define SWEEP_BLOCKS_H

#include "grid/grid.h"

/* What passes through the cache before a loop, which goes through its points row by row and plane
 * by plane, reads again what it has read or written. */
typedef struct sweep_reuse {
    int64_t planes, rows; /* bytes per point of planes, and of rows, of all components together */
    int64_t span[3];      /* how far apart in each dimension a component is touched, at most */
    bool reduces;         /* cuts along x must be at multiples of ABI_BRICK */
} sweep_reuse;

/* Adds a component that is touched at offsets lo to hi. */
void sweep_reuse_add(sweep_reuse *reuse, const int32_t lo[3], const int32_t hi[3], int bytes);

/* A box cut into blocks; neighbours along z follow one another. Cuts along x are at multiples of
 * `unit`. */
typedef struct sweep_blocks {
    grid_box box;
    int64_t size[3], count[3], total, unit;
    bool single; /* one for each thread, if caches hold them */
} sweep_blocks;

/* `uncut`: bit d: there are no cuts along dimension d. */
sweep_blocks sweep_blocks_make(const grid_box *box, const sweep_reuse *reuse, int threads,
                               bool single, int uncut);
/* Cuts a box of the same size in the same way. */
void sweep_blocks_move(sweep_blocks *blocks, const grid_box *box);
grid_box sweep_block_box(const sweep_blocks *blocks, int64_t i);

#endif
