/* A plan that its proof refuses: a defect of a planner. */
#include "exec/refused.h"

kata_status exec_refuse_plan(const plan *p, const analysis_chain *a, const chain *c,
                             const char *why, messages *m)
{
    text shown = {0};
    text_add(&shown, "the chain is\n");
    chain_print(&shown, c);
    text_add(&shown, "and its plan\n");
    plan_print(&shown, p, a);
    message_begin(m, KATA_ERROR_INTERNAL, "a plan is wrong: %s", why);
    message_line(m, "%s", text_get(&shown));
    text_free(&shown);
    return message_send(m);
}
