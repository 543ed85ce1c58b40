/* Cutting a loop's box into blocks.
 *
 * Whole rows where they are not too long, for their loads and stores stream best. Along z only a
 * few planes: blocks that follow one another are neighbours along z, so that a thread walks up a
 * column of blocks and finds the planes it read last in its cache. */
#include "exec/exec.h"

enum {
    BLOCK_BYTES =
        HOSTILE(1 << 20, 512),         /* touched by a block, about half of a second-level cache */
    BLOCKS_PER_THREAD = 4,             /* at least, so that no thread waits long for the last */
    SMALLEST_BLOCK = HOSTILE(4096, 5), /* points; less is not worth a turn */
    BLOCK_PLANES = 4
};

static int64_t clamp(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

static int64_t whole_bricks(int64_t x) { return (x + EXEC_BRICK - 1) / EXEC_BRICK * EXEC_BRICK; }

cpu_blocks cpu_blocks_make(const grid_box *box, int64_t bytes_per_point, int threads)
{
    cpu_blocks b = {.box = *box};
    int64_t extent[3];
    for (int d = 0; d < 3; d++) extent[d] = box->hi[d] - box->lo[d];
    int64_t share = grid_box_points(box) / ((int64_t)threads * BLOCKS_PER_THREAD);
    int64_t most = clamp(BLOCK_BYTES / clamp(bytes_per_point, 1, BLOCK_BYTES), 1, INT64_MAX);
    int64_t points = most < SMALLEST_BLOCK ? most : clamp(share, SMALLEST_BLOCK, most);
    b.size[0] = extent[0] <= points ? extent[0] : whole_bricks(points);
    int64_t rows = clamp(points / b.size[0], 1, extent[1] * extent[2]);
    b.size[2] = clamp(rows, 1, clamp(BLOCK_PLANES, 1, extent[2]));
    b.size[1] = clamp(rows / b.size[2], 1, extent[1]);
    if (b.size[1] == extent[1]) b.size[2] = clamp(rows / b.size[1], 1, extent[2]);
    if (b.size[0] < extent[0]) b.box.lo[0] = exec_brick(box->lo[0]) * EXEC_BRICK;
    b.total = 1;
    for (int d = 0; d < 3; d++) {
        b.count[d] = (b.box.hi[d] - b.box.lo[d] + b.size[d] - 1) / b.size[d];
        b.total *= b.count[d];
    }
    if (b.size[0] < extent[0]) b.box.lo[0] = box->lo[0];
    return b;
}

grid_box cpu_block_box(const cpu_blocks *blocks, int64_t i)
{
    int64_t at[3];
    at[2] = i % blocks->count[2];
    at[1] = i / blocks->count[2] % blocks->count[1];
    at[0] = i / blocks->count[2] / blocks->count[1];
    grid_box block;
    for (int d = 0; d < 3; d++) {
        int64_t origin = blocks->box.lo[d];
        if (d == 0 && blocks->count[0] > 1) origin = exec_brick(origin) * EXEC_BRICK;
        block.lo[d] = origin + at[d] * blocks->size[d];
        block.hi[d] = block.lo[d] + blocks->size[d];
    }
    return grid_box_intersect(&block, &blocks->box);
}
