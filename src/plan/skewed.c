/* Skewed tiles: each loop runs as far behind earlier loops as it touches indices ahead of itself.
 * In each dimension every point belongs to one tile, and all values that it needs lie in that tile
 * or an earlier one. So tiles run one after another, and no work is done twice. Dimensions nest.
 *
 * Diamonds: tiles that shrink from loop to loop at both ends need nothing from their neighbours.
 * Once they are done, the gaps between them need nothing from one another either.
 *
 * Around a periodic dimension, the first of the skewed tiles shrinks at its low end from loop to
 * loop, and the last one grows over the seam by as much. For diamonds, a periodic dimension is
 * wrapped in one block first. */
#include "plan/planner.h"

#include <string.h>

/* ---- sections -------------------------------------------------------------------------------- */

int64_t plan_section_count(const plan_group *g, const plan_request *r)
{
    int64_t loops = g->part.end - g->part.first;
    return r->depth ? (loops + r->depth - 1) / r->depth : 1;
}

analysis_section plan_section(const plan_group *g, int64_t count, int64_t i)
{
    int64_t loops = g->part.end - g->part.first;
    return (analysis_section){g->part.a, g->part.first + (int)(loops * i / count),
                              g->part.first + (int)(loops * (i + 1) / count)};
}

/* ---- skewed tiles ---------------------------------------------------------------------------- */

static bool skewed_applicable(plan_group *g, const plan_request *r, text *why)
{
    bool tiled = plan_group_slowest(g, r) >= 0;
    if (!tiled) plan_group_say_fixed(g, r->tile, 0, PLAN_NO_SIZE, why);
    return tiled;
}

static plan_span skewed_span(const void *group, const plan_node *leaf, int d)
{
    const plan_group *g = group;
    int64_t late = g->lags[leaf->loop - g->part.first][d].hi;
    return (plan_span){-late, -late};
}

/* The size of the outer tiles along a dimension; 0: it is not cut. Tiles around a period are wide
 * enough for both ends of the first one to move inwards, and more than one. */
static int64_t size_along(const plan_group *g, const plan_request *r, const analysis_section *part,
                          int d)
{
    int64_t least = 0, size = plan_group_tiles(g, r, d) ? r->tile[d] : 0;
    for (int l = part->first - g->part.first; l < part->end - g->part.first; l++)
        least = larger(least, g->lags[l][d].hi - g->lags[l][d].lo);
    if (size && g->period[d]) size = larger(size, least);
    return size >= g->period[d] && g->period[d] ? 0 : size;
}

/* The same for the ends of the first and the last tile: they lie so far inside the grid that no
 * loop of the first tile needs anything of the last one. */
static void set_seams(const plan_group *g, plan *p, int tile)
{
    plan_node *n = &p->nodes[tile];
    for (int i = tile; n->seam && !p->failed && i < p->count; i++) {
        const plan_node *leaf = &p->nodes[i];
        if (!plan_is_leaf(leaf)) continue;
        int64_t early = -g->lags[leaf->loop - g->part.first][n->dimension].lo;
        *plan_seam_of(n, leaf->leaf) = (plan_span){early, early};
    }
}

static void set_scales(const plan_group *g, plan *p, int node)
{
    for (int i = node; g->finest[0] && !p->failed && i < p->count; i++) {
        plan_node *leaf = &p->nodes[i];
        for (int d = 0; d < 3 && leaf->kind == PLAN_LOOP; d++)
            leaf->scale[d] = plan_group_scale(g, g->part.a->loops[leaf->loop].loop, d);
    }
}

/* Tiles of both levels around the loops, the slowest dimension outermost. Those of the first level
 * are a wave: a loop lags behind all that it needs in every dimension. In a window, later values
 * push out those of other tiles: these run in order. */
static void add_skewed_tiles(plan_group *g, const plan_request *r, const analysis_section *part,
                             plan *p, int parent)
{
    int made[6], count = 0;
    bool cut[3] = {g->cut[0], g->cut[1], g->cut[2]};
    for (int level = 0; level < 2; level++)
        for (int d = 2; d >= 0; d--) {
            int64_t size = size_along(g, r, part, d);
            bool seam = !level && g->period[d];
            plan_node tile = {.kind = PLAN_TILE,
                              .dimension = d,
                              .size = level ? r->inner[d] : size,
                              .wave = !level && !g->in_window,
                              .seam = seam};
            if (seam) tile.period[d] = g->period[d];
            if (tile.size <= 0 || !size) continue;
            cut[d] = true;
            parent = made[count++] = plan_add(p, parent, tile);
        }
    int seq = plan_add(p, parent, (plan_node){.kind = PLAN_SEQ});
    plan_add_below(g, r, part, PLAN_ON_GRID, cut, p, seq);
    set_scales(g, p, seq);
    while (count) {
        plan_end_tile(p, made[--count], skewed_span, g);
        set_seams(g, p, made[count]);
    }
}

/* ---- diamonds -------------------------------------------------------------------------------- */

