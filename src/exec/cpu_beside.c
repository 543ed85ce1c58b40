/* Tiles of a wave run at once, and some fill memory around fields with the values outside the grid,
 * unless these are constants (cpu_constants.c). Whatever one of them fills, no other may touch
 * meanwhile. Each loop is told which of its values others have filled; a loop that would have to
 * fill what others fill, too, reads copies. */
#include "exec/cpu.h"

#include <string.h>

static const int64_t IN_ORDER = INT64_C(1) << 40; /* more than any reach */

static const sweep_loop *sweep_of(const cpu_chain *c, const plan_wave *wave, int k)
{
    return cpu_step_of(c, c->schedule->loops[wave->first + k].loop)->sweep;
}

static const chain_loop *loop_of(const cpu_chain *c, const plan_wave *wave, int k)
{
    return cpu_loop_of(c, c->schedule->loops[wave->first + k].loop);
}

/* How far a loop of a wave lags behind another one, at least, in its own points. Dimensions that
 * are not cut, and independent tiles, keep the order of the loops. */
static sweep_lag find_lag(const cpu_chain *c, const plan_wave *wave, int before, int after)
{
    const plan_wave_loop *a = &c->schedule->loops[wave->first + before];
    const plan_wave_loop *b = &c->schedule->loops[wave->first + after];
    sweep_lag lag;
    for (int d = 0; d < 3; d++) lag.behind[d] = lag.inside[d] = IN_ORDER;
    for (int i = wave->independent; i < wave->count; i++) {
        int64_t behind = a->span[i].lo - b->span[i].lo, inside = b->seam[i].lo - a->seam[i].lo;
        lag.behind[wave->dimension[i]] = floor_divide(behind, b->scale[i]);
        if (wave->period[i]) lag.inside[wave->dimension[i]] = floor_divide(inside, b->scale[i]);
    }
    return lag;
}

/* Independent tiles run in any order: there a loop finds what another one before it has filled if
 * that one has run its points in the same tile. */
static void forget_others(const cpu_chain *c, const plan_wave *wave, int before, int after,
                          sweep_lag *lag)
{
    const plan_wave_loop *a = &c->schedule->loops[wave->first + before];
    const plan_wave_loop *b = &c->schedule->loops[wave->first + after];
    for (int i = 0; i < wave->independent; i++)
        if (a->span[i].lo > b->span[i].lo || a->span[i].hi < b->span[i].hi ||
            a->scale[i] != b->scale[i])
            lag->behind[wave->dimension[i]] = -IN_ORDER;
}

static bool writes(const cpu_chain *c, const plan_wave *wave, int k, int slot, int component)
{
    const analysis_loop *l = &c->a->loops[c->schedule->loops[wave->first + k].loop];
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        if (t->writes && !t->scalar && t->slot == slot && t->component == component) return true;
    }
    return false;
}

/* Copies have no functions, and fill nothing. */
static int fill_count(const cpu_chain *c, const plan_wave *wave, int k)
{
    return loop_of(c, wave, k)->copy ? 0 : sweep_fill_count(sweep_of(c, wave, k));
}

static int wrap_count(const cpu_chain *c, const plan_wave *wave, int k)
{
    return loop_of(c, wave, k)->copy ? 0 : sweep_wrap_count(sweep_of(c, wave, k));
}

static bool fills(const cpu_chain *c, const plan_wave *wave, int k, const chain_slot *slot,
                  int component)
{
    const sweep_loop *l = sweep_of(c, wave, k);
    int other;
    for (int f = 0; f < fill_count(c, wave, k); f++)
        if (sweep_fill_slot(l, f, loop_of(c, wave, k), &other) == slot && other == component)
            return true;
    return false;
}

static bool wraps(const cpu_chain *c, const plan_wave *wave, int k, const chain_slot *slot,
                  int component)
{
    const sweep_loop *l = sweep_of(c, wave, k);
    int other;
    for (int i = 0; i < wrap_count(c, wave, k); i++)
        if (sweep_wrap_slot(l, i, loop_of(c, wave, k), &other) == slot && other == component)
            return true;
    return false;
}

/* The relation of a fill to those of one loop before. Where that loop has changed the values, the
 * fill must only come after all that the loop reads. */
static sweep_relation relation_to(const cpu_chain *c, const plan_wave *wave, int k, int fill,
                                  int before, bool changed)
{
    const sweep_loop *a = sweep_of(c, wave, before), *b = sweep_of(c, wave, k);
    sweep_lag lag = find_lag(c, wave, before, k);
    int component, other;
    const chain_slot *slot = sweep_fill_slot(b, fill, loop_of(c, wave, k), &component);
    for (int f = 0; f < fill_count(c, wave, before); f++) {
        if (sweep_fill_slot(a, f, loop_of(c, wave, before), &other) != slot || other != component)
            continue;
        if (!changed) forget_others(c, wave, before, k, &lag);
        if (!changed) return sweep_fill_relation(a, f, b, fill, &lag);
        return sweep_fill_follows(a, f, b, fill, &lag) ? SWEEP_APART : SWEEP_CLASHES;
    }
    return SWEEP_APART;
}

