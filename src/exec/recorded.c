/* A chain that is recorded runs loop by loop, so that each shows what it was given and computed. */
#include "exec/home.h"

kata_status exec_run_recorded(observe_record *record, const exec_executor *executor,
                              exec_context *context, chain *c, messages *m)
{
    kata_status status = KATA_OK;
    for (size_t i = 0; i < c->count && status == KATA_OK; i++) {
        chain one = *c;
        one.loops = &c->loops[i];
        one.count = 1;
        observe_record_loop(record, &c->loops[i]);
        status = executor->run(context, &one, m);
        for (size_t s = 0; s < c->slot_count && !status; s++)
            status = exec_bring_home(context, c->slots[s], m);
        if (status == KATA_OK) observe_record_results(record, &c->loops[i]);
    }
    return status;
}
