/* Sizes of tiles for a cache. The fields of a tile should fill the bytes that are asked for, and
 * there should be tiles for all threads. Rows stay whole where that leaves enough of them in a
 * tile, because long rows are fast.
 *
 * A section is as deep as a tile is wide, counted in the indices by which a loop lags behind the
 * one before. Then half of what a tile touches is new to it; deeper ones touch more of the indices
 * around the tile than in it. `depth` asks for another one.
 *
 * Skewed tiles that are cut along two dimensions at least run as a wave. Otherwise, there are
 * diamonds along one dimension: all of them run at once.
 *
 * Fields that fit the caches of all threads need no tiles to stay there. Then threads should seldom
 * wait for one another: each gets one diamond, as deep as it is wide. Loops on coarser grids would
 * make it shallower, and run by themselves. */
#include "plan/measures.h"

#include <math.h>
#include <string.h>

enum {
    UNIT = HOSTILE(64, 2),        /* points; cuts along x are at multiples of it */
    FEWEST_ROWS = HOSTILE(64, 4), /* of a tile with whole rows */
    NARROWEST = HOSTILE(128, 3),  /* points along x */
    WIDEST = 1024,                /* where the grid has two dimensions */
    DEEPEST = 64,                 /* loops */
    SMALLEST_SHARE = 64,          /* of the cache, of fields that several threads are worth */
    FEWEST_LOOPS = HOSTILE(6, 2), /* of tiles in caches, after which threads meet */
    TILES_PER_THREAD = 4,
    FEW_PLANES =
        HOSTILE(8, 2) /* a tile may have so many even where threads then have fewer tiles */
};

static int64_t clamp(int64_t x, int64_t low, int64_t high)
{
    return x > high ? high : x < low ? low : x;
}

/* The width of tiles, of which so many points fit the cache. */
static int64_t width_of(const plan_measures *m, int64_t points)
{
    int64_t whole = m->extent[0], most = m->extent[2] > 1 ? points / FEWEST_ROWS : WIDEST;
    if (!m->free[0] || (whole <= most && m->extent[2] > 1)) return whole;
    int64_t few = whole / TILES_PER_THREAD; /* so that the tiles of a row are several */
    int64_t width = m->extent[2] > 1 ? most : smaller(most, few);
    return clamp(width / UNIT * UNIT, NARROWEST, larger(whole, NARROWEST));
}

/* How many loops are tiled together. Around a period the first tile shrinks at both ends. */
static int64_t depth_of(const plan_measures *m, const int64_t tile[3], double share)
{
    double depth = DEEPEST;
    for (int d = 0; d < 3; d++) {
        double part = m->around[d] ? fmin(share, 0.5) : share;
        if (tile[d] && m->growth[d] > 0) depth = fmin(depth, part * (double)tile[d] / m->growth[d]);
    }
    return (int64_t)depth;
}

/* The most indices of a tile along the dimension whose tiles are shared out to threads. */
static int64_t most_of(const plan_measures *m, int d, int64_t threads)
{
    if (plan_leans(m, d)) return larger(m->thick[d] / threads, 1);
    return larger(m->extent[d] / (TILES_PER_THREAD * threads), smaller(m->extent[d], FEW_PLANES));
}

/* Lowers tiles so that each thread gets equally many rows of them. */
static void even_out(const plan_measures *m, int64_t threads, plan_request *out)
{
    int d = out->tile[2] ? 2 : 1;
    int64_t lag = m->around[d] ? 0 : (int64_t)(m->growth[d] * (double)(out->depth - 1));
    int64_t length = plan_leans(m, d) ? m->thick[d] : m->extent[d] + lag;
    int64_t rows = (length + out->tile[d] - 1) / out->tile[d];
    rows = (rows + threads - 1) / threads * threads;
    out->tile[d] = (length + rows - 1) / rows;
}

/* Sizes for a wave; false: there are no two dimensions to be cut. */
static bool size_wave(const plan_measures *m, int64_t points, int64_t threads, plan_request *out)
{
    int64_t width = width_of(m, points), rows = larger(points / width, 1), *tile = out->tile;
    bool cut_x = m->free[0] && width < m->extent[0];
    if (m->free[2] && m->free[1]) {
        tile[2] = clamp((int64_t)sqrt((double)rows), 1, most_of(m, 2, threads));
        tile[1] = clamp(rows / tile[2], 1, larger(m->extent[1] / TILES_PER_THREAD, 1));
    } else if ((m->free[2] || m->free[1]) && cut_x) {
        int d = m->free[2] ? 2 : 1;
        int64_t others = m->extent[3 - d];
        tile[d] = clamp(rows / others, 1, most_of(m, d, threads));
    } else {
        return false;
    }
    if (cut_x) tile[0] = width;
    if (!out->depth) out->depth = larger(depth_of(m, tile, 1), 2);
    even_out(m, threads, out);
    return true;
}

