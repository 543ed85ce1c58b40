/* What rings of a chain that is streamed are for. All plans that are tried of a chain ask it, so
 * what all loops need is found once. */
#include "exec/device_rings.h"

#include <stdlib.h>

static void widen(grid_box *all, bool *some, const grid_box *by)
{
    *all = *some ? grid_box_hull(all, by) : *by;
    *some = true;
}

/* What a loop touches of a field, and what rules make values of; false: nothing. */
static bool needed_by(const analysis_loop *l, int slot, grid_box *all)
{
    bool some = false;
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        grid_box box;
        if (t->scalar || t->remapped || t->slot != slot) continue;
        for (int d = 0; d < 3; d++) {
            const stream_planes planes = stream_touched(t, &l->loop->box, d);
            box.lo[d] = planes.first;
            box.hi[d] = planes.end;
        }
        widen(all, &some, &box);
    }
    return some;
}

/* Widens a span by a loop: by what it needs; and what its kernel reads beside, whose values do not
 * matter. */
static void add_loop(store_device_span *span, const analysis_chain *a, const analysis_loop *l,
                     int slot, bool *some)
{
    const int d = store_ring_dimension(a->slots[slot]);
    grid_box needed, read;
    if (grid_box_is_empty(&l->loop->box) || !needed_by(l, slot, &needed)) return;
    for (int p = 0; p < l->loop->kernel->param_count; p++) {
        if (!ir_param_is_field(&l->loop->kernel->params[p]) ||
            l->loop->bindings[p].slot != a->slots[slot] || !device_accessed(l->loop, p, &read))
            continue;
        span->before = larger(span->before, needed.lo[d] - read.lo[d]);
        span->behind = larger(span->behind, read.hi[d] - needed.hi[d]);
        read.lo[d] = needed.lo[d];
        read.hi[d] = needed.hi[d];
        needed = grid_box_hull(&needed, &read);
    }
    widen(&span->touched, some, &needed);
}

/* The indices of a field that are its own by the rules of its loops, which are all alike. */
static grid_box inside_of(const analysis_chain *a, int slot)
{
    for (int l = 0; l < a->loop_count; l++) {
        const chain_loop *loop = a->loops[l].loop;
        for (int p = 0; p < loop->kernel->param_count; p++)
            if (ir_param_is_field(&loop->kernel->params[p]) && !loop->once &&
                loop->bindings[p].slot == a->slots[slot])
                return chain_binding_inside(&loop->bindings[p]);
    }
    return chain_slot_memory(a->slots[slot]);
}

/* Fields that take turns have rows of one length. Returns whether some had not. */
static bool make_alike(const analysis_chain *a, store_device_span *spans)
{
    bool changed = false;
    for (int l = 0; l < a->loop_count; l++) {
        const chain_loop *loop = a->loops[l].loop;
        if (!loop->at_once) continue;
        grid_box *from = &spans[loop->bindings[loop->at_once->from].slot->number].touched;
        grid_box *to = &spans[loop->bindings[loop->at_once->to].slot->number].touched;
        const grid_box both = grid_box_hull(from, to);
        for (int d = 0; d < 2; d++) {
            changed = changed || from->lo[d] != to->lo[d] || from->hi[d] != to->hi[d];
            from->lo[d] = to->lo[d] = both.lo[d];
            from->hi[d] = to->hi[d] = both.hi[d];
        }
    }
    return changed;
}

bool device_study(const exec_streams *s, const analysis_chain *a)
{
    struct exec_device *d = s->context->device;
    void *spans = d->spans;
    if (!vector_reserve(&spans, &d->span_room, (size_t)a->slot_count + 1, sizeof *d->spans))
        return false;
    d->spans = spans;
    for (int slot = 0; slot < a->slot_count; slot++) {
        store_device_span *span = &d->spans[slot];
        bool some = false;
        *span = (store_device_span){.before = 0};
        if (!device_suits(a->slots[slot])) continue;
        span->inside = inside_of(a, slot);
        for (int l = 0; l < a->loop_count; l++) add_loop(span, a, &a->loops[l], slot, &some);
        span->planes = span->before + span->behind +
                       2 * stream_outside(a, slot, store_ring_dimension(a->slots[slot]));
    }
    while (make_alike(a, d->spans)) continue;
    return true;
}

bool device_suits(const chain_slot *slot)
{
    const int d = store_ring_dimension(slot);
    return !slot->is_scalar && slot->array && !slot->absent_axis[d] && slot->shape.rank > 1;
}

void device_stream_again(const chain *c)
{
    for (size_t i = 0; i < c->slot_count; i++) {
        c->slots[i]->number = (int)i;
        c->slots[i]->far = device_suits(c->slots[i]);
    }
}

store_device_span device_span_of(const stream_run *run, const plan_node *buffer)
{
    const chain_slot *field = run->a->slots[buffer->slot];
    const int d = store_ring_dimension(field);
    store_device_span span = run->context->device->spans[buffer->slot], section = {.before = 0};
    bool some = false;
    for (int l = run->begin; l < run->end; l++)
        add_loop(&section, run->a, &run->a->loops[l], buffer->slot, &some);
    span.touched.lo[d] = section.touched.lo[d];
    span.touched.hi[d] = section.touched.hi[d];
    span.planes += buffer->capacity[d];
    return span;
}

int64_t device_ring_bytes(const exec_streams *s, const analysis_chain *a, int slot, int64_t planes)
{
    const struct exec_device *d = s->context->device;
    store_device_span span = d->spans[slot];
    int64_t turns;
    span.planes += planes;
    const int64_t own = store_device_ring_bytes(d->device, a->slots[slot], &span, &turns);
    return own <= device_facts_of(d->device)->largest ? own : INT64_MAX / 2;
}
