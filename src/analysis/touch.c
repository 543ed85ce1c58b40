/* What the loops of a chain touch, component by component. The reads of a component that are needed
 * at all points of a loop are one touch. A read that a guard restricts to some points is a touch of
 * its own, and so is each read of a slot that the loop writes. */
#include "analysis/passing.h"

#include <stdlib.h>
#include <string.h>

/* ---- touches --------------------------------------------------------------------------------- */

static analysis_touch *add(analysis_loop *l, int param, int component, const int32_t offset[3])
{
    static const ir_param plain;
    const chain_slot *slot = l->loop->bindings[param].slot;
    analysis_touch *t = &l->touches[l->touch_count++];
    *t = (analysis_touch){.slot = slot->number,
                          .component = component,
                          .param = param,
                          .scalar = slot->is_scalar,
                          .remapped =
                              !ir_param_same_mapping(&l->loop->kernel->params[param], &plain),
                          .at = l->loop->box};
    t->copied = l->loop->copy && param == CHAIN_COPY_FROM;
    t->remapped = t->remapped || t->copied;
    t->scaled =
        t->remapped && !t->copied && !ir_param_lacks_dimensions(&l->loop->kernel->params[param]);
    if (!offset) return t;
    memcpy(t->lo, offset, sizeof t->lo);
    memcpy(t->hi, offset, sizeof t->hi);
    return t;
}

static bool same_box(const grid_box *a, const grid_box *b) { return !memcmp(a, b, sizeof *a); }

/* Whether the loop writes the slot of a parameter: then the box around all reads may hold an index
 * that it writes, although no single read does. */
static bool is_written(const chain_loop *loop, int param)
{
    for (int p = 0; p < loop->kernel->param_count; p++)
        if (ir_param_is_written_field(&loop->kernel->params[p]) &&
            loop->bindings[p].slot == loop->bindings[param].slot)
            return true;
    return false;
}

/* Accesses are ordered by parameter and component. A read that is needed nowhere counts, too: code
 * may read there all the same, and values around edges are filled for it. */
static void add_reads(analysis_loop *l, const grid_box *needs)
{
    const ir_kernel *kernel = l->loop->kernel;
    int whole = -1; /* the touch of the component's reads at all points */
    for (int i = 0; i < kernel->access_count; i++) {
        const ir_access *access = &kernel->accesses[i];
        bool everywhere = !needs || same_box(&needs[i], &l->loop->box);
        const analysis_touch *last = whole < 0 ? NULL : &l->touches[whole];
        bool same = last && last->param == access->param && last->component == access->component;
        if (everywhere && same && !is_written(l->loop, access->param)) {
            analysis_add_offset(access->offset, l->touches[whole].lo, l->touches[whole].hi);
        } else {
            if (everywhere) whole = l->touch_count;
            analysis_touch *t = add(l, access->param, access->component, access->offset);
            if (!everywhere) t->at = needs[i];
        }
    }
}

/* Reads at indices that are known only at run time: of a whole dimension. */
static void add_levels(analysis_loop *l, const grid_box *needs)
{
    const ir_kernel *kernel = l->loop->kernel;
    for (int i = 0; i < kernel->level_read_count; i++) {
        const ir_level_read *r = &kernel->level_reads[i];
        const grid_box *need = needs ? &needs[kernel->access_count + i] : &l->loop->box;
        analysis_touch *t = add(l, r->param, r->component, r->offset);
        t->at = *need;
        t->level = r->dimension + 1;
        if (r->inside) t->hops = analysis_find_hops(kernel, r->index);
        t->remapped = true;
        t->scaled = false;
    }
}

/* Of a finer field, all children count as written, some with their old values: then the children of
 * the points of a box are a box, too. */
static void widen_to_children(const ir_param *param, int rank, analysis_touch *t)
{
    for (int d = 0; d < rank; d++) {
        if (!param->finer[d]) continue;
        t->lo[d] = (int32_t)smaller(t->lo[d], 0);
        t->hi[d] = (int32_t)larger(t->hi[d], param->finer[d] - 1);
    }
}

