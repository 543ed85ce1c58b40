/* Dealing a chain out to ranks. Loops are met in their order; those that suit are taken together to
 * sections, as long as the points that they compute around a rank's own stay few. */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

typedef struct dealer {
    plan_dealt *p;
    const analysis_chain *a;
    plan_home *homes;
    plan_span (*needs)[3];   /* by slot, of a section: around a rank's own indices, before it */
    plan_span (*extents)[3]; /* by loop of the section */
    plan_span (*inputs)[3];  /* by slot: for analysis_find_extents */
    bool *replaced;          /* by slot: the section has written all of it */
    arena memory;
} dealer;

static bool is_cut(const dealer *d, int dimension) { return d->p->parts[dimension] > 1; }

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

/* Whether a loop writes all that a field stores, also ghosts and faces that its rules hide. */
static bool replaces(const chain_loop *loop, int param)
{
    if (!analysis_writes_whole(loop, param)) return false;
    grid_box all = chain_slot_memory(loop->bindings[param].slot);
    grid_box written = analysis_surely_written(loop, param);
    return grid_box_contains(&written, &all);
}

/* ---- loops that suit ------------------------------------------------------------------------- */

enum { FEW_POINTS = 1 << 15 }; /* of a grid: whole loops take less time than messages */

bool plan_is_dealt(const grid_shape *shape, bool small)
{
    const grid_box all = grid_shape_box(shape);
    return small || grid_box_points(&all) >= FEW_POINTS;
}

static bool suits_grid(const dealer *d, const grid_shape *shape)
{
    bool suits = plan_is_dealt(shape, d->p->small), cut = false;
    for (int k = 0; k < 3; k++) {
        if (!is_cut(d, k)) continue;
        cut = true;
        suits = suits && k < shape->rank && shape->size[k] >= 2 * d->p->parts[k];
    }
    return suits && cut;
}

/* Whether the indices of a field are those of the loop's grid, along dimensions that are cut. */
static bool is_alike(const dealer *d, const analysis_touch *t)
{
    return !t->remapped && !(t->level && is_cut(d, t->level - 1));
}

/* Whether a field may be dealt out that a loop writes, or reads at its own indices. */
static bool suits_field(const dealer *d, const analysis_loop *l, const analysis_touch *t)
{
    const chain_binding *b = &l->loop->bindings[t->param];
    const chain_slot *slot = b->slot;
    if (d->homes[t->slot].fixed) return false;
    for (int k = 0; k < 3; k++) {
        if (!is_cut(d, k)) continue;
        bool wraps = grid_boundary_is_periodic(b->boundary, k);
        analysis_distance far = analysis_distance_of(l, t, k);
        if (wraps && (slot->ghosts[k] || slot->staggered[k])) return false;
        if (larger(-far.lo, far.hi) > l->loop->shape.size[k] / d->p->parts[k]) return false;
    }
    return true;
}

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

/* Whether a loop may run in parts. Its fields that are finer, coarser or lack dimensions are whole,
 * so it does not write those. */
static bool suits(const dealer *d, const analysis_loop *l)
{
    const chain_loop *loop = l->loop;
    if (loop->once || loop->copy || l->gathers || l->uncuttable || l->checks) return false;
    if (!suits_grid(d, &loop->shape)) return false;
    for (int k = 0; k < 3; k++) {
        bool beyond = loop->box.lo[k] < 0 || loop->box.hi[k] > loop->shape.size[k];
        if (is_cut(d, k) && loop->kernel->order[k] != IR_UNORDERED) return false;
        for (int i = 0; i < l->touch_count && is_cut(d, k) && beyond; i++)
            if (!l->touches[i].scalar &&
                grid_boundary_is_periodic(loop->bindings[l->touches[i].param].boundary, k))
                return false;
    }
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        if (t->scalar) continue;
        if (is_alike(d, t) ? !suits_field(d, l, t) : is_written(l, t->slot)) return false;
    }
    return true;
}

/* ---- sections -------------------------------------------------------------------------------- */

/* Whether a loop may run beyond periodic sides: there, too, points find what they find a period
 * away. */
static bool may_wrap(const analysis_loop *l, int dimension)
{
    const chain_loop *loop = l->loop;
    if (loop->kernel->guarded || loop->colors > 1 || l->reduces) return false;
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        if (!t->scalar && !t->remapped &&
            !grid_boundary_is_periodic(loop->bindings[t->param].boundary, dimension))
            return false;
    }
    return true;
}

static bool is_periodic(const analysis_loop *l, int dimension)
{
    for (int i = 0; i < l->touch_count; i++)
        if (!l->touches[i].scalar &&
            grid_boundary_is_periodic(l->loop->bindings[l->touches[i].param].boundary, dimension))
            return true;
    return false;
}

/* Whether a loop may compute so far around a rank's own points. */
static bool may_extend(const dealer *d, const analysis_loop *l, const plan_span extent[3])
{
    for (int k = 0; k < 3; k++) {
        if (!extent[k].lo && !extent[k].hi) continue;
        int64_t part = l->loop->shape.size[k] / d->p->parts[k];
        if (l->reduces || larger(-extent[k].lo, extent[k].hi) > part) return false;
        if (d->p->wraps[k] && !may_wrap(l, k)) return false;
    }
    return true;
}

/* Sets the extents of a section, which hold a rank's own points; false where some loop may not
 * extend so far. */
