/* The bytes that a plan moves, predicted. A loop that runs by itself moves each value that it reads
 * or writes between memory and the caches. The loops of a wave move the values that the wave takes
 * and changes once, and once more where a row of tiles meets the values of the row before, which
 * have left the cache by then: the part by which the last loop lags behind in a tile. Between a
 * cache and the cores each loop moves what it reads and writes. Overlapped tiles move between
 * memory and the caches what they read at home and what they bring there; and the points that they
 * compute around their own ones count in the caches. */
#include "plan/node.h"

#include <math.h>

/* Whether a leaf, or a buffer, lies in a tile; nodes follow their parents. */
static bool is_below(const plan *p, int node, int tile)
{
    const plan_node *n = &p->nodes[node], *t = &p->nodes[tile];
    return plan_is_leaf(n) && n->leaf >= t->leaf && n->leaf < t->leaf + t->leaf_count;
}

static analysis_section section_below(const plan *p, const analysis_chain *a, int tile)
{
    analysis_section s = {a, a->loop_count, 0};
    for (int n = tile; n < p->count; n++) {
        if (p->nodes[n].kind != PLAN_LOOP || !is_below(p, n, tile)) continue;
        s.first = (int)smaller(s.first, p->nodes[n].loop);
        s.end = (int)larger(s.end, p->nodes[n].loop + 1);
    }
    return s;
}

/* The loops of a step, which follow one another. */
static analysis_section section_of(const plan *p, const analysis_chain *a, const plan_step *step)
{
    analysis_section s = {a, step->loop, step->loop + 1};
    if (step->kind == PLAN_STEP_TILES) return section_below(p, a, step->node);
    for (int i = 0; step->kind == PLAN_STEP_WAVE && i < step->wave.loops; i++) {
        int loop = p->schedule.loops[step->wave.first + i].loop;
        s.first = (int)smaller(i ? s.first : loop, loop);
        s.end = (int)larger(s.end, loop + 1);
    }
    return s;
}

static double points_of(const analysis_section *s)
{
    double points = 0;
    for (int i = s->first; i < s->end; i++)
        points = fmax(points, (double)chain_loop_points(s->a->loops[i].loop));
    return points;
}

static bool touches(const analysis_loop *l, int slot)
{
    for (int i = 0; i < l->touch_count; i++)
        if (!l->touches[i].scalar && !l->touches[i].copied && l->touches[i].slot == slot)
            return true;
    return false;
}

/* The first loop of a wave that touches what a loop of it writes: of blocks that copies glue
 * together, one on the same block. */
static int first_beside(const plan *p, const analysis_chain *a, const plan_wave *wave, int loop)
{
    const plan_wave_loop *parts = &p->schedule.loops[wave->first];
    const analysis_loop *l = &a->loops[parts[loop].loop];
    for (int i = 0; i < l->touch_count; i++)
        for (int k = 0; k < loop && l->touches[i].writes; k++)
            if (touches(&a->loops[parts[k].loop], l->touches[i].slot)) return k;
    return loop;
}

/* How far loops lag behind the first of them along dimension number k; behind the first one on
 * their block, where copies glue several together. */
static int64_t late_in_wave(const plan *p, const analysis_chain *a, const plan_wave *wave, int k)
{
    const plan_wave_loop *parts = &p->schedule.loops[wave->first];
    bool glued = false;
    int64_t late = 0;
    for (int i = 0; i < wave->loops; i++) glued = glued || a->loops[parts[i].loop].loop->copy;
    for (int i = 0; i < wave->loops; i++) {
        int64_t begin = glued ? parts[first_beside(p, a, wave, i)].span[k].lo : 0;
        late = larger(late, begin - parts[i].span[k].lo);
    }
    return late;
}

/* How far the last loop lags behind, as a part of a tile's size in the outermost dimension. */
static double met_again(const plan *p, const analysis_chain *a, const plan_wave *wave)
{
    int64_t late = late_in_wave(p, a, wave, 0);
    return wave->independent ? 0 : (double)late / (double)wave->size[0];
}

