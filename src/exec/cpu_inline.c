/* Temporaries that are computed where they are read: a loop that makes them does not run, and loops
 * that read them do its work, too (ir/inline.c). The fields then need no memory, and the others
 * pass through the caches once.
 *
 * A field is left out if all loops of the chain that write it and all that read it allow that. It
 * is a temporary, of which nothing is needed before or after the chain; each loop that writes it
 * makes nothing else; each loop that reads it stays inside the box that the last one has written;
 * and what the maker reads is still there when its values are read. Fields are struck off until all
 * that are left are so. What points share is computed several times; where that is much more work
 * than before, the field stays. */
#include "exec/inline.h"

#include <stdlib.h>
#include <string.h>

/* ---- which fields are left out --------------------------------------------------------------- */

static bool is_exact(const chain_loop *loop, int p)
{
    const ir_storage_info *storage = &ir_storages[loop->bindings[p].slot->type];
    return !storage->coded && storage->type == loop->kernel->params[p].type;
}

static bool is_gone(const cpu_inliner *in, int loop, int p)
{
    const chain_loop *l = &in->c->loops[loop];
    return !l->once && ir_param_is_field(&l->kernel->params[p]) &&
           in->gone[l->bindings[p].slot->number];
}

static void keep(cpu_inliner *in, int slot)
{
    in->changed = in->changed || in->gone[slot];
    in->gone[slot] = false;
}

/* Whether a loop makes values at each of its points, for all components, and fields that are left
 * out alone. */
static bool makes_gone(const cpu_inliner *in, int loop)
{
    const chain_loop *l = &in->c->loops[loop];
    int components = 0;
    if (l->once || l->copy || l->sparse || l->colors > 1 || !ir_can_inline(l->kernel)) return false;
    for (int p = 0; p < l->kernel->param_count; p++) {
        bool field = ir_param_is_field(&l->kernel->params[p]);
        if (!field && l->bindings[p].slot) return false;
        if (!ir_param_is_written_field(&l->kernel->params[p])) continue;
        if (!is_gone(in, loop, p) || !is_exact(l, p)) return false;
        components += l->bindings[p].slot->components;
    }
    return components > 0 && components == l->kernel->store_count;
}

/* Numbers of neighbours are looked up once for all levels that lie beside each other. For few this
 * costs more than values do: nothing is made for neighbours several times. */
static bool looks_up_often(const chain_loop *l)
{
    enum { FEWEST = HOSTILE(16, 1) };
    return (l->mesh->along == 0 ? 1 : l->shape.size[0]) < FEWEST;
}

/* Whether a maker has run at all points that a touch reads, in its loop's box. Of neighbours in a
 * mesh it has computed all elements. */
static bool reads_made(const chain_loop *made, const analysis_touch *t, const chain_loop *l)
{
    grid_box box = l->box;
    const int along = t->hops.count ? t->level - 1 : 3;
    if (t->writes || (t->remapped && !t->hops.count)) return false;
    if (t->hops.count && looks_up_often(l)) return false;
    if (!t->hops.count && !grid_shape_equal(&l->shape, &made->shape)) return false;
    for (int d = 0; d < 3; d++) {
        box.lo[d] = d == along ? 0 : box.lo[d] + t->lo[d];
        box.hi[d] = d == along ? made->shape.size[d] : box.hi[d] + t->hi[d];
    }
    return grid_box_is_empty(&l->box) || grid_box_contains(&made->box, &box);
}

/* Whether a loop may compute what it reads by a parameter. */
static bool can_take(const cpu_inliner *in, int loop, int p, int maker)
{
    const chain_loop *l = &in->c->loops[loop];
    const ir_kernel *k = l->kernel;
    const ir_param *param = &k->params[p];
    if (maker < 0 || l->once || l->copy || l->sparse || k->direction || k->check_count ||
        (k->level_read_count && !l->mesh) || k->addition_count || param->kind != IR_PARAM_IN ||
        ir_param_has_ratio(param) || ir_param_lacks_dimensions(param) || !is_exact(l, p))
        return false;
    const chain_loop *made = &in->c->loops[maker];
    if (l->mesh != made->mesh) return false;
    const analysis_loop *of = &in->a->loops[loop];
    for (int i = 0; i < of->touch_count; i++) {
        const analysis_touch *t = &of->touches[i];
        if (t->param == p && !t->scalar && !reads_made(made, t, l)) return false;
    }
    return true;
}

/* Whether what a maker reads is still there after loop `loop`. */
static bool sources_last(cpu_inliner *in, int maker, int loop)
{
    const chain_loop *m = &in->c->loops[maker];
    if (in->met[maker] == loop + 1) return true;
    in->met[maker] = loop + 1;
    for (int p = 0; p < m->kernel->param_count; p++) {
        if (m->kernel->params[p].kind != IR_PARAM_IN) continue;
        int of = cpu_makers_of(in, maker)[p];
        if (is_gone(in, maker, p) ? !sources_last(in, of, loop)
                                  : in->written[m->bindings[p].slot->number] > maker)
            return false;
    }
    return true;
}