/* The relation of a fill to those of all loops before. A loop runs after a write of what it reads
 * in every dimension, and the write after all that read the value before. Only a loop that changes
 * the values which it reads itself, points of a colour, reads and writes at once. */
static sweep_relation relation(const cpu_chain *c, const plan_wave *wave, int k, int fill)
{
    int component;
    const chain_slot *slot =
        sweep_fill_slot(sweep_of(c, wave, k), fill, loop_of(c, wave, k), &component);
    for (int before = k - 1; before >= 0; before--) {
        bool changed = writes(c, wave, before, slot->number, component);
        sweep_relation r = relation_to(c, wave, k, fill, before, changed);
        if (changed || r != SWEEP_APART) return r;
        if (wraps(c, wave, before, slot, component)) return SWEEP_CLASHES;
    }
    return SWEEP_APART;
}

/* Whether a loop changes cells that a loop before may still read, for none writes between them. */
static bool wraps_clash(const cpu_chain *c, const plan_wave *wave, int k)
{
    const sweep_loop *l = sweep_of(c, wave, k);
    for (int i = 0, component; i < wrap_count(c, wave, k); i++) {
        const chain_slot *slot = sweep_wrap_slot(l, i, loop_of(c, wave, k), &component);
        if (writes(c, wave, k, slot->number, component)) continue;
        for (int before = k - 1; before >= 0; before--) {
            if (fills(c, wave, before, slot, component)) return true;
            if (writes(c, wave, before, slot->number, component)) break;
            if (wraps(c, wave, before, slot, component)) return true;
        }
    }
    return false;
}

/* Whether each point of all loops lies in one tile only, and independent tiles fill nothing in
 * common. */
static bool is_cut_clean(const cpu_chain *c, const plan_wave *wave)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (int k = 0; k < wave->loops; k++) {
        const plan_wave_loop *part = &c->schedule->loops[wave->first + k];
        for (int i = wave->independent; i < wave->count; i++)
            if (part->span[i].lo != part->span[i].hi ||
                (wave->period[i] && part->seam[i].lo != part->seam[i].hi))
                return false;
        least = smaller(least, part->span[0].lo);
        most = larger(most, part->span[0].hi);
    }
    return !wave->independent || most <= least;
}

static bool fills_apart(const cpu_chain *c, const plan_wave *wave, int k)
{
    const plan_wave_loop *part = &c->schedule->loops[wave->first + k];
    int64_t second = (wave->tiles[0].lo + 1) * wave->size[0] + part->span[0].lo;
    int64_t last = wave->tiles[0].hi * wave->size[0] + part->span[0].hi;
    second = analysis_coarse(second, part->scale[0]);
    last = analysis_coarse(last, part->scale[0]);
    return !wave->independent ||
           sweep_fills_apart(sweep_of(c, wave, k), wave->dimension[0], second, last);
}

static bool are_all(uint64_t fills, int count)
{
    return count == SWEEP_MOST_FILLS ? !~fills : fills == (UINT64_C(1) << count) - 1;
}

/* Sets which fills of a loop its tiles leave out; false: it clashes with others. */
static bool settle_loop(cpu_chain *c, const plan_wave *wave, int k, bool clean)
{
    int count = fill_count(c, wave, k);
    uint64_t *filled = &c->filled[wave->first + k];
    *filled = c->constants[wave->first + k];
    if (wrap_count(c, wave, k) && (!clean || wraps_clash(c, wave, k))) return false;
    if (count > SWEEP_MOST_FILLS) return false;
    if (!count || are_all(*filled, count)) return true;
    if (!clean || !fills_apart(c, wave, k)) return false;
    for (int f = 0; f < count; f++) {
        if (*filled >> f & 1) continue;
        sweep_relation r = relation(c, wave, k, f);
        if (r == SWEEP_CLASHES) return false;
        if (r == SWEEP_FILLED) *filled |= UINT64_C(1) << f;
    }
    return true;
}

/* Settles a wave; the first loop that clashes with others is prepared again, to read copies, and
 * *again is set. False, reported, when memory is out. */
static bool settle_wave(cpu_chain *c, const plan_wave *wave, bool *again)
{
    bool clean = is_cut_clean(c, wave);
    if (!cpu_find_constants(c, wave)) return false;
    for (int k = 0; k < wave->loops; k++) {
        if (settle_loop(c, wave, k, clean)) continue;
        *again = true;
        if (!cpu_prepare_copies(c, c->steps[c->schedule->loops[wave->first + k].loop].same))
            return false;
    }
    return true;
}

bool cpu_settle_fills(cpu_chain *c)
{
    bool done = true;
    for (bool again = true; again && done;) {
        again = false;
        for (int i = 0; i < c->schedule->count && done; i++)
            if (c->schedule->steps[i].kind == PLAN_STEP_WAVE)
                done = settle_wave(c, &c->schedule->steps[i].wave, &again);
    }
    return done;
}
