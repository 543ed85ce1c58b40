/* Loops of a chain that runs loop by loop, which threads run one after another without leaving
 * (run_relay.c). All of them are prepared before the first begins. Where somebody asks how long
 * each loop takes, each runs by itself. */
#include "exec/cpu.h"

static bool may_relay(const cpu_chain *c, const plan_step *step)
{
    if (step->kind != PLAN_STEP_LOOP || !sweep_may_relay(cpu_loop_of(c, step->loop))) return false;
    return c->context->cpu->functions[c->steps[step->loop].function].run;
}

int cpu_relay_length(const cpu_chain *c, int step)
{
    const exec_context *context = c->context;
    const plan_schedule *s = c->schedule;
    int count = 0;
    bool plain =
        c->whole && !context->timeline && !context->meter && c->failing == c->a->loop_count;
    while (plain && count < SWEEP_RELAY && step + count < s->count &&
           may_relay(c, &s->steps[step + count]))
        count++;
    return count > 1 ? count : 1;
}

bool cpu_run_relay(cpu_chain *c, int step, int count)
{
    sweep_loop *sweeps[SWEEP_RELAY] = {NULL};
    bool done = true;
    for (int i = 0; i < count && done; i++)
        done = cpu_prepare(c, c->schedule->steps[step + i].loop); /* may move arrays */
    for (int i = 0; i < count && done; i++) {
        const int loop = c->schedule->steps[step + i].loop;
        done = cpu_begin(c, loop);
        sweeps[i] = c->steps[loop].sweep;
    }
    if (done && !sweep_run_relay(sweeps, count)) done = cpu_no_memory(c);
    for (int i = 0; i < count; i++) cpu_release(&c->steps[c->schedule->steps[step + i].loop]);
    return done;
}
