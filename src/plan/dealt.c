/* Dealing a chain out to ranks. Loops are met in their order; those that suit are taken together to
 * sections, as long as the points that they compute around a rank's own stay few. */
#include "plan/dealt.h"

#include <stdlib.h>
#include <string.h>

enum {
    EXCHANGE_POINTS = 20000, /* that are computed in about the time of an exchange */
    MANY_LOOPS = 16          /* more loops in a section save few exchanges each */
};

typedef struct dealer {
    plan_dealt *p;
    const analysis_chain *a;
    plan_home *homes;
    plan_span (*needs)[3];   /* by slot, of a section: around a rank's own indices, before it */
    plan_span (*extents)[3]; /* by loop of the section */
    bool *replaced;          /* by slot: the section has written all of it */
    arena memory;
} dealer;

static plan_dealt_step *add_step(dealer *d, plan_dealt_kind kind)
{
    void *steps = d->p->steps;
    size_t count = (size_t)d->p->count;
    if (!vector_reserve(&steps, &d->p->capacity, count + 1, sizeof *d->p->steps)) return NULL;
    d->p->steps = steps;
    d->p->steps[count] = (plan_dealt_step){.kind = kind};
    d->p->count++;
    return &d->p->steps[count];
}

/* ---- sections -------------------------------------------------------------------------------- */

static bool is_written(const analysis_loop *l, int slot)
{
    for (int i = 0; i < l->touch_count; i++)
        if (l->touches[i].writes && l->touches[i].slot == slot) return true;
    return false;
}

static bool reads(const analysis_loop *l, int slot)
{
    for (int i = 0; i < l->touch_count; i++)
        if (!l->touches[i].writes && l->touches[i].slot == slot) return true;
    return false;
}

/* Whether a loop reads a field whole that a section before it writes. */
static bool gathers_from(const dealer *d, int first, int end, const analysis_loop *l)
{
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        if (t->scalar || dealt_follows(d->p, l, t)) continue;
        for (int k = first; k < end; k++)
            if (is_written(&d->a->loops[k], t->slot)) return true;
    }
    return false;
}

/* Whether what a section needs is near enough: a rank's neighbours have it. */
static bool is_near(const dealer *d)
{
    bool near = true;
    for (int s = 0; s < d->a->slot_count; s++) {
        const grid_shape grid = chain_slot_grid(d->a->slots[s]);
        for (int k = 0; k < 3; k++) {
            const plan_span *need = &d->needs[s][k];
            if (need->lo || need->hi)
                near = near && larger(-need->lo, need->hi) <= dealt_thinnest(d->p, k, grid.size[k]);
        }
    }
    return near;
}

/* How many points a section may compute twice: an eighth of all, or so few that they take less time
 * than the exchanges that they save. Of many loops, a 32nd. */
static double most_twice(const dealer *d, int first, int end)
{
    static const plan_span none[3];
    double own = 0, few = EXCHANGE_POINTS * (end - first - 1);
    for (int l = first; l < end; l++) own += dealt_points(d->p, &d->a->loops[l], none);
    if (end - first > MANY_LOOPS) return own / 32;
    return own / 8 > few ? own / 8 : few;
}

/* Finds the extents and needs of a section; false where they reach too far. */
static bool may_run(dealer *d, int first, int end)
{
    const analysis_section section = {d->a, first, end};
    double most = most_twice(d, first, end);
    bool may = dealt_find_extents(d->p, &section, most, d->needs, d->extents);
    for (int l = first; l < end && may; l++)
        may = dealt_may_extend(d->p, &d->a->loops[l], d->extents[l - first]);
    if (!may) return false; /* most sections that are tried: they are too long */
    dealt_find_needs(d->p, &section, d->extents, d->replaced, d->needs);
    return is_near(d);
}

/* Of many loops, a section a third shorter is tried next; of fewer, one a loop shorter. */
static int shorter(int first, int end)
{
    int loops = end - first, few = loops - loops / 3;
    return loops <= MANY_LOOPS ? end - 1 : first + (int)larger(few, MANY_LOOPS);
}

