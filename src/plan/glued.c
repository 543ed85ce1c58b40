/* Places of loops that copies glue together. A copy takes the value at index i + s of one field to
 * index i of another: so the first field lies s to the left, and both indices are one point of a
 * space that all of them share. A loop's place is where its first point lies there. Tiles are cut
 * in that space: then a loop runs when its neighbours in other blocks do, not when all of them have
 * ended.
 *
 * Places spread from loop to loop by the fields that they touch, and by copies from field to field.
 * Where they contradict one another, as in a ring of blocks, the dimension is not cut. */
#include "plan/planner.h"

#include <string.h>

static const char around[] = "copies lead around along it";
static const char between[] = "copies move along it, and loops run on grids of a ratio";

/* Where fields and loops lie, and whether that is known. */
typedef struct place {
    int64_t at[3];
    bool known;
} place;

typedef struct gluing {
    plan_group *g;
    place *slots, *loops; /* loops: from the group's first on */
    bool spreads;         /* a place was found in this round */
} gluing;

/* How far a touch lies from the loop's place: of a copy, its shift along straight dimensions. */
static int64_t shift_of(const analysis_touch *t, int d) { return t->copied ? t->far[d].lo : 0; }

static bool counts(const analysis_touch *t) { return !t->scalar && (!t->remapped || t->copied); }

static void set(gluing *w, place *p, const place *from, const analysis_touch *t, int sign)
{
    for (int d = 0; d < 3; d++) p->at[d] = from->at[d] + sign * shift_of(t, d);
    p->known = w->spreads = true;
}

/* Finds the place of a loop by a field that has one, and then those of its other fields. */
static void spread(gluing *w, int loop)
{
    const analysis_loop *l = &w->g->part.a->loops[loop];
    place *own = &w->loops[loop - w->g->part.first];
    for (int i = 0; i < l->touch_count && !own->known; i++) {
        const analysis_touch *t = &l->touches[i];
        if (counts(t) && w->slots[t->slot].known) set(w, own, &w->slots[t->slot], t, 1);
    }
    for (int i = 0; i < l->touch_count && own->known; i++) {
        const analysis_touch *t = &l->touches[i];
        if (counts(t) && !w->slots[t->slot].known) set(w, &w->slots[t->slot], own, t, -1);
    }
}

/* Places of all loops; those that nothing glues to the ones before begin at 0. */
static void spread_all(gluing *w)
{
    const analysis_section *part = &w->g->part;
    for (int l = part->first; l < part->end;) {
        place *own = &w->loops[l - part->first];
        w->spreads = false;
        for (int k = part->first; k < part->end; k++) spread(w, k);
        if (w->spreads) continue;
        if (own->known || part->a->loops[l].loop->once)
            l++;
        else
            own->known = true;
    }
}

/* Dimensions in which a field does not lie where a loop should find it are not cut. */
static void find_contradictions(const gluing *w)
{
    for (int loop = w->g->part.first; loop < w->g->part.end; loop++) {
        const analysis_loop *l = &w->g->part.a->loops[loop];
        const place *own = &w->loops[loop - w->g->part.first];
        for (int i = 0; i < l->touch_count; i++) {
            const analysis_touch *t = &l->touches[i];
            for (int d = 0; d < 3 && counts(t); d++)
                if (w->slots[t->slot].at[d] + shift_of(t, d) != own->at[d]) w->g->fixed[d] = around;
        }
    }
}

static bool has_copies(const plan_group *g)
{
    for (int l = g->part.first; l < g->part.end; l++)
        if (g->part.a->loops[l].loop->copy) return true;
    return false;
}

/* On grids of a ratio, all places are 0. */
static void keep_moved(plan_group *g)
{
    for (int l = g->part.first; l < g->part.end; l++)
        for (int d = 0; d < 3; d++)
            if (g->part.a->loops[l].loop->copy && g->part.a->loops[l].loop->copy->shift[d])
                g->fixed[d] = between;
}

bool plan_group_glue(plan_group *g)
{
    gluing w = {.g = g};
    const size_t loops = (size_t)(g->part.end - g->part.first);
    if (!has_copies(g)) return true;
    if (g->finest[0]) {
        keep_moved(g);
        return true;
    }
    g->places = arena_array(&g->memory, loops, sizeof *g->places);
    w.loops = arena_array(&g->memory, loops, sizeof *w.loops);
    w.slots = arena_array(&g->memory, (size_t)g->part.a->slot_count + 1, sizeof *w.slots);
    if (!g->places || !w.loops || !w.slots) return false;
    spread_all(&w);
    find_contradictions(&w);
    for (size_t l = 0; l < loops; l++)
        for (int d = 0; d < 3; d++) g->places[l][d] = g->fixed[d] ? 0 : w.loops[l].at[d];
    return true;
}

int64_t plan_group_place(const plan_group *g, int loop, int d)
{
    return g->places ? g->places[loop - g->part.first][d] : 0;
}
