/* Which tables of a mesh lead a read to its element. The index of such a read is an entry of a
 * table in the row of the loop's own element, or of another one to which a table has led. What
 * stands around an entry, against slots that are empty, makes no other element of it. */
#include "analysis/passing.h"

static bool is_table(const ir_kernel *kernel, const ir_node *n)
{
    const bool reads = n->op == IR_LOAD || n->op == IR_LEVEL;
    return reads && kernel->params[n->param].hidden == IR_HIDDEN_NEIGHBOURS;
}

/* Finds the one entry of a table that an index is made of; false: there are several. */
static bool find_entry(const ir_kernel *kernel, ir_id index, ir_id *entry)
{
    const ir_node *n = &kernel->graph.nodes[index];
    bool one = true;
    if (is_table(kernel, n)) {
        one = !*entry || *entry == index;
        *entry = index;
        return one;
    }
    for (int k = 0; k < ir_ops[n->op].operands && one; k++)
        one = find_entry(kernel, n->arg[k], entry);
    return one;
}

analysis_hops analysis_find_hops(const ir_kernel *kernel, ir_id index)
{
    const analysis_hops none = {0};
    analysis_hops back = {0}, hops = {0};
    ir_id entry = 0;
    if (!find_entry(kernel, index, &entry)) return none;
    while (entry) {
        const ir_node *n = &kernel->graph.nodes[entry];
        const ir_param *table = &kernel->params[n->param];
        if (back.count == ANALYSIS_MOST_HOPS) return none;
        back.from[back.count] = (unsigned char)(table->on - KATA_CELLS);
        back.to[back.count++] = (unsigned char)(table->each - KATA_CELLS);
        entry = 0;
        if (n->op == IR_LEVEL && !find_entry(kernel, n->arg[0], &entry)) return none;
    }
    for (; hops.count < back.count; hops.count++) {
        hops.from[hops.count] = back.from[back.count - 1 - hops.count];
        hops.to[hops.count] = back.to[back.count - 1 - hops.count];
    }
    return hops;
}