/* The end of a long section from a loop on; `first` where not even this loop suits. */
static int find_section(dealer *d, int first)
{
    int end = first;
    while (end < d->a->loop_count && end < first + larger(d->p->every, 1) &&
           dealt_suits(d->p, d->homes, &d->a->loops[end]) &&
           !gathers_from(d, first, end, &d->a->loops[end]))
        end++;
    while (end > first && !may_run(d, first, end)) end = shorter(first, end);
    return end;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static bool is_valid(const dealer *d, int slot)
{
    const plan_home *home = &d->homes[slot];
    bool valid = true;
    for (int k = 0; k < 3 && !home->whole; k++)
        valid = valid && home->valid[k].lo <= d->needs[slot][k].lo &&
                home->valid[k].hi >= d->needs[slot][k].hi;
    return valid;
}

/* What was valid before stays so: what is valid then is a box again, also at its corners. */
static bool add_exchange(dealer *d, int slot)
{
    plan_dealt_step *step = add_step(d, PLAN_DEALT_EXCHANGE);
    plan_span *valid = d->homes[slot].valid;
    if (!step) return false;
    step->slot = slot;
    for (int k = 0; k < 3; k++) {
        valid[k].lo = smaller(valid[k].lo, d->needs[slot][k].lo);
        valid[k].hi = larger(valid[k].hi, d->needs[slot][k].hi);
        step->span[k] = valid[k];
        d->homes[slot].images[k] = d->p->wraps[k];
        d->p->margin[k] = larger(d->p->margin[k], larger(-valid[k].lo, valid[k].hi));
    }
    return true;
}

static bool add_gather(dealer *d, int slot)
{
    plan_dealt_step *step = d->homes[slot].whole ? NULL : add_step(d, PLAN_DEALT_GATHER);
    if (step) step->slot = slot;
    bool done = step || d->homes[slot].whole;
    d->homes[slot].whole = true;
    return done;
}

/* After a loop has run in parts: around a rank's own indices, those are valid that it has computed,
 * and, where it leaves old values, were so before. */
static void note_written(dealer *d, const analysis_loop *l, const plan_span extent[3])
{
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        if (!t->writes || t->scalar) continue;
        plan_home *home = &d->homes[t->slot];
        if (!home->whole && !dealt_replaces(l->loop, t->param)) continue;
        for (int k = 0; k < 3; k++) home->valid[k] = (plan_span){-PLAN_FAR, PLAN_FAR};
        memcpy(home->images, d->p->wraps, sizeof home->images);
        home->whole = false;
    }
    for (int i = 0; i < l->touch_count; i++)
        for (int k = 0; k < 3 && l->touches[i].writes && !l->touches[i].scalar; k++) {
            plan_home *home = &d->homes[l->touches[i].slot];
            plan_span *valid = &home->valid[k];
            home->images[k] = home->images[k] && d->p->wraps[k];
            plan_span done = dealt_completed(d->p, l, &l->touches[i], k, extent[k]);
            valid->lo = larger(valid->lo, smaller(done.lo, 0));
            valid->hi = smaller(valid->hi, larger(done.hi, 0));
        }
}

static void note_margin(dealer *d, const analysis_loop *l, const plan_span extent[3])
{
    for (int i = 0; i < l->touch_count; i++)
        for (int k = 0; k < 3; k++) {
            const analysis_touch *t = &l->touches[i];
            if (t->scalar || !dealt_is_cut(d->p, k) || !dealt_follows(d->p, l, t)) continue;
            plan_span far = dealt_touched(d->p, l, t, k, extent[k]);
            d->p->margin[k] = larger(d->p->margin[k], larger(-far.lo, far.hi));
        }
}

