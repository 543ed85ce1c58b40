/* Sums with bins: each thread adds to its own, which are summed when the loop has ended. Integers
 * wrap, so neither the order of points nor their distribution over threads changes a bit. */
#include "sweep/reductions.h"

static const ir_param *param_of(const sweep_loop *l, const sweep_bins *b)
{
    return &l->like.kernel->params[b->param];
}

static int copies_of(const ir_param *param)
{
    return param->count <= ABI_COPIED_BINS ? ABI_BIN_COPIES : 1;
}

bool sweep_prepare_bins(sweep_loop *l)
{
    const ir_kernel *kernel = l->like.kernel;
    l->bins = arena_array(&l->memory, (size_t)kernel->param_count + 1, sizeof *l->bins);
    for (int p = 0; l->bins && p < kernel->param_count; p++) {
        if (!ir_has_bins(kernel, p)) continue;
        const ir_param *param = &kernel->params[p];
        int64_t bins = (int64_t)param->count * copies_of(param);
        bool where = param->kind == IR_PARAM_WHERE;
        l->bins[l->bins_count++] =
            (sweep_bins){.param = p,
                         .view = codegen_view_index(kernel, p),
                         .bytes = where ? SWEEP_EXTREME_BYTES : bins * ir_types[param->type].bytes};
    }
    return l->bins;
}

bool sweep_prepare_bins_of(sweep_loop *l, sweep_share *share)
{
    enum { LINE = 128 };
    bool done = true;
    if (l->bins_count) share->bins = arena_array(&l->memory, (size_t)l->bins_count, sizeof(char *));
    for (int b = 0; b < l->bins_count && share->bins && done; b++) {
        char *bins = arena_array(&l->memory, (size_t)l->bins[b].bytes + 2 * LINE, 1);
        done = bins;
        if (done) share->bins[b] = bins + (LINE - (uintptr_t)bins % LINE);
    }
    return done && (share->bins || !l->bins_count);
}

void sweep_begin_bins(const sweep_loop *l)
{
    for (int t = 0; t < l->workers->count; t++)
        for (int b = 0; b < l->bins_count; b++)
            memset(l->shares[t].bins[b], 0, (size_t)l->bins[b].bytes);
}

void sweep_bind_bins(const sweep_loop *l, sweep_share *share)
{
    const grid_box *core = &share->core;
    for (int d = 0; d < 3; d++) {
        share->arguments.counted.lo[d] = core->lo[d];
        share->arguments.counted.hi[d] = core->hi[d];
    }
    for (int b = 0; b < l->bins_count; b++)
        share->views[l->bins[b].view] = (abi_view){.origin = share->bins[b]};
}

/* ---- elements -------------------------------------------------------------------------------- */

static ir_value bin_at(const sweep_loop *l, const sweep_bins *b, const char *bins, int64_t i)
{
    ir_value value = {0};
    size_t bytes = (size_t)ir_types[param_of(l, b)->type].bytes;
    memcpy(&value, bins + (size_t)i * bytes, bytes);
    return value;
}

static void add(const sweep_loop *l, const sweep_share *share, int b, int64_t index, ir_value value)
{
    size_t bytes = (size_t)ir_types[param_of(l, &l->bins[b])->type].bytes;
    ir_value old = bin_at(l, &l->bins[b], share->bins[b], index);
    value = ir_reduce(param_of(l, &l->bins[b]), old, value);
    memcpy(share->bins[b] + (size_t)index * bytes, &value, bytes);
}

void sweep_add_to_bins(const sweep_loop *l, const sweep_share *share, const int64_t point[3],
                       const ir_value *values)
{
    const ir_kernel *kernel = l->like.kernel;
    for (int d = 0; d < 3; d++)
        if (point[d] < share->core.lo[d] || point[d] >= share->core.hi[d]) return;
    for (int i = 0; i < kernel->addition_count; i++) {
        const ir_addition *a = &kernel->additions[i];
        ir_type type = (ir_type)kernel->graph.nodes[a->index].type;
        int b = 0;
        if (a->condition && !values[a->condition].i32) continue;
        while (l->bins[b].param != a->param) b++;
        if (kernel->params[a->param].kind == IR_PARAM_WHERE)
            sweep_meet_extreme(kernel, a->param, (ir_value *)share->bins[b], values[a->value],
                               point);
        else
            add(l, share, b, ir_convert(IR_I64, type, values[a->index]).i64, values[a->value]);
    }
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Integers wrap, as those without a sign do. */
static void add_bins(const ir_param *param, void *to, const void *from, int64_t count)
{
    if (ir_types[param->type].bytes == 4)
        for (int64_t i = 0; i < count; i++) ((uint32_t *)to)[i] += ((const uint32_t *)from)[i];
    else
        for (int64_t i = 0; i < count; i++) ((uint64_t *)to)[i] += ((const uint64_t *)from)[i];
}

void sweep_join_bins(const sweep_loop *l, int b, const char *from)
{
    const sweep_bins *bins = &l->bins[b];
    const ir_param *param = param_of(l, bins);
    char *first = l->shares[0].bins[b];
    int64_t count = (int64_t)param->count * copies_of(param);
    if (param->kind == IR_PARAM_WHERE) {
        const ir_value *best = (const ir_value *)from;
        const int64_t point[3] = {best[2].i64, best[3].i64, best[4].i64};
        if (best[0].i64)
            sweep_meet_extreme(l->like.kernel, bins->param, (ir_value *)first, best[1], point);
        return;
    }
    add_bins(param, first, from, count);
}

void sweep_join_threads(const sweep_loop *l)
{
    for (int b = 0; b < l->bins_count; b++)
        for (int t = 1; t < l->workers->count; t++) {
            sweep_join_bins(l, b, l->shares[t].bins[b]);
            memset(l->shares[t].bins[b], 0, (size_t)l->bins[b].bytes);
        }
}

/* Sums over threads and copies, of some bins. */
static void add_up(const sweep_loop *l, int b, int first, int count, void *sums)
{
    const ir_param *param = param_of(l, &l->bins[b]);
    const int64_t bytes = ir_types[param->type].bytes;
    memset(sums, 0, (size_t)(count * bytes));
    for (int t = 0; t < l->workers->count; t++)
        for (int copy = 0; copy < copies_of(param); copy++)
            add_bins(param, sums,
                     l->shares[t].bins[b] + ((int64_t)copy * param->count + first) * bytes, count);
}

static bool set_bins(const sweep_loop *l, int b, int first, int count, const void *sums)
{
    const ir_param *param = param_of(l, &l->bins[b]);
    chain_slot *slot = sweep_slot(l, l->bins[b].param);
    bool done = true;
    for (int e = 0; e < count && done; e++) {
        ir_value sum = bin_at(l, &l->bins[b], sums, e);
        if (param->accumulates) sum = ir_reduce(param, store_scalar(slot, first + e), sum);
        done = store_scalar_set(slot, first + e, sum);
    }
    return done;
}

bool sweep_finish_bins(const sweep_loop *l)
{
    enum { TOGETHER = 256 };
    union {
        uint32_t narrow[TOGETHER];
        uint64_t wide[TOGETHER];
    } sums;
    for (int b = 0; b < l->bins_count; b++) {
        const ir_param *param = param_of(l, &l->bins[b]);
        for (int e = 0; e < param->count && param->kind != IR_PARAM_WHERE; e += TOGETHER) {
            int count = (int)smaller(param->count - e, TOGETHER);
            add_up(l, b, e, count, &sums);
            if (!set_bins(l, b, e, count, &sums)) return false;
        }
    }
    return true;
}