/* The points of a field, as a part of those of the finest grid on which a section runs. */
static double share_of(const analysis_section *s, const chain_slot *slot)
{
    double points = 1, share = 1;
    for (int i = s->first; i < s->end; i++) {
        grid_box all = grid_shape_box(&s->a->loops[i].loop->shape);
        points = fmax(points, (double)grid_box_points(&all));
    }
    for (int d = 0; d < 3; d++) share *= (double)slot->shape.size[d];
    return share / points;
}

/* Bytes of a point of the fields that a section takes, and of those that it changes. `whole`: of
 * all that it touches, once. */
static double bytes_of(const analysis_section *s, bool whole)
{
    double bytes = 0;
    for (int slot = 0; slot < s->a->slot_count; slot++) {
        analysis_use use = analysis_use_of(s, slot);
        const chain_slot *c = s->a->slots[slot];
        if (!use.touched) continue;
        int times = whole ? 1 : analysis_takes(s, slot) + use.written;
        bytes += times * c->components * (double)ir_storages[c->type].bytes * share_of(s, c);
    }
    return bytes;
}

/* The loop of a wave with the most points. */
static int largest_of(const plan *p, const analysis_chain *a, const plan_wave *wave)
{
    const plan_wave_loop *parts = &p->schedule.loops[wave->first];
    int most = 0;
    for (int i = 1; i < wave->loops; i++)
        if (chain_loop_points(a->loops[parts[i].loop].loop) >
            chain_loop_points(a->loops[parts[most].loop].loop))
            most = i;
    return most;
}

/* Bytes of the fields in a tile, with those by which its loops lag behind. */
static double tile_of(const plan *p, const analysis_section *s, const plan_wave *wave)
{
    const plan_wave_loop *parts = &p->schedule.loops[wave->first];
    const int most = largest_of(p, s->a, wave);
    double points = points_of(s);
    for (int k = 0; k < wave->count; k++) {
        const grid_box *box = &s->a->loops[parts[most].loop].loop->box;
        int d = wave->dimension[k];
        int64_t extent = larger((box->hi[d] - box->lo[d]) * parts[most].scale[k], 1);
        int64_t late = late_in_wave(p, s->a, wave, k);
        points *= fmin(1, (double)(wave->size[k] + late) / (double)extent);
    }
    return points * bytes_of(s, true);
}

/* ---- overlapped tiles -------------------------------------------------------------------------
 */

/* Points that a loop computes in such tiles, of one point. */
static double growth_of(const plan *p, const plan_node *leaf, int tile)
{
    double growth = 1;
    for (const plan_node *t = &p->nodes[tile]; t->kind == PLAN_TILE; t = &p->nodes[t->child]) {
        const plan_span *span = &t->spans[leaf->leaf - t->leaf];
        growth *= (double)(t->size + span->hi - span->lo) / (double)t->size;
    }
    return growth;
}

/* Whether a field has a buffer in tiles; *moved: how often a value moves to and from it. */
static bool is_buffered(const plan *p, int slot, int tile, int *moved)
{
    bool buffered = false;
    *moved = 0;
    for (int n = tile;
         n < p->count && (p->nodes[n].kind != PLAN_TILE || n == tile ||
                          p->nodes[n].leaf < p->nodes[tile].leaf + p->nodes[tile].leaf_count);
         n++) {
        if (p->nodes[n].slot != slot) continue;
        buffered = buffered || p->nodes[n].kind == PLAN_BUFFER;
        *moved += p->nodes[n].kind == PLAN_MOVE && is_below(p, n, tile);
    }
    return buffered;
}

