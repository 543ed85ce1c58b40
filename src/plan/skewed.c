/* Skewed tiles: each loop runs as far behind the ones before it as it touches ahead of itself. In
 * each dimension every point belongs to one tile, and whatever it needs lies in that or an earlier
 * one; so tiles run one after another, and no work is done twice. Dimensions nest.
 *
 * Diamonds: tiles that shrink from loop to loop at both ends need nothing from their neighbours;
 * once they are done, neither do the gaps between them. */
#include "plan/plan.h"

static bool tiles(const plan_group *g, const plan_request *r, int d)
{
    return r->tile[d] > 0 && !g->fixed[d];
}

static bool skewed_applicable(plan_group *g, const plan_request *r)
{
    return tiles(g, r, 0) || tiles(g, r, 1) || tiles(g, r, 2);
}

static bool wraps(const plan_group *g, const plan_request *r, int d)
{
    return tiles(g, r, d) && g->period[d];
}

/* ---- the seam of periodic dimensions --------------------------------------------------------- */

/* One block, which reaches over the seam as far as its loops look. */
static int add_seam(plan_group *g, const plan_request *r, plan *p, int parent)
{
    int node = plan_add(p, parent, PLAN_BLOCKS);
    if (!node) return 0;
    for (int d = 0; d < 3; d++) {
        int64_t *cuts = arena_array(&p->memory, 2, sizeof *cuts);
        if (!cuts) return 0;
        cuts[0] = wraps(g, r, d) ? 0 : -PLAN_FAR / 2;
        cuts[1] = wraps(g, r, d) ? g->period[d] : PLAN_FAR / 2;
        p->nodes[node].parts[d] = 1;
        p->nodes[node].cuts[d] = cuts;
        p->nodes[node].period[d] = wraps(g, r, d) ? g->period[d] : 0;
    }
    return node;
}

/* Buffers for the fields of the group, one in another; returns the innermost. */
static int add_seam_buffers(plan_group *g, const plan_request *r, plan *p, int parent)
{
    for (int s = 0; s < g->a->slot_count; s++) {
        if (g->a->slots[s]->is_scalar || !plan_group_touches(g, s) || !plan_group_plain(g, s))
            continue;
        parent = plan_add(p, parent, PLAN_BUFFER);
        if (!parent) return 0;
        p->nodes[parent].slot = s;
        for (int d = 0; d < 3; d++) {
            plan_span margin = {0, 0};
            plan_group_widen(g, g->first, g->end, s, d, &margin);
            if (wraps(g, r, d)) p->nodes[parent].capacity[d] = g->period[d] + margin.hi - margin.lo;
        }
    }
    return parent;
}

static bool add_seam_moves(plan_group *g, plan *p, int parent, bool out)
{
    for (int s = 0; s < g->a->slot_count; s++) {
        if (g->a->slots[s]->is_scalar || !plan_group_touches(g, s) || !plan_group_plain(g, s) ||
            (out && !plan_group_writes(g, s)))
            continue;
        int move = plan_add(p, parent, PLAN_MOVE);
        if (!move) return false;
        p->nodes[move].slot = s;
        p->nodes[move].out = out;
    }
    return true;
}

