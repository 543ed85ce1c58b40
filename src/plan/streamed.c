/* Windows: skewed tiles along one dimension. The fields lie in buffers of as many planes as lie
 * between the foremost read and the hindmost write. Each tile moves in the planes that it is the
 * first to touch, and moves out the planes that it is the last to touch. Fields that the group
 * writes before it reads them are not moved in; fields that nobody reads afterwards are not moved
 * out. Fields of both kinds need no memory beyond the window: temporaries of fused loops. */
#include "plan/planner.h"

/* Whether some field lies far away. Then only such fields are moved. */
static bool has_far(const plan_group *g)
{
    bool far = false;
    for (int s = 0; s < g->part.a->slot_count; s++) far = far || g->part.a->slots[s]->far;
    return far;
}

/* Finds the fields that can lie in a window while a section runs; `passing`: only fields that are
 * moved neither in nor out. */
static bool find_buffered(plan_group *g, const analysis_section *part, bool passing)
{
    bool any = false, far = has_far(g);
    for (int s = 0; s < part->a->slot_count; s++) {
        plan_treatment *f = &g->fields[s];
        analysis_use use = analysis_use_of(part, s);
        f->buffered = f->in = f->out = false;
        if (!use.touched || use.remapped || (far && !part->a->slots[s]->far)) continue;
        f->in = analysis_takes(part, s);
        f->out = analysis_leaves(part, s);
        if (analysis_passes(part, s)) f->in = f->out = false;
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
    if (find_buffered(g, &g->part, true)) return plan_group_sweeps(g, r, why);
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
    plan_group_moves(g, p, seq, false, s.ahead ? IN : 0);
    plan_add_below(g, r, part, PLAN_ON_GRID, g->cut, p, seq);
    if (s.ahead) plan_add(p, seq, (plan_node){.kind = PLAN_WAIT, .tag = OUT});
    plan_group_moves(g, p, seq, true, s.ahead ? OUT : 0);
    plan_end_tile(p, tile, window_span, &s);
    if (s.ahead) add_waits(p, outer);
}

static void make(plan_group *g, const plan_request *r, plan *p, int parent)
{
    int64_t count = plan_section_count(g, r);
    int seq = count > 1 ? plan_add(p, parent, (plan_node){.kind = PLAN_SEQ}) : parent;
    for (int64_t i = 0; i < count; i++) {
        analysis_section part = plan_section(g, count, i);
        if (find_buffered(g, &part, false))
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
    find_buffered(g, &g->part, true);
    add_section(g, &g->part, &at_once, p, parent);
}

const plan_method plan_streamed = {
    "streamed", true,
    false,      PLAN_TAKES_TILE | PLAN_TAKES_DEPTH | PLAN_TAKES_PREFETCH | PLAN_TAKES_TILES,
    applicable, make};
const plan_method plan_fused = {"fused",          true,      false, PLAN_TAKES_TILE,
                                fused_applicable, make_fused};
