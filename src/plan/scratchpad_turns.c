/* Blocks for cores with small memories of their own, and no caches. The cores are siblings, which
 * take tiles by turns. Every field of a tile lies in a buffer: what is read comes in with a halo,
 * what was made of the tile's own points goes out. A buffer has several slots, so that values of
 * later tiles come in, and those of earlier ones go out, while one is computed. With D slots a get
 * runs A turns ahead, and a put has D - A turns until its slot is needed again:
 *
 *     get first:  wait for the put D - A turns ago; get A turns ahead; wait for the own get;
 *                 compute; put
 *     get last:   wait for the own get; compute; put; wait for the put; get
 *
 * A turn may go through a column: plane by plane along the slowest dimension, in windows of as many
 * planes as the loop reads. With 2 slots the next plane comes in while one is computed, with 3 the
 * last one goes out meanwhile, too. (Ma, Ao, Yang, Williams: Solving a trillion unknowns per second
 * with HPGMG on Sunway TaihuLight.)
 *
 * Cores of a group share a tile along x: they load its long rows together, a part of the rows each,
 * and pass parts on, so that each has the points of its part and those around. (Ma, Ao, Yang,
 * Williams.)
 *
 * In place, a field and its next value have one buffer. A loop then sweeps along y, wall by wall,
 * and saves the old values of as many walls as it looks back. (Ho, Tourancheau, Obrecht, Dupont de
 * Dinechin, Hascoet: LBM 3D stencil memory bound improvement with many-core processors asynchronous
 * transfers.) */
#include "plan/scratchpad.h"

enum { IN = 1, OUT };

/* The dimension along which a loop in place sweeps. */
int plan_scratchpad_wall(const plan_group *g)
{
    int rank = 1;
    for (int l = g->part.first; l < g->part.end; l++)
        if (!g->part.a->loops[l].loop->once) rank = g->part.a->loops[l].loop->shape.rank;
    return rank > 1 ? 1 : 0;
}

int64_t plan_scratchpad_ahead(const plan_request *r)
{
    int64_t half = (r->slots + 1) / 2;
    if (r->ahead) return r->ahead;
    return r->slots > 1 ? half : r->last ? 1 : 0;
}

/* ---- fields -----------------------------------------------------------------------------------
 */

grid_box plan_scratchpad_moved(const scratchpad_section *s, int slot)
{
    const chain_loop *loop = s->part->a->loops[s->part->first].loop;
    grid_box box = chain_slot_memory(s->part->a->slots[slot]);
    for (int d = 0; d < 3 && s->has_box; d++) {
        const plan_span margin = s->g->fields[slot].margin[d];
        if (s->g->period[d] || s->g->fixed[d]) continue;
        box.lo[d] = larger(box.lo[d], loop->box.lo[d] + smaller(margin.lo, 0));
        box.hi[d] = smaller(box.hi[d], loop->box.hi[d] + larger(margin.hi, 0));
    }
    return box;
}

/* Whether the loop of a section makes all values of a field that are moved, and reads none. */
static bool is_made(const scratchpad_section *s, int slot)
{
    const analysis_loop *l = &s->part->a->loops[s->part->first];
    grid_box moved = plan_scratchpad_moved(s, slot);
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        if (t->slot != slot) continue;
        if (!t->writes || t->remapped || !analysis_writes_whole(l->loop, t->param)) return false;
        grid_box written = analysis_surely_written(l->loop, t->param);
        if (!grid_box_contains(&written, &moved)) return false;
    }
    return true;
}

/* A loop in a part of the grid needs no more than that part, and what it reads around. */
static void limit_moves(scratchpad_section *s)
{
    const chain_loop *loop = s->part->a->loops[s->part->first].loop;
    s->has_box = !loop->once && !loop->copy && !grid_box_is_empty(&loop->box);
    for (int d = 0; d < 3; d++) s->has_box = s->has_box && plan_group_scale(s->g, loop, d) == 1;
    for (int slot = 0; slot < s->part->a->slot_count && s->has_box; slot++)
        if (s->g->fields[slot].in && is_made(s, slot)) s->g->fields[slot].in = false;
}

