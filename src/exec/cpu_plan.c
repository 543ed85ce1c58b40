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

/* Whether all functions are there; false also where fetching one failed: *status. */
static bool has_all_code(exec_context *context, const chain *c, const size_t *functions,
                         messages *m, kata_status *status)
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

const plan *cpu_choose_plan(exec_context *context, const chain *c, const size_t *functions,
                            const analysis_chain **a, bool *whole, messages *m)
{
    const plan_request loops = {.method = "loops"}, *asked = &context->request;
    kata_status status = KATA_OK;
    *whole = true;
    if (!asked->method) return exec_plan_of(context, &loops, c, a, m);
    const plan *p = exec_plan_of(context, asked, c, a, m);
    if (!p || p->schedule.whole) return p;
    const char *why = exec_cpu_refuses(p);
    if (why) say_refusal(context, asked->method, why, m);
    *whole = why || !has_all_code(context, c, functions, m, &status);
    if (status) return NULL;
    return *whole ? exec_plan_of(context, &loops, c, a, m) : p;
}
