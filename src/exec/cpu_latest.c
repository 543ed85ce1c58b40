/* A program that needs a result after each step runs the same chain again and again. If it runs
 * loop by loop, and there is no other way, or the search for one is in a pause, then neither ways
 * nor plans have to be looked for: the plan is the one that was got last, and its chain was equal.
 */
#include "exec/cpu.h"

/* Whether the next chain of this kind runs as the last one did. */
static bool stays(const tune_ways *w)
{
    return w->plain || (w->rests && !w->trying && w->left > 0 && w->way == w->best);
}

void cpu_latest_note(exec_context *context, const chain *c, tune_ways *ways)
{
    cpu_latest *latest = &context->cpu->latest;
    const analysis_chain *a;
    *latest = (cpu_latest){.plan = plan_cache_again(context->plans, c, &a)};
    if (!latest->plan || !latest->plan->schedule.whole || !ways->key) return;
    latest->ways = ways;
    latest->bytes = sweep_chain_bytes(c);
}

bool cpu_latest_again(exec_context *context, const chain *c, cpu_work *work)
{
    const cpu_latest *latest = &context->cpu->latest;
    const tune_ways *ways = latest->ways;
    if (!ways || !stays(ways) || ways->provisional != context->cpu->provisional) return false;
    work->plan = plan_cache_again(context->plans, c, &work->a);
    return work->plan && work->plan == latest->plan && work->plan->schedule.whole;
}

kata_status cpu_latest_run(exec_context *context, const chain *c, const cpu_work *work, messages *m)
{
    tune_ways *ways = context->cpu->latest.ways;
    double start = ways->plain ? 0 : clock_seconds();
    kata_status status = cpu_run_planned(context, work, m);
    tune_search_end(ways, c->count, ways->plain ? 0 : clock_seconds() - start, 0);
    return status;
}
