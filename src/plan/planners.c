/* The methods, and the plan of a whole chain: one group after another. */
#include "plan/plan.h"

#include <string.h>

static bool make_nothing(plan_group *g, const plan_request *request, plan *p, int parent)
{
    (void)request;
    return plan_group_loops(g, p, parent);
}

static bool always(plan_group *g, const plan_request *request)
{
    (void)g;
    (void)request;
    return true;
}

static const plan_method plan_loops = {"loops", true, always, make_nothing};

static const plan_method *const methods[] = {
    &plan_loops,      /* one loop after another */
    &plan_skewed,     /* tiles over all loops, one after another, each loop a bit behind */
    &plan_diamond,    /* two waves of tiles that do not depend on their neighbours */
    &plan_overlapped, /* tiles that compute around themselves what others compute, too */
    &plan_streamed,   /* a window of all fields moves along one dimension */
    &plan_fused,      /* the same for fields that nobody needs afterwards */
    &plan_single,     /* one array for a field and its next value */
    &plan_blocked     /* blocks with exchanges */
};

const char *plan_method_name(int i)
{
    return i >= 0 && (size_t)i < COUNT_OF(methods) ? methods[i]->name : NULL;
}

static const plan_method *find(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(methods); i++)
        if (!strcmp(methods[i]->name, name)) return methods[i];
    return NULL;
}

static bool add_group(plan *p, int root, plan_group *g, const plan_method *method,
                      const plan_request *request)
{
    bool for_it = g->together && method->applicable(g, request);
    if (method->apart && !plan_group_before(g, p, root)) return false;
    if (for_it)
        return method->make(g, request, p, root) &&
               (!method->apart || plan_group_after(g, p, root));
    return plan_group_loops(g, p, root) && plan_group_after(g, p, root);
}

bool plan_make(plan *p, const analysis_chain *a, const plan_request *request)
{
    const plan_method *method = find(request->method);
    int root = method ? plan_add(p, 0, PLAN_SEQ) : 0;
    for (int first = 0; root && first < a->loop_count && !p->failed;) {
        plan_group g;
        bool done = plan_group_make(&g, a, first, method->apart);
        const plan_method *used = method;
        if (done && !method->apart && !(g.together && method->applicable(&g, request))) {
            plan_group_free(&g); /* the loops of such a group may wait for one another */
            done = plan_group_make(&g, a, first, true);
            used = &plan_loops;
        }
        done = done && add_group(p, root, &g, used, request);
        first = g.end;
        plan_group_free(&g);
        if (!done) p->failed = true;
    }
    return root && !p->failed;
}