static void set_seam_spans(plan_group *g, const plan_request *r, plan *p, int seam)
{
    for (int i = seam; i < p->count; i++) {
        const plan_node *n = &p->nodes[i];
        for (int d = 0; plan_is_leaf(n) && d < 3; d++) {
            plan_span *span = plan_span_of(p, seam, n->leaf, d);
            *span = (plan_span){-PLAN_FAR, PLAN_FAR};
            if (!wraps(g, r, d)) continue;
            *span = (plan_span){0, 0};
            if (n->kind == PLAN_LOOP)
                *span = (plan_span){-g->low[n->loop - g->first][d], g->high[n->loop - g->first][d]};
            else if (!n->out)
                *span = (plan_span){-g->need_low[n->slot][d], g->need_high[n->slot][d]};
        }
    }
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static int add_tile(plan *p, int parent, int d, int64_t size)
{
    int node = plan_add(p, parent, PLAN_TILE);
    if (!node) return 0;
    p->nodes[node].dimension = d;
    p->nodes[node].size = size;
    return node;
}

static void set_skew(const plan_group *g, plan *p, int tile)
{
    int d = p->nodes[tile].dimension;
    for (int i = tile; i < p->count; i++)
        if (p->nodes[i].kind == PLAN_LOOP) {
            int64_t late = g->high[p->nodes[i].loop - g->first][d];
            *plan_span_of(p, tile, p->nodes[i].leaf, d) = (plan_span){-late, -late};
        }
}

/* Tiles of both levels around the loops, the slowest dimension outermost. */
static bool add_skewed_tiles(plan_group *g, const plan_request *r, plan *p, int parent)
{
    int made[6], count = 0;
    for (int level = 0; level < 2; level++)
        for (int d = 2; d >= 0; d--) {
            int64_t size = level ? r->inner[d] : r->tile[d];
            if (size <= 0 || !tiles(g, r, d)) continue;
            parent = made[count++] = add_tile(p, parent, d, size);
            if (!parent) return false;
        }
    int seq = plan_add(p, parent, PLAN_SEQ);
    if (!seq || !plan_group_loops(g, p, seq)) return false;
    for (int i = 0; i < count; i++) {
        if (!plan_end_tile(p, made[i])) return false;
        set_skew(g, p, made[i]);
    }
    return true;
}

/* The waves of diamonds in the slowest dimension; skewed tiles in the others within. */
static bool add_wave(plan_group *g, const plan_request *r, int d, bool gaps, plan *p, int parent)
{
    plan_request others = *r;
    int tile = add_tile(p, parent, d, r->tile[d]);
    others.tile[d] = others.inner[d] = 0;
    if (!tile || !add_skewed_tiles(g, &others, p, tile) || !plan_end_tile(p, tile)) return false;
    p->nodes[tile].parallel = true;
    for (int i = tile; i < p->count; i++) {
        if (p->nodes[i].kind != PLAN_LOOP) continue;
        int64_t low = g->low[p->nodes[i].loop - g->first][d];
        int64_t high = g->high[p->nodes[i].loop - g->first][d];
        *plan_span_of(p, tile, p->nodes[i].leaf, d) =
            gaps ? (plan_span){r->tile[d] - high, low} : (plan_span){low, -high};
    }
    return true;
}

static int slowest(const plan_group *g, const plan_request *r)
{
    int d = 2;
    while (d > 0 && !tiles(g, r, d)) d--;
    return d;
}

static bool diamond_applicable(plan_group *g, const plan_request *r)
{
    if (!skewed_applicable(g, r) || !plan_group_shifts(g)) return false;
    int d = slowest(g, r);
    for (int l = 0; l < g->end - g->first; l++)
        if (g->low[l][d] + g->high[l][d] > r->tile[d]) return false;
    return true;
}

static bool add_diamonds(plan_group *g, const plan_request *r, plan *p, int parent)
{
    int d = slowest(g, r), seq = plan_add(p, parent, PLAN_SEQ);
    return seq && add_wave(g, r, d, false, p, seq) && add_wave(g, r, d, true, p, seq);
}

/* ---- both ------------------------------------------------------------------------------------ */

typedef bool add_tiles(plan_group *g, const plan_request *r, plan *p, int parent);

static bool add_within_seam(plan_group *g, const plan_request *r, plan *p, int parent,
                            add_tiles *add)
{
    if (!wraps(g, r, 0) && !wraps(g, r, 1) && !wraps(g, r, 2))
        return plan_group_shifts(g) && add(g, r, p, parent);
    int seam = add_seam(g, r, p, parent);
    if (!seam || !plan_group_growth(g, g->first, g->end)) return false;
    int seq = plan_add(p, add_seam_buffers(g, r, p, seam), PLAN_SEQ);
    if (!seq || !add_seam_moves(g, p, seq, false) || !plan_group_shifts(g) || !add(g, r, p, seq) ||
        !add_seam_moves(g, p, seq, true) || !plan_end_tile(p, seam))
        return false;
    if (!plan_group_growth(g, g->first, g->end)) return false;
    set_seam_spans(g, r, p, seam);
    return true;
}

static bool make_skewed(plan_group *g, const plan_request *r, plan *p, int parent)
{
    return add_within_seam(g, r, p, parent, add_skewed_tiles);
}

static bool make_diamond(plan_group *g, const plan_request *r, plan *p, int parent)
{
    return add_within_seam(g, r, p, parent, add_diamonds);
}

const plan_method plan_skewed = {"skewed", true, skewed_applicable, make_skewed};
const plan_method plan_diamond = {"diamond", true, diamond_applicable, make_diamond};