static bool add_parts(dealer *d, int first, int end)
{
    bool done = true;
    for (int l = first; l < end && done; l++) {
        const analysis_loop *loop = &d->a->loops[l];
        for (int i = 0; i < loop->touch_count && done; i++)
            if (!loop->touches[i].scalar && !dealt_follows(d->p, loop, &loop->touches[i]))
                done = add_gather(d, loop->touches[i].slot);
    }
    for (int s = 0; s < d->a->slot_count && done; s++)
        if (!is_valid(d, s)) done = add_exchange(d, s);
    for (int l = first; l < end && done; l++) {
        plan_dealt_step *step = add_step(d, PLAN_DEALT_PART);
        done = step;
        if (!step) break;
        step->loop = l;
        memcpy(step->span, d->extents[l - first], sizeof step->span);
        note_margin(d, &d->a->loops[l], step->span);
        note_written(d, &d->a->loops[l], step->span);
    }
    return done;
}

/* Also fields that its kernel takes and does not touch are whole. */
static bool add_whole(dealer *d, int number)
{
    const analysis_loop *l = &d->a->loops[number];
    const chain_loop *loop = l->loop;
    bool done = true;
    for (int p = 0; p < loop->kernel->param_count && done; p++) {
        const chain_slot *slot = loop->bindings[p].slot;
        if (!slot || slot->is_scalar) continue;
        if (!dealt_replaces(loop, p) || reads(l, slot->number)) done = add_gather(d, slot->number);
        d->homes[slot->number].whole = true;
    }
    plan_dealt_step *step = done ? add_step(d, PLAN_DEALT_WHOLE) : NULL;
    if (step) step->loop = number;
    return step;
}

/* A chain before, in which a side did not wrap, has left no copies beyond it. */
static void find_wraps(dealer *d)
{
    for (int l = 0; l < d->a->loop_count; l++)
        for (int k = 0; k < 3; k++)
            if (dealt_is_cut(d->p, k) && dealt_suits(d->p, d->homes, &d->a->loops[l]) &&
                analysis_is_periodic(&d->a->loops[l], k))
                d->p->wraps[k] = true;
    for (int s = 0; s < d->a->slot_count; s++)
        for (int k = 0; k < 3; k++)
            if (d->p->wraps[k] && !d->homes[s].images[k]) d->homes[s].valid[k] = (plan_span){0, 0};
}

bool plan_deal(plan_dealt *p, const analysis_chain *a, plan_home *homes)
{
    dealer d = {.p = p, .a = a, .homes = homes};
    size_t slots = (size_t)a->slot_count + 1, loops = (size_t)larger(p->every, 1);
    d.needs = arena_array(&d.memory, slots, sizeof *d.needs);
    d.replaced = arena_array(&d.memory, slots, sizeof *d.replaced);
    d.extents = arena_array(&d.memory, loops, sizeof *d.extents);
    bool done = d.needs && d.replaced && d.extents;
    if (done) find_wraps(&d);
    for (int l = 0; l < a->loop_count && done;) {
        int end = find_section(&d, l);
        done = end > l ? add_parts(&d, l, end) : add_whole(&d, l);
        l = end > l ? end : l + 1;
    }
    arena_free(&d.memory);
    return done;
}

void plan_dealt_free(plan_dealt *p)
{
    free(p->steps);
    p->steps = NULL;
    p->count = 0;
    p->capacity = 0;
}

void plan_dealt_print(text *out, const plan_dealt *p, const analysis_chain *a)
{
    static const char *const names[] = {"exchange", "gather", "part", "whole"};
    for (int i = 0; i < p->count; i++) {
        const plan_dealt_step *s = &p->steps[i];
        bool loop = s->kind == PLAN_DEALT_PART || s->kind == PLAN_DEALT_WHOLE;
        bool spans = s->kind == PLAN_DEALT_EXCHANGE || s->kind == PLAN_DEALT_PART;
        text_add(out, "%s %s %d", names[s->kind], loop ? "loop" : "field",
                 loop ? s->loop : s->slot);
        for (int k = 0; k < 3 && spans; k++)
            if (dealt_is_cut(p, k))
                text_add(out, " %c %lld %lld", "xyz"[k], (long long)s -> span[k].lo,
                         (long long)s->span[k].hi);
        if (loop) text_add(out, " # %s", a->loops[s->loop].loop->kernel->name);
        text_add(out, "\n");
    }
}
