/* A plan as a list, which an executor runs without walking the tree: loops on all their points,
 * scalars, and waves of tiles whose fields stay at home. What is none of these is a step that walks
 * its node. */
#include "plan/node.h"

#include <stdlib.h>
#include <string.h>

/* ---- waves ----------------------------------------------------------------------------------- */

/* The only node in a chain of sequences of one child each. */
static int inside_of(const plan *p, int node)
{
    while (p->nodes[node].kind == PLAN_SEQ && p->nodes[node].child &&
           !p->nodes[p->nodes[node].child].next)
        node = p->nodes[node].child;
    return node;
}

/* Widens the numbers of tiles by those in which a loop has points. */
static void count_tiles(const plan_wave_loop *part, const grid_box *box, plan_wave *wave)
{
    for (int i = 0; i < wave->count; i++) {
        int d = wave->dimension[i];
        if (grid_box_is_empty(box)) continue;
        if (wave->period[i]) {
            wave->tiles[i] = (plan_span){0, (wave->period[i] - 1) / wave->size[i]};
            continue;
        }
        int64_t lo = box->lo[d] * part->scale[i], hi = (box->hi[d] - 1) * part->scale[i];
        int64_t first = floor_divide(lo - part->span[i].hi, wave->size[i]);
        int64_t last = floor_divide(hi - part->span[i].lo, wave->size[i]);
        wave->tiles[i].lo = smaller(wave->tiles[i].lo, first);
        wave->tiles[i].hi = larger(wave->tiles[i].hi, last);
    }
}

/* Describes the wave that begins with a node; false where it holds more than loops. */
static bool describe_wave(plan *p, const analysis_chain *a, int node, plan_wave *wave)
{
    const plan_node *nodes[3];
    *wave = (plan_wave){.first = 0};
    for (; p->nodes[node].kind == PLAN_TILE; node = p->nodes[node].child) {
        const plan_node *n = &p->nodes[node];
        bool wraps = n->period[0] || n->period[1] || n->period[2];
        if ((wraps && !n->seam) || n->overlap || wave->count == 3) return false;
        nodes[wave->count] = n;
        wave->period[wave->count] = n->seam ? n->period[n->dimension] : 0;
        if (!wave->count) wave->independent = n->parallel;
        if (!n->wave && !(wave->independent && !wave->count)) return false;
        wave->dimension[wave->count] = n->dimension;
        wave->size[wave->count] = n->size;
        wave->tiles[wave->count++] = (plan_span){PLAN_FAR, -PLAN_FAR};
    }
    node = inside_of(p, node);
    if (wave->count < 2 && !wave->independent) return false;
    for (int i = p->nodes[node].kind == PLAN_SEQ ? p->nodes[node].child : node; i;
         i = p->nodes[i].next) {
        const plan_node *leaf = &p->nodes[i];
        if (leaf->kind != PLAN_LOOP || a->loops[leaf->loop].checks) return false;
        plan_wave_loop *part = &p->schedule.loops[leaf->leaf];
        if (!wave->loops++) wave->first = leaf->leaf;
        part->loop = leaf->loop;
        for (int k = 0; k < wave->count; k++) {
            part->scale[k] = leaf->scale[nodes[k]->dimension];
            part->span[k] = *plan_span_of(nodes[k], leaf->leaf, nodes[k]->dimension);
            if (nodes[k]->seam) part->seam[k] = *plan_seam_of(nodes[k], leaf->leaf);
        }
        count_tiles(part, &a->loops[leaf->loop].loop->box, wave);
    }
    return wave->loops > 0;
}

/* The ends of a loop's part of a tile along dimension number i; over a seam the high one lies
 * beyond the grid. */
static plan_span ends_of(const plan_wave *wave, const plan_wave_loop *part, int64_t at, int i)
{
    int64_t lo = at * wave->size[i], hi = lo + wave->size[i];
    bool first = wave->period[i] && lo == 0, last = wave->period[i] && hi >= wave->period[i];
    if (last) hi = wave->period[i];
    lo += first ? part->seam[i].lo : part->span[i].lo;
    hi += last ? part->seam[i].hi : part->span[i].hi;
    return (plan_span){analysis_coarse(lo, part->scale[i]), analysis_coarse(hi, part->scale[i])};
}

int plan_wave_boxes(const plan_wave *wave, const plan_wave_loop *part, const chain_loop *loop,
                    const int64_t at[3], grid_box out[PLAN_WAVE_BOXES])
{
    int count = 1;
    out[0] = loop->box;
    for (int i = 0; i < wave->count; i++) {
        int d = wave->dimension[i], before = count;
        plan_span ends = ends_of(wave, part, at[i], i);
        int64_t beyond = wave->period[i] ? ends.hi - wave->period[i] / part->scale[i] : 0;
        for (int k = 0; k < before && beyond > 0; k++) {
            out[count] = out[k];
            out[count].lo[d] = larger(out[k].lo[d], 0);
            out[count].hi[d] = smaller(out[k].hi[d], beyond);
            count += out[count].lo[d] < out[count].hi[d];
        }
        for (int k = 0; k < before; k++) {
            out[k].lo[d] = larger(out[k].lo[d], ends.lo);
            out[k].hi[d] = smaller(out[k].hi[d], ends.hi);
        }
    }
    int some = 0;
    for (int k = 0; k < count; k++)
        if (!grid_box_is_empty(&out[k])) out[some++] = out[k];
    return some;
}

/* ---- independent tiles ----------------------------------------------------------------------- */