/* Sets how fields are treated: those that are touched where the loops run lie in buffers. */
static void treat_fields(plan_group *g, const analysis_section *part)
{
    plan_overlapped_treat(g, part);
    for (int s = 0; s < part->a->slot_count; s++) {
        plan_treatment *f = &g->fields[s];
        f->buffered = g->uses[s].touched && !g->uses[s].remapped;
        f->in = f->buffered && !f->passing && analysis_takes(part, s);
        f->out = f->buffered && !f->passing && analysis_leaves(part, s);
    }
}

/* ---- sections ----------------------------------------------------------------------------------
 */

/* Whether some loop writes beside its point along a dimension. */
static bool writes_beside(const plan_group *g, int d)
{
    bool beside = false;
    for (int slot = 0; slot < g->part.a->slot_count; slot++) {
        const plan_treatment *f = &g->fields[slot];
        plan_span need = g->needs[slot][d], margin = f->margin[d];
        beside = beside ||
                 (f->out && (margin.lo < smaller(need.lo, 0) || margin.hi > larger(need.hi, 0)));
    }
    return beside;
}

/* The slowest dimension along which columns may go, but not x: rows stay whole. */
static int find_columns(const plan_group *g)
{
    int d = 2;
    while (d > 0 && (g->fixed[d] || g->period[d] || writes_beside(g, d))) d--;
    return d > 0 ? d : -1;
}

/* Whether a sweep in place would read, over a periodic side, walls that it has overwritten. */
static bool reads_first_walls(const scratchpad_section *s)
{
    const int wall = plan_scratchpad_wall(s->g);
    return s->g->period[wall] && s->g->needs[s->pair.from][wall].hi > 0;
}

void plan_scratchpad_begin(scratchpad_section *s, plan_group *g, const analysis_section *part)
{
    bool alone = part->end - part->first == 1;
    *s = (scratchpad_section){.g = g, .part = part};
    treat_fields(g, part);
    if (alone) limit_moves(s);
    s->has_pair = alone && plan_pair_find(g, part->first, &s->pair) &&
                  g->cut[plan_scratchpad_wall(g)] && !reads_first_walls(s);
    s->along = alone ? find_columns(g) : -1;
}

static bool has_columns(const scratchpad_section *s) { return s->r->columns && s->along >= 0; }

static bool shares(const scratchpad_section *s)
{
    return s->r->in_place && s->has_pair && !has_columns(s);
}

bool plan_scratchpad_cuts(const scratchpad_section *s, int d)
{
    return s->g->cut[d] && s->r->tile[d] > 0;
}

bool plan_scratchpad_groups(const scratchpad_section *s)
{
    int64_t group = larger(s->r->group, 1), siblings = larger(s->r->siblings, 1);
    bool allowed = !s->r->machine || group <= s->r->machine->group;
    bool dealt = plan_scratchpad_cuts(s, 0) && s->r->tile[0] % group == 0 && siblings % group == 0;
    return group == 1 || (allowed && dealt);
}

static bool some(const plan_group *g, bool out)
{
    bool any = false;
    for (int s = 0; s < g->part.a->slot_count; s++)
        any = any || (out ? g->fields[s].out : g->fields[s].in);
    return any;
}

static void add_wait(plan *p, int seq, int tag, int64_t behind)
{
    plan_add(p, seq, (plan_node){.kind = PLAN_WAIT, .tag = tag, .behind = (int)behind});
}

static void add_move(const scratchpad_section *s, plan *p, int seq, plan_node move)
{
    grid_box all = chain_slot_memory(s->part->a->slots[move.slot]);
    grid_box moved = plan_scratchpad_moved(s, move.slot);
    move.tag = move.out ? OUT : IN;
    for (int d = 0; d < 3; d++)
        if (moved.lo[d] > all.lo[d] || moved.hi[d] < all.hi[d])
            move.only[d] = (plan_span){moved.lo[d], moved.hi[d]};
    plan_add(p, seq, move);
}

