/* Values that consecutive loops make and use up: nobody reads what a field held before them, and
 * nobody reads afterwards what they have written. Followed index by index, as boxes: a temporary is
 * often written, and then read, on a part of its points only. */
#include "analysis/passing.h"

typedef struct follower {
    int slot, component;
    grid_region region;
    bool failed; /* memory was out */
} follower;

static bool is_of(const follower *f, const analysis_touch *t)
{
    return !t->scalar && t->slot == f->slot && t->component == f->component;
}

/* The touches of the slot by the loop of the first of them end there. */
static const analysis_touch *const *end_of_loop(const analysis_touch *const *at)
{
    int loop = (*at)->loop;
    while (*at && (*at)->loop == loop) at++;
    return at;
}

static int boxes_of(const analysis_loop *l, const analysis_touch *t,
                    grid_box out[ANALYSIS_RESOLVED_BOXES])
{
    static const bool no_wrap[3];
    static const int64_t no_shift[3];
    return analysis_resolved_boxes(l, t, &t->at, no_wrap, no_shift, out);
}

static bool reads(const analysis_touch *t) { return !t->writes || t->partial; }

static bool writes_all(const analysis_touch *t) { return t->writes && !t->partial && !t->remapped; }

static bool change(follower *f, const analysis_loop *l, const analysis_touch *t,
                   bool (*with)(grid_region *, const grid_box *))
{
    grid_box boxes[ANALYSIS_RESOLVED_BOXES];
    int count = boxes_of(l, t, boxes);
    for (int i = 0; i < count; i++)
        if (!grid_box_is_empty(&boxes[i]) && !with(&f->region, &boxes[i])) f->failed = true;
    return !f->failed;
}

/* ---- before ---------------------------------------------------------------------------------- */

/* Whether a loop has written what it reads on earlier levels, which run in order. */
static bool is_of_earlier_level(const analysis_loop *l, const analysis_touch *t)
{
    const ir_kernel *kernel = l->loop->kernel;
    return l->columns && !t->writes && ir_level_after(kernel, t->lo) < 0 &&
           ir_level_after(kernel, t->hi) < 0;
}

/* Whether all that a touch reads was written by these loops. */
static bool finds_own(follower *f, const analysis_loop *l, const analysis_touch *t)
{
    grid_box boxes[ANALYSIS_RESOLVED_BOXES], missing;
    for (int i = 0; i < l->touch_count && is_of_earlier_level(l, t); i++)
        if (is_of(f, &l->touches[i]) && writes_all(&l->touches[i]) &&
            !change(f, l, &l->touches[i], grid_region_add))
            return false;
    int count = boxes_of(l, t, boxes);
    for (int i = 0; i < count; i++)
        if (!grid_region_holds(&f->region, &boxes[i], &missing)) return false;
    return true;
}

static bool takes_none(const analysis_section *s, follower *f)
{
    const analysis_touch *const *at = analysis_touches_from(s->a, f->slot, s->first);
    while (*at && (*at)->loop < s->end) {
        const analysis_loop *loop = &s->a->loops[(*at)->loop];
        const analysis_touch *const *end = end_of_loop(at);
        for (const analysis_touch *const *t = at; t < end; t++)
            if (is_of(f, *t) && reads(*t) && !finds_own(f, loop, *t)) return false;
        for (; at < end; at++)
            if (is_of(f, *at) && writes_all(*at) && !change(f, loop, *at, grid_region_add))
                return false;
    }
    return true;
}

/* ---- after ----------------------------------------------------------------------------------- */

/* Whether a touch reads some of the region. */
static bool meets(const follower *f, const analysis_loop *l, const analysis_touch *t)
{
    grid_box boxes[ANALYSIS_RESOLVED_BOXES];
    int count = boxes_of(l, t, boxes);
    for (int i = 0; i < count; i++)
        for (size_t k = 0; k < f->region.count; k++)
            if (grid_box_meet(&boxes[i], &f->region.boxes[k])) return true;
    return false;
}

