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

enum {
    MOST_MORE = 14, /* work at a point, for each loop that is left out */
    MOST_COST = 3000
};

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

static int *makers_of(const cpu_inliner *in, int loop) { return in->makers + in->first[loop]; }

/* Whether a loop makes values at each of its points, for all components, and fields that are left
 * out alone. */
static bool makes_gone(const cpu_inliner *in, int loop)
{
    const chain_loop *l = &in->c->loops[loop];
    int components = 0;
    if (l->once || l->colors > 1 || !ir_can_inline(l->kernel)) return false;
    for (int p = 0; p < l->kernel->param_count; p++) {
        bool field = ir_param_is_field(&l->kernel->params[p]);
        if (!field && l->bindings[p].slot) return false;
        if (!ir_param_is_written_field(&l->kernel->params[p])) continue;
        if (!is_gone(in, loop, p) || !is_exact(l, p)) return false;
        components += l->bindings[p].slot->components;
    }
    return components > 0 && components == l->kernel->store_count;
}

/* Whether a loop may compute what it reads by a parameter. */
static bool can_take(const cpu_inliner *in, int loop, int p, int maker)
{
    const chain_loop *l = &in->c->loops[loop];
    const ir_kernel *k = l->kernel;
    const ir_param *param = &k->params[p];
    if (maker < 0 || l->once || k->direction || k->check_count || param->kind != IR_PARAM_IN ||
        ir_param_has_ratio(param) || ir_param_lacks_dimensions(param) || !is_exact(l, p))
        return false;
    const chain_loop *made = &in->c->loops[maker];
    if (!grid_shape_equal(&l->shape, &made->shape)) return false;
    const analysis_loop *of = &in->a->loops[loop];
    for (int i = 0; i < of->touch_count; i++) {
        const analysis_touch *t = &of->touches[i];
        grid_box box = l->box;
        if (t->param != p || t->scalar) continue;
        if (t->writes || t->remapped) return false;
        for (int d = 0; d < 3; d++) {
            box.lo[d] += t->lo[d];
            box.hi[d] += t->hi[d];
        }
        if (!grid_box_is_empty(&l->box) && !grid_box_contains(&made->box, &box)) return false;
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
        int of = makers_of(in, maker)[p];
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
    int *makers = makers_of(in, loop);
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

/* ---- kernels in one -------------------------------------------------------------------------- */

/* Adds a loop behind those that make what it reads; its number, or -1 where there are too many. */
static int add_part(const cpu_inliner *in, cpu_joint *j, int loop)
{
    for (int i = 0; i < j->count; i++)
        if (j->loops[i] == loop) return i;
    const ir_kernel *k = in->c->loops[loop].kernel;
    int maker[CPU_MOST_PARAMS];
    if (k->param_count > CPU_MOST_PARAMS) return -1;
    for (int p = 0; p < k->param_count; p++) {
        int of = makers_of(in, loop)[p];
        maker[p] = of >= 0 ? add_part(in, j, of) : -1;
        if (of >= 0 && maker[p] < 0) return -1;
    }
    if (j->count == CPU_MOST_PARTS) return -1;
    ir_inlined *part = &j->parts[j->count];
    part->kernel = k;
    part->param = arena_array(in->memory, 2 * (size_t)k->param_count + 1, sizeof *part->param);
    if (!part->param) return -1;
    part->maker = part->param + k->param_count;
    memcpy(part->maker, maker, (size_t)k->param_count * sizeof *maker);
    j->loops[j->count] = loop;
    return j->count++;
}

/* The number of a parameter in the kernel of all parts: one for equal reads of a field; -1 where
 * there are too many. */
static int add_param(const cpu_inliner *in, cpu_joint *j, int part, int p, bool shared)
{
    const chain_loop *l = &in->c->loops[j->loops[part]];
    const ir_param *param = &l->kernel->params[p];
    const chain_binding *b = &l->bindings[p];
    for (int i = 0; i < j->param_count && shared; i++)
        if (j->params[i].kind == IR_PARAM_IN && j->bindings[i].slot == b->slot &&
            j->params[i].type == param->type && ir_param_same_mapping(&j->params[i], param) &&
            grid_boundary_equal(j->bindings[i].boundary, b->boundary))
            return i;
    if (j->param_count == CPU_MOST_PARAMS) return -1;
    j->params[j->param_count] = *param;
    j->bindings[j->param_count] = *b;
    return j->param_count++;
}

/* What is made has numbers of its own: of the part, and of the parameter that writes it there. */
static int number_of_made(const cpu_inliner *in, const cpu_joint *j, int part,
                          const chain_slot *slot)
{
    const chain_loop *l = &in->c->loops[j->loops[part]];
    int p = 0;
    while (l->bindings[p].slot != slot || !ir_param_is_written_field(&l->kernel->params[p])) p++;
    return CPU_MOST_PARAMS * (part + 1) + p;
}

static bool name_params(const cpu_inliner *in, cpu_joint *j, int part)
{
    ir_inlined *of = &j->parts[part];
    bool last = part == j->count - 1;
    for (int p = 0; p < of->kernel->param_count; p++) {
        const ir_param *param = &of->kernel->params[p];
        const chain_slot *slot = in->c->loops[j->loops[part]].bindings[p].slot;
        bool made = of->maker[p] >= 0 || (!last && ir_param_is_written_field(param));
        int maker = of->maker[p] >= 0 ? of->maker[p] : part;
        bool shared = !last && param->kind == IR_PARAM_IN;
        of->param[p] =
            made ? number_of_made(in, j, maker, slot) : add_param(in, j, part, p, shared);
        if (of->param[p] < 0) return false;
    }
    return true;
}

/* Equal joints have equal kernels. */
static uint64_t hash_joint(const cpu_joint *j)
{
    uint64_t hash = (uint64_t)j->count;
    for (int i = 0; i < j->count; i++) {
        const ir_inlined *part = &j->parts[i];
        size_t numbers = 2 * (size_t)part->kernel->param_count;
        hash = hash_bytes(part->kernel->hash, sizeof part->kernel->hash, hash);
        hash = hash_bytes(part->param, numbers * sizeof *part->param, hash);
    }
    return hash;
}

/* The names of the first kernels of a joint. */
static const char *join_names(const cpu_joint *j, int count, const char *between, arena *memory)
{
    text name = {0};
    for (int i = 0; i < count; i++)
        text_add(&name, "%s%s", i ? between : "", j->parts[i].kernel->name);
    char *own = name.failed ? NULL : arena_copy_text(memory, text_get(&name), name.length);
    text_free(&name);
    return own;
}

/* Whether a kernel costs not much more than its parts. */
static bool is_worth(const cpu_joint *j, const ir_kernel *kernel)
{
    int64_t before = 0;
    for (int i = 0; i < j->count; i++) before += ir_work(j->parts[i].kernel);
    return ir_work(kernel) <= before + MOST_MORE * (j->count - 1) &&
           ir_compile_cost(kernel) <= MOST_COST;
}

/* Sets the kernel of a new joint, none where it would not be worth it; false when memory is out. */
static bool make_kernel(const cpu_joint *j, cpu_joined *out)
{
    ir_kernel *k = arena_alloc(&out->memory, sizeof *k);
    ir_param *params = arena_array(&out->memory, (size_t)j->param_count + 1, sizeof *params);
    if (!k || !params) return false;
    memcpy(params, j->params, (size_t)j->param_count * sizeof *params);
    out->last = join_names(&(cpu_joint){.parts = {j->parts[j->count - 1]}}, 1, "", &out->memory);
    out->others = join_names(j, j->count - 1, "\", \"", &out->memory);
    *k = (ir_kernel){.name = join_names(j, j->count, "_", &out->memory),
                     .params = params,
                     .param_count = j->param_count,
                     .real_param = -1};
    for (int p = 0; p < j->param_count; p++)
        if (params[p].kind == IR_PARAM_TABLE) k->table_elements += params[p].count;
    if (!k->name || !out->last || !out->others) return false;
    bool made = ir_inline(j->parts, j->count, &out->memory, k);
    if (made && is_worth(j, k))
        out->kernel = k;
    else
        ir_kernel_free(k);
    return true;
}

/* The kernel of a joint; NULL where there is none. False when memory is out. */
static bool find_kernel(struct exec_cpu *cpu, const cpu_joint *j, const ir_kernel **kernel)
{
    uint64_t key = hash_joint(j);
    cpu_joined *known = cpu->joined;
    while (known && known->key != key) known = known->next;
    if (!known) {
        known = calloc(1, sizeof *known);
        if (!known) return false;
        *known = (cpu_joined){.key = key, .next = cpu->joined};
        cpu->joined = known;
        if (!make_kernel(j, known)) return false;
    }
    *kernel = known->kernel;
    return true;
}

void cpu_joined_explain(const struct exec_cpu *cpu, bool json, text *out)
{
    for (const cpu_joined *j = cpu->joined; j; j = j->next) {
        if (!j->kernel) continue;
        text_add(
            out,
            json ? "{\"kind\": \"inlined\", \"kernel\": \"%s\", \"computes\": [\"%s\"]}\n"
                 : "  '%s' computes what it reads of \"%s\": their temporaries have no memory\n",
            j->last, j->others);
    }
}

void cpu_joined_free(struct exec_cpu *cpu)
{
    while (cpu->joined) {
        cpu_joined *first = cpu->joined;
        cpu->joined = first->next;
        ir_kernel_free(first->kernel);
        arena_free(&first->memory);
        free(first);
    }
}

/* ---- the chain ------------------------------------------------------------------------------- */

static bool takes(const cpu_inliner *in, int loop)
{
    bool some = false;
    for (int p = 0; p < in->c->loops[loop].kernel->param_count; p++)
        some = some || makers_of(in, loop)[p] >= 0;
    return some;
}

/* Where there are no kernels in one, the fields that a loop reads stay. */
static void keep_reads(cpu_inliner *in, int loop)
{
    const chain_loop *l = &in->c->loops[loop];
    for (int p = 0; p < l->kernel->param_count; p++)
        if (makers_of(in, loop)[p] >= 0) keep(in, l->bindings[p].slot->number);
}

static bool join_loop(cpu_inliner *in, int loop, chain_loop *out)
{
    const ir_kernel *kernel = NULL;
    cpu_joint *j = &in->joint;
    j->count = j->param_count = 0;
    bool fits = add_part(in, j, loop) >= 0 && name_params(in, j, j->count - 1);
    for (int part = 0; part < j->count - 1 && fits; part++) fits = name_params(in, j, part);
    if (fits && !find_kernel(in->cpu, j, &kernel)) return false;
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
    out->hash = chain_loop_hash(out);
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