static bool find_extents(dealer *d, int first, int end)
{
    const analysis_section section = {d->a, first, end};
    bool good = true;
    memset(d->inputs, 0, (size_t)d->a->slot_count * sizeof *d->inputs);
    memset(d->extents, 0, (size_t)(end - first) * sizeof *d->extents);
    analysis_find_extents(&section, d->inputs, d->extents);
    for (int l = first; l < end; l++) {
        plan_span *extent = d->extents[l - first];
        for (int k = 0; k < 3; k++)
            if (!is_cut(d, k)) extent[k] = (plan_span){0, 0};
        good = good && may_extend(d, &d->a->loops[l], extent);
    }
    return good;
}

/* Sets what a section needs of fields before it: around a rank's own indices, until it has written
 * all of a field. False where that is farther than neighbours reach. */
static bool find_needs(dealer *d, int first, int end)
{
    bool near = true;
    memset(d->needs, 0, (size_t)d->a->slot_count * sizeof *d->needs);
    memset(d->replaced, 0, (size_t)d->a->slot_count);
    for (int l = first; l < end; l++) {
        const analysis_loop *loop = &d->a->loops[l];
        const plan_span *extent = d->extents[l - first];
        for (int i = 0; i < loop->touch_count; i++) {
            const analysis_touch *t = &loop->touches[i];
            bool reads = !t->scalar && !t->remapped && (!t->writes || t->partial);
            for (int k = 0; k < 3 && reads && !d->replaced[t->slot]; k++) {
                if (!is_cut(d, k)) continue;
                analysis_distance far = analysis_distance_of(loop, t, k);
                plan_span *need = &d->needs[t->slot][k];
                need->lo = smaller(need->lo, extent[k].lo + far.lo);
                need->hi = larger(need->hi, extent[k].hi + far.hi);
                near = near &&
                       larger(-need->lo, need->hi) <= loop->loop->shape.size[k] / d->p->parts[k];
            }
        }
        for (int p = 0; p < loop->loop->kernel->param_count; p++)
            if (ir_param_is_written_field(&loop->loop->kernel->params[p]) &&
                replaces(loop->loop, p))
                d->replaced[loop->loop->bindings[p].slot->number] = true;
    }
    return near;
}

/* Whether a loop reads a field whole that a section before it writes. */
static bool gathers_from(const dealer *d, int first, int end, const analysis_loop *l)
{
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        if (t->scalar || is_alike(d, t)) continue;
        for (int k = first; k < end; k++)
            if (is_written(&d->a->loops[k], t->slot)) return true;
    }
    return false;
}

/* The end of the longest section from a loop on; `first` where not even this loop suits. */
static int find_section(dealer *d, int first)
{
    int end = first;
    while (end < d->a->loop_count && end < first + larger(d->p->every, 1) &&
           suits(d, &d->a->loops[end]) && !gathers_from(d, first, end, &d->a->loops[end]))
        end++;
    while (end > first && !(find_extents(d, first, end) && find_needs(d, first, end))) end--;
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
        if (!home->whole && !replaces(l->loop, t->param)) continue;
        for (int k = 0; k < 3; k++) home->valid[k] = (plan_span){-PLAN_FAR, PLAN_FAR};
        memcpy(home->images, d->p->wraps, sizeof home->images);
        home->whole = false;
    }
    for (int i = 0; i < l->touch_count; i++)
        for (int k = 0; k < 3 && l->touches[i].writes && !l->touches[i].scalar; k++) {
            plan_home *home = &d->homes[l->touches[i].slot];
            plan_span *valid = &home->valid[k];
            home->images[k] = home->images[k] && d->p->wraps[k];
            valid->lo = larger(valid->lo, smaller(extent[k].lo + l->touches[i].hi[k], 0));
            valid->hi = smaller(valid->hi, larger(extent[k].hi + l->touches[i].lo[k], 0));
        }
}

static void note_margin(dealer *d, const analysis_loop *l, const plan_span extent[3])
{
    for (int i = 0; i < l->touch_count; i++)
        for (int k = 0; k < 3; k++) {
            const analysis_touch *t = &l->touches[i];
            if (t->scalar || t->remapped || !is_cut(d, k)) continue;
            analysis_distance far = analysis_distance_of(l, t, k);
            d->p->margin[k] =
                larger(d->p->margin[k], larger(-extent[k].lo - far.lo, extent[k].hi + far.hi));
        }
}

static bool add_parts(dealer *d, int first, int end)
{
    bool done = true;
    for (int l = first; l < end && done; l++) {
        const analysis_loop *loop = &d->a->loops[l];
        for (int i = 0; i < loop->touch_count && done; i++)
            if (!loop->touches[i].scalar && !is_alike(d, &loop->touches[i]))
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
        if (!replaces(loop, p) || reads(l, slot->number)) done = add_gather(d, slot->number);
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
            if (is_cut(d, k) && suits(d, &d->a->loops[l]) && is_periodic(&d->a->loops[l], k))
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
    d.inputs = arena_array(&d.memory, slots, sizeof *d.inputs);
    d.replaced = arena_array(&d.memory, slots, sizeof *d.replaced);
    d.extents = arena_array(&d.memory, loops, sizeof *d.extents);
    bool done = d.needs && d.inputs && d.replaced && d.extents;
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
            if (p->parts[k] > 1)
                text_add(out, " %c %lld %lld", "xyz"[k], (long long)s -> span[k].lo,
                         (long long)s->span[k].hi);
        if (loop) text_add(out, " # %s", a->loops[s->loop].loop->kernel->name);
        text_add(out, "\n");
    }
}
