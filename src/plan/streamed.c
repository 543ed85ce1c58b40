/* Windows: skewed tiles along one dimension. The fields lie in buffers of as many planes as lie
 * between the foremost read and the hindmost write. Each tile moves in the planes that it is the
 * first to touch, and moves out the planes that it is the last to touch. Fields that the group
 * writes before it reads them are not moved in; where it writes all but a rim of them, only the rim
 * is, if that is small. Fields are not moved out if nobody reads afterwards what was written.
 * Fields of both kinds need no memory beyond the window: temporaries of fused loops. */
#include "plan/planner.h"

/* Whether some field lies far away. Then only such fields are moved. */
static bool has_far(const plan_group *g)
{
    bool far = false;
    for (int s = 0; s < g->part.a->slot_count; s++) far = far || g->part.a->slots[s]->far;
    return far;
}

/* Whether what is left of the planes of a field beside a box is at most 1/`of` of them. */
static bool is_rim(const plan_group *g, int slot, const grid_box *made, int64_t of)
{
    const grid_box all = chain_slot_memory(g->part.a->slots[slot]);
    const int d = all.hi[2] - all.lo[2] > 1 ? 2 : 1;
    grid_box plane = all, inside = *made;
    plane.lo[d] = inside.lo[d] = 0;
    plane.hi[d] = inside.hi[d] = 1;
    const int64_t points = grid_box_points(&plane), left = points - grid_box_points(&inside);
    return !grid_box_is_empty(made) && left <= points / of;
}

static void find_moves(plan_group *g, const analysis_section *part, const plan_request *r, int s)
{
    plan_treatment *f = &g->fields[s];
    f->in = analysis_takes(part, s);
    f->out = analysis_leaves(part, s) && !analysis_ends(part, s);
    if (analysis_passes(part, s)) f->in = f->out = false;
    f->made = (grid_box){{0, 0, 0}, {0, 0, 0}};
    if (!f->in || !r->rims) return;
    const grid_box made = analysis_made(part, s);
    if (is_rim(g, s, &made, r->rims)) f->made = made;
}

/* Finds the fields that can lie in a window while a section runs; `passing`: only fields that are
 * moved neither in nor out. */
static bool find_buffered(plan_group *g, const analysis_section *part, const plan_request *r,
                          bool passing)
{
    bool any = false, far = has_far(g);
    for (int s = 0; s < part->a->slot_count; s++) {
        plan_treatment *f = &g->fields[s];
        analysis_use use = analysis_use_of(part, s);
        f->buffered = f->in = f->out = false;
        if (!use.touched || use.remapped || (far && !part->a->slots[s]->far)) continue;
        find_moves(g, part, r, s);
        f->buffered = !passing || (!f->in && !f->out);
        if (!f->buffered) f->in = f->out = false;
        any = any || f->buffered;
    }
    return any;
}

static bool applicable(plan_group *g, const plan_request *r, text *why)
{
    return plan_group_sweeps(g, r, why);
}

