/* Where a minimum or maximum is found: the first point, in the order of z, y and x, that
 * contributes what the reduction results in. Each thread keeps the first of its own. */
#include "sweep/reductions.h"

#include <math.h>

static bool is_nan(ir_type type, ir_value x)
{
    return (type == IR_F64 && isnan(x.f64)) || (type == IR_F32 && isnan(x.f32));
}

/* Whether two values are one in the order of reductions. */
static bool is_same(ir_type type, ir_value a, ir_value b)
{
    if (is_nan(type, a) || is_nan(type, b)) return is_nan(type, a) && is_nan(type, b);
    return memcmp(&a, &b, (size_t)ir_types[type].bytes) == 0;
}

/* Whether a value takes the place of an older one. */
static bool is_better(const ir_param *of, ir_value old, ir_value x)
{
    return !is_same(of->type, old, x) && is_same(of->type, ir_reduce(of, old, x), x);
}

static bool is_before(const ir_value *best, const int64_t point[3])
{
    for (int d = 2; d > 0; d--)
        if (point[d] != best[2 + d].i64) return point[d] < best[2 + d].i64;
    return point[0] < best[2].i64;
}

void sweep_meet_extreme(const ir_kernel *kernel, int where, ir_value *best, ir_value x,
                        const int64_t point[3])
{
    const ir_param *of = &kernel->params[kernel->params[where].of];
    bool same = is_same(of->type, best[1], x);
    if (best[0].i64 && (same ? !is_before(best, point) : !is_better(of, best[1], x))) return;
    best[0].i64 = 1;
    best[1] = x;
    for (int d = 0; d < 3; d++) best[2 + d].i64 = point[d];
}

/* The point, -1 where there is none. One of an earlier application stays if nothing is better than
 * what its reduction held. */
static bool set_point(const sweep_loop *l, int where, const ir_value *best)
{
    const ir_param *params = l->like.kernel->params, *param = &params[where];
    const ir_param *of = &params[param->of];
    chain_slot *slot = sweep_slot(l, where);
    bool stays =
        param->accumulates &&
        (!best[0].i64 || !is_better(of, store_scalar(sweep_slot(l, param->of), 0), best[1]));
    for (int d = 0; d < 3 && !stays; d++) {
        ir_value index = ir_value_of_int(param->type, best[0].i64 ? best[2 + d].i64 : -1);
        if (!store_scalar_set(slot, d, index)) return false;
    }
    return true;
}

bool sweep_finish_extremes(const sweep_loop *l)
{
    const ir_kernel *kernel = l->like.kernel;
    for (int b = 0; b < l->bins_count; b++) {
        int where = l->bins[b].param;
        if (kernel->params[where].kind != IR_PARAM_WHERE) continue;
        ir_value all[5] = {{0}};
        for (int t = 0; t < l->workers->count; t++) {
            const ir_value *best = (const ir_value *)l->shares[t].bins[b];
            const int64_t point[3] = {best[2].i64, best[3].i64, best[4].i64};
            if (best[0].i64) sweep_meet_extreme(kernel, where, all, best[1], point);
        }
        if (!set_point(l, where, all)) return false;
    }
    return true;
}
