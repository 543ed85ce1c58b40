/* Which numbers may decide at which points a kernel reads or writes: those that a condition depends
 * on. Others, such as the strength of a source at one point, leave that alone. And whether numbers
 * alone decide what it reads, as c > 0 does of an upwind difference. */
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

bool ir_find_switch(const ir_graph *g)
{
    enum { KNOWN = 1, NUMBER = 2 };
    unsigned char *of = calloc(g->count, 1); /* known before any point is, and depends on numbers */
    bool found = !of;
    for (ir_id id = 1; id < g->count && of; id++) {
        const ir_node *n = &g->nodes[id];
        int operands = ir_ops[n->op].operands;
        of[id] = operands || n->op == IR_CONST || n->op == IR_SIZE ? KNOWN : 0;
        if (n->op == IR_NUMBER) of[id] = KNOWN | NUMBER;
        if (n->op == IR_ELEMENT) of[id] = KNOWN | NUMBER;
        if (n->op == IR_LEVEL) of[id] = 0;
        for (int i = 0; i < operands; i++) {
            of[id] |= of[n->arg[i]] & NUMBER;
            if (!(of[n->arg[i]] & KNOWN)) of[id] &= NUMBER;
        }
        found = found || (n->type == IR_BOOL && of[id] == (KNOWN | NUMBER));
    }
    free(of);
    return found;
}

bool ir_number_decides(const ir_kernel *kernel, int param)
{
    return kernel->guarded && kernel->deciding & bit_of(param);
}