/* Whether some reads of a loop meet the region: those of earlier levels, or others. */
static bool some_meet(const follower *f, const analysis_loop *l, const analysis_touch *const *at,
                      const analysis_touch *const *end, bool earlier)
{
    for (; at < end; at++)
        if (is_of(f, *at) && reads(*at) && is_of_earlier_level(l, *at) == earlier &&
            meets(f, l, *at))
            return true;
    return false;
}

/* Later loops read none of the region, which holds all that was written, and overwrite it; or the
 * program does not need it after the chain. What a loop reads on earlier levels it has overwritten
 * before. */
static bool leaves_none(const analysis_section *s, follower *f)
{
    const analysis_touch *const *at = analysis_touches_from(s->a, f->slot, s->end);
    while (*at && (*at)->loop < s->a->loop_count && f->region.count) {
        const analysis_loop *loop = &s->a->loops[(*at)->loop];
        const analysis_touch *const *first = at, *const *end = end_of_loop(at);
        if (some_meet(f, loop, first, end, false)) return false;
        for (; at < end; at++)
            if (is_of(f, *at) && writes_all(*at) && !change(f, loop, *at, grid_region_cut))
                return false;
        if (some_meet(f, loop, first, end, true)) return false;
    }
    return !f->region.count || s->a->dead[f->slot];
}

/* Adds all that the loops write in part, too. */
static bool add_written(const analysis_section *s, follower *f)
{
    grid_region_clear(&f->region);
    const analysis_touch *const *at = analysis_touches_from(s->a, f->slot, s->first);
    for (; *at && (*at)->loop < s->end; at++)
        if (is_of(f, *at) && (*at)->writes &&
            !change(f, &s->a->loops[(*at)->loop], *at, grid_region_add))
            return false;
    return true;
}

bool analysis_ends(const analysis_section *s, int slot)
{
    bool ends = true;
    for (int c = 0; c < s->a->slots[slot]->components && ends; c++) {
        follower f = {.slot = slot, .component = c};
        ends = add_written(s, &f) && leaves_none(s, &f);
        grid_region_free(&f.region);
    }
    return ends;
}

bool analysis_passes(const analysis_section *s, int slot)
{
    bool passes = analysis_use_of(s, slot).written;
    for (int c = 0; c < s->a->slots[slot]->components && passes; c++) {
        follower f = {.slot = slot, .component = c};
        passes = takes_none(s, &f) && add_written(s, &f) && leaves_none(s, &f);
        grid_region_free(&f.region);
    }
    return passes;
}

/* ---- what is made first ---------------------------------------------------------------------- */

/* Whether loops of a section up to the last one of some touches read values of a box. */
static bool found_in(const analysis_section *s, follower *f, const analysis_touch *const *end)
{
    bool some = false;
    const analysis_touch *const *at = analysis_touches_from(s->a, f->slot, s->first);
    for (; at < end && !some; at++)
        some = is_of(f, *at) && reads(*at) && meets(f, &s->a->loops[(*at)->loop], *at);
    return some;
}

/* The largest box that a loop writes at once, and no loop has read before. */
static grid_box made_of(const analysis_section *s, follower *f)
{
    grid_box most = {{0, 0, 0}, {0, 0, 0}}, boxes[ANALYSIS_RESOLVED_BOXES];
    const analysis_touch *const *at = analysis_touches_from(s->a, f->slot, s->first);
    for (; *at && (*at)->loop < s->end && !f->failed; at++) {
        const analysis_loop *l = &s->a->loops[(*at)->loop];
        if (!is_of(f, *at) || !writes_all(*at) || boxes_of(l, *at, boxes) != 1) continue;
        if (grid_box_points(&boxes[0]) <= grid_box_points(&most)) continue;
        grid_region_clear(&f->region);
        f->failed = !grid_region_add(&f->region, &boxes[0]);
        if (!f->failed && !found_in(s, f, end_of_loop(at))) most = boxes[0];
    }
    return most;
}

grid_box analysis_made(const analysis_section *s, int slot)
{
    grid_box made = chain_slot_memory(s->a->slots[slot]);
    for (int c = 0; c < s->a->slots[slot]->components; c++) {
        follower f = {.slot = slot, .component = c};
        const grid_box one = made_of(s, &f);
        made = grid_box_intersect(&made, &one);
        grid_region_free(&f.region);
    }
    return made;
}
