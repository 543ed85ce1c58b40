/* The list of executors, and those that interpret. */
#include "exec/refused.h"
#include "oracle/oracle.h"

#include <string.h>

static kata_status run_reference(exec_context *context, chain *c, messages *m)
{
    return oracle_run_chain(c, context->trace, context->meter, m);
}

/* Verifies the plan of a chain and runs it. A chain whose kernels may stop it is run by the
 * reference executor: which of several points is to be named does not depend on the plan. */
static kata_status run_plan(exec_context *context, chain *c, messages *m)
{
    const analysis_chain *a;
    const plan *p = exec_plan_of(context, context->request, c, &a, m);
    kata_status status = p ? KATA_OK : KATA_ERROR_MEMORY;
    text why = {0};
    bool stops = false;
    for (size_t i = 0; i < c->count; i++) stops = stops || c->loops[i].kernel->check_count > 0;
    if (stops || context->trace) return run_reference(context, c, m);
    if (p && !plan_verify(p, a, &why)) status = exec_refuse_plan(p, a, c, text_get(&why), m);
    text_free(&why);
    return status ? status : oracle_run_plan(p, a, &(oracle_plan_order){.late = true}, m);
}

const exec_executor exec_reference = {"reference", run_reference};
static const exec_executor exec_plan = {"plan", run_plan};

static const exec_executor *const executors[] = {&exec_cpu, &exec_reference, &exec_plan,
                                                 &exec_on_scratchpad};

const exec_executor *exec_find(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(executors); i++)
        if (strcmp(executors[i]->name, name) == 0) return executors[i];
    return NULL;
}

const char *exec_name(int i) { return i < (int)COUNT_OF(executors) ? executors[i]->name : NULL; }
