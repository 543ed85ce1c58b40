/* Which plan the cpu executor runs a chain by: the one that is asked for, or loop by loop. */
#include "exec/cpu.h"

const char *exec_cpu_refuses(const plan *p)
{
    for (int i = 1; i < p->count; i++) switch (p->nodes[i].kind) {
        case PLAN_BUFFER:
        case PLAN_MOVE:
        case PLAN_WAIT:
        case PLAN_EXCHANGE: return "fields have buffers in this plan";
        default: break;
        }
    return NULL;
}

bool cpu_has_all_code(exec_context *context, const chain *c, const size_t *functions, messages *m,
                      kata_status *status)
{
    abi_function *run = NULL;
    *status = KATA_OK;
    for (size_t i = 0; i < c->count; i++) {
        *status = cpu_compiled(context, functions[i], &c->loops[i], m, &run);
        if (*status || !run) return false;
    }
    return true;
}

static void say_refusal(exec_context *context, const char *method, const char *why, messages *m)
{
    if (context->cpu->told) return;
    context->cpu->told = true;
    message_warn(m, why, "the executor 'cpu' runs loops one after another, not as '%s' plans them",
                 method);
}

static bool plan_loops(exec_context *context, const chain *c, cpu_work *work, messages *m)
{
    const plan_request loops = {.method = "loops"};
    work->whole = true;
    work->plan = exec_plan_of(context, &loops, c, &work->a, m);
    return work->plan;
}

bool cpu_plan_by(exec_context *context, const plan_request *request, const chain *c, cpu_work *work,
                 messages *m)
{
    work->plan = exec_plan_quietly(context, request, c, &work->a, m);
    if (work->plan) work->whole = work->plan->schedule.whole;
    return work->plan;
}

bool cpu_plan_as_asked(exec_context *context, const chain *c, cpu_work *work, messages *m)
{
    const plan_request *asked = &context->request;
    kata_status status = KATA_OK;
    if (!asked->method) return plan_loops(context, c, work, m);
    const plan *p = work->plan = exec_plan_of(context, asked, c, &work->a, m);
    work->whole = true;
    if (!p || p->schedule.whole) return p;
    const char *why = exec_cpu_refuses(p);
    if (why) say_refusal(context, asked->method, why, m);
    work->whole = why || !cpu_has_all_code(context, c, work->functions, m, &status);
    return !status && (!work->whole || plan_loops(context, c, work, m));
}
