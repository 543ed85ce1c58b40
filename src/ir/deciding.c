/* Which numbers may decide at which points a kernel reads or writes: those that a condition depends
 * on. Others, such as the strength of a source at one point, leave that alone. */
#include "ir/lowering.h"

#include <stdlib.h>

static uint64_t bit_of(int param) { return UINT64_C(1) << smaller(param, IR_DECIDING_LAST); }

uint64_t ir_find_deciding(const ir_graph *g)
{
    uint64_t found = 0, *numbers = calloc(g->count, sizeof *numbers); /* that a node depends on */
    if (!numbers) return UINT64_MAX;
    for (ir_id id = 1; id < g->count; id++) {
        const ir_node *n = &g->nodes[id];
        bool element = n->op == IR_ELEMENT && !n->element;
        if (n->op == IR_NUMBER || element) numbers[id] = bit_of(n->param);
        for (int i = 0; i < ir_ops[n->op].operands; i++) numbers[id] |= numbers[n->arg[i]];
        if (n->type == IR_BOOL) found |= numbers[id];
    }
    free(numbers);
    return found;
}

bool ir_number_decides(const ir_kernel *kernel, int param)
{
    return kernel->guarded && kernel->deciding & bit_of(param);
}
