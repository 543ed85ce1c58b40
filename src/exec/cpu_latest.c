/* A program that needs a result after each step runs the same chain again and again. If it runs
 * loop by loop, and there is no other way to try, then neither ways nor plans have to be looked
 * for: the plan is the one that was got last, and its chain was equal. */
#include "exec/cpu.h"

void cpu_latest_note(exec_context *context, const chain *c, tune_ways *ways)
{
    cpu_latest *latest = &context->cpu->latest;
    const analysis_chain *a;
    *latest = (cpu_latest){.plan = plan_cache_again(context->plans, c, &a)};
    if (!latest->plan || !latest->plan->schedule.whole || !ways->plain || !ways->key) return;
    latest->ways = ways;
    latest->bytes = sweep_chain_bytes(c);
}

bool cpu_latest_again(exec_context *context, const chain *c, cpu_work *work)
{
    const cpu_latest *latest = &context->cpu->latest;
    if (!latest->ways) return false;
    work->plan = plan_cache_again(context->plans, c, &work->a);
    if (!work->plan || work->plan != latest->plan || !work->plan->schedule.whole) return false;
    tune_search_end(latest->ways, c->count, 0, 0);
    return true;
}
