/* Kernels in one: a loop's, and those of the loops that make what it reads. They are made once for
 * equal kernels that pass values to one another alike, and kept until the executor ends. */
#include "exec/inline.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_MORE = 14, /* work at a point, for each loop that is left out */
    MOST_COST = 3000
};

/* Adds a loop behind those that make what it reads; its number, or -1 where there are too many. */
static int add_part(const cpu_inliner *in, cpu_joint *j, int loop)
{
    for (int i = 0; i < j->count; i++)
        if (j->loops[i] == loop) return i;
    const ir_kernel *k = in->c->loops[loop].kernel;
    int maker[CPU_MOST_PARAMS];
    if (k->param_count > CPU_MOST_PARAMS) return -1;
    for (int p = 0; p < k->param_count; p++) {
        int of = cpu_makers_of(in, loop)[p];
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

bool cpu_join(cpu_inliner *in, int loop, const ir_kernel **kernel)
{
    cpu_joint *j = &in->joint;
    *kernel = NULL;
    j->count = j->param_count = 0;
    bool fits = add_part(in, j, loop) >= 0 && name_params(in, j, j->count - 1);
    for (int part = 0; part < j->count - 1 && fits; part++) fits = name_params(in, j, part);
    return !fits || find_kernel(in->cpu, j, kernel);
}
