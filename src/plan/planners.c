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
    &plan_blocked,    /* blocks with exchanges */
    &plan_scratchpad  /* overlapped tiles, in turns, for cores with small memories */
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
static bool make_group(plan_group *g, const plan *p, const plan_inside *in, int first,
                       plan_mixture of)
{
    of.ratios = of.ratios && !in->around;
    if (!plan_group_make(g, in->part.a, first, of)) return false;
    g->part.end = (int)smaller(g->part.end, in->part.end);
    g->p = p;
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

/* Whether some of its loops have reductions, and others do not. */
static bool is_mixed(const plan_group *g)
{
    int reducing = 0;
    for (int l = g->part.first; l < g->part.end; l++) reducing += g->part.a->loops[l].reduces;
    return reducing > 0 && reducing < g->part.end - g->part.first;
}

/* What is being planned. Where a group does not suit the method with reductions, and does without,
 * it and those behind it go without. */
typedef struct planning {
    plan *p;
    int root;
    const plan_inside *in;
    const plan_method *method;
    const plan_request *request;
    bool sums;
    text why; /* a group does not suit the method */
} planning;

/* Makes the group that begins with a loop, and says whether it suits the method. */
static bool make_suited(planning *w, plan_group *g, int first, bool ratios, bool *made)
{
    const plan_mixture of = {.apart = w->method->apart,
                             .ratios = ratios,
                             .copies = w->method->takes & PLAN_IN_TILES,
                             .sums = w->sums};
    text_free(&w->why);
    *made = make_group(g, w->p, w->in, first, of);
    return *made && suits(w->method, g, w->request, &w->why);
}

/* The same, of the loops that suit it together: all that can be, those on one grid, or those
 * without reductions. */
static bool find_suited(planning *w, plan_group *g, int first, bool *made)
{
    bool suited = make_suited(w, g, first, w->method->ratios, made);
    if (*made && !suited && g->finest[0]) {
        plan_group_free(g);
        suited = make_suited(w, g, first, false, made);
    }
    if (!*made || suited || !w->sums || !is_mixed(g)) return suited;
    w->sums = false;
    plan_group_free(g);
    suited = make_suited(w, g, first, false, made);
    if (!*made || suited) return suited;
    w->sums = true; /* the reason for all loops says more */
    plan_group_free(g);
    return make_suited(w, g, first, false, made);
}

/* Plans the group that begins with a loop; returns its end. */
static int add_group(planning *w, int first)
{
    const plan_method *method = w->method;
    plan_group g;
    bool made, suited = find_suited(w, &g, first, &made);
    if (!suited && !method->apart) { /* its loops may wait for one another */
        plan_group_free(&g);
        made = make_group(&g, w->p, w->in, first, (plan_mixture){.apart = true, .sums = w->sums});
    }
    if (!suited && method != &plan_loops && made)
        plan_refuse(w->p, &g.part, g.level, text_get(&w->why));
    if (!suited) method = &plan_loops;
    if (made && method->apart) plan_add_loops(w->p, w->root, &g.part, g.what & PLAN_ONCE);
    if (made) method->make(&g, w->request, w->p, w->root);
    if (made && method->apart) plan_add_loops(w->p, w->root, &g.part, g.what & PLAN_REDUCED);
    if (!made || w->why.failed) w->p->failed = true;
    plan_group_free(&g);
    return g.part.end;
}

static void add_groups(plan *p, int root, const plan_inside *in, const plan_request *request)
{
    planning w = {p, root, in, plan_method_find(request->method), request, true, {0}};
    if (!w.method) p->failed = true;
    for (int first = in->part.first; first < in->part.end && !p->failed;)
        first = add_group(&w, first);
    text_free(&w.why);
}

static bool build(plan *p, const analysis_chain *a, const plan_request *request)
{
    const plan_inside all = {{a, 0, a->loop_count},
                             PLAN_ONCE | PLAN_ON_GRID | PLAN_REDUCED,
                             NULL,
                             {false, false, false}};
    int root = plan_add(p, 0, (plan_node){.kind = PLAN_SEQ});
    if (root) add_groups(p, root, &all, request);
    return root && !p->failed;
}

bool plan_make(plan *p, const analysis_chain *a, const plan_request *request)
{
    bool built = build(p, a, request);
    if (built && !strcmp(request->method, plan_blocked.name))
        plan_blocks_unite(p, a, request, build);
    return built && !p->failed && plan_schedule_make(p, a);
}
