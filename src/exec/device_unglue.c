/* A chain with loops that stand for some, run loop by loop: where a device has too little for it.
 */
#include "exec/device_rings.h"
#include "exec/device_tune.h"

bool device_is_glued(const chain *c)
{
    bool some = false;
    for (size_t i = 0; i < c->count; i++) some = some || c->loops[i].at_once;
    return some;
}

/* Adds a loop of a chain, or one that its loop number i stands for. */
static bool add(exec_local *out, const chain_loop *loop, size_t i)
{
    return exec_local_add(out, loop, (int)i, &loop->box, loop->parted) && exec_local_bound(out);
}

kata_status device_run_unglued(exec_context *context, const chain *c, bool streams, messages *m)
{
    exec_local all;
    bool done = true;
    exec_local_begin(&all, c);
    for (size_t i = 0; i < c->count && done; i++) {
        const chain_at_once *some = c->loops[i].at_once;
        for (int k = 0; k < (some ? some->count : 1) && done; k++)
            done = add(&all, some ? &some->loops[k] : &c->loops[i], i);
    }
    kata_status status =
        done ? device_run_part(context, &all.chain, streams, m) : message_no_memory(m);
    exec_local_free(&all);
    device_stream_again(c);
    return status;
}