static bool fused_applicable(plan_group *g, const plan_request *r, text *why)
{
    if (find_buffered(g, &g->part, r, true)) return plan_group_sweeps(g, r, why);
    text_add(why, "no field is made and used up within these loops");
    return false;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

enum { IN = 1, OUT };

typedef struct stream {
    const plan_group *g;
    int64_t ahead; /* moves run so many planes ahead of the work; 0: they are done at once */
} stream;

static plan_span window_span(const void *data, const plan_node *leaf, int d)
{
    const stream *s = data;
    int64_t at;
    if (leaf->kind == PLAN_LOOP)
        at = -s->g->lags[leaf->loop - s->g->part.first][d].hi;
    else
        at = leaf->out ? s->g->fields[leaf->slot].margin[d].lo
                       : s->g->fields[leaf->slot].margin[d].hi + s->ahead;
    return (plan_span){at, at};
}

static void add_waits(plan *p, int parent)
{
    for (int tag = IN; tag <= OUT; tag++)
        plan_add(p, parent, (plan_node){.kind = PLAN_WAIT, .tag = tag});
}

/* Moves of what lies around the box that is made. */
static void add_rims(const plan_group *g, plan *p, int parent, int slot, int tag)
{
    const grid_box all = chain_slot_memory(g->part.a->slots[slot]);
    grid_box pieces[6];
    const int count = grid_box_subtract(&all, &g->fields[slot].made, pieces);
    for (int i = 0; i < count; i++) {
        plan_node move = {.kind = PLAN_MOVE, .slot = slot, .tag = tag};
        for (int d = 0; d < 3; d++) move.only[d] = (plan_span){pieces[i].lo[d], pieces[i].hi[d]};
        plan_add(p, parent, move);
    }
}

static void add_moves_in(const plan_group *g, plan *p, int parent, int tag)
{
    for (int s = 0; s < g->part.a->slot_count; s++) {
        if (!g->fields[s].in) continue;
        if (grid_box_is_empty(&g->fields[s].made))
            plan_add(p, parent, (plan_node){.kind = PLAN_MOVE, .slot = s, .tag = tag});
        else
            add_rims(g, p, parent, s, tag);
    }
}

static void add_section(plan_group *g, const analysis_section *part, const plan_request *r, plan *p,
                        int parent)
{
    int d = plan_group_sweep(g, r);
    stream s = {g, r->prefetch ? r->tile[d] : 0};
    int64_t planes[3] = {0, 0, 0};
    planes[d] = r->tile[d] + 2 * s.ahead; /* those that come in, and those that still go out */
    g->cut[d] = g->in_window = true;
    if (!plan_group_lags(g, part)) p->failed = true;
    plan_group_fronts(g, part, d);
    int outer = plan_group_buffers(g, planes, p, parent);
    int tile =
        plan_add(p, outer, (plan_node){.kind = PLAN_TILE, .dimension = d, .size = r->tile[d]});
    int seq = plan_add(p, tile, (plan_node){.kind = PLAN_SEQ});
    if (s.ahead) plan_add(p, seq, (plan_node){.kind = PLAN_WAIT, .tag = IN});
    add_moves_in(g, p, seq, s.ahead ? IN : 0);
    plan_add_below(g, r, part, PLAN_ON_GRID, g->cut, p, seq);
    if (s.ahead) plan_add(p, seq, (plan_node){.kind = PLAN_WAIT, .tag = OUT});
    plan_group_moves(g, p, seq, true, s.ahead ? OUT : 0);
    plan_end_tile(p, tile, window_span, &s);
    if (s.ahead) add_waits(p, outer);
}

/* Points of fields far away whose values wait to be read behind a section that ends before a loop.
 */
static int64_t points_that_wait(const plan_group *g, int end)
{
    int64_t points = 0;
    for (int s = 0; s < g->part.a->slot_count; s++) {
        const chain_slot *slot = g->part.a->slots[s];
        const grid_box all = chain_slot_memory(slot);
        if (slot->far && analysis_lasts(g->part.a, end, s))
            points += grid_box_points(&all) * slot->components;
    }
    return points;
}

/* The section that begins with a loop. All are about equally deep; but each ends where few values
 * wait, which go out there and come in again. */
static analysis_section section_from(const plan_group *g, const plan_request *r, int first)
{
    const int64_t rest = g->part.end - first, depth = r->depth ? r->depth : rest;
    const int64_t count = (rest + depth - 1) / depth;
    const int last = first + (int)((rest + count - 1) / count);
    analysis_section part = {g->part.a, first, last};
    if (last == g->part.end) return part;
    int64_t least = points_that_wait(g, last);
    for (int end = last - 1; end > last - depth / 4 && least > 0; end--) {
        const int64_t waiting = points_that_wait(g, end);
        if (waiting < least) part.end = end;
        least = smaller(least, waiting);
    }
    return part;
}

static void make(plan_group *g, const plan_request *r, plan *p, int parent)
{
    const bool several = plan_section_count(g, r) > 1;
    int seq = several ? plan_add(p, parent, (plan_node){.kind = PLAN_SEQ}) : parent;
    analysis_section part = {g->part.a, g->part.first, g->part.first};
    while (part.end < g->part.end) {
        part = section_from(g, r, part.end);
        if (find_buffered(g, &part, r, false))
            add_section(g, &part, r, p, seq);
        else
            plan_add_loops(p, seq, &part, PLAN_ON_GRID);
    }
}

/* There is nothing to move. */
static void make_fused(plan_group *g, const plan_request *r, plan *p, int parent)
{
    plan_request at_once = *r;
    at_once.prefetch = 0;
    find_buffered(g, &g->part, r, true);
    add_section(g, &g->part, &at_once, p, parent);
}

const plan_method plan_streamed = {
    "streamed", true,
    false,      PLAN_TAKES_TILE | PLAN_TAKES_DEPTH | PLAN_TAKES_PREFETCH | PLAN_TAKES_TILES,
    applicable, make};
const plan_method plan_fused = {"fused",          true,      false, PLAN_TAKES_TILE,
                                fused_applicable, make_fused};