/* Sizes for diamonds along the slowest dimension that can be cut; false: there is none, or tiles
 * would have to be larger. */
static bool size_diamonds(const plan_measures *m, int64_t points, int64_t threads,
                          plan_request *out)
{
    int d = m->free[2] && !m->around[2] ? 2 : m->free[1] && !m->around[1] ? 1 : 0;
    int64_t others = 1;
    for (int i = 0; i < 3; i++)
        if (i != d) others *= larger(m->extent[i], 1);
    if (!m->free[d] || m->around[d]) return false;
    out->tile[d] =
        clamp(points / others, 1, larger(m->extent[d] / (TILES_PER_THREAD * threads), 1));
    int64_t deepest = depth_of(m, out->tile, 0.5);
    out->depth = out->depth ? smaller(out->depth, deepest) : deepest;
    return out->depth >= 2;
}

/* The least size of at most so many tiles. They begin at multiples of it. */
static int64_t size_of_few(const plan_measures *m, int d, int64_t tiles)
{
    int64_t lo = m->hull.lo[d], hi = m->hull.hi[d], size = (hi - lo + tiles - 1) / tiles;
    while (floor_divide(hi - 1, size) - floor_divide(lo, size) >= tiles) size++;
    return size;
}

/* Diamonds for fields that fit the caches: one for each thread, or fewer and larger ones, so that
 * threads seldom meet. False: they would not be deep. */
static bool size_few_diamonds(const plan_measures *m, int64_t threads, plan_request *out)
{
    int d = 2;
    while (d >= 0 && (!m->free[d] || m->around[d])) d--;
    for (int64_t tiles = threads; d >= 0 && tiles > 1; tiles /= 2) {
        out->tile[d] = size_of_few(m, d, tiles);
        int64_t deepest = depth_of(m, out->tile, 0.5);
        if (deepest < smaller(FEWEST_LOOPS, m->loops)) continue;
        out->depth = out->depth ? smaller(out->depth, deepest) : deepest;
        return out->depth >= 2;
    }
    return false;
}

/* Why a group has no tiles: dimensions of the grid that cannot be cut, or sizes. */
static void say_why(const plan_group *g, const plan_measures *m, text *why)
{
    bool any = false;
    for (int d = 0; d < 3; d++) {
        if ((m->free[d] && !m->around[d]) || m->extent[d] <= 1) continue;
        const char *reason = g->fixed[d]            ? g->fixed[d]
                             : m->reduces && d == 0 ? "sums go over whole rows"
                                                    : "values are read over its periodic sides";
        text_add(why, "%snot along %c: %s", any ? "; " : "", 'x' + d, reason);
        any = true;
    }
    if (!any) text_add(why, "no tiles suit the cache");
}

/* The method that suits a group, with sizes; NULL: none, and says why. */
static const plan_method *choose(plan_group *g, const plan_request *r, plan_request *out, text *why)
{
    plan none = {0};
    plan_measures m = plan_measure(g, &none);
    int64_t threads = larger(r->threads, 1);
    int64_t points = larger(r->cache / m.bytes, 1), all = 1;
    for (int d = 0; d < 3; d++) all *= larger(m.extent[d], 1);
    bool fits = all / threads <= points;
    bool few = fits && all > points / SMALLEST_SHARE && !g->finest[0]; /* diamonds, one a thread */
    *out = (plan_request){.depth = r->depth};
    if (none.failed) why->failed = true;
    if (m.loops < 2)
        text_add(why, "%s",
                 g->part.a->loops[g->part.first].checks ? "a loop with checks runs alone"
                                                        : "one loop needs no tiles");
    else if (!fits && size_wave(&m, points, threads, out))
        return &plan_skewed;
    else if (few ? size_few_diamonds(&m, threads, out)
                 : !fits && size_diamonds(&m, points, threads, out))
        return &plan_diamond;
    else if (fits)
        text_add(why, "the fields fit the cache");
    else
        say_why(g, &m, why);
    return NULL;
}

static bool tiled_applicable(plan_group *g, const plan_request *r, text *why)
{
    if (!r->cache) text_add(why, "it is given no size of a cache, such as cache=1048576");
    g->sized_by = r->cache ? choose(g, r, &g->sized, why) : NULL;
    return g->sized_by && g->sized_by->applicable(g, &g->sized, why);
}

/* As the sizes say that were found when the method was asked whether it suits. */
static void make_tiled(plan_group *g, const plan_request *r, plan *p, int parent)
{
    g->sized.below = r->below;
    g->sized_by->make(g, &g->sized, p, parent);
}

const plan_method plan_tiled = {"tiled",
                                true,
                                true,
                                PLAN_TAKES_CACHE | PLAN_TAKES_THREADS | PLAN_TAKES_DEPTH |
                                    PLAN_TAKES_TILES | PLAN_IN_TILES,
                                tiled_applicable,
                                make_tiled};