/* Stores are ordered by parameter and component. */
static void add_writes(analysis_loop *l)
{
    const ir_kernel *kernel = l->loop->kernel;
    int written = 0;
    for (int i = 0; i < kernel->store_count; i++) {
        const ir_store *s = &kernel->stores[i];
        const ir_param *param = &kernel->params[s->param];
        if (!ir_param_takes_field(param)) continue;
        analysis_touch *t = l->touch_count ? &l->touches[l->touch_count - 1] : NULL;
        bool same = t && t->writes && t->param == s->param && t->component == s->component;
        written = same ? written + 1 : 1;
        if (same)
            analysis_add_offset(s->offset, t->lo, t->hi);
        else
            t = add(l, s->param, s->component, s->offset);
        t->writes = true;
        if (s->condition && ir_param_children_in(param, l->loop->shape.rank) == 1)
            t->at = analysis_written(l->loop, s);
        bool gathers = ir_param_is_column_reduction(param);
        l->gathers = l->gathers || gathers;
        t->partial =
            t->partial || (gathers ? param->accumulates : s->condition || l->loop->colors > 1);
        bool last = i + 1 == kernel->store_count || kernel->stores[i + 1].param != s->param ||
                    kernel->stores[i + 1].component != s->component;
        if (last && written < ir_param_children_in(param, l->loop->shape.rank)) t->partial = true;
        widen_to_children(param, l->loop->shape.rank, t);
    }
}

static void add_scalars(analysis_loop *l)
{
    const ir_kernel *kernel = l->loop->kernel;
    for (int p = 0; p < kernel->param_count; p++) {
        const ir_param *param = &kernel->params[p];
        if (ir_param_takes_field(param) || !l->loop->bindings[p].slot) continue;
        bool reduction = ir_param_is_reduction(param);
        for (int e = 0; e < param->count; e++) {
            analysis_touch *t = add(l, p, e, NULL);
            t->writes = reduction;
            t->partial = param->accumulates;
        }
        l->reduces = l->reduces || reduction;
    }
}

/* Whether levels hand values on in a field that lacks their dimension. */
static bool hands_on(const chain_loop *loop)
{
    const ir_kernel *kernel = loop->kernel;
    for (int p = 0; p < kernel->param_count && kernel->direction; p++)
        if (ir_param_is_written_field(&kernel->params[p]) &&
            kernel->params[p].absent_axis[kernel->ordered])
            return true;
    return false;
}

/* Whether a kernel reads at indices that may be outside. */
static bool reads_levels(const ir_kernel *kernel)
{
    bool reads = false;
    for (int i = 0; i < kernel->level_read_count; i++)
        reads = reads || !kernel->level_reads[i].inside;
    return reads;
}

/* Of loops at once: each goes on from what the one before has found. Points that they do not
 * compute have what either field had there. */
static void widen_at_once(analysis_loop *l)
{
    const chain_at_once *all = l->loop->at_once;
    int32_t lo[3] = {0, 0, 0}, hi[3] = {0, 0, 0};
    for (int i = 0; i < l->touch_count; i++)
        if (l->touches[i].param == all->from) {
            analysis_add_offset(l->touches[i].lo, lo, hi);
            analysis_add_offset(l->touches[i].hi, lo, hi);
        }
    const int32_t below = lo[2], above = hi[2];
    lo[2] = below * all->count;
    hi[2] = above * all->count;
    for (int i = 0; i < l->touch_count; i++)
        if (l->touches[i].param == all->from) {
            memcpy(l->touches[i].lo, lo, sizeof lo);
            memcpy(l->touches[i].hi, hi, sizeof hi);
        }
    if (all->inside) return;
    analysis_touch *around = add(l, all->to, 0, lo);
    memcpy(around->hi, hi, sizeof hi);
    around->lo[2] = below * (all->count - 1);
    around->hi[2] = above * (all->count - 1);
}

/* Room for the touches of a loop while they are found: most loops have far fewer than they might.
 */
typedef struct touch_room {
    analysis_touch *touches;
    size_t count;
} touch_room;

static bool reserve(touch_room *room, const ir_kernel *kernel)
{
    void *touches = room->touches;
    size_t most = (size_t)kernel->access_count + (size_t)kernel->level_read_count +
                  (size_t)kernel->store_count;
    for (int p = 0; p < kernel->param_count; p++) most += (size_t)kernel->params[p].count;
    if (!vector_reserve(&touches, &room->count, most + 2, sizeof *room->touches)) return false;
    room->touches = touches;
    return true;
}

/* Of all touches, what follows from them; and copies them. False when memory is out. */
static bool finish_touches(analysis_loop *l, int number, arena *memory)
{
    analysis_touch *own = arena_array(memory, (size_t)l->touch_count + 1, sizeof *own);
    for (int i = 0; i < l->touch_count && own; i++) {
        own[i] = l->touches[i];
        own[i].loop = number;
        if (!own[i].scalar) analysis_find_distances(l, &own[i]);
    }
    l->touches = own;
    return own;
}

