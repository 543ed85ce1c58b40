/* Planes that a section touches twice where it goes around a period: which of them go home after
 * the first time, and come back for the second. */
#include "exec/streams.h"

#include <string.h>

/* Planes that are touched twice, of a component. */
typedef struct second {
    const stream_seam *seam;
    int dimension, slot, component;
    bool *met; /* the second time, by now */
} second;

/* Whether a touch writes whole planes, whatever they were. */
static bool makes_planes(const second *f, const analysis_touch *t, const chain_slot *slot)
{
    const grid_box all = chain_slot_memory(slot);
    bool whole = t->writes && !t->partial && !t->remapped;
    for (int d = 0; d < 3; d++)
        whole = whole && !t->lo[d] && !t->hi[d] &&
                (d == f->dimension || (t->at.lo[d] <= all.lo[d] && t->at.hi[d] >= all.hi[d]));
    return whole;
}

/* A loop meets planes the second time: those that it was the first to meet are needed from before
 * unless it makes them. Its reads come before its writes. */
static void meet(second *f, const analysis_loop *l, bool writes)
{
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        if (t->scalar || t->slot != f->slot || t->component != f->component) continue;
        const bool makes = makes_planes(f, t, l->loop->bindings[t->param].slot);
        if (makes != writes) continue;
        const stream_planes touched = stream_touched(t, &l->loop->box, f->dimension);
        const int64_t first = larger(touched.first - f->seam->period, 0);
        const int64_t end = smaller(touched.end - f->seam->period, f->seam->reach);
        for (int64_t plane = first; plane < end; plane++) {
            f->seam->again[f->slot][plane] |= !f->met[plane] && !makes;
            f->met[plane] = true;
        }
    }
}

/* Finds what planes have to keep from when they are first touched to when they are again. */
static void find_again(second *f, const analysis_chain *a)
{
    const int64_t reach = f->seam->reach;
    memset(f->met, 0, (size_t)reach * sizeof *f->met);
    for (int l = 0; l < a->loop_count; l++) {
        meet(f, &a->loops[l], false);
        meet(f, &a->loops[l], true);
    }
    for (int64_t plane = 0; plane < reach; plane++) /* it goes out with those that are met */
        f->seam->again[f->slot][plane] |= !f->met[plane] && f->seam->leaves[f->slot];
}

/* Finds which planes the chain writes, and touches. */
static void find_changing(const stream_seam *seam, const analysis_chain *a, int dimension)
{
    for (int i = 0; i < a->slot_count; i++) seam->changing[i] = STREAM_NO_PLANES;
    for (int l = 0; l < a->loop_count; l++)
        for (int i = 0; i < a->loops[l].touch_count; i++) {
            const analysis_touch *t = &a->loops[l].touches[i];
            if (t->scalar) continue;
            const stream_planes touched = stream_touched(t, &a->loops[l].loop->box, dimension);
            stream_planes *all = &seam->changing[t->slot];
            if (t->writes) all->first = smaller(all->first, touched.first);
            all->end = larger(all->end, touched.end);
        }
}

bool stream_seam_find(stream_seam *seam, const analysis_chain *a, int dimension, arena *memory)
{
    const size_t slots = (size_t)a->slot_count + 1, reach = (size_t)seam->reach + 1;
    second f = {.seam = seam, .dimension = dimension};
    f.met = arena_array(memory, reach, sizeof *f.met);
    seam->changing = arena_array(memory, slots, sizeof *seam->changing);
    seam->again = arena_array(memory, slots, sizeof *seam->again);
    if (!f.met || !seam->changing || !seam->again) return false;
    find_changing(seam, a, dimension);
    for (f.slot = 0; f.slot < a->slot_count; f.slot++) {
        seam->again[f.slot] = arena_array(memory, reach, sizeof **seam->again);
        if (!seam->again[f.slot]) return false;
        for (f.component = 0; f.component < a->slots[f.slot]->components; f.component++)
            find_again(&f, a);
    }
    return true;
}

/* Whether a plane moves: what comes from before the section, or stays for afterwards, and what is
 * needed when the plane is touched again. */
static bool is_needed(const stream_seam *seam, int slot, bool out, int64_t plane)
{
    const stream_planes changing = seam->changing[slot];
    const int64_t back = plane - seam->period;
    if (plane >= changing.end || (out && plane < changing.first)) return false;
    if (!out && back >= 0) return seam->again[slot][back];
    if (!out) return seam->takes[slot];
    const bool comes_again = plane + seam->period < changing.end;
    return comes_again ? seam->again[slot][plane] : seam->leaves[slot];
}

stream_planes stream_seam_next(const stream_seam *seam, int slot, bool out, stream_planes planes)
{
    while (planes.first < planes.end && !is_needed(seam, slot, out, planes.first)) planes.first++;
    int64_t end = planes.first;
    while (end < planes.end && is_needed(seam, slot, out, end)) end++;
    return (stream_planes){planes.first, end};
}
