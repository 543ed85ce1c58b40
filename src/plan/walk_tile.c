/* The tiles of a node, and of nodes that make a wave: which there are, and their order. */
#include "plan/walk.h"

/* ---- which tiles there are ------------------------------------------------------------------- */

/* Widens [*first, *last] to hold the tiles in which a leaf has points of its own. */
static void find_tiles(const plan_walk *w, const plan_node *tile, const plan_node *leaf,
                       int64_t *first, int64_t *last)
{
    int d = tile->dimension;
    plan_span span = *plan_span_of(tile, leaf->leaf, d);
    grid_box whole = walk_whole_box(w, leaf);
    plan_span clip = walk_clip(w, leaf, d, false);
    int64_t scale = plan_scale_of(leaf, d);
    bool outer_wraps = walk_period(w, d) > 0;
    if (tile->seam) {
        *first = 0;
        *last = (tile->period[d] - 1) / tile->size;
        return;
    }
    if (tile->period[d]) { /* copies belong to the tiles of their originals */
        whole.lo[d] = larger(whole.lo[d], 0);
        whole.hi[d] = smaller(whole.hi[d], tile->period[d] / scale);
    }
    int64_t lo = outer_wraps ? clip.lo : larger(clip.lo, whole.lo[d]);
    int64_t hi = outer_wraps ? clip.hi : smaller(clip.hi, whole.hi[d]);
    if (span.hi >= PLAN_FAR || lo >= hi || grid_box_is_empty(&whole)) return;
    if (tile->overlap) span = (plan_span){0, 0};
    *first = smaller(*first, floor_divide(lo * scale - span.hi, tile->size));
    *last = larger(*last, floor_divide((hi - 1) * scale - span.lo, tile->size));
}

/* Whether a leaf brings in what loops need, and nothing beyond: siblings take no tiles for
 * it alone. */
static bool serves_loops(const plan_node *n)
{
    bool limited = false;
    for (int d = 0; d < 3; d++) limited = limited || n->only[d].lo < n->only[d].hi;
    return n->kind == PLAN_MOVE && !n->out && limited;
}

static void find_tiles_below(const plan_walk *w, const plan_node *tile, int node, int64_t *first,
                             int64_t *last)
{
    for (; node; node = w->p->nodes[node].next) {
        const plan_node *n = &w->p->nodes[node];
        if (plan_is_leaf(n) && !(tile->siblings && serves_loops(n)))
            find_tiles(w, tile, n, first, last);
        find_tiles_below(w, tile, n->child, first, last);
    }
}

plan_span walk_tiles(const plan_walk *w, const plan_node *n)
{
    plan_span tiles = {PLAN_FAR, -PLAN_FAR};
    find_tiles_below(w, n, n->child, &tiles.lo, &tiles.hi);
    return tiles;
}

void walk_set_frame(plan_walk *w, const plan_node *n, int64_t number)
{
    walk_frame *f = &w->frames[w->frame_count++];
    int d = n->dimension;
    f->node = n;
    f->box.lo[d] = number * n->size;
    f->box.hi[d] = (number + 1) * n->size;
    if (n->period[d]) f->box.hi[d] = smaller(f->box.hi[d], n->period[d]);
}

/* ---- waves ----------------------------------------------------------------------------------- */

walk_wave walk_wave_from(const plan_walk *w, const plan_node *n)
{
    walk_wave v = {.count = 0};
    for (; n->kind == PLAN_TILE && n->wave && v.count < 3; n = &w->p->nodes[n->child]) {
        v.nodes[v.count] = n;
        v.tiles[v.count++] = walk_tiles(w, n);
    }
    return v;
}

bool walk_next_tile(const walk_wave *v, bool backwards, int64_t at[3])
{
    for (int k = 0; k < v->count; k++) {
        int i = backwards ? k : v->count - 1 - k;
        if (++at[i] <= v->tiles[i].hi) return true;
        at[i] = v->tiles[i].lo;
    }
    return false;
}