static bool make_loop(const chain_loop *loop, int number, touch_room *room, arena *memory,
                      analysis_loop *out)
{
    const ir_kernel *kernel = loop->kernel;
    const grid_box *needs = kernel->guarded ? analysis_needs(loop, memory) : NULL;
    *out = (analysis_loop){.loop = loop,
                           .checks = kernel->check_count > 0 || kernel->addition_count > 0 ||
                                     reads_levels(kernel)};
    if (!reserve(room, kernel) || (kernel->guarded && !needs)) return false;
    out->touches = room->touches;
    add_reads(out, needs);
    if (loop->at_once) widen_at_once(out);
    add_levels(out, needs);
    add_writes(out);
    add_scalars(out);
    if (!finish_touches(out, number, memory)) return false;
    if (kernel->direction) out->columns = analysis_has_columns(loop);
    out->uncuttable =
        loop->copy || out->gathers || hands_on(loop) || (kernel->direction && !out->columns);
    return true;
}

/* ---- chains ---------------------------------------------------------------------------------- */

/* Lists the touches of each slot; false when memory is out. */
static bool list_touches(analysis_chain *a, int loops)
{
    size_t slots = (size_t)a->slot_count, total = slots;
    size_t *count = arena_array(&a->memory, slots + 1, sizeof *count);
    a->touches = arena_array(&a->memory, slots + 1, sizeof *a->touches);
    if (!count || !a->touches) return false;
    for (int l = 0; l < loops; l++) {
        total += (size_t)a->loops[l].touch_count;
        for (int i = 0; i < a->loops[l].touch_count; i++) count[a->loops[l].touches[i].slot]++;
    }
    const analysis_touch **all = arena_array(&a->memory, total + 1, sizeof *all);
    if (!all) return false;
    for (size_t s = 0; s <= slots; all += count[s++] + 1) a->touches[s] = all;
    memset(count, 0, slots * sizeof *count);
    for (int l = 0; l < loops; l++)
        for (int i = 0; i < a->loops[l].touch_count; i++) {
            const analysis_touch *t = &a->loops[l].touches[i];
            a->touches[t->slot][count[t->slot]++] = t;
        }
    return true;
}

static bool hides_ghosts(const chain_loop *loop)
{
    bool hides = false;
    for (int p = 0; p < loop->kernel->param_count && !hides; p++) {
        const chain_binding *b = &loop->bindings[p];
        if (!ir_param_is_field(&loop->kernel->params[p]) || b->slot->is_scalar) continue;
        grid_box inside = chain_binding_inside(b), memory = chain_slot_memory(b->slot);
        hides = !grid_box_contains(&inside, &memory);
    }
    return hides;
}

static bool is_part(const chain *c) { return c->after || c->goes_on; }

/* Whether later loops, and the program, need nothing that a part of a chain writes to a slot. The
 * chain is known with the loops behind the part. */
static bool ends(const chain *c, const analysis_chain *a, int slot)
{
    analysis_section part = {a, 0, (int)c->count};
    return !a->slots[slot]->is_scalar && analysis_ends(&part, slot);
}

bool analysis_chain_make(const chain *c, analysis_chain *out)
{
    size_t all = c->count + c->after;
    *out = (analysis_chain){.loop_count = (int)all, .slot_count = (int)c->slot_count};
    out->slots = arena_array(&out->memory, c->slot_count + 1, sizeof *out->slots);
    out->dead = arena_array(&out->memory, c->slot_count + 1, sizeof *out->dead);
    out->ends = arena_array(&out->memory, c->slot_count + 1, sizeof *out->ends);
    out->loops = arena_array(&out->memory, all + 1, sizeof *out->loops);
    if (!out->slots || !out->loops || !out->dead || !out->ends) return false;
    touch_room room = {NULL, 0};
    bool made = true;
    for (size_t i = 0; i < all && made; i++)
        made = make_loop(&c->loops[i], (int)i, &room, &out->memory, &out->loops[i]);
    free(room.touches);
    for (size_t i = 0; i < all; i++) out->hides = out->hides || hides_ghosts(&c->loops[i]);
    if (!made || !list_touches(out, (int)all)) return false;
    analysis_chain_adopt(c, out);
    for (size_t i = 0; i < c->slot_count && is_part(c); i++) out->ends[i] = ends(c, out, (int)i);
    for (size_t i = 0; i < c->slot_count && is_part(c); i++) out->dead[i] = out->ends[i];
    out->loop_count = (int)c->count;
    return true;
}

void analysis_chain_adopt(const chain *c, analysis_chain *a)
{
    for (size_t i = 0; i < c->count + c->after; i++) a->loops[i].loop = &c->loops[i];
    for (size_t i = 0; i < c->slot_count; i++) {
        const chain_slot *slot = a->slots[i] = c->slots[i];
        bool step_ends = slot->temporary && c->step == c->count + c->after;
        a->dead[i] = !c->goes_on && (slot->discarded || step_ends);
        if (a->loop_count == (int)c->count && is_part(c)) a->dead[i] = a->ends[i];
    }
}

void analysis_chain_free(analysis_chain *a)
{
    arena_free(&a->memory);
    *a = (analysis_chain){0};
}
