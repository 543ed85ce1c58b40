/* Where the values of a slot come from in consecutive loops, and who needs them afterwards. */
#include "analysis/passing.h"

#include <string.h>

static void add_use(const analysis_touch *t, analysis_use *use)
{
    if (t->scalar) return;
    use->loops += use->last != t->loop + 1;
    use->last = t->loop + 1;
    use->touched = true;
    use->written = use->written || t->writes;
    use->remapped = use->remapped || (t->remapped && !t->copied);
}

const analysis_touch *const *analysis_touches_from(const analysis_chain *a, int slot, int loop)
{
    const analysis_touch *const *first = a->touches[slot];
    size_t count = (size_t)(a->touches[slot + 1] - 1 - first);
    while (count) { /* it is none of those before `first`, but of the next `count` or behind them */
        size_t half = count / 2;
        bool before = first[half]->loop < loop;
        if (before) first += half + 1;
        count = before ? count - half - 1 : half;
    }
    return first;
}

analysis_use analysis_use_of(const analysis_section *s, int slot)
{
    analysis_use use = {0};
    const analysis_touch *const *at = analysis_touches_from(s->a, slot, s->first);
    for (; *at && (*at)->loop < s->end; at++) add_use(*at, &use);
    return use;
}

void analysis_find_uses(const analysis_section *s, analysis_use *uses)
{
    memset(uses, 0, (size_t)s->a->slot_count * sizeof *uses);
    for (int l = s->first; l < s->end; l++)
        for (int i = 0; i < s->a->loops[l].touch_count; i++) {
            const analysis_touch *t = &s->a->loops[l].touches[i];
            add_use(t, &uses[t->slot]);
        }
}

/* Whether a touch writes all of a component, whatever it was before. */
static bool makes_all(const chain_slot *slot, const analysis_touch *t)
{
    grid_box all = chain_slot_memory(slot);
    bool here = true;
    for (int d = 0; d < 3; d++) here = here && !t->lo[d] && !t->hi[d];
    return t->writes && !t->partial && here && !t->remapped && grid_box_contains(&t->at, &all);
}

typedef enum first_use { UNUSED, MADE, FOUND } first_use;

/* How loops touch a component first: they write all of it, or they read what was there before. */
static first_use first_use_of(const analysis_section *s, int slot, int component)
{
    int made = -1; /* the loop that writes all of it */
    const analysis_touch *const *at = analysis_touches_from(s->a, slot, s->first);
    for (; *at && (*at)->loop < s->end; at++) {
        const analysis_touch *t = *at;
        if (made >= 0 && t->loop != made) break;
        if (t->component != component) continue;
        if (!makes_all(s->a->slots[slot], t)) return FOUND;
        made = t->loop;
    }
    return made < 0 ? UNUSED : MADE;
}

bool analysis_takes(const analysis_section *s, int slot)
{
    for (int c = 0; c < s->a->slots[slot]->components; c++)
        if (first_use_of(s, slot, c) != MADE) return true;
    return false;
}

bool analysis_lasts(const analysis_chain *a, int end, int slot)
{
    analysis_section rest = {a, end, a->loop_count};
    for (int c = 0; c < a->slots[slot]->components; c++) {
        first_use next = first_use_of(&rest, slot, c);
        if (next == FOUND || (next == UNUSED && !a->dead[slot])) return true;
    }
    return false;
}

bool analysis_leaves(const analysis_section *s, int slot)
{
    return analysis_use_of(s, slot).written && analysis_lasts(s->a, s->end, slot);
}
