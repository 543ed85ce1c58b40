/* Cutting a loop's box into blocks.
 *
 * The second-level cache should hold what a block reads again: planes of fields that are read at
 * several z, rows of fields that are read at several y. That bounds its width and height. If
 * nothing is read again, or everything fits, a block has whole rows and planes, since long streams
 * are faster. A narrow or low block costs what its neighbours read again across its sides.
 *
 * Blocks that follow one another are neighbours along z: a thread walks up a column of blocks and
 * finds the planes it read last in its cache. */
#include "machine/machine.h"
#include "sweep/loop.h"

enum {
    UNIT = 64,                          /* points; cuts along x are at multiples of it */
    STREAM = 64,                        /* points that it costs to begin a row */
    BLOCKS_PER_THREAD = HOSTILE(4, 50), /* at least, so that no thread waits long for the last */
    SMALLEST_BLOCK = HOSTILE(4096, 5)   /* points; less is not worth a turn */
};

static int64_t clamp(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

static int64_t divided_up(int64_t x, int64_t by) { return (x + by - 1) / by; }

static int64_t rounded_up(int64_t x, int64_t unit) { return divided_up(x, unit) * unit; }

static int64_t rounded_down(int64_t x, int64_t unit)
{
    return (x >= 0 ? x : x - unit + 1) / unit * unit;
}

void sweep_reuse_add(sweep_reuse *reuse, const int32_t lo[3], const int32_t hi[3], int bytes)
{
    int64_t span[3];
    for (int d = 0; d < 3; d++) {
        span[d] = hi[d] - lo[d];
        if (span[d] > reuse->span[d]) reuse->span[d] = span[d];
    }
    reuse->planes += bytes * (span[2] + 1);
    reuse->rows += bytes * (span[1] + 1);
}

/* The most rows of a width such that all that is read again fits so many bytes; 0: not even one
 * row does. */
static int64_t rows_that_fit(const sweep_reuse *reuse, int64_t width, int64_t room)
{
    if (reuse->span[2] > 0)
        return clamp(room / (reuse->planes * width) - reuse->span[1], 0, INT64_MAX);
    return reuse->span[1] == 0 || reuse->rows * width <= room ? INT64_MAX : 0;
}

/* The time, relative to reading everything once. Rows beside a block are mostly found in the last
 * cache; each start of a row delays the prefetcher. */
static double cost(const sweep_reuse *reuse, const int64_t extent[3], int64_t width, int64_t height)
{
    const double side = 0.2;
    double sides = height < extent[1] ? side * (double)reuse->span[1] / (double)height : 0;
    double ends = width < extent[0] ? (double)(reuse->span[0] + STREAM) / (double)width : 0;
    return (1 + sides) * (1 + ends);
}

/* Uses half of the cache. Where blocks would be very low, it uses more and accepts that some lines
 * are evicted. */
static void choose_section(sweep_blocks *b, const sweep_reuse *reuse, const int64_t extent[3])
{
    static const double loss[3] = {1, 1.05, 1.15};
    const int64_t quarter = HOSTILE(machine_second_cache() / 4, 1024);
    double least = 0;
    for (int64_t width = extent[0];; width = rounded_up(width / 2, b->unit)) {
        for (int i = 0; i < 3; i++) {
            int64_t height = clamp(rows_that_fit(reuse, width, (2 + i) * quarter), 1, extent[1]);
            double found = loss[i] * cost(reuse, extent, width, height);
            if (least > 0 && found >= least) continue;
            least = found;
            b->size[0] = width;
            b->size[1] = height;
        }
        if (width <= b->unit) return;
    }
}

static int64_t count_blocks(sweep_blocks *b)
{
    b->total = 1;
    for (int d = 0; d < 3; d++) {
        int64_t first = b->box.lo[d];
        if (d == 0 && b->size[0] < b->box.hi[0] - first) first = rounded_down(first, b->unit);
        b->count[d] = divided_up(b->box.hi[d] - first, b->size[d]);
        b->total *= b->count[d];
    }
    return b->total;
}

/* The last dimension along which blocks can still be halved; -1: none. */
static int halved_dimension(const sweep_blocks *b, int uncut)
{
    int d = 2;
    while (d >= 0 && (uncut >> d & 1 || b->size[d] <= (d == 0 ? b->unit : 1))) d--;
    return d;
}

/* Halves blocks until each thread has some, along z first; small ones until each has one. */
static void share_out(sweep_blocks *b, int threads, int uncut)
{
    int64_t count, each = b->single ? 1 : BLOCKS_PER_THREAD;
    while ((count = count_blocks(b)) < threads * each) {
        int d = halved_dimension(b, uncut);
        bool small = b->size[0] * b->size[1] * b->size[2] < 2 * SMALLEST_BLOCK;
        if (d < 0 || (small && count >= threads)) return;
        b->size[d] = d == 0 ? rounded_up(b->size[0] / 2, b->unit) : divided_up(b->size[d], 2);
    }
}

/* Lowers blocks a little if threads then end together: it minimizes the work of the last one. */
static void even_out(sweep_blocks *b, const sweep_reuse *reuse, int threads, int uncut)
{
    enum { MORE = 4 };
    int64_t extent = b->box.hi[1] - b->box.lo[1], others = count_blocks(b) / b->count[1];
    int64_t first = b->count[1], least = 0;
    if (uncut >> 1 & 1) return;
    for (int64_t rows = first; rows <= first + (int64_t)MORE * threads && rows <= extent; rows++) {
        int64_t height = divided_up(extent, rows);
        int64_t time = divided_up(rows * others, threads) * (height + reuse->span[1]);
        if (least > 0 && time >= least) continue;
        least = time;
        b->size[1] = height;
    }
    count_blocks(b);
}

sweep_blocks sweep_blocks_make(const grid_box *box, const sweep_reuse *reuse, int threads,
                               bool single, int uncut)
{
    sweep_blocks b = {.box = *box, .single = single, .unit = reuse->reduces ? ABI_BRICK : UNIT};
    int64_t extent[3];
    for (int d = 0; d < 3; d++) b.size[d] = extent[d] = box->hi[d] - box->lo[d];
    choose_section(&b, reuse, extent);
    for (int d = 0; d < 3; d++)
        if (uncut >> d & 1) b.size[d] = extent[d];
    share_out(&b, threads, uncut);
    even_out(&b, reuse, threads, uncut);
    return b;
}

void sweep_blocks_move(sweep_blocks *blocks, const grid_box *box)
{
    blocks->box = *box;
    count_blocks(blocks);
}

grid_box sweep_block_box(const sweep_blocks *blocks, int64_t i)
{
    int64_t at[3];
    at[2] = i % blocks->count[2];
    at[1] = i / blocks->count[2] % blocks->count[1];
    at[0] = i / blocks->count[2] / blocks->count[1];
    grid_box block;
    for (int d = 0; d < 3; d++) {
        int64_t origin = blocks->box.lo[d];
        if (d == 0 && blocks->count[0] > 1) origin = rounded_down(origin, blocks->unit);
        block.lo[d] = origin + at[d] * blocks->size[d];
        block.hi[d] = block.lo[d] + blocks->size[d];
    }
    return grid_box_intersect(&block, &blocks->box);
}
