/* Windows: skewed tiles along one dimension. The fields lie in buffers of as many planes as lie
 * between the foremost read and the hindmost write. Each tile moves in the planes that it is the
 * first to touch, and moves out the planes that it is the last to touch. Fields that the group
 * writes before it reads them are not moved in; fields that nobody reads afterwards are not moved
 * out. Fields of both kinds need no memory beyond the window: temporaries of fused loops. */
#include "plan/planner.h"

/* Finds the fields that can lie in a window; `passing`: only fields that are moved neither in nor
 * out. */
static bool find_buffered(plan_group *g, bool passing)
{
    bool any = false;
    for (int s = 0; s < g->part.a->slot_count; s++) {
        plan_treatment *f = &g->fields[s];
        analysis_use use = analysis_use_of(&g->part, s);
        if (!use.touched || use.remapped) continue;
        f->in = analysis_takes(&g->part, s);
        f->out = analysis_leaves(&g->part, s);
        if (analysis_passes(&g->part, s)) f->in = f->out = false;
        f->buffered = !passing || (!f->in && !f->out);
        if (!f->buffered) f->in = f->out = false;
        any = any || f->buffered;
    }
    return any;
}

static bool applicable(plan_group *g, const plan_request *r, text *why)
{
    find_buffered(g, false);
    return plan_group_sweeps(g, r, why);
}

static bool fused_applicable(plan_group *g, const plan_request *r, text *why)
{
    if (find_buffered(g, true)) return plan_group_sweeps(g, r, why);
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

static void make(plan_group *g, const plan_request *r, plan *p, int parent)
{
    int d = plan_group_sweep(g, r);
    stream s = {g, r->prefetch ? r->tile[d] : 0};
    int64_t planes[3] = {0, 0, 0};
    planes[d] = r->tile[d] + s.ahead;
    g->cut[d] = true;
    if (!plan_group_lags(g, &g->part)) p->failed = true;
    plan_group_fronts(g, &g->part, d);
    int outer = plan_group_buffers(g, planes, p, parent);
    int tile =
        plan_add(p, outer, (plan_node){.kind = PLAN_TILE, .dimension = d, .size = r->tile[d]});
    int seq = plan_add(p, tile, (plan_node){.kind = PLAN_SEQ});
    if (s.ahead) add_waits(p, seq);
    plan_group_moves(g, p, seq, false, s.ahead ? IN : 0);
    plan_add_loops(p, seq, &g->part, PLAN_ON_GRID);
    plan_group_moves(g, p, seq, true, s.ahead ? OUT : 0);
    plan_end_tile(p, tile, window_span, &s);
    if (s.ahead) add_waits(p, outer);
}

/* There is nothing to move. */
static void make_fused(plan_group *g, const plan_request *r, plan *p, int parent)
{
    plan_request at_once = *r;
    at_once.prefetch = 0;
    make(g, &at_once, p, parent);
}

const plan_method plan_streamed = {"streamed", true, false, PLAN_TAKES_TILE | PLAN_TAKES_PREFETCH,
                                   applicable, make};
const plan_method plan_fused = {"fused",          true,      false, PLAN_TAKES_TILE,
                                fused_applicable, make_fused};
