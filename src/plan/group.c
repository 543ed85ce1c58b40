/* Groups of loops: what binds them, and what each has to keep to its neighbours.
 *
 * A dependence is a distance. If loop b at point q touches index q + o of a value that loop a
 * touched at p + w before, and one of them wrote it, a has to run at p = q + o - w before b at q.
 * Of all that touched a value only the extremes matter: they are kept per value, in index space,
 * while the loops are gone through once. */
#include "plan/plan.h"

#include <string.h>

/* ---- grouping -------------------------------------------------------------------------------- */

static bool is_scalar(const analysis_chain *a, const analysis_touch *t)
{
    return a->slots[t->slot]->is_scalar;
}

static bool is_plain(const analysis_loop *l, const analysis_touch *t)
{
    static const ir_param plain;
    return ir_param_same_place(&l->loop->kernel->params[t->param], &plain);
}

/* What the loops of a group do to a slot, as bits. Odd: not at the points themselves. */
enum { TOUCHED = 1, WRITTEN = 2, ODD = 4, ODD_WRITTEN = 8, READ = 16, REDUCED = 32 };

typedef struct bonds {
    const analysis_chain *a;
    unsigned char *slots;
    const grid_shape *shape; /* of the first loop on a grid */
    bool apart;
} bonds;

/* The bits that keep a loop with a touch out of the group. */
static unsigned refused_bits(const bonds *b, const analysis_loop *l, const analysis_touch *t)
{
    bool once = l->loop->once;
    if (is_scalar(b->a, t)) /* what runs before the others must not change what they find */
        return !b->apart ? 0 : !t->writes ? REDUCED : once ? REDUCED | READ : 0;
    bool odd = !is_plain(l, t);
    return t->writes ? (odd ? TOUCHED : ODD) : (odd ? WRITTEN : ODD_WRITTEN);
}

static unsigned bits_of(const bonds *b, const analysis_loop *l, const analysis_touch *t)
{
    if (is_scalar(b->a, t)) return l->loop->once ? 0 : t->writes ? REDUCED : READ;
    bool odd = !is_plain(l, t);
    return TOUCHED | (odd ? ODD : 0) | (t->writes ? (odd ? WRITTEN | ODD_WRITTEN : WRITTEN) : 0);
}

/* Adds a loop unless something keeps it out. */
static bool join(bonds *b, const analysis_loop *l)
{
    if (!l->loop->once && b->shape && !grid_shape_equal(b->shape, &l->loop->shape)) return false;
    for (int i = 0; i < l->touch_count; i++)
        if (b->slots[l->touches[i].slot] & refused_bits(b, l, &l->touches[i])) return false;
    for (int i = 0; i < l->touch_count; i++)
        b->slots[l->touches[i].slot] |= (unsigned char)bits_of(b, l, &l->touches[i]);
    if (!l->loop->once) b->shape = &l->loop->shape;
    return true;
}

/* What fails first must be found first; and some loops cannot be cut. */
static bool is_alone(const analysis_loop *l) { return l->checks || l->whole; }

/* A longer field, or one with ghosts, has no copies a period apart; a coloured point may not read a
 * copy of itself. */
static bool cannot_wrap(const plan_group *g, const analysis_loop *l, const analysis_touch *t, int d)
{
    if (is_scalar(g->a, t) || !is_plain(l, t)) return false;
    grid_box inside = chain_binding_inside(&l->loop->bindings[t->param]);
    if (inside.lo[d] != 0 || inside.hi[d] != g->period[d]) return true;
    return l->loop->colors > 1 && larger(-t->lo[d], t->hi[d]) >= g->period[d];
}

static void find_dimensions(plan_group *g)
{
    for (int l = g->first; l < g->end; l++) {
        const analysis_loop *loop = &g->a->loops[l];
        for (int d = loop->loop->shape.rank; d < 3 && !loop->loop->once; d++) g->fixed[d] = true;
        if (loop->columns) g->fixed[loop->loop->kernel->ordered] = true;
        for (int t = 0; t < loop->touch_count && !loop->loop->once; t++) {
            const analysis_touch *touch = &loop->touches[t];
            if (is_scalar(g->a, touch)) continue;
            for (int d = 0; d < 3; d++)
                if (analysis_distance_of(loop, touch, d).periodic)
                    g->period[d] = loop->loop->shape.size[d];
        }
    }
    for (int l = g->first; l < g->end; l++) {
        const analysis_loop *loop = &g->a->loops[l];
        const grid_box *box = &loop->loop->box;
        for (int d = 0; d < 3 && !loop->loop->once; d++)
            if (g->period[d] && (box->lo[d] < 0 || box->hi[d] > g->period[d])) g->fixed[d] = true;
        for (int t = 0; t < loop->touch_count && !loop->loop->once; t++)
            for (int d = 0; d < 3; d++)
                if (g->period[d] && cannot_wrap(g, loop, &loop->touches[t], d)) g->fixed[d] = true;
    }
}

