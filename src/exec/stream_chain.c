/* Streaming a chain: as it is, or in sections that are rolled out where fields are periodic. */
#include "exec/streams.h"

#include <string.h>

void stream_setup(exec_streams *s, exec_context *context, const stream_memory *memory)
{
    *s = (exec_streams){.context = context, .memory = memory, .deepest = memory->depth};
    if (!context->ranks) context->across = (sweep_ranks){.gather = stream_gather, .data = context};
}

void stream_take_request(exec_streams *s)
{
    exec_context *context = s->context;
    plan_request *r = context->request;
    if (context->fastest || s->asked.method || strcmp(r->method, "streamed") != 0) return;
    s->asked = *r;
    s->asked.below = NULL;
    if (s->memory->ahead) s->asked.prefetch = 1;
    if (!s->memory->give) s->asked.rims = 0;
    context->fastest = !r->below;
    for (; r->below; r++) {
        *r = *r->below;
        if (r->below) r->below = r + 1;
    }
}

const chain_slot *stream_far_slot(const chain *c)
{
    for (size_t i = 0; i < c->slot_count; i++)
        if (c->slots[i]->far) return c->slots[i];
    return NULL;
}

kata_status stream_chain(exec_streams *s, chain *c, messages *m)
{
    analysis_chain a;
    kata_status status;
    const int64_t memory = s->memory->left(s, stream_far_slot(c));
    stream_take_request(s);
    if (!analysis_chain_make(c, &a))
        status = message_no_memory(m);
    else if (stream_has_seam(&a))
        status = stream_run_seams(s, c, &a, m);
    else
        status = stream_run_chain(s, c, &a, memory, m);
    analysis_chain_free(&a);
    return status;
}
