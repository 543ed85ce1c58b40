/* Tiles that all threads run together, loop by loop, for a cache that they share: the last one,
 * where it is much larger than those of each core. Tiles of one thread each would have to share it,
 * and be smaller and shallower.
 *
 * The grid is cut along its slowest dimension only; in a tile of planes, along the next one. Rows
 * stay whole; so loops that sum up take part. A loop lags behind the one before, and a tile touches
 * as many rows more as the last loop lags behind the first; of these the later loops touch ever
 * fewer fields, so that half of them count. If the cache holds as many rows, all loops of the group
 * are in one section; otherwise a section is as deep as its tiles are wide. */
#include "plan/measures.h"

#include <math.h>

/* Sizes for the cache; false: tiles would not be worth it. */
static bool size(const plan_measures *m, const plan_request *r, plan_request *out)
{
    int d = m->free[2] && !m->around[2] && !plan_leans(m, 2) ? 2 : 1;
    int64_t others = 1;
    for (int i = 0; i < 3; i++)
        if (i != d) others *= larger(plan_leans(m, i) ? m->thick[i] : m->extent[i], 1);
    int64_t rows = r->cache / m->bytes / others;
    double lag = m->growth[d] * (double)(m->loops - 1);
    bool whole = lag <= (double)rows;
    if (!m->free[d] || m->around[d] || m->loops < 2 || rows < 2 || rows >= m->extent[d])
        return false;
    *out = (plan_request){.depth = r->depth};
    out->tile[d] = whole && !r->depth ? rows - (int64_t)(lag / 2) : rows / 2;
    if (!whole && !r->depth) out->depth = (int64_t)fmin((double)out->tile[d] / m->growth[d], 1e6);
    return whole || out->depth >= 2;
}

static bool shared_applicable(plan_group *g, const plan_request *r, text *why)
{
    plan none = {0};
    g->sized_by = NULL;
    if (!r->cache) {
        text_add(why, "it is given no size of a cache, such as cache=33554432");
        return false;
    }
    plan_measures m = plan_measure(g, &none);
    why->failed = why->failed || none.failed;
    if (size(&m, r, &g->sized)) return plan_skewed.applicable(g, &g->sized, why);
    text_add(why, "no tiles of whole rows suit the cache");
    return false;
}

static void make_shared(plan_group *g, const plan_request *r, plan *p, int parent)
{
    g->sized.below = r->below;
    plan_skewed.make(g, &g->sized, p, parent);
}

const plan_method plan_shared = {"shared",
                                 true,
                                 true,
                                 PLAN_TAKES_CACHE | PLAN_TAKES_DEPTH | PLAN_TAKES_TILES |
                                     PLAN_IN_TILES,
                                 shared_applicable,
                                 make_shared};
