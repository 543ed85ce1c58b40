/* Why loops are not streamed. */
#include "exec/streams.h"

#include <stdio.h>
#include <string.h>

static bool is_far(const chain_loop *loop)
{
    bool far = false;
    for (int p = 0; p < loop->kernel->param_count; p++)
        far = far || (loop->bindings[p].slot && loop->bindings[p].slot->far);
    return far;
}

void stream_note_home(exec_streams *s, const chain_loop *loop, int64_t loops, const char *why)
{
    int i = 0;
    if (!is_far(loop)) return;
    while (i < s->reason_count && (strcmp(s->reasons[i].why, why) != 0 ||
                                   strcmp(s->reasons[i].kernel, loop->kernel->name) != 0))
        i++;
    if (i == STREAM_REASONS) return;
    stream_reason *r = &s->reasons[i];
    if (i == s->reason_count) {
        s->reason_count++;
        snprintf(r->kernel, sizeof r->kernel, "%s", loop->kernel->name);
        snprintf(r->why, sizeof r->why, "%s", why);
    }
    r->loops += loops;
}

void stream_note_refusals(exec_streams *s, const chain *c, const plan *p)
{
    for (int i = 0; i < p->refusal_count; i++)
        if (p->refusals[i].level == 0)
            stream_note_home(s, &c->loops[p->refusals[i].first], p->refusals[i].loops,
                             p->refusals[i].why);
}
