/* Sliding windows: tiles along one dimension are overlapped and run at once, and within each of
 * them skewed tiles follow one another along the next faster dimension. Fields that a section of
 * loops makes and uses up lie in buffers of as many rows as lie between their foremost write and
 * their hindmost read. Along a dimension in which no loop needs its neighbours, nothing is computed
 * twice; and all windows of a tile fit a small cache. Other fields stay at home; those that a tile
 * computes around its own points go there from a buffer, as far as the tile owns them. */
#include "plan/planner.h"

#define NO_SIZES "it needs sizes along two dimensions that can be cut, such as z=1 y=4"

/* The dimension in which tiles follow one another: the next free one below the slowest tiled one.
 * -1: none. */
static int sliding_dimension(const plan_group *g, const plan_request *r)
{
    int d = plan_group_sweep(g, r) - 1;
    while (d >= 0 && (g->period[d] || !plan_group_tiles(g, r, d))) d--;
    return d;
}

static void cut_along(plan_group *g, int d)
{
    for (int k = 0; k < 3; k++) g->cut[k] = k == d;
}

static bool applicable(plan_group *g, const plan_request *r, text *why)
{
    int outer = plan_group_sweep(g, r), inner = sliding_dimension(g, r);
    if (outer < 0) plan_group_say_fixed(g, r->tile, 0, NO_SIZES, why);
    if (outer >= 0 && inner < 0) text_add(why, NO_SIZES);
    for (int64_t i = 0, count = plan_section_count(g, r); i < count && inner >= 0; i++) {
        analysis_section part = plan_section(g, count, i);
        cut_along(g, outer);
        plan_overlapped_treat(g, &part);
        if (plan_overlapped_refuse(g, &part, why)) return false;
    }
    return inner >= 0;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

typedef struct slide {
    plan_group *g;
    int outer, inner;
} slide;

static plan_span span_of(const void *data, const plan_node *leaf, int d)
{
    const slide *s = data;
    if (d == s->outer) return plan_group_span(s->g, leaf, d);
    plan_span front = s->g->fields[leaf->slot].margin[d];
    int64_t at = leaf->out ? front.lo : front.hi;
    if (leaf->kind == PLAN_LOOP) at = -s->g->lags[leaf->loop - s->g->part.first][d].hi;
    return (plan_span){at, at};
}

static void add_tiles(plan_group *g, const analysis_section *part, int outer, int inner,
                      const int64_t size[3], plan *p, int parent)
{
    slide s = {g, outer, inner};
    cut_along(g, outer);
    plan_overlapped_treat(g, part);
    if (!plan_group_lags(g, part)) p->failed = true;
    plan_group_fronts(g, part, inner);
    g->cut[inner] = true;
    plan_node across = {.kind = PLAN_TILE, .dimension = outer, .size = size[outer]};
    across.overlap = across.parallel = true;
    int outside = plan_add(p, parent, across);
    int seq = plan_group_buffers(g, size, p, outside);
    int along =
        plan_add(p, seq, (plan_node){.kind = PLAN_TILE, .dimension = inner, .size = size[inner]});
    seq = plan_add(p, along, (plan_node){.kind = PLAN_SEQ});
    plan_group_moves(g, p, seq, false, 0);
    plan_add_loops(p, seq, part, PLAN_ON_GRID);
    plan_group_moves(g, p, seq, true, 0);
    plan_end_tile(p, along, span_of, &s);
    plan_end_tile(p, outside, span_of, &s);
}

static void make(plan_group *g, const plan_request *r, plan *p, int parent)
{
    int outer = plan_group_sweep(g, r), inner = sliding_dimension(g, r);
    int64_t count = plan_section_count(g, r);
    int seq = count > 1 ? plan_add(p, parent, (plan_node){.kind = PLAN_SEQ}) : parent;
    for (int64_t i = 0; i < count; i++) {
        analysis_section part = plan_section(g, count, i);
        add_tiles(g, &part, outer, inner, r->tile, p, seq);
    }
}

const plan_method plan_sliding = {"sliding",  true, false, PLAN_TAKES_TILE | PLAN_TAKES_DEPTH,
                                  applicable, make};
