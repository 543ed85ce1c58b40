/* Kernels in one, point by point: one for equal kernels that share fields alike. */
#include "exec/fuse.h"

#include <string.h>

/* Beyond that, registers and the lines that a core fetches at once run short, and arithmetic takes
 * longer than memory. */
enum { MOST_COST = 1500, MOST_WORK = 200, MOST_STREAMS = 16, MOST_VALUES = 48 };

/* Equal groups have equal kernels. */
static uint64_t hash_group(const fuse_group *g)
{
    uint64_t hash = (uint64_t)g->count;
    int params = 0;
    for (int i = 0; i < g->count; i++) {
        const ir_kernel *k = g->loops[i].kernel;
        hash = hash_bytes(k->hash, sizeof k->hash, hash);
        hash = hash_bytes(g->of + params, (size_t)k->param_count * sizeof *g->of, hash);
        params += k->param_count;
    }
    for (int p = 0; p < g->param_count; p++) {
        int facts[2] = {g->params[p].kind,
                        g->bindings[p]->slot ? (int)g->bindings[p]->slot->type : -1};
        hash = hash_bytes(facts, sizeof facts, hash);
    }
    return hash;
}

/* Components of fields that pass through the caches. */
static int count_streams(const ir_kernel *k)
{
    int streams = 0;
    for (int p = 0; p < k->param_count; p++)
        if (ir_param_is_field(&k->params[p]) && !ir_param_lacks_dimensions(&k->params[p]))
            streams += k->params[p].count;
    return streams;
}

static bool is_worth(const ir_kernel *k)
{
    return count_streams(k) <= MOST_STREAMS && ir_work(k) <= MOST_WORK &&
           ir_compile_cost(k) <= MOST_COST && ir_values_at_once(k) <= MOST_VALUES;
}

static bool fuse(const fuse_group *g, arena *memory, ir_kernel *k)
{
    ir_part parts[FUSE_MOST_LOOPS];
    bool exact[FUSE_MOST_PARAMS];
    const int *of = g->of;
    for (int i = 0; i < g->count; i++) {
        parts[i] = (ir_part){g->loops[i].kernel, of};
        of += g->loops[i].kernel->param_count;
    }
    for (int p = 0; p < g->param_count; p++) {
        const chain_slot *slot = g->bindings[p]->slot;
        const ir_storage_info *storage = slot ? &ir_storages[slot->type] : NULL;
        exact[p] = storage && !storage->coded && storage->type == g->params[p].type;
    }
    return ir_fuse(parts, g->count, exact, memory, k);
}

/* False when memory is out. */
static bool make_kernel(const fuse_group *g, joined_kernel *out)
{
    const ir_kernel *kernels[FUSE_MOST_LOOPS];
    for (int i = 0; i < g->count; i++) kernels[i] = g->loops[i].kernel;
    ir_kernel *k = joined_kernel_begin(out, kernels, g->count, g->params, g->param_count);
    if (!k) return false;
    joined_kernel_end(out, k, fuse(g, &out->memory, k) && is_worth(k));
    return true;
}

bool fuse_kernel(struct cpu_fuser *fuser, const fuse_group *g, joined_kernel **out)
{
    static joined_kernel none; /* programs whose loops differ each time end here */
    const uint64_t key = hash_group(g);
    bool is_new;
    if (fuser->kernel_count >= FUSE_MOST_KERNELS && !joined_kernel_find(fuser->kernels, key)) {
        *out = &none;
        return true;
    }
    *out = joined_kernel_get(&fuser->kernels, key, &is_new);
    fuser->kernel_count += *out && is_new;
    return *out && (!is_new || make_kernel(g, *out));
}
