/* Loops over fields with periodic sides. */
#include "analysis/analysis.h"

static bool has_rule(const analysis_loop *l, int dimension, bool periodic)
{
    for (int i = 0; i < l->touch_count; i++) {
        const analysis_touch *t = &l->touches[i];
        if (t->scalar || (t->remapped && !t->scaled)) continue;
        const grid_boundary *rules = l->loop->bindings[t->param].boundary;
        if (grid_boundary_is_periodic(rules, dimension) == periodic) return true;
    }
    return false;
}

bool analysis_is_periodic(const analysis_loop *l, int dimension)
{
    return has_rule(l, dimension, true);
}

static bool uses_index(const ir_kernel *kernel, int dimension)
{
    for (ir_id id = 1; id < kernel->graph.count && kernel->guarded; id++) {
        const ir_node *n = &kernel->graph.nodes[id];
        if (n->op == IR_INDEX && n->param == dimension) return true;
    }
    return false;
}

bool analysis_may_wrap(const analysis_loop *l, int dimension)
{
    const chain_loop *loop = l->loop;
    return !uses_index(loop->kernel, dimension) && loop->colors <= 1 && !l->reduces && !l->checks &&
           !loop->copy && !loop->sparse && !has_rule(l, dimension, false);
}
