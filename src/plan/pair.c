/* A field and its next value: loops after which the one is not read again may have both in one
 * memory. */
#include "plan/planner.h"

static bool is_pair(const analysis_section *loop, plan_pair x)
{
    const analysis_chain *a = loop->a;
    analysis_use from = analysis_use_of(loop, x.from);
    return from.touched && !from.written && !from.remapped && !analysis_takes(loop, x.to) &&
           chain_slot_alike(a->slots[x.from], a->slots[x.to]) &&
           !analysis_lasts(a, loop->end, x.from);
}

bool plan_pair_find(const plan_group *g, int l, plan_pair *out)
{
    analysis_section loop = {g->part.a, l, l + 1};
    const chain_loop *of = g->part.a->loops[l].loop;
    if (of->once || of->colors > 1) return false;
    for (out->to = 0; out->to < g->part.a->slot_count; out->to++) {
        if (!analysis_use_of(&loop, out->to).written) continue;
        for (out->from = 0; out->from < g->part.a->slot_count; out->from++)
            if (is_pair(&loop, *out)) return true;
    }
    return false;
}

int64_t plan_pair_back(const analysis_loop *l, int slot, int d)
{
    int64_t back = 0;
    for (int t = 0; t < l->touch_count; t++)
        if (l->touches[t].slot == slot) back = larger(back, -l->touches[t].far[d].lo);
    return back;
}