/* `around`: all nodes around are parallel tiles. */
static bool is_simple(const plan *p, const analysis_chain *a, int node, bool around)
{
    const plan_node *n = &p->nodes[node];
    bool simple = n->kind == PLAN_SEQ || n->kind == PLAN_TILE;
    bool parallel = n->kind == PLAN_TILE && n->parallel;
    if (n->kind == PLAN_TILE) simple = !n->wave && !n->period[0] && !n->period[1] && !n->period[2];
    if (parallel && !around) simple = false;
    if (n->kind == PLAN_BUFFER) simple = n->alias < 0 && !n->window;
    if (n->kind == PLAN_MOVE) simple = !n->tag;
    if (n->kind == PLAN_LOOP) simple = !a->loops[n->loop].checks && !a->loops[n->loop].uncuttable;
    for (int child = n->child; child && simple; child = p->nodes[child].next)
        simple = is_simple(p, a, child, around && parallel);
    return simple;
}

bool plan_is_independent(const plan *p, const analysis_chain *a, int node)
{
    return p->nodes[node].kind == PLAN_TILE && p->nodes[node].parallel &&
           is_simple(p, a, node, true);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void add_steps(plan *p, const analysis_chain *a, int node)
{
    plan_schedule *s = &p->schedule;
    const plan_node *n = &p->nodes[node];
    plan_step step = {.kind = PLAN_STEP_NODE, .loop = n->loop, .node = node};
    if (plan_is_tile(n) && !n->leaf_count) return; /* its loops have no grid: they run beside it */
    if (n->kind == PLAN_SEQ) {
        for (int child = n->child; child; child = p->nodes[child].next) add_steps(p, a, child);
        return;
    }
    if (n->kind == PLAN_LOOP) step.kind = PLAN_STEP_LOOP;
    if (n->kind == PLAN_SCALAR) step.kind = PLAN_STEP_SCALAR;
    if (n->kind == PLAN_TILE && describe_wave(p, a, node, &step.wave)) {
        bool needless = step.wave.loops == 1 && !step.wave.independent;
        step.kind = needless ? PLAN_STEP_LOOP : PLAN_STEP_WAVE; /* all tiles of one loop */
        step.loop = s->loops[step.wave.first].loop;
    } else if (plan_is_independent(p, a, node)) {
        step.kind = PLAN_STEP_TILES;
    }
    s->whole = s->whole && (step.kind == PLAN_STEP_LOOP || step.kind == PLAN_STEP_SCALAR);
    s->steps[s->count++] = step;
}

/* ---- bricks ---------------------------------------------------------------------------------- */

typedef struct cut_finder {
    const analysis_chain *a;
    bool *cut;
} cut_finder;

/* Whether a part of a loop begins or ends within a brick, or has points that do not count. */
static bool find_cut(void *data, const plan_walk *walk, const plan_run *run)
{
    cut_finder *f = data;
    const grid_box *all = &f->a->loops[run->loop].loop->box, *box = &run->box;
    bool low = box->lo[0] != all->lo[0] && box->lo[0] % IR_BRICK != 0;
    bool high = box->hi[0] != all->hi[0] && box->hi[0] % IR_BRICK != 0;
    (void)walk;
    if (low || high || memcmp(box, &run->core, sizeof *box) != 0) f->cut[run->loop] = true;
    return true;
}

/* Whether sums may be cut within a brick: some lie in tiles that cut rows, or that compute points
 * of others. The walk over all tiles, which is as long as the grid is large, is for these only.
 * `around`: a node around is of that kind. */
static bool may_cut(const plan *p, const analysis_chain *a, int node, bool around)
{
    const plan_node *n = &p->nodes[node];
    bool wraps = n->period[0] || n->period[1] || n->period[2];
    bool keeps_rows = n->kind == PLAN_TILE && n->dimension > 0 && !n->overlap && !wraps;
    bool some = n->kind == PLAN_LOOP && around && a->loops[n->loop].reduces;
    around = around || (n->kind != PLAN_SEQ && !keeps_rows);
    for (int child = n->child; child && !some; child = p->nodes[child].next)
        some = may_cut(p, a, child, around);
    return some;
}

/* Walks over the parts of a sequence in which sums may be cut. */
static bool walk_cuts(const plan *p, const analysis_chain *a, int node, plan_place *homes,
                      const plan_visitor *visitor)
{
    bool done = true;
    if (p->nodes[node].kind != PLAN_SEQ)
        return !may_cut(p, a, node, false) || plan_walk_part(p, a, node, homes, visitor);
    for (int child = p->nodes[node].child; child && done; child = p->nodes[child].next)
        done = walk_cuts(p, a, child, homes, visitor);
    return done;
}

static bool find_cuts(plan *p, const analysis_chain *a)
{
    cut_finder finder = {a, p->schedule.cut};
    plan_visitor visitor = {.data = &finder, .run = find_cut};
    plan_place *homes = calloc((size_t)a->slot_count + 1, sizeof *homes);
    bool done = homes && walk_cuts(p, a, p->root, homes, &visitor);
    free(homes);
    return done;
}

bool plan_schedule_make(plan *p, const analysis_chain *a)
{
    plan_schedule *s = &p->schedule;
    *s = (plan_schedule){.whole = true};
    s->steps = arena_array(&p->memory, (size_t)p->count + 1, sizeof *s->steps);
    s->loops = arena_array(&p->memory, (size_t)p->leaf_count + 1, sizeof *s->loops);
    s->cut = arena_array(&p->memory, (size_t)a->loop_count + 1, sizeof *s->cut);
    if (!s->steps || !s->loops || !s->cut) return false;
    add_steps(p, a, p->root);
    return s->whole || find_cuts(p, a);
}