static void add_moves(const scratchpad_section *s, plan *p, int seq, bool out, int64_t ahead)
{
    plan_node move = {.kind = PLAN_MOVE, .out = out, .ahead = (int)ahead};
    for (move.slot = 0; move.slot < s->g->part.a->slot_count; move.slot++)
        if (out ? s->g->fields[move.slot].out : s->g->fields[move.slot].in)
            add_move(s, p, seq, move);
}

/* The gets of a turn, when the puts from their slots have ended. */
static void add_gets(const scratchpad_section *s, plan *p, int seq)
{
    int64_t ahead = plan_scratchpad_ahead(s->r);
    if (some(s->g, true)) add_wait(p, seq, OUT, larger(s->r->slots, 1) - ahead);
    add_moves(s, p, seq, false, ahead);
}

/* ---- buffers ----------------------------------------------------------------------------------
 */

/* How many planes ahead of the work a column gets. */
static int64_t planes_ahead(const scratchpad_section *s) { return s->r->slots > 1; }

/* Planes of a field that a column needs at once: those that are read, those that come in, and the
 * one that goes out. */
static int64_t planes_of(const scratchpad_section *s, int slot)
{
    const plan_treatment *f = &s->g->fields[slot];
    plan_span need = s->g->needs[slot][s->along];
    int64_t first = f->out && s->r->slots > 2 ? smaller(need.lo, -1) : need.lo;
    return need.hi + (f->in ? planes_ahead(s) : 0) - first + 1;
}

static plan_node buffer_of(const scratchpad_section *s, int slot)
{
    plan_node buffer = {.kind = PLAN_BUFFER, .slot = slot, .alias = -1};
    const plan_span *margin = s->g->fields[slot].margin;
    for (int d = 0; d < 3; d++)
        if (plan_scratchpad_cuts(s, d))
            buffer.capacity[d] = s->r->tile[d] + margin[d].hi - margin[d].lo;
    if (has_columns(s)) buffer.capacity[s->along] = planes_of(s, slot);
    if (shares(s) && slot == s->pair.from) buffer.alias = s->pair.to;
    buffer.depth = s->r->slots > 1 && !has_columns(s) ? (int)s->r->slots : 0;
    return buffer;
}

/* Old values of the walls that a sweep in place looks back at. */
static plan_node saved_of(const scratchpad_section *s)
{
    plan_node saved = buffer_of(s, s->pair.from);
    int wall = plan_scratchpad_wall(s->g);
    const analysis_loop *loop = &s->part->a->loops[s->part->first];
    saved.capacity[wall] = 1 + plan_pair_back(loop, s->pair.from, wall);
    saved.reach = (plan_span){-PLAN_FAR, 0};
    saved.alias = -1;
    saved.depth = 0;
    return saved;
}

static bool has_buffer(const scratchpad_section *s, int slot)
{
    return s->g->fields[slot].buffered && !(shares(s) && slot == s->pair.to);
}

int64_t plan_scratchpad_bytes(const scratchpad_section *s)
{
    int64_t bytes = 0;
    const plan_node shared = {.size = s->r->tile[0], .group = (int)s->r->group};
    const plan_node *group = s->r->group > 1 ? &shared : NULL;
    for (int slot = 0; slot < s->part->a->slot_count; slot++) {
        plan_node buffer = buffer_of(s, slot);
        if (has_buffer(s, slot)) bytes += plan_core_bytes(&buffer, s->part->a->slots[slot], group);
        bytes = smaller(bytes, PLAN_FAR);
    }
    plan_node saved = shares(s) ? saved_of(s) : (plan_node){.slot = 0};
    if (shares(s)) bytes += plan_core_bytes(&saved, s->part->a->slots[s->pair.from], group);
    return smaller(bytes, PLAN_FAR);
}