/* Bytes of a point that pass to and from memory. */
static double bytes_at_home(const plan *p, const analysis_section *s, int tile)
{
    double bytes = 0;
    for (int slot = 0; slot < s->a->slot_count; slot++) {
        analysis_use use = analysis_use_of(s, slot);
        const chain_slot *c = s->a->slots[slot];
        int times;
        if (!use.touched || use.remapped) continue;
        if (!is_buffered(p, slot, tile, &times)) times = analysis_takes(s, slot) + use.written;
        bytes += times * c->components * (double)ir_storages[c->type].bytes;
    }
    return bytes;
}

static void add_tiles(const plan *p, const analysis_chain *a, int tile, plan_traffic *out)
{
    analysis_section s = section_below(p, a, tile);
    out->memory += points_of(&s) * bytes_at_home(p, &s, tile);
    for (int n = tile; n < p->count; n++) {
        if (p->nodes[n].kind != PLAN_LOOP || !is_below(p, n, tile)) continue;
        analysis_section one = {a, p->nodes[n].loop, p->nodes[n].loop + 1};
        out->cache += points_of(&one) * bytes_of(&one, false) * growth_of(p, &p->nodes[n], tile);
        out->points += points_of(&one);
    }
}

/* ---- tiles one after another ------------------------------------------------------------------
 */

/* How far the last loop of a tile lags behind. */
static int64_t late_in(const plan_node *tile)
{
    int64_t late = 0;
    for (int leaf = 0; leaf < tile->leaf_count; leaf++)
        late = larger(late, -plan_span_of(tile, tile->leaf + leaf, tile->dimension)->lo);
    return late;
}

/* Tiles that all threads run together: what they take and change moves once, and once more where a
 * tile meets values of the one before. */
static void add_shared(const plan *p, const analysis_chain *a, int node, plan_traffic *out)
{
    const plan_node *tile = &p->nodes[node];
    analysis_section s = section_below(p, a, node);
    int64_t late = late_in(tile), size = tile->size;
    double extent = 1, points = points_of(&s);
    out->memory += points * bytes_of(&s, false) * (1 + (double)late / (double)size);
    for (int i = s.first; i < s.end; i++) {
        analysis_section one = {a, i, i + 1};
        const grid_box *box = &a->loops[i].loop->box;
        extent = fmax(extent, (double)(box->hi[tile->dimension] - box->lo[tile->dimension]));
        out->cache += points_of(&one) * bytes_of(&one, false);
        out->points += points_of(&one);
    }
    double part = fmin(1, (double)(size + late) / extent);
    out->tile = fmax(out->tile, part * points * bytes_of(&s, true));
}

/* ---- all --------------------------------------------------------------------------------------
 */

static void add_step(const plan *p, const analysis_chain *a, const plan_step *step,
                     plan_traffic *out)
{
    analysis_section s = section_of(p, a, step);
    bool wave = step->kind == PLAN_STEP_WAVE;
    double points = points_of(&s);
    if (step->kind == PLAN_STEP_TILES) add_tiles(p, a, step->node, out);
    if (step->kind == PLAN_STEP_NODE && p->nodes[step->node].kind == PLAN_TILE)
        add_shared(p, a, step->node, out);
    if (step->kind != PLAN_STEP_LOOP && !wave) return;
    out->memory += points * bytes_of(&s, false) * (wave ? 1 + met_again(p, a, &step->wave) : 1);
    for (int i = s.first; i < s.end; i++) {
        analysis_section one = {a, i, i + 1};
        out->cache += points_of(&one) * bytes_of(&one, false);
        out->points += points_of(&one);
    }
    if (wave) out->tile = fmax(out->tile, tile_of(p, &s, &step->wave));
}

plan_traffic plan_find_traffic(const plan *p, const analysis_chain *a)
{
    plan_traffic t = {0};
    for (int i = 0; i < p->schedule.count; i++) add_step(p, a, &p->schedule.steps[i], &t);
    if (t.points > 0) t.memory /= t.points;
    if (t.points > 0) t.cache /= t.points;
    t.points /= fmax(a->loop_count, 1);
    return t;
}