bool plan_group_make(plan_group *g, const analysis_chain *a, int first, bool apart)
{
    *g = (plan_group){.a = a, .first = first, .end = first + 1, .together = true};
    bonds b = {.a = a, .apart = apart};
    b.slots = arena_array(&g->memory, (size_t)a->slot_count + 1, sizeof *b.slots);
    bool stops = !b.slots || is_alone(&a->loops[first]) || !join(&b, &a->loops[first]);
    while (!stops && g->end < a->loop_count && !is_alone(&a->loops[g->end]) &&
           join(&b, &a->loops[g->end]))
        g->end++;
    size_t loops = (size_t)(g->end - first), slots = (size_t)a->slot_count + 1;
    g->low = arena_array(&g->memory, loops, sizeof *g->low);
    g->high = arena_array(&g->memory, loops, sizeof *g->high);
    g->need_low = arena_array(&g->memory, slots, sizeof *g->need_low);
    g->need_high = arena_array(&g->memory, slots, sizeof *g->need_high);
    find_dimensions(g);
    if (a->loops[first].whole) g->together = false;
    for (int l = first; l < g->end; l++) /* one with such fields only is alone and not cut */
        for (int t = 0; t < a->loops[l].touch_count; t++)
            if (a->loops[l].touches[t].writes && !is_scalar(a, &a->loops[l].touches[t]) &&
                !is_plain(&a->loops[l], &a->loops[l].touches[t]))
                g->together = false;
    return b.slots && g->low && g->high && g->need_low && g->need_high;
}

void plan_group_free(plan_group *g) { arena_free(&g->memory); }

/* ---- shifts ---------------------------------------------------------------------------------- */

/* Of all touches of a value so far, the largest of shift - lo, and of shift + hi. */
typedef struct extreme {
    int64_t low, high;
    bool any;
} extreme;

typedef struct value_extremes {
    extreme reads[3], writes[3];
} value_extremes;

static void take_in(extreme *e, int64_t low, int64_t high)
{
    e->low = e->any ? larger(e->low, low) : low;
    e->high = e->any ? larger(e->high, high) : high;
    e->any = true;
}

static void wait_for(const extreme *e, const analysis_distance *far, int64_t *low, int64_t *high)
{
    if (!e->any) return;
    *high = larger(*high, e->high + far->hi);
    *low = larger(*low, e->low - far->lo);
}

/* The places of a slot's components in a table of values. */
static int *value_starts(const analysis_chain *a, arena *memory, int *total)
{
    int *start = arena_array(memory, (size_t)a->slot_count + 1, sizeof *start);
    *total = 0;
    for (int s = 0; start && s < a->slot_count; s++) {
        start[s] = *total;
        *total += a->slots[s]->components;
    }
    return start;
}

static void shift_loop(plan_group *g, int l, value_extremes *values, const int *start, bool note)
{
    const analysis_loop *loop = &g->a->loops[l];
    int64_t *low = g->low[l - g->first], *high = g->high[l - g->first];
    for (int t = 0; t < loop->touch_count; t++) {
        const analysis_touch *touch = &loop->touches[t];
        if (is_scalar(g->a, touch) || !is_plain(loop, touch)) continue;
        value_extremes *v = &values[start[touch->slot] + touch->component];
        for (int d = 0; d < 3; d++) {
            analysis_distance far = analysis_distance_of(loop, touch, d);
            if (!note) {
                wait_for(&v->writes[d], &far, &low[d], &high[d]);
                if (touch->writes) wait_for(&v->reads[d], &far, &low[d], &high[d]);
            } else {
                take_in(touch->writes ? &v->writes[d] : &v->reads[d], low[d] + far.hi,
                        high[d] - far.lo);
            }
        }
    }
}

bool plan_group_shifts(plan_group *g)
{
    arena memory = {0};
    int total;
    int *start = value_starts(g->a, &memory, &total);
    value_extremes *values = arena_array(&memory, (size_t)total + 1, sizeof *values);
    size_t loops = (size_t)(g->end - g->first);
    memset(g->low, 0, loops * sizeof *g->low);
    memset(g->high, 0, loops * sizeof *g->high);
    for (int l = g->first; start && values && l < g->end; l++) {
        if (g->a->loops[l].loop->once) continue;
        shift_loop(g, l, values, start, false);
        shift_loop(g, l, values, start, true);
    }
    bool done = start && values;
    arena_free(&memory);
    return done;
}

/* ---- growth ---------------------------------------------------------------------------------- */

static void grow_loop(plan_group *g, int l, bool reads)
{
    const analysis_loop *loop = &g->a->loops[l];
    int64_t *low = g->low[l - g->first], *high = g->high[l - g->first];
    for (int t = 0; t < loop->touch_count; t++) {
        const analysis_touch *touch = &loop->touches[t];
        if (is_scalar(g->a, touch) || !is_plain(loop, touch)) continue;
        int64_t *need_low = g->need_low[touch->slot], *need_high = g->need_high[touch->slot];
        for (int d = 0; d < 3; d++) {
            if (!reads && touch->writes) {
                low[d] = larger(low[d], need_low[d] + touch->hi[d]);
                high[d] = larger(high[d], need_high[d] - touch->lo[d]);
            } else if (reads && (!touch->writes || touch->keeps)) {
                analysis_distance far = analysis_distance_of(loop, touch, d);
                need_low[d] = larger(need_low[d], low[d] - far.lo);
                need_high[d] = larger(need_high[d], high[d] + far.hi);
            }
        }
    }
}

