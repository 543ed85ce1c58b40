/* A pass: for kernels with intervals of levels, the loops of a row are written again for each
 * condition that chooses between the bodies of intervals. It is known before the row is computed,
 * so that compilers leave out what is not chosen. */
#include "codegen/emit.h"

static bool is_new(const codegen_writer *w, ir_id condition)
{
    for (int i = 0; i < w->case_count; i++)
        if (w->cases[i] == condition) return false;
    return true;
}

/* The condition that chooses last comes first. */
bool codegen_split_cases(codegen_writer *w)
{
    const ir_kernel *kernel = w->loop->kernel;
    for (ir_id id = (ir_id)kernel->graph.count; kernel->interval_count > 0 && id-- > 1;) {
        const ir_node *node = &kernel->graph.nodes[id];
        if (node->op != IR_SELECT || w->steps[id].level < CODEGEN_POINT) continue;
        const codegen_step *condition = &w->steps[node->arg[0]];
        bool outer = condition->named && condition->level < CODEGEN_POINT;
        if (outer && is_new(w, node->arg[0]) && w->case_count < CODEGEN_CASES)
            w->cases[w->case_count++] = node->arg[0];
    }
    return true;
}
