/* Kernels in one: a loop's, and those of the loops that make what it reads. They are made once for
 * equal kernels that pass values to one another alike, and kept until the executor ends. */
#include "exec/inline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_MORE = HOSTILE(14, 1000), /* work at a point, for each loop that is left out */
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

/* Whether a kernel costs not much more than its parts, at a point of its loop. */
static bool is_worth(const cpu_joint *j, const ir_kernel *kernel)
{
    double before = 0;
    for (int i = 0; i < j->count; i++)
        before += j->points[i] * (double)ir_work(j->parts[i].kernel) +
                  (i + 1 < j->count ? MOST_MORE * fmax(j->points[i], 1) : 0);
    return (double)ir_work(kernel) <= before && ir_compile_cost(kernel) <= MOST_COST;
}

/* Sets the kernel of a new joint, none where it would not be worth it; false when memory is out. */
static bool make_kernel(const cpu_joint *j, joined_kernel *out)
{
    const ir_kernel *kernels[CPU_MOST_PARTS];
    for (int i = 0; i < j->count; i++) kernels[i] = j->parts[i].kernel;
    ir_kernel *k = joined_kernel_begin(out, kernels, j->count, j->params, j->param_count);
    if (!k) return false;
    bool made = ir_inline(j->parts, j->count, &out->memory, k);
    joined_kernel_end(out, k, made && is_worth(j, k));
    return true;
}

/* Of another kind in a mesh there are more elements, or fewer. */
static double elements_for_one(const chain_loop *maker, const chain_loop *last)
{
    if (!last->mesh) return 1;
    return (double)chain_loop_points(maker) / fmax((double)chain_loop_points(last), 1);
}

/* The kernel of a joint; NULL where there is none. False when memory is out. */
static bool find_kernel(struct exec_cpu *cpu, const cpu_joint *j, const ir_kernel **kernel)
{
    bool is_new;
    joined_kernel *joined = joined_kernel_get(&cpu->joined, hash_joint(j), &is_new);
    if (!joined || (is_new && !make_kernel(j, joined))) return false;
    *kernel = joined->kernel;
    return true;
}

void cpu_joined_explain(const struct exec_cpu *cpu, bool json, text *out)
{
    for (const joined_kernel *j = cpu->joined; j; j = j->next) {
        if (!j->kernel) continue;
        text_add(
            out,
            json ? "{\"kind\": \"inlined\", \"kernel\": \"%s\", \"computes\": [\"%s\"]}\n"
                 : "  '%s' computes what it reads of \"%s\": their temporaries have no memory\n",
            j->last, j->names);
    }
}

bool cpu_join(cpu_inliner *in, int loop, const ir_kernel **kernel)
{
    cpu_joint *j = &in->joint;
    *kernel = NULL;
    j->count = j->param_count = 0;
    bool fits = add_part(in, j, loop) >= 0 && name_params(in, j, j->count - 1);
    for (int i = 0; i < j->count; i++)
        j->points[i] = elements_for_one(&in->c->loops[j->loops[i]], &in->c->loops[loop]);
    for (int part = 0; part < j->count - 1 && fits; part++) fits = name_params(in, j, part);
    return !fits || find_kernel(in->cpu, j, kernel);
}