bool plan_group_growth(plan_group *g, int begin, int end)
{
    size_t slots = (size_t)g->a->slot_count + 1;
    memset(g->need_low, 0, slots * sizeof *g->need_low);
    memset(g->need_high, 0, slots * sizeof *g->need_high);
    for (int l = end - 1; l >= begin; l--) {
        memset(g->low[l - g->first], 0, sizeof *g->low);
        memset(g->high[l - g->first], 0, sizeof *g->high);
        if (g->a->loops[l].loop->once) continue;
        grow_loop(g, l, false);
        grow_loop(g, l, true);
    }
    return true;
}

static void widen(plan_span *span, int64_t low, int64_t high)
{
    span->lo = -larger(-span->lo, low);
    span->hi = larger(span->hi, high);
}

void plan_group_widen(const plan_group *g, int begin, int end, int slot, int d, plan_span *span)
{
    widen(span, g->need_low[slot][d], g->need_high[slot][d]);
    for (int l = begin; l < end; l++)
        for (int t = 0; t < g->a->loops[l].touch_count; t++) {
            const analysis_touch *touch = &g->a->loops[l].touches[t];
            if (touch->slot == slot && touch->writes)
                widen(span, g->low[l - g->first][d] - touch->lo[d],
                      g->high[l - g->first][d] + touch->hi[d]);
        }
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* What the loops begin..end-1 do first to a component: 0 nothing, 1 write all of it, 2 something
 * else. */
static int first_touch(const analysis_chain *a, int begin, int end, int slot, int component)
{
    for (int l = begin; l < end; l++) {
        const analysis_loop *loop = &a->loops[l];
        bool writes_all = false, other = false;
        for (int t = 0; t < loop->touch_count; t++) {
            const analysis_touch *touch = &loop->touches[t];
            grid_box all = chain_slot_memory(a->slots[slot]);
            if (touch->slot != slot || touch->component != component) continue;
            bool here = !touch->lo[0] && !touch->lo[1] && !touch->lo[2] && !touch->hi[0] &&
                        !touch->hi[1] && !touch->hi[2];
            if (touch->writes && !touch->keeps && here && is_plain(loop, touch) &&
                grid_box_contains(&touch->at, &all))
                writes_all = true;
            else
                other = true;
        }
        if (other) return 2;
        if (writes_all) return 1;
    }
    return 0;
}

bool plan_group_takes(const plan_group *g, int slot)
{
    for (int c = 0; c < g->a->slots[slot]->components; c++)
        if (first_touch(g->a, g->first, g->end, slot, c) != 1) return true;
    return false;
}

bool plan_group_leaves(const plan_group *g, int slot)
{
    if (!plan_group_writes(g, slot)) return false;
    for (int c = 0; c < g->a->slots[slot]->components; c++) {
        int next = first_touch(g->a, g->end, g->a->loop_count, slot, c);
        if (next == 2 || (next == 0 && !g->a->dead[slot])) return true;
    }
    return false;
}

static bool any_touch(const plan_group *g, int slot, bool writes, bool odd)
{
    for (int l = g->first; l < g->end; l++)
        for (int t = 0; t < g->a->loops[l].touch_count; t++) {
            const analysis_touch *touch = &g->a->loops[l].touches[t];
            if (touch->slot == slot && (!writes || touch->writes) &&
                (!odd || !is_plain(&g->a->loops[l], touch)))
                return true;
        }
    return false;
}

bool plan_group_writes(const plan_group *g, int slot) { return any_touch(g, slot, true, false); }
bool plan_group_touches(const plan_group *g, int slot) { return any_touch(g, slot, false, false); }
bool plan_group_plain(const plan_group *g, int slot) { return !any_touch(g, slot, false, true); }

/* ---- nodes ----------------------------------------------------------------------------------- */

static bool add_loop(plan *p, int parent, plan_kind kind, int loop)
{
    int node = plan_add(p, parent, kind);
    if (node) p->nodes[node].loop = loop;
    return node;
}

bool plan_group_before(const plan_group *g, plan *p, int parent)
{
    for (int l = g->first; l < g->end; l++)
        if (g->a->loops[l].loop->once && !add_loop(p, parent, PLAN_SCALAR, l)) return false;
    return true;
}

bool plan_group_after(const plan_group *g, plan *p, int parent)
{
    for (int l = g->first; l < g->end; l++)
        if (!g->a->loops[l].loop->once && g->a->loops[l].reduces &&
            !add_loop(p, parent, PLAN_SCALAR, l))
            return false;
    return true;
}

bool plan_group_loops(const plan_group *g, plan *p, int parent)
{
    for (int l = g->first; l < g->end; l++)
        if (!g->a->loops[l].loop->once && !add_loop(p, parent, PLAN_LOOP, l)) return false;
    return true;
}