static void look_at_loop(cpu_inliner *in, int loop)
{
    const chain_loop *l = &in->c->loops[loop];
    const ir_kernel *k = l->kernel;
    int *makers = cpu_makers_of(in, loop);
    bool all = makes_gone(in, loop);
    for (int p = 0; p < k->param_count; p++) {
        makers[p] = -1;
        if (!is_gone(in, loop, p) || ir_param_is_written_field(&k->params[p])) continue;
        int slot = l->bindings[p].slot->number, maker = in->written[slot];
        if (can_take(in, loop, p, maker))
            makers[p] = maker;
        else
            keep(in, slot);
    }
    for (int p = 0; p < k->param_count; p++) {
        const chain_slot *slot = l->bindings[p].slot;
        if (!slot || k->params[p].kind == IR_PARAM_IN) continue;
        if (in->gone[slot->number] && (!all || !ir_param_is_field(&k->params[p])))
            keep(in, slot->number);
        in->written[slot->number] = loop;
    }
    for (int p = 0; p < k->param_count; p++)
        if (makers[p] >= 0 && !sources_last(in, makers[p], loop))
            keep(in, l->bindings[p].slot->number);
}

/* Strikes off fields until all that are left can be left out. */
static void look_at_all(cpu_inliner *in)
{
    do {
        in->changed = false;
        for (size_t s = 0; s < in->c->slot_count; s++) in->written[s] = -1;
        for (size_t l = 0; l < in->c->count; l++) in->met[l] = 0;
        for (size_t l = 0; l < in->c->count; l++) look_at_loop(in, (int)l);
    } while (in->changed);
}

/* ---- the chain ------------------------------------------------------------------------------- */

static bool takes(const cpu_inliner *in, int loop)
{
    bool some = false;
    for (int p = 0; p < in->c->loops[loop].kernel->param_count; p++)
        some = some || cpu_makers_of(in, loop)[p] >= 0;
    return some;
}

/* Where there are no kernels in one, the fields that a loop reads stay. */
static void keep_reads(cpu_inliner *in, int loop)
{
    const chain_loop *l = &in->c->loops[loop];
    for (int p = 0; p < l->kernel->param_count; p++)
        if (cpu_makers_of(in, loop)[p] >= 0) keep(in, l->bindings[p].slot->number);
}

static bool join_loop(cpu_inliner *in, int loop, chain_loop *out)
{
    const ir_kernel *kernel;
    const cpu_joint *j = &in->joint;
    if (!cpu_join(in, loop, &kernel)) return false;
    if (!kernel) {
        keep_reads(in, loop);
        return true;
    }
    chain_binding *own = arena_array(in->memory, (size_t)j->param_count + 1, sizeof *own);
    if (!own) return false;
    memcpy(own, j->bindings, (size_t)j->param_count * sizeof *own);
    *out = in->c->loops[loop];
    out->kernel = kernel;
    out->bindings = own;
    out->hash = chain_loop_hash_slots(out, chain_loop_hash(out));
    return true;
}

/* Sets the loops that are left. False when memory is out. */
static bool join_all(cpu_inliner *in, chain *out)
{
    bool done = true;
    out->count = 0;
    in->changed = false;
    for (int l = 0; l < (int)in->c->count && done && !in->changed; l++) {
        if (makes_gone(in, l)) continue;
        chain_loop *loop = &out->loops[out->count++];
        *loop = in->c->loops[l];
        if (takes(in, l)) done = join_loop(in, l, loop);
    }
    return done;
}

static bool find_gone(cpu_inliner *in)
{
    const analysis_section all = {in->a, 0, in->a->loop_count};
    bool some = false;
    for (int s = 0; s < in->a->slot_count; s++) {
        const chain_slot *slot = in->a->slots[s];
        in->gone[s] = slot->temporary && !slot->is_scalar && analysis_passes(&all, s);
        some = some || in->gone[s];
    }
    return some;
}

static bool reserve(cpu_inliner *in, chain *out)
{
    size_t loops = in->c->count, slots = in->c->slot_count, params = 0;
    in->first = arena_array(in->memory, loops + 1, sizeof *in->first);
    for (size_t l = 0; l < loops && in->first; l++) {
        in->first[l] = params;
        params += (size_t)in->c->loops[l].kernel->param_count;
    }
    in->makers = arena_array(in->memory, params + 1, sizeof *in->makers);
    in->met = arena_array(in->memory, loops + 1, sizeof *in->met);
    in->gone = arena_array(in->memory, slots + 1, sizeof *in->gone);
    in->written = arena_array(in->memory, slots + 1, sizeof *in->written);
    out->loops = arena_array(in->memory, loops + 1, sizeof *out->loops);
    return in->first && in->makers && in->met && in->gone && in->written && out->loops;
}

bool cpu_inline(struct exec_cpu *cpu, const chain *c, const analysis_chain *a, chain *out)
{
    cpu_inliner in = {.cpu = cpu, .c = c, .a = a, .memory = &cpu->chain_memory};
    *out = *c;
    out->count = c->count;
    if (!reserve(&in, out)) return false;
    out->count = c->count;
    if (!find_gone(&in)) return true;
    do {
        look_at_all(&in);
        if (!join_all(&in, out)) return false;
    } while (in.changed);
    return true;
}
