/* What a rank sends to others by a plan that deals a chain out, predicted from the sizes of boxes:
 * what each rank near it has around its own that is this rank's. */
#include "plan/dealt.h"

#include <stdlib.h>
#include <string.h>

typedef struct traffic {
    const plan_dealt *p;
    const plan_ranks *ranks;
    bool *sends; /* to the ranks near this one, in exchanges that are made together */
    grid_region margins;
    bool failed; /* memory was out */
    plan_messages found;
} traffic;

/* How many of a box's indices along a dimension another box has, those that lie a period away
 * included. */
static int64_t indices_along(const traffic *t, const chain_slot *slot, const grid_box *mine,
                             const grid_box *needed, int d)
{
    const int images = t->p->wraps[d] && plan_may_wrap(slot, d);
    int64_t count = 0;
    for (int i = -images; i <= images; i++) {
        const int64_t shift = i * slot->shape.size[d];
        int64_t lo = larger(mine->lo[d] + shift, needed->lo[d]);
        int64_t hi = smaller(mine->hi[d] + shift, needed->hi[d]);
        count += larger(hi - lo, 0);
    }
    return count;
}

/* How many of its own indices a rank sends to another one: those up to a span around that one's
 * own. To itself, only copies a period away. */
static int64_t indices_for(traffic *t, const chain_slot *slot, const plan_span span[3], int to)
{
    const plan_ranks *ranks = t->ranks;
    int64_t count = 0;
    if (!plan_margins(slot, ranks, to, span, t->p->wraps, &t->margins)) t->failed = true;
    for (size_t i = 0; i < t->margins.count && !t->failed; i++)
        for (int b = ranks->first[ranks->rank]; b < ranks->first[ranks->rank + 1]; b++) {
            const grid_box mine = plan_own_box(slot, ranks, b);
            int64_t indices = 1;
            for (int d = 0; d < 3; d++)
                indices *= indices_along(t, slot, &mine, &t->margins.boxes[i], d);
            count += indices;
        }
    return count;
}

static void add_exchange(traffic *t, const chain_slot *slot, const plan_span span[3])
{
    int64_t value = slot->components * (int64_t)ir_storages[slot->type].bytes;
    for (int i = 0; i < t->ranks->near_count; i++) {
        int64_t count = indices_for(t, slot, span, t->ranks->near[i]);
        t->found.messages += count && !t->sends[i];
        t->found.bytes += count * value;
        t->sends[i] = t->sends[i] || count;
    }
}

plan_messages plan_find_messages(const plan_dealt *p, const analysis_chain *a,
                                 const plan_ranks *ranks)
{
    const size_t near = (size_t)ranks->near_count;
    traffic t = {.p = p, .ranks = ranks, .sends = calloc(near + 1, sizeof *t.sends)};
    for (int i = 0; i < p->count && t.sends; i++) {
        const plan_dealt_step *step = &p->steps[i];
        bool together = i > 0 && step[-1].kind == PLAN_DEALT_EXCHANGE;
        if (step->kind != PLAN_DEALT_EXCHANGE) continue;
        if (!together) memset(t.sends, 0, near * sizeof *t.sends);
        t.found.exchanges += !together;
        add_exchange(&t, a->slots[step->slot], step->span);
    }
    free(t.sends);
    grid_region_free(&t.margins);
    if (t.failed) t.found = (plan_messages){.bytes = 0};
    return t.found;
}
