/* How far loops have to stay behind one another when they run side by side.
 *
 * A dependence is a distance. If loop b at point q touches index q + o of a value that loop a
 * touched at p + w before, and one of them wrote it, a has to run at p = q + o - w before b at q.
 * Of all touches of a value only the extremes matter: one pass over the loops tracks them per
 * value, in index space.
 *
 * On several grids all of this counts in points of the finest grid, where points and indices have
 * their places. Suppose it has s points in a point of the loop, and f in an index of the field. If
 * the field is finer by r, then s = r f, and point p touches index r p + o: the distance is f o. If
 * it is coarser by r, then f = r s, and p touches floor(p / r) + o: between f o - (f - s) and f o.
 */
#include "analysis/analysis.h"

/* The extremes of all touches of a value so far. */
typedef struct value {
    analysis_span reads[3], writes[3];
} value;

static void wait_for(const analysis_span *before, const analysis_distance *far, analysis_span *lag)
{
    if (before->lo <= before->hi) analysis_widen(lag, before->lo + far->lo, before->hi + far->hi);
}

static bool counts(const analysis_touch *t, const int64_t *finest)
{
    return !t->scalar && (!t->remapped || t->copied || (finest && t->scaled));
}

/* The distance of a touch, in points of the finest grid. */
static analysis_distance distance_of(const analysis_loop *l, const analysis_touch *t,
                                     const int64_t *finest, int d)
{
    analysis_distance far = t->far[d];
    if (!finest || d >= l->loop->shape.rank) return far;
    const ir_param *param = &l->loop->kernel->params[t->param];
    int64_t scale = analysis_scale(finest, l->loop, d), field = scale;
    if (param->finer[d]) field = scale / param->finer[d];
    if (param->coarser[d]) field = scale * param->coarser[d];
    far.lo = far.lo * field - larger(field - scale, 0);
    far.hi = far.hi * field;
    return far;
}

static void find_lag(const analysis_loop *l, const int64_t *finest, value *const *values,
                     analysis_span lag[3])
{
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        for (int d = 0; d < 3 && counts(t, finest); d++) {
            const value *v = &values[t->slot][t->component];
            analysis_distance far = distance_of(l, t, finest, d);
            wait_for(&v->writes[d], &far, &lag[d]);
            if (t->writes) wait_for(&v->reads[d], &far, &lag[d]);
        }
    }
}

static void note_touches(const analysis_loop *l, const int64_t *finest, const analysis_span lag[3],
                         value *const *values)
{
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        for (int d = 0; d < 3 && counts(t, finest); d++) {
            value *v = &values[t->slot][t->component];
            analysis_distance far = distance_of(l, t, finest, d);
            analysis_widen(t->writes ? &v->writes[d] : &v->reads[d], lag[d].lo - far.hi,
                           lag[d].hi - far.lo);
        }
    }
}

/* Values of all slots, not yet touched. */
static value **make_values(const analysis_chain *a, arena *memory)
{
    value **values = arena_array(memory, (size_t)a->slot_count + 1, sizeof *values);
    for (int s = 0; values && s < a->slot_count; s++) {
        values[s] = arena_array(memory, (size_t)a->slots[s]->components, sizeof **values);
        if (!values[s]) return NULL;
        for (int i = 0; i < 3 * a->slots[s]->components; i++)
            values[s][i / 3].reads[i % 3] = values[s][i / 3].writes[i % 3] = ANALYSIS_NONE;
    }
    return values;
}

bool analysis_find_lags(const analysis_section *s, const int64_t *finest, analysis_span (*lags)[3])
{
    arena memory = {0};
    value **values = make_values(s->a, &memory);
    for (int l = s->first; values && l < s->end; l++) {
        if (s->a->loops[l].loop->once) continue;
        find_lag(&s->a->loops[l], finest, values, lags[l - s->first]);
        note_touches(&s->a->loops[l], finest, lags[l - s->first], values);
    }
    arena_free(&memory);
    return values;
}
