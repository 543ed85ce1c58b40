/* Which nodes of a graph belong to loops that are not unrolled. */
#include "ir/build.h"
#include "ir/ir.h"

#include <stdlib.h>

/* A node is computed in the rounds of a loop if it depends on a variable of it. What a loop makes
 * depends on the loops around it, on which its nodes do: their numbers are lower. */
void ir_find_loops(const ir_graph *g, uint64_t *within)
{
    uint64_t used[IR_MAX_LOOPS] = {0};
    for (ir_id id = 1; id < g->count; id++) {
        const ir_node *n = &g->nodes[id];
        within[id] = n->op == IR_CARRIED ? UINT64_C(1) << n->param : 0;
        for (int i = 0; i < ir_ops[n->op].operands; i++) within[id] |= within[n->arg[i]];
        for (int loop = 0; loop < IR_MAX_LOOPS && within[id]; loop++)
            if (within[id] >> loop & 1) used[loop] |= within[id];
        if (n->op == IR_AFTER) within[id] = used[n->param] & ((UINT64_C(1) << n->param) - 1);
    }
}

int ir_innermost_loop(uint64_t within) { return within ? 63 - __builtin_clzll(within) : -1; }

/* Marks the operands of a marked node; true if a variable is among them that was not marked. A
 * CARRY needs what its variable becomes only if something reads that. */
static bool mark_operands(const ir_graph *g, ir_id id, ir_id *marked)
{
    const ir_node *n = &g->nodes[id];
    bool more = false;
    for (int i = 0; i < ir_ops[n->op].operands; i++) {
        if (n->op == IR_CARRY && i > 0 && !marked[n->arg[1]]) continue;
        more = more || (!marked[n->arg[i]] && g->nodes[n->arg[i]].op == IR_CARRIED);
        marked[n->arg[i]] = 1;
    }
    return more;
}

static void mark_all_variables(const ir_graph *g, ir_id *marked)
{
    for (ir_id id = 1; id < g->count; id++)
        if (g->nodes[id].op == IR_CARRY && marked[id]) marked[g->nodes[id].arg[1]] = 1;
}

void ir_mark_needed(const ir_graph *g, ir_id *marked)
{
    enum { MOST_WALKS = 50 };
    bool more = true;
    for (int walk = 0; more; walk++) {
        more = false;
        if (walk == MOST_WALKS) mark_all_variables(g, marked);
        for (ir_id id = (ir_id)g->count; id-- > 1;)
            if (marked[id] && mark_operands(g, id, marked)) more = true;
    }
}
