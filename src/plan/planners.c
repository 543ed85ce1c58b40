/* The methods, and the plan of a whole chain: one group after another. */
#include "plan/planner.h"

#include <string.h>

static void make_in_order(plan_group *g, const plan_request *request, plan *p, int parent)
{
    (void)request;
    plan_add_loops(p, parent, &g->part, g->what);
}

static const plan_method plan_loops = {"loops", false, false, PLAN_IN_TILES, NULL, make_in_order};

static const plan_method *const methods[] = {
    &plan_loops,      /* one loop after another */
    &plan_skewed,     /* tiles over all loops, one after another, each loop a bit behind */
    &plan_diamond,    /* two waves of tiles that do not depend on their neighbours */
    &plan_tiled,      /* one of these two, with sizes that suit a cache */
    &plan_shared,     /* skewed, along one dimension, in a cache that all threads share */
    &plan_overlapped, /* tiles that compute around themselves what others compute, too */
    &plan_windowed,   /* the same, with sections and sizes that suit a cache */
    &plan_sliding,    /* overlapped tiles, in which windows of a few rows slide */
    &plan_streamed,   /* a window of all fields moves along one dimension */
    &plan_fused,      /* the same for fields that nobody needs afterwards */
    &plan_single,     /* one array for a field and its next value */
    &plan_blocked     /* blocks with exchanges */
};

const char *plan_method_name(int i)
{
    return i >= 0 && (size_t)i < COUNT_OF(methods) ? methods[i]->name : NULL;
}

const plan_method *plan_method_find(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(methods); i++)
        if (!strcmp(methods[i]->name, name)) return methods[i];
    return NULL;
}

/* ---- plans ----------------------------------------------------------------------------------- */

static bool suits(const plan_method *method, plan_group *g, const plan_request *request, text *why)
{
    if (g->whole) text_add(why, "%s", g->whole);
    return !g->whole && (!method->applicable || method->applicable(g, request, why));
}

static plan_add_groups add_groups; /* again, for what lies in tiles */

/* The group that begins with a loop. What is cut around does not close there. */
static bool make_group(plan_group *g, const plan_inside *in, int first, bool apart, bool ratios)
{
    if (!plan_group_make(g, in->part.a, first, apart, ratios && !in->around)) return false;
    g->part.end = (int)smaller(g->part.end, in->part.end);
    g->what = in->what;
    g->add_groups = add_groups;
    if (!in->around) return true;
    g->level = in->around->level + 1;
    g->in_window = in->around->in_window;
    for (int d = 0; d < 3; d++) {
        g->around[d] = in->cut[d];
        if (in->cut[d]) g->period[d] = 0;
    }
    return true;
}

/* Plans the group that begins with a loop; returns its end. */
static int add_group(plan *p, int root, const plan_inside *in, int first, const plan_method *method,
                     const plan_request *request)
{
    plan_group g;
    text why = {0};
    bool made = make_group(&g, in, first, method->apart, method->ratios);
    bool suited = made && suits(method, &g, request, &why);
    if (made && !suited && g.finest[0]) { /* a part of it, on one grid, may suit */
        text_free(&why);
        plan_group_free(&g);
        made = make_group(&g, in, first, method->apart, false);
        suited = made && suits(method, &g, request, &why);
    }
    if (!suited && !method->apart) { /* its loops may wait for one another */
        plan_group_free(&g);
        made = make_group(&g, in, first, true, false);
    }
    if (!suited && method != &plan_loops && made) plan_refuse(p, &g.part, g.level, text_get(&why));
    if (!suited) method = &plan_loops;
    if (made && method->apart) plan_add_loops(p, root, &g.part, g.what & PLAN_ONCE);
    if (made) method->make(&g, request, p, root);
    if (made && method->apart) plan_add_loops(p, root, &g.part, g.what & PLAN_REDUCED);
    if (!made || why.failed) p->failed = true;
    text_free(&why);
    plan_group_free(&g);
    return g.part.end;
}

static void add_groups(plan *p, int root, const plan_inside *in, const plan_request *request)
{
    const plan_method *method = plan_method_find(request->method);
    if (!method) p->failed = true;
    for (int first = in->part.first; first < in->part.end && !p->failed;)
        first = add_group(p, root, in, first, method, request);
}

bool plan_make(plan *p, const analysis_chain *a, const plan_request *request)
{
    const plan_inside all = {{a, 0, a->loop_count},
                             PLAN_ONCE | PLAN_ON_GRID | PLAN_REDUCED,
                             NULL,
                             {false, false, false}};
    int root = plan_add(p, 0, (plan_node){.kind = PLAN_SEQ});
    if (root) add_groups(p, root, &all, request);
    return root && !p->failed && plan_schedule_make(p, a);
}