/* The loop of a section within the buffer that its two fields share. */
static void add_sweep(const scratchpad_section *s, plan *p, int seq)
{
    plan_node saved = saved_of(s);
    saved.window = p->count + 1; /* the number that the tile will have */
    int buffer = plan_add(p, seq, saved);
    int tile = plan_add(
        p, buffer,
        (plan_node){.kind = PLAN_TILE, .dimension = plan_scratchpad_wall(s->g), .size = 1});
    int inside = plan_add(p, tile, (plan_node){.kind = PLAN_SEQ});
    plan_add(p, inside, (plan_node){.kind = PLAN_MOVE, .slot = s->pair.from});
    plan_add(p, inside, (plan_node){.kind = PLAN_LOOP, .loop = s->part->first});
    plan_end_tile(p, tile, NULL, NULL);
}

static plan_span column_span(const void *section, const plan_node *leaf, int d)
{
    const scratchpad_section *s = section;
    int64_t at = 0;
    if (leaf->kind == PLAN_MOVE && !leaf->out) at = s->g->needs[leaf->slot][d].hi + planes_ahead(s);
    return (plan_span){at, at};
}

/* The loop of a section, plane by plane. */
static void add_column(const scratchpad_section *s, plan *p, int seq)
{
    int tile = plan_add(p, seq, (plan_node){.kind = PLAN_TILE, .dimension = s->along, .size = 1});
    int inside = plan_add(p, tile, (plan_node){.kind = PLAN_SEQ});
    if (planes_ahead(s)) add_wait(p, inside, IN, 0);
    add_moves(s, p, inside, false, 0);
    if (!planes_ahead(s)) add_wait(p, inside, IN, 0);
    plan_add_loops(p, inside, s->part, PLAN_ON_GRID);
    if (s->r->slots > 2) add_wait(p, inside, OUT, 0);
    add_moves(s, p, inside, true, 0);
    if (s->r->slots <= 2) add_wait(p, inside, OUT, 0);
    plan_end_tile(p, tile, column_span, s);
    for (int tag = IN; tag <= OUT; tag++) add_wait(p, seq, tag, 0);
}

/* Buffers in one another; returns the SEQ in the innermost. */
static int add_buffers(const scratchpad_section *s, plan *p, int parent)
{
    for (int slot = 0; slot < s->part->a->slot_count; slot++)
        if (has_buffer(s, slot)) parent = plan_add(p, parent, buffer_of(s, slot));
    return plan_add(p, parent, (plan_node){.kind = PLAN_SEQ});
}

static void add_turn(const scratchpad_section *s, plan *p, int seq)
{
    if (has_columns(s)) {
        add_column(s, p, seq);
        return;
    }
    if (!s->r->last) add_gets(s, p, seq);
    if (some(s->g, false)) add_wait(p, seq, IN, 0);
    if (shares(s))
        add_sweep(s, p, seq);
    else
        plan_add_loops(p, seq, s->part, PLAN_ON_GRID);
    add_moves(s, p, seq, true, 0);
    if (s->r->last) add_gets(s, p, seq);
}

void plan_scratchpad_add(const scratchpad_section *s, plan *p, int parent)
{
    int tiles[3], count = 0;
    int64_t group = larger(s->r->group, 1);
    for (int d = 2; d >= 0; d--) {
        plan_node tile = {.kind = PLAN_TILE,
                          .dimension = d,
                          .size = s->r->tile[d],
                          .overlap = true,
                          .siblings = (int)(larger(s->r->siblings, 1) / group),
                          .group = d == 0 && group > 1 ? (int)group : 0,
                          .bytes = count ? 0 : s->r->memory};
        tile.period[d] = s->g->period[d];
        if (plan_scratchpad_cuts(s, d)) parent = tiles[count++] = plan_add(p, parent, tile);
    }
    add_turn(s, p, add_buffers(s, p, parent));
    while (count) plan_end_tile(p, tiles[--count], plan_group_span, s->g);
}
