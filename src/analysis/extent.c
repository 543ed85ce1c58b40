/* Extents and needs around a point, found backwards through consecutive loops. */
#include "analysis/analysis.h"

static bool is_none(analysis_span s) { return s.lo > s.hi; }

/* Where a loop must be computed to give the outputs that are needed. */
static void find_extent(const analysis_loop *l, analysis_span (*needs)[3], analysis_span extent[3])
{
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        for (int d = 0; d < 3 && t->writes && !t->scalar && !t->remapped; d++) {
            analysis_span need = needs[t->slot][d];
            if (is_none(need)) continue;
            analysis_widen(&extent[d], need.lo - t->hi[d], need.hi - t->lo[d]);
        }
    }
}

/* Which inputs it then needs. */
static void find_needs(const analysis_loop *l, const analysis_span extent[3],
                       analysis_span (*needs)[3])
{
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        bool reads = (!t->writes || t->partial) && !t->scalar && !t->remapped;
        for (int d = 0; d < 3 && reads; d++) {
            analysis_distance far = t->far[d];
            if (is_none(extent[d])) continue;
            analysis_widen(&needs[t->slot][d], extent[d].lo + far.lo, extent[d].hi + far.hi);
        }
    }
}

void analysis_find_extents(const analysis_section *s, analysis_span (*needs)[3],
                           analysis_span (*extents)[3])
{
    for (int l = s->end - 1; l >= s->first; l--) {
        if (s->a->loops[l].loop->once) continue;
        find_extent(&s->a->loops[l], needs, extents[l - s->first]);
        find_needs(&s->a->loops[l], extents[l - s->first], needs);
    }
}

bool analysis_is_hazard(const analysis_section *s, int slot, analysis_span need)
{
    return (need.lo || need.hi) && analysis_leaves(s, slot) && analysis_takes(s, slot);
}