static bool diamond_applicable(plan_group *g, const plan_request *r, text *why)
{
    if (!skewed_applicable(g, r, why)) return false;
    int d = plan_group_slowest(g, r);
    if (g->finest[0] && g->period[d]) {
        text_add(why, "loops run on several grids, and read over periodic sides along %c", 'x' + d);
        return false;
    }
    if (g->in_window) {
        text_add(why, "tiles that run at once would share a window");
        return false;
    }
    if (g->level && g->period[d]) {
        text_add(why, "values are read over periodic sides along %c, which other tiles do not cut",
                 'x' + d);
        return false;
    }
    int64_t least = 0, count = plan_section_count(g, r);
    for (int64_t i = 0; i < count; i++) {
        analysis_section part = plan_section(g, count, i);
        if (!plan_group_lags(g, &part)) why->failed = true;
        for (int l = part.first - g->part.first; l < part.end - g->part.first; l++)
            least = larger(least, g->lags[l][d].hi - g->lags[l][d].lo);
    }
    if (least > r->tile[d])
        text_add(why, "tiles along %c shrink too much over these loops: %c=%lld is the least",
                 'x' + d, 'x' + d, (long long)least);
    return least <= r->tile[d];
}

static plan_span diamond_span(const void *group, const plan_node *leaf, int d)
{
    const plan_group *g = group;
    plan_span lag = g->lags[leaf->loop - g->part.first][d];
    return (plan_span){-lag.lo, -lag.hi};
}

/* From the end of a diamond to the beginning of the next. */
static plan_span gap_span(const void *group, const plan_node *leaf, int d)
{
    plan_span diamond = diamond_span(group, leaf, d);
    return (plan_span){diamond.hi, diamond.lo};
}

/* A phase of diamonds in the slowest dimension; skewed tiles in the others within. */
static void add_phase(plan_group *g, const plan_request *r, const analysis_section *part,
                      plan_find_span *span, plan *p, int parent)
{
    int d = plan_group_slowest(g, r);
    plan_request others = *r;
    others.tile[d] = others.inner[d] = 0;
    int tile = plan_add(
        p, parent,
        (plan_node){.kind = PLAN_TILE, .dimension = d, .size = r->tile[d], .parallel = true});
    add_skewed_tiles(g, &others, part, p, tile);
    plan_end_tile(p, tile, span, g);
    for (int i = 0; span == gap_span && !p->failed && i < p->nodes[tile].leaf_count; i++)
        p->nodes[tile].spans[i].lo += r->tile[d];
}

static void add_diamonds(plan_group *g, const plan_request *r, const analysis_section *part,
                         plan *p, int parent)
{
    int seq = plan_add(p, parent, (plan_node){.kind = PLAN_SEQ});
    g->around[plan_group_slowest(g, r)] = true;
    add_phase(g, r, part, diamond_span, p, seq);
    add_phase(g, r, part, gap_span, p, seq);
}

/* ---- both ------------------------------------------------------------------------------------ */

typedef void add_tiles(plan_group *g, const plan_request *r, const analysis_section *part, plan *p,
                       int parent);

static void add_sections(plan_group *g, const plan_request *r, plan *p, int parent, add_tiles *add)
{
    int64_t count = plan_section_count(g, r);
    int seq = count > 1 ? plan_add(p, parent, (plan_node){.kind = PLAN_SEQ}) : parent;
    for (int64_t i = 0; i < count; i++) {
        analysis_section part = plan_section(g, count, i);
        if (!plan_group_lags(g, &part)) p->failed = true;
        add(g, r, &part, p, seq);
    }
}

static void make_skewed(plan_group *g, const plan_request *r, plan *p, int parent)
{
    add_sections(g, r, p, parent, add_skewed_tiles);
}

static void make_diamond(plan_group *g, const plan_request *r, plan *p, int parent)
{
    static const int one[3] = {1, 1, 1};
    int d = plan_group_slowest(g, r), seam, seq = parent;
    bool wraps = g->period[d];
    memset(g->cut, 0, sizeof g->cut);
    g->cut[d] = wraps;
    if (!plan_group_lags(g, &g->part)) p->failed = true;
    if (wraps) seq = plan_blocks_open(g, one, 0, p, parent, &seam);
    if (wraps) plan_group_extents(g, &g->part);
    add_sections(g, r, p, seq, add_diamonds);
    if (wraps) plan_blocks_close(g, p, seam, seq);
}

const plan_method plan_skewed = {"skewed",
                                 true,
                                 true,
                                 PLAN_TAKES_TILE | PLAN_TAKES_INNER | PLAN_TAKES_DEPTH |
                                     PLAN_TAKES_TILES | PLAN_IN_TILES,
                                 skewed_applicable,
                                 make_skewed};
const plan_method plan_diamond = {"diamond",
                                  true,
                                  true,
                                  PLAN_TAKES_TILE | PLAN_TAKES_INNER | PLAN_TAKES_DEPTH |
                                      PLAN_TAKES_TILES | PLAN_IN_TILES,
                                  diamond_applicable,
                                  make_diamond};
