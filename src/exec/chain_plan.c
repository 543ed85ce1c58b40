/* The plan of a chain, made once for equal chains. */
#include "exec/cpu.h"

/* What was asked for and cannot be had is said, a line for each reason. */
static void warn_of_refusals(const plan *p, int level, const char *method, const chain *c,
                             messages *m)
{
    text lines = {0};
    int loops = 0;
    for (int i = 0; i < p->refusal_count; i++) {
        const plan_refusal *r = &p->refusals[i];
        if (r->level != level) continue;
        text_add(&lines, "%s'%s'", loops ? "\n  " : "", c->loops[r->first].kernel->name);
        if (r->loops > 1) text_add(&lines, " and %d more", r->loops - 1);
        text_add(&lines, ": %s", r->why);
        loops += r->loops;
    }
    if (loops)
        message_warn(m, text_get(&lines),
                     "the method '%s' cannot be used for %d of the %zu loops of a chain: they run "
                     "one after another",
                     method, loops, c->count);
    text_free(&lines);
}

static const plan *plan_of(exec_context *context, const plan_request *request, const chain *c,
                           const analysis_chain **analysis, bool *is_new, messages *m)
{
    if (!context->plans) context->plans = plan_cache_new();
    const plan *p =
        context->plans ? plan_cache_get(context->plans, c, request, analysis, is_new) : NULL;
    if (!p) message_no_memory(m);
    return p;
}

const plan *exec_plan_quietly(exec_context *context, const plan_request *request, const chain *c,
                              const analysis_chain **analysis, messages *m)
{
    bool is_new;
    return plan_of(context, request, c, analysis, &is_new, m);
}

const plan *exec_plan_of(exec_context *context, const plan_request *request, const chain *c,
                         const analysis_chain **analysis, messages *m)
{
    bool is_new = false;
    const plan *p = plan_of(context, request, c, analysis, &is_new, m);
    for (int level = 0; p && is_new && !context->quiet && request; request = request->below)
        warn_of_refusals(p, level++, request->method, c, m);
    return p;
}
